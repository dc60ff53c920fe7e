package shade

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// include matches an include directive.
var include = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*["<]([^">\r\n]+)[">]`)

// Limits of what Files reads.
const (
	mostFiles   = 64
	largestFile = 1 << 20
)

// Files lists a vertex shader's file and the places where its includes may be, and the includes
// of these: next to the file that names them, and next to the first file. It searches the text,
// so it works for files that do not compile.
func Files(file string) []string {
	list := []string{file}
	for i := 0; i < len(list); i++ {
		info, err := os.Stat(list[i])
		if err != nil || !info.Mode().IsRegular() || info.Size() > largestFile {
			continue
		}
		text, _ := os.ReadFile(list[i]) // an unreadable file includes nothing
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
