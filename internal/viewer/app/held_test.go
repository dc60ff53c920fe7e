package app

import (
	"image"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/viewer/load"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/renderer"
)

// gate stops each drawing after one of its parts, as if the device were slow, until the gate is opened.
type gate struct {
	after    int  // number of parts after which drawings stop; 0 never stops them
	parts    int  // parts of drawings that have ended
	compiles bool // the gate stops before the next pipeline is compiled, not after a part
}

// gated is a canvas behind a gate.
type gated struct {
	model.Canvas
	*gate
}

func (g gated) Set(o plan.Options) {
	if progress := o.Progress; progress != nil {
		o.Progress = func(done float64) error {
			d := theDevice.viewers.GPU()
			if done > 0 {
				g.parts++
			}
			for g.compiles == (done == 0) && g.parts == g.after && d.Idle != nil { // do not hold a viewer that is closing
				d.Idle(true)
			}
			return progress(done)
		}
	}
	g.Canvas.Set(o)
}

// Exec draws as the canvas does, but reports one millisecond per pass. On a busy machine a picture could take
// model.PromptRedraw; the job would then end early, and tests could not cancel its later parts.
func (g gated) Exec(p *plan.Plan, camera renderer.Camera, want renderer.Want) (*renderer.Output, error) {
	out, err := g.Canvas.Exec(p, camera, want)
	for i := 0; err == nil && i < len(out.Timings); i++ {
		out.Timings[i].Duration = time.Millisecond
	}
	return out, err
}

// gate puts all canvases of the viewer behind a gate.
func (s *stage) gate(after int) *gate {
	g := &gate{after: after}
	open := s.painter.Open
	s.painter.Left = gated{s.painter.Left, g}
	s.painter.Open = func() model.Canvas { return gated{open(), g} }
	return g
}

// held runs frames until the drawing is stopped at the gate, and then for a while. It requires that
// the window shows the progress bar and is redrawn repeatedly.
func (s *stage) held(g *gate) {
	s.t.Helper()
	for n := 0; g.parts < g.after; n++ {
		require.Less(s.t, n, 100_000, "no part of a drawing ends")
		require.NoError(s.t, s.follow())
	}
	s.frames(time.Second)
	before := s.presented
	s.frames(time.Second)
	require.GreaterOrEqual(s.t, s.presented-before, 10, "the bar moves")
	require.True(s.t, s.BusyShown())
	require.True(s.t, s.marked(image.Rect(s.pixels.X/2+20, 20, s.pixels.X/2+100, 60)), "by the bar")
}

// marked reports whether a part of the window has more than one colour.
func (s *stage) marked(part image.Rectangle) bool {
	img := s.window()
	return portion(part, func(x, y int) bool { return img.RGBAAt(x, y) != img.RGBAAt(part.Min.X, part.Min.Y) }) > 0
}

// frames runs the frame loop for a time, while something is being drawn.
func (s *stage) frames(d time.Duration) {
	s.t.Helper()
	for range d / (10 * time.Millisecond) {
		time.Sleep(10 * time.Millisecond)
		require.NoError(s.t, s.follow())
	}
}

// While the first picture is drawn, the window shows the work and its progress, and takes keys.
// Cancelling the picture closes its file; then another is drawn.
func TestTheFirstPictureIsShownToBeDrawn(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		require.NoError(t, s.open("--remember=false", "--size", "800x600", "asset:sphere4"))
		g := s.gate(2)
		s.held(g)
		require.Nil(t, s.Shown.Left.Plan)
		require.Equal(t, "drawing sphere4 by warp in original order", s.Busy().What)
		require.Positive(t, s.Busy().Done)
		require.Less(t, s.Busy().Done, 1.)
		s.titled("loading asset:sphere4")
		require.True(t, s.marked(image.Rect(20, 40, 200, 200)), "by the settings")

		s.burst("BackSpace")
		s.frames(time.Second)
		require.Equal(t, "giving up drawing sphere4 by warp in original order", s.Busy().What, "its part has not ended")
		g.after = 0
		s.settle()
		require.Nil(t, s.Shown.Left.Plan)
		require.Nil(t, s.Next)
		require.Equal(t, "gave up drawing: "+openHint, s.Notices.String())

		s.Drop([]string{"asset:cube"})
		s.settle()
		s.titled("cube")
	})
}

// givenUp cancels a drawing after some of its parts: the shown picture and its settings stay. Then it draws it.
func (s *stage) givenUp(g *gate, after int, what string, ask func(*stage)) {
	s.t.Helper()
	before, chosen := s.look(), s.Choices
	ask(s)
	g.parts, g.after = 0, after
	s.held(g)
	require.NotNil(s.t, s.Drawing, what)
	s.burst("BackSpace")
	g.after = 0
	s.settle()
	s.same(before)
	require.Equal(s.t, chosen, s.Choices, what)
	require.Equal(s.t, "gave up drawing", s.Notices.String(), what)
	ask(s)
	s.settle()
	require.NotEqual(s.t, before, s.look(), what)
}

// Every kind of drawing can be cancelled: the shown picture stays, its settings come back, and the next
// drawing is complete.
func TestDrawingsAreGivenUp(t *testing.T) {
	asks := []struct {
		what  string
		after int
		ask   func(s *stage)
	}{
		{"strategy", 1, func(s *stage) { s.burst("s") }},
		{"strategy", 2, func(s *stage) { s.burst("s") }},
		{"camera", 1, func(s *stage) { s.Move(func(c *renderer.Camera) { c.Azimuth += 20 }) }},
		{"order", 2, func(s *stage) { s.burst("o") }},
		{"split", 2, func(s *stage) { s.burst("c") }},
		{"difference", 2, func(s *stage) { s.burst("c") }},
		{"right side", 3, func(s *stage) { s.burst("shift+c") }},
		{"both sides", 5, func(s *stage) { s.burst("v") }},
		{"file", 2, func(s *stage) { s.burst("Right") }},
	}
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--remember=false", "--panels=false", "--size", "320x240", "--raster", "fused", "asset:sphere3", "asset:knot16")
		g := s.gate(0)
		for _, x := range asks {
			s.givenUp(g, x.after, x.what, x.ask)
		}
	})
}

// newBatch is a batch size that no test has drawn with on the shared device, so its pipelines have to be compiled.
// With -cpu 1,2 tests run twice in one process.
var newBatch = 93

// Cancelling a picture leaves out the pipelines that are not compiled yet.
func TestCompilingIsGivenUp(t *testing.T) {
	batch := newBatch
	newBatch += 3
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--remember=false", "--panels=false", "--size", "320x240", "--strategy", "hash", "asset:sphere3")
		before, chosen := s.look(), s.Choices
		g := s.gate(0)
		g.compiles = true
		s.Want.Batch = batch
		s.held(g)
		pipelines := theDevice.viewers.Holding().Pipelines
		s.burst("BackSpace")
		g.after = -1
		s.settle()
		require.Equal(t, pipelines, theDevice.viewers.Holding().Pipelines)
		require.Equal(t, chosen, s.Choices)
		s.same(before)
		s.Want.Batch = batch
		s.settle()
		require.Greater(t, theDevice.viewers.Holding().Pipelines, pipelines)
	})
}

// Drawings of a scene in windows can be cancelled, and the next drawing is complete.
func TestWindowsAreGivenUp(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--remember=false", "--panels=false", "--size", "160x120", "--queue-budget", "1MiB", "--device-budget", "36MiB", "asset:terrain240")
		require.True(t, s.Shown.Left.Plan.Windowed())
		g := s.gate(0)
		for _, after := range []int{1, 2} {
			for what, ask := range map[string]func(*stage){
				"strategy": func(s *stage) { s.burst("s") }, "camera": func(s *stage) { s.Move(func(c *renderer.Camera) { c.Azimuth += 20 }) },
			} {
				s.givenUp(g, after, what, ask)
				require.True(t, s.Shown.Left.Plan.Windowed())
			}
		}
	})
}

// A picture of the scene alone is drawn again for saving, and saved off the frame loop. It can be
// cancelled; a viewer that ends saves it first.
func TestSavingIsGivenUp(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		const name = "sphere4-warp-32lanes-indexed-counts"
		s.start("--remember=false", "--panels=false", "--size", "320x240", "asset:sphere4")
		shown := s.look()
		g := s.gate(1)
		s.Move(func(c *renderer.Camera) { c.Azimuth += 20 }) // a drawing for a camera is gated only after its canvas has taken the gate's options
		g.after = 0
		s.settle()
		shown = s.other(shown)
		s.burst("ctrl+F12")
		g.parts, g.after = 0, 1
		s.held(g)
		require.Equal(t, "saving a picture", s.Busy().What)
		s.burst("BackSpace")
		g.after = 0
		s.settle()
		require.Equal(t, "gave up saving a picture", s.Notices.String())
		require.NoFileExists(t, name+".png")
		s.same(shown)
		s.burst("ctrl+F12", "F12")
		s.settle()
		require.Equal(t, shown.picture.Pix, s.saved(name+".png").(*image.RGBA).Pix)
		require.FileExists(t, name+"-2.png")
		s.burst("ctrl+F12")
		g.parts, g.after = 0, 1
		s.held(g)
		s.leave("")
		require.FileExists(t, name+"-3.png")
	})
}

// Cancelling the picture for a new window size leaves the old one, stretched, until the next picture.
func TestResizingIsGivenUp(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--remember=false", "--size", "800x600", "asset:sphere4")
		size := s.Shown.Left.Size
		g := s.gate(1)
		s.unitSize = image.Pt(900, 500)
		s.pixels = s.unitSize
		s.OnResize()
		s.frames(time.Second)
		s.held(g)
		s.burst("BackSpace")
		g.after, s.unchecked = 0, true
		s.settle()
		require.Equal(t, size, s.Shown.Left.Size)
		require.Equal(t, s.pixels, s.window().Rect.Size())
		s.unchecked = false
		s.key("s")
		require.Equal(t, s.pixels, s.Shown.Left.Size)
	})
}

// Timing the table of strategies can be cancelled: strategies not yet timed get an error in place of times.
func TestTimingIsGivenUp(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--remember=false", "--size", "800x600", "asset:sphere4")
		g := s.gate(1)
		s.burst("Tab")
		s.held(g)
		require.Contains(t, s.Busy().What, "timing ")
		s.burst("BackSpace")
		g.after = 0
		s.settle()
		require.Equal(t, "gave up timing", s.Notices.String())
		require.Nil(t, s.Drawing)
		for _, r := range s.Strategies.Rows {
			require.True(t, r.Err != nil || r.Timing.Err != nil, r.Name)
		}
	})
}

// An order can be started while a picture is drawn, and cancelled then.
func TestOrdersBeginWhileDrawing(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--remember=false", "--size", "800x600", "asset:sphere4")
		g := s.gate(1)
		s.burst("s")
		s.held(g)
		s.IndexOrder = "hoppe"
		require.NoError(t, s.follow())
		require.Equal(t, "hoppe", s.loader.Making)
		require.NotNil(t, s.Drawing)
		s.burst("BackSpace")
		require.NoError(t, s.follow())
		require.Equal(t, load.FileOrder, s.IndexOrder)
		require.False(t, s.Drawing.GivenUp, "the order came first")
		g.after = 0
		s.settle()
		s.titled("gave up hoppe")
	})
}
