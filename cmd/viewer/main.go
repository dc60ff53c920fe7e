// Command viewer shows meshes in a window, coloured by how often each vertex was
// shaded, and lets keys change strategy, lanes, queue and view while it runs.
//
// It is the only room that knows a window library. Where there is no display,
// shadeonce render makes the same pictures.
package main

import (
	"fmt"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/layout"
	"github.com/shadeonce/shadeonce/internal/manual"
	"github.com/shadeonce/shadeonce/internal/showing"
	"github.com/shadeonce/shadeonce/internal/views"
	"github.com/shadeonce/shadeonce/renderer"
)

// programName is the program's name in the shell, on the desktop and in the documents.
const programName = "shadeonce-viewer"

// defaultScene is shown where no file is given.
const defaultScene = "asset:knot"

// options are what the command line says.
type options struct {
	settings      views.Settings
	shader        cli.ShaderFlags
	view          string // of --view
	indexOrder    string
	files         []string
	camera        string
	up            renderer.UpAxis
	time          float32 // that vertex shaders begin with
	device        string
	width, height int     // screen units
	scale         float64 // of text and panels; 0 leaves it to the display
	grows         bool    // the size is meant for a scale of 1
	validation    bool
	frames        int // 0: until the window is closed

	panels, transparent bool
	compare             views.CompareMode
	other               views.OtherSide
	divider             float64
	apps                appState
	doing               showing.Choice
	before              bool

	draws drawListStart

	turntable int             // pictures, then end
	remember  bool            // what the viewer was left with
	fallback  *views.Settings // without what was remembered, where something was
	plain     *options        // the same of all; nil where nothing was remembered
	alone     int             // state.alone
	watch     bool            // open files anew when they change
	fly       bool            // to begin with
	place     *place          // of the window; nil leaves it to the display

	panelPlaces map[string]layout.Place // of panels that were moved
	recent      []string                // files that were shown
	desktop     bool                    // errors are shown in windows
}

// remembers reports whether the viewer begins as it was left, and keeps how it is left.
func (o *options) remembers() bool { return o.remember && o.frames == 0 && o.turntable == 0 }

// state is what the viewer begins with.
func (o *options) state() state {
	s := state{
		Wanted:   views.Wanted{Want: o.settings, View: o.camera, Up: o.up, IndexOrder: o.indexOrder, Alone: o.alone, Compare: o.compare, Other: o.other, Doing: o.doing, Time: o.time},
		appState: o.apps, panels: o.panels, transparent: o.transparent, divider: o.divider,
	}
	if o.fly {
		s.toggleFly()
	}
	return s
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
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", cmd.Name(), err)
		if onDesktop, _ := cmd.Flags().GetBool("desktop"); onDesktop {
			showError(err)
		}
	}
	return cli.Status(err)
}

// newCommand is the command line; start gets what it said.
func newCommand(start func(options) error) *cobra.Command {
	var f rawFlags
	cmd := &cobra.Command{
		Use:   programName + " [FILE...]",
		Short: "Show meshes in a window, coloured by how often each vertex was shaded",
		Long: "Show meshes in a window, coloured by how often each vertex was shaded.\n\n" +
			"A file may be asset:NAME, a built-in scene: " + assetForms() + " (default " + defaultScene + ").\n" +
			"H shows the keys. Every flag that says what is shown can be changed in the panels.",
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := f.begin(cmd.Flags(), args)
			if err != nil {
				return err
			}
			files, err := cli.Files(o.files)
			if err == nil {
				o.files = files
			} else if !o.desktop { // else opening it says what is wrong
				return err
			}
			return start(o)
		},
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return cli.UsageError{Err: err} })
	f.add(cmd.Flags())
	manual.AddFlag(cmd, cli.ManualSections()...)
	completeValues(cmd)
	return cmd
}
