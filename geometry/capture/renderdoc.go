package capture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture/internal/renderdoc"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// renderdocReader reads frames captured by RenderDoc, as "renderdoccmd convert -c zip.xml" writes
// them: FILE.zip.xml with FILE.zip beside it. It supports Vulkan and OpenGL. Each draw is named
// by pass and event, and each instance is a draw of its own; positions are the inputs of vertex
// shaders. What cannot be read is counted in Scene.Skipped.
//
// Source: the files themselves, and field names in RenderDoc's serialisation.
var renderdocReader = format.Reader{
	Name: "capture", Extensions: []string{".xml"}, Read: renderdocRead, Bytes: renderdocBytes,
	Magic: func(b []byte) bool { return bytes.HasPrefix(b, []byte("<?xml")) && bytes.Contains(b, []byte("<rdc>")) },
}

// Shares of the total time (0 to 1): reading the XML ends at the first, placing begins at the second.
const renderdocBytes, renderdocPlacing = .4, .7

func renderdocRead(ctx context.Context, in *format.Input) (*geometry.Scene, error) {
	name, ok := zipName(in)
	if !ok {
		return nil, in.Bad("", "its zip file is unknown: the name must end in .zip.xml")
	}
	if in.Partner == nil {
		return nil, in.Bad("", "needs the zip file beside it: %s is not there", name)
	}
	file, size, err := in.Partner(name)
	if err != nil {
		if err := renderdoc.Check(in); err != nil {
			return nil, renderdocError(in, err) // XML that is not a capture has no zip file
		}
		return nil, in.Bad("", "needs the zip file beside it: %v", err)
	}
	defer file.Close()
	at, ok := file.(io.ReaderAt)
	if !ok {
		return nil, in.Bad("", "%s cannot be read at any position, as a zip file must be", name)
	}
	f, err := renderdoc.Read(progress.Part(ctx, renderdocBytes, renderdocPlacing), renderdoc.Input{
		XML: in, Zip: at, ZipSize: size, ZipName: name, Budget: in.Budget(), Compile: compileGLSL, Textures: in.Textures,
	})
	if err != nil {
		return nil, renderdocError(in, err)
	}
	if err := placeShaded(progress.Part(ctx, renderdocPlacing, 1), in, f); err != nil {
		return nil, renderdocError(in, err)
	}
	if !in.Attributes {
		f.Shading = nil
		onlyCoordinates(f.Scene)
	}
	return f.Scene, nil
}

// zipName returns the name of the zip file beside FILE.zip.xml; ok is false if the name does not end in .xml.
func zipName(in *format.Input) (name string, ok bool) {
	name = in.Name()
	ext := filepath.Ext(name)
	if !strings.EqualFold(ext, ".xml") {
		return "", false
	}
	name = strings.TrimSuffix(name, ext)
	return name, name != ""
}

// renderdocError adds the file to an error of package renderdoc.
func renderdocError(in *format.Input, err error) error {
	if bad, is := errors.AsType[*format.Error](err); is && bad.File == "" {
		bad.File = in.Path
	}
	return in.Failed("", err)
}

// rdcReader reads RenderDoc's own captures, FILE.rdc, if RenderDoc's program renderdoccmd is
// installed: the program converts the file, in a temporary folder, to what renderdocReader reads.
var rdcReader = format.Reader{
	Name: "rdc", Extensions: []string{".rdc"},
	Magic: func(b []byte) bool { return bytes.HasPrefix(b, []byte("RDOC")) },
	Read: func(ctx context.Context, in *format.Input) (*geometry.Scene, error) {
		return rdcRead(ctx, in, rdcTimeout)
	},
}

const (
	rdcProgram = "renderdoccmd"
	rdcTimeout = 5 * time.Minute
)

func rdcRead(ctx context.Context, in *format.Input, timeout time.Duration) (*geometry.Scene, error) {
	program, err := exec.LookPath(rdcProgram)
	if err != nil {
		return nil, in.Bad("", "needs the program %s, which is not installed (package renderdoccmd, or renderdoc.org)", rdcProgram)
	}
	frame, err := filepath.Abs(in.Path)
	if err != nil {
		return nil, in.Failed("", err)
	}
	folder, err := os.MkdirTemp("", "shadeonce-rdc-")
	if err != nil {
		return nil, in.Bad("", "no temporary folder: %v", err)
	}
	defer os.RemoveAll(folder)
	if in.Size < 0 { // compressed, which the program cannot read
		frame = filepath.Join(folder, "frame.rdc")
		if err := unpackTo(frame, in); err != nil {
			return nil, in.Failed("", err)
		}
	}
	converted := filepath.Join(folder, "frame.zip.xml")
	if err := convertRDC(ctx, program, frame, converted, timeout); err != nil {
		return nil, in.Bad("", "%v", err)
	}
	return readConverted(ctx, in, converted)
}

func unpackTo(path string, in io.Reader) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, in)
	return errors.Join(err, file.Close())
}

// convertRDC runs the program, until the context ends or the timeout is over. Errors include the
// program's output, on one line.
func convertRDC(wanted context.Context, program, from, to string, timeout time.Duration) error {
	said := &tail{}
	err, late := runProgram(wanted, timeout, said, program, "convert", "-f", from, "-o", to, "-c", "zip.xml")
	if err := context.Cause(wanted); err != nil {
		return err
	}
	if late {
		return fmt.Errorf("%s took longer than %v", rdcProgram, timeout)
	}
	if err != nil {
		if exit, is := errors.AsType[*exec.ExitError](err); is {
			return fmt.Errorf("%s failed (%v)%s", rdcProgram, exit, said)
		}
		return fmt.Errorf("%s cannot be run: %v", rdcProgram, err)
	}
	if info, err := os.Stat(to); err != nil {
		return fmt.Errorf("%s wrote nothing%s", rdcProgram, said)
	} else if !info.Mode().IsRegular() {
		return fmt.Errorf("%s left nothing to read", rdcProgram)
	}
	return nil
}

// tail keeps the last bytes that are written to it.
type tail struct{ last []byte }

func (t *tail) Write(b []byte) (int, error) {
	const most = 200
	t.last = append(t.last, b[max(0, len(b)-most):]...)
	t.last = t.last[max(0, len(t.last)-most):]
	return len(b), nil
}

// String returns the output on one line, after a colon, and without the file names with which
// renderdoccmd begins its errors; "" if there is none.
func (t *tail) String() string {
	words := strings.Join(strings.Fields(string(t.last)), " ")
	for _, to := range []string{"rdc", "zip.xml"} {
		if _, cause, ok := strings.Cut(words, "' as '"+to+"': "); ok {
			words = cause
		}
	}
	if words == "" {
		return ""
	}
	const most = 120
	return ": " + strconv.QuoteToASCII(words[max(0, len(words)-most):])
}

// readConverted reads the result of a conversion; errors name the original file.
func readConverted(ctx context.Context, in *format.Input, converted string) (*geometry.Scene, error) {
	formats := format.Formats{renderdocReader}.Pass(in.Pass)
	if in.Attributes {
		formats = formats.Attributes()
	}
	if in.Textures {
		formats = formats.Textures()
	}
	s, err := formats.Open(ctx, converted)
	if known, is := errors.AsType[*format.Error](err); is {
		known.File = in.Path
	}
	return s, err
}

const (
	glslProgram = "glslangValidator"
	glslTimeout = 20 * time.Second
)

// compileGLSL compiles an OpenGL shader of a stage to SPIR-V for Vulkan, if glslangValidator is
// installed. Uniforms become a block; the locations and bindings of inputs and blocks are new,
// and unrelated to OpenGL's.
func compileGLSL(wanted context.Context, stage, source string) (_ []uint32, err error) {
	defer must.Catch(&err)
	program, err := exec.LookPath(glslProgram)
	if err != nil {
		return nil, errors.New("its shader is GLSL, which needs " + glslProgram + ", and that is not installed")
	}
	if strings.Contains(source, "#include") {
		return nil, errors.New("its shader includes other files")
	}
	folder := must.Get(os.MkdirTemp("", "shadeonce-glsl-"))
	defer os.RemoveAll(folder)
	file, target := filepath.Join(folder, "a."+stage), filepath.Join(folder, "a.spv")
	must.OK(os.WriteFile(file, []byte(source), 0o600))
	said := &head{}
	err, _ = runProgram(wanted, glslTimeout, said, program, "-V", "-R", "--auto-map-locations", "--auto-map-bindings", "-o", target, file)
	must.OK(context.Cause(wanted))
	if err != nil {
		return nil, errors.New("its shader does not compile for Vulkan" + said.error())
	}
	bytes := must.Get(os.ReadFile(target))
	return module.Words(bytes)
}

// runProgram runs a program, and writes its output to `said`. late is true if the time limit `most` or the context ended it.
func runProgram(wanted context.Context, most time.Duration, said io.Writer, program string, args ...string) (err error, late bool) {
	ctx, cancel := context.WithTimeout(wanted, most)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.WaitDelay = time.Second // ends the wait if a child of the program keeps the output open
	killWhole(cmd)
	cmd.Stdout, cmd.Stderr = said, said
	err = cmd.Run()
	return err, ctx.Err() != nil
}

// head keeps the first bytes that are written to it.
type head struct{ first []byte }

func (h *head) Write(b []byte) (int, error) {
	const most = 4096
	h.first = append(h.first, b[:min(len(b), most-len(h.first))]...)
	return len(b), nil
}

// error returns the compiler's first error, after a colon; "" if it wrote none.
func (h *head) error() string {
	for line := range strings.Lines(string(h.first)) {
		if _, what, ok := strings.Cut(line, "ERROR: "); ok {
			_, what, _ = strings.Cut(what, "/a.")
			_, what, _ = strings.Cut(what, ":")
			return (&tail{last: []byte("line " + what)}).String()
		}
	}
	return ""
}
