package soft

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

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
	out, p, err := plan.Render(b, f, fit(f), wantAll)
	require.NoError(t, err)
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
