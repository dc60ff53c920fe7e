package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
	"github.com/shadeonce/shadeonce/internal/cli"
)

// TestABadFileDoesNotLoseTheOthers: a report with a bad file covers the others, and says what is missing.
func TestABadFileDoesNotLoseTheOthers(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	missing := filepath.Join(folder, "none.ply")
	report := filepath.Join(folder, "report")
	r := call("report", "--quick", missing, "asset:cube", "--backend", "cpu", "-o", report)
	require.Equal(t, cli.ExitFailure, r.status)
	require.Contains(t, r.errors, "none.ply: no such file")
	page, _ := readReport(t, report)
	require.Contains(t, page, "none.ply: it could not be opened.")
}

func TestStandardInputAndOutput(t *testing.T) {
	t.Parallel()
	piped := func(input []byte, args ...string) result {
		cmd := process(t, nil, append(args, "--backend", "cpu")...)
		cmd.Stdin = bytes.NewReader(input)
		return finish(t, cmd)
	}
	r := piped([]byte(oneTriangle), "analyze", "-", "--strategy", "warp", "--json")
	requireFine(t, r)
	require.Equal(t, "-", decode(t, r.out)[0]["file"])
	glb := filepath.Join(t.TempDir(), "x.glb")
	fine(t, "convert", "asset:cube", "-o", glb)
	data := must.Get(os.ReadFile(glb))
	r = piped(data, "render", "-", "-o", "-", "--size", "32x24")
	require.Zero(t, r.status, r.errors)
	require.Equal(t, 32, must.Get(png.Decode(strings.NewReader(r.out))).Bounds().Dx())
	require.Contains(t, r.errors, "-: 32x24, counts of standard input, claim on ")

	requireFailure(t, cli.ExitFailure, "standard input: is empty", piped(nil, "analyze", "-"))
	requireFailure(t, cli.ExitFailure, "standard input: is not an OBJ file", piped([]byte(pngSignature+"\x00\x00"), "analyze", "-"))
}

// frame writes a captured frame: a triangle drawn twice, then some lines.
func frame(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "frame.zip.xml")
	draw := func(mode string) string {
		return `<chunk name="glDrawArraysInstanced"><enum name="mode" string="` + mode + `">4</enum><int name="first">0</int><int name="count">3</int><int name="instancecount">2</int></chunk>`
	}
	require.NoError(t, os.WriteFile(path, []byte(`<?xml version="1.0"?><rdc><header><driver id="2">OpenGL</driver></header><chunks version="35">
<chunk name="glBufferData"><ResourceId name="buffer">1</ResourceId><uint name="bytesize">36</uint><buffer name="data" byteLength="36">0</buffer></chunk>
<chunk name="Internal::Beginning of Capture"/>
<chunk name="glVertexAttribPointer"><ResourceId name="buffer">1</ResourceId><uint name="index">0</uint><int name="size">3</int><enum name="type" string="GL_SHORT">5122</enum><int name="stride">12</int><uint name="offset">0</uint></chunk>
<chunk name="glEnableVertexAttribArray"><uint name="index">0</uint></chunk>
`+draw("GL_TRIANGLES")+draw("GL_LINES")+draw("GL_LINES")+"\n</chunks></rdc>\n"), 0o600))
	file := must.Get(os.Create(strings.TrimSuffix(path, ".xml")))
	w := zip.NewWriter(file)
	e := must.Get(w.Create("000000"))
	must.Get(e.Write([]byte("\x00\x00\x00\x00\x00\x00------\x01\x00\x00\x00\x00\x00------\x00\x00\x01\x00\x00\x00------")))
	require.NoError(t, w.Close())
	require.NoError(t, file.Close())
	return path
}

// TestCapturedFrame reads a frame with each command; one line at the end says what is left out.
func TestCapturedFrame(t *testing.T) {
	path := frame(t)
	left := "shadeonce: " + path + ": left out: 2 x glDrawArraysInstanced: no triangles (GL_LINES); " +
		"counted, but not run by their shaders: 2 x glDrawArraysInstanced: the vertex shader of its program is not known\n"
	picture := filepath.Join(t.TempDir(), "frame.png")
	for _, args := range [][]string{
		{"analyze", path, "--order", "original,forsyth"},
		{"analyze", path, "--per-draw", "--json"},
		{"bench", path, "--strategy", "warp", "--load", "simple", "--runs", "1"},
		{"render", path, "-o", picture, "--size", "32x32"},
	} {
		r := runs(t, append(args, "--backend", "cpu")...)
		require.Equal(t, left, r.errors, args[0])
	}
	r := call("analyze", path, "--per-draw", "--strategy", "naive", "--backend", "cpu")
	require.Equal(t, strings.Fields("3 pass 1 / event 3 glDrawArraysInstanced 2 2 0.0000 0.0000 0"), strings.Fields(strings.Split(r.out, "\n")[1]))
	require.NoError(t, os.Remove(strings.TrimSuffix(path, ".xml")))
	requireFailure(t, 1, "needs the zip file beside it", call("analyze", path))
}

// TestSharedFoliage selects draws of a real frame by their ideal reuse. It expects the triangles and ideal reuse of
// knownFrames. Besides the 170,164 triangles of the forest's indexed draws one triangle fills the screen.
func TestSharedFoliage(t *testing.T) {
	file, triangles, ideal := "stk_gl_black_forest.geo.zip.xml.zst", "170165", 0.334
	if testing.Short() { // reading a million triangles takes seconds
		file, triangles, ideal = "oa.draws.zst", "1033", 0.3182
	}
	path := shareddata.Path(t, "captures", file)
	r := runs(t, "analyze", path, "--max-ideal", "0.4", "--strategy", "warp", "--backend", "cpu", "--json")
	row := decode(t, r.out)[0]
	require.Equal(t, triangles, fmt.Sprint(row["triangles"]))
	require.InDelta(t, ideal, number(t, row["ideal"]), 0.0005)
}
