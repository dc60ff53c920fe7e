package survey

import (
	"context"
	"fmt"
	"image"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/report"
	"github.com/shadeonce/shadeonce/renderer"
)

// quick is a backend that counts by the reference, draws nothing, and reports one millisecond for each pass.
type quick struct{ software bool }

func (b quick) Info() plan.Info {
	return plan.Info{Name: "gpu", Device: "a processor", Software: b.software}
}
func (quick) Set(plan.Options) {}
func (quick) Close()           {}
func (quick) Limits() renderer.Limits {
	return renderer.Limits{MaxBufferBytes: 1 << 30, MaxImageSide: 1 << 12, MaxGroups: 1 << 16, MaxWorkgroup: 1 << 10, SharedBytes: 32 << 10}
}

func (quick) Exec(p *plan.Plan, _ renderer.Camera, _ renderer.Want) (*renderer.Output, error) {
	_, counts := must.Get2(reuse.Analyze(p.Frame.Scene, p.Frame.Reuse))
	out := &renderer.Output{Counts: counts, Color: image.NewRGBA(image.Rect(0, 0, p.Frame.Width, p.Frame.Height))}
	for _, pass := range p.Passes {
		out.Timings = append(out.Timings, renderer.Timing{Pass: pass.Name, Duration: time.Millisecond})
	}
	return out, nil
}

// TestWhatIsMeasured checks the stages, applications and pictures of a survey, for given and other scenes,
// quick or not, on a GPU and on a CPU device. The progress of stages never decreases.
func TestWhatIsMeasured(t *testing.T) {
	warmUp := measure.WarmUp
	measure.WarmUp = 0
	defer func() { measure.WarmUp = warmUp }()
	scenes := []report.Scene{{Name: "cube"}, {Name: "ball", Paper: "sphere"}, {Name: "hare", Paper: "bunny"}}
	for _, o := range []struct {
		given           []string
		quick, software bool
		focus           []string
		times, pictures int
		want            []string // what follows the times: stages, applications and pictures
	}{
		{focus: []string{"hare", "cube"}, times: 4, pictures: 6, want: []string{
			"subdividing ball and making its envelope", "subdivide ball forsyth", "envelope ball forsyth",
			"subdividing hare and making its envelope", "subdivide hare forsyth", "envelope hare forsyth", "walking", "walk",
			"drawing hare in original order", "drawing hare in forsyth order", "drawing hare in hoppe order", "drawing hare in random order",
			"drawing ball in original order", "drawing ball in forsyth order",
		}},
		{given: []string{"hare", "cube"}, focus: []string{"hare", "cube"}, software: true, times: 4, pictures: 8, want: []string{
			"subdividing ball and making its envelope", "subdivide ball forsyth", "subdividing hare and making its envelope", "subdivide hare forsyth",
			"drawing hare in original order", "drawing hare in forsyth order", "drawing hare in hoppe order", "drawing hare in random order",
			"drawing cube in original order", "drawing cube in forsyth order", "drawing ball in original order", "drawing ball in forsyth order",
		}},
		{quick: true, focus: []string{"ball"}, times: 2, pictures: 2, want: []string{
			"subdividing ball and making its envelope", "subdivide ball forsyth", "envelope ball forsyth",
			"subdividing hare and making its envelope", "subdivide hare forsyth", "envelope hare forsyth", "walking", "walk",
			"drawing ball in original order", "drawing ball in forsyth order",
		}},
	} {
		var said []string
		at := shaded
		app := func(name string) func(context.Context, measure.Subject) ([]measure.ApplicationRow, error) {
			return func(_ context.Context, s measure.Subject) ([]measure.ApplicationRow, error) {
				said = append(said, strings.TrimSpace(name+" "+s.File+" "+s.Order))
				return nil, nil
			}
		}
		m := &survey{
			Options: Options{
				Given: o.given, Quick: o.quick, Runs: 1, Budget: time.Hour,
				Open: func(string) (*geometry.Scene, error) { return assets.Make("triangle") },
				Stage: func(from, to float64, format string, args ...any) context.Context {
					require.True(t, at <= from+1e-9 && from < to && to <= 1, "%s: from %g to %g, after %g", format, from, to, at)
					at = from
					said = append(said, fmt.Sprintf(format, args...))
					return t.Context()
				},
				Applications: &Applications{Subdivide: app("subdivide"), Envelope: app("envelope"), Walk: func(ctx context.Context) ([]measure.ApplicationRow, error) {
					return app("walk")(ctx, measure.Subject{})
				}},
			},
			backend: quick{o.software}, report: &report.Report{Scenes: scenes}, paths: map[string]string{"cube": "cube", "ball": "ball", "hare": "hare"},
		}
		m.describe()
		m.times()
		m.applications()
		m.pictures(o.focus)
		for _, p := range m.report.Pictures {
			require.Contains(t, p.Alt, p.Scene+" in "+p.Order+" order")
		}
		require.Equal(t, append([]string{"timing ball, scene 1 of 3", "timing hare, scene 2 of 3", "timing cube, scene 3 of 3"}, o.want...), said)
		require.Len(t, m.report.Times, len(scenes)*o.times*(len(reuse.Names())+1), "loads and strategies, and auto")
		require.Len(t, m.report.Pictures, o.pictures)
	}
}

// TestMeasure: Measure makes every part of a report, and returns the error of a file if Failed does.
func TestMeasure(t *testing.T) {
	o := surveyOn(t, map[string]*geometry.Scene{"a.ply": must.Get(assets.Make("triangle"))}).Options
	walked := false
	o.Applications = &Applications{Walk: func(context.Context) ([]measure.ApplicationRow, error) {
		walked = true
		return nil, nil
	}}
	r := must.Get(Measure(quick{}, []string{"a.ply"}, o))
	require.Equal(t, []any{"a processor", true}, []any{r.Run.Device, walked})
	require.True(t, len(r.Reuse) > 0 && len(r.Lanes) > 0 && len(r.Pictures) > 0)
	o.Failed = func(err error) error { return err }
	_, err := Measure(quick{}, []string{"none.ply"}, o)
	require.EqualError(t, err, "lost")
}

// TestTimesFitTheBudget: what a scene took tells how long a larger one will take; a scene without room has a note. A CPU
// device times large scenes at fewer loads.
func TestTimesFitTheBudget(t *testing.T) {
	warmUp := measure.WarmUp
	measure.WarmUp = 0
	defer func() { measure.WarmUp = warmUp }()
	m := surveyOn(t, map[string]*geometry.Scene{"": must.Get(assets.Make("triangle"))})
	m.backend, m.Quick, m.Runs, m.Budget = quick{software: true}, false, 1, time.Hour
	m.report.Scenes = []report.Scene{{Name: "huge", Triangles: 25e12}, {Name: "large", Triangles: largeScene}, {Name: "small", Triangles: 1000}}
	m.describe()
	m.times()
	rows := map[string]int{}
	for _, row := range m.report.Times {
		rows[row.File]++
	}
	each := len(reuse.Names()) + 1
	require.Equal(t, map[string]int{"small": 4 * each, "large": 2 * each}, rows)
	require.Len(t, m.report.Notes, 2)
	require.Contains(t, m.report.Notes[0], "Times of huge: with 1h0m0s for timing")
	require.Contains(t, m.report.Notes[1], "Times of large at all loads: ")
}

func TestPicturesOfHugeScenes(t *testing.T) {
	t.Parallel()
	m := surveyOn(t, map[string]*geometry.Scene{"": {Draws: []geometry.Draw{{VertexCount: mostPictureCounts}, {VertexCount: 1}}}})
	m.drawScene("a", []string{fileOrder})
	require.Equal(t, []string{"Pictures of a: its draws have 67108865 vertices, at most 67108864 are drawn here; shadeonce render draws it."}, m.report.Notes)
}

// TestHeatmaps: a given scene of several draws has positions in world space, indices of (draw, vertex) pairs, and
// counts in both orders. Scenes that are not given have no heatmap; those too large for the page have a note.
func TestHeatmaps(t *testing.T) {
	t.Parallel()
	s := must.Get(assets.Make("city3"))
	require.Greater(t, len(s.Draws), 3)
	m := &survey{
		Options: Options{Open: func(path string) (*geometry.Scene, error) {
			require.Equal(t, "a.glb", path)
			return s, nil
		}},
		paths: map[string]string{"a": "a.glb"},
		report: &report.Report{Scenes: []report.Scene{
			{Name: "other"}, {Name: "large", Given: true, Triangles: report.HeatmapTriangles + 1}, {Name: "a", Given: true, Triangles: report.HeatmapTriangles},
		}},
	}
	m.heatmaps()
	require.Equal(t, []string{"large cannot be turned on this page, which holds 8 scenes of 200000 triangles at most; it has 200001: the viewer shows it."}, m.report.Notes)
	require.Len(t, m.report.Heatmaps, 1)
	h := m.report.Heatmaps[0]
	require.Equal(t, "a", h.Scene)
	first, at := 0, 0
	for i := range s.Draws {
		d := &s.Draws[i]
		for v, p := range s.Positions[d.VertexOffset:][:d.VertexCount] {
			world := d.Transform.Mul4x1(p.Vec4(1))
			require.Equal(t, world[:3], h.Positions[3*(first+v):][:3])
		}
		for _, id := range s.DrawIndices(i) {
			require.EqualValues(t, first+int(id), h.Indices[at])
			at++
		}
		first += int(d.VertexCount)
	}
	require.Len(t, h.Positions, 3*first)
	require.Len(t, h.Indices, at)
	c := must.Get(reuse.Resolve("claim", 0, 0))
	for i, name := range []string{"original", "forsyth"} {
		_, want := must.Get2(reuse.Analyze(must.Get(order.Apply(t.Context(), s, name)), c))
		require.Equal(t, want, h.Counts[i], name)
	}
	require.NotEqual(t, h.Counts[0], h.Counts[1])

	for range report.MostHeatmaps {
		m.report.Scenes = append(m.report.Scenes, report.Scene{Name: "a", Given: true})
	}
	m.report.Heatmaps = nil
	m.heatmaps()
	require.Len(t, m.report.Heatmaps, report.MostHeatmaps)
	require.Len(t, m.report.Notes, 3)
}
