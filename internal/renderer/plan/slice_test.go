package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer"
)

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
