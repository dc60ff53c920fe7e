package gpu

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// rawDraws leaves draws without indices, and those that earlier ones draw as instances, out of its runs.
func TestRawDraws(t *testing.T) {
	element := func(i, indices, instances uint32) shaders.Draw {
		return shaders.Draw{IndexCount: indices, InstanceCount: instances, FirstIndex: 30 * i, VertexOffset: 5, FirstInstance: i}
	}
	table := []shaders.Draw{
		element(0, 6, 1), element(1, 9, 1), element(2, 0, 0), element(3, 3, 2), element(4, 3, 0), element(5, 6, 1), element(6, 9, 1),
	}
	draws := rawDraws(table, true)
	require.Len(t, draws, 3)
	for i, want := range [][2]int{{0, 2}, {3, 1}, {5, 2}} {
		require.Equal(t, int64(want[0]*shaders.DrawSize+128), draws[i].Offset)
		require.Equal(t, want[1], draws[i].Draws)
		require.Equal(t, shaders.DrawSize, draws[i].Stride)
	}
	draws = rawDraws(table, false)
	require.Len(t, draws, 5)
	require.Equal(t, Draw{Vertices: 3, Instances: 2, FirstIndex: 90, VertexOffset: 5, FirstInstance: 3}, draws[2])
	require.Empty(t, rawDraws(table[2:3], true))
}

// A device without multi-draw, or with few draws per call, draws the same picture.
func TestRawWithoutMultiDraw(t *testing.T) {
	b := ownBackend(t)
	require.True(t, b.device.Info.Features.MultiDraw)
	s := must.Get(assets.Make("city4"))
	f := renderer.Frame{Raw: true, Scene: s, View: renderer.Shaded, Width: 96, Height: 64}
	camera := renderer.FitCamera(s.Bounds(), 1.5)
	picture := func() *renderer.Output {
		p := must.Get(plan.New(f, b.Limits()))
		out, err := b.Exec(p, camera, renderer.WantColor|renderer.WantDepth)
		require.NoError(t, err)
		return out
	}
	want := picture()
	b.device.Info.Limits.IndirectDraws = 3
	few := picture()
	b.device.Info.Features.MultiDraw = false
	none := picture()
	for _, got := range []*renderer.Output{few, none} {
		require.True(t, bytes.Equal(want.Color.Pix, got.Color.Pix))
		require.Equal(t, want.Depth, got.Depth)
	}
	b.device.Info.Limits.IndexValue = 5
	p := must.Get(plan.New(f, b.Limits()))
	_, err := b.Exec(p, camera, 0)
	require.ErrorContains(t, err, "the device allows 5 (maxDrawIndexedIndexValue)")
}

// A scene without triangles gives a picture of the background: depth 1 everywhere.
func TestRawOfNothing(t *testing.T) {
	b := newBackend(t)
	for _, s := range []*geometry.Scene{{Name: "nothing"}, {Name: "empty draw", Draws: []geometry.Draw{{Name: "none"}}}} {
		p := must.Get(plan.New(renderer.Frame{Raw: true, Scene: s, View: renderer.Shaded, Width: 8, Height: 8}, b.Limits()))
		out, err := b.Exec(p, flatCamera, renderer.WantDepth)
		require.NoError(t, err)
		for _, z := range out.Depth {
			require.Equal(t, float32(1), z)
		}
	}
}
