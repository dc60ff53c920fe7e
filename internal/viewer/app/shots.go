package app

import (
	"cmp"
	"fmt"
	"image"
	"image/draw"
	"strings"
	"time"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/renderer/shade"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
	"github.com/shadeonce/shadeonce/renderer"
)

// takeShots starts writing the next requested screenshot into the current folder. A picture that cannot
// be written does not end the viewer.
func (a *App) takeShots(size image.Point) {
	if len(a.Shots) == 0 {
		return
	}
	if w, err := a.asked(size); err == nil {
		if _, more := a.Job(w); more { // wait for the requested picture: the shown one may have fewer pixels
			a.Again = true
			return
		}
	}
	shot := a.Shots[0]
	a.Shots = a.Shots[1:]
	a.Drawing = a.painter.BeginTask("saving a picture", func() error {
		path, failed, err := a.savePicture(size, "", shot.Legend)
		if failed != nil {
			a.say(fmt.Errorf("screenshot: %w", failed))
		} else if err == nil {
			a.saved(path, "")
		}
		return err
	})
}

// savePicture writes the window's contents to a file in the current folder, with a text and a stamp that say how they
// were made. failed says why the file could not be written, err why the picture could not be drawn.
func (a *App) savePicture(size image.Point, suffix string, overlay bool) (path string, failed, err error) {
	side := a.Sides()[0]
	text := inspect.Describe(&side.Plan.Frame, a.Shown.Left.Order, side.Stats.Invocations)
	if r := a.appShown(); r != nil {
		text += "; " + strings.Join(r.Words(side.ShowsCounts()), "; ")
	}
	name, stamp := a.pictureName()+suffix+".png", a.stamp()
	img, err := a.picture(size, overlay)
	if err != nil {
		return "", nil, err
	}
	a.painter.Aside(func() {
		var data []byte
		if data, failed = picture.Encode(img, "shadeonce viewer", text, stamp); failed == nil {
			path, failed = picture.SaveNew(".", name, data)
		}
	})
	return path, failed, nil
}

// pictureName returns the file name for the picture on the screen.
func (a *App) pictureName() string {
	name := inspect.PictureName(&a.Shown.Left.Plan.Frame, a.Shown.Left.Order)
	if a.Shown.Left.Alone > 0 {
		name += fmt.Sprintf("-draw%d", a.Shown.Left.Alone-1)
	}
	if r := a.appShown(); r != nil {
		name += "-" + r.Choice.InName()
	}
	if r := &a.Shown.Right; r.Plan != nil && a.Shown.Compare == model.CompareBefore {
		name += "-before-after"
	} else if r.Plan != nil {
		name += "-" + map[bool]string{true: "difference", false: "against"}[a.Shown.Difference.Plan != nil]
		name += "-" + r.Settings.Strategy
		if r.Plan.Frame.Reuse.Strategy.UsesLanes {
			name += fmt.Sprintf("-%dlanes", r.Settings.Lanes)
		}
		if r.Order != a.Shown.Left.Order {
			name += "-" + inspect.OrderInName(r.Order)
		}
	}
	return name
}

// picture reads back the window's contents, with legends and panels only if overlay is set. A
// transparent picture has no panels.
func (a *App) picture(size image.Point, overlay bool) (image.Image, error) {
	var img draw.Image
	var err error
	if a.Transparent && !a.covered() {
		img, err = a.cutOut()
	} else {
		img, err = a.opaque(size, overlay)
	}
	if err == nil && overlay {
		for _, o := range a.Overlays(img.Bounds().Size()) { // the legends, at their places in the window
			draw.Draw(img, o.Place(), o.Panel, o.Panel.Bounds().Min, draw.Src)
		}
	}
	return img, err
}

func (a *App) opaque(size image.Point, overlay bool) (_ *image.RGBA, err error) {
	defer must.Catch(&err)
	if !a.Split() && !(overlay && a.Panels) && len(a.flat.Runs) == 0 {
		return must.Get(a.shownBackendExec(renderer.WantColor)).Color, nil
	}
	mesh := Mesh(gpu.OverlayMesh{}, &a.flat)
	if overlay {
		said := a.Notices
		a.Notices = nil // notices are not part of the picture
		a.guiFrame()    // panels with the current contents
		a.Notices = said
		mesh = a.ui.Mesh()
	}
	// The loop must not compose the window meanwhile, since the window uses the same overlay.
	idle := a.Device.Idle
	a.Device.Idle = nil
	defer func() { a.Device.Idle = idle }()
	must.Get(a.overlay.Compose(size, a.parts(size), nil, mesh))
	return a.overlay.Read()
}

// shownBackendExec draws the left side's picture again, or the picture of differences if that is shown, and reads it back.
func (a *App) shownBackendExec(want renderer.Want) (*renderer.Output, error) {
	left := &a.Shown.Left
	return a.painter.Left.Exec(cmp.Or(a.Shown.Difference.Plan, left.Plan), left.Camera, want)
}

// cutOut returns the picture with a transparent background.
func (a *App) cutOut() (_ *image.NRGBA, err error) {
	defer must.Catch(&err)
	out := must.Get(a.shownBackendExec(renderer.WantColor | renderer.WantDepth))
	img := image.NewNRGBA(out.Color.Rect)
	picture.CutOut(img, out.Color, out.Depth, img.Rect)
	if !a.Split() {
		return img, nil
	}
	right := must.Get(a.painter.Right.Exec(a.Shown.Right.Plan, a.Shown.Right.Camera, renderer.WantColor|renderer.WantDepth))
	part := img.Rect
	part.Min.X = a.DividerX(part.Dx())
	picture.CutOut(img, right.Color, right.Depth, part)
	return img, nil
}

// stamp returns the stamp of the picture on the screen.
func (a *App) stamp() picture.Stamp {
	s, left := a.State, &a.Shown.Left
	s.Want, s.IndexOrder, s.Alone, s.Pass, s.View = left.Settings, left.Order, left.Alone, a.pass, cli.CameraText(left.Camera)
	if r := a.appShown(); r != nil {
		s.Doing = r.Choice
	}
	if s.Want.Shader == shade.Captured {
		s.ShaderFlags.Name = cli.Captured
	} else if a.ShownShader() == nil {
		s.ShaderFlags = cli.ShaderFlags{}
	}
	flags, units := s.Flags(model.Pictures), a.Units()
	flags["size"] = fmt.Sprintf("%dx%d", units.X, units.Y)
	return picture.Stamp{Version: picture.StampVersion, Files: a.Files[a.At : a.At+1], Flags: flags}
}

const maxTurntable = 3600 // the limit of --turntable: a picture for every tenth of a degree

// turntable turns the camera once around the scene, and saves a picture at each step.
type turntable struct {
	frames int // 0 if there is no turntable
	done   int // number of saved pictures; equals frames if the turntable is not running
	begun  bool
	from   float32 // first azimuth
	since  time.Time
}

func (t *turntable) words() string {
	return fmt.Sprintf("the turntable after %d of %d pictures", t.done, t.frames)
}

// turnStep does one step of the turntable: once the picture is drawn, it starts saving the picture without
// overlay, and then turns the camera. After the last picture it quits the viewer.
func (a *App) turnStep(size image.Point) {
	t := &a.turn
	if t.done == t.frames || a.Drawing != nil || a.pending(size) {
		return
	}
	if !t.begun {
		t.begun, t.from, t.since = true, a.Camera.Azimuth, time.Now()
	}
	a.Drawing = a.painter.BeginTask(t.words(), func() error {
		path, failed, err := a.savePicture(size, fmt.Sprintf("-turn%04d", t.done+1), false)
		if failed != nil {
			return fmt.Errorf("turntable: %w", failed)
		}
		if err != nil {
			return err
		}
		fmt.Fprintln(a.Stdout, path)
		if t.frames > 0 { // unless the turntable was cancelled meanwhile
			t.done++
			a.Quit = t.done == t.frames
			a.Move(func(c *renderer.Camera) {
				c.Azimuth = renderer.WrapDegrees(float64(t.from) + 360*float64(t.done)/float64(t.frames))
			})
		}
		return nil
	})
}

// pending reports whether the window does not yet show what is requested. For example, an order or the
// other side of a comparison may still be missing.
func (a *App) pending(size image.Point) bool {
	w, err := a.asked(size)
	_, some := a.Job(w)
	walks := a.Doing.App == results.Walk && (a.Walked == nil || !a.Walked.Choice.Same(a.Doing))
	return err != nil || some || a.loader.Busy || a.maker.Busy || w.Waits || walks || a.IndexOrder != a.Shown.Left.Order || a.Compare != a.Shown.Compare
}
