package cli

import (
	"context"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
)

// TestFoldersAreSearched: hidden folders in a folder are skipped, but not a hidden folder that was named.
func TestFoldersAreSearched(t *testing.T) {
	folder := filepath.Join(t.TempDir(), ".meshes")
	for _, name := range []string{"a.ply", "below/b.obj", ".git/c.ply", "notes.md"} {
		path := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, nil, 0o600))
	}
	found, err := filesBelow(folder)
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(folder, "a.ply"), filepath.Join(folder, "below", "b.obj")}, found)
}

// TestScenesHaveWhatIsDrawn: scenes to draw are opened with textures and, for a user's vertex shader, also
// with attributes.
func TestScenesHaveWhatIsDrawn(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	const mesh = `{"asset":{"version":"2.0"},"buffers":[{"byteLength":36,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}],
		"bufferViews":[{"buffer":0,"byteLength":36}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},
		{"bufferView":0,"componentType":5126,"count":3,"type":"VEC2"},{"bufferView":0,"componentType":5126,"count":3,"type":"SCALAR"}],
		"images":[{"uri":"a.png"}],"textures":[{"source":0}],"materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}],
		"meshes":[{"primitives":[{"attributes":{"POSITION":0,"TEXCOORD_0":1,"_HEIGHT":2},"material":0}]}]}`
	require.NoError(t, os.WriteFile(at("a.gltf"), []byte(mesh), 0o600))
	file := must.Get(os.Create(at("a.png")))
	require.NoError(t, png.Encode(file, image.NewNRGBA(image.Rect(0, 0, 4, 4))))
	require.NoError(t, file.Close())
	ours, foreign := &ShaderFlags{Name: "skin"}, &ShaderFlags{Name: "a.vert"}
	for name, c := range map[string]struct {
		open                 func(context.Context, string) (*geometry.Scene, error)
		textures, attributes bool
	}{
		"scene": {OpenPass(false, ""), true, false}, "shaded": {OpenPass(true, ""), true, true},
		"skin": {ours.Readers().Open, false, false}, "a.vert": {foreign.Readers().Open, false, true},
		"textured a.vert": {foreign.Readers().Textures().Open, true, true},
	} {
		s, err := c.open(t.Context(), at("a.gltf"))
		require.NoError(t, err)
		require.Equal(t, c.textures, s.Textures != nil, name)
		require.Equal(t, c.attributes, slices.ContainsFunc(s.Attributes, func(a geometry.Attribute) bool { return a.Name == "_HEIGHT" }), name)
	}
}

func TestFileBudgets(t *testing.T) {
	for text, want := range map[string]int64{"": 1, "1": 1, "4": 4, "1048576": 1 << 20} {
		t.Setenv(fileBudgetVariable, text)
		times, err := fileBudget()
		require.NoError(t, err)
		require.Equal(t, want, times)
	}
	for _, text := range []string{"0", "-1", "x", "2.5", "1048577"} {
		t.Setenv(fileBudgetVariable, text)
		_, err := fileBudget()
		require.ErrorContains(t, err, "SHADEONCE_FILE_BUDGET="+text+": want a whole number from 1 to 1048576")
	}
}

// noisy is a backend whose validation layer reports messages.
type noisy struct {
	plan.Backend
	messages []string
}

func (n noisy) Info() plan.Info {
	return plan.Info{Messages: func() []string { return n.messages }}
}

func TestValidationMessagesAreErrors(t *testing.T) {
	t.Parallel()
	b := &noisy{}
	require.NoError(t, ended(b, func() {}))
	require.EqualError(t, ended(b, func() { b.messages = []string{"VUID-1: bad", "VUID-2"} }), // the layer reports leaks at the end
		"the validation layer reported 2 messages, the first: VUID-1: bad")
}
