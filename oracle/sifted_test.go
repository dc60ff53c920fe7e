package oracle

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// siftedAsSoft is fusedAsSoft for a frame that sifts its triangles.
func siftedAsSoft(t testing.TB, b, cpu plan.Backend, f renderer.Frame, c renderer.Camera, what string) (*renderer.Output, *plan.Plan) {
	out, p := fusedAsSoft(t, b, cpu, f, c, what)
	require.True(t, slices.ContainsFunc(p.Passes, func(pass plan.Pass) bool { return pass.Name == "raster:sifted" }), "%s does not sift", what)
	return out, p
}

// TestSiftedAgainstSoft draws so many small triangles that most are dropped by their approximate
// positions, with every strategy and lane count, from five cameras and in all views. With -short every
// strategy has one batch size, one scene and two cameras.
func TestSiftedAgainstSoft(t *testing.T) {
	b, cpu := backends(t)
	needsFewMultiprocessors(t, b)
	grid, city := asset(t, "terrain100"), asset(t, "city24")
	type look struct {
		mode
		scene *geometry.Scene
		size  [2]int
		at    string
		view  renderer.View
	}
	var looks []look
	list := batchModes(b.Limits())
	if testing.Short() {
		list = slices.DeleteFunc(alikeModes(t), func(m mode) bool { return m.frame.Reuse.Strategy.WholeDraws })
	}
	for i, m := range list {
		for n, at := range slices.Sorted(maps.Keys(cameras(t, grid, 1))) {
			for k, s := range []*geometry.Scene{grid, city} {
				if testing.Short() && (k != i%2 || (i+n)%5 > 1) {
					continue
				}
				looks = append(looks, look{m, s, [][2]int{{24, 40}, {43, 19}}[(i+n)%2], at, renderer.View((i + k + n) % len(renderer.ViewNames))})
			}
		}
	}
	drew := 0
	if !testing.Short() {
		looks = pairwise(looks, func(l look) []any { return append(l.features(), l.scene.Name, l.at) })
	}
	for _, l := range looks {
		f := l.frame
		f.Scene, f.View, f.Width, f.Height = l.scene, l.view, l.size[0], l.size[1]
		camera := cameras(t, f.Scene, float32(l.size[0])/float32(l.size[1]))[l.at]
		out, _ := siftedAsSoft(t, b, cpu, f, camera, fmt.Sprint(l.mode.name, l.scene.Name, l.size, l.at, l.view))
		drew += drawn(out)
	}
	require.NotZero(t, drew)
}

// needsFewMultiprocessors skips a test whose scenes are too small to be sifted on a GPU.
func needsFewMultiprocessors(t *testing.T, b plan.Backend) {
	if n := b.Limits().Multiprocessors; n > 1 {
		t.Skipf("%d multiprocessors: no scene of this test has enough triangles", n)
	}
}

// TestSiftedInParts covers chunks and slices that start inside a word of the buffer Sifted, where each
// word holds bits of 32 triangles, and vertex shaders that move vertices.
func TestSiftedInParts(t *testing.T) {
	b, cpu := backends(t)
	needsFewMultiprocessors(t, b)
	for i, change := range []func(*renderer.Frame){
		func(f *renderer.Frame) { f.QueueBudget, f.VertexShare = 30<<10, 1 },
		func(f *renderer.Frame) { f.Slice = 1024 },
		func(f *renderer.Frame) { f.VertexShader = renderer.Skin },
		func(f *renderer.Frame) { f.VertexShader, f.Load = renderer.Displace, 64 },
	} {
		if testing.Short() && i == 3 {
			continue // TestFusedVertexShaders displaces, too
		}
		s := shuffled(asset(t, []string{"city24", "sphere5"}[i%2]))
		f := renderer.Frame{Scene: s, Reuse: resolve(t, []string{"claim", "hash", "naive-index"}[i%3], 8, 0), View: renderer.View(i % 3), Width: 40, Height: 24}
		change(&f)
		_, p := siftedAsSoft(t, b, cpu, f, cameras(t, s, 40.0/24)["fit"], fmt.Sprint("part ", i))
		require.Equal(t, i == 0, len(p.Chunks) > 1)
	}
}

// TestSiftedHostileTriangles draws the triangles of TestFusedHostileTriangles among many triangles without area.
func TestSiftedHostileTriangles(t *testing.T) {
	b, cpu := backends(t)
	needsFewMultiprocessors(t, b)
	s := *hostileScene()
	s.Indices = append(slices.Clone(s.Indices), make([]uint32, 3*1<<17)...)
	s.Draws = slices.Clone(s.Draws)
	s.Draws[len(s.Draws)-1].IndexCount += 3 * 1 << 17
	hostileFrames(t, func(i int, f renderer.Frame, camera renderer.Camera, what string) {
		f.Scene, f.Reuse = &s, resolve(t, []string{"naive", "claim", "warp"}[i%3], 8, 0)
		siftedAsSoft(t, b, cpu, f, camera, what)
	})
}

// TestSiftedCorners draws triangles a few subpixels large around the centres of pixels, which their exact boxes often just
// reach, over a picture as wide as sifting allows: positions a subpixel off would lose pixels. Depths in view space are
// many powers of two apart.
func TestSiftedCorners(t *testing.T) {
	b, cpu := backends(t)
	needsFewMultiprocessors(t, b)
	const width, height, each = shaders.SiftedSide, 1, 16
	r := rand.New(rand.NewPCG(7, 0))
	camera := renderer.Camera{Target: mgl32.Vec3{0, 0, -1}, Distance: 1, FovY: 90, Near: 1e-3, Far: 1e6}
	var corners []mgl32.Vec3
	for x := range width {
		for range each {
			for range 3 {
				px, py := float64(x)+.5+(r.Float64()*8-4)/256, .5+(r.Float64()*8-4)/256
				depth := math.Ldexp(1+r.Float64(), r.IntN(20)-9)
				corners = append(corners, mgl32.Vec3{float32((2*px/width - 1) * width / height * depth), float32((1 - 2*py/height) * depth), float32(-depth)})
			}
		}
	}
	f := renderer.Frame{Scene: triangleScene(corners), Reuse: resolve(t, "naive", 8, 0), View: renderer.Shaded, Width: width, Height: height}
	out, _ := siftedAsSoft(t, b, cpu, f, camera, "corners")
	require.Greater(t, drawn(out), width/2)
}
