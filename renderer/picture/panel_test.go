package picture

import (
	"image"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestColumns(t *testing.T) {
	lines := []string{"a", "bb", "c", "d", "é"}
	require.Equal(t, lines, Columns(lines, image.Pt(1000, 1000)))
	require.Equal(t, []string{"a   d", "bb  é", "c"}, Columns(lines, image.Pt(1000, 11+2*8+3*16)))
	require.Equal(t, lines, Columns(lines, image.Pt(50, 10)), "too narrow")
	require.Equal(t, []string{"a   bb  c   d   é"}, Columns(lines, image.Pt(1000, 1)))
}
