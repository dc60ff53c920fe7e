// Package app is the viewer without its window: the user's requests, the frame loop that
// draws them, the files that are opened, and the pictures that are saved.
//
// It knows neither a window library nor Dear ImGui: Display is the interface to the window, UI
// that to the panels.
package app

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"time"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/renderer/shade"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/layout"
	"github.com/shadeonce/shadeonce/internal/viewer/load"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
	"github.com/shadeonce/shadeonce/renderer"
)

const (
	// resizeRest is how long the window must keep its size before the picture is drawn again for
	// it; until then the old picture is stretched.
	resizeRest = 80 * time.Millisecond
	showRest   = 50 * time.Millisecond // the time before the viewer tries again to show a picture
)

// App is the viewer. Only the frame loop accesses it.
type App struct {
	model.State // changed by input
	model.Views // drawn and shown
	Surroundings
	painter *model.Painter

	// Files.
	loader    *load.Loader
	Files     []string     // the keys Left and Right step through them
	At        int          // index of the file on the screen
	Target    int          // index of the file that was requested last
	Next      *load.Loaded // opened, but not yet drawn
	shaded    bool         // whether files are opened with all data that vertex shaders can read
	pass      string       // the shown pass of the captured frame, as the user named it
	askedPass string       // the pass that was requested last
	firstErrs []error      // errors of files before the first picture
	stays     bool         // whether the window stays open, and says why, if there is nothing to show
	Recent    []string     // files that were shown, the latest first
	dialog    progress.Job[dialogAnswer]
	orders    load.Orders
	watcher   *load.Watcher   // nil if changed files are not opened again
	fallback  *model.Settings // used if the remembered settings cannot be drawn; nil after the first picture
	Plain     model.State     // the initial state without remembered settings

	introduces bool              // the first picture comes with a hint
	seen       bool              // the user has seen the hint, in this run or an earlier one
	kept       map[string]string // flags that the user saved for the next start

	// The window.
	ui                  UI
	history             model.History
	overlay             *gpu.Overlay
	Legend, rightLegend Legend
	Log, RightLog       inspect.PassLog
	Strategies          StrategyTable
	calibrator          calibrator
	DrawList            DrawList
	Menu                Menu
	overDivider         bool
	pressed             image.Point // where a button was pressed over the picture
	clickedAt           image.Point // place and time of the last click
	clickedTime         time.Time
	rest                int       // number of frames until the panels' sizes have followed their contents
	Again               bool      // more work may be due at once
	Unshown             bool      // the window does not show the current state yet
	shownAt             time.Time // when the window was last shown
	resizedAt           time.Time
	coarse              coarse
	frameTime           time.Duration // time of drawing and presenting a frame, smoothed
	Notices             Notices
	titleText           string // the window's title

	Shader *ShaderEditor // edits the shader of --vertex-shader FILE; nil if there is none

	// Results of applications.
	maker    results.Maker
	Walked   *results.Result // a step of the walk; nil if no walk is shown
	walkedAt time.Time       // time of the last change of Walked
	flat     results.Flat    // triangles drawn over the pictures
	flatOf   flatKey

	// The file's animation.
	poses   [2]pose   // the two poses made last
	posedAt time.Time // when the animation last advanced; zero while it does not play

	// What is under the cursor.
	Inspector
	Hover     Hover
	Selection Selection
	waiting   *waitingClick // a click that waits for its picker
	Going     GoTo
	Typed     TypedPath

	// --frames and --turntable.
	quota int             // number of frames of --frames
	bench []time.Duration // times of the frames drawn so far
	pace  inspect.Pace
	turn  turntable
}

// Run is the frame loop. It ends when the window is closed or the context ends. Without input
// both it and the device sleep.
func (a *App) Run(ctx context.Context) error {
	defer a.loader.Close()
	a.begin()
	for !a.Quit && ctx.Err() == nil && !a.Closing() {
		a.Wait(a.due())
		if err := a.follow(); err != nil {
			return err
		}
	}
	return nil
}

// begin asks for the first file.
func (a *App) begin() { a.ask(load.Request{Files: a.Files, Order: inOrder(len(a.Files))}) }

// follow takes one step from the shown picture towards the requested state: it continues the drawing, and
// starts work for the events since the last call.
func (a *App) follow() (err error) {
	defer must.Catch(&err)
	a.followUndo()
	a.SetFullscreen(a.Fullscreen)
	a.FlyStep(time.Now())
	size := a.Size()
	visible := size.X > 0 && size.Y > 0
	if a.Drawing == nil {
		must.OK(a.takeLoaded())
	}
	a.stepFiles()
	a.followPass()
	a.followOrder()
	if a.Drawing == nil {
		a.followChanges()
		a.followShader()
		a.followPose(time.Now())
		a.followApp()
	}
	if a.Drawing == nil && visible {
		must.OK(a.followScale())
	}
	a.coarse.follow(a.Camera, time.Now())
	if a.Drawing != nil || visible {
		must.OK(a.draw(size))
	}
	a.followNotices()
	a.followDialog()
	a.followTitle()
	return nil
}

// due returns the time until follow has work without an event: 0 means now, negative never. It
// clears Again, so the caller must call follow next.
func (a *App) due() time.Duration {
	size := a.Size()
	visible := size.X > 0 && size.Y > 0
	if a.Drawing != nil {
		return 0
	}
	again := a.Again || a.rest > 0
	a.Again = false
	if (a.quota > 0 || again) && a.Shown.Left.Plan != nil && visible {
		return 0
	}
	patience := time.Duration(-1)
	due := func(d time.Duration) {
		if d = max(d, time.Millisecond); patience < 0 || d < patience {
			patience = d
		}
	}
	if visible && a.Shown.Left.Plan != nil && a.Fly.Moving() {
		due(model.FlyRest)
	}
	if b := a.Busy(); visible && b.Passed > 0 {
		due(max(busyStep, b.rest-b.Passed))
	}
	for _, wait := range []time.Duration{a.Notices.due(time.Now()), a.walkDue(), a.poseDue(), a.timeDue(), a.hoverDue()} {
		if visible && wait >= 0 {
			due(wait)
		}
	}
	if visible && a.Shown.Left.Plan != nil {
		if a.Unshown {
			due(showRest)
		}
		if a.resized(size) {
			due(max(resizeRest-time.Since(a.resizedAt), a.coarse.rest(time.Now())))
		}
	}
	return patience
}

// draw continues the picture, and shows the window if anything in it has changed.
func (a *App) draw(size image.Point) error {
	if a.quota > 0 && a.Shown.Left.Plan != nil && a.Drawing == nil {
		a.Move(func(c *renderer.Camera) { c.Azimuth = renderer.WrapDegrees(float64(c.Azimuth) + 1) })
	}
	if a.Stop {
		a.Stop = false
		a.cancel()
	}
	drawn, done, submitted, err := a.advance(size)
	switch {
	case err != nil || size.X < 1 || size.Y < 1:
		return err
	case !done:
		return a.showMeanwhile(size, submitted)
	case a.Shown.Left.Plan == nil:
		return a.showBusy(size)
	}
	a.followHover(size)
	a.followSelection()
	a.followStrategies()
	if a.Surveys.Follow(a.surveyed()...) || a.rest > 0 || a.BusyShown() {
		a.Unshown = true
	}
	a.layOut(size)
	a.takeShots(size)
	a.turnStep(size)
	if !drawn && !a.Unshown || a.painter.Left.Color() == nil {
		return nil
	}
	begin := time.Now()
	if err := a.show(size); err != nil || !drawn {
		return err
	}
	whole := a.Shown.Took + time.Since(begin)
	a.coarse.note(a.Shown.Left.Look, size, whole)
	a.frameTime = inspect.Smooth(a.frameTime, whole)
	if a.quota > 0 {
		a.bench = append(a.bench, whole)
		if len(a.bench) == a.quota {
			fmt.Fprintln(a.Stdout, inspect.Benchmark(a.bench, a.pace))
			a.Quit = true
		}
	}
	return nil
}

// Display shows the viewer: a window, or memory in tests. Only a window needs a desktop, so
// everything above this interface runs without one.
type Display interface {
	Size() image.Point       // in pixels; zero while minimised
	Units() image.Point      // in screen units; on dense displays a unit is several pixels
	Bounds() image.Rectangle // in screen units; of a full-screen window, the bounds that it had before
	Scale() float32          // enlargement of text and panels
	Closing() bool

	// Wait handles events. It returns after an event or Wake, or when the time is over. With 0 it
	// returns at once; with a negative time it has no time limit.
	Wait(patience time.Duration)
	Wake() // ends Wait; may be called from any goroutine

	SetTitle(text string)
	SetFullscreen(on bool)
	SetDivideCursor(on bool)
	Clipboard() string
	SetClipboard(text string)
	Present(picture *gpu.Image, size image.Point) (shown bool, err error)
}

// Surroundings are what the viewer takes from the system. Tests provide their own.
type Surroundings struct {
	Display
	Device  *gpu.Device
	Backend *gpu.Backend // for the left side

	Stdout, Stderr io.Writer
	Calibrate      func(plan.Backend) Calibration // begins a calibration of the device; nil if the device is calibrated, or calibration is off
	NewWatcher     func(wake func()) *load.Watcher
	NewUI          func(a *App, scale float32, moved map[string]layout.Place) UI
	Title          func(*App) string // returns the window's title
	ChooseFiles    func(ctx context.Context, folder string) ([]string, error)
}

// New makes a viewer from the command line's options. Call Close when Run has returned.
func New(o Options, shader *shade.Shader, around Surroundings) (*App, error) {
	a := &App{Surroundings: around, Files: o.files, quota: o.Frames}
	_, a.shaded = o.ShaderFlags.Ours()
	a.loader = load.New(cli.OpenPass(a.shaded, ""), around.Wake)
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

// Close ends all work, and saves the settings if `well` says that the viewer ended without an error. It does not
// close the Surroundings.
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
