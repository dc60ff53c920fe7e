package report

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReuseSheet: every cell of a row, of a scene that does not reference all its
// vertices.
func TestReuseSheet(t *testing.T) {
	t.Parallel()
	r := sample()
	rows := sheetOf(t, filesOf(t, r)["reuse.csv"])
	require.Len(t, rows, len(r.Reuse))
	i := slices.IndexFunc(rows, func(row map[string]string) bool {
		return row["scene"] == "bun.ply" && row["order"] == "forsyth" && row["counter"] == "warp"
	})
	st := &r.Reuse[i].Stats
	paper, _ := paperReuse("bunny", ColumnWarp)
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	for column, want := range map[string]string{
		"paper_scene": "bunny", "draws": "1", "vertices": "35947", "referenced": "34834", "triangles": "69451", "kind": "strategy",
		"column": ColumnWarp, "reading": "", "invocations": strconv.Itoa(st.Invocations),
		"reuse": number(st.Reuse()), "acmr": number(st.ACMR()), "atvr": number(st.ATVR()), "paper_reuse": number(paper), "difference": number(st.Reuse() - paper),
	} {
		require.Equal(t, want, rows[i][column], column)
	}
}
