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

	"github.com/shadeonce/shadeonce/internal/base/shareddata"
	"github.com/shadeonce/shadeonce/internal/cli"
)

// TestABadFileDoesNotLoseTheOthers: their rows are printed, and each bad file has its line.
func TestABadFileDoesNotLoseTheOthers(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	missing, bad := filepath.Join(folder, "none.ply"), writeFile(t, "bad.obj", "f 1 2 3\n")
	r := call("analyze", missing, "asset:cube", bad, "asset:soup", "--strategy", "warp", "--backend", "cpu", "--json")
	require.Equal(t, cli.ExitFailure, r.status)
	rows := decode(t, r.out)
	require.Len(t, rows, 2)
	require.Equal(t, "asset:soup", rows[1]["file"])
	lines := strings.Split(strings.TrimSuffix(r.errors, "\n"), "\n")
	require.Len(t, lines, 2)
	require.Equal(t, "shadeonce: "+missing+": no such file or directory", lines[0])
	require.Contains(t, lines[1], "bad.obj: line 1: ")

	r = call("bench", missing, "asset:cube", "--strategy", "naive", "--backend", "cpu", "--runs", "1", "--csv")
	require.Equal(t, cli.ExitFailure, r.status)
	require.Equal(t, 2, strings.Count(r.out, "\n"))
	require.Contains(t, r.errors, "none.ply: no such file")

	r = call("analyze", missing, bad, "--backend", "cpu", "--json")
	require.Equal(t, cli.ExitFailure, r.status)
	require.Empty(t, r.out, "nothing could be read")
	require.Equal(t, 2, strings.Count(r.errors, "\n"))

	report := filepath.Join(folder, "report")
	r = call("report", "--quick", missing, "asset:cube", "--backend", "cpu", "-o", report)
	require.Equal(t, cli.ExitFailure, r.status)
	require.Contains(t, r.errors, "none.ply: no such file")
	page, _ := readReport(t, report)
	require.Contains(t, page, "none.ply: it could not be opened.")
}

// TestFolders: the meshes in and below a folder, and nothing else of it.
func TestFolders(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"b.obj", "a/c.OBJ", "notes.txt", "table.csv", ".git/hidden.obj", ".x.obj", "a/feed.xml"} {
		path := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(oneTriangle), 0o666))
	}
	rows := analyses(t, folder, "asset:cube", "--strategy", "warp", "--backend", "cpu")
	var files []string
	for _, row := range rows {
		files = append(files, fmt.Sprint(row["file"]))
	}
	require.Equal(t, []string{filepath.Join(folder, "a/c.OBJ"), filepath.Join(folder, "b.obj"), "asset:cube"}, files)

	empty := t.TempDir()
	requireFailure(t, cli.ExitFailure, empty+": is a folder that holds no file that can be read: .glb .ply", call("analyze", empty))
	requireFailure(t, cli.ExitFailure, empty+": is a folder, not a file", call("render", empty, "--plan", "--backend", "cpu"))
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
	requireFine(t, call("convert", "asset:cube", "-o", glb))
	data, err := os.ReadFile(glb)
	require.NoError(t, err)
	r = piped(data, "render", "-", "-o", "-", "--size", "32x24")
	require.Zero(t, r.status, r.errors)
	img, err := png.Decode(strings.NewReader(r.out))
	require.NoError(t, err)
	require.Equal(t, 32, img.Bounds().Dx())
	require.Contains(t, r.errors, "-: 32x24, counts of standard input, warp on ")

	requireFailure(t, cli.ExitFailure, "standard input: is empty", piped(nil, "analyze", "-"))
	requireFailure(t, cli.ExitFailure, "standard input: is not an OBJ file", piped([]byte(pngSignature+"\x00\x00"), "analyze", "-"))
	requireFailure(t, cli.ExitUsage, "report opens its files several times: it excludes -", piped(nil, "report", "-", "-o", "x"))
}

// TestOutputOfAnalyze goes into a file, in the form that its name says.
func TestOutputOfAnalyze(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	analyze := func(flags ...string) result {
		return call(append([]string{"analyze", "asset:cube", "--strategy", "warp", "--backend", "cpu"}, flags...)...)
	}
	for name, form := range map[string][]string{"x.json": {"--json"}, "x.csv": {"--csv"}, "x.txt": nil} {
		want := analyze(form...)
		r := analyze("-o", at(name))
		requireFine(t, r)
		require.Empty(t, r.out)
		text, err := os.ReadFile(at(name))
		require.NoError(t, err)
		require.Equal(t, want.out, string(text))
	}
	require.Equal(t, analyze("--json"), analyze("--json", "-o", "-"))
	for want, args := range map[string][]string{
		"want a name that ends in .json, .csv or .txt":      {"-o", at("mesh.obj")},
		"the name contradicts --json or --csv":              {"-o", at("y.json"), "--csv"},
		"y.txt: the name contradicts --json or --csv":       {"-o", at("y.txt"), "--json"},
		"--json excludes --csv":                             {"--csv", "--json"},
		"--benchstat excludes --json and --csv":             nil,
		"y.json: the name contradicts --json or --csv":      {"-o", at("y.json"), "--csv"},
		"unknown --fail-below \"acm\": have reuse":          {"--fail-below", "acm=1"},
		"a lower acmr is better: want --fail-above acmr=.7": {"--fail-below", "acmr=.7"},
		`--fail-above "atvr=x": want NAME=NUMBER`:           {"--fail-above", "atvr=x"},
	} {
		r := analyze(args...)
		if args == nil {
			r = call("bench", "asset:cube", "--benchstat", "-o", at("y.json"))
		}
		requireFailure(t, cli.ExitUsage, want, r)
	}
	requireFailure(t, cli.ExitFailure, "cannot write into folder "+at("none"), analyze("-o", at("none/x.json")))
	requireEmpty(t, folder, "x.json", "x.csv", "x.txt")
}

// TestRenderWritesWhatTheNameSays, or refuses before anything is drawn.
func TestRenderWritesWhatTheNameSays(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	requireFailure(t, cli.ExitUsage, "x.jpg: the output is PNG: want a name that ends in .png", renderTo(filepath.Join(folder, "x.jpg")))
	requireFailure(t, cli.ExitUsage, "x.svg: the output is PNG", renderTo(filepath.Join(folder, "x.svg")))
	requireFailure(t, cli.ExitUsage, "p.png: the output is SVG: want a name that ends in .svg", renderTo(filepath.Join(folder, "p.png"), "--plan"))
	requireFine(t, renderTo(filepath.Join(folder, "x.PNG")))
	requireEmpty(t, folder, "x.PNG")
}

// TestLimits have a status of their own; the rows are printed all the same.
func TestLimits(t *testing.T) {
	t.Parallel()
	analyze := func(flags ...string) result {
		return call(append([]string{"analyze", "asset:sphere3", "--strategy", "warp,hash", "--backend", "cpu", "--json"}, flags...)...)
	}
	requireFine(t, analyze("--fail-below", "reuse=0.71875", "--fail-above", "acmr=0.84375,atvr=1.7"))
	r := analyze("--fail-below", "reuse=.72", "--fail-above", "acmr=.8", "--fail-above", "atvr=1.3")
	require.Equal(t, cli.ExitLimit, r.status)
	require.Len(t, decode(t, r.out), 2)
	require.Equal(t, "shadeonce: asset:sphere3, order original, warp: reuse 0.7188 is below 0.72\n"+
		"shadeonce: asset:sphere3, order original, warp: acmr 0.8438 is above 0.8\n"+
		"shadeonce: asset:sphere3, order original, warp: atvr 1.6822 is above 1.3\n"+
		"shadeonce: asset:sphere3, order original, hash: atvr 1.3380 is above 1.3\n"+
		"shadeonce: 4 limits missed\n", r.errors)
	r = call("analyze", "asset:city8", "--per-draw", "--strategy", "naive", "--backend", "cpu", "--fail-below", "reuse=.1")
	require.Equal(t, cli.ExitLimit, r.status)
	require.Contains(t, r.errors, "asset:city8, order original, draw ")
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
	file, err := os.Create(strings.TrimSuffix(path, ".xml"))
	require.NoError(t, err)
	w := zip.NewWriter(file)
	e, err := w.Create("000000")
	require.NoError(t, err)
	_, err = e.Write([]byte("\x00\x00\x00\x00\x00\x00------\x01\x00\x00\x00\x00\x00------\x00\x00\x01\x00\x00\x00------"))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, file.Close())
	return path
}

// TestCapturedFrame reads a frame with each command; what is left out is said
// once, at the end.
func TestCapturedFrame(t *testing.T) {
	path := frame(t)
	left := "shadeonce: " + path + ": left out: 2 x glDrawArraysInstanced: no triangles (GL_LINES); " +
		"from the shaders, not from the counts: 2 x glDrawArraysInstanced: its program has no vertex shader that is known\n"
	picture := filepath.Join(t.TempDir(), "frame.png")
	for _, args := range [][]string{
		{"analyze", path, "--order", "original,forsyth"},
		{"analyze", path, "--per-draw", "--json"},
		{"bench", path, "--strategy", "warp", "--load", "simple", "--runs", "1"},
		{"render", path, "-o", picture, "--size", "32x32"},
	} {
		r := call(append(args, "--backend", "cpu")...)
		require.Equal(t, 0, r.status, r.errors)
		require.Equal(t, left, r.errors, args[0])
	}
	r := call("analyze", path, "--per-draw", "--strategy", "naive", "--backend", "cpu")
	require.Equal(t, strings.Fields("0 pass 1 / event 3 glDrawArraysInstanced 2 2 0.0000 0.0000 0"), strings.Fields(strings.Split(r.out, "\n")[1]))
	require.NoError(t, os.Remove(strings.TrimSuffix(path, ".xml")))
	requireFailure(t, 1, "its zip file", call("analyze", path))
}

// TestSharedFoliage chooses draws of a real frame by their ideal reuse. Triangles and
// ideal are those of knownFrames; beside the 170,164 triangles of the forest's indexed
// draws there is one that fills the screen.
func TestSharedFoliage(t *testing.T) {
	file, triangles, ideal := "stk_gl_black_forest.geo.zip.xml.zst", "170165", 0.334
	if testing.Short() { // reading a million triangles takes seconds
		file, triangles, ideal = "oa.draws.zst", "1033", 0.3182
	}
	path := shareddata.Path(t, "captures", file)
	r := call("analyze", path, "--max-ideal", "0.4", "--strategy", "warp", "--backend", "cpu", "--json")
	require.Equal(t, 0, r.status, r.errors)
	row := decode(t, r.out)[0]
	require.Equal(t, triangles, fmt.Sprint(row["triangles"]))
	require.InDelta(t, ideal, number(t, row["ideal"]), 0.0005)
}
