package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/internal/inspect"
)

// keptRecent is how many files are remembered that were shown, and longestRecent how long
// a path may be that is.
const keptRecent, longestRecent = 10, 1 << 10

// recentFiles puts a file first among those that were shown.
func recentFiles(recent []string, file string) []string {
	file = absolute(file)
	if len(file) > longestRecent {
		return recent
	}
	recent = slices.DeleteFunc(slices.Clone(recent), func(old string) bool { return old == file })
	return append([]string{file}, recent[:min(len(recent), keptRecent-1)]...)
}

// filesPanel lists the files that keys step through, and those that were shown before.
func (a *app) filesPanel() {
	if a.button("open (Ctrl+O)") {
		a.openFiles, a.again = true, true
	}
	if n := len(a.files); n > 1 {
		imgui.Text(fmt.Sprintf("file %d of %d", a.at+1, n))
		lines := float32(min(n, 8))
		imgui.BeginChildV("files", imgui.Vec2{Y: lines * imgui.TextLineHeightWithSpacing()}, false, imgui.WindowFlagsNoNav)
		var clipper imgui.ListClipper
		clipper.Begin(n)
		for clipper.Step() {
			for i := clipper.DisplayStart; i < clipper.DisplayEnd; i++ {
				if a.fileLine(i, a.files[i], i == a.target) && i != a.target {
					a.target, a.again = i, true
					a.ask(a.files, []int{i})
				}
			}
		}
		imgui.EndChild()
	}
	if len(a.recent) < 2 {
		return
	}
	imgui.Text("recent files")
	a.tip("recent files")
	for i, file := range a.recent {
		if a.fileLine(-1-i, file, false) {
			a.drop([]string{file})
			a.again = true
			return
		}
	}
}

// fileLine is a line with the name of a file; it reports whether that was clicked.
func (a *app) fileLine(id int, path string, on bool) bool {
	clicked := imgui.SelectableV(fmt.Sprintf("%s##%d", inspect.OneLine(filepath.Base(path)), id), on, 0, imgui.Vec2{})
	if imgui.IsItemHovered() {
		a.tooltip(printable(path))
	}
	return clicked
}
