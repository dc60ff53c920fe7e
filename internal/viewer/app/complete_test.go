package app

import (
	"bytes"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

func TestCompletion(t *testing.T) {
	for _, c := range []struct{ flag, want string }{
		{"--strategy", "claim\n"},
		{"--compare-view", "split\ndifference\n:4\n"},
		{"--lanes", "32\n"},
		{"--load", "skin\n"},
		{"--up", "y\nz\nx\n-y\n-z\n-x\n:4\n"},
		{"--sort", "number\nname\ntriangles\nreuse\nideal\nsaved\nlost\n:4\n"},
		{"--device-budget", "256MiB\n"},
	} {
		cmd := NewCommand(func(Options) error { return nil })
		var out bytes.Buffer
		cmd.SetOut(&out)
		cmd.SetArgs([]string{cobra.ShellCompNoDescRequestCmd, c.flag, ""})
		require.NoError(t, cmd.Execute())
		require.Contains(t, out.String(), c.want, c.flag)
	}
}

func TestFramesWithPanels(t *testing.T) {
	for _, c := range []struct {
		args []string
		want bool
	}{
		{nil, true},
		{[]string{"--frames=3"}, false},
		{[]string{"--frames=3", "--panels"}, true},
		{[]string{"--frames=3", "--panels=false"}, false},
	} {
		require.Equal(t, c.want, must.Get(parse(c.args...)).Panels, "%q", c.args)
	}
}
