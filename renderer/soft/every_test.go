package soft

import (
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

var update = flag.Bool("update", false, "write the digests of testdata/frames.txt anew")

// leaves is a scene of balls, two of them textured with random texels. An alpha test makes holes in one of these two.
func leaves(r *rand.Rand) *geometry.Scene {
	s := balls(9)
	var coordinates []byte
	for _, p := range s.Positions {
		coordinates, _ = binary.Append(coordinates, binary.LittleEndian, []float32{p[0], p[1] + p[2]/8})
	}
	s.Attributes = []geometry.Attribute{{Name: "TEXCOORD_0", Format: vertexformat.R32G32_SFLOAT, Data: coordinates}}
	s.Textures = &geometry.Textures{Sets: []int{0}}
	for range 4*4 + 2*2 + 1 {
		s.Textures.Texels = append(s.Textures.Texels, r.Uint32()>>8|uint32(r.IntN(3)*0x7f)<<24)
	}
	for i := range 2 {
		s.Textures.Materials = append(s.Textures.Materials, geometry.Material{
			Width: 4, Height: 4, Levels: 3, Nearest: i == 1, Wrap: [2]geometry.Wrap{geometry.Wrap(r.IntN(3)), geometry.Wrap(r.IntN(3))},
			Tint: mgl32.Vec3{1, .5, .8}, Cutoff: float64(i) / 2, Transform: [2]mgl32.Vec3{{3, .25, .25}, {0, 5, .5}},
		})
		s.Draws[1+i].Material = uint32(1 + i)
	}
	return s
}

// anyFrame chooses a frame and a camera by a seed.
func anyFrame(t *testing.T, seed uint64) (renderer.Frame, renderer.Camera) {
	r := rand.New(rand.NewPCG(seed, 5))
	often := func() bool { return r.IntN(3) == 0 }
	all := reuse.Names()
	s := []*geometry.Scene{balls(9), ball(12, true), leaves(r)}[r.IntN(3)]
	f := frameOf(t, s, all[seed%uint64(len(all))], []int{8, 32}[r.IntN(2)], renderer.View(r.IntN(4)))
	if often() {
		f.Look = renderer.Look{Smooth: r.IntN(2) == 0, Edges: float32(r.IntN(3)), Light: renderer.Light(r.IntN(3))}
	}
	f.Palette = picture.Palette(r.IntN(2))
	if often() {
		f.Cull, f.CullFaces = true, renderer.FaceCulling(r.IntN(3))
	} else if often() {
		f.Queue = renderer.Expanded
	}
	if often() {
		f.VertexShader = renderer.VertexShader(1 + r.IntN(2))
	}
	if often() {
		f.QueueBudget = 40 << 10
	}
	if often() {
		for i := range s.Draws {
			f.Marks = append(f.Marks, renderer.Mark(i%3))
		}
	}
	camera := fit(f)
	camera.Azimuth = float32(r.IntN(360))
	if often() {
		camera.Distance, camera.Near = camera.Distance/2, camera.Distance/3 // some triangles are clipped
	}
	return f, camera
}

// TestFramesStayAsTheyAre: 120 frames of all strategies, with random settings, are refused or have digests as in
// testdata/frames.txt: of the picture, of the triangle in each pixel, of counts, and of triangles in queues with the
// counts of culling. Depths and positions differ in their last bits between processors with and without fused
// multiply-adds, so they are left out. After an intended change, -update writes the digests anew. The tests of oracle
// compare with a GPU.
func TestFramesStayAsTheyAre(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the digests are those of amd64: with fused multiply-adds a pixel of one frame differs")
	}
	var digests strings.Builder
	clipped, drawn := 0, 0
	for seed := range uint64(120) {
		f, camera := anyFrame(t, seed)
		b := New()
		p, err := plan.New(f, b.Limits())
		if err != nil {
			fmt.Fprintf(&digests, "%d %s\n", seed, err)
			continue
		}
		out, err := b.Exec(p, camera, wantAll|renderer.WantVisible)
		require.NoError(t, err, "seed %d", seed)
		drawn++
		if camera.Distance < fit(f).Distance {
			clipped++
		}
		fmt.Fprintf(&digests, "%d %s", seed, f.Reuse.Strategy.Name)
		for _, part := range []string{
			fmt.Sprint(out.Color.Pix, out.Seen), fmt.Sprint(out.Visible), fmt.Sprint(out.Counts, out.Stats), fmt.Sprint(out.Queues.Triangles, out.Queues.Corners, out.Culling),
		} {
			fmt.Fprintf(&digests, " %.4x", sha256.Sum256([]byte(part)))
		}
		digests.WriteByte('\n')
	}
	require.Greater(t, min(drawn, 4*clipped), 80)
	const path = "testdata/frames.txt"
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(digests.String()), 0o644))
	}
	want := must.Get(os.ReadFile(path))
	require.Equal(t, string(want), digests.String(), "go test ./renderer/soft -run TestFramesStayAsTheyAre -update")
}
