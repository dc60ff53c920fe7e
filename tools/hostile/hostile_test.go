package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "store testdata/files.txt anew")

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == runnerFlag {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestFilesOfASeed compares the files' names, sizes and sums with testdata.
func TestFilesOfASeed(t *testing.T) {
	var text strings.Builder
	list := slices.Concat(meshBombs(1), drawnBombs(1), captureBombs(1), ownSeeds())
	for i := range 60 {
		list = append(list, mutated(ownSeeds(), 1, i))
	}
	for _, f := range list {
		data := f.data
		if r, err := gzip.NewReader(bytes.NewReader(data)); err == nil { // compare the contents: compressed bytes depend on the library
			data, err = io.ReadAll(r)
			require.NoError(t, err)
		}
		fmt.Fprintf(&text, "%s %s %d %08x size %d drawn %t swap %t zip %d\n", f.class, f.name, len(data), crc32.ChecksumIEEE(data), f.size, f.drawn, f.swap, len(f.zip))
	}
	if *update {
		require.NoError(t, os.WriteFile("testdata/files.txt", []byte(text.String()), 0o644))
	}
	want, err := os.ReadFile("testdata/files.txt")
	require.NoError(t, err)
	require.Equal(t, string(want), text.String())
}

// TestWhatIsWrongWithARun: nothing is wrong with a run at its limits, and each fault of a run is named.
func TestWhatIsWrongWithARun(t *testing.T) {
	line := "shadeonce: a.obj: broken\n"
	for _, c := range []struct {
		r    result
		size int
		want string
	}{
		{result{Time: mostTime, Memory: mostMemory}, 0, ""},
		{result{Status: 1, Said: line}, 1, ""},
		{result{Status: -1, Hung: true}, 1, "hung"},
		{result{Status: 2, Said: line}, 1, "status 2"},
		{result{Status: -1}, 1, "status -1"},
		{result{Status: 1, Said: "shadeonce: goroutine 1\n"}, 1, "a panic"},
		{result{Said: "the reader failed"}, 1, "a panic"},
		{result{Status: 1, Said: line + line}, 1, "2 lines instead of one"},
		{result{Status: 1, Said: "panic: a\n"}, 1, "1 lines instead of one"},
		{result{Time: mostTime + 100*time.Millisecond}, 0, "3.1 s of processor time"},
		{result{Time: larger * mostTime}, larger, ""},
		{result{Memory: mostMemory + 1<<20}, larger, "301 MiB"},
	} {
		require.Equal(t, c.want, c.r.wrong(c.size), "%+v", c.r)
	}
	require.Equal(t, strings.Repeat("a", 160), first(strings.Repeat("a", 161)+"\nb"))
	require.Equal(t, "a", first("a\nb"))
}

// TestRunsAreCounted runs a program whose exit status depends on the file.
func TestRunsAreCounted(t *testing.T) {
	folder := t.TempDir()
	program := filepath.Join(folder, "program")
	script := "#!/bin/sh\nfor a; do case $a in */*.obj|*/*.xml) f=$a;; esac; done\ncat \"$f\" >&2\n[ -s \"$f\" ] && exit 1\n[ \"$1\" = render ] && [ \"$(cat \"${f%.xml}\" 2>&1)\" != beside ] && exit 3\nexit 0\n"
	require.NoError(t, os.WriteFile(program, []byte(script), 0o700))
	c := &campaign{program: program, folder: folder, classes: map[string]*class{}}
	worker := filepath.Join(folder, "worker0")
	require.NoError(t, os.Mkdir(worker, 0o700))
	for _, f := range []hostile{
		{class: "a", name: "a.obj"}, {class: "a", name: "a.obj", data: []byte("shadeonce: a\n")}, {class: "a", name: "a.obj", data: []byte("a\n")},
		{class: "sound", name: "b.obj", data: []byte("shadeonce: b\n")}, {class: "sound", name: "b.zip.xml", zip: []byte("beside"), drawn: true}, {class: "sound", name: "b.zip.xml", drawn: true},
	} {
		c.runFile(worker, &f)
	}
	require.Equal(t, 3, c.failures)
	for name, want := range map[string]class{"a": {runs: 3, read: 1, refused: 1, failed: 1}, "sound": {runs: 3, read: 1, failed: 2}} {
		got := *c.classes[name]
		require.Positive(t, got.memory)
		got.time, got.memory = 0, 0
		require.Equal(t, want, got, name)
	}
	for i, name := range []string{"a.obj", "b.obj", "b.zip.xml"} {
		require.FileExists(t, filepath.Join(folder, fmt.Sprint("failure", i+1), name))
	}
	require.Empty(t, must(os.ReadDir(worker)))
}

func must[T any](x T, err error) T {
	check(err)
	return x
}
