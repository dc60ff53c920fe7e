package main

import (
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/loading"
	"github.com/shadeonce/shadeonce/internal/views"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/picture"
)

func TestBudgetFlags(t *testing.T) {
	parse := func(args ...string) (o options, err error) {
		cmd := newCommand(func(got options) error { o = got; return nil })
		cmd.SetArgs(append([]string{"--remember=false"}, args...))
		return o, cmd.Execute()
	}
	o, err := parse("--queue-budget", "3KiB", "--device-budget", "1GiB")
	require.NoError(t, err)
	frame, err := o.settings.Frame(nil, 1, 1)
	require.NoError(t, err)
	require.EqualValues(t, 3<<10, frame.QueueBudget)
	require.EqualValues(t, 1<<30, frame.DeviceBudget)
	right, err := views.OtherSide{Strategy: "hash", Lanes: 32, Order: loading.FileOrder}.Settings(o.settings).Frame(nil, 1, 1)
	require.NoError(t, err)
	require.Equal(t, [2]int64{frame.QueueBudget, frame.DeviceBudget}, [2]int64{right.QueueBudget, right.DeviceBudget}, "both sides keep to them")

	for _, flag := range []string{"--queue-budget", "--device-budget"} {
		for _, text := range []string{"0", "-1", "64MB", "x", "2048GiB"} {
			_, err := parse(flag, text)
			var usage cli.UsageError
			require.ErrorAs(t, err, &usage)
			require.ErrorContains(t, err, flag+` "`+text+`": want bytes`)
		}
	}
}

// TestViewerKeepsToBudgets: chunks and windows do not change a pixel, and neither
// a picture nor the state folder says anything of the machine's memory.
func TestViewerKeepsToBudgets(t *testing.T) {
	d := newDesktop(t)
	args := []string{"--panels=false", "--size", "320x240", "asset:terrain300"}
	d.start(args...)
	whole := d.settled("the whole is shown", func(img *image.RGBA) bool { return colorful(img) > changed })
	d.leave("")
	d.start(append([]string{"--queue-budget", "1MiB", "--device-budget", "36MiB"}, args...)...)
	d.same("a small budget", whole)
	d.key("s")
	d.titled(nextStrategy("warp") + ", ")
	d.key("shift+s")
	d.titled("warp")
	d.same("the first strategy", whole)
	d.key("c")
	d.titled("against")
	d.key("c") // the difference
	d.titled("difference against")
	d.key("c")
	d.same("no comparison", whole)
	d.key("F12")
	d.titled("saved ")
	d.leave("")
	text, err := os.ReadFile(filepath.Join(d.folder, "state", "shadeonce", "viewer.json"))
	require.NoError(t, err)
	require.NotContains(t, string(text), "budget")
	pictures, err := filepath.Glob(filepath.Join(d.folder, "*.png"))
	require.NoError(t, err)
	require.Len(t, pictures, 1)
	s, err := picture.ReadStamp(pictures[0])
	require.NoError(t, err)
	require.NotContains(t, s.Flags, "queue-budget")
	require.NotContains(t, s.Flags, "device-budget")
	require.Equal(t, renderer.Counts.String(), s.Flags["view"])
}

// TestBudgetsThatAreTooSmall: the viewer says so in one line, and ends.
func TestBudgetsThatAreTooSmall(t *testing.T) {
	d := newDesktop(t)
	for flag, want := range map[string]string{
		"--device-budget": "shadeonce-viewer: asset:knot: device memory of 1000 bytes is too small",
		"--queue-budget":  "shadeonce-viewer: asset:knot: queue budget of 1000 bytes is too small",
	} {
		out, err := d.viewer("--remember=false", flag, "1000", "asset:knot").CombinedOutput()
		var failed *exec.ExitError
		require.ErrorAs(t, err, &failed)
		require.Equal(t, cli.ExitFailure, failed.ExitCode())
		require.Regexp(t, "^"+want+"[^\n]*\n$", string(out))
	}
}
