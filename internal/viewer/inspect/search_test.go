package inspect

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/viewer/viewtest"
	"github.com/shadeonce/shadeonce/renderer"
)

// A search in windows finds the same batches, with the same numbers, as the plan that keeps its
// batches, for triangles and vertices of several draws. Windows begin within draws.
func TestSearchFindsTheBatchesOfWindows(t *testing.T) {
	t.Parallel()
	one := viewtest.Scene(t, "terrain60")
	scene := must.Get(one.Copies(7))
	for _, c := range []struct {
		strategy string
		params   reuse.Params
	}{{"warp", reuse.Params{Lanes: 8}}, {"hash", reuse.Params{Batch: 96}}, {"hash", reuse.Params{Batching: "dynamic", Batch: 96, Unique: 16}}} {
		windows, whole := viewtest.Windowed(t, scene, c.params, c.strategy)
		require.Empty(t, windows.Batches)
		plans := []*plan.Plan{windows, whole}
		for draw := 0; draw < len(scene.Draws); draw += 3 {
			indices := scene.DrawIndices(draw)
			for triangle := 0; triangle < len(indices)/3; triangle += 31 { // alternately in both plans
				s := &Search{plan: plans[triangle%2], hit: Hit{Draw: draw, Triangle: triangle, Corners: [3]uint32(indices[3*triangle:]), Nearest: triangle % 3}}
				s.run(time.Hour)
				want := BatchOf(whole, draw, triangle)
				require.Equal(t, want, s.Number, "draw %d, triangle %d", draw, triangle)
				require.Equal(t, whole.Batches[want], s.Holder)
				require.True(t, s.whole)
				uses := BatchesOf(whole, draw, s.hit.Vertex())
				require.Equal(t, uses, s.uses)
				require.Equal(t, Slots(whole, whole.Batches[want]), Slots(windows, s.Holder))
			}
		}
	}
}

// If very many batches shaded a vertex, the first ones are kept and a few of these named.
func TestSearchesCountWhatTheyDoNotKeep(t *testing.T) {
	t.Parallel()
	fan := &geometry.Scene{Draws: []geometry.Draw{{Transform: mgl32.Ident4()}}}
	const triangles = 5 * keptUses
	for i := range uint32(triangles) {
		fan.Indices = append(fan.Indices, 0, i+1, i+2)
	}
	fan.Positions = make([]mgl32.Vec3, triangles+2)
	fan.Draws[0].IndexCount, fan.Draws[0].VertexCount = 3*triangles, triangles+2
	config := must.Get(reuse.Resolve("warp", 4, 0))
	p := &plan.Plan{Frame: renderer.Frame{Scene: fan, Reuse: config}, Batches: reuse.Batches(fan, config)}
	s := &Search{plan: p, hit: Hit{Corners: [3]uint32{0, 1, 2}}, Done: true}
	s.run(time.Hour)
	all := BatchesOf(p, 0, 0)
	require.Greater(t, len(all), keptUses)
	require.Equal(t, all[:keptUses], s.Uses())
	require.Regexp(t, fmt.Sprintf(`^by batches 0 \(2 times\), .* 7 \(2 times\), and %d more$`, len(all)-8), s.String())
	require.Equal(t, s.String(), NewSearches(&Keeper{}, nil).Describe(p, s.hit), "found at once")
	require.False(t, TakesLong(p, 0))
}

// A search has a time limit, whatever the draw, and says if it was incomplete. It ends at once if
// nobody waits for it.
func TestSearchesEnd(t *testing.T) {
	t.Parallel()
	scene := viewtest.Scene(t, "terrain100")
	windows, whole := viewtest.Windowed(t, scene, reuse.Params{Lanes: 8}, "warp")
	require.Equal(t, []bool{true, false}, []bool{TakesLong(windows, 0), TakesLong(whole, 0)})
	last := scene.Triangles() - 1
	h := Hit{Triangle: last, Corners: [3]uint32(scene.Indices[3*last:])}
	s := &Search{plan: windows, hit: h}
	require.Equal(t, "its batches are looked for", s.String())
	s.run(0)
	s.Done = true
	require.False(t, s.whole)
	require.Equal(t, BatchOf(whole, 0, last), s.Number, "that of the triangle is found all the same")
	require.Equal(t, "its batches were not found in time: the draw is long", s.String())
	s.uses = []Use{{Batch: 3, Times: 2}, {Batch: 5, Times: 1}}
	require.Equal(t, "by batches 3 (2 times), 5, so far: the draw is long", s.String())
	s.whole, s.more = true, 4
	require.Equal(t, "by batches 3 (2 times), 5, and 4 more", s.String())
	s.stop.Store(true)
	s.whole = false
	s.run(time.Hour)
	require.False(t, s.whole)

	woken := make(chan struct{}, 100)
	keeper := &Keeper{}
	r := NewSearches(keeper, func() { woken <- struct{}{} })
	wait := func(n int) (done bool) {
		for range n {
			<-woken
			done = r.Take(windows, whole) || done
		}
		return done
	}
	hovered := r.hover(windows, h)
	require.Same(t, hovered, r.hover(windows, h), "once")
	r.Click(windows, h)
	clicked := r.Clicked()
	require.Same(t, hovered, clicked)
	other := h
	other.Triangle--
	another := r.hover(windows, other)
	require.False(t, clicked.stop.Load(), "what was clicked is looked for though the cursor moves on")
	third := r.hover(whole, other)
	require.True(t, another.stop.Load())
	require.True(t, wait(3))
	require.True(t, clicked.Done && third.Done)
	require.Zero(t, keeper.readers)
	require.Same(t, third, r.hovered)
	r.Unclick()
	require.Nil(t, r.Clicked())

	// Results of a plan that is no longer shown are dropped.
	r.Click(windows, other)
	require.False(t, r.Take(whole))
	require.Nil(t, r.hovered)
	require.Nil(t, r.Clicked())
	<-woken
	require.False(t, r.Take(whole))
	require.Zero(t, keeper.readers)
}
