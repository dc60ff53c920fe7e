package main

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/loading"
)

// TestWhatIsNotShownIsReleased: scenes that lie in mapped files, and that another
// request overtakes, or another file while the window is hidden.
func TestWhatIsNotShownIsReleased(t *testing.T) {
	released := map[string]int{}
	woken, entered, gate := make(chan bool, 10), make(chan bool, 10), make(chan bool)
	a := &app{}
	a.loader = loading.New(func(_ context.Context, name string) (*geometry.Scene, error) {
		entered <- true
		<-gate
		s, err := openTest(context.Background(), name)
		if err == nil {
			s.Backing = geometry.NewBacking(func() { released[name]++ })
		}
		return s, err
	}, func() { woken <- true })
	arrive := func() {
		gate <- true
		require.NoError(t, a.arrive(t, woken))
	}
	a.ask([]string{"overtaken"}, inOrder(1))
	<-entered
	a.ask([]string{"hidden"}, inOrder(1))
	arrive()
	require.Equal(t, map[string]int{"overtaken": 1}, released)
	require.Nil(t, a.next)
	arrive()
	a.ask([]string{"shown"}, inOrder(1))
	arrive()
	require.Equal(t, map[string]int{"overtaken": 1, "hidden": 1}, released)
	require.Equal(t, []string{"shown"}, a.next.Files)

	a.IndexOrder = "none such"
	a.ask([]string{"not ordered"}, inOrder(1))
	a.files = []string{"shown"}
	gate <- true
	<-woken
	_, _ = a.loader.Take()
	require.Equal(t, 1, released["not ordered"])
}
