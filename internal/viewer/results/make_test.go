package results

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/viewer/viewtest"
)

// TestLevelsGoOn: continuing from level 20 to 21 refines the mesh once, and is bounded by the memory of the levels
// added.
func TestLevelsGoOn(t *testing.T) {
	s := viewtest.Scene(t, "cube")
	mesh := must.Get(apps.NewMesh(t.Context(), s))
	m := &made{choice: Choice{App: Subdivide, Levels: 21}, of: s}
	require.NoError(t, m.subdivide(t.Context(), &made{choice: Choice{App: Subdivide, Levels: 20}, of: s, mesh: mesh}))
	require.Equal(t, 4*s.Triangles(), m.scene.Triangles())
	m.choice.Levels = 34
	require.ErrorContains(t, m.subdivide(t.Context(), &made{choice: Choice{App: Subdivide, Levels: 20}, of: s, mesh: mesh}), "14 levels of 12 triangles")
}
