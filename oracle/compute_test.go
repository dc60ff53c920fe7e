package oracle

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

const wantRaster = renderer.WantColor | renderer.WantDepth | renderer.WantVisible

// cameras returns views of a scene that are hard for a rasterizer.
func cameras(t testing.TB, s *geometry.Scene, aspect float32) map[string]renderer.Camera {
	list := map[string]renderer.Camera{"fit": renderer.FitCamera(s.Bounds(), aspect)}
	for name, text := range map[string]string{
		"inside":  "az=77,el=-15,zoom=12,fov=100",
		"grazing": "az=3,el=1,zoom=3",
		"far":     "az=200,el=30,zoom=0.02",
		"ortho":   "ortho,az=40,el=20,zoom=4",
	} {
		c := cameraOf(t, text, s.Bounds(), aspect)
		list[name] = c
	}
	return list
}

// sameAsSoft draws a frame with compute and with soft, and compares the pictures.
func sameAsSoft(t testing.TB, b, cpu plan.Backend, f renderer.Frame, c renderer.Camera, what string) *renderer.Output {
	f.Raster = renderer.SoftRaster
	want, _ := render(t, cpu, f, c, wantRaster, what)
	f.Raster = renderer.ComputeRaster
	got, _ := render(t, b, f, c, wantRaster, what)
	sameTriangles(t, want, got, what)
	samePixels(t, want, got, what)
	return got
}

// samePixels requires two pictures to be equal in every pixel, as those of compute, fused and soft are.
func samePixels(t testing.TB, want, got *renderer.Output, what string) {
	require.True(t, bytes.Equal(want.Color.Pix, got.Color.Pix), "%s: %v", what, compared(t, want, got))
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

// TestComputeAgainstSoft draws every asset with every view, from five positions, at an even and an odd size. Both queue
// forms and both widths of atomics occur with each view. With -short each view has one of each, and only pairs of the other
// choices are covered.
func TestComputeAgainstSoft(t *testing.T) {
	b, cpu := backends(t)
	type look struct {
		name string
		size [2]int
		at   string
		view renderer.View
	}
	var looks []look
	for _, name := range smallAssets {
		for _, size := range [][2]int{{80, 128}, {131, 77}} {
			for _, at := range slices.Sorted(maps.Keys(cameras(t, asset(t, name), 1))) {
				for view := range renderer.View(len(renderer.ViewNames)) {
					looks = append(looks, look{name, size, at, view})
				}
			}
		}
	}
	total := map[string]int{}
	for _, l := range cover(looks, func(l look) []any { return []any{l.name, l.size, l.at, l.view} }) {
		f := computeFrame(t, asset(t, l.name), l.view, l.size[0], l.size[1])
		// Without -short each way to draw is combined with each view.
		k := int(l.view)
		if !testing.Short() {
			k += l.size[0] + len(l.at)
		}
		f.Queue = renderer.QueueForm(k % 2)
		f.NarrowAtomics = k%3 == 0
		camera := cameras(t, f.Scene, float32(l.size[0])/float32(l.size[1]))[l.at]
		total[l.name] += drawn(sameAsSoft(t, b, cpu, f, camera, fmt.Sprint(l)))
	}
	for _, name := range smallAssets {
		require.NotZero(t, total[name], name)
	}
}

// TestComputeWaysAreEqual draws the same picture with both queue forms, with whole draws, in
// chunks, and with either kind of atomics. The first scene has every triangle twice, mostly in
// different chunks: of two at equal depth the first must win.
func TestComputeWaysAreEqual(t *testing.T) {
	b, cpu := backends(t)
	type place struct {
		s      *geometry.Scene
		camera renderer.Camera
		want   *renderer.Output
	}
	var places []place
	for i, s := range assetList(t, "sphere4", "city6", "soup") {
		if i == 0 {
			twice := *s
			twice.Draws = slices.Repeat(s.Draws, 2)
			s = &twice
		}
		for _, at := range []string{"fit", "inside"} {
			camera := cameras(t, s, 1)[at]
			want := sameAsSoft(t, b, cpu, computeFrame(t, s, renderer.Shaded, 128, 128), camera, s.Name)
			places = append(places, place{s, camera, want})
		}
	}
	strategies := []string{"warp", "hash", "multi", "meshlet"}
	ways := choices(len(strategies), 2, 2, 2)
	for i := range len(ways) * len(places) {
		if testing.Short() && i%len(places) != i/len(places)%len(places) {
			continue // with -short each way draws from one position
		}
		choice, p := ways[i/len(places)], places[i%len(places)]
		strategy, narrow, chunks := strategies[choice[0]], choice[2] == 1, choice[3] == 1
		f := computeFrame(t, p.s, renderer.Shaded, 128, 128)
		config := resolve(t, strategy, 0, 0)
		f.Reuse, f.Queue, f.NarrowAtomics = config, renderer.QueueForm(choice[1]), narrow
		if chunks {
			f.QueueBudget = 48 << 10
		}
		got, made := render(t, b, f, p.camera, wantRaster)
		what := fmt.Sprintf("%s, %s, %s, %d chunks, narrow %t", p.s.Name, strategy, f.Queue, len(made.Chunks), f.NarrowAtomics)
		require.True(t, !chunks || strategy == "multi" || len(made.Chunks) > 1, what)
		sameTriangles(t, p.want, got, what)
		require.Equal(t, p.want.Color.Pix, got.Color.Pix, what)
	}
}

// triangleScene makes a scene with one triangle for every three positions.
func triangleScene(positions []mgl32.Vec3) *geometry.Scene {
	s := &geometry.Scene{Name: "triangles", Positions: positions}
	for i := range positions {
		s.Indices = append(s.Indices, uint32(i))
	}
	s.Draws = []geometry.Draw{{
		Name: "triangles", IndexCount: uint32(len(s.Indices)), VertexCount: uint32(len(positions)),
		Transform: mgl32.Ident4(), Color: geometry.DefaultColor,
	}}
	_ = s.MakeNormals(context.Background()) // fails only if its context ends
	return s
}

// flatCamera keeps x and negates y, so that clip positions are exact.
var flatCamera = renderer.Camera{FovY: 90, Distance: 1, Near: 0, Far: 2, Orthographic: true}

// pair is two triangles a, c, d and e, c, a that share an edge; positions are in subpixels from
// the centre of the first pixel of its cell.
type pair [4][2]int64

func (p pair) sideOf(i int) int64 { return side(p[0], p[1], p[i]) }

func side(a, c, p [2]int64) int64 { return (c[0]-a[0])*(p[1]-a[1]) - (c[1]-a[1])*(p[0]-a[0]) }

func randomPair(r *rand.Rand, pixels int64) (p pair) {
	for {
		for i := range p {
			for axis := range 2 {
				p[i][axis] = r.Int64N(256 * (pixels - 1))
				if r.IntN(2) == 0 {
					p[i][axis] &^= 255 // a pixel's centre, where the top-left rule decides
				}
			}
		}
		if (p.sideOf(2) < 0) != (p.sideOf(3) < 0) {
			return p
		}
	}
}

// covers tests a pixel's centre moved right by 2^-15 and down by 2^-30 subpixels. It then lies on
// no edge, so that the test is the top-left rule without special cases.
func covers(a, b, c [2]int64, x, y int64) bool {
	corners := [3][2]int64{a, b, c}
	positive := 0
	for i := range corners {
		from, to := corners[i], corners[(i+1)%3]
		dx, dy := to[0]-from[0], to[1]-from[1]
		value := dx*(256*y-from[1]) - dy*(256*x-from[0])
		if value<<30-dy<<15+dx > 0 {
			positive++
		}
	}
	return (positive == 3 || positive == 0) && side(a, b, c) != 0
}

// TestComputeSharedEdges draws pairs of triangles that share an edge, at random subpixel positions, each pair in a cell of
// the picture. It draws the first triangles and the second triangles separately: each must cover exactly the pixels that
// covers says, and no pixel may be in both pictures.
func TestComputeSharedEdges(t *testing.T) {
	b, cpu := backends(t)
	const cell = 10 // pixels
	size := 1024    // pixels
	if testing.Short() {
		size = 512
	}
	wide := size / cell // cells
	r := rand.New(rand.NewPCG(11, 12))
	pairs := make([]pair, wide*wide) // more than 10,000, with -short 2,601
	var halves [2][]mgl32.Vec3
	for i := range pairs {
		pairs[i] = randomPair(r, cell)
		at := func(k int) mgl32.Vec3 {
			x := float32(i%wide*cell) + float32(pairs[i][k][0]+128)/256
			y := float32(i/wide*cell) + float32(pairs[i][k][1]+128)/256
			return mgl32.Vec3{2*x/float32(size) - 1, 1 - 2*y/float32(size), 0}
		}
		halves[0] = append(halves[0], at(0), at(1), at(2))
		halves[1] = append(halves[1], at(3), at(1), at(0))
	}
	for _, narrow := range []bool{false, true} {
		var seen [2]*renderer.Output
		for i := range halves {
			f := computeFrame(t, triangleScene(halves[i]), renderer.Shaded, size, size)
			f.NarrowAtomics = narrow
			seen[i] = sameAsSoft(t, b, cpu, f, flatCamera, fmt.Sprint("half ", i))
			require.Greater(t, drawn(seen[i]), len(pairs))
		}
		for i, p := range pairs {
			for k := range int64(cell * cell) {
				x, y := k%cell, k/cell
				pixel := (i/wide*cell+int(y))*size + i%wide*cell + int(x)
				first, second := seen[0].Visible[pixel] == uint32(i+1), seen[1].Visible[pixel] == uint32(i+1)
				if first != covers(p[0], p[1], p[2], x, y) || second != covers(p[3], p[1], p[0], x, y) || first && second {
					require.Failf(t, "wrong coverage", "pair %v, pixel %d,%d: first %t, second %t", p, x, y, first, second)
				}
			}
		}
	}
}

// hostileCameras show the box from -1 to 1 in ways that are hard to draw.
var hostileCameras = []string{"", "zoom=3,fov=120", "az=33,el=12,zoom=50,fov=1", "ortho,az=10,el=80", "zoom=1000", "zoom=0.001,fov=170", "top,ortho,zoom=1000"}

// hostileScene returns triangles with corners of all magnitudes around the box from -1 to 1.
func hostileScene() *geometry.Scene {
	triangles := 2000
	if testing.Short() {
		triangles = 800
	}
	r := rand.New(rand.NewPCG(13, 14))
	scales := []float32{1e-30, 1e-3, 1, 1, 1, 1, 30, 3e4, 1e15}
	var positions []mgl32.Vec3
	for range 3 * triangles {
		scale := scales[r.IntN(len(scales))]
		positions = append(positions, mgl32.Vec3{scale * (2*r.Float32() - 1), scale * (2*r.Float32() - 1), scale * (2*r.Float32() - 1)})
	}
	return triangleScene(positions)
}

// hostileFrames draws hostileScene with each camera at each size; with -short at one size.
func hostileFrames(t *testing.T, draw func(camera int, f renderer.Frame, c renderer.Camera, what string)) {
	s := hostileScene()
	box := geometry.Box{Min: mgl32.Vec3{-1, -1, -1}, Max: mgl32.Vec3{1, 1, 1}}
	for i, text := range hostileCameras {
		for k, size := range [][2]int{{48, 160}, {1, 1}, {257, 3}} {
			if testing.Short() && k != i%3 {
				continue
			}
			camera := cameraOf(t, text, box, float32(size[0])/float32(size[1]))
			draw(i, computeFrame(t, s, renderer.Batches, size[0], size[1]), camera, fmt.Sprintf("%q, %v", text, size))
		}
	}
}

// TestComputeHostileTriangles draws triangles with coordinates from 1e-30 to 1e15, many of them behind the eye or outside of
// the view. In every pixel, compute and soft must show the same triangle at the same depth.
func TestComputeHostileTriangles(t *testing.T) {
	b, cpu := backends(t)
	hostileFrames(t, func(_ int, f renderer.Frame, camera renderer.Camera, what string) {
		f.NarrowAtomics = f.Width == 257
		sameAsSoft(t, b, cpu, f, camera, what)
	})
}

// TestComputeBudget: a scene that does not fit 256 KiB of queues looks the same as in one piece, in
// every view, and has the same counts.
func TestComputeBudget(t *testing.T) {
	b, cpu := backends(t)
	s := asset(t, "sphere5")
	camera := renderer.FitCamera(s.Bounds(), 1)
	for view := range renderer.View(len(renderer.ViewNames)) {
		f := computeFrame(t, s, view, 128, 128)
		f.QueueBudget = 1 << 30
		want, p := render(t, b, f, camera, wantRaster|renderer.WantCounts)
		require.Len(t, p.Chunks, 1)
		f.QueueBudget = 1 << 18
		got, p := render(t, b, f, camera, wantRaster|renderer.WantCounts)
		require.Greater(t, len(p.Chunks), 1)
		sameTriangles(t, want, got, view.String())
		require.Equal(t, want.Color.Pix, got.Color.Pix, view)
		require.Equal(t, want.Counts, got.Counts, view)
		sameAsSoft(t, b, cpu, f, camera, view.String())
	}
}

// TestComputeSharedMeshes draws real meshes from five positions.
func TestComputeSharedMeshes(t *testing.T) {
	if testing.Short() {
		t.Skip("large")
	}
	b, cpu := backends(t)
	for _, name := range []string{"bun_zipper.ply", "suzanne.obj", "spot.obj", "fandisk.obj.zst", "sw_oaktree.gltf.zst", "dragon_vrip_res3.ply"} {
		t.Run(name, func(t *testing.T) {
			s := sharedMesh(t, name)
			for at, camera := range cameras(t, s, 320.0/200) {
				sameAsSoft(t, b, cpu, computeFrame(t, s, renderer.Shaded, 320, 200), camera, name+", "+at)
			}
		})
	}
}

// TestComputeClippedTiles draws triangles of a few pixels, half of each beyond the near plane, everywhere in a picture of several
// tiles: what is found without clipping to miss a tile has no pixel there.
func TestComputeClippedTiles(t *testing.T) {
	b, cpu := backends(t)
	const width, height = 140, 75
	r := rand.New(rand.NewPCG(15, 16))
	var corners []mgl32.Vec3
	for range 4000 {
		x, y := width*r.Float32(), height*r.Float32()
		for k := range 3 {
			at := func(from float32) float32 { return 2*(from+6*r.Float32()-3)/height - 1 }
			corners = append(corners, mgl32.Vec3{at(x - (width-height)/2), at(y), float32(k&1)*3 - .5})
		}
	}
	f := computeFrame(t, triangleScene(corners), renderer.Shaded, width, height)
	out := sameAsSoft(t, b, cpu, f, flatCamera, "tiles")
	require.Greater(t, drawn(out), width*height/4)
}
