package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/shadeonce/shadeonce/geometry/capture"
)

// Files puts the files of a folder that can be opened, by their names, in the place of the
// folder. It leaves folders below that out.
func Files(args []string) (files []string, err error) {
	readers := capture.Readers()
	for _, arg := range args {
		info, err := os.Stat(arg)
		if strings.HasPrefix(arg, AssetPrefix) || err != nil || !info.IsDir() {
			files = append(files, arg) // what is wrong with it is said when it is opened
			continue
		}
		entries, err := os.ReadDir(arg)
		if err != nil {
			return nil, err
		}
		before := len(files)
		for _, e := range entries {
			if !e.IsDir() && readers.Named(e.Name()) {
				files = append(files, filepath.Join(arg, e.Name()))
			}
		}
		if len(files) == before {
			return nil, fmt.Errorf("%s: the folder has no file that can be read: %s (also as .gz or .zst)", arg, strings.Join(readers.Extensions(), " "))
		}
	}
	return files, nil
}
