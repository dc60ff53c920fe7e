package cli

import (
	"bytes"
	"fmt"
	"io"
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

// fault is what a read of a mapped file panics with once the file is cut short.
type fault struct{ error }

func (fault) Addr() uintptr { return 1 }

// TestRunNamesWhatIsWrong: Run prints one line for an error, also for one that the libraries word for programmers.
func TestRunNamesWhatIsWrong(t *testing.T) {
	for args, want := range map[string]string{
		"cut --size 99999999999999999999": `2: prog: invalid argument "99999999999999999999" for "--size" flag: want a whole number, and this one is out of range` + "\n",
		"lose":                            "1: prog: part of the file was lost while it was in use: it was cut short, or the disk failed\n",
	} {
		root := program(new(bool))
		root.AddCommand(&cobra.Command{Use: "lose", RunE: func(*cobra.Command, []string) error { panic(fault{}) }})
		var said strings.Builder
		status := Run(root, strings.Fields(args), &said, &said)
		require.Equal(t, want, fmt.Sprintf("%d: %s", status, said.String()))
	}
}

// TestCompletion: flags complete the names that are typed in part. Lists complete the names that they lack. A command's
// own values replace the usual ones.
func TestCompletion(t *testing.T) {
	cmd := &cobra.Command{Use: "x FILE", RunE: func(*cobra.Command, []string) error { return nil }}
	new(StrategyFlags).Add(cmd.Flags(), All)
	new(ShaderFlags).Add(cmd.Flags())
	cmd.Flags().String("camera", "", "")
	CompleteValues(cmd, map[string][]string{"camera": {"fit", "near"}})
	for args, want := range map[string]string{
		"--batching static,": "static dynamic :4", "--order original,hoppe,random,": "original,hoppe,random,forsyth original,hoppe,random,tipsify :4",
		"--camera fit,": "fit,near :4", "--vertex-shader s": "skin :4", "--vertex-shader ": "spv vert glsl hlsl slang wgsl :8",
		"asset:cu": "asset:sphere asset:knot ", "a": ":0", "b": ":0",
	} {
		var out strings.Builder
		cmd.SetOut(&out)
		cmd.SetErr(io.Discard)
		cmd.SetArgs(append([]string{cobra.ShellCompRequestCmd}, strings.Split(args, " ")...))
		require.NoError(t, cmd.Execute())
		require.Regexp(t, "^"+want, strings.Join(strings.Fields(out.String()), " "), args)
	}
}
