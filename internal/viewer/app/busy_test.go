package app

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/viewer/load"
	"github.com/shadeonce/shadeonce/internal/viewer/viewtest"
)

// TestWorkEndsAtOnce: loading stops once its result is no longer wanted.
func TestWorkEndsAtOnce(t *testing.T) {
	woken := make(chan bool, 10)
	files := []string{"a", "slow", "b"}
	a := &App{ui: bare{}, Files: files, loader: load.New(viewtest.Endless, func() { woken <- true })}
	a.Shown.Left.Plan = viewtest.Titled(t, "triangle") // something is shown
	free := func(what string) {
		t.Helper()
		require.NoError(t, a.arrive(t, woken), what)
		require.False(t, a.loader.Busy, what)
		require.Nil(t, a.Next, what)
	}
	a.Skip = 1
	a.stepFiles()
	require.Equal(t, "slow", a.loader.Name)
	for a.loader.Done() != .25 {
		runtime.Gosched()
	}
	a.cancel()
	require.Equal(t, "gave up slow", a.Notices.String())
	require.Zero(t, a.loader.Done())
	free("given up")
	require.Equal(t, "gave up slow", a.Notices.String(), "that is no refusal")

	// Stepping back to the file on the screen opens nothing.
	a.Skip = 1
	a.stepFiles()
	a.Skip = -1
	a.stepFiles()
	require.False(t, a.loader.Waiting())
	free("stepped back")
	require.Zero(t, a.Target)

	// Stepping on to the next file cancels the slow one.
	a.Skip = 1
	a.stepFiles()
	a.Skip = 1
	a.stepFiles()
	require.NoError(t, a.arrive(t, woken))
	require.Equal(t, "b", a.loader.Name)
	require.NoError(t, a.arrive(t, woken))
	require.Equal(t, 2, a.Next.At)

	// The window is closed.
	a.Next = nil
	a.Drop([]string{"slow too"})
	a.loader.Close()
	for ended := false; !ended; _, ended = a.loader.Take() { // until the cancelled work has ended
		runtime.Gosched()
	}
}

// TestOrdersNotWantedAnyMoreAreGivenUp: choosing another order cancels the one being made.
func TestOrdersNotWantedAnyMoreAreGivenUp(t *testing.T) {
	a, woken := viewerOf(t, "sphere6")
	a.IndexOrder = "hoppe"
	a.followOrder()
	require.Equal(t, "hoppe", a.loader.Making)
	a.IndexOrder = "tipsify"
	a.followOrder()
	require.NoError(t, a.arrive(t, woken))
	require.Nil(t, a.Next)
	require.False(t, a.loader.Busy)
	a.followOrder()
	require.Equal(t, "tipsify", a.loader.Making)
	require.NoError(t, a.arrive(t, woken))
	require.NotNil(t, a.orders.Get(a.Shown.Left.Source, "tipsify"))
	require.Empty(t, a.Notices.String())

	// A file that waits for an order to end is loaded all the same.
	a.Next, a.IndexOrder = nil, "hoppe"
	a.followOrder()
	a.Drop([]string{"c"})
	a.IndexOrder = "random"
	a.followOrder()
	require.NoError(t, a.arrive(t, woken))
	require.NoError(t, a.arrive(t, woken))
	require.Equal(t, []string{"c"}, a.Next.Files)
}

// slowProgram puts a renderdoccmd first in PATH that outlasts go test's timeout and starts a second such
// process. It returns a function that lists the numbers of the running processes.
func slowProgram(t *testing.T) (running func() []string) {
	tools, pids := t.TempDir(), filepath.Join(t.TempDir(), "pids")
	script := "#!/bin/sh\nsleep 4000 & echo $$ $! >> " + pids + "\nwait\n"
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

// Slow files are cancelled by key, by another file, and when the viewer ends. The programs that
// convert them are killed and leave no files.
func TestSlowFilesAreGivenUp(t *testing.T) {
	running := slowProgram(t)
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	onStage(t, func(t *testing.T, s *stage) {
		cube, knot := saveAsset(t, s.folder, "cube.obj", "cube"), saveAsset(t, s.folder, "knot4.obj", "knot4")
		slow := s.write("slow.rdc", "RDOC and more")
		nothingLeft := func() {
			t.Helper()
			for len(running()) > 0 { // killed processes take a while to end
				runtime.Gosched()
			}
			left := must.Get(os.ReadDir(temporary))
			for _, e := range left {
				require.False(t, strings.HasPrefix(e.Name(), "shadeonce-"), e.Name())
			}
		}
		// The processes run outside the test's bubble: its clock stands still meanwhile.
		opening := func() {
			t.Helper()
			for len(running()) < 2 {
				require.NoError(t, s.follow())
				runtime.Gosched()
			}
			s.titled("loading slow.rdc")
		}
		s.start("--panels=false", "--remember=false", "--size", "320x240", cube, slow, knot)
		s.titled("cube.obj", "24 invocations")
		shown := s.look()

		s.burst("Right")
		opening()
		s.burst("BackSpace")
		s.settle()
		nothingLeft()
		s.titled("gave up slow.rdc")
		s.same(shown)

		s.burst("Right")
		opening()
		s.burst("Right")
		s.settle()
		s.titled("knot4.obj", "reuse")
		require.NotContains(t, s.named, "loading")
		nothingLeft()

		s.burst("Left")
		opening()
		s.leave("")
		nothingLeft()

		require.NoError(t, s.open("--remember=false", "--size", "320x240", slow))
		opening()
		s.burst("BackSpace")
		s.settle()
		nothingLeft()
		require.NotContains(t, s.named, "loading")
		require.True(t, s.NoticeShown(), "the window tells it")
		s.leave("")
	})
}

// While a slow file opens, the window shows a progress bar over the old picture.
func TestSlowFilesAreShownToBeOpened(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.opens = func(open load.OpenFunc) load.OpenFunc {
			return func(ctx context.Context, path string) (*geometry.Scene, error) {
				if path != "asset:cube" {
					return viewtest.Endless(ctx, path)
				}
				return open(ctx, path)
			}
		}
		s.start("--panels=false", "--remember=false", "--size", "320x240", "asset:cube")
		shown := s.look()
		s.Drop([]string{"slow"})
		s.pass(load.ShowRest / 2)
		require.False(t, s.covered(above(s.window())), "not yet")
		s.pass(load.ShowRest)
		require.True(t, s.covered(above(s.window())), "by the bar")
		presented := s.presented
		s.pass(time.Second)
		require.Greater(t, s.presented, presented+5, "which moves")
		s.keyed("BackSpace", "gave up slow")
		s.same(shown)
	})
}
