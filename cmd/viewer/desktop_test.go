package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// desktop is a display without a screen (Xvfb), and a viewer on it that is
// driven as a user would: by keys and pointer, looking at the screen.
type desktop struct {
	t       *testing.T
	display string
	folder  string // that the viewer runs in

	cmd    *exec.Cmd
	ended  chan error
	stderr *words
	window string // X's id of the viewer's window

	more    []string // of the environment
	unnamed bool     // the viewer is left to choose what the test does not name
}

// words is what a program says while it runs.
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

// patience guards every wait against a hang. No verdict depends on it: a machine
// that is busy with other work may be a hundred times slower than an idle one.
const patience = 10 * time.Minute

// runVariable makes the test binary be the viewer, so that nothing need be linked
// for the tests on a display.
const runVariable = "SHADEONCE_TEST_RUN"

func TestMain(m *testing.M) {
	switch os.Getenv(runVariable) {
	case "1":
		windowTitle = status
		main()
	case "plain": // with the title that users see
		main()
	}
	os.Exit(m.Run())
}

// newDesktop starts a display. A tool that is missing is a failure, never a skip:
// `make test` installs them.
func newDesktop(t *testing.T) *desktop {
	for tool, pkg := range map[string]string{"Xvfb": "xvfb", "xdotool": "xdotool", "xwd": "x11-apps"} {
		_, err := exec.LookPath(tool)
		require.NoError(t, err, "the viewer is tested on a display of its own: `make test` installs what that needs (Debian, Ubuntu: %s)", pkg)
	}
	d := &desktop{t: t, folder: t.TempDir()}
	r, w, err := os.Pipe()
	require.NoError(t, err)
	// Without -noreset it starts anew when its last client leaves, and refuses who comes then.
	server := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1280x1024x24", "-nolisten", "tcp", "-noreset")
	server.ExtraFiles = []*os.File{w} // becomes 3: it writes the display's number there
	require.NoError(t, server.Start())
	w.Close()
	t.Cleanup(func() {
		// Not killed: its socket and lock would stay, in the way of the next one.
		_ = server.Process.Signal(os.Interrupt)
		late := time.AfterFunc(patience, func() { _ = server.Process.Kill() })
		_ = server.Wait()
		late.Stop()
	})
	require.NoError(t, r.SetReadDeadline(time.Now().Add(patience)))
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

// environment is that of the viewer and the tools. The cache of compiled shaders is
// the user's, so that only the first run ever compiles them.
func (d *desktop) environment() []string {
	env := append(os.Environ(), runVariable+"=1", "DISPLAY="+d.display, "SHADEONCE_VALIDATION=1", "XDG_STATE_HOME="+filepath.Join(d.folder, "state"))
	return append(env, d.more...)
}

// viewer is the viewer as a process on the display. A test that names no strategy or raster
// host has warp and hardware: what auto picks depends on the device.
func (d *desktop) viewer(args ...string) *exec.Cmd {
	for _, flag := range []string{"--strategy=warp", "--raster=hardware"} {
		name, _, _ := strings.Cut(flag, "=")
		if !d.unnamed && !slices.Contains(args, name) && !slices.Contains(args, "--from") {
			args = append([]string{flag}, args...)
		}
	}
	program, err := os.Executable()
	require.NoError(d.t, err)
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = d.folder, d.environment()
	return cmd
}

// start opens the viewer and waits for its first picture.
func (d *desktop) start(args ...string) {
	d.open(args...)
	d.until("there is a picture", func() bool {
		return strings.Contains(d.title(), "invocations") || strings.Contains(d.title(), "shadings")
	})
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

// step runs a part of a test under its own name, and gives up the whole where it
// fails: what follows stands on it.
func (d *desktop) step(name string, part func()) {
	whole := d.t
	defer func() { d.t = whole }()
	if !whole.Run(name, func(t *testing.T) { d.t = t; part() }) {
		whole.FailNow()
	}
}

// focus gives the window the keys; there is no window manager to do it.
func (d *desktop) focus() { d.do("windowfocus", "--sync", d.window) }

// end waits for the viewer to exit and requires that it did so without a word.
func (d *desktop) end() {
	select {
	case err := <-d.ended:
		require.NoError(d.t, err, "the viewer's last words: %s", d.stderr.String())
		require.Empty(d.t, d.stderr.String(), "standard error")
	case <-time.After(patience):
		d.t.Fatalf("the viewer does not end; title %q", d.title())
	}
}

func (d *desktop) tool(name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = d.environment()
	return cmd.Output()
}

// do has xdotool do something.
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

// until waits for a condition.
func (d *desktop) until(what string, holds func() bool) {
	d.t.Helper()
	for begin := time.Now(); time.Since(begin) < patience; time.Sleep(20 * time.Millisecond) {
		if holds() {
			return
		}
		select {
		case err := <-d.ended:
			d.t.Fatalf("waiting until %s: the viewer ended (%v): %s", what, err, d.stderr.String())
		default:
		}
	}
	d.t.Fatalf("waited %v in vain until %s; title %q", patience, what, d.title())
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

// screen reads the window's pixels back.
func (d *desktop) screen() *image.RGBA {
	d.t.Helper()
	out, err := d.tool("xwd", "-silent", "-id", d.window)
	require.NoError(d.t, err)
	img, err := decodeXWD(out)
	require.NoError(d.t, err)
	return img
}

// resting reports whether no thread of the viewer wants a processor: while one does,
// what the window shows may be about to change, however long that takes. Threads are read
// one after another, and the one that was read may wake up the next: only if none ran
// between two readings did all sleep at once.
func (d *desktop) resting() bool {
	before, asleep := d.switches()
	if !asleep {
		return false
	}
	after, asleep := d.switches()
	return asleep && maps.Equal(before, after)
}

// switches are how often each thread of the viewer was put on a processor or taken off it;
// asleep reports whether each was found asleep.
func (d *desktop) switches() (counts map[string]string, asleep bool) {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", d.cmd.Process.Pid))
	require.NoError(d.t, err)
	counts = map[string]string{}
	for _, task := range tasks {
		data, err := os.ReadFile(task)
		if err != nil {
			continue // it has ended
		}
		if !bytes.Contains(data, []byte("\nState:\tS")) {
			return nil, false
		}
		at := bytes.Index(data, []byte("\nvoluntary_ctxt_switches:"))
		require.Positive(d.t, at, "%s counts switches", task)
		counts[task] = string(data[at:])
	}
	return counts, true
}

// settled reads the window until two readings in a row are equal and wanted, with the
// viewer at rest before and between.
func (d *desktop) settled(what string, wanted func(*image.RGBA) bool) *image.RGBA {
	d.t.Helper()
	last, rested := d.screen(), false
	d.until(what, func() bool {
		before, restedBefore := last, rested
		rested = d.resting()
		last = d.screen()
		return restedBefore && rested && bytes.Equal(before.Pix, last.Pix) && wanted(last)
	})
	return last
}

// idles waits for a second in which the viewer takes no more than three clock ticks of
// processor time. The first may not be one: the last title may still be due.
func (d *desktop) idles() {
	d.t.Helper()
	d.until("the viewer rests without input", func() bool {
		before := d.ticks()
		time.Sleep(time.Second)
		return d.ticks()-before <= 3
	})
}

// decodeXWD reads what xwd writes of windows with 32 bits per pixel (XWDFile.h):
// 25 big-endian words, the window's name, a colour map, the rows.
func decodeXWD(data []byte) (*image.RGBA, error) {
	const words = 25
	var h [words]uint32
	if len(data) < 4*words {
		return nil, errors.New("xwd: shorter than its header")
	}
	for i := range h {
		h[i] = binary.BigEndian.Uint32(data[4*i:])
	}
	headerBytes, width, height, bigEndian := int(h[0]), int(h[4]), int(h[5]), h[7] == 1
	bits, stride, colors := h[11], int(h[12]), int(h[19])
	if bits != 32 || h[14] != 0xff0000 || h[15] != 0xff00 || h[16] != 0xff {
		return nil, fmt.Errorf("xwd: %d bits per pixel, masks %x", bits, h[14:17])
	}
	start := headerBytes + 12*colors
	if stride < 4*width || len(data) < start+stride*height {
		return nil, errors.New("xwd: shorter than its picture")
	}
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		row := data[start+y*stride:]
		for x := range width {
			p, q := row[4*x:4*x+4], img.Pix[img.PixOffset(x, y):]
			if bigEndian {
				q[0], q[1], q[2], q[3] = p[1], p[2], p[3], 255
			} else {
				q[0], q[1], q[2], q[3] = p[2], p[1], p[0], 255
			}
		}
	}
	return img, nil
}

// ticks is the processor time that the viewer has used, in clock ticks; Mesa's
// CPU driver draws in the same process.
func (d *desktop) ticks() int {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", d.cmd.Process.Pid))
	require.NoError(d.t, err)
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	user, err := strconv.Atoi(fields[11])
	require.NoError(d.t, err)
	system, err := strconv.Atoi(fields[12])
	require.NoError(d.t, err)
	return user + system
}
