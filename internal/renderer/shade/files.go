package shade

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// include matches an include directive.
var include = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*["<]([^">\r\n]+)[">]`)

// mostFiles bounds what Files reads.
const mostFiles = 64

// Files lists a vertex shader's file and the places where its includes may be, and the includes
// of these: next to the file that names them, next to the first file, and in Include. It searches
// the text, so it works for files that do not compile.
func (s Source) Files() []string {
	list := []string{s.File}
	for i := 0; i < len(list); i++ {
		info, err := os.Stat(list[i])
		if err != nil || !info.Mode().IsRegular() || info.Size() > largestSource {
			continue
		}
		text, _ := os.ReadFile(list[i]) // an unreadable file includes nothing
		for _, m := range include.FindAllSubmatch(text, mostFiles) {
			for _, folder := range append([]string{filepath.Dir(list[i])}, s.folders()...) {
				path := filepath.Join(folder, string(m[1]))
				if len(list) < mostFiles && !slices.Contains(list, path) {
					list = append(list, path)
				}
			}
		}
	}
	return list
}
