package app

import (
	"fmt"
	"image"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/viewer/load"
	"github.com/shadeonce/shadeonce/internal/viewer/viewtest"
)

// loadingApp is a viewer without a window.
func loadingApp(files ...string) (*App, chan bool) {
	woken := make(chan bool, 10)
	return &App{ui: bare{}, Surroundings: Surroundings{Stderr: io.Discard}, Files: files, loader: load.New(viewtest.Open, func() { woken <- true })}, woken
}

// arrive waits for the requested file or order. It loops since a loader also wakes the viewer to report progress.
func (a *App) arrive(t *testing.T, woken chan bool) (err error) {
	for a.Unshown = false; err == nil && !a.Unshown; err = a.takeLoaded() {
		<-woken
	}
	return err
}

func TestNothingToShowEndsTheViewer(t *testing.T) {
	a, woken := loadingApp("bad1")
	a.Ask(a.Files, inOrder(1))
	require.EqualError(t, a.arrive(t, woken), "bad1: no good")

	a, woken = loadingApp("bad1", "bad2")
	a.Ask(a.Files, inOrder(2))
	require.EqualError(t, a.arrive(t, woken), "none of 2 files can be shown: bad1: no good; bad2: no good")
}

func TestRefusedFilesAreNamedAndThePictureStays(t *testing.T) {
	a, woken := loadingApp("a", "bad1", "bad2")
	a.Shown.Left.Plan = &plan.Plan{} // something is shown
	a.Drop([]string{"bad3", "bad4"})
	require.NoError(t, a.arrive(t, woken))
	require.Equal(t, "refused bad3: no good; refused bad4: no good", a.Notices.String())
	require.Nil(t, a.Next)
	require.Equal(t, []string{"a", "bad1", "bad2"}, a.Files)

	a.Skip = 1
	a.Drop(nil)
	a.stepFiles()
	require.NoError(t, a.arrive(t, woken))
	require.Nil(t, a.Next)
	require.Zero(t, a.Target, "stepping goes on from what is shown")

	a.Drop([]string{"bad5", "b", "c"})
	require.Empty(t, a.Notices.String(), "a new drop is a new story")
	require.NoError(t, a.arrive(t, woken))
	require.Equal(t, "refused bad5: no good", a.Notices.String())
	require.NotNil(t, a.Next)
	require.Equal(t, 1, a.Next.At)
	require.Equal(t, []int{2}, a.Next.Rest)
}

func TestASceneThatCannotBeDrawnGivesWayToTheNext(t *testing.T) {
	a, woken := loadingApp("big", "b")
	require.NoError(t, a.refuse(load.Loaded{Files: a.Files, Rest: []int{1}, Refused: []error{fmt.Errorf("big: needs 3 GiB")}}))
	require.NoError(t, a.arrive(t, woken))
	require.Equal(t, 1, a.Next.At)
	require.Error(t, a.refuse(load.Loaded{Files: a.Files, Refused: []error{fmt.Errorf("b: needs 2 GiB")}}))
}

// bare is a UI without panels.
type bare struct{ UI }

func (bare) Free() (free image.Rectangle, window image.Point) { return free, window }
func (bare) TakesPointer() bool                               { return false }
func (bare) Scale() float32                                   { return 1 }
