package app

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// calibration has four steps, each of which uses the device.
type calibration struct {
	s           *stage
	on          plan.Backend
	steps, kept int
	before      func(step int) error // nil if nothing happens before a step
}

func (c *calibration) Step() (more bool, err error) {
	c.steps++
	if c.before != nil {
		err = c.before(c.steps)
	}
	f := renderer.Frame{Scene: c.s.Shown.Left.Scene, Reuse: must.Get(reuse.Resolve("hash", 0, 0)), NoRaster: true, NoCounts: true, View: renderer.NoView}
	_, _, drawn := plan.Render(c.on, f, renderer.CountCamera(f.Scene.Bounds()), 0)
	return c.steps < 4, errors.Join(err, drawn)
}

func (c *calibration) Keep() error { c.kept++; return nil }

// TestCalibratesWhileIdle: the viewer calibrates once auto is chosen, and between two steps does what the user asks
// for. A failure, a cancellation or the end of the viewer ends the calibration.
func TestCalibratesWhileIdle(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("asset:sphere2")
		begun := 0
		c := &calibration{s: s}
		begin := func(b plan.Backend) Calibration { begun++; c.on = b; return c }
		s.calibrator.begin = begin
		s.settle()
		require.Zero(t, begun, "nobody asks for auto")

		c.before = func(step int) error {
			switch step {
			case 1:
				require.NotNil(t, s.Shown.Left.Seen, "the legend is complete before")
				require.False(t, s.BusyShown(), "nothing hides messages")
				require.Contains(t, s.Status(), "calibrating (Backspace: stop)")
			case 2:
				s.Want.Strategy = "hash"
			case 3:
				require.Equal(t, "hash", s.Shown.Left.Settings.Strategy)
			}
			return nil
		}
		s.Want.Raster = renderer.AutoRaster
		s.Wake()
		s.settle()
		require.Equal(t, []int{1, 4, 1}, []int{begun, c.steps, c.kept})
		require.Contains(t, s.Notices.String(), "this device is calibrated")
		require.Nil(t, s.calibrator.canvas, "its memory is given back")
		s.key("V")
		require.Equal(t, 1, begun)

		for i, ends := range []struct {
			before      func(step int) error
			steps       int
			what, notes string
		}{
			{func(int) error { return errors.New("no clock") }, 1, "a failure ends it", "no clock"},
			{func(step int) error { s.Drawing.GivenUp = step == 2; return nil }, 2, "it is cancelled", ""},
			{func(step int) error { s.Stop = step == 3; return nil }, 3, "it is cancelled between two steps", "gave up calibrating"},
			{func(step int) error { s.Quit = step == 2; return nil }, 2, "the viewer ends between steps", ""},
		} {
			c = &calibration{s: s, before: ends.before}
			s.calibrator.begin = begin
			s.Wake()
			s.settle()
			require.Equal(t, []int{2 + i, ends.steps, 0}, []int{begun, c.steps, c.kept}, ends.what)
			require.Contains(t, s.Notices.String(), ends.notes)
			if !s.Quit {
				require.Nil(t, s.calibrator.begin)
				require.NotContains(t, s.Status(), "calibrating")
			}
		}
		s.end("shadeonce-viewer: no clock\n")
	})
}
