package shade

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFilesThatAreIncluded(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, filepath.FromSlash(name)) }
	require.NoError(t, os.Mkdir(at("lib"), 0o700))
	for name, text := range map[string]string{
		"a.vert":         "#version 450\n#include \"lib/noise.glsl\"\n\t# include <gone.glsl>\r\n// #include \"no.glsl\"\nint a; #include \"no.glsl\"\n#include \"lib/noise.glsl\"\n",
		"lib/noise.glsl": "#include \"../a.vert\"\n#include \"hash.glsl\"\n",
	} {
		require.NoError(t, os.WriteFile(at(name), []byte(text), 0o600))
	}
	require.Equal(t, []string{at("a.vert"), at("lib/noise.glsl"), at("gone.glsl"), at("../a.vert"), at("lib/hash.glsl"), at("hash.glsl")}, Source{File: at("a.vert")}.Files())
	require.Equal(t, []string{at("lib/noise.glsl"), at("a.vert"), at("../a.vert"), at("lib/hash.glsl"), at("hash.glsl")}, Source{File: at("lib/noise.glsl"), Include: Lines(folder)}.Files()[:5])
	require.Equal(t, []string{at("none.vert")}, Source{File: at("none.vert")}.Files())
}
