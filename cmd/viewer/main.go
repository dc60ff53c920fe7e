// Command viewer shows meshes in a window, coloured by how often each vertex was
// shaded. Keys change strategy, lanes, queue and view while it runs.
//
// It is the only package that imports a window library. Where there is no display,
// shadeonce render makes the same pictures.
package main

import (
	"cmp"
	"context"
	"errors"

	"fmt"
	"os"
	"runtime"

	"github.com/shadeonce/shadeonce/internal/base/cores"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/calibration"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/viewer/app"
	"github.com/shadeonce/shadeonce/internal/viewer/load"
	"github.com/shadeonce/shadeonce/internal/viewer/panels"
)

func main() {
	// Window functions must be called on the process's first thread, on which main starts.
	runtime.LockOSThread()
	cores.LeaveRoom()
	os.Exit(run(os.Args[1:]))
}

// run executes one command line and returns its exit status. An error is one
// line on standard error.
func run(args []string) int {
	cli.Program = app.ProgramName
	readable := attachConsole()
	cmd := app.NewCommand(view)
	cmd.SetArgs(args)
	err := cmd.Execute()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", cmd.Name(), err)
		if onDesktop, _ := cmd.Flags().GetBool("desktop"); onDesktop || !readable {
			app.ShowError(err)
		}
	}
	return cli.Status(err)
}

// windowTitle returns the window's title. Tests on a display replace it with a longer one.
var windowTitle = app.Title

// view runs the viewer in a window until the window is closed or a signal ends it.
func view(o app.Options) (err error) {
	defer must.Catch(&err)
	shader := must.Get(o.OpenShader())
	s := must.Get(openScreen(o))
	cli.Tell(os.Stderr, calibration.Use(s.backend))
	var calibrate func(plan.Backend) app.Calibration
	if calibration.Wanted(s.backend) {
		calibrate = func(b plan.Backend) app.Calibration { return calibration.NewSession(b, plan.Options{}) }
	}
	var ended error // the error of a signal that ended the viewer
	a, err := app.New(o, shader, app.Surroundings{
		Display: s, Device: s.device, Backend: s.backend, Stdout: os.Stdout, Stderr: os.Stderr,
		NewWatcher: load.NewWatcher, Calibrate: calibrate, ChooseFiles: app.ChooseFiles, NewUI: panels.New, Title: windowTitle,
	})
	if err == nil {
		s.listen(a)
		ended = cli.UntilInterrupted(func(ctx context.Context) error {
			defer context.AfterFunc(ctx, s.Wake)()
			err = a.Run(ctx)
			return nil
		})
		err = cmp.Or(err, a.Close(o, err == nil))
	}
	lost := s.device.Lost()
	if closeErr := s.close(); !lost {
		err = errors.Join(err, closeErr)
	}
	return cmp.Or(err, ended)
}
