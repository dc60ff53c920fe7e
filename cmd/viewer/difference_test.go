package main

import (
	"image"
	"slices"
	"testing"

	"github.com/go-gl/glfw/v3.3/glfw"
	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer/picture"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// Vertices are told apart by their positions here, which move with them, and not by
// what orders keep of where they are from.
func TestDifferenceComparesAVertexWithItselfInEveryOrder(t *testing.T) {
	for _, name := range []string{"city1", "knot4"} {
		source, err := assets.Make(name)
		require.NoError(t, err)
		for v := range source.Positions {
			source.Positions[v] = mgl32.Vec3{float32(v), 0, 0}
		}
		for _, orders := range [][2]string{
			{"forsyth", "forsyth+fetch"}, {"forsyth+fetch", "forsyth"}, {"original", "tipsify+fetch"}, {"random+fetch", "forsyth+fetch"},
			{"forsyth+fetch", "forsyth+fetch"}, {"original", "forsyth"},
		} {
			left, right := inOrderOf(t, source, orders[0]), inOrderOf(t, source, orders[1])
			config, err := reuse.Resolve("warp", 8, 0)
			require.NoError(t, err)
			_, a := reuse.Analyze(left, config)
			_, b := reuse.Analyze(right, config)
			d := difference{match: matchVertices(left, right)}
			shown := d.count(a, b)

			shades := byPosition(right, b)
			var want difference
			offset := 0
			for i := range left.Draws {
				for v := range left.Draws[i].VertexCount {
					was := a[offset+int(v)]
					is := shades[[2]int{i, positionOf(left, i, v)}]
					require.Equal(t, picture.DifferenceCounts([]uint32{was}, []uint32{is})[0], shown[offset+int(v)], "%s %v: draw %d, vertex %d", name, orders, i, v)
					require.Equal(t, positionOf(left, i, v), positionOf(right, i, d.match.vertex(i, v)))
					if is > was {
						want.more, want.by = want.more+1, want.by+int(is-was)
					}
					if is < was {
						want.less, want.saves = want.less+1, want.saves+int(was-is)
					}
				}
				offset += int(left.Draws[i].VertexCount)
			}
			require.Equal(t, [4]int{want.more, want.less, want.by, want.saves}, [4]int{d.more, d.less, d.by, d.saves})
			if cut := orders[0] + "+fetch"; orders[1] == cut {
				require.Zero(t, d.more+d.less, "renumbering changes nothing of what is shaded")
				require.Equal(t, name == "city1", slices.Equal(a, b), "numbers are not the vertices; each of the city's is shaded once")
			}
		}
	}
}

func inOrderOf(t *testing.T, s *geometry.Scene, name string) *geometry.Scene {
	t.Helper()
	out, err := order.Apply(t.Context(), s, name)
	require.NoError(t, err)
	return out
}

func positionOf(s *geometry.Scene, draw int, v uint32) int {
	return int(s.Positions[s.Draws[draw].VertexOffset+v][0])
}

// byPosition are shading counts by draw and position.
func byPosition(s *geometry.Scene, counts []uint32) map[[2]int]uint32 {
	by := map[[2]int]uint32{}
	offset := 0
	for i := range s.Draws {
		for v := range s.Draws[i].VertexCount {
			by[[2]int{i, positionOf(s, i, v)}] = counts[offset+int(v)]
		}
		offset += int(s.Draws[i].VertexCount)
	}
	return by
}

func TestDifferenceWaitsForTheSameDraws(t *testing.T) {
	city, err := assets.Make("city1")
	require.NoError(t, err)
	one, other := *city, *city
	one.Draws, other.Draws = city.Draws[:1], city.Draws[1:2]
	require.True(t, sameDraws(city, inOrderOf(t, city, "forsyth+fetch")))
	require.False(t, sameDraws(city, &one))
	require.Equal(t, city.Draws[0].VertexOffset == city.Draws[1].VertexOffset, sameDraws(&one, &other))
}

// differences is the picture of what the right shades otherwise than the left, made
// without the viewer: both sides are counted and the differences drawn one by one.
func differences(t *testing.T, b *gpu.Backend, left, right settings, scenes [2]*geometry.Scene, size image.Point, camera renderer.Camera) *image.RGBA {
	t.Helper()
	var counts [2][]uint32
	for i, s := range []settings{left, right} {
		frame, err := s.frame(scenes[i], size.X, size.Y)
		require.NoError(t, err)
		out, _, err := plan.Render(b, frame, camera, renderer.WantCounts)
		require.NoError(t, err)
		counts[i] = out.Counts
	}
	frame, err := left.frame(scenes[0], size.X, size.Y)
	require.NoError(t, err)
	frame.Palette = picture.DifferencePalette
	match := matchVertices(scenes[0], scenes[1])
	frame.Shown = picture.DifferenceCounts(counts[0], match.counts(counts[1]))
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
	s := state{view: "zoom=2.5"}
	require.NoError(t, s.look(source.Bounds(), float32(size.X)/float32(size.Y)))
	near := s.camera
	pressKey(t, &s, glfw.Key7, 0)
	top := s.camera

	for _, cull := range []culling{0, 1} {
		left := start
		left.cull = cull
		right := otherSide{strategy: "hash", lanes: 32}.settings(left)
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
