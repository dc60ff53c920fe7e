package main

import (
	"fmt"
	"image"
	"strings"
	"testing"

	"github.com/go-gl/glfw/v3.3/glfw"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/loading"
	"github.com/shadeonce/shadeonce/internal/views"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

func TestTheKeyOTurnsThroughAllOrders(t *testing.T) {
	for _, mods := range []glfw.ModifierKey{0, glfw.ModShift} {
		s := newState(t, 1)
		s.IndexOrder = loading.FileOrder
		seen := map[string]bool{}
		for range order.Names() {
			pressKey(t, s, glfw.KeyO, mods)
			_, err := order.Lookup(s.IndexOrder)
			require.NoError(t, err)
			seen[s.IndexOrder] = true
			require.Contains(t, fmt.Sprint(helpGroups(s)), s.IndexOrder)
		}
		require.Equal(t, loading.FileOrder, s.IndexOrder)
		require.Len(t, seen, len(order.Names()))
		require.Equal(t, start, s.Want, "no new plan follows before the scene is there")
		require.Nil(t, s.Turned)
	}
	names := order.Names()
	require.Equal(t, names[1], loading.TurnOrder(loading.FileOrder, 1))
	require.Equal(t, names[len(names)-1], loading.TurnOrder(loading.FileOrder, -1))
	require.Equal(t, "hoppe+fetch", loading.TurnOrder("forsyth32+fetch", 1))
}

// viewerOf is a viewer without a window that shows an asset.
func viewerOf(t *testing.T, name string) (*app, chan bool) {
	a, woken := loadingApp(name, "b")
	scene, err := assets.Make(name)
	require.NoError(t, err)
	a.Shown.Left = views.Half{Look: views.Look{Source: scene, Whole: scene, Scene: scene, Order: loading.FileOrder}, Plan: testPlan(t, name)}
	a.IndexOrder = loading.FileOrder
	a.orders.Put(scene, loading.FileOrder, scene)
	return a, woken
}

// nothing requires that the loop has nothing to wait for.
func nothing(t *testing.T, a *app) {
	a.followOrder()
	require.False(t, a.loader.Busy)
}

func TestOrdersAreMadeBesideTheFrameLoop(t *testing.T) {
	a, woken := viewerOf(t, "sphere3")
	nothing(t, a)
	a.IndexOrder = "random"
	a.followOrder()
	require.True(t, a.loader.Busy)
	require.True(t, strings.HasPrefix(status(a.figures()), "ordering by random | sphere3 | "), status(a.figures()))
	require.Contains(t, status(a.figures()), "original order")
	a.followOrder() // asks for nothing more meanwhile
	require.False(t, a.loader.Waiting())

	require.NoError(t, a.arrive(t, woken))
	w, err := a.asked(image.Pt(1, 1))
	require.NoError(t, err)
	source := a.Shown.Left.Source
	want, err := order.Apply(t.Context(), source, "random")
	require.NoError(t, err)
	require.Equal(t, want.Indices, w.Whole.Indices)
	require.NotEqual(t, source.Indices, w.Whole.Indices)
	require.NotContains(t, status(a.figures()), "ordering")
	nothing(t, a) // it waits to be drawn
	j, some := a.Job(w)
	require.True(t, some)
	require.Equal(t, views.NewOrder, j.Change)

	// By the time that it could be drawn another is wanted: that is made.
	a.IndexOrder = "forsyth"
	w, err = a.asked(image.Pt(1, 1))
	require.NoError(t, err)
	require.Nil(t, w.Whole)
	j, _ = a.Job(w)
	require.NotEqual(t, views.NewOrder, j.Change)
	a.followOrder()
	require.NoError(t, a.arrive(t, woken))
	require.NotNil(t, a.orders.Get(source, "forsyth"))
}

func TestFilesOvertakeOrders(t *testing.T) {
	a, woken := viewerOf(t, "sphere3")
	a.IndexOrder = "hoppe"
	a.followOrder()
	a.drop([]string{"c"})
	require.NoError(t, a.arrive(t, woken))
	require.Nil(t, a.next, "the order of a scene that is on its way out")
	require.Empty(t, a.notices.String())
	require.NoError(t, a.arrive(t, woken))
	require.NotNil(t, a.next)
	require.Equal(t, []string{"c"}, a.next.Files)
	require.False(t, a.next.Reordered)
	require.Equal(t, "hoppe", a.next.IndexOrder, "files come in the order that is wanted")
}

func TestOrdersWaitForFiles(t *testing.T) {
	a, woken := viewerOf(t, "sphere3")
	a.drop([]string{"c"})
	a.IndexOrder = "tipsify"
	a.followOrder()
	require.False(t, a.loader.Waiting(), "a file is never given up for an order")
	require.NoError(t, a.arrive(t, woken))
	require.Equal(t, []string{"c"}, a.next.Files)
	require.Equal(t, loading.FileOrder, a.next.IndexOrder)
}

func TestAnOrderThatFailsIsTold(t *testing.T) {
	a, woken := viewerOf(t, "sphere3")
	a.Shown.Left.Plan = &plan.Plan{}
	a.IndexOrder = "nonsense"
	a.followOrder()
	require.NoError(t, a.arrive(t, woken))
	require.Nil(t, a.next)
	require.Contains(t, a.notices.String(), "unknown order")
	require.Equal(t, loading.FileOrder, a.IndexOrder)
}
