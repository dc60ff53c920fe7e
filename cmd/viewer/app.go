package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"time"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/internal/loading"
	"github.com/shadeonce/shadeonce/internal/showing"
	"github.com/shadeonce/shadeonce/internal/views"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/gpu"
)

const (
	// resizeRest is how long the window must keep its size before the picture is
	// drawn anew for it; until then the old one is stretched.
	resizeRest = 80 * time.Millisecond
	// titleRest is the time between two titles that differ in timings only.
	titleRest = 250 * time.Millisecond
	// showRest is the time until a picture that could not be shown is tried again.
	showRest = 50 * time.Millisecond
)

// app is the viewer: the frame loop owns all of it.
type app struct {
	state       // what input changes
	views.Views // what is drawn and shown
	surroundings
	painter *views.Painter

	// Files.
	loader    *loading.Loader
	files     []string        // that Left and Right step through
	at        int             // of the scene on the screen
	target    int             // of the scene asked for last
	next      *loading.Loaded // opened, not yet drawn
	firstErrs []error         // files refused before the first picture
	stays     bool            // where there is nothing to show, to say so
	recent    []string        // files that were shown, the last one first
	dialog    *dialog
	orders    loading.Orders
	watcher   *loading.Watcher // nil: files are not opened anew
	fallback  *views.Settings  // where what was remembered cannot be drawn; nil after the first picture
	plain     state            // without what was remembered

	// The window.
	gui                 *gui
	places              places
	history             history
	overlay             *gpu.Overlay
	legend, rightLegend legend
	log, rightLog       inspect.PassLog
	strategies          strategyTable
	drawList            drawList
	overDivider         bool
	pressed             image.Point // where the left button went down over the picture
	clickedAt           image.Point // where it was clicked last, and when
	clickedTime         time.Time
	rest                int       // frames that the panels still need to come to rest
	again               bool      // something may be left to do at once
	unshown             bool      // what the window shows is out of date
	shownAt             time.Time // when the window was shown anew
	resizedAt           time.Time
	frameTime           time.Duration // of drawing and presenting, smoothed
	notices             notices
	noticed             string // the notices that the panel of them has come up with
	titleText           string // of the window
	titleFixed          string // without the timings
	titleAt             time.Time

	shader *shaderEditor // of --vertex-shader FILE; nil without

	// What applications made.
	maker    *showing.Maker
	walked   *showing.Result // a step of the walk; nil where no walk is shown
	walkedAt time.Time       // when it was shown
	flat     showing.Flat    // over the pictures
	flatOf   flatKey

	// What lies under the cursor.
	inspector
	hover     hover
	selection selection
	waiting   *waitingClick // for its picker
	going     goTo

	// --frames and --turntable.
	quota int             // frames of --frames
	bench []time.Duration // of those
	pace  inspect.Pace
	turn  turntable
}

// view runs the viewer in a window until that is closed.
func view(o options) error {
	shader, err := o.openShader()
	if err != nil {
		return err
	}
	s, err := openScreen(o)
	if err != nil {
		return err
	}
	var ended error // by a signal
	a, err := newApp(o, shader, surroundings{
		display: s, device: s.device, backend: s.backend, stdout: os.Stdout, stderr: os.Stderr,
		newWatcher: loading.NewWatcher, chooseFiles: chooseFiles,
	})
	if err == nil {
		s.listen(a)
		ended = cli.UntilInterrupted(func(ctx context.Context) error {
			defer context.AfterFunc(ctx, s.wake)()
			err = a.run(ctx)
			return nil
		})
		if closed := a.close(o, err == nil); err == nil {
			err = closed
		}
	}
	lost := s.device.Lost()
	if closeErr := s.close(); !lost {
		err = errors.Join(err, closeErr)
	}
	return cmp.Or(err, ended)
}

// run is the frame loop, until the window is closed or the context ends. Without input it
// sleeps, and so does the device.
func (a *app) run(ctx context.Context) error {
	defer a.loader.Close()
	a.begin()
	for !a.quit && ctx.Err() == nil && !a.closing() {
		a.wait(a.due())
		if err := a.follow(); err != nil {
			return err
		}
	}
	return nil
}

// begin has the first file opened.
func (a *app) begin() { a.ask(a.files, inOrder(len(a.files))) }

// follow brings what is shown closer to the state: it goes on with the picture, and begins
// what the events since the last call ask for.
func (a *app) follow() error {
	a.followUndo()
	a.setFullscreen(a.fullscreen)
	a.flyStep(time.Now())
	size := a.size()
	visible := size.X > 0 && size.Y > 0
	if a.Drawing == nil {
		if err := a.takeLoaded(); err != nil {
			return err
		}
		a.stepFiles()
		a.followOrder()
		a.followChanges()
		a.followShader()
		a.followApp()
	}
	if a.Drawing == nil && visible {
		if err := a.followScale(); err != nil {
			return err
		}
	}
	if a.Drawing != nil || visible {
		if err := a.draw(size); err != nil {
			return err
		}
	}
	a.followNotices()
	a.followDialog()
	a.followTitle()
	return nil
}

// due returns the time until follow has something to do without an event: 0 for at once,
// negative for never. It takes note of what was left to do at once, so follow has to come next.
func (a *app) due() time.Duration {
	size := a.size()
	visible := size.X > 0 && size.Y > 0
	if a.Drawing != nil {
		return 0
	}
	again := a.again || a.rest > 0
	a.again = false
	if (a.quota > 0 || again) && a.Shown.Left.Plan != nil && visible {
		return 0
	}
	patience := time.Duration(-1)
	due := func(d time.Duration) {
		if d = max(d, time.Millisecond); patience < 0 || d < patience {
			patience = d
		}
	}
	if a.titleText != windowTitle(a.figures()) {
		due(titleRest - time.Since(a.titleAt))
	}
	if visible && a.Shown.Left.Plan != nil && a.fly.on && len(a.fly.moving()) > 0 {
		due(flyRest)
	}
	if _, busyFor, _ := a.busy(); visible && busyFor > 0 {
		due(max(busyStep, loading.ShowRest-busyFor))
	}
	if wait := a.notices.due(time.Now()); visible && wait >= 0 {
		due(wait)
	}
	if wait := a.walkDue(); visible && wait >= 0 {
		due(wait)
	}
	if wait := a.timeDue(); visible && wait >= 0 {
		due(wait)
	}
	if visible && a.Shown.Left.Plan != nil {
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
	return patience
}

// draw goes on with the picture, and shows the window if anything in it has changed.
func (a *app) draw(size image.Point) error {
	if a.quota > 0 && a.Shown.Left.Plan != nil && a.Drawing == nil {
		a.Move(func(c *renderer.Camera) { c.Azimuth = renderer.WrapDegrees(float64(c.Azimuth) + 1) })
	}
	if a.stop {
		a.stop = false
		a.cancel()
	}
	drawn, done, submitted, err := a.advance(size)
	if err != nil || size.X < 1 || size.Y < 1 {
		return err
	}
	if !done {
		return a.showMeanwhile(size, submitted)
	}
	if a.Shown.Left.Plan == nil {
		return a.showBusy(size)
	}
	a.followHover(size)
	a.followSelection()
	a.followStrategies()
	if a.surveys.Follow(a.surveyed()...) || a.rest > 0 || a.busyShown() {
		a.unshown = true
	}
	if err := a.layOut(size); err != nil {
		return err
	}
	if err := a.takeShots(size); err != nil {
		return err
	}
	if err := a.turnStep(size); err != nil {
		return err
	}
	if !drawn && !a.unshown || a.painter.Left.Color() == nil {
		return nil
	}
	begin := time.Now()
	if err := a.show(size); err != nil || !drawn {
		return err
	}
	whole := a.Shown.Took + time.Since(begin)
	a.frameTime = inspect.Smooth(a.frameTime, whole)
	if a.quota > 0 {
		a.bench = append(a.bench, whole)
		if len(a.bench) == a.quota {
			fmt.Fprintln(a.stdout, inspect.Benchmark(a.bench, a.pace))
			a.quit = true
		}
	}
	return nil
}
