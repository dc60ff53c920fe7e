package plan

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/renderer"
)

// TestMatrixIsInTheDocs: the table in the design notes is the matrix.
func TestMatrixIsInTheDocs(t *testing.T) {
	docs, err := os.ReadFile("../../docs/design/plan.md")
	require.NoError(t, err)
	require.Contains(t, string(docs), Exclusions())
}

// TestStreamsAreResolved: a plan that another package lists has no plugs of its own.
func TestStreamsAreResolved(t *testing.T) {
	p := &Plan{Frame: frame(t, 10, "claim", 8)}
	p.Frame.NoRaster = true
	require.Empty(t, p.Backend())
	require.NoError(t, p.CheckExec(renderer.FitCamera(p.Frame.Scene.Bounds(), 1), renderer.WantVisible))
}
