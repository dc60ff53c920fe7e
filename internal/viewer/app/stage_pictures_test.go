package app

import (
	"bytes"
	"image"
	"image/draw"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
	"github.com/shadeonce/shadeonce/internal/viewer/viewtest"
	"github.com/shadeonce/shadeonce/renderer"
)

// look is what a viewer shows without panels and legends: its state, as flags, and the picture of the state.
type look struct {
	flags   map[string]string
	pixels  image.Point
	picture *image.RGBA
}

// look returns what is shown.
func (s *stage) look() look {
	s.t.Helper()
	require.NotNil(s.t, s.Shown.Left.Plan, "there is a picture")
	flags := s.stamp().Flags
	delete(flags, "panels")
	return look{flags, s.pixels, s.scene()}
}

// same requires the state and picture of an earlier look. settle has checked that the window shows this picture.
func (s *stage) same(as look) {
	s.t.Helper()
	now := s.look()
	require.Equal(s.t, as.flags, now.flags)
	require.Equal(s.t, as.pixels, now.pixels)
	require.True(s.t, bytes.Equal(as.picture.Pix, now.picture.Pix), "the same state draws the same")
}

// other requires that the picture differs from an earlier look, and returns the new look.
func (s *stage) other(from look) look {
	s.t.Helper()
	now := s.look()
	require.Greater(s.t, differing(from.picture, now.picture), changed)
	return now
}

// requireDrawn compares the shown pictures, counts and depths with new ones: another backend draws the state
// from newly opened and ordered scenes.
func (s *stage) requireDrawn() {
	s.t.Helper()
	if s.unchecked || s.App == nil || s.Shown.Left.Plan == nil || s.Quit || s.loader.Busy || s.maker.BusyFor() > 0 || s.Walked != nil || s.Drawing != nil {
		return
	}
	left := &s.Shown.Left
	require.Equal(s.t, s.Want, left.Settings)
	require.Equal(s.t, s.IndexOrder, left.Order)
	require.Equal(s.t, s.Camera, left.Camera)
	require.Equal(s.t, s.Alone, left.Alone)
	if s.quota == 0 {
		require.Equal(s.t, s.pixels, left.Size)
	}
	if s.Compare == model.CompareOff || s.Compare != model.CompareBefore {
		require.Equal(s.t, s.Compare, s.Shown.Compare)
	}
	canvases := []model.Canvas{s.painter.Left, s.painter.Right}
	sides := s.Shown.Halves()
	if s.Shown.Difference.Plan != nil {
		sides = sides[:1] // the window shows one picture
	}
	for i, h := range sides {
		got := must.Get(theDevice.oracle.GPU().ReadImage(canvases[i].Color()))
		out := s.drawn(h)
		want := out.Color
		if h.Depth != nil {
			require.Equal(s.t, out.Depth, h.Depth)
		}
		if h.Applied == nil && h.Counts != nil {
			require.Equal(s.t, out.Counts, h.Counts)
			require.Equal(s.t, out.Stats, h.Stats)
		}
		if i == 0 && s.Shown.Difference.Plan != nil {
			want = s.difference()
		} else if h.Seen != nil && !h.Stale {
			require.Equal(s.t, out.Seen, *h.Seen)
		}
		require.Equal(s.t, want.Rect, got.Rect)
		for p := 3; p < len(got.Pix); p += 4 {
			got.Pix[p] = 255 // alpha holds a code for what the pixel shows
		}
		require.True(s.t, bytes.Equal(want.Pix, got.Pix), "side %d shows what its state draws", i)
	}
	s.requireKept()
}

// requireKept compares what the viewer keeps beside the pictures with new results from its state: legends, flat
// drawings over the pictures, the list of draws, the selection, and the text about the vertex under the cursor.
func (s *stage) requireKept() {
	s.t.Helper()
	unshown := s.Unshown
	legend, right, flat, of := s.Legend, s.rightLegend, s.flat, s.flatOf
	s.Legend, s.rightLegend, s.flat, s.flatOf = Legend{}, Legend{}, results.Flat{}, flatKey{}
	s.relegend()
	require.Equal(s.t, s.Legend, legend)
	if s.Split() {
		require.Equal(s.t, s.rightLegend, right)
	}
	s.layOut(s.pixels)
	require.True(s.t, slices.Equal(s.flat.Runs, flat.Runs) && slices.Equal(s.flat.Vertices, flat.Vertices) && slices.Equal(s.flat.Indices, flat.Indices))
	s.Legend, s.rightLegend, s.flat, s.flatOf, s.Unshown = legend, right, flat, of, unshown

	left := &s.Shown.Left
	if l := &s.DrawList; s.Panels && s.ListsDraws() {
		config := must.Get(reuse.Resolve(ListStrategy, left.Settings.Lanes, 0))
		_, sums := must.Get2(reuse.Summarize(left.Whole, config.Fitted(left.Whole.Triangles(), theDevice.oracle.Limits().Multiprocessors)))
		table := l.DrawTable
		table.Shown, table.Rows = nil, inspect.DrawRows(left.Whole, sums)
		table.Arrange()
		require.Equal(s.t, table.Rows, l.Rows)
		require.True(s.t, slices.Equal(table.Shown, l.Shown))
		if c := l.Corners; c.Plan == left.Plan {
			require.Equal(s.t, s.Pickers.Of(c.Plan).Corners(l.Selected), c.At)
		}
	}
	if sel := s.Selected(); sel != nil {
		h := left
		if sel.Right {
			h = &s.Shown.Right
		}
		require.Same(s.t, h.Plan, sel.Plan)
		require.Equal(s.t, inspect.BatchesOf(h.Plan, sel.Hit.Draw, sel.Hit.Vertex()), sel.Uses)
		if sel.Batch >= 0 {
			require.Equal(s.t, inspect.Slots(h.Plan, h.Plan.Batches[sel.Batch]), sel.Slots)
		}
	}
	s.requireTold()
}

// requireTold compares the text below a resting cursor with the vertex found there.
func (s *stage) requireTold() {
	s.t.Helper()
	h, at := &s.Hover, s.pixel()
	if !s.Inspects() || h.moved.IsZero() || s.ui.TakesPointer() || s.Walked != nil {
		return
	}
	side := &s.Shown.Left
	if s.Split() && at.X >= s.DividerX(s.pixels.X) {
		side = &s.Shown.Right
	}
	if !inspect.Followable(side.Plan) {
		return
	}
	var want []string
	if found, some := s.Pickers.Of(side.Plan).Pick(s.Shown.Left.Camera, s.pixels, at); some {
		want = s.describeHit(side, &found)
	}
	require.Equal(s.t, want, h.Text)
}

// scene draws the state's picture, without panels, legends and marks.
func (s *stage) scene() *image.RGBA {
	if s.Shown.Difference.Plan != nil {
		return s.difference()
	}
	img := s.drawn(&s.Shown.Left).Color
	if s.Split() {
		part := img.Rect
		part.Min.X = s.DividerX(part.Dx())
		draw.Draw(img, part, s.drawn(&s.Shown.Right).Color, part.Min, draw.Src)
	}
	return img
}

// frameOf returns the frame that a side asks for, with its scene made without the viewer.
func (s *stage) frameOf(h *model.Half) renderer.Frame {
	s.t.Helper()
	settings, scene := h.Settings, h.Scene
	if h.Applied != nil {
		settings = settings.Ours()
	} else {
		source := must.Get(s.openScene(s.Files[s.At]))
		scene = viewtest.InOrder(s.t, source, h.Order)
		if s.Pose != cli.RestTime && s.Doing.App == results.None {
			scene = must.Get(scene.Animations[must.Get(cli.FindAnimation(scene.Animations, s.Clip))].Pose(scene, float32(s.Pose)))
		}
		if h.Alone > 0 {
			scene = (&model.Views{}).Part(scene, h.Alone)
		}
	}
	settings.Budgets = model.Budgets{} // budgets change no pixel
	frame := must.Get(settings.Frame(scene, h.Size.X, h.Size.Y))
	if h.Applied != nil {
		frame.Shown, frame.Cull, frame.VertexShader = h.Applied.Counts, false, renderer.Transform
	}
	return frame
}

// openScene opens a file with the viewer's options.
func (s *stage) openScene(path string) (*geometry.Scene, error) {
	key := s.App.pass + " " + path
	last := s.sources[key]
	if last != nil && !s.stale[path] {
		return last, nil
	}
	_, foreign := s.options.ShaderFlags.Ours()
	scene, err := cli.OpenPass(foreign, s.App.pass)(s.t.Context(), path)
	if err == nil && s.loader.Finish != nil {
		scene, err = s.loader.Finish(s.t.Context(), scene)
	}
	if err != nil && last != nil { // the viewer refused the changed file and still shows the last scene
		return last, nil
	}
	s.sources[key], s.stale[path] = scene, false
	return scene, err
}

// drawn draws a side's picture from scratch.
func (s *stage) drawn(h *model.Half) *renderer.Output {
	s.t.Helper()
	out, _ := must.Get2(plan.Render(theDevice.oracle, s.frameOf(h), h.Camera, renderer.WantColor|renderer.WantCounts|renderer.WantDepth))
	return out
}

// difference draws the picture of the differences of both sides from scratch.
func (s *stage) difference() *image.RGBA {
	s.t.Helper()
	var frames [2]renderer.Frame
	var counts [2][]uint32
	for i, h := range s.Shown.Halves() {
		frames[i] = s.frameOf(h)
		out, _ := must.Get2(plan.Render(theDevice.oracle, frames[i], h.Camera, renderer.WantCounts))
		counts[i] = out.Counts
	}
	frame := frames[0]
	frame.View, frame.Palette = renderer.Counts, picture.DifferencePalette
	match := geometry.MatchVertices(frames[0].Scene, frames[1].Scene)
	frame.Shown = picture.DifferenceCounts(counts[0], match.Counts(counts[1]))
	out, _ := must.Get2(plan.Render(theDevice.oracle, frame, s.Shown.Left.Camera, renderer.WantColor))
	return out.Color
}

// covered reports whether panels, legends or marks cover any of a part of the window.
func (s *stage) covered(part image.Rectangle) bool {
	s.t.Helper()
	return !agree(s.scene(), s.window(), part)
}
