package app

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/viewer/load"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/renderer"
)

func TestBudgetFlags(t *testing.T) {
	o := must.Get(parse("--queue-budget", "3KiB", "--device-budget", "1GiB"))
	frame := must.Get(o.Want.Frame(nil, 1, 1))
	require.EqualValues(t, 3<<10, frame.QueueBudget)
	require.EqualValues(t, 1<<30, frame.DeviceBudget)
	right := must.Get(model.OtherSide{Strategy: "hash", Lanes: 32, Order: load.FileOrder}.Settings(o.Want).Frame(nil, 1, 1))
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

// TestViewerKeepsToBudgets: chunks and windows do not change a pixel, and pictures and the state folder do not store
// the budgets.
func TestViewerKeepsToBudgets(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		args := []string{"--panels=false", "--size", "160x120", "asset:terrain240"}
		s.start(args...)
		whole := s.look()
		s.leave("")
		s.start(append([]string{"--queue-budget", "1MiB", "--device-budget", "36MiB"}, args...)...)
		require.True(t, s.Shown.Left.Plan.Windowed())
		s.same(whole)
		s.keyed("s", nextStrategy("warp")+", ")
		s.key("shift+s")
		s.same(whole)
		s.keyed("c", "against")
		s.keyed("c", "difference against")
		s.key("c")
		s.same(whole)
		s.key("F12")
		s.leave("")
		require.NotContains(t, string(must.Get(os.ReadFile(filepath.Join(s.folder, "state", "shadeonce", "viewer.json")))), "budget")
		pictures := must.Get(filepath.Glob(filepath.Join(s.folder, "*.png")))
		require.Len(t, pictures, 1)
		stamp := must.Get(picture.ReadStamp(pictures[0]))
		require.NotContains(t, stamp.Flags, "queue-budget")
		require.NotContains(t, stamp.Flags, "device-budget")
		require.Equal(t, renderer.Counts.String(), stamp.Flags["view"])
	})
}

// A budget that is too small ends the viewer with an error of one line.
func TestBudgetsThatAreTooSmall(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		for flag, want := range map[string]string{
			"--device-budget": "asset:knot: device memory of 1000 bytes is too small",
			"--queue-budget":  "asset:knot: queue budget of 1000 bytes is too small",
		} {
			require.NoError(t, s.open("--remember=false", flag, "1000", "asset:knot"))
			err := s.fails()
			require.ErrorContains(t, err, want)
			require.NotContains(t, err.Error(), "\n")
		}
	})
}
