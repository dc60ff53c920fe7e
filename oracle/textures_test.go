package oracle

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// textureOf returns a material, and appends the texels of all its levels: red, green and blue in turn, with random alpha.
func textureOf(s *geometry.Scene, width, height int, seed uint64) geometry.Material {
	random := rand.New(rand.NewPCG(seed, 1))
	m := geometry.Material{Texel: len(s.Textures.Texels), Width: width, Height: height, Levels: geometry.MipLevels(width, height), Tint: mgl32.Vec3{1, 1, 1}}
	m.Transform = [2]mgl32.Vec3{{1, 0, 0}, {0, 1, 0}}
	for level := range m.Levels {
		for range max(width>>level, 1) * max(height>>level, 1) {
			s.Textures.Texels = append(s.Textures.Texels, 200<<(8*(level%3))|uint32(random.IntN(2))*0xf0000000)
		}
	}
	return m
}

// leaves returns n crossing quads and two instances, with textures of many sizes, wraps and cutoffs, and two sets of
// texture coordinates; every fourth quad has no texture.
func leaves(n int) *geometry.Scene {
	random := rand.New(rand.NewPCG(3, 3))
	s := &geometry.Scene{Name: "leaves", Textures: &geometry.Textures{Sets: []int{1, 0}}}
	coords := [2][]byte{}
	for i := range n {
		d := geometry.Draw{FirstIndex: uint32(len(s.Indices)), VertexOffset: uint32(len(s.Positions)), VertexCount: 4, IndexCount: 6, Transform: mgl32.HomogRotate3DY(float32(i)), Color: geometry.DefaultColor}
		d.Transform = mgl32.Translate3D(float32(i%4), float32(i/4), 0).Mul4(d.Transform)
		for k := range 4 {
			x, y := float32(k&1), float32(k>>1)
			s.Positions = append(s.Positions, mgl32.Vec3{2*x - 1, 2*y - 1, x * y})
			for set := range coords {
				for _, f := range []float32{4*x - 1.3, (2 - y) * float32(set+1)} {
					coords[set] = binary.LittleEndian.AppendUint32(coords[set], math.Float32bits(f))
				}
			}
		}
		s.Indices = append(s.Indices, 0, 1, 2, 2, 1, 3)
		if i%4 != 3 {
			m := textureOf(s, 1+random.IntN(40), 1<<random.IntN(6), uint64(i))
			m.Wrap = [2]geometry.Wrap{geometry.Wrap(i % 3), geometry.Wrap(i / 3 % 3)}
			m.Nearest = i%5 == 2
			m.Cutoff, m.Set = []float64{.5, 0, 1, .05}[i%4], i%2
			m.Transform = [2]mgl32.Vec3{{1.5, .25, .1}, {-.25, 1, float32(i)}}
			s.Textures.Materials = append(s.Textures.Materials, m)
			d.Material = uint32(len(s.Textures.Materials))
		}
		s.Draws = append(s.Draws, d)
	}
	s.Draws = append(s.Draws, s.Draws[0], s.Draws[1]) // instances; one with the other's texture
	s.Draws[n].Transform, s.Draws[n+1].Transform = mgl32.Translate3D(0, -2, 0), mgl32.Translate3D(2, -2, 1)
	s.Draws[n+1].Material = s.Draws[0].Material
	for set, name := range []string{"TEXCOORD_0", "TEXCOORD_1"} {
		s.Attributes = append(s.Attributes, geometry.Attribute{Name: name, Format: vertexformat.R32G32_SFLOAT, Data: coords[set]})
	}
	return s
}

func withNormals(t testing.TB, s *geometry.Scene) *geometry.Scene {
	require.NoError(t, s.MakeNormals(t.Context()))
	require.NoError(t, s.Validate(t.Context()))
	return s
}

// TestTexturesAgainstSoft: compute, with either width of atomics, and fused show the same triangle as soft in every pixel,
// in three views, whole and in chunks, with culling, and with quads that cross the near plane. Textures do not change
// counts. With -short it draws two strategies, from one position each.
func TestTexturesAgainstSoft(t *testing.T) {
	b, cpu := backends(t)
	s := withNormals(t, leaves(24))
	bare := *s
	bare.Textures = nil
	differ := 0
	for i, strategy := range []string{"claim", "naive", "hash", "warp", "meshlet", "multi"} {
		f := computeFrame(t, s, renderer.View(i%3), 90, 131)
		if i == 0 {
			f.View, f.Width, f.Height = renderer.Shaded, 131, 77
		}
		f.Reuse = resolve(t, strategy, 0, 0)
		if testing.Short() && i == 0 {
			f.Reuse = resolve(t, strategy, 0, alikeBatches) // as large as warp's, so that both share pipelines
		}
		if strategy == "multi" {
			f.View = renderer.Shaded
		}
		f.Cull, f.NarrowAtomics = i == 2 || i == 3, i%2 == 1
		if i == 3 {
			f.QueueBudget = 4 << 10
		}
		if f.NarrowAtomics && strategy == "naive" {
			f.Queue = renderer.Expanded
		}
		if testing.Short() && i != 0 && i != 3 && i != 5 {
			continue
		}
		for at, camera := range cameras(t, s, float32(f.Width)/float32(f.Height)) {
			if testing.Short() && at != []string{"inside", "", "", "fit", "", "fit"}[i] {
				continue
			}
			what := fmt.Sprint(strategy, f.View, at)
			got := sameAsSoft(t, b, cpu, f, camera, what)
			g := f
			g.Queue, g.NarrowAtomics = renderer.Indexed, false
			switch {
			case !g.Cull:
				fusedAsSoft(t, b, cpu, g, camera, what)
			case strategy != "multi":
				g.Raster = renderer.FusedRaster
				fused, _ := render(t, b, g, camera, wantRaster, what)
				sameTriangles(t, got, fused, what)
			}
			f.Scene = &bare
			without, _ := render(t, b, f, camera, wantRaster|renderer.WantCounts, what)
			f.Scene = s
			with, _ := render(t, b, f, camera, wantRaster|renderer.WantCounts, what)
			require.Equal(t, without.Counts, with.Counts, what)
			differ += drawn(without) - drawn(with)
		}
	}
	require.Positive(t, differ, "the alpha test drops nothing")
	f := pictureFrame(t, s, renderer.Normals)
	f.Raster = renderer.HardwareRaster
	require.NoError(t, compared(t, renderPicture(t, cpu, f), renderPicture(t, b, f)).Check(equalShare), "in other views than shaded, textures only drop pixels")
}

// TestTexturesInWindows: windows change no pixel, whether pools are on the device or windows have their own.
func TestTexturesInWindows(t *testing.T) {
	b, cpu := backends(t)
	many := leaves(24) // so small that its pools stay on the device
	for i := range 2000 {
		d := many.Draws[i%24]
		d.Transform = mgl32.Translate3D(float32(i%55), float32(i/55), 0).Mul4(d.Transform)
		many.Draws = append(many.Draws, d)
	}
	scenes := [2]*geometry.Scene{withNormals(t, leaves(3000)), withNormals(t, many)}
	camera := renderer.FitCamera(withNormals(t, leaves(24)).Bounds(), .75) // shows some leaves, each in many pixels
	held := map[bool]bool{}
	for i, raster := range []renderer.RasterHost{renderer.ComputeRaster, renderer.FusedRaster, renderer.SoftRaster, renderer.HardwareRaster, renderer.ComputeRaster, renderer.SoftRaster} {
		s := scenes[i/4]
		f := pictureFrame(t, s, []renderer.View{renderer.Shaded, renderer.Counts}[i/2%2])
		f.Raster, f.Width, f.Height, f.Reuse, f.QueueBudget = raster, 96, 128, resolve(t, "claim", 0, 96), 32<<10
		backend := plan.Backend(b)
		if raster == renderer.SoftRaster {
			backend = cpu
		}
		whole, _ := render(t, backend, f, camera, renderer.WantColor|renderer.WantDepth|renderer.WantCounts)
		resident, gathered := windowBudgets(t, backend, f)
		require.NotZero(t, max(resident, gathered))
		for _, budget := range []int64{resident, gathered} {
			if f.DeviceBudget = budget; budget > 0 {
				out, p := render(t, backend, f, camera, renderer.WantColor|renderer.WantDepth|renderer.WantCounts)
				what := fmt.Sprint(raster, p.Holds())
				require.Equal(t, whole.Color.Pix, out.Color.Pix, what)
				require.Equal(t, whole.Depth, out.Depth, what)
				require.Equal(t, whole.Counts, out.Counts, what)
				held[p.Gathered] = true
			}
		}
	}
	require.Len(t, held, 2, "gathered: %v", held)
}

// expectedTexel returns the alpha and the level that a pixel shows of a quad in the plane z=0 whose
// texture coordinates are x and y, in float64 and by independent formulas. sure is false near an
// edge of the quad, a level or the cutoff.
func expectedTexel(s *geometry.Scene, m *geometry.Material, camera renderer.Camera, width, height, px, py int) (alpha float64, level int, inside, sure bool) {
	v := camera.ViewProj(float32(width) / float32(height))
	var vp mgl64.Mat4
	for i := range v {
		vp[i] = float64(v[i])
	}
	back := vp.Inv()
	on := func(px, py float64) (x, y float64) {
		point := func(z float64) mgl64.Vec3 {
			p := back.Mul4x1(mgl64.Vec4{px/float64(width)*2 - 1, py/float64(height)*2 - 1, z, 1})
			return p.Vec3().Mul(1 / p[3])
		}
		a, b := point(.5), point(.9)
		k := a[2] / (a[2] - b[2])
		return a[0] + k*(b[0]-a[0]), a[1] + k*(b[1]-a[1])
	}
	x, y := on(float64(px)+.5, float64(py)+.5)
	edge := max(math.Abs(x), math.Abs(y))
	inside = edge < 1 && vp.Mul4x1(mgl64.Vec4{x, y, 0, 1})[3] > 0
	x1, y1 := on(float64(px)+.51, float64(py)+.5)
	x2, y2 := on(float64(px)+.5, float64(py)+.51)
	w, h := float64(m.Width), float64(m.Height)
	size := 100 * max(math.Hypot((x1-x)*w, (y1-y)*h), math.Hypot((x2-x)*w, (y2-y)*h))
	exact := max(math.Log2(size), 0)
	level = min(int(math.Round(exact)), m.Levels-1)
	sure = math.Abs(edge-1) > .02 && math.Abs(exact-math.Floor(exact)-.5) > .02
	first := m.Texel
	for l := range level {
		first += max(m.Width>>l, 1) * max(m.Height>>l, 1)
	}
	sizes := [2]int{max(m.Width>>level, 1), max(m.Height>>level, 1)}
	wrap := func(axis, i int) int {
		n := sizes[axis]
		switch m.Wrap[axis] {
		case geometry.Clamp:
			return min(max(i, 0), n-1)
		case geometry.Mirror:
			if i = ((i % (2 * n)) + 2*n) % (2 * n); i >= n {
				return 2*n - 1 - i
			}
			return i
		}
		return ((i % n) + n) % n
	}
	tx, ty := x*float64(sizes[0])-.5, y*float64(sizes[1])-.5
	if m.Nearest {
		nearX, nearY := math.Floor(tx+.5), math.Floor(ty+.5)
		sure = sure && max(math.Abs(tx-nearX), math.Abs(ty-nearY)) < .48
		tx, ty = nearX, nearY
	}
	for k := range 4 {
		i, j := math.Floor(tx)+float64(k&1), math.Floor(ty)+float64(k>>1)
		share := (1 - math.Abs(tx-i)) * (1 - math.Abs(ty-j))
		alpha += share * float64(s.Textures.Texels[first+wrap(1, int(j))*sizes[0]+wrap(0, int(i))]>>24) / 255
	}
	return alpha, level, inside, sure && math.Abs(alpha-m.Cutoff) > .02
}

// TestTexturesAsExpected compares all raster hosts but mesh, and the graphics pipeline alone, with an independently
// computed picture, in portrait: coverage after the alpha test, and the levels, which differ in colour.
func TestTexturesAsExpected(t *testing.T) {
	b, cpu := backends(t)
	// In the last one corners are behind the eye, and the middle of the picture is beyond the horizon of the quad's plane.
	for i, text := range []string{"az=0,el=0", "az=40,el=20,zoom=3", "az=80,el=5,zoom=1.5", "ortho,az=0,el=0,zoom=.3", "az=265,el=0,at=0:0:.45,distance=.5,near=.01,fov=100"} {
		s := &geometry.Scene{Name: "quad", Textures: &geometry.Textures{Sets: []int{0}}, Indices: []uint32{0, 1, 2, 2, 1, 3}}
		var coords []byte
		for k := range 4 {
			p := mgl32.Vec3{2*float32(k&1) - 1, 2*float32(k>>1) - 1, 0}
			s.Positions = append(s.Positions, p)
			coords = binary.LittleEndian.AppendUint32(coords, math.Float32bits(p[0]))
			coords = binary.LittleEndian.AppendUint32(coords, math.Float32bits(p[1]))
		}
		s.Attributes = []geometry.Attribute{{Name: "TEXCOORD_0", Format: vertexformat.R32G32_SFLOAT, Data: coords}}
		m := textureOf(s, []int{7, 24, 64, 100, 48}[i], []int{5, 64, 32, 90, 60}[i], uint64(i))
		m.Nearest = i%2 == 1
		m.Cutoff, m.Wrap = []float64{.5, .25, .8, .5, .5}[i], [2]geometry.Wrap{geometry.Wrap(i % 3), geometry.Wrap((i + 1) % 3)}
		s.Textures.Materials = []geometry.Material{m}
		s.Draws = []geometry.Draw{{IndexCount: 6, VertexCount: 4, Transform: mgl32.Ident4(), Color: geometry.DefaultColor, Material: 1}}
		withNormals(t, s)
		f := pictureFrame(t, s, renderer.Shaded)
		f.Width, f.Height = 90, 131
		camera := cameraOf(t, text, s.Bounds(), float32(f.Width)/float32(f.Height))
		raw := f
		raw.Raw, raw.Reuse = true, reuse.Config{}
		for _, host := range []renderer.RasterHost{renderer.SoftRaster, renderer.ComputeRaster, renderer.FusedRaster, renderer.HardwareRaster, renderer.AutoRaster} {
			g, backend := f, plan.Backend(b)
			g.Raster = host
			switch host {
			case renderer.SoftRaster:
				backend = cpu
			case renderer.AutoRaster:
				g = raw
			}
			out, _ := render(t, backend, g, camera, renderer.WantColor|renderer.WantDepth, text)
			sures, wrong, levels := 0, 0, map[int]int{}
			for py := range f.Height {
				for px := range f.Width {
					alpha, level, inside, sure := expectedTexel(s, &m, camera, f.Width, f.Height, px, py)
					if !sure {
						continue
					}
					sures++
					what := fmt.Sprint(text, host, px, ",", py)
					shown := inside && alpha >= m.Cutoff
					c := out.Color.RGBAAt(px, py)
					parts := [3]uint8{c.R, c.G, c.B}
					ok := shown == (out.Depth[py*f.Width+px] < 1) && (!shown || parts[level%3] > max(parts[(level+1)%3], parts[(level+2)%3]))
					if !ok {
						wrong++
					}
					// The graphics pipeline takes derivatives over quads of pixels, so its levels may differ.
					require.True(t, ok || host == renderer.HardwareRaster || host == renderer.AutoRaster, "%s: level %d, want drawn: %t", what, level, shown)
					if shown {
						levels[level]++
					}
				}
			}
			require.Greater(t, sures, f.Width*f.Height/2, text)
			require.Less(t, wrong, sures/100, "%s, %s", text, host)
			t.Log(text, host, sures, wrong, levels)
		}
	}
}
