package plan

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

func computePlan(t testing.TB, triangles int, change func(*renderer.Frame, *renderer.Limits)) (*Plan, error) {
	f, l := frame(t, triangles, "warp", 8), testLimits
	f.Raster = renderer.ComputeRaster
	if change != nil {
		change(&f, &l)
	}
	return New(f, l)
}

func passNames(p *Plan) string {
	var names []string
	for i := range p.Passes {
		names = append(names, p.Passes[i].Name)
	}
	return strings.Join(names, " ")
}

func TestComputePasses(t *testing.T) {
	p := made(t)(computePlan(t, 100, nil))
	require.Equal(t, "clear camera:clips geometry:warp raster:setup raster:small raster:medium raster:large raster:clipped raster:tiled raster:resolve", passNames(p))
	require.Equal(t, []string{"Counts", "QueueStates", "RasterLists", "TileMarks", "Visible"}, touching(p, p.Passes[0], Write))
	require.False(t, p.Narrow)
	require.Contains(t, p.String(), "as RasterLists says")

	for name, change := range map[string]func(*renderer.Frame, *renderer.Limits){
		"asked for":  func(f *renderer.Frame, _ *renderer.Limits) { f.NarrowAtomics = true },
		"no atomics": func(_ *renderer.Frame, l *renderer.Limits) { l.Missing = []string{"Int64Atomics"} },
	} {
		p = made(t)(computePlan(t, 100, change))
		require.True(t, p.Narrow, name)
		require.Nil(t, p.Buffer("Visible"), name)
		require.Equal(t, 2, strings.Count(passNames(p), "raster:small"), name)
		for i := range p.Passes {
			if p.Passes[i].Pipeline() == nil {
				continue
			}
			for _, shader := range p.Passes[i].Pipeline().Shaders {
				s := must.Get(shaders.Find(shader))
				require.False(t, s.Needs("Int64Atomics"), "%s: %s", name, shader)
			}
		}
	}

	_, err := computePlan(t, 100, func(_ *renderer.Frame, l *renderer.Limits) { l.Missing = []string{"Int64", "Int64Atomics"} })
	require.ErrorContains(t, err, "needs 64-bit integers (Int64), which the device lacks; it runs --raster hardware")
}

// TestDoubles: triangles are clipped in doubles of the device if it has them.
func TestDoubles(t *testing.T) {
	for _, host := range []renderer.RasterHost{renderer.ComputeRaster, renderer.FusedRaster} {
		for _, missing := range [][]string{nil, {"Float64"}} {
			p := made(t)(computePlan(t, 100, func(f *renderer.Frame, l *renderer.Limits) { f.Raster, l.Missing = host, missing }))
			needs := 0
			for i := range p.Passes {
				if pipeline := p.Passes[i].Pipeline(); pipeline != nil && shaders.Must(pipeline.Shaders[0]).Needs("Float64") {
					require.Equal(t, "raster:clipped", p.Passes[i].Name)
					needs++
				}
			}
			require.Equal(t, 1-len(missing), needs, host)
		}
	}
}

// TestComputeChunks: each chunk has its own lists. The chunks of a half share a buffer with three
// entries per triangle of the largest chunk.
func TestComputeChunks(t *testing.T) {
	p := made(t)(computePlan(t, 5000, func(f *renderer.Frame, _ *renderer.Limits) { f.QueueBudget = 16 << 10 }))
	require.Greater(t, len(p.Chunks), 3)
	require.Equal(t, int64(3*4*p.TriangleCapacity), p.Buffer("RasterTriangles").Bytes)
	require.Equal(t, int64(len(p.Chunks)*shaders.RasterLists*shaders.RasterListSize), p.Buffer("RasterLists").Bytes)
	offsets := map[int64]string{}
	chunk := 0
	for i := range p.Passes {
		pass := &p.Passes[i]
		op, ok := pass.Op.(*Dispatch)
		switch {
		case !ok:
		case pass.Name == "raster:setup":
			c := p.Chunks[chunk]
			require.Equal(t, shaders.RasterPush{Chunk: uint32(chunk), FirstTriangle: uint32(c.FirstTriangle), TriangleCount: uint32(c.TriangleCount), Width: 64, Height: 32, FirstBatch: uint32(c.FirstBatch), BatchCount: uint32(c.BatchCount)}, *op.Raster)
			require.GreaterOrEqual(t, int(op.Groups[0]*op.Groups[1])*shaders.RasterSetupLanes, c.TriangleCount)
		case op.Indirect != nil:
			require.Equal(t, p.Find(RasterLists, p.Half(chunk)), op.Indirect.Buffer)
			require.Empty(t, offsets[op.Indirect.Offset])
			offsets[op.Indirect.Offset] = pass.Name
		case pass.Name == "raster:resolve":
			require.Equal(t, flag(chunk == 0), op.Spec["FIRST"])
			chunk++
		}
	}
	require.Equal(t, len(p.Chunks), chunk)
	require.Len(t, offsets, shaders.RasterClasses*chunk)
	require.Equal(t, "raster:resolve", p.Passes[len(p.Passes)-1].Name)
}

// TestTooManyTiles: a frame whose tiles may need more workgroups than a dispatch can have is refused
// before it reaches the device.
func TestTooManyTiles(t *testing.T) {
	change := func(f *renderer.Frame, l *renderer.Limits) { l.MaxGroups, f.Width, f.Height = 256, 4096, 4096 }
	made(t)(computePlan(t, 1024, change))
	_, err := computePlan(t, 1025, change)
	require.EqualError(t, err, "1025 triangles per chunk at 4096x4096 pixels may need 81920 workgroups, the device runs 65536: a smaller --queue-budget helps")
}

func TestVisibleTriangles(t *testing.T) {
	p := made(t)(computePlan(t, 5000, func(f *renderer.Frame, _ *renderer.Limits) { f.QueueBudget = 16 << 10 }))
	require.Equal(t, []uint32{0, 1, 5000}, p.VisibleTriangles([]uint64{0, 7<<32 | uint64(^uint32(0)), 1<<32 | uint64(^uint32(4999))}))
	for _, c := range p.Chunks {
		for _, place := range []int{0, 1, c.TriangleCount - 1} {
			word := uint32(c.FirstTriangle + c.TriangleCount - place)
			require.Equal(t, []uint32{0, uint32(c.FirstTriangle + place + 1)}, p.VisibleTrianglesNarrow([]uint32{0, word}))
		}
	}
}

func TestVisibleIsRefusedOfHardware(t *testing.T) {
	p := made(t)(New(frame(t, 10, "warp", 8), testLimits))
	camera := renderer.FitCamera(p.Frame.Scene.Bounds(), 2)
	require.ErrorContains(t, p.CheckExec(camera, renderer.WantVisible), "hardware rasterizer")
	require.NoError(t, p.CheckExec(camera, renderer.WantColor))
}
