package plan

import (
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

func cullPlan(t testing.TB, triangles int, change func(*renderer.Frame)) (*Plan, error) {
	f := frame(t, triangles, "warp", 8)
	f.Cull = true
	if change != nil {
		change(&f)
	}
	return New(f, testLimits)
}

func TestCullPasses(t *testing.T) {
	p := made(t)(cullPlan(t, 100, nil))
	require.Equal(t, "clear camera:clips geometry:warp cull:triangles cull:shade queue:finish raster:hardware", passNames(p))
	require.Equal(t, []string{"Counts", "QueueStates", "CullCounts", "VertexMarks"}, touching(p, p.Passes[0], Write))
	require.Equal(t, int64(p.VertexCapacity)*4, p.Buffer("VertexMarks").Bytes)
	geometry, triangles, shade := p.Passes[2], p.Passes[3], p.Passes[4]
	require.Equal(t, uint32(1), spec(geometry, "CULL"))
	require.Equal(t, [2]uint32{2, 1}, triangles.Op.(*Dispatch).Groups)
	require.Equal(t, uint32(64), triangles.Op.(*Dispatch).Raster.Width)
	require.Equal(t, uint32(1), spec(triangles, "SLACK"), "another rasterizer draws")
	require.Equal(t, uint32(1), spec(shade, "COUNT"))
	require.LessOrEqual(t, p.VertexCapacity, int(shade.Op.(*Dispatch).Groups[0])*shaders.CullShadePlaces)

	p = made(t)(cullPlan(t, 100, func(f *renderer.Frame) { f.Raster = renderer.ComputeRaster }))
	require.True(t, strings.HasPrefix(passNames(p), "clear camera:clips geometry:warp cull:triangles cull:shade raster:setup"))
	require.Zero(t, spec(p.Passes[3], "SLACK"))

	p = made(t)(cullPlan(t, 100, func(f *renderer.Frame) { f.NoRaster, f.NoCounts, f.View = true, true, renderer.NoView }))
	require.Equal(t, "clear camera:clips geometry:warp cull:triangles cull:shade", passNames(p))
	require.Equal(t, p.VertexCapacity, p.AttributeCount(), "a vertex waits there for its attributes")
	for _, pass := range p.Passes {
		require.Zero(t, spec(pass, "COUNT")+spec(pass, "TALLY"), pass.Name)
	}

	// Without culling, the plan has none of its buffers and passes.
	p = made(t)(New(frame(t, 100, "warp", 8), testLimits))
	require.NotContains(t, p.String(), "VertexMarks")
	require.NotContains(t, passNames(p), "cull")
	require.Zero(t, spec(p.Passes[2], "CULL"))
}

// TestCullCountsAhead: the counts view of several chunks counts the survivors of all
// chunks, then clears the queue states, and then draws the first chunk.
func TestCullCountsAhead(t *testing.T) {
	p := made(t)(cullPlan(t, 5000, func(f *renderer.Frame) { f.QueueBudget = 64 << 10 }))
	n := len(p.Chunks)
	require.Greater(t, n, 1)
	names := strings.Fields(passNames(p))
	require.Equal(t, []string{"count:warp", "count:triangles", "count:shade"}, names[2:5])
	require.Equal(t, append([]string{"clear"}, "geometry:warp", "cull:triangles", "cull:shade"), names[2+3*n:6+3*n])
	require.Equal(t, []string{"QueueStates", "QueueStates#2"}, touching(p, p.Passes[2+3*n], Write))
	for i, pass := range p.Passes[2 : 2+3*n] {
		require.Equal(t, flag(pass.Name == "count:shade"), spec(pass, "COUNT"), pass.Name)
		require.Equal(t, uint32(i/3), pushOf(pass).Chunk)
		require.Zero(t, spec(pass, "TALLY")+spec(pass, "PHASE"))
	}
	for _, pass := range p.Passes[3+3*n:] {
		if strings.HasPrefix(pass.Name, "cull:") {
			require.Zero(t, spec(pass, "COUNT"), pass.Name)
			require.Equal(t, uint32(2), spec(pass, "TALLY")+spec(pass, "PHASE"))
		}
	}
}

func TestCullRefuses(t *testing.T) {
	for want, change := range map[string]func(*renderer.Frame){
		"culling needs the indexed queue: in the expanded one every triangle has shaded its own vertices": func(f *renderer.Frame) { f.Queue = renderer.Expanded },
		"picture of 0x9: each side must be 1 to 4096":                                                     func(f *renderer.Frame) { f.NoRaster, f.Width, f.Height = true, 0, 9 },
		"back faces of all are to be dropped, but nothing is culled":                                      func(f *renderer.Frame) { f.Cull, f.CullFaces = false, renderer.AllFaces },
		"back faces of unknown(3): have file, all, none":                                                  func(f *renderer.Frame) { f.CullFaces = 3 },
	} {
		_, err := cullPlan(t, 10, change)
		require.EqualError(t, err, want)
	}
}

func TestDrawFlags(t *testing.T) {
	for _, c := range []struct {
		transform mgl32.Mat4
		oneSided  bool
		want      uint32
	}{
		{mgl32.Ident4(), false, 0},
		{mgl32.Ident4(), true, shaders.DrawOneSided},
		{mgl32.Scale3D(1, -1, 1), true, shaders.DrawOneSided | shaders.DrawMirrored},
		{mgl32.Scale3D(-1, -1, 1), false, 0},
		{mgl32.Scale3D(-1, -1, -1), false, shaders.DrawMirrored},
		{mgl32.Scale3D(-1e-30, 1e-30, 1e-30), false, shaders.DrawMirrored},
		{mgl32.Translate3D(5, -6, 7).Mul4(mgl32.HomogRotate3DY(2)), false, 0},
		{mgl32.Scale3D(1, 0, 1), false, shaders.DrawMirrored},
	} {
		d := geometry.Draw{Transform: c.transform, OneSided: c.oneSided}
		require.Equal(t, c.want, drawFlags(&d), c.transform)
	}
}
