package main

import (
	"bufio"
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/calibration"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/viewer/app"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
)

// desktop is a display without a screen (Xvfb), and a viewer on it. Tests use the viewer as a user
// would: they press keys, move the pointer, and look at what it shows.
type desktop struct {
	t       *testing.T
	display string
	folder  string // the viewer's current folder

	cmd    *exec.Cmd
	ended  chan error
	stderr *words
	window string // X's id of the viewer's window

	more []string // additional environment variables
}

// words collects a running program's output.
type words struct {
	lock sync.Mutex
	text bytes.Buffer
}

func (w *words) Write(p []byte) (int, error) {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.text.Write(p)
}

func (w *words) String() string {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.text.String()
}

// runVariable makes the test binary run as the viewer, so that tests on a display need not link another program.
const runVariable = "SHADEONCE_TEST_RUN"

// TestMain runs the viewer if runVariable is set.
func TestMain(m *testing.M) {
	switch os.Getenv(runVariable) {
	case "1":
		windowTitle = longTitle
		main()
	case "plain": // with the title that users see
		main()
	}
	os.Exit(m.Run())
}

// longTitle is the title with the settings and messages, for tests.
func longTitle(a *app.App) string {
	if a.Shown.Left.Plan == nil {
		return app.Title(a)
	}
	frame := &a.Shown.Left.Plan.Frame
	return fmt.Sprintf("%s | %s, %s view [%s]", frame.Scene.Name, frame.Reuse.Strategy.Name, frame.View, a.Notices)
}

// newDesktop starts a display. A tool that is missing is a failure, never a skip:
// `make test` installs them.
func newDesktop(t *testing.T) *desktop {
	for tool, pkg := range map[string]string{"Xvfb": "xvfb", "xdotool": "xdotool"} {
		_, err := exec.LookPath(tool)
		require.NoError(t, err, "the viewer is tested on a display of its own: `make test` installs what that needs (Debian, Ubuntu: %s)", pkg)
	}
	d := &desktop{t: t, folder: t.TempDir()}
	r, w := must.Get2(os.Pipe())
	// Without -noreset the server restarts when its last client leaves, and refuses connections
	// meanwhile.
	server := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1200x1024x24", "-nolisten", "tcp", "-noreset")
	server.ExtraFiles = []*os.File{w} // the server writes the display's number to file descriptor 3
	require.NoError(t, server.Start())
	w.Close()
	t.Cleanup(func() {
		// It is not killed, since its socket and lock file would stay and block the next server.
		_ = server.Process.Signal(os.Interrupt)
		_ = server.Wait()
	})
	number, err := bufio.NewReader(r).ReadString('\n')
	require.NoError(t, err, "Xvfb named no display")
	d.display = ":" + strings.TrimSpace(number)
	d.until("the display answers", func() bool {
		ask := exec.Command("xdotool", "getdisplaygeometry")
		ask.Env = d.environment()
		return ask.Run() == nil
	})
	return d
}

// environment is the environment of the viewer and the tools. It has the user's cache of compiled
// shaders, so that only the first run compiles them.
func (d *desktop) environment() []string {
	env := append(os.Environ(), runVariable+"=1", "DISPLAY="+d.display, "SHADEONCE_VALIDATION=1", calibration.Variable+"="+calibration.Off, "XDG_STATE_HOME="+filepath.Join(d.folder, "state"))
	return append(env, d.more...)
}

// viewer returns the command that runs the viewer on the display. It names a strategy and a raster host,
// since auto's choice depends on the device.
func (d *desktop) viewer(args ...string) *exec.Cmd {
	program := must.Get(os.Executable())
	cmd := exec.Command(program, append([]string{"--strategy=warp", "--raster=hardware"}, args...)...)
	cmd.Dir, cmd.Env = d.folder, d.environment()
	return cmd
}

// start opens the viewer and waits for its first picture.
func (d *desktop) start(args ...string) {
	d.open(args...)
	d.titled(" view [") // there is a picture
	d.focus()
}

// open opens the viewer and waits for its window.
func (d *desktop) open(args ...string) {
	d.cmd = d.viewer(args...)
	d.stderr = &words{}
	d.cmd.Stderr = d.stderr
	require.NoError(d.t, d.cmd.Start())
	d.ended = make(chan error, 1)
	go func() { d.ended <- d.cmd.Wait() }()
	d.t.Cleanup(func() { _ = d.cmd.Process.Kill() })
	d.until("the window is there", func() bool {
		out, err := d.tool("xdotool", "search", "--onlyvisible", "--pid", strconv.Itoa(d.cmd.Process.Pid))
		d.window = strings.TrimSpace(string(out))
		return err == nil && d.window != ""
	})
}

// focus gives the window the keyboard focus, as there is no window manager.
func (d *desktop) focus() { d.do("windowfocus", "--sync", d.window) }

// end waits for the viewer to exit, and requires that it printed nothing.
func (d *desktop) end() {
	require.NoError(d.t, <-d.ended, "the viewer's last words: %s", d.stderr.String())
	require.Empty(d.t, d.stderr.String(), "standard error")
}

func (d *desktop) tool(name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = d.environment()
	return cmd.Output()
}

// do runs xdotool.
func (d *desktop) do(args ...string) {
	d.t.Helper()
	out, err := d.tool("xdotool", args...)
	require.NoError(d.t, err, "xdotool %v: %s; the viewer said: %s", args, out, d.stderr.String())
}

func (d *desktop) key(names ...string) {
	d.t.Helper()
	for _, name := range names {
		d.do("key", name)
	}
}

func (d *desktop) title() string {
	out, _ := d.tool("xdotool", "getwindowname", d.window)
	return strings.TrimSpace(string(out))
}

// until waits for a condition while the viewer runs. Shortly before go test's timeout, the test
// fails and says what it waited for.
func (d *desktop) until(what string, holds func() bool) {
	d.t.Helper()
	end, ends := d.t.Deadline()
	for ; !holds(); time.Sleep(20 * time.Millisecond) {
		if ends && time.Until(end) < 10*time.Second {
			d.t.Fatalf("still waiting until %s: %s", what, d.stderr.String())
		}
		select {
		case err := <-d.ended:
			d.t.Fatalf("waiting until %s: the viewer ended (%v): %s", what, err, d.stderr.String())
		default:
		}
	}
}

// titled waits for a title with all the texts.
func (d *desktop) titled(texts ...string) {
	d.t.Helper()
	d.until(fmt.Sprintf("the title has %q", texts), func() bool {
		title := d.title()
		for _, text := range texts {
			if !strings.Contains(title, text) {
				return false
			}
		}
		return true
	})
}

// picture saves a screenshot with the viewer, and reads it.
func (d *desktop) picture(name string) *image.RGBA {
	d.t.Helper()
	d.key("F12")
	d.titled("saved " + name)
	data := must.Get(os.ReadFile(filepath.Join(d.folder, name)))
	img := must.Get(png.Decode(bytes.NewReader(data)))
	return img.(*image.RGBA)
}

// afterWarp is the strategy that the key S chooses after warp.
var afterWarp = model.ByFlag("strategy").Turned(model.Settings{Strategy: "warp"}, 1).Strategy

// The list of the first setting in the panels, and its first entry, in pixels.
const firstX, firstY, entryY = 200, 515, 515 + 27

// The tests below cover only what needs a real window. Everything else is tested on a stage.

func TestAWindowOpensTakesInputAndEnds(t *testing.T) {
	d := newDesktop(t)
	d.start("--size", "800x800", "asset:cube")
	for _, part := range []string{"--class", "--classname"} { // the desktop entry names this class
		out := must.Get(d.tool("xdotool", "search", "--onlyvisible", part, "^"+app.ProgramName+"$"))
		require.Equal(t, d.window, strings.TrimSpace(string(out)))
	}
	d.titled("cube | warp, counts")
	d.key("s")
	d.titled("cube | " + afterWarp)
	d.key("shift+v") // with a modifier
	d.titled("normals")
	// The list of the first setting, and its first entry.
	d.until("a click chooses a strategy", func() bool {
		d.do("mousemove", "--window", d.window, strconv.Itoa(firstX), strconv.Itoa(firstY), "click", "1",
			"mousemove", "--window", d.window, strconv.Itoa(firstX-50), strconv.Itoa(entryY), "click", "1")
		return strings.Contains(d.title(), "cube | "+reuse.Names()[0]+",")
	})
	d.do("mousemove", "--window", d.window, "790", "790")
	d.key("ctrl+q")
	d.end()

	d.more = []string{runVariable + "=plain"}
	d.open("--remember=false", "--panels=false", "--size", "320x240", "asset:cube")
	d.titled("cube: warp 32, reuse 0.3333 - shadeonce")
	d.focus()
	d.key("ctrl+q")
	d.end()
}

func TestAWindowIsResized(t *testing.T) {
	d := newDesktop(t)
	d.start("--panels=false", "--remember=false", "--size", "320x240", "asset:cube")
	const name = "cube-warp-32lanes-indexed-counts"
	require.Equal(t, image.Pt(320, 240), d.picture(name+".png").Rect.Size())
	d.do("windowsize", "--sync", d.window, "200", "300")
	for n := 2; ; n++ { // until the size has arrived
		d.key("Escape")
		img := d.picture(fmt.Sprintf("%s-%d.png", name, n))
		if img.Rect.Size() == image.Pt(200, 300) {
			require.NotEqual(t, img.RGBAAt(2, 2), img.RGBAAt(100, 100), "the scene is drawn")
			break
		}
		require.Equal(t, image.Pt(320, 240), img.Rect.Size())
	}
	d.do("windowunmap", "--sync", d.window)
	d.do("windowmap", "--sync", d.window)
	d.focus()
	d.key("s")
	d.titled("| " + afterWarp + ", ")
	d.key("ctrl+q")
	d.end()
}

// Text and panels follow the display's density (Xft.dpi), or --scale.
func TestPanelsFollowTheDisplaysDensity(t *testing.T) {
	d := newDesktop(t)
	conn := d.connect()
	root := xproto.Setup(conn).DefaultScreen(conn).Root
	pictures := 0
	look := func(args ...string) *image.RGBA {
		d.start(append([]string{"--remember=false", "asset:cube"}, args...)...)
		name := "cube-warp-32lanes-indexed-counts"
		if pictures++; pictures > 1 {
			name += fmt.Sprintf("-%d", pictures)
		}
		img := d.picture(name + ".png")
		d.key("ctrl+q")
		d.end()
		return img
	}
	// The panel's title ends at this height, at a scale of 1.5.
	const x, within, below = 40, 49, 58
	enlarged := look("--size", "900x600", "--scale", "1.5")
	require.Equal(t, image.Pt(1200, 720), look().Rect.Size(), "no window is wider than the monitor")
	value := []byte("Xft.dpi:\t144\n")
	require.NoError(t, xproto.ChangePropertyChecked(conn, xproto.PropModeReplace, root, xproto.AtomResourceManager, xproto.AtomString, 8, uint32(len(value)), value).Check())
	// A window of the standard size grows with its text, as far as the monitor allows.
	dense := look()
	require.Equal(t, image.Pt(1200, 1024), dense.Rect.Size())
	for _, img := range []*image.RGBA{enlarged, dense} {
		require.Equal(t, img.RGBAAt(x, 20), img.RGBAAt(x, within))
		require.NotEqual(t, img.RGBAAt(x, 20), img.RGBAAt(x, below))
	}
}

// A viewer ended by a signal also saves its settings. Its notes about a vertex shader begin with its name.
func TestSignalsEndTheViewer(t *testing.T) {
	d := newDesktop(t)
	d.start("--panels=false", "--size", "200x100", "--vertex-shader", must.Get(filepath.Abs("../../examples/vertex-shaders/wind.vert")), "asset:cube")
	require.Regexp(t, `^shadeonce-viewer: .*wind.vert: 5 members without a value`, d.stderr.String())
	d.key("m", "shift+v")
	d.titled("normals")
	require.NoError(t, d.cmd.Process.Signal(syscall.SIGTERM))
	var exit *exec.ExitError
	require.ErrorAs(t, <-d.ended, &exit)
	require.Equal(t, 128+int(syscall.SIGTERM), exit.ExitCode())
	kept := must.Get(os.ReadFile(filepath.Join(d.folder, "state", "shadeonce", "viewer.json")))
	require.Regexp(t, `"palette": "colorblind"`, string(kept))
}

func TestViewerFailsInOneLine(t *testing.T) {
	d := newDesktop(t)
	garbage := filepath.Join(d.folder, "garbage.ply")
	require.NoError(t, os.WriteFile(garbage, []byte("ply\nnot a header\n"), 0o600))
	for name, c := range map[string]struct {
		display string
		args    []string
		status  int
		says    []string
	}{
		"no display":        {"", nil, cli.ExitFailure, []string{"no display", "shadeonce render"}},
		"display not there": {":9999", nil, cli.ExitFailure, []string{"no display", "shadeonce render"}},
		"no driver":         {d.display, nil, cli.ExitFailure, []string{"mesa-vulkan-drivers", "shadeonce doctor", "shadeonce render"}},
		"no such file":      {"", []string{"absent.ply"}, cli.ExitFailure, []string{"absent.ply: no such file"}},
		"bad file":          {d.display, []string{garbage}, cli.ExitFailure, []string{"garbage.ply"}},
		"bad files":         {d.display, []string{garbage, "absent.ply"}, cli.ExitFailure, []string{"garbage.ply", "absent.ply"}},
		"no such scene":     {"", []string{"asset:nothing"}, cli.ExitUsage, []string{"unknown asset"}},
		"bad device":        {d.display, []string{"--device", "no such device"}, cli.ExitFailure, []string{"no such device"}},
		"bad flag":          {d.display, []string{"--lanes", "5"}, cli.ExitUsage, []string{"5 lanes"}},
	} {
		t.Run(name, func(t *testing.T) {
			var stderr bytes.Buffer
			cmd := d.viewer(c.args...)
			cmd.Env, cmd.Stderr = append(cmd.Env, "DISPLAY="+c.display), &stderr
			if name == "no driver" {
				cmd.Env = append(cmd.Env, "VK_ICD_FILENAMES="+garbage, "VK_DRIVER_FILES="+garbage)
			}
			err := cmd.Run()
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit, stderr.String())
			require.Equal(t, c.status, exit.ExitCode(), stderr.String())
			require.Equal(t, 1, strings.Count(stderr.String(), "\n"), stderr.String())
			for _, text := range c.says {
				require.Contains(t, stderr.String(), text)
			}
		})
	}
}
