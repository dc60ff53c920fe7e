package app

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/viewer/load"
	"github.com/shadeonce/shadeonce/internal/viewer/viewtest"
)

// TestWhatIsNotShownIsReleased: a memory-mapped scene is released if another request overtakes it, if another file
// replaces it while the window is hidden, or if it cannot be ordered.
func TestWhatIsNotShownIsReleased(t *testing.T) {
	released := map[string]int{}
	woken, entered, gate := make(chan bool, 10), make(chan bool, 10), make(chan bool)
	a := &App{ui: bare{}}
	a.loader = load.New(func(_ context.Context, name string) (*geometry.Scene, error) {
		entered <- true
		<-gate
		s, err := viewtest.Open(context.Background(), name)
		if err == nil {
			s.Backing = geometry.NewBacking(func() { released[name]++ }, nil)
		}
		return s, err
	}, func() { woken <- true })
	arrive := func() {
		gate <- true
		require.NoError(t, a.arrive(t, woken))
	}
	a.Ask([]string{"overtaken"}, inOrder(1))
	<-entered
	a.Ask([]string{"hidden"}, inOrder(1))
	arrive()
	require.Equal(t, map[string]int{"overtaken": 1}, released)
	require.Nil(t, a.Next)
	arrive()
	a.Ask([]string{"shown"}, inOrder(1))
	arrive()
	require.Equal(t, map[string]int{"overtaken": 1, "hidden": 1}, released)
	require.Equal(t, []string{"shown"}, a.Next.Files)

	a.IndexOrder = "none such"
	a.Ask([]string{"not ordered"}, inOrder(1))
	a.Files = []string{"shown"}
	gate <- true
	<-woken
	_, _ = a.loader.Take()
	require.Equal(t, 1, released["not ordered"])
}
