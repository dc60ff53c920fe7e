package soft

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

func ball(rows int, shuffled bool) *geometry.Scene {
	s := &geometry.Scene{Name: "ball"}
	for i := range rows + 1 {
		for k := range 2*rows + 1 {
			a, b := float64(i)*math.Pi/float64(rows), float64(k)*math.Pi/float64(rows)
			s.Positions = append(s.Positions, mgl32.Vec3{float32(math.Sin(a) * math.Cos(b)), float32(math.Cos(a)), float32(math.Sin(a) * math.Sin(b))})
		}
	}
	wide := uint32(2*rows + 1)
	var faces [][3]uint32
	for i := range uint32(rows) {
		for k := range wide - 1 {
			v := i*wide + k
			faces = append(faces, [3]uint32{v, v + 1, v + wide}, [3]uint32{v + 1, v + wide + 1, v + wide})
		}
	}
	if shuffled {
		r := rand.New(rand.NewPCG(1, 1))
		r.Shuffle(len(faces), func(i, k int) { faces[i], faces[k] = faces[k], faces[i] })
	}
	for _, f := range faces {
		s.Indices = append(s.Indices, f[:]...)
	}
	s.Draws = []geometry.Draw{{
		Name: "ball", IndexCount: uint32(len(s.Indices)), VertexCount: uint32(len(s.Positions)),
		Transform: mgl32.Ident4(), Color: geometry.DefaultColor,
	}}
	_ = s.MakeNormals(context.Background()) // never cancelled
	return s
}

func balls(rows int) *geometry.Scene {
	s := ball(rows, false)
	for i, x := range []float32{-1.5, 0.3, 1.8} {
		d := s.Draws[0]
		d.IndexCount -= uint32(3 * i)
		d.Transform = mgl32.Translate3D(x, 0.2*x, -x).Mul4(mgl32.Scale3D(0.7, 0.5+0.1*x, 0.6))
		d.Color = mgl32.Vec4{0.2 + 0.3*float32(i), 0.9 - 0.3*float32(i), 0.5, 1}
		s.Draws = append(s.Draws, d)
	}
	return s
}

func frameOf(t testing.TB, s *geometry.Scene, strategy string, lanes int, view renderer.View) renderer.Frame {
	require.NoError(t, s.Validate(t.Context()))
	return renderer.Frame{Scene: s, Reuse: must.Get(reuse.Resolve(strategy, lanes, 0)), View: view, Raster: renderer.SoftRaster, Width: 96, Height: 72}
}

func fit(f renderer.Frame) renderer.Camera {
	return renderer.FitCamera(f.Scene.Bounds(), float32(f.Width)/float32(f.Height))
}

const wantAll = renderer.WantColor | renderer.WantDepth | renderer.WantCounts | renderer.WantQueues

func render(t testing.TB, b *Backend, f renderer.Frame) (*renderer.Output, *plan.Plan) {
	out, p := must.Get2(plan.Render(b, f, fit(f), wantAll))
	return out, p
}

func withThreads(n int) *Backend { return &Backend{threads: n} }

func samePicture(t testing.TB, want, got *renderer.Output, what string) {
	require.True(t, bytes.Equal(want.Color.Pix, got.Color.Pix), "%s: colours differ", what)
	for i := range want.Depth {
		if want.Depth[i] != got.Depth[i] {
			require.Failf(t, "depths differ", "%s: pixel %d: %v and %v", what, i, want.Depth[i], got.Depth[i])
		}
	}
}

// TestUnitOfAnyVector: a vector of length 1e-14 to 1e14 gets unit length. A longer one does not become shorter than that,
// a shorter one grows 1.1e15-fold at most, and none gives NaN.
func TestUnitOfAnyVector(t *testing.T) {
	direction := mgl32.Vec3{.6, 0, -.8}
	for exponent := -45; exponent < 39; exponent++ {
		length := float32(1)
		for range max(exponent, -exponent) {
			length *= 10
		}
		v := direction.Mul(length)
		if exponent < 0 {
			v = direction.Mul(1 / length)
		}
		u := unit(&v)
		require.Equal(t, u, u, "10^%d", exponent)
		switch {
		case exponent <= -15:
			require.LessOrEqual(t, u.Len(), 1.1e15/length, "10^%d", exponent)
		case exponent >= 15:
			require.GreaterOrEqual(t, u[0], float32(.599), "10^%d", exponent)
			require.LessOrEqual(t, u[2], float32(-.799), "10^%d", exponent)
		default:
			require.InDelta(t, .6, u[0], 4e-7, "10^%d", exponent)
			require.InDelta(t, -.8, u[2], 4e-7, "10^%d", exponent)
		}
	}
}

func TestChunksChangeNoPixel(t *testing.T) {
	for _, view := range []renderer.View{renderer.Counts, renderer.Batches, renderer.Shaded} {
		for _, queue := range []renderer.QueueForm{renderer.Indexed, renderer.Expanded} {
			for _, name := range reuse.Names() {
				f := frameOf(t, balls(11), name, 16, view)
				f.Queue, f.Reuse.Batch = queue, 48
				want, p := render(t, New(), f)
				require.Len(t, p.Chunks, 1)
				f.QueueBudget = 16 << 10
				got, p := render(t, New(), f)
				if f.Reuse.Strategy.WholeDraws {
					require.Len(t, p.Chunks, 1, "whatever the budget")
				} else {
					require.Greater(t, len(p.Chunks), 3)
				}
				samePicture(t, want, got, fmt.Sprint(name, queue, view))
			}
		}
	}
}

func TestThreadsChangeNothing(t *testing.T) {
	for _, queue := range []renderer.QueueForm{renderer.Indexed, renderer.Expanded} {
		f := frameOf(t, ball(70, true), "warp", 8, renderer.Counts)
		f.Queue = queue
		want, _ := render(t, withThreads(1), f)
		got, _ := render(t, withThreads(7), f)
		samePicture(t, want, got, queue.String())
		require.Equal(t, want.Queues, got.Queues)
		require.Equal(t, want.Counts, got.Counts)
	}
}

// assetNames are small scenes of every kind.
var assetNames = []string{"triangle", "cube", "sphere2", "knot6", "terrain12", "grid9", "tree3", "soup", "city3"}

// TestAssets draws small assets with every strategy and queue form, in chunks if they are large enough. The picture is
// that of naive with the default queue budget, and the counts are the reference's. Lanes differ by asset.
func TestAssets(t *testing.T) {
	for i, name := range assetNames {
		t.Run(name, func(t *testing.T) {
			s := must.Get(assets.Make(name))
			want, _ := render(t, withThreads(1), frameOf(t, s, "naive", 32, renderer.Shaded))
			drawn := 0
			for _, d := range want.Depth {
				if d < 1 {
					drawn++
				}
			}
			require.Greater(t, drawn, len(want.Depth)/50)
			for _, strategy := range reuse.Names() {
				for _, queue := range []renderer.QueueForm{renderer.Indexed, renderer.Expanded} {
					f := frameOf(t, s, strategy, reuse.LaneCounts[i%len(reuse.LaneCounts)], renderer.Shaded)
					f.Queue, f.QueueBudget, f.Reuse.Batch = queue, 8<<10, max(48, 3*f.Reuse.Lanes)
					got, _ := render(t, New(), f)
					samePicture(t, want, got, fmt.Sprint(strategy, queue))
					stats, counts := must.Get2(reuse.Analyze(s, f.Reuse))
					require.Equal(t, stats, got.Stats)
					require.Equal(t, counts, got.Counts)
				}
			}
		})
	}
}
