package reuse_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/shareddata"
)

// ordered is the scene in that order.
func ordered(t testing.TB, s *geometry.Scene, name string) *geometry.Scene {
	t.Helper()
	s, err := order.Apply(t.Context(), s, name)
	require.NoError(t, err)
	return s
}

// scannedBunny opens the Stanford bunny among the real meshes beside the
// repository; the test is skipped where there are none.
func scannedBunny(t testing.TB) *geometry.Scene {
	t.Helper()
	s, err := format.Open(t.Context(), shareddata.Path(t, "meshes", "bun_zipper.ply"))
	require.NoError(t, err)
	return s
}
