package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOwnFunction compiles a shade function of another project into every strategy, as
// docs/apps.md says.
func TestOwnFunction(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(folder, "functions"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "functions", "own.glsl"), []byte(`
		struct OwnResult { uint square; };
		#define Shaded OwnResult
		const bool FUNCTION_CORNERS = true;
		layout(binding = 100, std430) writeonly buffer Squares { uint squares[]; };
		OwnResult function_shade(uint id) { return OwnResult(id * id); }
		void function_keep(uint id, OwnResult result) { squares[id] = result.square; }
		void function_corner(uint k, OwnResult result) {}
	`), 0o600))
	stages, err := filepath.Glob("../../shaders/geometry/*.comp")
	require.NoError(t, err)
	require.NotEmpty(t, stages)
	for _, stage := range stages {
		out, err := exec.Command("glslangValidator", "-V", "--target-env", targetEnv, "-I../../shaders", "-I"+folder, "-DFUNCTION=FUNCTION_OWN",
			stage, "-o", filepath.Join(folder, "own.spv")).CombinedOutput()
		require.NoError(t, err, "%s", out)
		out, err = exec.Command("spirv-val", "--target-env", targetEnv, filepath.Join(folder, "own.spv")).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}
