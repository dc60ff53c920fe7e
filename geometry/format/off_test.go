package format

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const offPlain = "OFF\n4 2 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n4 0 1 2 3\n3 3 1 0\n"

func TestOFF(t *testing.T) {
	for name, text := range map[string]string{
		"plain":           offPlain,
		"no last end":     strings.TrimSuffix(offPlain, "\n"),
		"CRLF":            strings.ReplaceAll(offPlain, "\n", "\r\n"),
		"no keyword":      strings.TrimPrefix(offPlain, "OFF\n"),
		"counts beside":   strings.Replace(offPlain, "OFF\n", "OFF ", 1),
		"two counts":      strings.Replace(offPlain, "4 2 0", "4 2", 1),
		"comments":        strings.Replace(offPlain, "OFF\n", "# a\nOFF # b\n\n# c\n", 1) + "# end\n\n",
		"colours":         strings.NewReplacer("OFF", "COFF", "1 0 0\n", "1 0 0 255 0 0 255\n", "3 3 1 0", "3 3 1 0 0.5 0.5 1").Replace(offPlain),
		"texture":         strings.NewReplacer("OFF", "STCOFF", "1 0 0\n", "1 0 0 1 1 1 1 0 0\n").Replace(offPlain),
		"unnamed colours": strings.ReplaceAll(offPlain, "1 0 0\n", "1 0 0 255 0 0\n"),
	} {
		t.Run(name, func(t *testing.T) {
			s := mustLoad(t, "a.off", text)
			require.Equal(t, tetraPositions, s.Positions)
			require.Equal(t, quadIndices, s.Indices)
		})
	}
	s := mustLoad(t, "a.off", "CNOFF 3 1\n0 0 0 0 3 0 1 1 1 1\n1 0 0 1 0 0 1 1 1 1\n0 1 0 0 0 -1 0 0 0 0\n3 0 1 2\n")
	require.Equal(t, tetraPositions[:3], s.Positions)
	require.Equal(t, float32(-1), s.Normals[2][2])
	require.Equal(t, float32(1), s.Normals[0][1], "made of unit length")
}

func TestOFFRefuses(t *testing.T) {
	requireRefused(t, "bad.off", offPlain, []refusal{
		{"binary", "OFF\n", "OFF BINARY\n", "binary OFF"},
		{"four dimensions", "OFF", "4OFF", "three dimensions"},
		{"any dimensions", "OFF", "nOFF", "three dimensions"},
		{"other keyword", "OFF", "FOO", "expected the number of vertices"},
		{"no faces count", "4 2 0", "4", "expected the number of faces"},
		{"no vertices", "4 2 0", "0 2 0", "0 vertices"},
		{"negative", "4 2 0", "4 -2 0", "-2 faces"},
		{"many vertices", "4 2 0", "400000000 2 0", "more than the file's"},
		{"too many vertices", "4 2 0", "4000000000 2 0", "are supported"},
		{"more faces", "4 2 0", "4 3 0", ""},
		{"fewer faces", "4 2 0", "4 1 0", "follows the last face"},
		{"fewer vertices", "4 2 0", "3 2 0", "line 6"},
		{"short vertex", "0 1 0\n", "0 1\n", "line 5: vertex needs 3 numbers, has 2"},
		{"nan", "0 1 0\n", "0 nan 0\n", "line 5"},
		{"overflow", "0 1 0\n", "0 1e999 0\n", "line 5"},
		{"index", "3 3 1 0", "3 4 1 0", "line 8: face names vertex 4"},
		{"last line without end", "3 3 1 0\n", "3 4 1 0", "line 8"},
		{"negative index", "3 3 1 0", "3 -1 1 0", "line 8"},
		{"fraction", "3 3 1 0", "3 1.5 1 0", "line 8"},
		{"line", "3 3 1 0", "2 3 1", "face of 2"},
		{"short face", "3 3 1 0", "4 3 1 0", "lists only 3"},
		{"long face", "3 3 1 0", "2000000000 3 1 0", "lists only 3"},
		{"no faces", "4 2 0", "4 0 0", "0 faces"},
	})
}
