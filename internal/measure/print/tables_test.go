package print

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/measure"
)

var update = flag.Bool("update", false, "let the tables of testdata be what is printed now")

// TestTables prints the rows of testdata/*.txt, JSON rows one a line, and requires the text below
// them. go test ./internal/measure/print -update writes it.
func TestTables(t *testing.T) {
	for name, write := range map[string]func(rows string) (string, error){
		"analyze": table(WriteAnalyses), "draws": table(WriteDraws), "frames": table(WriteFrameRows), "apps": table(WriteApplications),
		"timings": table(WriteTimings), "changes": table(func(w *strings.Builder, changes []measure.Change) error {
			return WriteChanges(w, changes, 7)
		}),
		"bench": table(func(w *strings.Builder, rows []measure.GeometryRow) error {
			means := measure.Means(rows)
			for _, m := range means {
				fmt.Fprintf(w, "%s: %g of %d / %d, batch %d, %s\n", m.Strategy, m.Reuse, m.Invocations, m.Triangles, m.Batch, m.Kind)
			}
			return WriteBench(w, append(rows, means...))
		}),
		"benchstat": table(func(w *strings.Builder, rows []measure.GeometryRow) error {
			for i := range rows {
				rows[i].Times = []time.Duration{1500, 3 * time.Millisecond}
			}
			return WriteBenchstat(w, rows)
		}),
	} {
		files := must.Get(filepath.Glob(filepath.Join("testdata", name+"-*.txt")))
		require.NotEmpty(t, files, name)
		for _, path := range files {
			text := must.Get(os.ReadFile(path))
			rows, want, _ := strings.Cut(string(text), "---\n")
			got, err := write(rows)
			require.NoError(t, err, path)
			if *update {
				require.NoError(t, os.WriteFile(path, []byte(rows+"---\n"+got), 0o666))
				continue
			}
			require.Equal(t, want, got, path)
		}
	}
}

// table returns a function that decodes rows and returns the text that write prints for them.
func table[W, T any](write func(W, []T) error) func(rows string) (string, error) {
	return func(rows string) (string, error) {
		var list []T
		d := json.NewDecoder(strings.NewReader(rows))
		d.DisallowUnknownFields()
		for d.More() {
			var row T
			if err := d.Decode(&row); err != nil {
				return "", err
			}
			list = append(list, row)
		}
		var text strings.Builder
		err := write(any(&text).(W), list)
		return text.String(), err
	}
}
