package capture

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

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
	ctx, cancel := context.WithTimeout(wanted, glslTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "-V", "-R", "--auto-map-locations", "--auto-map-bindings", "-o", target, file)
	cmd.WaitDelay = time.Second
	killWhole(cmd)
	said := &head{}
	cmd.Stdout, cmd.Stderr = said, said
	err = cmd.Run()
	must.OK(context.Cause(wanted))
	if err != nil {
		return nil, errors.New("its shader does not compile for Vulkan" + said.error())
	}
	bytes := must.Get(os.ReadFile(target))
	return module.Words(bytes)
}

// head keeps the first bytes that are written to it.
type head struct{ first []byte }

func (h *head) Write(b []byte) (int, error) {
	const most = 4096
	h.first = append(h.first, b[:min(len(b), most-len(h.first))]...)
	return len(b), nil
}

// error returns the compiler's first error, after a colon.
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
