package format

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// TestLineEnds: all line ends become LF, however the bytes are cut.
func TestLineEnds(t *testing.T) {
	text := "a\rb\r\nc\n\r\r\nd\r\r\r\n\n\re\r"
	want := "a\nb\nc\n\n\nd\n\n\n\n\ne\n"
	for name, r := range map[string]io.Reader{
		"whole": strings.NewReader(text), "bytes": iotest.OneByteReader(strings.NewReader(text)), "halves": iotest.HalfReader(strings.NewReader(text)),
	} {
		got, err := io.ReadAll(newTextReader(r))
		require.NoError(t, err)
		require.Equal(t, want, string(got), name)
	}
}

// TestOldText: a byte order mark and lines that end in CR change no mesh.
func TestOldText(t *testing.T) {
	const stl = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n"
	for name, text := range map[string]string{"a.obj": objVerts + "g a\nf 1 2 3\nf 2 3 4\n", "a.ply": plyPlain, "a.off": offPlain, "a.stl": stl} {
		want, err := load(name, []byte(text), false)
		require.NoError(t, err)
		for what, changed := range map[string]string{
			"mark": "\ufeff" + text, "CR": strings.ReplaceAll(text, "\n", "\r"), "CR LF": strings.ReplaceAll(text, "\n", "\r\n"),
			"mark and CR": "\ufeff" + strings.ReplaceAll(text, "\n", "\r"),
			"some CR":     strings.Replace(strings.Replace(text, "\n", "\r", 5), "\r", "\n", 2),
		} {
			if what == "some CR" && name == "a.ply" {
				continue // the header's ends are those of its first line
			}
			path := writeFile(t, name, []byte(changed))
			got, err := Open(t.Context(), path)
			require.NoError(t, err, "%s, %s", name, what)
			require.Equal(t, want.Positions, got.Positions, "%s, %s", name, what)
			require.Equal(t, want.Indices, got.Indices, "%s, %s", name, what)
		}
		path := writeFile(t, name, append([]byte("\xff\xfe"), strings.ReplaceAll(text, "", "\x00")[1:]...))
		_, err = Open(t.Context(), path)
		require.ErrorContains(t, err, "is text in UTF-16: only UTF-8 is read")
	}
}
