package app

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/load"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
	"github.com/shadeonce/shadeonce/internal/viewer/viewtest"
)

// status describes the shown picture, how it was drawn, and the work under way. Stages use it as the window's title.
func status(a *App) string {
	var parts []string
	add := func(text string, some bool) {
		if some {
			parts = append(parts, text)
		}
	}
	l, r := &a.Shown.Left, &a.Shown.Right
	add("["+inspect.OneLine(a.Notices.String())+"]", len(a.Notices) > 0)
	add("loading "+a.loading(), a.loading() != "")
	add("ordering by "+a.loader.Making, a.loader.Busy && a.loader.Making != "")
	if a.maker.BusyFor() > 0 && a.Walked == nil {
		add(a.maker.Now.Choice.Doing(), true)
	}
	shaded := func(s *reuse.Stats) string {
		return fmt.Sprintf("%d invocations, reuse %.4f of %.4f", s.Invocations, s.Reuse(), s.Ideal())
	}
	switch {
	case l.Plan == nil:
		return strings.Join(append(parts, "shadeonce"), " | ")
	case a.Walked != nil:
		return strings.Join(append(parts, a.Walked.Words(false)[0]+" | "+a.Walked.Config.String(), shaded(&a.Walked.Stats)), " | ")
	}
	frame := &l.Plan.Frame
	settings := frame.Reuse.Strategy.Name
	if l.Plan.Choice.Strategy != "" {
		settings = "auto: " + settings
	}
	if frame.Reuse.Strategy.UsesLanes {
		settings += fmt.Sprintf(", %d %s lanes", frame.Reuse.Lanes, map[bool]string{true: "native", false: "virtual"}[l.Plan.Native])
	}
	settings += fmt.Sprintf(", %s, %s, %s order", frame.Queue, frame.View, l.Order)
	if r.Plan != nil {
		against := "against " + r.Name() + " in " + r.Order + " order"
		if a.Shown.Compare == model.CompareBefore {
			against = "before and after"
		}
		settings += map[bool]string{true: ", difference ", false: ", "}[a.Shown.Difference.Plan != nil] + against
	}
	add(frame.Scene.Name, true)
	add(settings, true)
	add(shaded(&l.Stats)+map[bool]string{true: " after culling"}[frame.Cull], true)
	for _, pass := range l.Timings {
		add(pass.Pass, true)
	}
	add(fmt.Sprintf("%.0f fps", 1/max(a.frameTime.Seconds(), 1e-9)), a.frameTime > 0)
	return strings.Join(parts, " | ")
}

func TestTitleIsShort(t *testing.T) {
	a := &App{Files: []string{"bunny.ply"}, loader: load.New(viewtest.Open, nil)}
	require.Equal(t, "shadeonce", Title(a))
	a.loader.Busy, a.loader.Name = true, "z.obj"
	require.Equal(t, "loading z.obj - shadeonce", Title(a))
	l, r := &a.Shown.Left, &a.Shown.Right
	l.Plan, l.Stats = viewtest.Titled(t, "bunny.ply"), reuse.Stats{Invocations: 75, Indices: 100, Referenced: 40}
	require.Equal(t, "bunny.ply: warp 16, reuse 0.2500 - shadeonce", Title(a), "what is loaded is not shown yet")
	a.At, a.Files, r.Plan = 2, make([]string, 12), viewtest.Titled(t, "bunny.ply")
	require.Equal(t, "bunny.ply (3/12): warp 16, reuse 0.2500 - shadeonce", Title(a))
	r.Plan.Frame.Reuse.Lanes = 8
	require.Equal(t, "bunny.ply (3/12): warp 16 and warp 8, reuse 0.2500 - shadeonce", Title(a))
	a.Walked = &results.Result{Stats: reuse.Stats{Invocations: 1, Indices: 2}}
	l.Plan.Choice.Strategy = "auto: why"
	require.Equal(t, "walk (3/12): auto: warp 16 and warp 8, reuse 0.5000 - shadeonce", Title(a))
}
