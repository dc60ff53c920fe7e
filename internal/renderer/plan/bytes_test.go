package plan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/renderer"
)

// TestGeometryBytes uses a strip of 5 triangles over 7 vertices. Its static batches of 6
// indices hold two, two and one triangles.
func TestGeometryBytes(t *testing.T) {
	for _, tt := range []struct {
		strategy    string
		queue       renderer.QueueForm
		view        renderer.View
		invocations int
		want        int64
	}{
		// In bytes: 3 batches of 16 each and 15 indices of 4. The batches name 4, 4 and 3 vertices,
		// each with a position of 12 and a queue slot of 16. There are 5 triangle records of 8.
		{"warp", renderer.Indexed, renderer.NoView, 11, 48 + 60 + 11*(12+16) + 40},
		// Each vertex has a normal of 12 and attributes of 8 too.
		{"warp", renderer.Indexed, renderer.Shaded, 11, 48 + 60 + 11*(24+24) + 40},
		// Three vertices per triangle, and no records.
		{"warp", renderer.Expanded, renderer.NoView, 11, 48 + 60 + 11*12 + 15*16},
		{"warp", renderer.Expanded, renderer.Counts, 11, 48 + 60 + 11*24 + 15*24},
		{"naive", renderer.Indexed, renderer.NoView, 15, 48 + 60 + 15*(12+16) + 40},
		// Three batches of triangles, and four of at most two vertices. Each of 7 vertices is stored once, then read and stored again for each corner.
		{"multi", renderer.Expanded, renderer.NoView, 7, 7*16 + 60 + 7*(12+16) + 15*(16+16)},
	} {
		c := must.Get(reuse.Resolve(tt.strategy, 4, 6))
		f := renderer.Frame{Scene: strip(5), Reuse: c, Queue: tt.queue, View: tt.view, NoRaster: true}
		p := made(t)(New(f, testLimits))
		stats, _ := must.Get2(reuse.Analyze(f.Scene, c))
		require.Equal(t, tt.invocations, stats.Invocations)
		require.Equal(t, tt.want, p.GeometryBytes(stats), "%s, %s, %s", tt.strategy, tt.queue, tt.view)
	}
}
