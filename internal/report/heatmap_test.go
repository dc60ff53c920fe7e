package report

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// TestHeatmapsOnThePage: numbers are little-endian, counts bytes, names escaped; a page without heatmaps
// has no script.
func TestHeatmapsOnThePage(t *testing.T) {
	t.Parallel()
	r := &Report{}
	require.NotContains(t, string(must.Get(r.page(nil, nil))), "<script")
	r.Heatmaps = []Heatmap{{Scene: `"><b>`, Positions: []float32{1, -2, 0}, Indices: []uint32{258, 0}, Counts: [2][]uint32{{1, 255, 256}, {2, 3, 1000}}}}
	page := string(must.Get(r.page(nil, nil)))
	require.NotContains(t, page, `"><b>`)
	require.Equal(t, 1, strings.Count(page, `<div class="heatmap"`))
	require.Contains(t, page, "<script>"+heatmapScript+"</script>")
	for name, want := range map[string]string{
		"positions": "\x00\x00\x80\x3f\x00\x00\x00\xc0\x00\x00\x00\x00", "indices": "\x02\x01\x00\x00\x00\x00\x00\x00", "left": "\x01\xff\xff", "right": "\x02\x03\xff",
	} {
		require.Contains(t, page, `data-`+name+`="`+strings.ReplaceAll(base64.StdEncoding.EncodeToString([]byte(want)), "+", "&#43;")+`"`)
	}
}
