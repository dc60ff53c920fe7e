package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

func TestWrapHelp(t *testing.T) {
	var help [2]bytes.Buffer
	for i := range help {
		cmd := &cobra.Command{Use: "x", Run: func(*cobra.Command, []string) {}}
		new(StrategyFlags).Add(cmd.Flags(), All)
		cmd.SetArgs([]string{"--help"})
		cmd.SetOut(&help[i])
		groupHelp(cmd, 80*i)
		require.NoError(t, cmd.Execute())
	}
	require.Equal(t, strings.Fields(help[0].String()), strings.Fields(help[1].String()), "names stay whole")
	for line := range strings.Lines(help[1].String()) {
		require.LessOrEqual(t, len(line), 81, line)
	}
}

// program is a root command with one command below it; ran is set when the root command runs.
func program(ran *bool) *cobra.Command {
	root := &cobra.Command{Use: "prog", Short: "Do things", RunE: func(*cobra.Command, []string) error { *ran = true; return nil }}
	below := &cobra.Command{Use: "cut", Short: "Cut things", RunE: func(*cobra.Command, []string) error { return nil }}
	flags := below.Flags()
	flags.StringSlice("tool", nil, "what `with`")
	flags.Int("size", 0, "of the pieces (default: as they come)")
	flags.String("colour", "red", "what colour")
	flags.Bool("fast", false, "hurry")
	root.AddCommand(below)
	AddManual(root)
	return root
}

func TestManualPages(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1000000000")
	folder := t.TempDir()
	ran := false
	root := program(&ran)
	root.SetArgs([]string{"--man", folder})
	require.NoError(t, root.Execute())
	require.False(t, ran)
	for page, want := range map[string]string{"prog.1": "Do things", "prog-cut.1": "--tool"} {
		text := must.Get(os.ReadFile(filepath.Join(folder, page)))
		require.Contains(t, strings.ReplaceAll(string(text), `\-`, "-"), want)
		require.Contains(t, string(text), `"Sep 2001"`)
		require.NotContains(t, string(text), "--man")
		require.NotContains(t, string(text), "HISTORY")
		require.Contains(t, string(text), ".SH EXIT STATUS\n.TP\n\\fB0\\fP\nAll went well.\n.TP\n")
		require.Contains(t, string(text), ".SH SEE ALSO\n")
	}
}

// TestManualFlags: manual pages give no default that is empty, no value of a switch, and no quotes. They have the added
// sections before SEE ALSO.
func TestManualFlags(t *testing.T) {
	folder := t.TempDir()
	ran := false
	sections := []section{{"STATUS", []item{{"0", "All went well."}, {"7-", "One\n.TH \\of them."}}}}
	require.NoError(t, writeManual(program(&ran), folder, sections))
	page := must.Get(os.ReadFile(filepath.Join(folder, "prog-cut.1")))
	for _, want := range []string{
		"\\fB--tool\\fP=with\n\twhat with\n", "\\fB--size\\fP=int\n\tof the pieces (default: as they come)\n",
		"\\fB--colour\\fP=string\n\twhat colour (default red)\n", "\\fB--fast\\fP\n\thurry\n", "\\fB--help\\fP\n",
	} {
		require.Contains(t, strings.ReplaceAll(string(page), `\-`, "-"), want)
	}
	require.Contains(t, string(page), ".SH STATUS\n.TP\n\\fB0\\fP\nAll went well.\n.TP\n\\fB7\\-\\fP\nOne\n\\&.TH \\eof them.\n.SH SEE ALSO\n")
}

func TestManualPagesElsewhere(t *testing.T) {
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
