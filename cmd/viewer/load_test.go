package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// openTest opens every file but those that begin with "bad".
func openTest(_ context.Context, path string) (*geometry.Scene, error) {
	if strings.HasPrefix(path, "bad") {
		return nil, errors.New("no good")
	}
	return assets.Make("triangle")
}

func TestTheFirstFileThatOpensIsShown(t *testing.T) {
	files := []string{"bad1", "a", "bad2", "b"}
	l := loadFirst(t.Context(), request{files: files, order: []int{2, 3, 0, 1}}, openTest)
	require.NotNil(t, l.scene)
	require.Equal(t, 3, l.at)
	require.Equal(t, l.scene.Bounds(), l.box)
	require.Equal(t, []int{0, 1}, l.rest)
	require.Len(t, l.refused, 1)
	require.EqualError(t, l.refused[0], "bad2: no good")

	l = loadFirst(t.Context(), request{files: files, order: []int{0, 2}}, openTest)
	require.Nil(t, l.scene)
	require.Len(t, l.refused, 2)
}

func TestStepsGoAroundTheFiles(t *testing.T) {
	require.Equal(t, []int{1, 2}, from(0, 1, 3))
	require.Equal(t, []int{2, 1}, from(0, -1, 3))
	require.Equal(t, []int{1, 2}, from(0, 4, 3))
	require.Equal(t, []int{2, 0}, from(1, 1, 3))
	require.Equal(t, []int{0, 1}, from(2, -2, 3))
	require.Empty(t, from(0, 1, 1))
	require.Empty(t, from(0, 0, 3))
	require.Empty(t, from(0, 1, 0))
}

// wait takes the loader's next result.
func wait(t *testing.T, woken chan bool, l *loader) loaded {
	select {
	case <-woken:
	case <-time.After(patience):
		t.Fatal("the loader never woke the loop")
	}
	result, ok := l.take()
	require.True(t, ok)
	return result
}

func TestLaterRequestsOvertake(t *testing.T) {
	entered, gate, woken := make(chan bool, 10), make(chan bool), make(chan bool, 10)
	l := newLoader(func(_ context.Context, path string) (*geometry.Scene, error) {
		entered <- true
		<-gate
		return openTest(context.Background(), path)
	}, func() { woken <- true })
	_, ok := l.take()
	require.False(t, ok)

	l.load(request{files: []string{"bad", "dir/first"}, order: []int{0, 1}})
	require.True(t, l.busy)
	require.Equal(t, "bad", l.name)
	<-entered
	l.load(request{files: []string{"second"}, order: []int{0}})
	l.load(request{files: []string{"dir/third"}, order: []int{0}})
	close(gate)
	result := wait(t, woken, l)
	require.True(t, result.overtaken)
	require.Nil(t, result.scene)
	require.Len(t, result.refused, 1, "refusals are told all the same")
	require.Equal(t, "third", l.name)
	result = wait(t, woken, l)
	require.Equal(t, []string{"dir/third"}, result.files)
	require.NotNil(t, result.scene)
	require.False(t, l.busy)
}

// newApp is a viewer without a window.
func newApp(files ...string) (*app, chan bool) {
	woken := make(chan bool, 10)
	return &app{files: files, loader: newLoader(openTest, func() { woken <- true })}, woken
}

// arrive lets what was asked for arrive.
func (a *app) arrive(t *testing.T, woken chan bool) error {
	select {
	case <-woken:
	case <-time.After(patience):
		t.Fatal("nothing was loaded")
	}
	return a.takeLoaded()
}

func TestNothingToShowEndsTheViewer(t *testing.T) {
	a, woken := newApp("bad1")
	a.ask(a.files, inOrder(1))
	require.EqualError(t, a.arrive(t, woken), "bad1: no good")

	a, woken = newApp("bad1", "bad2")
	a.ask(a.files, inOrder(2))
	require.EqualError(t, a.arrive(t, woken), "none of 2 files can be shown: bad1: no good; bad2: no good")
}

func TestRefusedFilesAreNamedAndThePictureStays(t *testing.T) {
	a, woken := newApp("a", "bad1", "bad2")
	a.plan = &plan.Plan{} // something is shown
	a.drop([]string{"bad3", "bad4"})
	require.NoError(t, a.arrive(t, woken))
	require.Equal(t, "refused bad3: no good; refused bad4: no good", a.notice)
	require.Nil(t, a.next)
	require.Equal(t, []string{"a", "bad1", "bad2"}, a.files)

	a.skip = 1
	a.drop(nil)
	a.stepFiles()
	require.NoError(t, a.arrive(t, woken))
	require.Nil(t, a.next)
	require.Zero(t, a.target, "stepping goes on from what is shown")

	a.drop([]string{"bad5", "b", "c"})
	require.Empty(t, a.notice, "a new drop is a new story")
	require.NoError(t, a.arrive(t, woken))
	require.Equal(t, "refused bad5: no good", a.notice)
	require.NotNil(t, a.next)
	require.Equal(t, 1, a.next.at)
	require.Equal(t, []int{2}, a.next.rest)
}

func TestASceneThatCannotBeDrawnGivesWayToTheNext(t *testing.T) {
	a, woken := newApp("big", "b")
	require.NoError(t, a.refuse(loaded{files: a.files, rest: []int{1}, refused: []error{fmt.Errorf("big: needs 3 GiB")}}))
	require.NoError(t, a.arrive(t, woken))
	require.Equal(t, 1, a.next.at)
	require.Error(t, a.refuse(loaded{files: a.files, refused: []error{fmt.Errorf("b: needs 2 GiB")}}))
}
