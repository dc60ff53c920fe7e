package manual

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// program is a command line with one command below it; ran is set when the root
// does what it is for.
func program(ran *bool) *cobra.Command {
	root := &cobra.Command{Use: "prog", Short: "Do things", RunE: func(*cobra.Command, []string) error { *ran = true; return nil }}
	below := &cobra.Command{Use: "cut", Short: "Cut things", RunE: func(*cobra.Command, []string) error { return nil }}
	below.Flags().StringSlice("tool", nil, "what `with`")
	root.AddCommand(below)
	AddFlag(root)
	return root
}

func TestPages(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1000000000")
	folder := t.TempDir()
	ran := false
	root := program(&ran)
	root.SetArgs([]string{"--man", folder})
	require.NoError(t, root.Execute())
	require.False(t, ran)
	for page, want := range map[string]string{"prog.1": "Do things", "prog-cut.1": "--tool"} {
		text, err := os.ReadFile(filepath.Join(folder, page))
		require.NoError(t, err)
		require.Contains(t, strings.ReplaceAll(string(text), `\-`, "-"), want)
		require.Contains(t, string(text), `"Sep 2001"`)
		require.NotContains(t, string(text), "--man")
		require.NotContains(t, string(text), "HISTORY")
	}
}

func TestPagesElsewhere(t *testing.T) {
	ran := false
	root := program(&ran)
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetArgs([]string{"--man", filepath.Join(t.TempDir(), "absent")})
	require.ErrorContains(t, root.Execute(), "manual pages: open ")

	root = program(&ran)
	root.SetArgs(nil)
	require.NoError(t, root.Execute())
	require.True(t, ran, "without --man the command does what it is for")
}
