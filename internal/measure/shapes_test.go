package measure

import (
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/bytesize"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// instances is a scene of two meshes in turn, so many of each.
func instances(t *testing.T, asset string, copies int) *geometry.Scene {
	s, err := assets.Make(asset)
	require.NoError(t, err)
	half := s.Draws[0]
	half.IndexCount = half.IndexCount / 6 * 3
	s.Draws = append(s.Draws, half)
	s, err = s.Copies(copies)
	require.NoError(t, err)
	return s
}

// What is drawn by shape, and only where the camera sees it, is the same picture with the
// same statistics.
func TestRenderByShape(t *testing.T) {
	t.Parallel()
	s, large := instances(t, "sphere3", 25), instances(t, "sphere5", 2)
	b := soft.New()
	defer b.Close()
	c, err := reuse.Resolve("warp", 8, 0)
	require.NoError(t, err)
	near := renderer.FitCamera(s.Bounds(), 2)
	near.Zoom(4, s.Bounds())
	away := near
	away.Target = away.Target.Add(mgl32.Vec3{1e4, 0, 0})
	marks := make([]renderer.Mark, len(s.Draws))
	marks[24] = renderer.Hidden
	for name, x := range map[string]struct {
		frame  renderer.Frame
		camera renderer.Camera
		draws  int // at most
	}{
		"counts":   {renderer.Frame{}, near, 40},
		"all seen": {renderer.Frame{}, renderer.FitCamera(s.Bounds(), 2), 50},
		"shaded":   {renderer.Frame{View: renderer.Shaded, Marks: marks}, near, 40},
		"batches":  {renderer.Frame{View: renderer.Batches}, near, 50},
		"chunks":   {renderer.Frame{QueueBudget: 64 << 10}, near, 40},
		"windows":  {renderer.Frame{Scene: large, QueueBudget: 64 << 10, DeviceBudget: 32<<20 + 600<<10}, renderer.FitCamera(large.Bounds(), 2), 4},
		"nothing":  {renderer.Frame{}, away, 1},
	} {
		f := x.frame
		if f.Scene == nil {
			f.Scene = s
		}
		f.Reuse, f.Raster, f.Width, f.Height = c, renderer.SoftRaster, 96, 48
		want, _, err := plan.Render(b, f, x.camera, renderer.WantColor|renderer.WantCounts)
		require.NoError(t, err, name)
		got, p, err := RenderByShape(b, f, x.camera, renderer.WantColor)
		require.NoError(t, err, name)
		require.Equal(t, want.Color.Pix, got.Color.Pix, name)
		require.Equal(t, name != "nothing", got.Seen.Drawn() > 0, name)
		require.LessOrEqual(t, len(p.Frame.Scene.Draws), x.draws, name)
		require.Less(t, len(p.Frame.Shown), 2*int(f.Scene.Draws[0].VertexCount)+1, name)
		require.Equal(t, name == "windows", p.Windowed(), name)
		want.Stats.Batches, want.Stats.Iterations, want.Stats.LaneSlots = 0, 0, 0
		require.Equal(t, want.Stats, got.Stats, name)
		_, err = b.Exec(p, x.camera, renderer.WantCounts)
		require.Error(t, err, name)
	}
}

// Counts by shape pay where there are many instances, and are refused where they depend on
// more than the shape.
func TestByShape(t *testing.T) {
	t.Parallel()
	c, err := reuse.Resolve("warp", 8, 0)
	require.NoError(t, err)
	f := renderer.Frame{Reuse: c, Scene: &geometry.Scene{Draws: make([]geometry.Draw, 3)}}
	for i := range f.Scene.Draws {
		f.Scene.Draws[i] = geometry.Draw{IndexCount: 3, VertexCount: savedPairs / 2}
	}
	require.True(t, ByShape(&f))
	f.Shading = &renderer.Shading{}
	require.False(t, ByShape(&f), "vertex shaders of its own may tell instances apart")
	f.Shading = nil
	f.Cull = true
	require.False(t, ByShape(&f), "each draw loses other triangles")
	f.Cull = false
	f.Scene.Draws[1].FirstIndex = 3
	require.False(t, ByShape(&f), "one of them saves too little")
	f.Scene.Draws[2].IndexCount, f.Scene.Draws[0].IndexCount = savedIndices, savedIndices
	require.True(t, ByShape(&f))
	f.Reuse, err = reuse.Resolve("multi", 8, 0)
	require.NoError(t, err)
	require.False(t, ByShape(&f), "it keeps the vertices of every draw")
}

// narrow is a backend on a system without the memory for multi.
type narrow struct{ *soft.Backend }

func (n narrow) Exec(p *plan.Plan, c renderer.Camera, want renderer.Want) (*renderer.Output, error) {
	if p.Frame.Reuse.Strategy.WholeDraws {
		return nil, renderer.CheckHost(1<<62, "vertices")
	}
	return n.Backend.Exec(p, c, want)
}

// Timing goes on without a strategy for which the system has no memory, too.
func TestTimingGoesOnWithoutMemory(t *testing.T) {
	t.Parallel()
	if bytesize.FreeMemory() == 0 {
		t.Skip("the system does not say what memory it has free")
	}
	b := narrow{soft.New()}
	var notices []string
	g := Geometry{Frame: GeometryFrame(), Loads: []Load{{Name: "simple"}}, Runs: 1, LeaveOut: func(notice string) { notices = append(notices, notice) }}
	for _, name := range []string{"warp", "multi"} {
		c, err := reuse.Resolve(name, 0, 0)
		require.NoError(t, err)
		g.Configs = append(g.Configs, c)
	}
	rows, err := g.Time(t.Context(), b, Subject{File: "some", Scene: instances(t, "sphere1", 1)})
	require.NoError(t, err)
	require.Len(t, rows, 1)
	require.Equal(t, "warp", rows[0].Strategy)
	require.Len(t, notices, 1)
	require.Contains(t, notices[0], "some: multi is left out: vertices need")
}
