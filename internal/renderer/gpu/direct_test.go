package gpu

import (
	"bytes"
	"context"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// twoMeshes has a mesh with unreferenced vertices, drawn twice, and after it in the pools a mesh
// whose indices are all equal.
func twoMeshes() *geometry.Scene {
	s := &geometry.Scene{Name: "two meshes", Indices: []uint32{1, 2, 3, 3, 2, 5, 0, 0, 0}}
	for i := range 9 {
		s.Positions = append(s.Positions, mgl32.Vec3{float32(i), float32(i * i % 5), 0})
	}
	draw := func(firstIndex, count, offset, vertices uint32) {
		s.Draws = append(s.Draws, geometry.Draw{
			FirstIndex: firstIndex, IndexCount: count, VertexOffset: offset, VertexCount: vertices,
			Transform: mgl32.Ident4(), Color: geometry.DefaultColor,
		})
	}
	draw(0, 6, 0, 7)
	draw(6, 3, 7, 2)
	draw(0, 0, 0, 3) // an empty draw
	draw(0, 6, 0, 7)
	_ = s.MakeNormals(context.Background()) // never cancelled
	return s
}

// ownBackend returns a backend on a device of its own.
func ownBackend(t *testing.T) *Backend {
	b := NewBackend(openDevice(t, OpenOptions{}))
	closing(t, b)
	return b
}

// render renders a frame; failure fails the test.
func render(t *testing.T, b plan.Backend, f renderer.Frame, c renderer.Camera, want renderer.Want, what ...any) (*renderer.Output, *plan.Plan) {
	t.Helper()
	out, p, err := plan.Render(b, f, c, want)
	require.NoError(t, err, what...)
	return out, p
}

// resolve returns a strategy's configuration; 0 for lanes or batch means the strategy's default.
func resolve(t *testing.T, strategy string, lanes, batch int) reuse.Config {
	t.Helper()
	c := must.Get(reuse.Resolve(strategy, lanes, batch))
	return c
}

func TestHardwareCountsEachDrawApart(t *testing.T) {
	b, s := newBackend(t), twoMeshes()
	counts, invocations := must.Get2(b.hardwareCounts(s))
	require.Empty(t, b.Info().HardwareLacks)
	require.Len(t, counts, 7+2+3+7)
	if b.device.Info.DriverName == "llvmpipe" { // llvmpipe reuses every vertex within so short a draw
		require.Equal(t, []uint32{0, 1, 1, 1, 0, 1, 0 /**/, 1, 0 /**/, 0, 0, 0 /**/, 0, 1, 1, 1, 0, 1, 0}, counts)
		require.Equal(t, uint64(9), invocations)
	}
	p := must.Get(plan.NewDirect(s, b.Limits()))
	out := must.Get(b.Exec(p, renderer.FitCamera(s.Bounds(), 1), renderer.WantCounts))
	require.Equal(t, 9, out.Stats.Referenced)
	require.Equal(t, uint64(5), out.AssembledPrimitives)
	require.Len(t, out.Timings, 2, "clear, raster:direct")
}

// Counts that a device cannot provide are left out, and hardwareLacks says so.
func TestHardwareCountsWithHalfOfIt(t *testing.T) {
	b, s := ownBackend(t), twoMeshes()
	features := &b.device.Info.Features
	counts, invocations := must.Get2(b.hardwareCounts(s))

	features.PipelineStatistics = false
	got, none := must.Get2(b.hardwareCounts(s))
	require.Len(t, got, len(counts))
	require.Zero(t, none)
	require.Equal(t, b.device.Info.Name+" has no pipeline statistics (no pipelineStatisticsQuery)", b.Info().HardwareLacks)

	features.PipelineStatistics, features.VertexStores = true, false
	got, only := must.Get2(b.hardwareCounts(s))
	require.Nil(t, got)
	require.Equal(t, b.device.Info.Name+" has no counts a vertex (no vertexPipelineStoresAndAtomics)", b.Info().HardwareLacks)
	if b.device.Info.DriverName == "llvmpipe" {
		require.Equal(t, counts, []uint32{0, 1, 1, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 0, 1, 0})
		require.Equal(t, invocations, only, "a picture that is drawn takes as many invocations as one that is thrown away")
	} else {
		require.GreaterOrEqual(t, only, uint64(9))
	}

	features.PipelineStatistics = false
	_, _, err := b.hardwareCounts(s)
	require.ErrorContains(t, err, "cannot be counted here: there is neither a query of pipeline statistics nor a vertex shader that may write")
	require.Contains(t, b.Info().HardwareLacks, " has no counts a vertex (no vertexPipelineStoresAndAtomics), and no pipeline statistics (")
}

func TestDirectPassRefusesIndicesBeyondTheDevice(t *testing.T) {
	b := ownBackend(t)
	b.device.Info.Limits.IndexValue = 5
	_, _, err := b.hardwareCounts(twoMeshes())
	require.ErrorContains(t, err, "its largest index needs 6, the device allows 5 (maxDrawIndexedIndexValue)")
}

func TestPipelineOfAVertexShaderAlone(t *testing.T) {
	d := openDevice(t, OpenOptions{})
	_, err := d.NewGraphicsPipeline(shaders.Must("raster/view"), nil, RasterOptions{})
	require.EqualError(t, err, "gpu: raster/view is not a vertex shader")
	_, err = d.NewGraphicsPipeline(shaders.Must("raster/direct"), nil, RasterOptions{Spec: Spec{"X": 1}})
	require.ErrorContains(t, err, "no shader has a specialization constant X")
}

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
		out := must.Get(b.Exec(p, camera, renderer.WantColor|renderer.WantDepth))
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
		out := must.Get(b.Exec(p, flatCamera, renderer.WantDepth))
		for _, z := range out.Depth {
			require.Equal(t, float32(1), z)
		}
	}
}
