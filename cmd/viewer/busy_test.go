package main

import (
	"context"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/loading"
	"github.com/shadeonce/shadeonce/internal/progress"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// endless opens files whose names begin with "slow" until nobody wants them.
func endless(ctx context.Context, path string) (*geometry.Scene, error) {
	if strings.HasPrefix(path, "slow") {
		progress.Tell(ctx, .25)
		<-ctx.Done()
		return nil, &format.Error{File: path, Cause: "not opened", Err: context.Cause(ctx)}
	}
	return openTest(ctx, path)
}

// TestWorkEndsAtOnce: what is loaded or ordered, and not wanted any more.
func TestWorkEndsAtOnce(t *testing.T) {
	woken := make(chan bool, 10)
	files := []string{"a", "slow", "b"}
	a := &app{files: files, loader: loading.New(endless, func() { woken <- true })}
	a.Shown.Left.Plan = testPlan(t, "triangle") // something is shown
	free := func(what string) {
		t.Helper()
		require.NoError(t, a.arrive(t, woken), what)
		require.False(t, a.loader.Busy, what)
		require.Nil(t, a.next, what)
	}
	a.skip = 1
	a.stepFiles()
	require.Equal(t, "slow", a.loader.Name)
	require.Eventually(t, func() bool { return a.loader.Done() == .25 }, patience, time.Millisecond)
	a.cancel()
	require.Equal(t, "gave up slow", a.notices.String())
	require.Zero(t, a.loader.Done())
	free("given up")
	require.Equal(t, "gave up slow", a.notices.String(), "that is no refusal")

	// Back to what is on the screen: nothing is opened.
	a.skip = 1
	a.stepFiles()
	a.skip = -1
	a.stepFiles()
	require.False(t, a.loader.Waiting())
	free("stepped back")
	require.Zero(t, a.target)

	// On to the next.
	a.skip = 1
	a.stepFiles()
	a.skip = 1
	a.stepFiles()
	require.NoError(t, a.arrive(t, woken))
	require.Equal(t, "b", a.loader.Name)
	require.NoError(t, a.arrive(t, woken))
	require.Equal(t, 2, a.next.At)

	// The window is closed.
	a.next = nil
	a.drop([]string{"slow too"})
	a.loader.Close()
	require.Eventually(t, func() bool {
		_, ended := a.loader.Take()
		return ended
	}, patience, time.Millisecond, "the work has ended")
}

// TestOrdersNotWantedAnyMoreAreGivenUp: O is pressed again before one is made.
func TestOrdersNotWantedAnyMoreAreGivenUp(t *testing.T) {
	a, woken := viewerOf(t, "sphere6")
	a.IndexOrder = "hoppe"
	a.followOrder()
	require.Equal(t, "hoppe", a.loader.Making)
	a.IndexOrder = "tipsify"
	a.followOrder()
	require.NoError(t, a.arrive(t, woken))
	require.Nil(t, a.next)
	require.False(t, a.loader.Busy)
	a.followOrder()
	require.Equal(t, "tipsify", a.loader.Making)
	require.NoError(t, a.arrive(t, woken))
	require.NotNil(t, a.orders.Get(a.Shown.Left.Source, "tipsify"))
	require.Empty(t, a.notices.String())

	// A file that waits for an order to end still comes.
	a.next, a.IndexOrder = nil, "hoppe"
	a.followOrder()
	a.drop([]string{"c"})
	a.IndexOrder = "random"
	a.followOrder()
	require.NoError(t, a.arrive(t, woken))
	require.NoError(t, a.arrive(t, woken))
	require.Equal(t, []string{"c"}, a.next.Files)
}

// slowProgram puts a renderdoccmd in front of all others that never ends and starts
// another that does not, either. What it returns are their numbers.
func slowProgram(t *testing.T) (running func() []string) {
	tools, pids := t.TempDir(), filepath.Join(t.TempDir(), "pids")
	script := "#!/bin/sh\nsleep 600 & echo $$ $! >> " + pids + "\nwait\n"
	require.NoError(t, os.WriteFile(filepath.Join(tools, "renderdoccmd"), []byte(script), 0o700))
	t.Setenv("PATH", tools+string(os.PathListSeparator)+os.Getenv("PATH"))
	return func() (list []string) {
		text, _ := os.ReadFile(pids)
		for _, pid := range strings.Fields(string(text)) {
			if stat, err := os.ReadFile("/proc/" + pid + "/stat"); err == nil && !strings.Contains(string(stat), ") Z ") {
				list = append(list, pid)
			}
		}
		return list
	}
}

// TestSlowFilesAreGivenUp in the window: by key, for another file, and by closing it.
func TestSlowFilesAreGivenUp(t *testing.T) {
	d := newDesktop(t)
	running := slowProgram(t)
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	save := func(name string) string {
		scene, err := assets.Make(name)
		require.NoError(t, err)
		file := filepath.Join(d.folder, name+".obj")
		require.NoError(t, format.Save(t.Context(), file, scene))
		return file
	}
	slow := filepath.Join(d.folder, "slow.rdc")
	require.NoError(t, os.WriteFile(slow, []byte("RDOC and more"), 0o600))
	nothingLeft := func(begin time.Time, what string) {
		t.Helper()
		d.until("nothing is left: "+what, func() bool { return len(running()) == 0 })
		t.Logf("%s: within %d ms", what, time.Since(begin).Milliseconds())
		d.until("no temporary files", func() bool {
			left, err := os.ReadDir(temporary)
			return err == nil && !slices.ContainsFunc(left, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), "shadeonce-") })
		})
	}
	opening := func() {
		t.Helper()
		d.titled("loading slow.rdc")
		d.until("it is converted", func() bool { return len(running()) == 2 })
	}
	d.start("--panels=false", "--remember=false", "--size", "640x480", save("cube"), slow, save("knot4"))
	d.titled("cube.obj", "24 invocations")
	shown := d.settled("the cube is shown", func(img *image.RGBA) bool { return colorful(img) > changed })

	d.step("key", func() {
		d.key("Right")
		opening()
		d.until("the bar is shown over the old picture", func() bool { return differing(shown, d.screen()) > 0 })
		begin := time.Now()
		d.key("BackSpace")
		nothingLeft(begin, "Backspace")
		d.titled("gave up slow.rdc")
		d.same("giving up", shown)
	})
	d.step("another file", func() {
		d.key("Right")
		opening()
		begin := time.Now()
		d.key("Right")
		d.titled("knot4.obj", "reuse")
		d.until("it is loaded no more", func() bool { return !strings.Contains(d.title(), "loading") })
		nothingLeft(begin, "another file")
	})
	d.step("closed", func() {
		d.key("Left")
		opening()
		begin := time.Now()
		d.do("keydown", "q", "keyup", "q")
		d.end()
		nothingLeft(begin, "closed")
	})
	d.step("ended", func() {
		d.open("--remember=false", slow)
		opening()
		begin := time.Now()
		require.NoError(t, d.cmd.Process.Signal(syscall.SIGTERM))
		select {
		case err := <-d.ended:
			var exit *exec.ExitError
			require.ErrorAs(d.t, err, &exit)
			require.Equal(d.t, 128+int(syscall.SIGTERM), exit.ExitCode())
		case <-time.After(patience):
			d.t.Fatal("the viewer does not end")
		}
		nothingLeft(begin, "ended")
	})
	d.step("the first file", func() {
		d.open("--remember=false", "--size", "640x480", slow)
		d.focus()
		opening()
		time.Sleep(2 * loading.ShowRest) // the bar is shown
		begin := time.Now()
		d.key("BackSpace")
		nothingLeft(begin, "the first file")
		d.until("the title tells it no more", func() bool { return !strings.Contains(d.title(), "loading") })
		d.settled("the window tells it", func(img *image.RGBA) bool { return differing(img, image.NewRGBA(img.Rect)) > 0 })
		d.do("keydown", "q", "keyup", "q")
		d.end()
	})
}

func testPlan(t *testing.T, name string) *plan.Plan {
	config, err := reuse.Resolve("warp", 16, 0)
	require.NoError(t, err)
	return &plan.Plan{Frame: renderer.Frame{Scene: &geometry.Scene{Name: name}, Reuse: config, View: renderer.Shaded}}
}
