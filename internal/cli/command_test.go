package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
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
