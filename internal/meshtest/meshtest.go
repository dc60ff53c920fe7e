// Package meshtest opens meshes for the tests of the applications: built-in ones, and real ones
// that may be stored beside the project. Only tests may use it, and it knows nothing of what they
// test.
package meshtest

import (
	"slices"
	"strings"
	"testing"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
)

// Scene returns the asset with the given name, or if the name has a dot, the file of that name among the
// real meshes. It skips the test if the file is missing. From a file it reads only the shape
// (format.Formats.Shapes).
func Scene(t testing.TB, name string) *geometry.Scene {
	t.Helper()
	if !strings.Contains(name, ".") {
		return must.Get(assets.Make(name))
	}
	return must.Get(format.Readers(nil).Shapes().Open(t.Context(), shareddata.Path(t, "meshes", name)))
}

// Mesh returns a Scene, welded.
func Mesh(t testing.TB, name string) *apps.Mesh {
	t.Helper()
	return must.Get(apps.NewMesh(t.Context(), Scene(t, name)))
}

// Ordered returns a Scene in the index order `by`, welded.
func Ordered(t testing.TB, name, by string) *apps.Mesh {
	t.Helper()
	return must.Get(apps.NewMesh(t.Context(), must.Get(order.Apply(t.Context(), Scene(t, name), by))))
}

// Together returns a mesh and its envelope as one mesh. Vertices that have not moved are shared,
// and triangles with only such vertices appear once.
func Together(m, moved *apps.Mesh) *apps.Mesh {
	number := make([]uint32, len(m.Positions))
	for v := range number {
		number[v] = uint32(v)
		if m.Positions[v] != moved.Positions[v] {
			number[v] += uint32(len(m.Positions))
		}
	}
	out := &apps.Mesh{Positions: slices.Concat(m.Positions, moved.Positions), Triangles: slices.Clone(m.Triangles)}
	for t := range slices.Chunk(m.Triangles, 3) {
		if i, j, k := number[t[0]], number[t[1]], number[t[2]]; i != t[0] || j != t[1] || k != t[2] {
			out.Triangles = append(out.Triangles, i, j, k)
		}
	}
	return out
}
