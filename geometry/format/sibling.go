package format

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"github.com/shadeonce/shadeonce/internal/replace"
)

// urlScheme matches the beginning of a URL, and a Windows drive.
var urlScheme = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:`)

// siblings returns Input.Sibling for a file. It opens regular files at or below the
// folder of path, and follows no symbolic link that leads out of it. Reading them
// fails once the context ends.
func siblings(ctx context.Context, path string) func(name string) (io.ReadCloser, int64, error) {
	return func(name string) (io.ReadCloser, int64, error) {
		if urlScheme.MatchString(name) {
			return nil, 0, fmt.Errorf("%q is an address, not a file beside this one", name)
		}
		if !filepath.IsLocal(name) {
			return nil, 0, fmt.Errorf("%q leaves the folder of this file", name)
		}
		root, err := os.OpenRoot(filepath.Dir(path))
		if err != nil {
			return nil, 0, fmt.Errorf("%q: %s", name, replace.Cause(err))
		}
		defer root.Close()
		file, size, err := openChecked(name, root.Stat, root.Open)
		if err != nil {
			return nil, 0, fmt.Errorf("%q: %s", name, replace.Cause(err))
		}
		return watched{file, ctx}, size, nil
	}
}
