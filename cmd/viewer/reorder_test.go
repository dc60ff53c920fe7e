package main

import (
	"image"
	"strings"
	"testing"

	"github.com/go-gl/glfw/v3.3/glfw"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/internal/loading"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

func TestTheKeyOTurnsThroughAllOrders(t *testing.T) {
	for _, mods := range []glfw.ModifierKey{0, glfw.ModShift} {
		s := newState(t, 1)
		s.indexOrder = loading.FileOrder
		seen := map[string]bool{}
		for range order.Names() {
			pressKey(t, s, glfw.KeyO, mods)
			_, err := order.Lookup(s.indexOrder)
			require.NoError(t, err)
			seen[s.indexOrder] = true
			require.Contains(t, strings.Join(helpLines(s), "\n"), s.indexOrder)
		}
		require.Equal(t, loading.FileOrder, s.indexOrder)
		require.Len(t, seen, len(order.Names()))
		require.Equal(t, start, s.want, "no new plan follows before the scene is there")
		require.Nil(t, s.turned)
	}
	names := order.Names()
	require.Equal(t, names[1], loading.TurnOrder(loading.FileOrder, 1))
	require.Equal(t, names[len(names)-1], loading.TurnOrder(loading.FileOrder, -1))
	require.Equal(t, "hoppe+fetch", loading.TurnOrder("forsyth32+fetch", 1))
}

// viewerOf is a viewer without a window that shows an asset.
func viewerOf(t *testing.T, name string) (*app, chan bool) {
	a, woken := newApp(name, "b")
	scene, err := assets.Make(name)
	require.NoError(t, err)
	a.shown.left = half{look: look{source: scene, whole: scene, scene: scene, order: loading.FileOrder}, plan: testPlan(t, name)}
	a.indexOrder = loading.FileOrder
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
	a.indexOrder = "random"
	a.followOrder()
	require.True(t, a.loader.Busy)
	require.True(t, strings.HasPrefix(inspect.Title(a.figures()), "ordering by random | sphere3 | "), inspect.Title(a.figures()))
	require.Contains(t, inspect.Title(a.figures()), "original order")
	a.followOrder() // asks for nothing more meanwhile
	require.False(t, a.loader.Waiting())

	require.NoError(t, a.arrive(t, woken))
	w, err := a.asked(image.Pt(1, 1))
	require.NoError(t, err)
	source := a.shown.left.source
	want, err := order.Apply(t.Context(), source, "random")
	require.NoError(t, err)
	require.Equal(t, want.Indices, w.whole.Indices)
	require.NotEqual(t, source.Indices, w.whole.Indices)
	require.NotContains(t, inspect.Title(a.figures()), "ordering")
	nothing(t, a) // it waits to be drawn
	j, some := a.job(w)
	require.True(t, some)
	require.Equal(t, newOrder, j.change)

	// By the time that it could be drawn another is wanted: that is made.
	a.indexOrder = "forsyth"
	w, err = a.asked(image.Pt(1, 1))
	require.NoError(t, err)
	require.Nil(t, w.whole)
	j, _ = a.job(w)
	require.NotEqual(t, newOrder, j.change)
	a.followOrder()
	require.NoError(t, a.arrive(t, woken))
	require.NotNil(t, a.orders.Get(source, "forsyth"))
}

func TestFilesOvertakeOrders(t *testing.T) {
	a, woken := viewerOf(t, "sphere3")
	a.indexOrder = "hoppe"
	a.followOrder()
	a.drop([]string{"c"})
	require.NoError(t, a.arrive(t, woken))
	require.Nil(t, a.next, "the order of a scene that is on its way out")
	require.Empty(t, a.notice)
	require.NoError(t, a.arrive(t, woken))
	require.NotNil(t, a.next)
	require.Equal(t, []string{"c"}, a.next.Files)
	require.False(t, a.next.Reordered)
	require.Equal(t, "hoppe", a.next.IndexOrder, "files come in the order that is wanted")
}

func TestOrdersWaitForFiles(t *testing.T) {
	a, woken := viewerOf(t, "sphere3")
	a.drop([]string{"c"})
	a.indexOrder = "tipsify"
	a.followOrder()
	require.False(t, a.loader.Waiting(), "a file is never given up for an order")
	require.NoError(t, a.arrive(t, woken))
	require.Equal(t, []string{"c"}, a.next.Files)
	require.Equal(t, loading.FileOrder, a.next.IndexOrder)
}

func TestAnOrderThatFailsIsTold(t *testing.T) {
	a, woken := viewerOf(t, "sphere3")
	a.shown.left.plan = &plan.Plan{}
	a.indexOrder = "nonsense"
	a.followOrder()
	require.NoError(t, a.arrive(t, woken))
	require.Nil(t, a.next)
	require.Contains(t, a.notice, "unknown order")
	require.Equal(t, loading.FileOrder, a.indexOrder)
}
