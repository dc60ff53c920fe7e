package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"time"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/loading"
	"github.com/shadeonce/shadeonce/internal/showing"
	"github.com/shadeonce/shadeonce/internal/vertexshader"
	"github.com/shadeonce/shadeonce/internal/views"
	"github.com/shadeonce/shadeonce/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer/present"
)

// display is where the viewer is seen: a window, or memory in tests. Only a window needs a
// desktop, so everything above this interface runs without one.
type display interface {
	size() image.Point      // in pixels; zero while minimised
	units() image.Point     // in screen units, which on dense displays are larger than pixels
	frame() image.Rectangle // in screen units, or where it was before it filled the screen
	scale() float32         // enlargement of text and panels
	closing() bool

	// wait handles events until something has happened or the time is over. It returns at
	// once for 0, and waits for an event alone for negative times.
	wait(patience time.Duration)
	wake() // ends wait; may be called from any goroutine

	setTitle(text string)
	setFullscreen(on bool)
	setDivideCursor(on bool)
	present(picture *gpu.Image, size image.Point, overlays []present.Overlay) (shown bool, err error)
}

// surroundings are what the viewer takes from the system. Tests hand in others.
type surroundings struct {
	display
	device  *gpu.Device
	backend *gpu.Backend // for the left side

	stdout, stderr io.Writer
	newWatcher     func(wake func()) *loading.Watcher
	chooseFiles    func(ctx context.Context, folder string) ([]string, error)
}

// newApp makes a viewer of what the command line says. Close it when run has returned.
func newApp(o options, shader *vertexshader.Shader, around surroundings) (*app, error) {
	open := cli.OpenScene
	if _, foreign := o.shader.Ours(); foreign {
		open = cli.OpenShaded
	}
	a := &app{surroundings: around, files: o.files, quota: o.frames, loader: loading.New(open, around.wake)}
	a.painter = &views.Painter{
		Left: a.backend, Open: func() views.Canvas { return views.NewBackend(a.device) }, Device: a.device, Stepwise: a.backend.Stepwise, Quit: &a.quit,
	}
	a.inspector, a.turn = newInspector(a.wake), turntable{frames: o.turntable}
	if o.apps.subdivide.Levels > 0 {
		a.loader.Finish = o.apps.subdivide.Subdivide
	}
	a.shader = newShaderEditor(o.shader, shader, a.wake)
	a.stays, a.recent = o.desktop, o.recent
	a.dialog = newDialog(a.wake, a.chooseFiles)
	a.maker = showing.NewMaker(a.wake, a.keeper)
	a.state, a.fallback, a.drawList.start = o.state(), o.fallback, o.draws
	if a.plain = a.state; o.plain != nil {
		a.plain = o.plain.state()
	}
	a.gui = newGUI(a.scale())
	a.places.wishes, a.places.standard = o.panelPlaces, a.standardPlace
	if o.watch {
		a.watcher = a.newWatcher(a.wake)
		a.shader.watch(a.newWatcher)
	}
	var err error
	if a.overlay, err = a.device.NewOverlay(a.gui.font); err != nil {
		return nil, errors.Join(err, a.close(o, false))
	}
	return a, nil
}

// close ends what is under way, and remembers the settings of a viewer that ended well. The
// surroundings stay as they are.
func (a *app) close(o options, well bool) error {
	a.quit = true
	err := a.painter.Finish(a.Drawing)
	if well && err == nil && o.remember {
		m := a.memory()
		if err := m.keep(memoryPath()); err != nil {
			a.say(fmt.Errorf("settings are not remembered: %w", err))
		}
	}
	a.watcher.Close()
	a.shader.close()
	a.dialog.close()
	a.painter.DropRight()
	a.painter.DropSpare()
	a.overlay.Close()
	a.gui.close()
	return err
}
