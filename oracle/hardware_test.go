package oracle

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer"
)

// hardwareOffence returns what is wrong with a graphics pipeline's counts: a referenced vertex must
// be shaded at least once, and at most once per index that references it.
func hardwareOffence(s *geometry.Scene, counts []uint32) string {
	named := make([]uint32, s.DrawVertices())
	for i, offset := range reuse.CountOffsets(s) {
		for _, id := range s.DrawIndices(i) {
			named[offset+id]++
		}
	}
	if len(counts) != len(named) {
		return fmt.Sprintf("%d counts for %d vertices", len(counts), len(named))
	}
	for v, n := range counts {
		if n > named[v] || n == 0 && named[v] > 0 {
			return fmt.Sprintf("vertex %d was shaded %d times, %d indices name it", v, n, named[v])
		}
	}
	return ""
}

func sum(counts []uint32) (n uint64) {
	for _, c := range counts {
		n += uint64(c)
	}
	return n
}

// checkHardware checks the counts of a scene drawn by the graphics pipeline against the contract. On Mesa's CPU driver
// their sum must also equal the number in the pipeline's statistics, and be the same when drawn again.
func checkHardware(t *testing.T, b *gpu.Backend, s *geometry.Scene) {
	counts, invocations, err := b.Info().HardwareCounts(s)
	require.NoError(t, err, s.Name)
	require.Empty(t, hardwareOffence(s, counts), s.Name)
	st := must.Get(reuse.NewStats(s, counts))
	t.Logf("%s: %d indices, %d counted, %d by the query, reuse %.4f, ideal %.4f", s.Name, st.Indices, st.Invocations, invocations, st.Reuse(), st.Ideal())
	if b.GPU().Info.DriverName != "llvmpipe" {
		return
	}
	require.Equal(t, sum(counts), invocations, s.Name)
	again, invocations, err := b.Info().HardwareCounts(s)
	require.NoError(t, err, s.Name)
	require.Equal(t, sum(counts), sum(again), s.Name)
	require.Equal(t, sum(counts), invocations, s.Name)
}

func TestHardwareCounts(t *testing.T) {
	b := openGPU(t)
	require.Empty(t, b.Info().HardwareLacks)
	for _, name := range append(slices.Clone(smallAssets), "sphere6") {
		s := asset(t, name)
		checkHardware(t, b, s)
		checkHardware(t, b, shuffled(s))
	}
}

// Random draws: gaps, overlaps and instances in both pools, unreferenced vertices, triangles with
// repeated indices, indices in order.
func TestHardwareCountsOfRandomDraws(t *testing.T) {
	b, r := openGPU(t), rand.New(rand.NewPCG(3, 3))
	for i := range 12 {
		s := &geometry.Scene{Name: fmt.Sprintf("random %d", i), Positions: make([]mgl32.Vec3, 1000), Indices: make([]uint32, 6000)}
		for v := range s.Positions {
			s.Positions[v] = mgl32.Vec3{r.Float32(), r.Float32(), r.Float32()}
		}
		span := 1 + r.Uint32N(500)
		for k := range s.Indices {
			if s.Indices[k] = r.Uint32N(span); i%3 == 0 {
				s.Indices[k] = uint32(k) % span
			}
		}
		for range 1 + r.IntN(5) {
			first := r.Uint32N(5000)
			s.Draws = append(s.Draws, geometry.Draw{
				FirstIndex: first, IndexCount: 3 * r.Uint32N((6000-first)/3), VertexOffset: r.Uint32N(500), VertexCount: 500,
				Transform: mgl32.Ident4(), Color: geometry.DefaultColor,
			})
		}
		s.Draws = append(s.Draws, s.Draws[0])
		s.Draws[0].IndexCount = 300
		require.NoError(t, s.Validate(t.Context()))
		require.NoError(t, s.MakeNormals(t.Context()))
		checkHardware(t, b, s)
	}
}

func TestHardwareCountsOfTheBunny(t *testing.T) {
	checkHardware(t, openGPU(t), sharedMesh(t, "bun_zipper.ply"))
}

// Frames of a strategy and hardware counts take turns on one scene, whose pools the device keeps: counts stay right.
func TestHardwareCountsBetweenStrategies(t *testing.T) {
	b, s := openGPU(t), asset(t, "city6")
	c := resolve(t, "warp", 8, 0)
	_, want := must.Get2(reuse.Analyze(s, c))
	for range 2 {
		out, _ := render(t, b, renderer.Frame{Scene: s, Reuse: c, NoRaster: true}, renderer.FitCamera(s.Bounds(), 1), renderer.WantCounts)
		require.Equal(t, want, out.Counts)
		require.Zero(t, out.PipelineStatistics, "no direct pass ran")
		checkHardware(t, b, s)
	}
}

func TestTheHardwareContractCanFail(t *testing.T) {
	b, s := openGPU(t), asset(t, "sphere4")
	counts, _ := must.Get2(b.Info().HardwareCounts(s))
	require.Empty(t, hardwareOffence(s, counts))
	for _, n := range []uint32{0, 100} {
		wrong := slices.Clone(counts)
		wrong[1000] = n
		require.Contains(t, hardwareOffence(s, wrong), fmt.Sprintf("vertex 1000 was shaded %d times", n))
	}
	require.Contains(t, hardwareOffence(s, counts[1:]), "2561 counts for 2562 vertices")
}

// rawCameras show a scene whole, from the inside, and a few pixels large.
var rawCameras = []string{"", "zoom=4", "az=77,el=-15,zoom=6,fov=100", "az=200,zoom=0.1"}

// TestRawAgainstSoft compares the picture of the graphics pipeline alone with soft's, and with the hardware
// rasterizer's from the queues. The queues hold bit-equal vertices, so these two pictures must be equal.
func TestRawAgainstSoft(t *testing.T) {
	b, cpu := backends(t)
	const want = renderer.WantColor | renderer.WantDepth
	for _, name := range smallAssets {
		s := asset(t, name)
		for _, text := range rawCameras {
			camera := cameraOf(t, text, s.Bounds(), 1)
			f := pictureFrame(t, s, renderer.Shaded)
			queued, _ := render(t, b, f, camera, want)
			f.Raster = renderer.SoftRaster
			reference, _ := render(t, cpu, f, camera, want)
			p := planned(t, b, renderer.Frame{Raw: true, Scene: s, View: renderer.Shaded, Width: f.Width, Height: f.Height})
			raw := must.Get(b.Exec(p, camera, want))

			r := compared(t, reference, raw)
			require.NoError(t, r.Check(hardwareShare(b)), "%s, %q: %v", name, text, r)
			require.NotZero(t, r.Drawn, "%s, %q", name, text)
			require.Equal(t, queued.Depth, raw.Depth, "%s, %q", name, text)
			require.Equal(t, queued.Color.Pix, raw.Color.Pix, "%s, %q", name, text)
		}
	}
}

// TestRawCounts colours the graphics pipeline's picture by Frame.Shown: it equals the counts view of a strategy with these
// counts.
func TestRawCounts(t *testing.T) {
	b := openGPU(t)
	for _, name := range []string{"knot24", "soup", "city6"} {
		s := asset(t, name)
		counted := renderPicture(t, b, pictureFrame(t, s, renderer.Counts))
		f := pictureFrame(t, s, renderer.Counts)
		_, p := render(t, b, f, renderer.FitCamera(s.Bounds(), 1), 0)
		out := must.Get(b.Exec(p, renderer.FitCamera(s.Bounds(), 1), renderer.WantCounts))
		raw := planned(t, b, renderer.Frame{Raw: true, Scene: s, View: renderer.Counts, Shown: out.Counts, Width: f.Width, Height: f.Height})
		for range 2 {
			got := must.Get(b.Exec(raw, renderer.FitCamera(s.Bounds(), 1), renderer.WantColor))
			require.Equal(t, counted.Color.Pix, got.Color.Pix, name)
		}
	}
}
