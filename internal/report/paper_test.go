package report

import (
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
	"github.com/shadeonce/shadeonce/renderer"
)

// TestPaperNumbers compares paper.yaml with the paper's own source, if that is available beside the
// project.
func TestPaperNumbers(t *testing.T) {
	t.Parallel()
	sources := must.Get(filepath.Glob(filepath.Join(shareddata.Path(t, "paper"), "*.tex")))
	require.NotEmpty(t, sources)
	text := must.Get(os.ReadFile(sources[0]))
	source := regexp.MustCompile(`\\text(bf|it)\{([^}]*)\}`).ReplaceAllString(string(text), "$2")
	source = strings.Join(strings.Fields(strings.ReplaceAll(source, `na\"ive`, "naive")), " ")

	print := func(x float64, digits int) string {
		return strings.TrimPrefix(strconv.FormatFloat(x, 'f', digits, 64), "0")
	}
	hundredths := func(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }
	require.Len(t, paper().Scenes, 19)
	for _, s := range paper().Scenes {
		row := append([]string{s.Name, s.Vertices, s.Triangles}, names.Of(s.Reuse[:], func(x float64) string { return print(x, 3) })...)
		require.Contains(t, source, strings.Join(row, " & ")+` \\`)
	}
	require.Contains(t, source, "& & sph & tree & dra & bud & as01 & dx33 & sg14 & sh11 & tr04 & tw03")
	for _, app := range []struct{ app, scene, row string }{
		{"subdivide", "bunny", "bunny"}, {"subdivide", "sphere", "sphere"}, {"subdivide", "buddha", "happy buddha"},
		{"envelope", "bunny", "bunny"}, {"envelope", "sphere", "sphere"}, {"envelope", "buddha", "buddha"},
	} {
		ms := paper().Apps[app.app][app.scene]
		require.True(t, strings.Contains(source, app.row+" & "+strings.Join(names.Of(ms[:], hundredths), " & ")), "%s %s", app.app, app.scene)
	}
	require.True(t, strings.Contains(source, "SIlist{0.30;0.10;0.09;0.13;0.10}"))
	require.Len(t, paper().Times, 4*6)
	loads := map[string]string{renderer.SimpleLoad: "{simple}"}
	for i, row := range paper().Times {
		if i%6 == 0 {
			head, ok := loads[row.Load]
			if !ok {
				head = "{" + row.Load + " cycles}"
			}
			// A load's rows follow its heading; earlier rows belong to another load.
			_, source, ok = strings.Cut(source, head+"}")
			require.True(t, ok, head)
		}
		require.Contains(t, source, row.Strategy+" & "+strings.Join(names.Of(row.Ms[:], hundredths), " & ")+` \\`)
	}
}

func TestRecognize(t *testing.T) {
	t.Parallel()
	require.Equal(t, "bunny", Recognize(1, 35947, 69451))
	require.Equal(t, "sphere", Recognize(1, 40962, 81920))
	require.Empty(t, Recognize(2, 35947, 69451))
	require.Empty(t, Recognize(1, 34834, 69451))
}

func TestPaperLookups(t *testing.T) {
	t.Parallel()
	require.Equal(t, .799, paperReuse("bunny", ColumnDynamic))
	require.True(t, math.IsNaN(paperReuse("teapot", ColumnDynamic)))
	require.Equal(t, 12.45, paperMs("dragon", "1024", "sort"))
	require.True(t, math.IsNaN(paperMs("bunny", renderer.SimpleLoad, Baseline)), "table 2 has no bunny; its bud is the buddha")
}

// holds checks that a folder contains exactly the named files.
func holds(t *testing.T, folder string, want ...string) {
	require.ElementsMatch(t, want, names.Of(must.Get(os.ReadDir(folder)), fs.DirEntry.Name))
}

// A report can be written to an existing empty folder, also through a symbolic link, which is kept.
func TestWriteFolder(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	folder, link := filepath.Join(parent, "folder"), filepath.Join(parent, "link")
	require.NoError(t, os.Mkdir(folder, 0o777))
	require.NoError(t, os.Symlink(folder, link))
	files := []File{{Name: "a", Data: []byte("a")}}
	require.NoError(t, WriteFolder(t.Context(), link, files))
	holds(t, folder, "a")
	require.NotZero(t, must.Get(os.Lstat(link)).Mode()&os.ModeSymlink)
	holds(t, parent, "folder", "link")
	require.ErrorContains(t, WriteFolder(t.Context(), link, files), "something other than a report")

	// If a file cannot be written, neither it nor earlier files remain.
	files = append(files, File{Name: filepath.Join("none", "b")})
	require.ErrorContains(t, WriteFolder(t.Context(), filepath.Join(parent, "fresh"), files), "fresh: cannot write: no such file or directory")
	holds(t, parent, "folder", "link")
}
