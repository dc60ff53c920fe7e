package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
)

// figuresOf returns the rows that analyze prints for a file, without the names of file and order.
func figuresOf(t *testing.T, args ...string) (rows []measure.Analysis) {
	t.Helper()
	rows = rowsAs[measure.Analysis](t, fine(t, append([]string{"analyze", "--backend", "cpu", "--json"}, args...)...).out)
	for i := range rows {
		rows[i].File, rows[i].Order = "", ""
	}
	return rows
}

func TestConvert(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	for _, name := range []string{"a.glb", "a.ply", "a.obj"} {
		fine(t, "convert", "asset:sphere3", "-o", at(name))
		require.Equal(t, figuresOf(t, "asset:sphere3"), figuresOf(t, at(name)), name)
	}
	fine(t, "convert", at("a.ply"), "-o", at("ordered.glb"), "--order", "forsyth")
	require.Equal(t, figuresOf(t, "asset:sphere3", "--order", "forsyth"), figuresOf(t, at("ordered.glb")))

	fine(t, "convert", at("a.glb"), "-o", at("many.glb"), "--copies", "50")
	one, many := figuresOf(t, at("a.glb")), figuresOf(t, at("many.glb"))
	for i := range one {
		require.Equal(t, 50*one[i].Invocations, many[i].Invocations)
		require.Equal(t, 50*one[i].Triangles, many[i].Triangles)
		require.Equal(t, one[i].Reuse, many[i].Reuse)
		for times, n := range one[i].Histogram {
			require.Equal(t, 50*n, many[i].Histogram[times])
		}
	}
	before := must.Get(os.Stat(at("a.glb")))
	require.Less(t, must.Get(os.Stat(at("many.glb"))).Size(), 2*before.Size(), "instances share the mesh")
	// A file is not converted onto itself under another name.
	require.NoError(t, os.Symlink("a.glb", at("b.glb")))
	requireFailure(t, cli.ExitUsage, "b.glb is the file that is read: name another", call("convert", at("a.glb"), "-o", at("b.glb"), "--order", "random"))
	require.NoError(t, os.Remove(at("b.glb")))
	require.Empty(t, must.Get(filepath.Glob(at(".*"))))
}

func TestConvertSaysWhatIsLeftOut(t *testing.T) {
	r := runs(t, "convert", frame(t), "-o", filepath.Join(t.TempDir(), "a.glb"))
	require.Contains(t, r.errors, "left out: 2 x glDrawArraysInstanced")
}

// TestConvertLeavesOutHiddenDraws: files in world space have only the draws that a frame shows; a GLB has all.
func TestConvertLeavesOutHiddenDraws(t *testing.T) {
	needsGLSL(t)
	t.Parallel()
	frame := shareddata.Path(t, "captures", "oa.geo.zip.xml.zst")
	for name, counts := range map[string]string{"a.obj": "94 draws, 6926 triangles", "a.stl": "94 draws, 6926 triangles", "a.glb": "243 draws, 16412 triangles"} {
		path := filepath.Join(t.TempDir(), name)
		r := call("convert", frame, "-o", path)
		require.Equal(t, path+": "+counts+"\n", r.out)
		require.Equal(t, name != "a.glb", strings.Contains(r.errors, "lost: draws that are not shown (149)"), r.errors)
	}
}

// TestConvertOnFullDisk: a limit on file size stands in for a full disk.
func TestConvertOnFullDisk(t *testing.T) {
	folder := t.TempDir()
	out := filepath.Join(folder, "a.glb")
	require.NoError(t, os.WriteFile(out, []byte("old"), 0o600))
	program := process(t, nil, "convert", "asset:terrain200", "-o", out)
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell to set a limit with: ", err)
	}
	cmd := exec.Command(shell, append([]string{"-c", `ulimit -f 100 && exec "$@"`, "sh"}, program.Args...)...)
	cmd.Env = program.Env
	requireFailure(t, cli.ExitFailure, "a.glb: cannot write: file too large", finish(t, cmd))
	require.Equal(t, "old", string(must.Get(os.ReadFile(out))))
	requireEmpty(t, folder, "a.glb")
}

// TestConvertKeepsEverything: converting glTF to GLB loses nothing.
func TestConvertKeepsEverything(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	gltf := writeFile(t, "own.gltf", `{"asset":{"version":"2.0"},"buffers":[{"byteLength":36,"uri":"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}],"bufferViews":[{"buffer":0,"byteLength":36}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}],"nodes":[{"mesh":0}],"scenes":[{"nodes":[0]}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0,"COLOR_0":0}}],"extras":{"note":"keep me"}}]}`)
	fine(t, "convert", gltf, "-o", at("own.glb"), "--order", "random+fetch")
	glb := must.Get(os.ReadFile(at("own.glb")))
	require.Contains(t, string(glb), `"extras":{"note":"keep me"}`)
	require.Contains(t, string(glb), `"COLOR_0":0`)
	require.Equal(t, string(glb), call("convert", gltf, "-o", "-", "--order", "random+fetch").out)
}
