package cli

import (
	"context"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/base/budget"
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
	found := must.Get(filesBelow(folder))
	require.Equal(t, []string{filepath.Join(folder, "a.ply"), filepath.Join(folder, "below", "b.obj")}, found)

	notes := filepath.Join(folder, "notes.md")
	require.Equal(t, append([]string{notes}, found...), must.Get(Files([]string{notes, folder})), "what is no folder stays, whatever its name")
}

// TestSceneNames: in a folder, endings tell scenes from other files; a built-in scene must exist.
func TestSceneNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"A.PLY": true, "a.OBJ.ZST": true, "a.zip.xml.gz": true, "a.xml": false, "a.csv": false, ".a.ply": false, "a.gz": false, "ply": false,
	} {
		require.Equal(t, want, Openable(name), name)
	}
	require.NoError(t, CheckAssets([]string{"none.ply", "asset:cube"}))
	require.Equal(t, ExitUsage, Status(CheckAssets([]string{"asset:cube", "asset:cub"})))
}

// moves is an animation, by its name. Its pose at N seconds has one vertex, at x = N.
type moves string

func (m moves) Name() string  { return string(m) }
func (moves) Length() float32 { return 5 }
func (moves) Pose(_ *geometry.Scene, seconds float32) (*geometry.Scene, error) {
	return &geometry.Scene{Positions: []mgl32.Vec3{{seconds, 0, 0}}}, nil
}

// TestPoses: --animation names an animation by its index or, if that does not exist, by its name.
func TestPoses(t *testing.T) {
	t.Parallel()
	s := &geometry.Scene{Animations: []geometry.Animation{moves("run"), moves("7"), moves("-1")}}
	for name, want := range map[string]int{"": 0, "0": 0, "2": 2, "run": 0, "7": 1, "-1": 2} {
		require.Equal(t, want, must.Get(FindAnimation(s.Animations, name)), name)
	}
	_, err := Posed("a.glb", s, 1, "3")
	require.EqualError(t, err, `a.glb: --animation "3": the file has no such animation, only run, 7, -1`)
	require.Equal(t, float32(2), must.Get(Posed("a.glb", s, 2, "")).Positions[0][0])
	require.Same(t, s, must.Get(Posed("a.glb", s, RestTime, "")))
	require.Zero(t, must.Get(Posed("a.glb", s, RestTime, "run")).Positions[0][0], "its start")
	_, err = Posed("a.glb", &geometry.Scene{}, RestTime, "walk")
	require.EqualError(t, err, "a.glb: --animation walk: no animation that moves anything")
	_, err = Posed("a.glb", &geometry.Scene{}, 2, "")
	require.EqualError(t, err, "a.glb: --time 2: no animation that moves anything")
	for seconds, good := range map[float64]bool{0: true, 5: true, -1: true, -.5: false, math.Inf(1): false, math.NaN(): false} {
		require.Equal(t, good, CheckTime(float32(seconds)) == nil, seconds)
	}
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
		"skin": {ours.Readers().Open, false, false}, "transform": {(&ShaderFlags{Name: "transform"}).Readers().Open, false, false}, "a.vert": {foreign.Readers().Open, false, true},
		"textured a.vert": {foreign.Readers().Textures().Open, true, true},
	} {
		s := must.Get(c.open(t.Context(), at("a.gltf")))
		require.Equal(t, c.textures, s.Textures != nil, name)
		require.Equal(t, c.attributes, slices.ContainsFunc(s.Attributes, func(a geometry.Attribute) bool { return a.Name == "_HEIGHT" }), name)
	}
	require.Empty(t, must.Get(OpenPass(false, "")(t.Context(), "asset:cube")).Attributes)
	require.NotEmpty(t, must.Get(OpenPass(true, "")(t.Context(), "asset:cube")).Attributes)
}

func TestFileBudgets(t *testing.T) {
	for text, want := range map[string]int64{"": 1, "1": 1, "4": 4, "1048576": 1 << 20} {
		t.Setenv(fileBudgetVariable, text)
		times := must.Get(fileBudget())
		require.Equal(t, want, times)
	}
	for _, text := range []string{"0", "-1", "x", "2.5", "1048577"} {
		t.Setenv(fileBudgetVariable, text)
		_, err := fileBudget()
		require.ErrorContains(t, err, "SHADEONCE_FILE_BUDGET="+text+": want a whole number from 1 to 1048576")
	}
	t.Setenv(fileBudgetVariable, "2")
	path := filepath.Join(t.TempDir(), "a.x")
	require.NoError(t, os.WriteFile(path, []byte("x"), 0o600))
	costly := format.Reader{Extensions: []string{".x"}, Read: func(context.Context, *format.Input) (*geometry.Scene, error) {
		return nil, new(budget.Budget).Memory(1 << 40)
	}}
	_, err := openAs(t.Context(), path, format.Formats{costly})
	require.ErrorContains(t, err, "too much for 0 bytes of file; SHADEONCE_FILE_BUDGET=8 allows 4 times as much")
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
