package load

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/internal/viewer/viewtest"
)

func TestTheFirstFileThatOpensIsShown(t *testing.T) {
	t.Parallel()
	files := []string{"bad1", "a", "bad2", "b"}
	l := loadFirst(t.Context(), Request{Files: files, Order: []int{2, 3, 0, 1}}, viewtest.Open)
	require.NotNil(t, l.Scene)
	require.Equal(t, 3, l.At)
	require.Equal(t, l.Scene.Bounds(), l.Box)
	require.Equal(t, []int{0, 1}, l.Rest)
	require.Len(t, l.Refused, 1)
	require.EqualError(t, l.Refused[0], "bad2: no good")
	require.EqualError(t, Naming("a", errors.New("opening a")), "opening a", "once")

	l = loadFirst(t.Context(), Request{Files: files, Order: []int{0, 2}}, viewtest.Open)
	require.Nil(t, l.Scene)
	require.Len(t, l.Refused, 2)

	released := 0
	backed := func(context.Context, string) (*geometry.Scene, error) {
		s, err := assets.Make("triangle")
		s.Backing = geometry.NewBacking(func() { released++ }, nil)
		return s, err
	}
	l = loadFirst(t.Context(), Request{Files: files, Order: []int{0}, IndexOrder: "nonsense", Again: true}, backed)
	require.Equal(t, []any{true, 1}, []any{l.Again, released}, "what cannot be ordered is given back")
	l = loadFirst(t.Context(), Request{Files: files, Order: []int{0}, Again: true}, backed)
	require.Equal(t, []any{true, 1}, []any{l.Again, released})
}

func TestStepsGoAroundTheFiles(t *testing.T) {
	t.Parallel()
	require.Equal(t, []int{1, 2}, Steps(0, 1, 3))
	require.Equal(t, []int{2, 1}, Steps(0, -1, 3))
	require.Equal(t, []int{1, 2}, Steps(0, 4, 3))
	require.Equal(t, []int{2, 0}, Steps(1, 1, 3))
	require.Equal(t, []int{0, 1}, Steps(2, -2, 3))
	require.Empty(t, Steps(0, 1, 1))
	require.Empty(t, Steps(0, 0, 3))
	require.Empty(t, Steps(0, 1, 0))
}

// wait returns the loader's next result. These tests run in bubbles, whose clock stands still during a load, so a
// loader wakes the loop for being slow only if the test sleeps.
func wait(t *testing.T, woken chan bool, l *Loader) Loaded {
	t.Helper()
	<-woken
	result, ok := l.Take()
	require.True(t, ok)
	return result
}

func TestLaterRequestsOvertake(t *testing.T) { synctest.Test(t, laterRequestsOvertake) }

func laterRequestsOvertake(t *testing.T) {
	entered, gate, woken := make(chan bool, 20), make(chan bool), make(chan bool, 10)
	l := New(func(_ context.Context, path string) (*geometry.Scene, error) {
		entered <- true
		<-gate
		return viewtest.Open(context.Background(), path)
	}, func() { woken <- true })
	_, ok := l.Take()
	require.False(t, ok)

	l.Load(Request{Files: []string{"bad", "dir/first"}, Order: []int{0, 1}})
	require.True(t, l.Busy)
	require.Equal(t, "bad", l.Name)
	<-entered
	l.Load(Request{Files: []string{"second"}, Order: []int{0}})
	l.Load(Request{Files: []string{"dir/third"}, Order: []int{0}})
	close(gate)
	result := wait(t, woken, l)
	require.True(t, result.Overtaken)
	require.Nil(t, result.Scene)
	require.Len(t, result.Refused, 1, "refusals are told all the same")
	require.Equal(t, "third", l.Name)
	result = wait(t, woken, l)
	require.Equal(t, []string{"dir/third"}, result.Files)
	require.NotNil(t, result.Scene)
	require.False(t, l.Busy)

	// An order of the shown scene can be overtaken too. This does not count as a refusal, and the scene is not released.
	shown := viewtest.Scene(t, "triangle")
	shown.Backing = geometry.NewBacking(func() { t.Error("it is still shown") }, nil)
	late := false
	l.Finish = func(ctx context.Context, s *geometry.Scene) (*geometry.Scene, error) {
		if s == shown {
			if <-ctx.Done(); !late {
				return nil, context.Cause(ctx)
			}
		}
		return s, nil
	}
	for i := range 4 { // alternately requests a file and cancels the order; the order ends early in the first two rounds, too late in the others
		next := i%2 == 0
		late = i > 1
		l.Load(Request{Files: []string{"shown"}, Order: []int{0}, IndexOrder: FileOrder, Source: shown})
		require.Equal(t, []string{"", FileOrder}, []string{l.Name, l.Making})
		if next {
			l.Load(Request{Files: []string{"bad", "a", "b"}, Order: []int{0, 1, 2}})
		} else {
			l.GiveUp()
		}
		result = wait(t, woken, l)
		require.True(t, result.Overtaken)
		require.Empty(t, result.Refused)
		if next {
			require.Equal(t, []string{"bad", ""}, []string{l.Name, l.Making})
			require.Equal(t, []int{2}, wait(t, woken, l).Rest)
		}
	}
	l.Finish = nil
	l.Load(Request{Files: []string{"shown"}, Order: []int{0}, IndexOrder: FileOrder, Source: shown})
	synctest.Wait()
	require.True(t, l.GiveUp(), "when it is ready")
	wait(t, woken, l)
	require.NotNil(t, shown.Positions)
	// Scenes are finished. One that could not be ordered is released, and not told of.
	l.Finish = func(context.Context, *geometry.Scene) (*geometry.Scene, error) { return shown, nil }
	for _, order := range []string{"nonsense", "random"} {
		l.Load(Request{Files: []string{"a"}, Order: []int{0}, IndexOrder: order})
		result = wait(t, woken, l)
		require.Equal(t, []bool{order == "random", order == "random"}, []bool{result.Source != nil, result.Scene == shown})
	}
	l.Finish = nil
	// A result cancelled after it was ready is dropped, together with the files that should follow it. It does
	// not count as a refusal.
	l.Load(Request{Files: []string{"bad", "a", "b"}, Order: []int{0, 1, 2}})
	synctest.Wait()
	require.True(t, l.GiveUp())
	result = wait(t, woken, l)
	require.Nil(t, result.Scene)
	require.Empty(t, result.Refused)
	require.Empty(t, result.Rest)
}

// TestFilesThatWaitAreGivenUpToo: cancelling a file also cancels the files that wait for it.
func TestFilesThatWaitAreGivenUpToo(t *testing.T) { synctest.Test(t, filesThatWaitAreGivenUpToo) }

func filesThatWaitAreGivenUpToo(t *testing.T) {
	woken := make(chan bool, 10)
	l := New(viewtest.Endless, func() { woken <- true })
	l.Load(Request{Files: []string{"slow"}, Order: []int{0}})
	l.Load(Request{Files: []string{"b"}, Order: []int{0}})
	require.True(t, l.GiveUp())
	require.True(t, wait(t, woken, l).Overtaken)
	require.False(t, l.Busy)
	l.Load(Request{Files: []string{"slow"}, Order: []int{0}})
	l.Load(Request{Files: []string{"b"}, Order: []int{0}})
	require.True(t, wait(t, woken, l).Overtaken, "another request cancels it")
	require.NotNil(t, wait(t, woken, l).Scene)
}

// TestClosingWaitsForWork: work may have files to remove.
func TestClosingWaitsForWork(t *testing.T) {
	t.Parallel()
	entered, ended := make(chan bool), false
	l := New(func(ctx context.Context, _ string) (*geometry.Scene, error) {
		close(entered)
		<-ctx.Done()
		ended = true
		return nil, context.Cause(ctx)
	}, func() {})
	l.Load(Request{Files: []string{"a"}, Order: []int{0}})
	<-entered
	l.Close()
	require.True(t, ended)
}

// TestProgressOfLoading: progress goes on from opening to ordering.
func TestProgressOfLoading(t *testing.T) {
	t.Parallel()
	var list []float64
	ctx := progress.With(t.Context(), func(done float64) { list = append(list, done) })
	open := func(ctx context.Context, path string) (*geometry.Scene, error) {
		progress.Tell(ctx, 1)
		return assets.Make("sphere6")
	}
	l := loadFirst(ctx, Request{Files: []string{"a"}, Order: []int{0}, IndexOrder: "forsyth"}, open)
	require.NotNil(t, l.Scene)
	require.Less(t, list[0], .9)
	require.Greater(t, len(list), 20)
	require.True(t, slices.IsSorted(list))
	require.InDelta(t, 1, list[len(list)-1], .05)

	ended, stop := context.WithCancelCause(t.Context())
	stop(progress.ErrUnwanted)
	_, err := order.Apply(ended, l.Source, "forsyth")
	require.True(t, errors.Is(err, progress.ErrUnwanted))
}

// A cancelled load is dropped when it ends; the request made in the meantime is loaded next.
func TestLoadingIsGivenUp(t *testing.T) { synctest.Test(t, loadingIsGivenUp) }

func loadingIsGivenUp(t *testing.T) {
	release, woken := make(chan struct{}), make(chan bool, 10)
	cube := viewtest.Scene(t, "cube")
	l := New(func(_ context.Context, path string) (*geometry.Scene, error) {
		<-release
		if path == "bad" {
			return nil, errors.New("no good")
		}
		return cube, nil
	}, func() { woken <- true })
	require.False(t, l.GiveUp(), "nothing is under way")
	l.Load(Request{Files: []string{"a"}, Order: []int{0}})
	l.Load(Request{Files: []string{"b"}, Order: []int{0}})
	time.Sleep(2 * ShowRest)
	require.Equal(t, 2*ShowRest, l.BusyFor())
	<-woken // the loader wakes the loop to show slow work
	require.True(t, l.GiveUp())
	require.Zero(t, l.BusyFor())
	require.False(t, l.GiveUp(), "twice")
	l.Load(Request{Files: []string{"b"}, Order: []int{0}})
	require.True(t, l.GiveUp(), "what waits")
	l.Load(Request{Files: []string{"bad", "c"}, Order: []int{0, 1}})
	close(release)
	r := wait(t, woken, l)
	require.Nil(t, r.Scene, "given up")
	require.True(t, r.Overtaken)
	r = wait(t, woken, l)
	require.Same(t, cube, r.Scene)
	require.Equal(t, 1, r.At, "the first that opens")
	require.Len(t, r.Refused, 1)
}

// The watcher reports a change once the file has rested.
func TestChangedFilesAreHeardOnceTheyRest(t *testing.T) { synctest.Test(t, changedFilesAreHeard) }

func changedFilesAreHeard(t *testing.T) {
	woken := 0
	w := NewDeafWatcher(func() { woken++ })
	heard := func() int {
		time.Sleep(4 * watchRest)
		synctest.Wait()
		n := woken
		woken = 0
		return n
	}
	w.Watch("/f/a.obj")
	require.False(t, w.Take())
	w.Hear("/f/a.obj")
	time.Sleep(watchRest / 2)
	w.Hear("/f/../f/a.obj") // the file is written in pieces
	time.Sleep(watchRest * 3 / 4)
	require.False(t, w.Take(), "it does not rest yet")
	require.Equal(t, 1, heard())
	require.True(t, w.Take())
	require.False(t, w.Take(), "once")

	w.Hear("/f/b.obj")
	require.Zero(t, heard(), "another file of the folder")
	w.Hear("/f/a.obj")
	require.Equal(t, 1, heard())
	w.Watch("/f/a.obj", "/f/further/c.obj")
	require.True(t, w.Take(), "changes of the first file are not forgotten")
	w.Hear("/f/further/c.obj")
	require.Equal(t, 1, heard(), "one of several files")
	w.Watch("/f/further/c.obj")
	require.False(t, w.Take(), "the first file is another")
	w.Hear("/f/further/c.obj")
	w.Watch("asset:cube")
	require.Equal(t, 1, heard())
	require.False(t, w.Take(), "it is not on the screen any more")
	w.Hear("/f/a.obj")
	require.Zero(t, heard())
	require.Empty(t, w.paths, "built-in scenes do not change")
	var none *Watcher
	none.Watch("/f/a.obj")
	require.False(t, none.Take())
}

// The watcher reports changes of files in several folders, and files replaced or removed. The system reports changes in
// order: once the change of a later file is reported, a missing report of an earlier one will not come any more.
func TestTheSystemIsListenedTo(t *testing.T) {
	t.Parallel()
	folder, elsewhere := t.TempDir(), t.TempDir()
	file, other, further := filepath.Join(folder, "a.obj"), filepath.Join(folder, "b.obj"), filepath.Join(folder, "further", "c.obj")
	write := func(file, text string) { require.NoError(t, os.WriteFile(file, []byte(text), 0o600)) }
	write(file, "1")
	said := make(chan string, 100)
	w := NewDeafWatcher(func() {})
	w.start(func(path string) { said <- path })
	defer w.Close()
	require.NotNil(t, w.notify, "the system gives no inotify")
	require.NoError(t, w.notify.Add(elsewhere))
	times := 0
	heard := func(file string) {
		t.Helper()
		times++
		last := filepath.Join(elsewhere, strconv.Itoa(times))
		write(last, "1")
		var before []string
		for path := <-said; path != last; path = <-said {
			before = append(before, path)
		}
		require.Contains(t, before, file)
	}
	w.Watch(file)
	write(file, "22")
	heard(file)
	write(other, "x")
	require.NoError(t, os.Rename(other, file))
	heard(file)
	require.NoError(t, os.Mkdir(filepath.Dir(further), 0o700))
	w.Watch(file, further)
	write(further, "1")
	heard(further)
	write(file, "333") // the watcher still listens to the file's folder
	heard(file)
	require.NoError(t, os.Remove(further))
	heard(further)
	w.Watch(further)
	require.ElementsMatch(t, []string{elsewhere, filepath.Dir(further)}, w.notify.WatchList(), "folders of other files are not listened to")
	listening := NewWatcher(func() {})
	require.NotNil(t, listening.notify)
	listening.Close()
}

func TestFilesAreOpenedInTheOrderWanted(t *testing.T) {
	t.Parallel()
	open := func(context.Context, string) (*geometry.Scene, error) { return assets.Make("sphere3") }
	l := loadFirst(t.Context(), Request{Files: []string{"a"}, Order: []int{0}, IndexOrder: "random"}, open)
	want := must.Get(order.Apply(t.Context(), l.Source, "random"))
	require.Equal(t, want.Indices, l.Scene.Indices)
	require.NotEqual(t, l.Source.Indices, l.Scene.Indices)
	require.Equal(t, l.Source.Bounds(), l.Box)

	finished := &geometry.Scene{}
	finish := func(_ context.Context, s *geometry.Scene) (*geometry.Scene, error) {
		require.Equal(t, want.Indices, s.Indices)
		return finished, nil
	}
	source := l.Source
	l = loadFirst(t.Context(), Request{Files: []string{"a"}, Order: []int{0}, IndexOrder: "random", finish: finish}, open)
	require.Same(t, finished, l.Scene)
	l = loadFirst(t.Context(), Request{Order: []int{0}, IndexOrder: "random", Source: source, finish: finish}, open)
	require.Same(t, finished, l.Scene)

	l = loadFirst(t.Context(), Request{Files: []string{"some.obj"}, Order: []int{0}, IndexOrder: "nonsense"}, open)
	require.Nil(t, l.Scene)
	require.ErrorContains(t, l.Refused[0], "some.obj: unknown order")
}

func TestOrdersAreKeptOncePerScene(t *testing.T) {
	t.Parallel()
	a := viewtest.Scene(t, "cube")
	b := viewtest.Scene(t, "triangle")
	var c Orders
	require.Nil(t, c.Get(a, "original"))
	require.Nil(t, c.Get(nil, "original"))
	c.Put(a, "original", a)
	c.Put(a, "forsyth", b)
	c.Put(a, "forsyth", a)
	require.Same(t, a, c.Get(a, "forsyth"))
	require.Len(t, c.kept, 2)
	c.Get(a, "original")
	require.Equal(t, "original", c.kept[1].name, "what is used last makes room last")
	require.Nil(t, c.Get(b, "original"), "of another scene")
	c.Put(b, "original", b)
	require.Nil(t, c.Get(a, "original"))
	require.Len(t, c.kept, 1)

	// New orders evict older ones, except the orders of the two sides. The memory of Origin numbers counts too.
	large := *b
	large.Origin = make([]uint32, maxOrderBytes*6/10/4) // never written, so that it takes no memory
	for i, kept := range []string{"original a", "a b", "b c"} {
		name := string(rune('a' + i))
		c.Put(b, name, &large)
		var names []string
		for _, k := range c.kept {
			names = append(names, k.name)
		}
		require.Equal(t, strings.Fields(kept), names)
	}
}
