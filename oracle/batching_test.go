package oracle

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// batchSizes are indices and unique vertices a batch at most.
var batchSizes = [][2]int{{1023, 256}, {1536, 256}, {96, 32}, {3, 3}, {1536, 3}, {1023, 1024}, {1533, 700}, {6, 4}}

// sizes are fewer where the tests run several times over.
func sizes() [][2]int {
	if testing.Short() {
		return batchSizes[:3]
	}
	return batchSizes
}

func batchingFrame(t testing.TB, s *geometry.Scene, size [2]int) renderer.Frame {
	workgroup := 32 // small batches go through a CPU driver faster with few invocations
	if size[1] > 64 {
		workgroup = 256
	}
	c, err := reuse.Params{Batch: size[0], Unique: size[1], Workgroup: workgroup}.Resolve("hash")
	require.NoError(t, err)
	return renderer.Frame{Scene: s, Reuse: c, BatchOn: renderer.BatchDevice, NoRaster: true, QueueBudget: 1 << 30}
}

// checkBatching has the device cut a scene, twice, and compares its batches with
// the host's, one by one.
func checkBatching(t *testing.T, b plan.Backend, s *geometry.Scene, size [2]int) {
	f := batchingFrame(t, s, size)
	want := reuse.Batches(s, f.Reuse)
	camera := renderer.FitCamera(s.Bounds(), 1)
	out, p, err := plan.Render(b, f, camera, renderer.WantBatches|renderer.WantCounts)
	require.NoError(t, err)
	if s.DrawVertices() < 1<<16 && size == batchSizes[0] {
		_, counts := reuse.Analyze(s, f.Reuse)
		require.Equal(t, counts, out.Counts, "%s, %v", s.Name, size)
	}
	require.LessOrEqual(t, len(want), p.Chunks[0].BatchCount)
	for round := range 2 {
		require.Equal(t, len(want), len(out.Batches), "%s, %v, round %d", s.Name, size, round)
		for i := range want {
			if want[i] != out.Batches[i] {
				require.Equal(t, want[i], out.Batches[i], "%s, %v, round %d: batch %d of %d", s.Name, size, round, i, len(want))
			}
		}
		out, err = b.Exec(p, camera, renderer.WantBatches)
		require.NoError(t, err)
	}
}

func TestBatchingOfEveryAsset(t *testing.T) {
	b := openGPU(t)
	checkBatching(t, b, asset(t, "sphere6"), batchSizes[0])
	for _, name := range smallAssets {
		s := asset(t, name)
		for _, size := range sizes() {
			checkBatching(t, b, s, size)
		}
		checkBatching(t, b, shuffled(s), batchSizes[0])
	}
}

// stream is a scene of draws over one pool of indices below vertices, each draw
// a first index and a number of indices.
func stream(name string, indices []uint32, vertices int, draws ...[2]int) *geometry.Scene {
	s := &geometry.Scene{Name: name, Indices: indices, Positions: make([]mgl32.Vec3, vertices), Normals: make([]mgl32.Vec3, vertices)}
	for i := range s.Normals {
		s.Normals[i] = mgl32.Vec3{0, 0, 1}
	}
	for _, d := range draws {
		s.Draws = append(s.Draws, geometry.Draw{
			FirstIndex: uint32(d[0]), IndexCount: uint32(d[1]), VertexCount: uint32(vertices), Transform: mgl32.Ident4(), Color: geometry.DefaultColor,
		})
	}
	return s
}

// ids are n indices below most.
func ids(r *rand.Rand, n, most int) []uint32 {
	list := make([]uint32, n)
	for i := range list {
		list[i] = uint32(r.IntN(most))
	}
	return list
}

// TestBatchingOfSoups has streams that no mesh has: without order, of few
// vertices, of one, and with one and the same distance between occurrences.
func TestBatchingOfSoups(t *testing.T) {
	b := openGPU(t)
	r := rand.New(rand.NewPCG(11, 3))
	const n = 3 * 4500
	periodic := make([]uint32, n)
	for _, size := range sizes() {
		for _, most := range []int{1, 2, 3, 40, 256, 260, 1000, 100000} {
			checkBatching(t, b, stream(fmt.Sprintf("soup of %d", most), ids(r, n, most), most, [2]int{0, n}), size)
		}
		for _, period := range []int{255, 256, 257, 511, 1023, 1024, 1536, 1537, 3069} {
			for i := range periodic {
				periodic[i] = uint32(i % period)
			}
			checkBatching(t, b, stream(fmt.Sprintf("period %d", period), periodic, period, [2]int{0, n}), size)
		}
	}
}

// TestBatchingOfCollisions has more ids than a window holds, all of which begin
// to look for a place in a few entries of the table.
func TestBatchingOfCollisions(t *testing.T) {
	b := openGPU(t)
	var colliding []uint32
	const vertices = 1 << 20
	for id := range uint32(vertices) {
		if id*2654435769>>20 < 13 {
			colliding = append(colliding, id)
		}
	}
	require.Greater(t, len(colliding), 3*1023)
	indices := make([]uint32, 0, 12000)
	for i := range cap(indices) {
		indices = append(indices, colliding[i%len(colliding)])
	}
	checkBatching(t, b, stream("collisions", indices, vertices, [2]int{0, len(indices)}), batchSizes[0])
}

// TestBatchingOfDraws has draws that are tiny, empty, share ranges, overlap and
// lie in the pool in any order.
func TestBatchingOfDraws(t *testing.T) {
	b := openGPU(t)
	r := rand.New(rand.NewPCG(5, 8))
	pool := ids(r, 30000, 300)
	whole := [2]int{0, len(pool)}
	var tiny, mixed [][2]int
	for range 2500 {
		tiny = append(tiny, [2]int{r.IntN(len(pool) - 15), 3 * (1 + r.IntN(5))})
	}
	for range 300 {
		n := 3 * []int{0, 0, 1, 2, r.IntN(200), 341, 342, r.IntN(50)}[r.IntN(8)]
		mixed = append(mixed, [2]int{r.IntN(len(pool) - n), n})
	}
	for _, size := range sizes() {
		checkBatching(t, b, stream("tiny draws", pool, 300, tiny...), size)
		checkBatching(t, b, stream("mixed draws", pool, 300, mixed...), size)
		checkBatching(t, b, stream("instances", pool, 300, whole, whole, [2]int{3, 0}, whole, [2]int{9000, 12000}), size)
		checkBatching(t, b, stream("one triangle", pool, 300, [2]int{29997, 3}), size)
	}
	for triangles := range 40 { // streams that end around the end of a tile
		n := 3 * (1024 - 341 - 20 + triangles)
		checkBatching(t, b, stream("end", pool, 300, [2]int{r.IntN(len(pool) - n), n}), batchSizes[0])
	}
}

// TestBatchingOfAMillion takes what is worst for a search: a million triangles
// of one vertex, whose batches never fall into step with one another.
func TestBatchingOfAMillion(t *testing.T) {
	if testing.Short() {
		t.Skip("only large")
	}
	b := openGPU(t)
	const n = 3 << 20
	begin := time.Now()
	checkBatching(t, b, stream("one vertex", make([]uint32, n), 1, [2]int{0, n}), batchSizes[0])
	require.Less(t, time.Since(begin), 60*time.Second)
}

// TestBatchingRounds has a device that takes few workgroups in a dimension, so
// that the dispatches have two, and more workgroups than batches.
func TestBatchingRounds(t *testing.T) {
	b := openGPU(t)
	s := shuffled(asset(t, "sphere5"))
	camera := renderer.FitCamera(s.Bounds(), 1)
	for _, name := range []string{"hash", "phash", "sort"} {
		for _, most := range []int{5, 7, 64} {
			c, err := reuse.Params{Batch: 192, Unique: 64}.Resolve(name)
			require.NoError(t, err)
			l := b.Limits()
			l.MaxGroups = most
			p, err := plan.New(renderer.Frame{Scene: s, Reuse: c, BatchOn: renderer.BatchDevice, NoRaster: true}, l)
			require.NoError(t, err)
			out, err := b.Exec(p, camera, renderer.WantBatches|renderer.WantCounts)
			require.NoError(t, err)
			_, want := reuse.Analyze(s, c)
			require.Equal(t, want, out.Counts, "%s, %d", name, most)
			require.Equal(t, reuse.Batches(s, c), out.Batches, "%s, %d", name, most)
		}
	}
}

// TestBatchingPictures draws every view with batches of either place, and of
// either backend.
func TestBatchingPictures(t *testing.T) {
	cpu := soft.New()
	defer cpu.Close()
	for _, b := range []plan.Backend{openGPU(t), cpu} {
		for _, name := range []string{"city6", "sphere4"} {
			s := asset(t, name)
			for view := range renderer.View(len(renderer.ViewNames)) {
				f := batchingFrame(t, s, [2]int{192, 64})
				f.View, f.NoRaster, f.Width, f.Height = view, false, 128, 128
				got := renderPicture(t, b, f)
				f.BatchOn = renderer.BatchHost
				want := renderPicture(t, b, f)
				require.Equal(t, want.Color.Pix, got.Color.Pix, "%s, %s, %s", b.Name(), name, view)
			}
		}
		f := batchingFrame(t, asset(t, "city6"), batchSizes[0])
		checkBatching(t, b, f.Scene, batchSizes[0])
		f.BatchOn = renderer.BatchHost
		out, p, err := plan.Render(b, f, renderer.FitCamera(f.Scene.Bounds(), 1), renderer.WantBatches)
		require.NoError(t, err)
		require.Equal(t, p.Batches, out.Batches)
	}
}

// TestBatchingOverflow starts with a vertex queue that is far too small.
func TestBatchingOverflow(t *testing.T) {
	s := shuffled(asset(t, "sphere4"))
	camera := renderer.FitCamera(s.Bounds(), 1)
	for _, b := range []plan.Backend{openGPU(t), soft.New()} {
		f := batchingFrame(t, s, batchSizes[0])
		f.VertexShare = 0.1
		p, err := plan.New(f, b.Limits())
		require.NoError(t, err)
		_, err = b.Exec(p, camera, 0)
		var overflow *renderer.OverflowError
		require.ErrorAs(t, err, &overflow, b.Name())
		_, want := reuse.Analyze(s, f.Reuse)
		out, made, err := plan.Render(b, f, camera, renderer.WantCounts)
		require.NoError(t, err)
		require.Equal(t, want, out.Counts)
		require.GreaterOrEqual(t, made.VertexCapacity, overflow.Need)
		// A budget below the need: no plan can work.
		f.VertexShare, f.QueueBudget = 0, int64(8*s.Triangles()+24*overflow.Need-24)
		_, _, err = plan.Render(b, f, camera, 0)
		require.ErrorContains(t, err, "is too small: batches cut on the device take all queues at once, about", b.Name())
	}
}

// TestBatchingOfSharedMeshes takes real meshes, in their files' order.
func TestBatchingOfSharedMeshes(t *testing.T) {
	b := openGPU(t)
	for _, name := range []string{"bun_zipper.ply", "photon_buddha.obj.zst", "FlightHelmet/FlightHelmet.gltf"} {
		t.Run(name, func(t *testing.T) {
			s := sharedMesh(t, name)
			for _, size := range batchSizes[:3] {
				checkBatching(t, b, s, size)
			}
		})
	}
}
