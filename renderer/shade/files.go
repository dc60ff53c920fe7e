package shade

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// include finds what a file includes.
var include = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*["<]([^">\r\n]+)[">]`)

// Bounds of what Files reads.
const (
	mostFiles   = 64
	largestFile = 1 << 20
)

// Files are a vertex shader's file and the places where those may be that it includes, and
// these in turn: beside the file that names them, and beside the first. They are found
// by their text, so that those of a file that does not compile are known, too.
func Files(file string) []string {
	list := []string{file}
	for i := 0; i < len(list); i++ {
		info, err := os.Stat(list[i])
		if err != nil || !info.Mode().IsRegular() || info.Size() > largestFile {
			continue
		}
		text, _ := os.ReadFile(list[i]) // what cannot be read includes nothing
		for _, m := range include.FindAllSubmatch(text, mostFiles) {
			for _, beside := range []string{list[i], file} {
				path := filepath.Join(filepath.Dir(beside), string(m[1]))
				if len(list) < mostFiles && !slices.Contains(list, path) {
					list = append(list, path)
				}
			}
		}
	}
	return list
}
