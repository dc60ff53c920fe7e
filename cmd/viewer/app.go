package main

import (
	"errors"
	"fmt"
	"image"
	"os"
	"time"

	"github.com/go-gl/glfw/v3.3/glfw"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

const (
	// resizeRest is how long the window must keep its size before the picture is
	// drawn anew for it; until then the old one is stretched.
	resizeRest = 80 * time.Millisecond
	// promptRedraw is how long the device may have taken for a picture to be drawn
	// once more before it is shown, and patientRedraw for it to be drawn once more.
	promptRedraw  = 250 * time.Millisecond
	patientRedraw = 5 * time.Second
	// titleRest is the time between two titles that differ in timings only.
	titleRest = 250 * time.Millisecond
	// showRest is the time until a picture that could not be shown is tried again.
	showRest = 50 * time.Millisecond
)

// app is the viewer. The frame loop owns all of it but the loader's inner side.
type app struct {
	state
	screen *screen
	loader *loader

	files     []string // that Left and Right step through
	at        int      // of the scene on the screen
	target    int      // of the scene asked for last
	next      *loaded  // opened, not yet drawn
	firstErrs []error  // files refused before the first picture

	source *geometry.Scene // of the scene, in its file's order
	orders orderCache      // of the source
	whole  *geometry.Scene // that the scene is, or is one draw of

	shownAlone int // state.alone of the picture
	singles    []single

	side // what the window shows; the left side of a comparison

	right       side            // of a comparison
	rightSource *geometry.Scene // whose scene it shows
	rightLegend *image.RGBA
	diff        difference

	gui      *gui
	overlay  *gpu.Overlay
	log      passTimesLog
	drawList drawList
	watcher  *watcher // nil: files are not opened anew

	inspector
	hover     hover
	selection selection
	waiting   *waitingClick // for its picker
	sought    selection     // that becomes the selection once its batch is found

	overDivider  bool
	divideCursor *glfw.Cursor
	pressed      image.Point // where the left button went down over the picture

	drawing   *drawing        // under way
	drew      bool            // the last one drew for a new camera
	drawn     renderer.Camera // of what is drawn, or was drawn last
	fresh     bool            // pictures have been drawn that the window does not show
	seen      renderer.Camera // of what the window shows
	legendDue bool            // the legends are not of what was drawn
	shownAt   time.Time       // when the window was shown anew
	pace      pace            // of --frames

	rest  int  // frames that the panels still need to come to rest
	again bool // the state changed after the picture was drawn

	unshown   bool // what the window shows is out of date
	resizedAt time.Time
	stuck     image.Point // a size that nothing could be drawn at
	legend    *image.RGBA
	helpPanel *image.RGBA
	helpText  string // of helpPanel

	frameTime  time.Duration // of Exec and Present, smoothed
	notice     string
	titleText  string // of the window
	titleFixed string // without the timings
	titleAt    time.Time

	fallback *settings // where what was remembered cannot be drawn; nil after the first picture

	bench []time.Duration // of the frames of --frames
	quota int             // frames of --frames
	turn  turntable
}

// view runs the viewer until its window is closed.
func view(o options) error {
	s, err := openScreen(o)
	if err != nil {
		return err
	}
	a := &app{screen: s, files: o.files, quota: o.frames, loader: newLoader(openScene, s.wake)}
	a.backend = s.backend
	a.inspector, a.turn = newInspector(s.wake), turntable{frames: o.turntable}
	a.state, a.fallback, a.drawList.start = o.state(), o.fallback, o.draws
	a.gui = newGUI(s.scale())
	defer func() { a.gui.close() }()
	if o.watch {
		a.watcher = newWatcher(s.wake)
		defer a.watcher.close()
	}
	if a.overlay, err = s.device.NewOverlay(a.gui.font()); err == nil {
		a.listen()
		err = a.run()
		if ended := a.endDrawing(); err == nil {
			err = ended
		}
	}
	if err == nil && o.remember {
		m := a.memory()
		if err := m.keep(memoryPath()); err != nil {
			a.say(fmt.Errorf("settings are not remembered: %w", err))
		}
	}
	lost := s.device.Lost()
	a.dropRight()
	a.overlay.Close()
	if closeErr := s.close(); !lost {
		err = errors.Join(err, closeErr)
	}
	return err
}

// run is the frame loop. Without input it sleeps, and so does the device.
func (a *app) run() error {
	defer a.loader.close()
	defer clearOnSignals(a.loader.close)()
	a.ask(a.files, inOrder(len(a.files)))
	for !a.quit && !a.screen.window.ShouldClose() {
		a.wait()
		a.flyStep(time.Now())
		size := a.screen.size()
		visible := size.X > 0 && size.Y > 0
		if a.drawing == nil {
			if err := a.takeLoaded(); err != nil {
				return err
			}
			a.stepFiles()
			a.followOrder()
			a.followChanges()
		}
		if a.drawing == nil && visible {
			if err := a.followScale(); err != nil {
				return err
			}
		}
		if a.drawing != nil || visible {
			if err := a.frame(size); err != nil {
				return err
			}
		}
		a.setTitle()
	}
	return nil
}

// wait sleeps until there is an event, or something is due.
func (a *app) wait() {
	size := a.screen.size()
	visible := size.X > 0 && size.Y > 0
	if a.drawing != nil {
		glfw.PollEvents()
		return
	}
	again := a.again || a.rest > 0
	a.again = false
	if (a.quota > 0 || again) && a.plan != nil && visible {
		glfw.PollEvents()
		return
	}
	patience := time.Duration(-1)
	due := func(d time.Duration) {
		if d = max(d, time.Millisecond); patience < 0 || d < patience {
			patience = d
		}
	}
	if a.titleText != title(a.figures()) {
		due(titleRest - time.Since(a.titleAt))
	}
	if visible && a.plan != nil && a.fly.on && len(a.fly.moving()) > 0 {
		due(flyRest)
	}
	if visible && a.loader.busyFor() > 0 {
		due(max(busyStep, busyRest-a.loader.busyFor()))
	}
	if visible && a.plan != nil {
		if a.unshown {
			due(showRest)
		}
		if wait := a.hoverDue(); wait >= 0 {
			due(wait)
		}
		if a.resized(size) {
			due(resizeRest - time.Since(a.resizedAt))
		}
	}
	if patience < 0 {
		glfw.WaitEvents()
		return
	}
	glfw.WaitEventsTimeout(patience.Seconds())
}

// frame brings the picture up to date, and the window up to the picture.
func (a *app) frame(size image.Point) error {
	if a.quota > 0 && a.plan != nil && a.drawing == nil {
		a.move(func(c *renderer.Camera) { c.Azimuth = wrapDegrees(float64(c.Azimuth) + 1) })
	}
	if a.stop {
		a.stop = false
		a.cancel()
	}
	done, submitted, err := a.advance(size)
	if err != nil || size.X < 1 || size.Y < 1 {
		return err
	}
	if !done {
		return a.showMeanwhile(size, submitted)
	}
	drawn := a.drew
	if a.plan == nil {
		return a.showBusy(size)
	}
	a.followHover(size)
	if a.surveys.Follow(a.surveyed()...) || a.rest > 0 || a.busyShown() {
		a.unshown = true
	}
	if err := a.takeShots(size); err != nil {
		return err
	}
	if err := a.turnStep(size); err != nil {
		return err
	}
	if !drawn && !a.unshown || a.backend.Color() == nil {
		return nil
	}
	begin := time.Now()
	if err := a.show(size); err != nil || !drawn {
		return err
	}
	whole := a.execTime + time.Since(begin)
	a.frameTime = smooth(a.frameTime, whole)
	if a.quota > 0 {
		a.bench = append(a.bench, whole)
		if len(a.bench) == a.quota {
			fmt.Println(benchmark(a.bench, a.pace))
			a.quit = true
		}
	}
	return nil
}

func (a *app) figures() figures {
	f := figures{plan: a.plan, order: a.shownOrder, stats: a.stats, timings: a.timings, frame: a.frameTime, notice: a.notice}
	if r := a.shownRight(); r != nil {
		f.against = "against " + r.name() + " in " + r.shownOrder + " order"
		if a.diff.plan != nil {
			f.against = "difference " + f.against
		}
	}
	if a.loader.busy {
		f.loading, f.making = a.loader.name, a.loader.making
	}
	return f
}

// setTitle writes the title where it has changed: at once when something new is
// shown, now and then while only timings change.
func (a *app) setTitle() {
	f := a.figures()
	text := title(f)
	if text == a.titleText {
		return
	}
	f.timings, f.frame = nil, 0
	fixed := title(f)
	if fixed == a.titleFixed && time.Since(a.titleAt) < titleRest {
		return
	}
	a.screen.window.SetTitle(text)
	a.titleText, a.titleFixed, a.titleAt = text, fixed, time.Now()
}

// say puts an error before the user: on standard error and in the title, there
// with what else went wrong since the last key.
func (a *app) say(err error) {
	fmt.Fprintf(os.Stderr, "viewer: %s\n", oneLine(err.Error()))
	if a.notice != "" {
		a.notice += "; "
	}
	a.notice += err.Error()
}

func planSize(p *plan.Plan) image.Point { return image.Pt(p.Frame.Width, p.Frame.Height) }
