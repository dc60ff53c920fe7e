package plan

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

func fusedPlan(t testing.TB, triangles int, strategy string, change func(*renderer.Frame, *renderer.Limits)) (*Plan, error) {
	f, l := frame(t, triangles, strategy, 8), testLimits
	f.Raster = renderer.FusedRaster
	if change != nil {
		change(&f, &l)
	}
	return New(f, l)
}

func TestFusedPasses(t *testing.T) {
	p := made(t)(fusedPlan(t, 100, "claim", nil))
	require.Equal(t, "clear camera:clips fused:claim raster:medium raster:large raster:clipped raster:tiled raster:resolve", passNames(p))
	require.Equal(t, []string{"Counts", "QueueStates", "RasterLists", "TileMarks", "Visible"}, touching(p, p.Passes[0], Write))
	require.Nil(t, p.Buffer(VertexPositions), "there is no vertex queue")
	require.Nil(t, p.Buffer(Triangles))
	require.Equal(t, int64(4*4*100), p.Buffer(RasterTriangles).Bytes)
	camera := renderer.FitCamera(p.Frame.Scene.Bounds(), 2)
	require.ErrorContains(t, p.CheckExec(camera, renderer.WantQueues), "queues are wanted")
	require.NoError(t, p.CheckExec(camera, renderer.WantVisible))
	for triangles, pixels := range map[int]uint32{100: MostAtOnce, 30: FewAtOnce} { // 64x48 pixels
		p = made(t)(fusedPlan(t, triangles, "claim", func(f *renderer.Frame, l *renderer.Limits) {
			f.Width, f.Height, l.Shared, f.NoCounts, f.View = 64, 48, true, true, renderer.Shaded
		}))
		var c shaders.Camera
		p.FillSole(&c)
		require.Equal(t, pixels, c.AtOnce)
	}
}

// TestFusedCulls: with fused the geometry pass tests triangles. In the counting round it tests them without drawing.
func TestFusedCulls(t *testing.T) {
	p := made(t)(fusedPlan(t, 100, "claim", func(f *renderer.Frame, _ *renderer.Limits) { f.Cull, f.CullFaces = true, renderer.AllFaces }))
	require.Equal(t, "clear camera:clips fused:claim raster:medium raster:large raster:clipped raster:tiled raster:resolve", passNames(p))
	require.Contains(t, touching(p, p.Passes[0], Write), "CullCounts")
	require.Nil(t, p.Buffer(VertexMarks), "the marks are in shared memory")
	require.Equal(t, uint32(renderer.AllFaces), spec(p.Passes[2], "FACES"))

	p = made(t)(fusedPlan(t, 5000, "claim", func(f *renderer.Frame, _ *renderer.Limits) { f.Cull, f.QueueBudget, f.VertexShare = true, 30<<10, 1 }))
	require.Greater(t, len(p.Chunks), 1)
	for _, pass := range p.Passes {
		ahead := pass.Name == "count:claim"
		if ahead || pass.Name == "fused:claim" {
			require.Equal(t, []uint32{flag(ahead), flag(!ahead), flag(!ahead)}, []uint32{spec(pass, "COUNT"), spec(pass, "TALLY"), spec(pass, "PHASE")}, pass.Name)
		}
	}
}

// TestFusedSifts: a frame with many triangles on few pixels first notes triangles, in larger batches
// if the batch size is open. Below either bound, with culling, and for pictures too large for approximate
// positions, triangles are drawn at once.
func TestFusedSifts(t *testing.T) {
	const sifting = "clear camera:clips fused:naive-index raster:sifted raster:medium raster:large raster:clipped raster:tiled raster:resolve"
	at := func(triangles, width, height, multiprocessors int) *Plan {
		p := made(t)(fusedPlan(t, triangles, "naive-index", func(f *renderer.Frame, l *renderer.Limits) {
			f.Width, f.Height, l.Multiprocessors, l.MaxImageSide = width, height, multiprocessors, 1<<14
			f.Reuse = must.Get(reuse.Params{FitBatch: true}.Resolve("naive-index"))
		}))
		return p
	}
	p := at(siftedWork, 65, 36, 0)
	require.Equal(t, sifting, passNames(p))
	require.Contains(t, touching(p, p.Passes[0], Write), "Sifted")
	require.Equal(t, []uint32{1, 64, 3072}, []uint32{spec(p.Passes[2], "SIFT"), spec(p.Passes[2], "WORKGROUP"), spec(p.Passes[2], "BATCH")})
	require.Equal(t, [2]uint32{2, 1}, p.Passes[3].Op.(*Dispatch).Groups)
	require.Equal(t, sifting, passNames(at(2*siftedWork, 32, 32, 2)))
	require.Equal(t, sifting, passNames(at(2*siftedWork, shaders.SiftedSide, 1, 1)))

	for _, p := range []*Plan{at(siftedWork-1, 32, 32, 0), at(siftedWork, 64, 37, 0), at(2*siftedWork, 32, 32, 3), at(4*siftedWork+16, shaders.SiftedSide+1, 1, 1), at(4*siftedWork+16, 1, shaders.SiftedSide+1, 1)} {
		require.NotContains(t, passNames(p), "sifted")
		require.Equal(t, []uint32{0, 256, 768}, []uint32{spec(p.Passes[2], "SIFT"), spec(p.Passes[2], "WORKGROUP"), spec(p.Passes[2], "BATCH")})
	}
	for side, sifts := range map[int]bool{32: true, 33: false} {
		p := made(t)(fusedPlan(t, siftedWork, "claim", func(f *renderer.Frame, _ *renderer.Limits) { f.Width, f.Height = side, 32 }))
		require.Equal(t, sifts, strings.Contains(passNames(p), "sifted"), "reuse takes more triangles per pixel")
	}
	culls := made(t)(fusedPlan(t, siftedWork, "claim", func(f *renderer.Frame, _ *renderer.Limits) { f.Width, f.Height, f.Cull = 32, 32, true }))
	require.NotContains(t, passNames(culls), "sifted")
}

// TestFusedUsesAreTheShaders is TestUsesAreTheShaders for fused plans.
func TestFusedUsesAreTheShaders(t *testing.T) {
	for _, strategy := range []string{"warp", "claim", "hash", "naive-index"} {
		for way := range 12 {
			p := made(t)(fusedPlan(t, 5000, strategy, func(f *renderer.Frame, _ *renderer.Limits) {
				f.View = renderer.View(way % 3)
				if way&4 != 0 {
					f.QueueBudget, f.VertexShare, f.Slice = 30<<10, 1, 1024
				}
				f.Cull = way%4 == 3
				if way >= 8 {
					f.Shown = make([]uint32, f.Scene.DrawVertices())
				}
			}))
			checkAllUses(t, p)
		}
		p := made(t)(fusedPlan(t, siftedWork, strategy, func(f *renderer.Frame, _ *renderer.Limits) { f.Width, f.Height = 32, 32 }))
		checkAllUses(t, p)
	}
}

// TestFusedChunks: a frame is one chunk whatever its queue budget, until the lists overflow. After
// that, the lists can hold all triangles of each chunk.
func TestFusedChunks(t *testing.T) {
	p := made(t)(fusedPlan(t, 5000, "warp", func(f *renderer.Frame, _ *renderer.Limits) { f.QueueBudget = 12 << 10 }))
	require.Len(t, p.Chunks, 1)
	require.Equal(t, 768, p.TriangleCapacity)

	f := replan(p, p.Overflow(0, 3000).(*renderer.OverflowError))
	p = made(t)(New(f, testLimits))
	require.Greater(t, len(p.Chunks), 4)
	require.Equal(t, 1, p.Halves)
	next, offsets := 0, map[int64]bool{}
	for _, c := range p.Chunks {
		require.Equal(t, next, c.FirstTriangle)
		require.LessOrEqual(t, c.TriangleCount, p.TriangleCapacity)
		next += c.TriangleCount
	}
	require.Equal(t, 5000, next)
	for i := range p.Passes {
		if op, ok := p.Passes[i].Op.(*Dispatch); ok && op.Indirect != nil {
			require.False(t, offsets[op.Indirect.Offset])
			offsets[op.Indirect.Offset] = true
		}
	}
	require.Len(t, offsets, (shaders.RasterClasses-1)*len(p.Chunks))

	_, err := fusedPlan(t, 5000, "claim", func(f *renderer.Frame, _ *renderer.Limits) { f.QueueBudget, f.VertexShare = 100, 1 })
	require.ErrorContains(t, err, "queue budget of 100 bytes is too small: one batch of 96 indices needs 1.25 KiB")
}

// TestFusedSpills: the buffer Spilled has room for vertices that claim does not hold in shared memory:
// at first for as many as a sample spills, after the lists overflow for all of them, and after Spilled
// itself overflows for the need and a tenth more.
func TestFusedSpills(t *testing.T) {
	p := made(t)(fusedPlan(t, 5000, "claim", nil))
	require.Len(t, p.Chunks, 1)
	worst := 96 - shaders.ClaimHeld*8/32 // of a batch of 32 triangles
	require.Positive(t, p.VertexCapacity)
	require.Equal(t, int64(12*p.VertexCapacity), p.Buffer(Spilled).Bytes)
	fused := p.Passes[slices.IndexFunc(p.Passes, func(pass Pass) bool { return strings.HasPrefix(pass.Name, "fused") })]
	require.Contains(t, touching(p, fused, Write), "Spilled")

	f := replan(p, p.Overflow(0, p.TriangleCapacity+1).(*renderer.OverflowError))
	p = made(t)(New(f, testLimits))
	require.GreaterOrEqual(t, p.VertexCapacity, worst*p.Chunks[0].TriangleCount/32)

	f.VertexShare, f.QueueBudget = 1, 30<<10
	p = made(t)(New(f, testLimits))
	require.LessOrEqual(t, fusedBytes*p.TriangleCapacity+placedBytes*p.VertexCapacity, 30<<10, "lists and spills share the budget")
	f.VertexShare, f.QueueBudget = 1e-6, 0
	p = made(t)(New(f, testLimits))
	require.Equal(t, worst, p.VertexCapacity, "any one batch fits")

	f.VertexShare = .01
	p = made(t)(New(f, testLimits))
	share := p.VertexShare
	f = replan(p, p.Overflow(3*p.VertexCapacity, 0).(*renderer.OverflowError))
	require.InDelta(t, 3.3*share, f.VertexShare, 1e-9, "the need and a tenth")

	p = made(t)(fusedPlan(t, 5000, "hash", nil))
	require.Nil(t, p.Buffer(Spilled))
}

// TestEvenBatches: batches can be derived from the first if they are static and belong to one draw.
func TestEvenBatches(t *testing.T) {
	even := func(strategy string, change func(*renderer.Frame)) uint32 {
		f := frame(t, 5000, strategy, 8)
		change(&f)
		p := made(t)(New(f, testLimits))
		i := slices.IndexFunc(p.Passes, func(x Pass) bool { return strings.HasPrefix(x.Name, "geometry:") })
		return p.Passes[i].Op.(*Dispatch).Spec["EVEN"]
	}
	require.Equal(t, uint32(1), even("claim", func(*renderer.Frame) {}))
	require.Equal(t, uint32(0), even("hash", func(f *renderer.Frame) { f.Reuse.Batching, f.Reuse.Unique = reuse.DynamicBatching, 256 }))
	require.Equal(t, uint32(0), even("claim", func(f *renderer.Frame) {
		d := f.Scene.Draws[0]
		second := d
		second.FirstIndex, second.IndexCount = 3000, d.IndexCount-3000
		d.IndexCount = 3000
		s := *f.Scene
		s.Draws = []geometry.Draw{d, second}
		f.Scene = &s
	}))
}

// TestFusedWindows: chunks number batches from the first one of their window, as in compute plans.
func TestFusedWindows(t *testing.T) {
	s := scattered(rand.New(rand.NewPCG(1, 2)))
	f := windowFrame(t, s, reuse.StaticBatching)
	f.DeviceBudget = budgets(s, f)[1] + 256<<10 // fused has one buffer more
	f.Raster = renderer.ComputeRaster
	compute := made(t)(New(f, testLimits))
	f.Raster = renderer.FusedRaster
	for _, share := range []float64{0, 1} {
		if f.VertexShare = share; share > 0 {
			f.QueueBudget = 4 << 10
		}
		p := made(t)(New(f, testLimits))
		require.Greater(t, len(p.Windows), 2)
		require.Equal(t, 1, p.Halves)
		require.LessOrEqual(t, p.DeviceBytes(), f.DeviceBudget)
		if share == 0 {
			require.Len(t, p.Chunks, len(p.Windows))
		} else {
			require.Greater(t, len(p.Chunks), len(p.Windows))
		}
		next := 0
		for w := range p.Windows {
			batch := 0
			for _, c := range p.Chunks[p.Windows[w].FirstChunk:p.Windows[w].EndChunk] {
				require.Equal(t, []int{batch, next}, []int{c.FirstBatch, c.FirstTriangle})
				require.True(t, share == 0 || c.TriangleCount <= p.TriangleCapacity)
				batch, next = batch+c.BatchCount, next+c.TriangleCount
			}
		}
		require.Equal(t, s.Triangles(), next)
		require.Equal(t, compute.BatchCount, p.BatchCount)
		checkAllUses(t, p)
	}
}

// TestFusedShared: a batch's vertices must fit shared memory.
func TestFusedShared(t *testing.T) {
	_, err := fusedPlan(t, 100, "hash", func(_ *renderer.Frame, l *renderer.Limits) { l.SharedBytes = 1024 })
	require.ErrorContains(t, err, "of shared memory")
	_ = made(t)(computePlan(t, 100, func(_ *renderer.Frame, l *renderer.Limits) { l.SharedBytes = 1024 }))
}

func TestFusedRefuses(t *testing.T) {
	for what, change := range map[string]func(*renderer.Frame, *renderer.Limits){
		"the fused rasterizer has no queue of vertices that could be expanded: --raster compute does": func(f *renderer.Frame, _ *renderer.Limits) { f.Queue = renderer.Expanded },
		"the fused rasterizer needs 64-bit atomics":                                                   func(f *renderer.Frame, _ *renderer.Limits) { f.NarrowAtomics = true },
		"fused/claim needs 64-bit atomics (Int64Atomics), which the device lacks; it runs --raster compute": func(_ *renderer.Frame, l *renderer.Limits) {
			l.Missing = []string{"Int64Atomics"}
		},
		"it runs --raster hardware": func(_ *renderer.Frame, l *renderer.Limits) { l.Missing = []string{"Int64", "Int64Atomics"} },
	} {
		_, err := fusedPlan(t, 5000, "claim", change)
		require.ErrorContains(t, err, what)
	}
	_, err := fusedPlan(t, 10, "multi", func(f *renderer.Frame, _ *renderer.Limits) { f.Cull = true })
	require.ErrorContains(t, err, "culls batch by batch, and multi has none")
	_, err = fusedPlan(t, 10, "multi", func(_ *renderer.Frame, l *renderer.Limits) { l.Missing = []string{"Int64Atomics"} })
	require.ErrorContains(t, err, "raster/placed-fused needs 64-bit atomics (Int64Atomics), which the device lacks; it runs --raster compute")
}

// TestNumbers: every triangle of a frame of several draws, or of dynamic batches, has a number of its own in the
// order of the stream, within those of its chunk, and both visibility buffers are decoded to its position.
func TestNumbers(t *testing.T) {
	scene := scattered(rand.New(rand.NewPCG(1, 2)))
	for _, batching := range []reuse.Batching{reuse.StaticBatching, reuse.DynamicBatching} {
		for _, windows := range []bool{false, true} {
			f := windowFrame(t, scene, batching)
			f.Raster, f.QueueBudget, f.VertexShare = renderer.FusedRaster, 4<<10, 1
			if windows {
				f.DeviceBudget = budgets(scene, f)[1] + 256<<10
			}
			p := made(t)(New(f, testLimits))
			require.Equal(t, windows, p.Windows != nil)
			require.Equal(t, f.Reuse.Batch/3, p.Numbered)
			checkNumbers(t, p)
		}
	}
	one := made(t)(fusedPlan(t, 5000, "claim", nil))
	require.Zero(t, one.Numbered)
	require.Equal(t, []uint32{0, 1, 5000}, one.VisibleTriangles([]uint64{0, 7<<32 | uint64(^uint32(0)), 1<<32 | uint64(^uint32(4999))}))
	require.Zero(t, made(t)(computePlan(t, 5000, nil)).Numbered, "the queue's passes know triangles by position")
}

func checkNumbers(t *testing.T, p *Plan) {
	batches := reuse.Batches(p.Frame.Scene, p.Frame.Reuse)
	chunk := 0
	var words []uint64
	var narrow, want []uint32
	for i, b := range batches {
		for i >= int(p.batchNumber(chunk))+p.Chunks[chunk].FirstBatch+p.Chunks[chunk].BatchCount {
			chunk++
		}
		n := p.numbers(chunk)
		for k := range int(b.IndexCount) / 3 {
			number := i*p.Numbered + k
			require.True(t, n.first <= number && number < n.first+n.count)
			words = append(words, 7<<32|uint64(^uint32(number)))
			narrow = append(narrow, uint32(2*n.first+n.count-number))
			want = append(want, b.FirstTriangle+uint32(k)+1)
		}
	}
	require.Greater(t, chunk, 1)
	require.Equal(t, want, p.VisibleTriangles(words))
	require.Equal(t, want, p.VisibleTrianglesNarrow(narrow))
	for i, pass := range p.Passes {
		if push := pushOf(pass); push.BatchCount > 0 {
			n := p.numbers(int(push.Chunk))
			require.Equal(t, []int{n.first, n.count}, []int{int(push.FirstTriangle), int(push.TriangleCount)}, i)
			require.Zero(t, pass.Op.(*Dispatch).Spec["EVEN"], "numbers do not say how long the last batch is")
		}
	}
}

func TestTooManyNumbers(t *testing.T) {
	require.NoError(t, numbersFit(math.MaxUint32/256, 256))
	require.EqualError(t, numbersFit(math.MaxUint32/256+1, 256), "raster host fused numbers triangles in 32 bits, 256 for each of 16777216 batches: too many")
	require.NoError(t, numbersFit(math.MaxUint32, 0))
}
