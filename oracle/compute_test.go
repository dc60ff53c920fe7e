package oracle

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/imgdiff"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// computeShare is the share of pixels in which compute and soft must have the
// same colour. Their triangles and depths must be the same in all.
const computeShare = 0.999

const wantRaster = renderer.WantColor | renderer.WantDepth | renderer.WantVisible

// cameras look at a scene from all sides that a rasterizer may mind.
func cameras(t testing.TB, s *geometry.Scene, aspect float32) map[string]renderer.Camera {
	list := map[string]renderer.Camera{"fit": renderer.FitCamera(s.Bounds(), aspect)}
	for name, text := range map[string]string{
		"inside":  "az=77,el=-15,zoom=12,fov=100",
		"grazing": "az=3,el=1,zoom=3",
		"far":     "az=200,el=30,zoom=0.02",
		"ortho":   "ortho,az=40,el=20,zoom=4",
	} {
		c, err := renderer.ParseCamera(text, s.Bounds(), aspect)
		require.NoError(t, err)
		list[name] = c
	}
	return list
}

// sameAsSoft draws a frame by compute and by soft, and compares them.
func sameAsSoft(t testing.TB, b, cpu renderer.Backend, f renderer.Frame, c renderer.Camera, what string) *renderer.Output {
	f.Raster = renderer.SoftRaster
	want, _, err := renderer.Render(cpu, f, c, wantRaster)
	require.NoError(t, err, what)
	f.Raster = renderer.ComputeRaster
	got, _, err := renderer.Render(b, f, c, wantRaster)
	require.NoError(t, err, what)
	sameTriangles(t, want, got, what)
	r, err := imgdiff.Compare(want.Color, got.Color, imgdiff.Options{})
	require.NoError(t, err)
	require.GreaterOrEqual(t, r.Equal(), computeShare, "%s: %v", what, r)
	return got
}

func sameTriangles(t testing.TB, want, got *renderer.Output, what string) {
	require.Len(t, got.Visible, len(want.Visible), what)
	for i := range want.Visible {
		if want.Visible[i] != got.Visible[i] || want.Depth[i] != got.Depth[i] {
			require.Failf(t, "pixels differ", "%s: pixel %d shows triangle %d at %v, soft has %d at %v",
				what, i, int(got.Visible[i])-1, got.Depth[i], int(want.Visible[i])-1, want.Depth[i])
		}
	}
}

func computeFrame(t testing.TB, s *geometry.Scene, view renderer.View, width, height int) renderer.Frame {
	f := pictureFrame(t, s, view)
	f.Raster, f.Width, f.Height = renderer.ComputeRaster, width, height
	return f
}

func drawn(out *renderer.Output) (n int) {
	for _, v := range out.Visible {
		if v != 0 {
			n++
		}
	}
	return n
}

// TestComputeAgainstSoft: every asset, view, queue form and way of atomics, from
// five places, at an even and an odd size.
func TestComputeAgainstSoft(t *testing.T) {
	b := openGPU(t)
	b.Keep(1)
	cpu := soft.New()
	defer cpu.Close()
	for _, name := range smallAssets {
		s := asset(t, name)
		total := 0
		for _, size := range [][2]int{{128, 128}, {131, 77}} {
			for at, camera := range cameras(t, s, float32(size[0])/float32(size[1])) {
				for view := range renderer.View(len(renderer.ViewNames)) {
					f := computeFrame(t, s, view, size[0], size[1])
					// Each way to draw meets each view somewhere.
					k := int(view) + size[0] + len(at)
					f.Queue = renderer.QueueForm(k % 2)
					f.NarrowAtomics = k%3 == 0
					out := sameAsSoft(t, b, cpu, f, camera, fmt.Sprintf("%s, %s, %s, %v", name, at, view, size))
					total += drawn(out)
				}
			}
		}
		require.NotZero(t, total, name)
	}
}

// TestComputeWaysAreEqual draws the same picture by both queue forms, by whole
// draws, in chunks, and with either kind of atomics.
func TestComputeWaysAreEqual(t *testing.T) {
	b := openGPU(t)
	cpu := soft.New()
	defer cpu.Close()
	for _, name := range []string{"sphere4", "city6", "soup"} {
		s := asset(t, name)
		for _, at := range []string{"fit", "inside"} {
			camera := cameras(t, s, 1)[at]
			want := sameAsSoft(t, b, cpu, computeFrame(t, s, renderer.Shaded, 128, 128), camera, name)
			for _, strategy := range []string{"warp", "hash", "multi"} {
				for way := range 8 {
					f := computeFrame(t, s, renderer.Shaded, 128, 128)
					config, err := reuse.Resolve(strategy, 0, 0)
					require.NoError(t, err)
					f.Reuse, f.Queue, f.NarrowAtomics = config, renderer.QueueForm(way%2), way&2 != 0
					if way&4 != 0 {
						f.QueueBudget = 48 << 10
					}
					got, plan, err := renderer.Render(b, f, camera, wantRaster)
					require.NoError(t, err)
					what := fmt.Sprintf("%s, %s, %s, %d chunks, narrow %t", name, strategy, f.Queue, len(plan.Chunks), f.NarrowAtomics)
					require.True(t, way&4 == 0 || strategy == "multi" || len(plan.Chunks) > 1, what)
					sameTriangles(t, want, got, what)
					require.Equal(t, want.Color.Pix, got.Color.Pix, what)
				}
			}
		}
	}
}

// TestComputeGoldens holds compute against the pictures that soft made.
func TestComputeGoldens(t *testing.T) {
	b := openGPU(t)
	for range 2 { // twice: state must not leak
		for _, name := range smallAssets {
			f := computeFrame(t, asset(t, name), renderer.Counts, 128, 128)
			out, _, err := renderer.Render(b, f, renderer.FitCamera(f.Scene.Bounds(), 1), renderer.WantColor)
			require.NoError(t, err)
			r, err := imgdiff.Compare(readPNG(t, goldenPath(name)), out.Color, imgdiff.Options{})
			require.NoError(t, err)
			require.GreaterOrEqual(t, r.Equal(), computeShare, "%s: %v", name, r)
		}
	}
}

// clipScene has triangles whose clip positions are given, up to the camera: seen
// by flatCamera they are exact.
func clipScene(positions []mgl32.Vec3) *geometry.Scene {
	s := &geometry.Scene{Name: "triangles", Positions: positions}
	for i := range positions {
		s.Indices = append(s.Indices, uint32(i))
	}
	s.Draws = []geometry.Draw{{
		Name: "triangles", IndexCount: uint32(len(s.Indices)), VertexCount: uint32(len(positions)),
		Transform: mgl32.Ident4(), Color: geometry.DefaultColor,
	}}
	s.MakeNormals()
	return s
}

// pairCell is the pixels a side that a pair of TestComputeSharedEdges has for itself.
const pairCell = 12

// TestComputeSharedEdges draws pairs of triangles that share an edge, at random
// subpixel places, each pair in a cell of the picture: first triangles and second
// triangles apart. No pixel may be in both, and both together must be
// what soft draws.
func TestComputeSharedEdges(t *testing.T) {
	b := openGPU(t)
	cpu := soft.New()
	defer cpu.Close()
	const wide, pairs = 100, 10000
	const side = wide * pairCell
	r := rand.New(rand.NewPCG(11, 12))
	var first, second []mgl32.Vec3
	for i := range pairs {
		x0, y0 := float32(i%wide*pairCell), float32(i/wide*pairCell)
		point := func() mgl32.Vec3 {
			c := func() float32 {
				v := r.IntN(256 * (pairCell - 2))
				if r.IntN(2) == 0 {
					v = v/256*256 + 128 // through pixels' centres, where the rule decides
				}
				return float32(v)/256 + 1
			}
			return mgl32.Vec3{2*(x0+c())/side - 1, 2*(y0+c())/side - 1, 0}
		}
		a, c, d, e := point(), point(), point(), point()
		sideOf := func(p mgl32.Vec3) float32 { return (c[0]-a[0])*(p[1]-a[1]) - (c[1]-a[1])*(p[0]-a[0]) }
		if (sideOf(d) < 0) == (sideOf(e) < 0) {
			e = d // one triangle twice would overlap: the second has no area
			e[0], e[1] = a[0], a[1]
		}
		first = append(first, a, c, d)
		second = append(second, e, c, a)
	}
	camera, err := renderer.ParseCamera("front,ortho", geometry.Box{Min: mgl32.Vec3{-1, -1, -1}, Max: mgl32.Vec3{1, 1, 1}}, 1)
	require.NoError(t, err)
	var seen [2]*renderer.Output
	for i, positions := range [][]mgl32.Vec3{first, second} {
		for _, narrow := range []bool{false, true} {
			f := computeFrame(t, clipScene(positions), renderer.Shaded, side, side)
			f.NarrowAtomics = narrow
			seen[i] = sameAsSoft(t, b, cpu, f, camera, fmt.Sprint("half ", i))
		}
		require.Greater(t, drawn(seen[i]), pairs)
	}
	for i := range seen[0].Visible {
		require.False(t, seen[0].Visible[i] != 0 && seen[1].Visible[i] != 0, "pixel %d is drawn twice", i)
	}
}

// TestComputeHostileTriangles: corners that are huge, tiny, behind the eye or on
// planes, drawn by all lists.
func TestComputeHostileTriangles(t *testing.T) {
	b := openGPU(t)
	cpu := soft.New()
	defer cpu.Close()
	r := rand.New(rand.NewPCG(13, 14))
	scales := []float32{1e-30, 1e-3, 1, 1, 1, 1, 30, 3e4, 1e15}
	var positions []mgl32.Vec3
	for range 3 * 2000 {
		scale := scales[r.IntN(len(scales))]
		positions = append(positions, mgl32.Vec3{scale * (2*r.Float32() - 1), scale * (2*r.Float32() - 1), scale * (2*r.Float32() - 1)})
	}
	s := clipScene(positions)
	box := geometry.Box{Min: mgl32.Vec3{-1, -1, -1}, Max: mgl32.Vec3{1, 1, 1}}
	for _, text := range []string{"", "zoom=3,fov=120", "az=33,el=12,zoom=50,fov=1", "ortho,az=10,el=80"} {
		for _, size := range [][2]int{{96, 96}, {1, 1}, {257, 3}} {
			camera, err := renderer.ParseCamera(text, box, float32(size[0])/float32(size[1]))
			require.NoError(t, err)
			f := computeFrame(t, s, renderer.Batches, size[0], size[1])
			f.NarrowAtomics = size[0] == 257
			sameAsSoft(t, b, cpu, f, camera, fmt.Sprintf("%q, %v", text, size))
		}
	}
}
