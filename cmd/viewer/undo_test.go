package main

import (
	"image"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/renderer"
)

func TestSettingsAreTakenBack(t *testing.T) {
	var h history
	of := func(strategy string) choices {
		c := choices{}
		c.want.Strategy = strategy
		return c
	}
	a, b, c := of("a"), of("b"), of("c")
	_, some := h.back(a)
	require.False(t, some)
	h.note(a, a)
	h.note(a, b)
	h.note(b, c)
	got, some := h.back(c)
	require.True(t, some)
	require.Equal(t, b, got)
	got, _ = h.back(b)
	require.Equal(t, a, got)
	_, some = h.back(a)
	require.False(t, some)
	got, _ = h.again(a)
	require.Equal(t, b, got)
	got, _ = h.again(b)
	require.Equal(t, c, got)
	_, some = h.again(c)
	require.False(t, some)

	got, _ = h.back(c)
	require.Equal(t, b, got)
	h.note(b, a) // what was undone is forgotten
	_, some = h.again(a)
	require.False(t, some)
	// What could not be drawn was taken back at once: there is nothing to undo of it.
	h.note(a, c)
	got, _ = h.back(a)
	require.Equal(t, b, got)
	// A drag is one change.
	h = history{}
	h.noteDrag(a, b, true)
	h.noteDrag(b, c, true)
	h.noteDrag(c, c, false)
	got, _ = h.back(c)
	require.Equal(t, a, got)
	for range 2 * keptChoices {
		h.note(a, b)
	}
	require.Len(t, h.list, keptChoices)
}

func TestTheGizmoIsClicked(t *testing.T) {
	a := &app{gui: &gui{scale: 1.5}}
	a.panels, a.places.free = true, image.Rect(400, 0, 1000, 700)
	a.Shown.Left.Camera = renderer.Camera{FovY: 35, Distance: 1, Far: 1, Azimuth: 30, Elevation: 20, Up: renderer.UpZ}
	middle, ends := a.gizmo(a.Shown.Left.Camera)
	require.Len(t, ends, 6)
	nearest := ends[5]
	require.True(t, image.Pt(int(middle.X), int(middle.Y)).In(a.places.free))
	axis, on := a.gizmoAt(image.Pt(int(nearest.at.X), int(nearest.at.Y)))
	require.True(t, on)
	require.Equal(t, nearest.axis, axis, "the nearest lies above the others")
	_, on = a.gizmoAt(image.Pt(500, 300))
	require.False(t, on)
	a.panels = false
	_, on = a.gizmoAt(image.Pt(int(nearest.at.X), int(nearest.at.Y)))
	require.False(t, on, "it is not shown without panels")
}
