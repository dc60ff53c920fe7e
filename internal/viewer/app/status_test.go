package app

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/viewtest"
	"github.com/shadeonce/shadeonce/renderer"
)

// status is all that the viewer knows of what it shows. Tests on a display read it as the
// window's title.
func status(f inspect.Figures) string {
	var parts []string
	if f.Notice != "" {
		parts = append(parts, "["+inspect.OneLine(f.Notice)+"]")
	}
	if f.Loading != "" {
		parts = append(parts, "loading "+f.Loading)
	}
	if f.Making != "" {
		parts = append(parts, "ordering by "+f.Making)
	}
	if f.Doing != "" {
		parts = append(parts, f.Doing)
	}
	if f.Plan == nil {
		return strings.Join(append(parts, "shadeonce"), " | ")
	}
	if f.Walk != "" {
		parts = append(parts, f.Walk, shadedText(&f))
		return strings.Join(parts, " | ")
	}
	frame := &f.Plan.Frame
	strategy := frame.Reuse.Strategy.Name
	if f.Plan.Choice.Strategy != "" {
		strategy = "auto: " + strategy
	}
	if frame.Reuse.Strategy.UsesLanes {
		strategy += fmt.Sprintf(", %d %s lanes", frame.Reuse.Lanes, map[bool]string{true: "native", false: "virtual"}[f.Plan.Native])
	}
	settings := fmt.Sprintf("%s, %s, %s", strategy, frame.Queue, frame.View)
	if f.Order != "" {
		settings += ", " + f.Order + " order"
	}
	if f.Against != "" {
		settings += ", " + f.Against
	}
	shaded := shadedText(&f)
	if frame.Cull {
		shaded += " after culling"
	}
	parts = append(parts, frame.Scene.Name, settings, shaded)
	if len(f.Timings) > 0 {
		parts = append(parts, inspect.PassTimes(f.Timings))
	}
	if f.Frame > 0 {
		parts = append(parts, fmt.Sprintf("%.0f fps", 1/f.Frame.Seconds()))
	}
	return strings.Join(parts, " | ")
}

// shadedText is how much was shaded.
func shadedText(f *inspect.Figures) string {
	return fmt.Sprintf("%d invocations, reuse %.4f of %.4f", f.Stats.Invocations, f.Stats.Reuse(), f.Stats.Ideal())
}

func TestStatus(t *testing.T) {
	f := inspect.Figures{
		Plan:  viewtest.Titled(t, "bunny.ply"),
		Stats: reuse.Stats{Invocations: 75, Indices: 100, Referenced: 40},
		Timings: []renderer.Timing{
			{Pass: "clear", Duration: 10 * time.Microsecond},
			{Pass: "geometry:warp", Duration: 1500 * time.Microsecond},
			{Pass: "raster:hardware", Duration: 2490 * time.Microsecond},
		},
		Frame: 20 * time.Millisecond,
	}
	require.Equal(t, "bunny.ply | warp, 16 virtual lanes, indexed, shaded | 75 invocations, reuse 0.2500 of 0.6000 | "+
		"geometry:warp 1.50, raster:hardware 2.49, all 4.00 ms | 50 fps", status(f))
	f.Order = "forsyth"
	require.Contains(t, status(f), " | warp, 16 virtual lanes, indexed, shaded, forsyth order | ")
	f.Making = "tipsify"
	require.True(t, strings.HasPrefix(status(f), "ordering by tipsify | bunny.ply | "), status(f))
	f.Making = ""
	f.Plan.Native = true
	f.Notice, f.Loading = "refused x\ny", "z.obj"
	require.True(t, strings.HasPrefix(status(f), "[refused x y] | loading z.obj | bunny.ply | warp, 16 native lanes"), status(f))
	require.Equal(t, "loading z.obj | shadeonce", status(inspect.Figures{Loading: "z.obj"}))
	require.Less(t, len(status(inspect.Figures{Notice: strings.Repeat("ä", 1e6)})), 1000)
}
