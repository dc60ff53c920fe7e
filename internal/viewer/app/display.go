package app

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"time"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/layout"
	"github.com/shadeonce/shadeonce/internal/viewer/load"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
	"github.com/shadeonce/shadeonce/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer/present"
	"github.com/shadeonce/shadeonce/renderer/shade"
)

// Display is where the viewer is seen: a window, or memory in tests. Only a window needs a
// desktop, so everything above this interface runs without one.
type Display interface {
	Size() image.Point       // in pixels; zero while minimised
	Units() image.Point      // in screen units, which on dense displays are larger than pixels
	Bounds() image.Rectangle // in screen units, or where it was before it filled the screen
	Scale() float32          // enlargement of text and panels
	Closing() bool

	// wait handles events until something has happened or the time is over. It returns at
	// once for 0, and waits for an event alone for negative times.
	Wait(patience time.Duration)
	Wake() // ends wait; may be called from any goroutine

	SetTitle(text string)
	SetFullscreen(on bool)
	SetDivideCursor(on bool)
	Present(picture *gpu.Image, size image.Point, overlays []present.Overlay) (shown bool, err error)
}

// Surroundings are what the viewer takes from the system. Tests hand in others.
type Surroundings struct {
	Display
	Device  *gpu.Device
	Backend *gpu.Backend // for the left side

	Stdout, Stderr io.Writer
	NewWatcher     func(wake func()) *load.Watcher
	NewUI          func(a *App, scale float32, moved map[string]layout.Place) UI
	Title          func(inspect.Figures) string // the window's
	ChooseFiles    func(ctx context.Context, folder string) ([]string, error)
}

// New makes a viewer of what the command line says. Close it when run has returned.
func New(o Options, shader *shade.Shader, around Surroundings) (*App, error) {
	open := cli.OpenScene
	if _, foreign := o.ShaderFlags.Ours(); foreign {
		open = cli.OpenShaded
	}
	a := &App{Surroundings: around, Files: o.files, quota: o.Frames, loader: load.New(open, around.Wake)}
	a.painter = &model.Painter{
		Left: a.Backend, Open: func() model.Canvas { return model.NewBackend(a.Device) }, Device: a.Device, Stepwise: a.Device.Info.Type == gpu.TypeCPU, Quit: &a.Quit,
	}
	a.Inspector, a.turn = newInspector(a.Wake), turntable{frames: o.turntable}
	if o.Subdivide.Levels > 0 {
		a.loader.Finish = o.Subdivide.Subdivide
	}
	a.Shader = newShaderEditor(o.ShaderFlags, shader, a.Wake)
	a.stays, a.Recent, a.introduces, a.seen, a.kept = o.desktop, o.recent, o.introduces, o.seen, o.kept
	a.dialog = newDialog(a.Wake, a.ChooseFiles)
	a.maker = results.NewMaker(a.Wake, a.keeper)
	a.State, a.Plain, a.DrawList.Start = o.State, o.State, o.Listed
	if o.plain != nil {
		a.Plain, a.fallback = *o.plain, &o.plain.Want
	}
	a.ui = a.NewUI(a, a.Scale(), o.panelPlaces)
	if o.watch {
		a.watcher = a.NewWatcher(a.Wake)
		a.Shader.watch(a.NewWatcher)
	}
	var err error
	if a.overlay, err = a.Device.NewOverlay(a.ui.Font()); err != nil {
		return nil, errors.Join(err, a.Close(o, false))
	}
	return a, nil
}

// Close ends what is under way, and remembers the settings of a viewer that ended well. The
// surroundings stay as they are.
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
	a.dialog.close()
	a.painter.DropRight()
	a.painter.DropSpare()
	a.overlay.Close()
	a.ui.Close()
	return err
}
