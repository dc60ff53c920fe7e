package module_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// TestDecodeOwn decodes every shader of the project, so the instructions of compute and fragment
// shaders must be known too.
func TestDecodeOwn(t *testing.T) {
	files := must.Get(filepath.Glob("../../shaders/spirv/*.spv"))
	require.NotEmpty(t, files)
	for _, file := range files {
		data := must.Get(os.ReadFile(file))
		words := must.Get(module.Words(data))
		m, err := module.Decode(words)
		require.NoError(t, err, file)
		require.Len(t, m.EntryPoints(), 1)
	}
}
