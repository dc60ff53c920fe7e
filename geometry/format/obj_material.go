package format

import (
	"bufio"
	"bytes"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl32"
)

const (
	objMostLibraries    = 16
	objMostLibraryBytes = 4 << 20 // all of them together
)

func (m *objMesh) addLibrary(name string) {
	if len(m.libs) < objMostLibraries && !slices.Contains(m.libs, name) {
		m.libs = append(m.libs, name)
	}
}

// readLibraries returns the diffuse colours of the materials that the files
// named by mtllib define. Errors there only cost colours: the mesh is whole without
// them.
func (m *objMesh) readLibraries(in *Input) map[string]mgl32.Vec4 {
	colors := map[string]mgl32.Vec4{}
	left := int64(objMostLibraryBytes)
	for _, statement := range m.libs {
		// One statement may name several files, or one with blanks in its name.
		if !readLibrary(in, statement, &left, colors) {
			for i, name := range strings.Fields(statement) {
				if i == objMostLibraries {
					break
				}
				readLibrary(in, name, &left, colors)
			}
		}
	}
	return colors
}

func readLibrary(in *Input, name string, left *int64, colors map[string]mgl32.Vec4) bool {
	if in.Sibling == nil {
		return false
	}
	file, size, err := in.Sibling(filepath.FromSlash(strings.ReplaceAll(name, `\`, "/")))
	if err != nil {
		return false
	}
	defer file.Close()
	if size > *left {
		return true
	}
	*left -= size
	lines := bufio.NewScanner(newTextReader(io.LimitReader(file, size)))
	material, named := "", false
	for lines.Scan() {
		word, rest := cutToken(lines.Bytes())
		switch string(word) {
		case "newmtl":
			material, named = string(bytes.TrimSpace(rest)), true
		case "Kd":
			if color, ok := mtlColor(rest); ok && named {
				colors[material] = color
			}
		}
	}
	return true
}

// mtlColor reads "r g b" or, for grey, "r"; spectral curves and other colour
// spaces are not supported.
func mtlColor(s []byte) (mgl32.Vec4, bool) {
	color := mgl32.Vec4{0, 0, 0, 1}
	for k := range 3 {
		word, rest := cutToken(s)
		if len(word) == 0 && k == 1 {
			color[1], color[2] = color[0], color[0]
			return color, true
		}
		f, end, ok := scanFloat(word, 0)
		if !ok || end != len(word) {
			return color, false
		}
		color[k], s = min(max(f, 0), 1), rest
	}
	return color, true
}
