package plan

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/renderer"
)

// TestMatrixIsInTheDocs: the table in the design notes equals the matrix.
func TestMatrixIsInTheDocs(t *testing.T) {
	docs, err := os.ReadFile("../../../docs/design/plan.md")
	require.NoError(t, err)
	require.Contains(t, string(docs), exclusions())
}

// TestStreamsAreResolved: a plan that another package made has no plugs; they are resolved from its frame.
func TestStreamsAreResolved(t *testing.T) {
	p := &Plan{Frame: frame(t, 10, "claim", 8)}
	p.Frame.NoRaster = true
	require.Empty(t, p.Backend())
	require.NoError(t, p.CheckExec(renderer.FitCamera(p.Frame.Scene.Bounds(), 1), renderer.WantVisible))
}

// exclusions prints the matrix as a table in Markdown.
func exclusions() string {
	var b strings.Builder
	b.WriteString("| mode | excludes |\n| --- | --- |\n")
	var last *Mode
	for _, x := range Matrix {
		if x.Mode != last {
			if last != nil {
				b.WriteString(" |\n")
			}
			fmt.Fprintf(&b, "| %s | %s", x.Mode.text(), x.Other.text())
		} else {
			b.WriteString(", " + x.Other.text())
		}
		last = x.Mode
	}
	b.WriteString(" |\n")
	return b.String()
}

func (m *Mode) text() string {
	if m.Flag == "" {
		return m.Name
	}
	flag, _, _ := strings.Cut(m.Flag, " {")
	return fmt.Sprintf("%s (`%s`)", m.Name, flag)
}
