package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/loading"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// openTest opens every file but those that begin with "bad".
func openTest(_ context.Context, path string) (*geometry.Scene, error) {
	if strings.HasPrefix(path, "bad") {
		return nil, errors.New("no good")
	}
	return assets.Make("triangle")
}

// loadingApp is a viewer without a window.
func loadingApp(files ...string) (*app, chan bool) {
	woken := make(chan bool, 10)
	return &app{surroundings: surroundings{stderr: io.Discard}, files: files, loader: loading.New(openTest, func() { woken <- true })}, woken
}

// arrive lets what was asked for arrive. A loader also wakes the viewer to show that it works.
func (a *app) arrive(t *testing.T, woken chan bool) (err error) {
	for a.unshown = false; err == nil && !a.unshown; err = a.takeLoaded() {
		<-woken
	}
	return err
}

func TestNothingToShowEndsTheViewer(t *testing.T) {
	a, woken := loadingApp("bad1")
	a.ask(a.files, inOrder(1))
	require.EqualError(t, a.arrive(t, woken), "bad1: no good")

	a, woken = loadingApp("bad1", "bad2")
	a.ask(a.files, inOrder(2))
	require.EqualError(t, a.arrive(t, woken), "none of 2 files can be shown: bad1: no good; bad2: no good")
}

func TestRefusedFilesAreNamedAndThePictureStays(t *testing.T) {
	a, woken := loadingApp("a", "bad1", "bad2")
	a.Shown.Left.Plan = &plan.Plan{} // something is shown
	a.drop([]string{"bad3", "bad4"})
	require.NoError(t, a.arrive(t, woken))
	require.Equal(t, "refused bad3: no good; refused bad4: no good", a.notices.String())
	require.Nil(t, a.next)
	require.Equal(t, []string{"a", "bad1", "bad2"}, a.files)

	a.skip = 1
	a.drop(nil)
	a.stepFiles()
	require.NoError(t, a.arrive(t, woken))
	require.Nil(t, a.next)
	require.Zero(t, a.target, "stepping goes on from what is shown")

	a.drop([]string{"bad5", "b", "c"})
	require.Empty(t, a.notices.String(), "a new drop is a new story")
	require.NoError(t, a.arrive(t, woken))
	require.Equal(t, "refused bad5: no good", a.notices.String())
	require.NotNil(t, a.next)
	require.Equal(t, 1, a.next.At)
	require.Equal(t, []int{2}, a.next.Rest)
}

func TestASceneThatCannotBeDrawnGivesWayToTheNext(t *testing.T) {
	a, woken := loadingApp("big", "b")
	require.NoError(t, a.refuse(loading.Loaded{Files: a.files, Rest: []int{1}, Refused: []error{fmt.Errorf("big: needs 3 GiB")}}))
	require.NoError(t, a.arrive(t, woken))
	require.Equal(t, 1, a.next.At)
	require.Error(t, a.refuse(loading.Loaded{Files: a.files, Refused: []error{fmt.Errorf("b: needs 2 GiB")}}))
}
