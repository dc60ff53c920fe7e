package plan

import (
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
