package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry/capture"
	"github.com/shadeonce/shadeonce/internal/replace"
)

// Files replaces every folder among paths by the files in it and below it that Openable
// names, in the order of their names. A folder without any is an error.
func Files(paths []string) (all []string, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() {
			all = append(all, path) // opening it says what is wrong with it
			continue
		}
		found, err := filesBelow(path)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

func filesBelow(folder string) (found []string, err error) {
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(d.Name(), ".") && path != folder && d.IsDir():
			return filepath.SkipDir
		case !d.IsDir() && Openable(d.Name()):
			found = append(found, path)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: cannot read: %w", folder, replace.Cause(err))
	case len(found) == 0:
		return nil, fmt.Errorf("%s: is a folder without a file that can be read: %s (also as .gz or .zst)", folder, strings.Join(capture.Readers().Extensions(), " "))
	}
	return found, nil
}

// Openable says whether a name in a folder is that of a mesh or a captured frame. Tables
// and XML files are mostly something else, so it takes only RenderDoc's .zip.xml of them.
func Openable(name string) bool {
	name = strings.ToLower(name)
	for _, packed := range []string{".gz", ".zst"} {
		name = strings.TrimSuffix(name, packed)
	}
	switch ext := filepath.Ext(name); ext {
	case ".csv":
		return false
	case ".xml":
		return strings.HasSuffix(name, ".zip.xml")
	default:
		return slices.Contains(capture.Readers().Extensions(), ext) && !strings.HasPrefix(name, ".")
	}
}
