package main

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

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
	requireFailure(t, cli.ExitFailure, empty+": is a folder without a file that can be read: .glb .ply", call("analyze", empty))
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
		"--json and --csv exclude each other":               {"--csv", "--json"},
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
	requireFailure(t, cli.ExitUsage, "x.jpg: what is written is PNG: want a name that ends in .png", renderTo(filepath.Join(folder, "x.jpg")))
	requireFailure(t, cli.ExitUsage, "x.svg: what is written is PNG", renderTo(filepath.Join(folder, "x.svg")))
	requireFailure(t, cli.ExitUsage, "p.png: what is written is SVG: want a name that ends in .svg", renderTo(filepath.Join(folder, "p.png"), "--plan"))
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
