package panels

import (
	"image"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/viewer/app"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/renderer"
)

func TestNumbersDiffer(t *testing.T) {
	left := &model.Half{Stats: reuse.Stats{Invocations: 50, Indices: 100, Referenced: 20}, Timings: []renderer.Timing{{Duration: time.Millisecond}}}
	right := &model.Half{Stats: reuse.Stats{Invocations: 40, Indices: 100, Referenced: 20}}
	for name, want := range map[string]string{"reuse": "+0.1000", "ideal": "0.0000", "invocations": "-10", "all passes": noFigure} {
		for i := range numbers {
			if numbers[i].name == name {
				require.Equal(t, want, numbers[i].difference(nil, left, right), name)
			}
		}
	}
	require.EqualValues(t, 1, app.PassMilliseconds([]renderer.Timing{{Pass: "geometry:warp", Duration: time.Millisecond}, {Pass: "raster:hardware", Duration: time.Second}}, app.GeometryPass))
	require.Equal(t, "1,234", inspect.Thousands(1234))
}

func TestLargeNumbersAreDraggedFaster(t *testing.T) {
	for want, numbers := range map[float32][]float64{.005: {0, .5}, 1: {-200, 3}, .5: {2, 100}} {
		require.InDelta(t, want, dragSpeed(numbers), 1e-6)
	}
}

func TestTheGizmoIsClicked(t *testing.T) {
	ui := &Panels{App: &app.App{}, gui: &gui{scale: 1.5}}
	ui.Panels, ui.places.free = true, image.Rect(400, 0, 1000, 700)
	ui.Shown.Left.Camera = renderer.Camera{FovY: 35, Distance: 1, Far: 1, Azimuth: 30, Elevation: 20, Up: renderer.UpZ}
	middle, ends := ui.gizmo(ui.Shown.Left.Camera)
	require.Len(t, ends, 6)
	nearest := ends[5]
	require.True(t, image.Pt(int(middle.X), int(middle.Y)).In(ui.places.free))
	axis, on := ui.AxisAt(image.Pt(int(nearest.at.X), int(nearest.at.Y)))
	require.True(t, on)
	require.Equal(t, nearest.axis, axis, "the nearest lies above the others")
	_, on = ui.AxisAt(image.Pt(500, 300))
	require.False(t, on)
	ui.Shown.Left.Camera.Azimuth, ui.Shown.Left.Camera.Elevation = 0, 0
	axis, on = ui.AxisAt(image.Pt(int(middle.X), int(middle.Y)))
	require.True(t, on)
	require.InDelta(t, -1, axis.Dot(ui.Shown.Left.Camera.Forward()), 1e-6, "of two ends at one place the one before the other")
	ui.Panels = false
	_, on = ui.AxisAt(image.Pt(int(nearest.at.X), int(nearest.at.Y)))
	require.False(t, on, "it is not shown without panels")
}
