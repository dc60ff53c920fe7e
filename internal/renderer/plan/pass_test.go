package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// touching returns the names of the buffers that a pass accesses in one of the given ways.
func touching(p *Plan, pass Pass, ways ...Access) (names []string) {
	for _, u := range pass.Uses {
		for _, a := range ways {
			if u.Access == a {
				names = append(names, p.Buffers[u.Buffer].Name)
			}
		}
	}
	return names
}

// boundTo returns the name of the buffer that a pass binds to a block.
func boundTo(p *Plan, pass Pass, b Block) string { return p.Buffers[pass.Buffer(b)].Name }

// nameOf returns the name of a copy of a block's buffer.
func nameOf(p *Plan, b Block, copied int) string { return p.Buffers[p.Find(b, copied)].Name }

// spec returns a constant of a pass; 0 if the pass has none with that name.
func spec(pass Pass, name string) uint32 {
	if pipeline := pass.Pipeline(); pipeline != nil {
		return pipeline.Spec[name]
	}
	return 0
}

// pushOf returns a pass's push constants; zero if it has none.
func pushOf(pass Pass) shaders.ChunkPush {
	switch op := pass.Op.(type) {
	case *Dispatch:
		return op.Push
	case *Draw:
		return op.Push
	}
	return shaders.ChunkPush{}
}

func isA[T Op](pass Pass) bool {
	_, ok := pass.Op.(T)
	return ok
}

// checkUses compares the accesses that a pass declares with what its shaders can do, and requires
// that every block of theirs is bound.
func checkUses(t *testing.T, pass *Pass) {
	seen := map[Block]bool{}
	for _, u := range pass.Uses {
		if !isA[*Clear](*pass) {
			require.False(t, seen[u.Block], "%s uses %s twice", pass.Name, u.Block)
		}
		seen[u.Block] = true
		require.NotEqual(t, NoBuffer, u.Buffer, "%s: %s", pass.Name, u.Block)
	}
	if pass.Pipeline() == nil {
		return
	}
	declared := map[Block]bool{}
	for _, name := range pass.Pipeline().Shaders {
		s := must.Get(shaders.Find(name))
		for _, b := range s.Bindings {
			declared[Block(b.Name)] = true
			require.True(t, seen[Block(b.Name)], "%s binds nothing to %s of %s", pass.Name, b.Name, name)
			for _, u := range pass.Uses {
				if u.Block != Block(b.Name) {
					continue
				}
				require.False(t, b.ReadOnly && u.Access > Read, "%s writes %s, which %s only reads", pass.Name, b.Name, name)
				require.False(t, b.WriteOnly && u.Access == Read, "%s reads %s, which %s only writes", pass.Name, b.Name, name)
			}
		}
	}
	if isA[*Direct](*pass) { // the hardware fetches indices and vertices
		return
	}
	if isA[*Draw](*pass) {
		declared[QueueStates], declared[Corners] = true, true // its arguments, and its index buffer
	}
	for _, u := range pass.Uses {
		require.True(t, declared[u.Block], "%s uses %s, which its shaders lack", pass.Name, u.Block)
	}
}

func checkAllUses(t *testing.T, p *Plan) {
	for i := range p.Passes {
		checkUses(t, &p.Passes[i])
	}
}

// TestUsesAreTheShaders: what passes declare is what their shaders can do, in frames of
// many kinds.
func TestUsesAreTheShaders(t *testing.T) {
	for _, strategy := range []string{"warp", "claim", "multi"} {
		for way := range 64 {
			f := frame(t, 5000, strategy, 8)
			f.View, f.Raster = renderer.View(way%3), []renderer.RasterHost{renderer.HardwareRaster, renderer.ComputeRaster}[way&1]
			f.Cull, f.NarrowAtomics = way&2 != 0, way&4 != 0
			if way&8 != 0 {
				f.QueueBudget = 64 << 10
			}
			if way&16 != 0 && !f.Cull {
				f.Queue = renderer.Expanded
			}
			if way&32 != 0 {
				f.Shown = make([]uint32, f.Scene.DrawVertices())
			}
			p := made(t)(New(f, testLimits))
			checkAllUses(t, p)
		}
	}
	raw := made(t)(New(rawFrame(), testLimits))
	checkUses(t, &raw.Passes[0])
}

// TestStepsFillFirst: a step's passes of later chunks come first, the others stay in
// order.
func TestStepsFillFirst(t *testing.T) {
	names := func(steps [][]*Pass) (list [][]string) {
		for _, step := range steps {
			list = append(list, nil)
			for _, pass := range step {
				list[len(list)-1] = append(list[len(list)-1], pass.Name)
			}
		}
		return list
	}
	passes := []Pass{{Name: "a", Chunk: NoChunk}, {Name: "b", Chunk: 0}, {Name: "c", Beside: true, Chunk: 0}, {Name: "d", Beside: true, Chunk: 1}, {Name: "e", Chunk: 1}}
	require.Equal(t, [][]string{{"a"}, {"d", "b", "c"}, {"e"}}, names(Steps(passes)))
	require.Equal(t, [][]string{{"d", "c"}, {"e"}}, names(Steps(passes[2:])), "a part begins a step")
}

// TestSlices: passes take at most the given number of triangles, and together every batch once.
func TestSlices(t *testing.T) {
	f := frame(t, 5000, "warp", 32)
	f.Scene = uneven(f.Scene)
	limits := testLimits
	whole := made(t)(New(f, limits))
	require.Len(t, whole.Chunks, 1)
	for _, raster := range []renderer.RasterHost{renderer.HardwareRaster, renderer.ComputeRaster} {
		f.Raster, f.Slice = raster, 35*32 // 35 batches of 32 triangles
		p := made(t)(New(f, limits))
		taken := map[string][]bool{}
		for i := range p.Passes {
			pass := &p.Passes[i]
			if isA[*Draw](*pass) {
				require.LessOrEqual(t, int(pushOf(*pass).TriangleCount), 2*f.Slice)
			}
			if !strings.HasSuffix(pass.Name, ":warp") {
				continue
			}
			if taken[pass.Name] == nil {
				taken[pass.Name] = make([]bool, len(p.Batches))
			}
			push := pushOf(*pass)
			batches := p.Batches[push.FirstBatch:][:push.BatchCount]
			last := batches[len(batches)-1]
			require.LessOrEqual(t, int(last.FirstTriangle+last.IndexCount/3-batches[0].FirstTriangle), f.Slice)
			if end := int(push.FirstBatch + push.BatchCount); end < p.Chunks[pass.Chunk].FirstBatch+p.Chunks[pass.Chunk].BatchCount {
				next := p.Batches[end]
				require.Greater(t, int(next.FirstTriangle+next.IndexCount/3-batches[0].FirstTriangle), f.Slice, "one more would have fitted")
			}
			require.NotZero(t, pass.Op.(*Dispatch).Groups[0])
			for b := range batches {
				at := int(push.FirstBatch) + b
				require.False(t, taken[pass.Name][at], "batch %d is taken twice", at)
				taken[pass.Name][at] = true
			}
		}
		names := []string{"geometry:warp"}
		if len(p.Chunks) > 1 {
			names = append(names, "count:warp")
		}
		require.Len(t, taken, len(names))
		for _, name := range names {
			require.NotContains(t, taken[name], false, name)
		}
		require.Equal(t, raster == renderer.HardwareRaster, len(p.Chunks) > 1, "the graphics pipeline takes a chunk at once")
	}
	f.Slice = -1
	_, err := New(f, limits)
	require.ErrorContains(t, err, "slices of -1 triangles")
}

// TestOncePasses: passes that are marked as equal for every camera precede all drawing and read
// nothing that depends on a camera, and no other pass overwrites their results.
func TestOncePasses(t *testing.T) {
	f := frame(t, 5000, "warp", 32)
	f.QueueBudget = 64 << 10
	p := made(t)(New(f, testLimits))
	require.Greater(t, len(p.Chunks), 2)
	once, drawn := 0, false
	for i := range p.Passes {
		pass := &p.Passes[i]
		if pass.Once {
			once++
			require.True(t, isA[*Clear](*pass) || spec(*pass, "WRITE") == 0 && spec(*pass, "COUNT") == 1, pass.Name)
			require.False(t, drawn, pass.Name)
			continue
		}
		drawn = drawn || isA[*Draw](*pass)
		require.Zero(t, spec(*pass, "COUNT"), "a vertex would be counted twice")
		require.NotContains(t, touching(p, *pass, Write), "Counts", pass.Name)
	}
	require.Equal(t, len(p.Chunks)+1, once)
	require.Contains(t, p.String(), "the same for every camera")

	f.Cull = true
	p = made(t)(New(f, testLimits))
	require.False(t, slices.ContainsFunc(p.Passes, func(x Pass) bool { return x.Once }), "what is culled follows from the camera")
}

// uneven is a scene whose first triangles are separate draws, so that batches differ in size.
func uneven(s *geometry.Scene) *geometry.Scene {
	one := s.Draws[0]
	s.Draws = nil
	for i := range uint32(1000) {
		d := one
		d.FirstIndex, d.IndexCount = one.FirstIndex+3*i, 3
		s.Draws = append(s.Draws, d)
	}
	one.FirstIndex, one.IndexCount = one.FirstIndex+3000, one.IndexCount-3000
	s.Draws = append(s.Draws, one)
	return s
}
