package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/renderer"
)

func TestLeanPlans(t *testing.T) {
	lean := func(change func(*renderer.Frame, *renderer.Limits)) *Plan {
		p := made(t)(fusedPlan(t, 100, "claim", func(f *renderer.Frame, l *renderer.Limits) {
			l.Shared, f.View, f.NoCounts = true, renderer.Shaded, true
			if change != nil {
				change(f, l)
			}
		}))
		return p
	}
	p := lean(nil)
	require.True(t, p.Lean)
	require.Equal(t, "fused:claim raster:medium raster:large raster:clipped raster:tiled raster:resolve", passNames(p))
	all := *p
	all.Passes = p.Short()
	require.Equal(t, "fused:claim raster:resolve", passNames(&all))
	all.Passes = p.Rest()
	require.Equal(t, "raster:medium raster:large raster:clipped raster:tiled raster:resolve", passNames(&all))
	require.False(t, all.Passes[0].Beside)
	require.Equal(t, uint32(1), spec(p.Passes[len(p.Passes)-1], "LEAN"))
	require.Equal(t, uint32(1), spec(p.Passes[0], "SOLE"))
	p = lean(func(f *renderer.Frame, _ *renderer.Limits) {
		f.Scene.Draws = append(f.Scene.Draws, f.Scene.Draws[0])
	})
	require.True(t, p.Lean)
	require.Equal(t, uint32(0), spec(p.Passes[0], "SOLE"), "two draws")
	p = lean(func(f *renderer.Frame, _ *renderer.Limits) {
		for len(f.Scene.Draws) <= leanDraws {
			f.Scene.Draws = append(f.Scene.Draws, f.Scene.Draws[0])
		}
	})
	require.True(t, p.Lean)
	require.Contains(t, passNames(p), "camera:clips fused:claim")
	p = lean(func(f *renderer.Frame, _ *renderer.Limits) {
		f.Scene.Draws[0].FirstIndex, f.Scene.Draws[0].IndexCount = 3, f.Scene.Draws[0].IndexCount-3
	})
	require.Equal(t, uint32(0), spec(p.Passes[0], "SOLE"), "not the first indices")

	p = lean(func(f *renderer.Frame, _ *renderer.Limits) {
		f.Raster, f.View, f.NoCounts = renderer.ComputeRaster, renderer.Counts, false
	})
	require.True(t, p.Lean)
	require.Equal(t, "clear geometry:claim raster:setup raster:small raster:medium raster:large raster:clipped raster:tiled raster:resolve", passNames(p))
	require.Equal(t, []string{"Counts"}, touching(p, p.Passes[0], Write))
	all.Passes = p.Short()
	require.Equal(t, "clear geometry:claim raster:setup raster:small raster:resolve", passNames(&all))

	for name, change := range map[string]func(*renderer.Frame, *renderer.Limits){
		"no memory that both reach": func(_ *renderer.Frame, l *renderer.Limits) { l.Shared = false },
		"culled":                    func(f *renderer.Frame, _ *renderer.Limits) { f.Cull = true },
		"narrow":                    func(f *renderer.Frame, _ *renderer.Limits) { f.Raster, f.NarrowAtomics = renderer.ComputeRaster, true },
		"in chunks":                 func(f *renderer.Frame, _ *renderer.Limits) { f.QueueBudget, f.VertexShare = 2<<10, 1 },
		"graphics pipeline":         func(f *renderer.Frame, _ *renderer.Limits) { f.Raster = renderer.HardwareRaster },
	} {
		p := lean(change)
		require.False(t, p.Lean, name)
		require.Contains(t, passNames(p), "clear camera:clips", name)
	}
}

// steps groups passes that may run at the same time.
func steps(p *Plan) [][]Pass {
	var out [][]Pass
	for _, pass := range p.Passes {
		if !pass.Beside {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], pass)
	}
	return out
}

// conflict returns a buffer that two passes of a step use, if one of them writes it or only one updates it; NoBuffer if
// there is none.
func conflict(step []Pass) BufferID {
	for i, a := range step {
		for _, b := range step[i+1:] {
			for _, u := range a.Uses {
				for _, v := range b.Uses {
					if u.Buffer != v.Buffer || u.Access == Bound || v.Access == Bound {
						continue
					}
					if u.Access == Write || v.Access == Write || (u.Access == Update) != (v.Access == Update) {
						return u.Buffer
					}
				}
			}
		}
	}
	return NoBuffer
}

// TestOverlap: passes that run at the same time have no conflict; each chunk, in order, is drawn
// from queues that still hold it; and geometry does overlap drawing.
func TestOverlap(t *testing.T) {
	for _, host := range []renderer.RasterHost{renderer.HardwareRaster, renderer.SoftRaster, renderer.ComputeRaster} {
		for _, view := range []renderer.View{renderer.Counts, renderer.Batches, renderer.Shaded} {
			for way := range 8 {
				narrow, cull, sliced := way&1 != 0, way&2 != 0, way&4 != 0
				f := frame(t, 5000, "warp", 8)
				f.QueueBudget, f.Raster, f.View, f.NarrowAtomics, f.Cull = 32<<10, host, view, narrow, cull
				if sliced {
					f.Scene, f.Slice, f.QueueBudget = strip(30000), leastSlice, 256<<10
				}
				p := made(t)(New(f, testLimits))
				what := fmt.Sprint(host, view, narrow, cull, sliced)
				require.Equal(t, 2, p.Halves, what)
				require.Greater(t, len(p.Chunks), 3, what)
				var owner [2]int // the chunk that each half of the queues holds
				var drawn []uint32
				beside, filling := 0, 0 // steps that fill and draw; passes that fill
				for _, step := range steps(p) {
					require.Equal(t, NoBuffer, conflict(step), what)
					filled, draws := -1, false
					for _, pass := range step {
						chunk := pass.Chunk
						switch half := p.Half(max(0, chunk)); {
						case strings.HasPrefix(pass.Name, "geometry:"):
							require.Contains(t, touching(p, pass, Write), nameOf(p, Triangles, half), what)
							filled, filling = chunk, filling+1
						case strings.HasPrefix(pass.Name, "raster:"):
							require.Equal(t, chunk, owner[half], what+pass.Name)
							require.Contains(t, touching(p, pass, Read), nameOf(p, VertexPositions, half), what)
							if pass.Name == "raster:"+host.String() || pass.Name == "raster:resolve" {
								drawn = append(drawn, uint32(chunk))
							}
							draws = draws || isA[*Draw](pass) || pass.Name == "raster:small"
						}
					}
					if filled >= 0 {
						owner[p.Half(filled)] = filled
					}
					if filled > 0 && draws {
						beside++
					}
				}
				require.Len(t, drawn, len(p.Chunks), what)
				require.True(t, slices.IsSorted(drawn), what)
				require.GreaterOrEqual(t, beside, len(p.Chunks)-1, what)
				require.Equal(t, sliced, filling > len(p.Chunks), what)
				if !sliced {
					require.Equal(t, len(p.Chunks)-1, beside, what)
				}
				require.Contains(t, p.String(), "pass + geometry:warp", what)
			}
		}
	}
}

// TestConflict: conflict finds a buffer that one pass of a step writes or updates and another one uses, unless both
// update it.
func TestConflict(t *testing.T) {
	const x, y, z BufferID = 0, 1, 2
	uses := func(list ...Use) Pass { return Pass{Uses: list} }
	reads := func(id BufferID) Use { return Use{Buffer: id, Access: Read} }
	writes := func(id BufferID) Use { return Use{Buffer: id, Access: Write} }
	updates := func(id BufferID) Use { return Use{Buffer: id, Access: Update} }
	a, b := uses(reads(x), writes(y)), uses(reads(z))
	require.Equal(t, NoBuffer, conflict([]Pass{a, b}))
	b = uses(reads(z), reads(y))
	require.Equal(t, y, conflict([]Pass{a, b}))
	require.Equal(t, y, conflict([]Pass{b, a}))
	a = uses(reads(x), updates(y))
	require.Equal(t, y, conflict([]Pass{a, b}))
	b = uses(updates(y))
	require.Equal(t, NoBuffer, conflict([]Pass{a, b}))
	require.Equal(t, z, conflict([]Pass{uses(writes(z)), uses(reads(z))}))
	require.Equal(t, NoBuffer, conflict([]Pass{uses(writes(z)), uses(Use{Buffer: z})}), "bound only")
}

// TestHalvesKeepToTheBudget: both halves together stay within the budget; a budget that holds one
// batch but not two is used as a whole.
func TestHalvesKeepToTheBudget(t *testing.T) {
	queues := func(p *Plan) (n int64) {
		for _, b := range p.Buffers {
			switch b.Block {
			case VertexPositions, VertexAttributes, Triangles:
				n += b.Bytes
			}
		}
		return n
	}
	halves := map[int]int{}
	for _, budget := range []int64{1 << 20, 100 << 10, 16 << 10, 2 << 10, 1200, 1000, 900, 800, 700} {
		f := frame(t, 5000, "warp", 8)
		f.QueueBudget = budget
		p, err := New(f, testLimits)
		if err != nil {
			require.ErrorContains(t, err, "is too small: one batch of 24 indices needs")
			continue
		}
		require.LessOrEqual(t, queues(p), budget)
		require.Equal(t, p.Halves == 2, p.Find(Triangles, 1) != NoBuffer)
		halves[p.Halves]++
	}
	require.NotZero(t, halves[1])
	require.NotZero(t, halves[2])
	f := frame(t, 5000, "warp", 8)
	f.QueueBudget, f.OneHalf = 16<<10, true
	one := made(t)(New(f, testLimits))
	require.Equal(t, 1, one.Halves)
	f.OneHalf = false
	two := made(t)(New(f, testLimits))
	require.Less(t, len(one.Chunks), len(two.Chunks))
	f.QueueBudget, f.NoRaster, f.View = 16<<10, true, renderer.NoView
	p := made(t)(New(f, testLimits))
	require.Equal(t, 1, p.Halves, "nothing is drawn beside which geometry could run")
}
