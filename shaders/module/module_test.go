package module_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/shaders/module"
)

// TestDecodeOwn decodes every shader of the project, so the instructions of compute and fragment
// shaders must be known too.
func TestDecodeOwn(t *testing.T) {
	files, err := filepath.Glob("../spirv/*.spv")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		words, err := module.Words(data)
		require.NoError(t, err)
		m, err := module.Decode(words)
		require.NoError(t, err, file)
		require.Len(t, m.EntryPoints(), 1)
	}
}
