// Package meshtest opens meshes for the tests of the applications: built-in ones,
// and real ones that may lie beside the project. It is for tests only, and knows
// nothing of what they test.
package meshtest

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/apps"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/shareddata"
)

// beyondPosition is what a corner of a face in an OBJ file names beside its
// position.
var beyondPosition = regexp.MustCompile(`/[0-9/-]*`)

// Scene is the asset of that name, or else the file among the real meshes, in whose
// absence the test is skipped. Of an OBJ file only positions are read: its vertices
// then have the file's own numbers.
func Scene(t testing.TB, name string) *geometry.Scene {
	t.Helper()
	if !strings.Contains(name, ".") {
		s, err := assets.Make(name)
		ok(t, err)
		return s
	}
	path := shareddata.Path(t, "meshes", name)
	if strings.HasSuffix(name, ".obj") {
		path = positionsOnly(t, path)
	}
	s, err := format.Open(t.Context(), path)
	ok(t, err)
	return s
}

// positionsOnly copies an OBJ file without texture coordinates and normals.
func positionsOnly(t testing.TB, path string) string {
	text, err := os.ReadFile(path)
	ok(t, err)
	var kept bytes.Buffer
	for line := range bytes.Lines(text) {
		switch {
		case bytes.HasPrefix(line, []byte("v ")):
			kept.Write(line)
		case bytes.HasPrefix(line, []byte("f ")):
			kept.Write(beyondPosition.ReplaceAll(line, nil))
		}
	}
	path = filepath.Join(t.TempDir(), filepath.Base(path))
	ok(t, os.WriteFile(path, kept.Bytes(), 0o600))
	return path
}

// Mesh is a Scene, welded.
func Mesh(t testing.TB, name string) *apps.Mesh {
	t.Helper()
	return weld(t, Scene(t, name))
}

// Ordered is a Scene in that order of triangles, welded.
func Ordered(t testing.TB, name, by string) *apps.Mesh {
	t.Helper()
	s, err := order.Apply(t.Context(), Scene(t, name), by)
	ok(t, err)
	return weld(t, s)
}

func weld(t testing.TB, s *geometry.Scene) *apps.Mesh {
	t.Helper()
	m, err := apps.NewMesh(t.Context(), s)
	ok(t, err)
	return m
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
