// Command viewer shows meshes in a window, coloured by how often each vertex was
// shaded, and lets keys change strategy, lanes, queue and view while it runs.
//
// It is the only room that knows a window library. Where there is no display,
// shadeonce render makes the same pictures.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
)

// defaultScene is shown where no file is given.
const defaultScene = "asset:knot"

// Exit statuses: other people's scripts tell bad input from bad usage.
const (
	exitFailure = 1
	exitUsage   = 2
)

// usageError is a command line that cannot work, whatever the files hold.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// options are what the command line says.
type options struct {
	settings      settings
	indexOrder    string
	files         []string
	camera        string
	device        string
	width, height int // screen units
	validation    bool
	frames        int // 0: until the window is closed
}

func main() {
	// Windows belong to the process's first thread, where main begins.
	runtime.LockOSThread()
	os.Exit(run(os.Args[1:]))
}

// run executes one command line and returns its exit status. An error is one
// line on standard error.
func run(args []string) int {
	cmd := newCommand(view)
	cmd.SetArgs(args)
	err := cmd.Execute()
	if err == nil {
		return 0
	}
	fmt.Fprintf(os.Stderr, "viewer: %v\n", err)
	var usage usageError
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailure
}

// newCommand is the command line; start gets what it said.
func newCommand(start func(options) error) *cobra.Command {
	var f rawFlags
	cmd := &cobra.Command{
		Use:   "viewer [FILE...]",
		Short: "Show meshes in a window, coloured by how often each vertex was shaded",
		Long: "Show meshes in a window, coloured by how often each vertex was shaded.\n\n" +
			"A file may be asset:NAME, a built-in scene: " + assetForms() + " (default " + defaultScene + ").\n" +
			"H shows the keys.",
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(_ *cobra.Command, args []string) error {
			o, err := f.options(args)
			if err != nil {
				return usageError{err}
			}
			return start(o)
		},
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	f.add(cmd.Flags())
	return cmd
}

// rawFlags are the flags as text, before they are checked.
type rawFlags struct {
	strategy, queue, view, subgroups string
	lanes, batch, frames             int
	indexOrder                       string
	camera, device, size             string
	validation, cull                 bool
}

func (f *rawFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.strategy, "strategy", "warp", "strategy to begin with: "+strings.Join(reuse.Names(), ", "))
	flags.IntVar(&f.lanes, "lanes", reuse.DefaultLanes, "lanes a subgroup: "+strings.Join(lanesKnob.values, ", "))
	flags.IntVar(&f.batch, "batch", 0, "indices a batch, a multiple of 3 (default: the strategy's own)")
	flags.StringVar(&f.indexOrder, "order", fileOrder, "index order to begin with: "+strings.Join(order.Names(), ", ")+"; with "+order.FetchSuffix+" vertices are renumbered too")
	flags.StringVar(&f.queue, "queue", "indexed", "queue form: "+strings.Join(renderer.QueueFormNames, ", "))
	flags.StringVar(&f.view, "view", "counts", "what to show: "+strings.Join(renderer.ViewNames, ", "))
	flags.StringVar(&f.subgroups, "subgroups", "auto", "how lanes run: "+strings.Join(renderer.SubgroupsNames, ", "))
	flags.BoolVar(&f.cull, "cull", false, "drop triangles that show nothing before attributes are shaded; back faces where the file says so")
	flags.StringVar(&f.camera, "camera", "", renderer.CameraHelp)
	flags.StringVar(&f.device, "device", "", "Vulkan device: its number or part of its `name`, as shadeonce devices lists them")
	flags.StringVar(&f.size, "size", "1280x720", "window size")
	flags.BoolVar(&f.validation, "validation", false, "run under Vulkan's validation layer (or set SHADEONCE_VALIDATION=1); any message makes the exit status 1")
	flags.IntVar(&f.frames, "frames", 0, "draw so many frames while turning, print the time a frame, and exit")
}

// options checks all that can be checked before a window is opened.
func (f *rawFlags) options(files []string) (o options, err error) {
	o = options{
		settings:   settings{strategy: f.strategy, lanes: f.lanes, batch: f.batch},
		indexOrder: f.indexOrder,
		files:      files, camera: f.camera, device: f.device, validation: f.validation, frames: f.frames,
	}
	if len(files) == 0 {
		o.files = []string{defaultScene}
	}
	if _, err := order.Lookup(f.indexOrder); err != nil {
		return o, err
	}
	config, err := reuse.Resolve(f.strategy, f.lanes, f.batch)
	if err != nil {
		return o, err
	}
	o.settings.lanes = cmp.Or(config.Lanes, reuse.DefaultLanes)
	if o.settings.queue, err = renderer.ParseName[renderer.QueueForm]("queue form", renderer.QueueFormNames, f.queue); err != nil {
		return o, err
	}
	if f.cull {
		o.settings.cull = culling(renderer.FacesOfFile) + 1
		if o.settings.queue == renderer.Expanded {
			return o, usagef("--cull needs --queue indexed")
		}
	}
	if o.settings.view, err = renderer.ParseName[renderer.View]("view", renderer.ViewNames, f.view); err != nil {
		return o, err
	}
	if o.settings.subgroups, err = renderer.ParseName[renderer.Subgroups]("subgroups", renderer.SubgroupsNames, f.subgroups); err != nil {
		return o, err
	}
	anyBox := geometry.Box{Max: mgl32.Vec3{1, 1, 1}}
	if _, err = renderer.ParseCamera(f.camera, anyBox, 1); err != nil {
		return o, err
	}
	if f.frames < 0 {
		return o, usagef("--frames %d: must not be negative", f.frames)
	}
	if o.width, o.height, err = renderer.ParseSize(f.size); err != nil {
		return o, fmt.Errorf("size %w", err)
	}
	return o, nil
}

func assetForms() string {
	forms := make([]string, len(assets.All))
	for i, a := range assets.All {
		forms[i] = a.Form()
	}
	return strings.Join(forms, ", ")
}
