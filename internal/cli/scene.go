package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/base/atomicfile"
	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/calibration"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// AssetPrefix begins the names of built-in scenes.
const AssetPrefix = "asset:"

// Standard means standard input if a file is read, and standard output if one is written.
const Standard = "-"

// PassHelp describes --pass.
const PassHelp = "draw a `pass` of a captured frame from its own camera, by its name or number: see analyze --passes"

// RestTime is the value of --time that leaves a scene as its file stores it.
const RestTime = -1

// TimeHelp is the usage of --time.
const TimeHelp = "pose of the file's animation after so many `seconds`, with skins and morph targets (-1: the shape as it is stored)"

// AnimationHelp is the usage of --animation.
const AnimationHelp = "which animation of the file --time shows, by its `name` or its number from 0; by default the first"

// CheckTime refuses invalid values of --time.
func CheckTime(seconds float32) error {
	if seconds >= 0 && seconds <= math.MaxFloat32 || seconds == RestTime {
		return nil
	}
	return Usagef("--time %g: want seconds from 0 on, or -1", seconds)
}

// Posed returns a scene in the pose that --time and --animation ask for; an animation without a time, at its start.
func Posed(path string, s *geometry.Scene, seconds float32, animation string) (posed *geometry.Scene, err error) {
	asked := "--animation " + animation
	if animation == "" {
		asked = fmt.Sprintf("--time %g", seconds)
	}
	switch {
	case seconds == RestTime && animation == "":
		return s, nil
	case len(s.Animations) == 0:
		return nil, fmt.Errorf("%s: %s: no animation that moves anything%s", path, asked, strings.TrimSuffix("; "+s.LeftOut(), "; "))
	}
	of, err := FindAnimation(s.Animations, animation)
	if err == nil {
		if posed, err = s.Animations[of].Pose(s, max(seconds, 0)); err == nil {
			return posed, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", path, err)
}

// FindAnimation returns the index of the animation that --animation names, by its index or, if that does not
// exist, by its name. "" is the first.
func FindAnimation(list []geometry.Animation, name string) (int, error) {
	n, err := strconv.Atoi(cmp.Or(name, "0"))
	if err != nil || n < 0 || n >= len(list) {
		all := names.Of(list, geometry.Animation.Name)
		if n = slices.Index(all, name); n < 0 {
			return 0, fmt.Errorf("--animation %q: the file has no such animation, only %s", name, strings.Join(all, ", "))
		}
	}
	return n, nil
}

// OpenPass returns a function that opens a file with its textures and animations, or a captured frame's pass
// (format.Formats.Pass). If shaded is set it also reads all inputs of vertex shaders (format.Formats.Attributes).
func OpenPass(shaded bool, pass string) func(context.Context, string) (*geometry.Scene, error) {
	formats := capture.Readers()
	if shaded {
		formats = formats.Attributes()
	}
	return func(ctx context.Context, path string) (*geometry.Scene, error) {
		return openAs(ctx, path, formats.Textures().Animated().Pass(pass))
	}
}

// openAs opens a file, or standard input for "-", or makes the built-in scene for asset:NAME. The
// scene's name is safe to print.
func openAs(ctx context.Context, path string, formats format.Formats) (s *geometry.Scene, err error) {
	defer must.Catch(&err)
	open := formats.Open
	name, builtIn := strings.CutPrefix(path, AssetPrefix)
	switch {
	case path == "":
		return nil, Usagef("a file name is empty")
	case builtIn:
		s, err := assets.Make(name)
		if err == nil && formats.HaveAttributes() {
			assets.AddTexCoords(s)
		}
		return s, AsUsage(err)
	case path == Standard:
		open = func(ctx context.Context, _ string) (*geometry.Scene, error) { return openInput(ctx, formats) }
	}
	times := must.Get(fileBudget())
	s, err = open(budget.Allow(ctx, times), path)
	var exceeded *budget.Exceeded
	if errors.As(err, &exceeded) {
		return nil, fmt.Errorf("%w; %s=%d allows %d times as much", err, fileBudgetVariable, 4*times, 4)
	}
	must.OK(err)
	s.Name = names.Printable(s.Name)
	return s, nil
}

const fileBudgetVariable = "SHADEONCE_FILE_BUDGET" // environment variable: a factor on the memory and work that each file may cost

func fileBudget() (times int64, err error) {
	const most = 1 << 20
	text := cmp.Or(os.Getenv(fileBudgetVariable), "1")
	if times, err = strconv.ParseInt(text, 10, 64); err != nil || times < 1 || times > most {
		return 0, Usagef("%s=%s: want a whole number from 1 to %d", fileBudgetVariable, text, most)
	}
	return times, nil
}

// openInput opens a scene from standard input. Readers seek and map files, so it uses a temporary
// file, which it removes when it returns: a scene mapped from the file stays valid. Data without a
// signature is read as OBJ. So a binary STL file, which has no signature either, is refused.
func openInput(ctx context.Context, formats format.Formats) (*geometry.Scene, error) {
	const name = "standard input"
	folder, err := os.MkdirTemp("", "shadeonce-")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "input.obj")
	if err := spool(ctx, path, os.Stdin); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s, err := formats.Open(ctx, path)
	var bad *format.Error
	if errors.As(err, &bad) {
		bad.File = name
	}
	if s != nil {
		s.Name = name
	}
	return s, err
}

// spool copies `from` to a file until the context ends. It then returns even if a read still waits
// for a terminal or a pipe.
func spool(ctx context.Context, path string, from io.Reader) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	copied := make(chan error, 1)
	go func() {
		_, err := io.Copy(file, from)
		copied <- errors.Join(err, file.Close())
	}()
	select {
	case err = <-copied:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	return err
}

// OpenUntilInterrupted opens a file, standard input or a built-in scene with the given readers. If the user
// interrupts the program, it ends the reader, which may have temporary files to remove. It reports progress to
// the context.
func OpenUntilInterrupted(ctx context.Context, path string, formats format.Formats) (s *geometry.Scene, err error) {
	err = untilInterrupted(ctx, func(ctx context.Context) (err error) {
		s, err = openAs(ctx, path, formats)
		return err
	})
	return s, err
}

// Guard runs work that reads a scene from a file: see geometry.Scene.Guard. If the file was lost or changed, the error names it.
func Guard(path string, s *geometry.Scene, work func() error) error {
	err := s.Guard(work)
	if errors.Is(err, geometry.ErrLost) || errors.Is(err, geometry.ErrChanged) {
		return fmt.Errorf("%s: %w", path, err)
	}
	return err
}

// AssetNames lists the built-in scenes.
func AssetNames() string {
	return strings.Join(names.Of(assets.All, func(a assets.Asset) string { return a.Name }), ", ")
}

// CheckAssets refuses built-in scenes that do not exist.
func CheckAssets(paths []string) error {
	var err error
	for _, path := range paths {
		if name, builtIn := strings.CutPrefix(path, AssetPrefix); builtIn {
			err = cmp.Or(err, AsUsage(assets.Check(name)))
		}
	}
	return err
}

// Files replaces every folder among paths by the files in and below it that Openable accepts,
// sorted by name. A folder without any is an error.
func Files(paths []string) (all []string, err error) {
	for _, path := range paths {
		found := []string{path} // if there is none, opening it reports the error
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			if found, err = filesBelow(path); err != nil {
				return nil, err
			}
		}
		all = append(all, found...)
	}
	return all, nil
}

func filesBelow(folder string) (found []string, err error) {
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(d.Name(), ".") && path != folder && d.IsDir():
			return filepath.SkipDir
		case !d.IsDir() && Openable(d.Name()):
			found = append(found, path)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: cannot read: %w", folder, atomicfile.Cause(err))
	case len(found) == 0:
		return nil, fmt.Errorf("%s: is a folder that holds no file that can be read: %s (also as .gz or .zst)", folder, strings.Join(capture.Readers().Extensions(), " "))
	}
	return found, nil
}

// Openable reports whether a file name in a folder is that of a mesh or a captured frame. Most
// tables and XML files are something else, so of these it accepts only RenderDoc's .zip.xml.
func Openable(name string) bool {
	name = strings.ToLower(name)
	for _, packed := range []string{".gz", ".zst"} {
		name = strings.TrimSuffix(name, packed)
	}
	switch ext := filepath.Ext(name); ext {
	case ".csv":
		return false
	case ".xml":
		return strings.HasSuffix(name, ".zip.xml")
	default:
		return slices.Contains(capture.Readers().Extensions(), ext) && !strings.HasPrefix(name, ".")
	}
}

// Values of --backend. GPU and CPU are the backends' own names.
const (
	Auto = "auto"
	GPU  = "gpu"
	CPU  = "cpu" // needs no Vulkan
)

var backendNames = []string{Auto, GPU, CPU}

// AddDevice adds --device.
func AddDevice(flags *pflag.FlagSet, device *string) {
	flags.StringVar(device, "device", "", "Vulkan device: its number or part of its `name`, as shadeonce devices lists them")
}

// BackendFlags choose where a plan runs.
type BackendFlags struct {
	Backend    string
	Device     string
	Validation bool
	Open       Opener // opens the GPU; if nil, each session opens a device and closes it at its end
}

// Opener opens a backend on a GPU for a session. `done` ends the session; afterwards a caller may
// only read the validation layer's messages.
type Opener func(gpu.BackendOptions) (b *gpu.Backend, done func(), err error)

func openGPU(o gpu.BackendOptions) (*gpu.Backend, func(), error) {
	b, err := gpu.OpenBackend(o)
	if err != nil {
		return nil, nil, err
	}
	return b, b.Close, nil
}

// Add adds --backend, --device and --validation to a command.
func (f *BackendFlags) Add(flags *pflag.FlagSet) {
	help := "where to run: auto (gpu where Vulkan has a device, else cpu), gpu, cpu"
	if gpu.Absent != nil {
		help = "where to run: auto and cpu are the CPU; gpu fails, since " + gpu.Absent.Error()
	}
	flags.StringVar(&f.Backend, "backend", Auto, help)
	AddDevice(flags, &f.Device)
	flags.BoolVar(&f.Validation, "validation", false, "run under Vulkan's validation layer, whose messages are errors (as "+gpu.ValidationVariable+"=1)")
}

// Check returns an error for an unknown backend.
func (f *BackendFlags) Check() error { return Among("backend", backendNames, f.Backend) }

// pipelineBytes has room for the pipelines of all strategies and loads of bench, so that they are
// not compiled anew for every file.
const pipelineBytes = 1 << 30

// start opens the backend. auto falls back to the CPU, unless another flag needs Vulkan; `notice`
// says why it did, or why a calibration was ignored.
func (f *BackendFlags) start() (b plan.Backend, done func(), notice string, err error) {
	if f.Backend != CPU {
		open := f.Open
		if open == nil {
			open = openGPU
		}
		onGPU, done, err := open(gpu.BackendOptions{Device: f.Device, Validation: f.Validation, PipelineBytes: pipelineBytes})
		switch {
		case err == nil:
			return onGPU, done, calibration.Use(onGPU), nil
		case f.Backend == GPU || f.Device != "" || f.Validation:
			return nil, nil, "", err
		}
		notice = fmt.Sprintf("no GPU, ran on the CPU: %v", err)
	}
	onCPU := soft.New()
	return onCPU, onCPU.Close, notice, nil
}

// Session opens the backend, does the work and closes the backend. Any message of the validation layer is an error,
// including a leak found at the end. The notice of start is printed last and only on success, so that a failure is one
// line.
func (f *BackendFlags) Session(stderr io.Writer, work func(plan.Backend) error) error {
	if err := f.Check(); err != nil {
		return err
	}
	b, done, notice, err := f.start()
	if err != nil {
		return err
	}
	if err = cmp.Or(work(b), ended(b, done)); err == nil {
		Tell(stderr, notice)
	}
	return err
}

// Calibrate calibrates the backend's device, says so on stderr, and returns calibration.Run's rows. An
// interrupt by the user is returned as an error.
func Calibrate(stderr io.Writer, b plan.Backend) (rows []calibration.Row, err error) {
	begin, meter := time.Now(), NewMeter(stderr)
	err = untilInterrupted(meter.Stage(0, 1, "calibrating %s", b.Info().Device), func(ctx context.Context) (err error) {
		rows, err = calibration.Run(ctx, b, plan.Options{})
		return err
	})
	meter.Wipe()
	if err == nil {
		Tell(stderr, fmt.Sprintf("calibrated %s in %.1f s; auto chooses by %s from now on", b.Info().Device, time.Since(begin).Seconds(), calibration.Path(b.Info())))
	}
	return rows, err
}

// ended ends a session by calling `done`. It returns an error if the validation layer has reported
// anything.
func ended(b plan.Backend, done func()) error {
	done()
	if list := b.Info().Messages; list != nil {
		if messages := list(); len(messages) > 0 {
			return fmt.Errorf("the validation layer reported %s, the first: %s", names.Count(len(messages), "message"), messages[0])
		}
	}
	return nil
}
