package app

import (
	"image"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/viewer/load"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/internal/viewer/viewtest"
)

// viewerOf is a viewer without a window that shows an asset.
func viewerOf(t *testing.T, name string) (*App, chan bool) {
	a, woken := loadingApp(name, "b")
	scene := viewtest.Scene(t, name)
	a.Shown.Left = model.Half{Look: model.Look{Source: scene, Whole: scene, Scene: scene, Order: load.FileOrder}, Plan: viewtest.Titled(t, name)}
	a.IndexOrder = load.FileOrder
	a.orders.Put(scene, load.FileOrder, scene)
	return a, woken
}

// nothing requires that the loader is idle.
func nothing(t *testing.T, a *App) {
	a.followOrder()
	require.False(t, a.loader.Busy)
}

func TestOrdersAreMadeBesideTheFrameLoop(t *testing.T) {
	a, woken := viewerOf(t, "sphere3")
	nothing(t, a)
	a.IndexOrder = "random"
	a.followOrder()
	require.True(t, a.loader.Busy)
	require.True(t, strings.HasPrefix(status(a), "ordering by random | sphere3 | "), status(a))
	require.Contains(t, status(a), "original order")
	a.followOrder() // makes no second request
	require.False(t, a.loader.Waiting())

	require.NoError(t, a.arrive(t, woken))
	w := must.Get(a.asked(image.Pt(1, 1)))
	source := a.Shown.Left.Source
	require.Equal(t, must.Get(order.Apply(t.Context(), source, "random")).Indices, w.Whole.Indices)
	require.NotEqual(t, source.Indices, w.Whole.Indices)
	require.NotContains(t, status(a), "ordering")
	nothing(t, a) // the order is made, and waits to be drawn
	j, some := a.Job(w)
	require.True(t, some)
	require.Equal(t, model.NewOrder, j.Change)

	// When the order is ready, the user has already chosen another one. So the other one is made.
	a.IndexOrder = "forsyth"
	w = must.Get(a.asked(image.Pt(1, 1)))
	require.Nil(t, w.Whole)
	j, _ = a.Job(w)
	require.NotEqual(t, model.NewOrder, j.Change)
	a.followOrder()
	require.NoError(t, a.arrive(t, woken))
	require.NotNil(t, a.orders.Get(source, "forsyth"))
}

func TestFilesOvertakeOrders(t *testing.T) {
	a, woken := viewerOf(t, "sphere3")
	a.IndexOrder = "hoppe"
	a.followOrder()
	a.Drop([]string{"c"})
	require.NoError(t, a.arrive(t, woken))
	require.Nil(t, a.Next, "the order of a scene that is on its way out")
	require.Empty(t, a.Notices.String())
	require.NoError(t, a.arrive(t, woken))
	require.NotNil(t, a.Next)
	require.Equal(t, []string{"c"}, a.Next.Files)
	require.False(t, a.Next.Reordered)
	require.Equal(t, "hoppe", a.Next.IndexOrder, "files come in the order that is wanted")
}

func TestOrdersWaitForFiles(t *testing.T) {
	a, woken := viewerOf(t, "sphere3")
	a.Drop([]string{"c"})
	a.IndexOrder = "tipsify"
	a.followOrder()
	require.False(t, a.loader.Waiting(), "a file is never given up for an order")
	require.NoError(t, a.arrive(t, woken))
	require.Equal(t, []string{"c"}, a.Next.Files)
	require.Equal(t, load.FileOrder, a.Next.IndexOrder)
}

func TestAnOrderThatFailsIsTold(t *testing.T) {
	a, woken := viewerOf(t, "sphere3")
	a.Shown.Left.Plan = &plan.Plan{}
	a.IndexOrder = "nonsense"
	a.followOrder()
	require.NoError(t, a.arrive(t, woken))
	require.Nil(t, a.Next)
	require.Contains(t, a.Notices.String(), "unknown order")
	require.Equal(t, load.FileOrder, a.IndexOrder)
}
