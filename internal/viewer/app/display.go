package app

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"time"

	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/renderer/present"
	"github.com/shadeonce/shadeonce/internal/renderer/shade"
	"github.com/shadeonce/shadeonce/internal/viewer/layout"
	"github.com/shadeonce/shadeonce/internal/viewer/load"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
)

// Display shows the viewer: a window, or memory in tests. Only a window needs a desktop, so
// everything above this interface runs without one.
type Display interface {
	Size() image.Point       // in pixels; zero while minimised
	Units() image.Point      // in screen units; on dense displays a unit is several pixels
	Bounds() image.Rectangle // in screen units; for a full-screen window the bounds before
	Scale() float32          // enlargement of text and panels
	Closing() bool

	// Wait handles events until something has happened or the time has passed. With 0 it returns
	// at once; with a negative time it waits until there is an event.
	Wait(patience time.Duration)
	Wake() // ends wait; may be called from any goroutine

	SetTitle(text string)
	SetFullscreen(on bool)
	SetDivideCursor(on bool)
	SetClipboard(text string)
	Present(picture *gpu.Image, size image.Point, overlays []present.Overlay) (shown bool, err error)
}

// Surroundings are what the viewer takes from the system. Tests provide their own.
type Surroundings struct {
	Display
	Device  *gpu.Device
	Backend *gpu.Backend // for the left side

	Stdout, Stderr io.Writer
	Calibrate      func(plan.Backend) Calibration // begins a calibration of the device; nil if there is one, or none is kept
	NewWatcher     func(wake func()) *load.Watcher
	NewUI          func(a *App, scale float32, moved map[string]layout.Place) UI
	Title          func(*App) string // the window's
	ChooseFiles    func(ctx context.Context, folder string) ([]string, error)
}

// New makes a viewer from the command line's options. Call Close when Run has returned.
func New(o Options, shader *shade.Shader, around Surroundings) (*App, error) {
	open := cli.OpenScene
	if _, foreign := o.ShaderFlags.Ours(); foreign {
		open = cli.OpenShaded
	}
	a := &App{Surroundings: around, Files: o.files, quota: o.Frames, loader: load.New(open, around.Wake)}
	a.painter = &model.Painter{
		Left: a.Backend, Open: func() model.Canvas { return model.NewBackend(a.Device) }, Device: a.Device, Stepwise: a.Device.Info.Type == gpu.TypeCPU, Quit: &a.Quit,
	}
	a.calibrator.begin = a.Calibrate
	a.Inspector, a.turn = newInspector(a.Wake), turntable{frames: o.turntable}
	if o.Subdivide.Levels > 0 {
		a.loader.Finish = o.Subdivide.Subdivide
	}
	a.Shader = newShaderEditor(o.ShaderFlags, shader, a.Wake)
	a.stays, a.Recent, a.introduces, a.seen, a.kept = o.desktop, o.recent, o.introduces, o.seen, o.kept
	a.dialog = progress.NewJob[dialogAnswer](a.Wake)
	a.maker = results.NewMaker(a.Wake, a.keeper)
	a.State, a.Plain, a.DrawList.Start = o.State, o.State, o.Listed
	a.MeshShaders = a.Device.Info.Features.MeshShader
	if o.plain != nil {
		a.Plain, a.fallback = *o.plain, &o.plain.Want
	}
	a.ui = a.NewUI(a, a.Scale(), o.panelPlaces)
	if o.watch {
		a.watcher = a.NewWatcher(a.Wake)
		a.Shader.watch(a.NewWatcher, a.Wake)
	}
	var err error
	if a.overlay, err = a.Device.NewOverlay(a.ui.Font()); err != nil {
		return nil, errors.Join(err, a.Close(o, false))
	}
	return a, nil
}

// Close ends all work, and saves the settings if the viewer ended well. It does not close the
// surroundings.
func (a *App) Close(o Options, well bool) error {
	a.Quit = true
	err := a.painter.Finish(a.Drawing)
	if well && err == nil && o.remember {
		m := a.memory()
		if err := m.keep(memoryPath()); err != nil {
			a.say(fmt.Errorf("settings are not remembered: %w", err))
		}
	}
	a.watcher.Close()
	a.Shader.close()
	a.dialog.GiveUp()
	a.painter.DropRight()
	a.painter.DropSpare()
	a.endCalibration()
	a.overlay.Close()
	a.ui.Close()
	return err
}
