package main

import (
	"image"
	"testing"

	"github.com/go-gl/glfw/v3.3/glfw"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/internal/views"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer/picture"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

func inOrderOf(t *testing.T, s *geometry.Scene, name string) *geometry.Scene {
	t.Helper()
	out, err := order.Apply(t.Context(), s, name)
	require.NoError(t, err)
	return out
}

// differences is the picture of what the right shades otherwise than the left, made
// without the viewer: both sides are counted and the differences drawn one by one.
func differences(t *testing.T, b *gpu.Backend, left, right views.Settings, scenes [2]*geometry.Scene, size image.Point, camera renderer.Camera) *image.RGBA {
	t.Helper()
	var counts [2][]uint32
	for i, s := range []views.Settings{left, right} {
		frame, err := s.Frame(scenes[i], size.X, size.Y)
		require.NoError(t, err)
		out, _, err := plan.Render(b, frame, camera, renderer.WantCounts)
		require.NoError(t, err)
		counts[i] = out.Counts
	}
	frame, err := left.Frame(scenes[0], size.X, size.Y)
	require.NoError(t, err)
	frame.Palette = picture.DifferencePalette
	match := inspect.MatchVertices(scenes[0], scenes[1])
	frame.Shown = picture.DifferenceCounts(counts[0], match.Counts(counts[1]))
	out, _, err := plan.Render(b, frame, camera, renderer.WantColor)
	require.NoError(t, err)
	return out.Color
}

// With culling, what is shaded follows from what is seen: so do the differences.
func TestDifferenceFollowsTheCameraAndTheOrders(t *testing.T) {
	b, err := gpu.OpenBackend(gpu.BackendOptions{Validation: true})
	require.NoError(t, err)
	defer b.Close()
	source, err := assets.Make("knot16")
	require.NoError(t, err)
	fetched := inOrderOf(t, source, "forsyth+fetch")
	size := image.Pt(640, 480)
	s := state{Wanted: views.Wanted{View: "zoom=2.5"}}
	require.NoError(t, s.Look(source.Bounds(), float32(size.X)/float32(size.Y)))
	near := s.Camera
	pressKey(t, &s, glfw.Key7, 0)
	top := s.Camera

	for _, cull := range []views.Culling{0, 1} {
		left := start
		left.Cull = cull
		right := views.OtherSide{Strategy: "hash", Lanes: 32}.Settings(left)
		scenes := [2]*geometry.Scene{source, fetched}
		first := differences(t, b, left, right, scenes, size, near)
		second := differences(t, b, left, right, scenes, size, top)
		swapped := differences(t, b, left, right, [2]*geometry.Scene{fetched, source}, size, top)
		require.False(t, agree(first, second, first.Rect))
		require.Greater(t, colorful(first), changed)

		d := newDesktop(t)
		args := []string{"--panels=false", "--remember=false", "--size", "640x480", "--camera", "zoom=2.5", "--compare-view", "difference"}
		if cull > 0 {
			args = append(args, "--cull")
		}
		same := func(what, name string, want *image.RGBA) {
			d.key("ctrl+F12")
			d.titled("saved " + name)
			got := d.saved(name).(*image.RGBA)
			require.Equal(t, want.Rect, got.Rect)
			require.Zero(t, differing(want, got), what)
		}
		d.start(append(args, "--compare", "hash/forsyth+fetch", "asset:knot16")...)
		d.titled("difference against hash in forsyth+fetch order")
		const name = "knot16-warp-32lanes-indexed-counts-difference-hash-forsyth-fetch"
		same("the first camera", name+".png", first)
		d.key("7")
		same("another camera", name+"-2.png", second)
		d.key("q")
		d.end()

		d.start(append(args, "--order", "forsyth+fetch", "--compare", "hash/original", "asset:knot16")...)
		d.titled("difference against hash in original order")
		d.key("7")
		same("the left is renumbered", "knot16-warp-32lanes-indexed-counts-forsyth-fetch-difference-hash-original.png", swapped)
		d.key("q")
		d.end()
	}
	require.Empty(t, b.Messages())
}
