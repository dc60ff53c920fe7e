package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/adrg/xdg"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/viewer/layout"
	"github.com/shadeonce/shadeonce/internal/viewer/load"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/renderer"
)

// start are settings that do not depend on the device.
var start = model.Settings{Strategy: "warp", Lanes: 32, Raster: renderer.AutoRaster, Load: renderer.SimpleLoad}

// theDevice is shared by all stages. It has two backends: viewers draws for the viewer; oracle draws the
// expected pictures, and holds the device open. Pipelines are compiled once.
var theDevice struct{ viewers, oracle *gpu.Backend }

// openDevice opens the shared device, under validation unless a soak runs: the validation layer's memory
// grows with each object that it has seen.
func openDevice(t *testing.T) {
	d := &theDevice
	if d.oracle != nil {
		return
	}
	// The goroutines that receive signals must be started outside of any bubble.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGUSR1)
	var err error
	d.oracle, err = gpu.OpenBackend(gpu.BackendOptions{Validation: os.Getenv(soakVariable) == "", Device: os.Getenv("SHADEONCE_DEVICE"), PipelineBytes: 1 << 30})
	require.NoError(t, err)
	d.viewers = model.NewBackend(d.oracle.GPU())
}

// resetViewers sets the viewers' backend up as model.NewBackend does, but keeps its pipelines.
func resetViewers() {
	b := theDevice.viewers
	b.Reset()
	b.Set(plan.Options{KeepOnce: true, Stepwise: b.Info().Software})
}

// closeDevice closes the shared device, and returns the validation layer's messages.
func closeDevice() []string {
	d := &theDevice
	if d.oracle == nil {
		return nil
	}
	d.viewers.Close()
	d.oracle.Close()
	return d.oracle.Messages()
}

// stage is a viewer without a window, in a bubble of testing/synctest: the clock moves only while
// the viewer and all its background work wait. So the viewer is at rest when nothing is due any
// more, and the same events always lead to the same frames.
type stage struct {
	*App
	t         *testing.T
	folder    string // the viewer's current folder
	options   Options
	unnamed   bool // the viewer chooses strategy and raster host
	unchecked bool // pictures are not compared with the state

	sources        map[string]*geometry.Scene // scenes that openScene has opened
	stale          map[string]bool            // files written since openScene opened them
	stdout, stderr bytes.Buffer
	watchers       []*load.Watcher
	title          func(*App) string                     // returns the window's title
	chooses        func(folder string) ([]string, error) // answers Ctrl+O
	opens          func(load.OpenFunc) load.OpenFunc     // replaces how files are opened

	// The state of the window.
	pixels, unitSize image.Point
	density          float32
	woken            chan struct{}
	full             bool        // fills the screen
	divides          bool        // shows the divider's cursor
	named            string      // its title
	clipboard        string      // what was copied last
	presented        int         // number of times the window was redrawn
	shown            *image.RGBA // what the window showed when it was last read: see window
	read             func() (*image.RGBA, error)
}

// StageUI makes the panels of stages. Package panels imports this one, so only the external tests can set it.
var StageUI func(a *App, scale float32, moved map[string]layout.Place) UI

// RunTests runs the tests, and closes the device that stages share. A validation message fails the run.
func RunTests(m *testing.M) int {
	must.OK(os.Unsetenv("GALLIVM_PERF")) // llvmpipe's optimizations pay off for pictures as large as a window: docs/design/testing.md
	code := m.Run()
	if messages := closeDevice(); len(messages) > 0 {
		fmt.Fprintln(os.Stderr, "validation layer, at the end:", messages)
		code = 1
	}
	return code
}

// onStage runs a test on a stage.
func onStage(t *testing.T, test func(t *testing.T, s *stage)) {
	openDevice(t)
	folder := t.TempDir()
	t.Chdir(folder)
	t.Setenv("XDG_STATE_HOME", filepath.Join(folder, "state"))
	xdg.Reload()
	before := len(theDevice.oracle.Messages())
	synctest.Test(t, func(t *testing.T) {
		s := &stage{t: t, folder: folder, title: status, woken: make(chan struct{}, 1)}
		defer func() {
			if s.App != nil { // the test failed
				_ = s.App.Close(s.options, false)
				resetViewers()
			}
		}()
		test(t, s)
		if s.App != nil {
			s.leave("")
		}
	})
	require.Empty(t, theDevice.oracle.Messages()[before:], "validation layer")
}

// words returns command-line arguments for a viewer. Tests that name no strategy or raster host get
// warp and hardware, since auto's choice depends on the device.
func (s *stage) words(args []string) []string {
	for _, flag := range []string{"--strategy=warp", "--raster=hardware"} {
		name, _, _ := strings.Cut(flag, "=")
		if !s.unnamed && !slices.Contains(args, name) && !slices.Contains(args, "--from") {
			args = append([]string{flag}, args...)
		}
	}
	return args
}

// open starts a viewer as its command line does, but without a window.
func (s *stage) open(args ...string) error {
	require.Nil(s.t, s.App, "the last viewer has not ended")
	s.sources, s.stale = map[string]*geometry.Scene{}, map[string]bool{}
	s.stdout.Reset()
	s.stderr.Reset()
	cmd := NewCommand(func(o Options) error {
		shader, err := o.OpenShader()
		if err != nil {
			return err
		}
		s.options = o
		s.density = max(float32(o.Scale), 1)
		s.unitSize = image.Pt(o.Width, o.Height)
		s.pixels, s.shown, s.read, s.presented, s.watchers, s.full = s.unitSize, nil, nil, 0, nil, false
		s.App, err = New(o, shader, Surroundings{
			Display: (*inMemory)(s), Device: theDevice.oracle.GPU(), Backend: theDevice.viewers, Stdout: &s.stdout, Stderr: &s.stderr,
			NewWatcher: s.newWatcher, ChooseFiles: s.chooseFiles, NewUI: StageUI, Title: s.title,
		})
		if err != nil {
			return err
		}
		if s.opens != nil {
			s.loader = load.New(s.opens(cli.OpenPass(false, "")), s.Wake)
		}
		s.begin()
		return nil
	})
	cmd.SetArgs(s.words(args))
	return cmd.Execute()
}

// start starts a viewer and waits for its first picture.
func (s *stage) start(args ...string) {
	s.t.Helper()
	require.NoError(s.t, s.open(args...))
	s.settle()
	require.NotNil(s.t, s.Shown.Left.Plan, "there is a picture; the viewer said: %s", s.stderr.String())
}

// soon is how far ahead settle moves the clock for due work. Messages disappear later.
const soon = time.Second

// settle runs frames until nothing is due soon, and compares the picture with the state.
func (s *stage) settle() {
	s.t.Helper()
	require.NoError(s.t, s.follow()) // the frame loop does this after each event
	for range 10_000 {
		if s.Quit || !s.once(soon) {
			s.requireDrawn()
			return
		}
	}
	s.t.Fatalf("it never comes to rest; title %q", s.named)
}

// once waits for the next thing due within a time, and runs a frame. It returns false if nothing is due.
func (s *stage) once(within time.Duration) bool {
	s.t.Helper()
	due := s.due()
	switch {
	case due == 0:
	case due < 0 || due > within:
		synctest.Wait()
		select {
		case <-s.woken:
		default:
			return false
		}
	default:
		select {
		case <-s.woken:
		case <-time.After(due):
		}
	}
	require.NoError(s.t, s.follow())
	return true
}

// pass lets time pass, and runs the frames that fall due.
func (s *stage) pass(d time.Duration) {
	s.t.Helper()
	require.NoError(s.t, s.follow())
	for end := time.Now().Add(d); time.Now().Before(end) && !s.Quit; {
		if left := time.Until(end); !s.once(left) {
			select {
			case <-s.woken:
				require.NoError(s.t, s.follow())
			case <-time.After(left):
			}
		}
	}
}

// leave ends the viewer by its key, and requires a text on standard error; "" requires that nothing was written.
func (s *stage) leave(says string) {
	s.t.Helper()
	if s.Help {
		s.key("h")
	}
	s.burst("ctrl+q")
	require.True(s.t, s.Quit)
	s.end(says)
}

// end checks standard error and closes a viewer that has quit.
func (s *stage) end(says string) {
	s.t.Helper()
	s.loader.Close()
	require.NoError(s.t, s.App.Close(s.options, true))
	s.App = nil
	resetViewers()
	if says == "" {
		require.Empty(s.t, s.stderr.String(), "standard error")
	}
	require.Contains(s.t, s.stderr.String(), says)
}

// titled requires texts in the viewer's status.
func (s *stage) titled(texts ...string) {
	s.t.Helper()
	for _, text := range texts {
		require.Contains(s.t, s.named, text)
	}
}

// write writes a file, notifies its watchers, and settles.
func (s *stage) write(name, text string) string {
	s.t.Helper()
	path := filepath.Join(s.folder, name)
	require.NoError(s.t, os.WriteFile(path, []byte(text), 0o600))
	s.wrote(path)
	return path
}

// wrote notifies the watchers of a file that was written, and settles.
func (s *stage) wrote(path string) {
	s.t.Helper()
	if s.App == nil {
		return
	}
	for _, w := range s.watchers {
		w.Hear(path)
	}
	s.stale[path] = true
	s.pass(soon)
	s.settle()
}

func (s *stage) newWatcher(wake func()) *load.Watcher {
	s.watchers = append(s.watchers, load.NewDeafWatcher(wake))
	return s.watchers[len(s.watchers)-1]
}

func (s *stage) chooseFiles(_ context.Context, folder string) ([]string, error) {
	if s.chooses == nil {
		return nil, errors.New("no dialog")
	}
	return s.chooses(folder)
}

// saved reads a picture that the viewer has saved.
func (s *stage) saved(name string) image.Image {
	s.t.Helper()
	data := must.Get(os.ReadFile(filepath.Join(s.folder, name)))
	return must.Get(png.Decode(bytes.NewReader(data)))
}

// inMemory is the display of a stage.
type inMemory stage

func (m *inMemory) Size() image.Point  { return m.pixels }
func (m *inMemory) Units() image.Point { return m.unitSize }
func (m *inMemory) Bounds() image.Rectangle {
	return image.Rectangle{Max: m.unitSize}.Add(image.Pt(7, 9))
}
func (m *inMemory) Scale() float32           { return m.density }
func (m *inMemory) Closing() bool            { return false }
func (m *inMemory) Wait(time.Duration)       { panic("stages wait themselves") }
func (m *inMemory) SetTitle(text string)     { m.named = text }
func (m *inMemory) SetFullscreen(on bool)    { m.full = on }
func (m *inMemory) SetDivideCursor(on bool)  { m.divides = on }
func (m *inMemory) Clipboard() string        { return m.clipboard }
func (m *inMemory) SetClipboard(text string) { m.clipboard = text }

func (m *inMemory) Wake() {
	select {
	case m.woken <- struct{}{}:
	default: // a wake-up is pending already
	}
}

// Present keeps a function that reads back what a window would show: see window.
func (m *inMemory) Present(picture *gpu.Image, size image.Point) (bool, error) {
	m.presented++
	m.read = func() (*image.RGBA, error) {
		img, err := theDevice.oracle.GPU().ReadImage(picture)
		if err != nil {
			return nil, err
		}
		shown := image.NewRGBA(image.Rectangle{Max: size})
		for y := range size.Y { // stretched if the window has another size
			for x := range size.X {
				c := img.RGBAAt(x*img.Rect.Dx()/size.X, y*img.Rect.Dy()/size.Y)
				c.A = 255
				shown.SetRGBA(x, y, c)
			}
		}
		return shown, nil
	}
	return true, nil
}

// window returns what the window shows. It is read back only on demand: most frames are never
// looked at, and reading takes longer than drawing.
func (s *stage) window() *image.RGBA {
	s.t.Helper()
	if s.read != nil {
		s.shown, s.read = must.Get(s.read()), nil
	}
	return s.shown
}

// fails runs frames until the viewer ends with an error, and returns the error.
func (s *stage) fails() error {
	s.t.Helper()
	for range 1000 {
		if s.due() != 0 {
			synctest.Wait()
		}
		if err := s.follow(); err != nil {
			require.NoError(s.t, s.App.Close(s.options, false))
			s.App = nil
			resetViewers()
			return err
		}
	}
	s.t.Fatal("the viewer does not fail")
	return nil
}
