package oracle

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// TestShownCounts shows naive's counts on frames drawn with warp, chunk by chunk, and
// with multi: the picture equals naive's own, and is the same twice.
func TestShownCounts(t *testing.T) {
	cpu := soft.New()
	defer cpu.Close()
	for _, b := range []plan.Backend{cpu, openGPU(t)} {
		for _, name := range []string{"knot24", "soup"} {
			s := asset(t, name)
			naive, err := reuse.Resolve("naive", 0, 0)
			require.NoError(t, err)
			_, counts := reuse.Analyze(s, naive)
			f := pictureFrame(t, s, renderer.Counts)
			own := renderPicture(t, b, f)
			f.Reuse = naive
			want := renderPicture(t, b, f)
			require.False(t, bytes.Equal(want.Color.Pix, own.Color.Pix), "warp's picture is another")
			for _, strategy := range []string{"warp", "multi"} {
				f := pictureFrame(t, s, renderer.Counts)
				f.Reuse, err = reuse.Resolve(strategy, 0, 0)
				require.NoError(t, err)
				f.Shown, f.QueueBudget = counts, 64<<10
				for round := range 2 {
					got := renderPicture(t, b, f)
					require.True(t, bytes.Equal(want.Color.Pix, got.Color.Pix), "%s: %s, %s, round %d", b.Name(), name, strategy, round)
				}
			}
		}
	}
}
