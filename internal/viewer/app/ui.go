package app

import (
	"image"
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/viewer/layout"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
)

// UI is the panels over the picture. They read the viewer, and change its state like keys do.
type UI interface {
	// Build builds the panels with the input so far, over flat triangles. It reports
	// whether the left button of the mouse is down.
	Build(size image.Point, under *results.Flat) (held bool)
	Mesh() gpu.OverlayMesh      // of the last Build
	Font() *image.Alpha         // the mesh's texture
	WholeTexel() (u, v float32) // a texel of the font for triangles of plain colour

	Scale() float32        // enlargement of text and panels
	Rescale(scale float32) // changes the scale, and the font with it
	Close()

	Key(name string, down bool)
	Text(r rune)
	Wheel(x, y float64)
	Button(b model.Button, down bool)
	Point(at image.Point)
	Typing() bool             // a text field or an open list takes the keys
	TakesPointer() bool       // a panel is under the pointer
	OnTop() []image.Rectangle // lists, menus and tooltips, which cover the legends

	// Free returns the part of the window that the panels leave; it is empty if there are no
	// panels.
	Free() (free image.Rectangle, window image.Point)
	Foresee(window image.Point, names []string) // arranges panels that will be shown next
	Moved() map[string]layout.Place             // the panels that users have moved

	// AxisAt returns the axis whose end is shown at a pixel, and false if there is none.
	AxisAt(at image.Point) (mgl32.Vec3, bool)
}

// Margin is the space around panels and legends, in pixels of a display of ordinary density.
const Margin = 12

// Floor rounds a pixel down, within the range of an int.
func Floor(x float32) int { return int(math.Floor(float64(min(max(x, -1e6), 1e6)))) }

// Mesh turns flat triangles into a mesh, in m's memory.
func Mesh(m gpu.OverlayMesh, f *results.Flat) gpu.OverlayMesh {
	m.Vertices, m.Indices, m.Commands = append(m.Vertices[:0], f.Vertices...), append(m.Indices[:0], f.Indices...), m.Commands[:0]
	for _, r := range f.Runs {
		m.Commands = append(m.Commands, gpu.OverlayCommand{Clip: r.Clip, FirstIndex: r.First, IndexCount: r.Indices})
	}
	return m
}

// followScale makes the panels again for a display of another density.
func (a *App) followScale() error {
	scale := a.Scale()
	if scale == a.ui.Scale() {
		return nil
	}
	a.ui.Rescale(scale)
	a.overlay.Close()
	a.overlay = nil
	var err error
	if a.overlay, err = a.Device.NewOverlay(a.ui.Font()); err != nil {
		return err
	}
	if a.Shown.Left.Plan != nil {
		a.relegend()
	}
	a.Unshown, a.rest = true, guiRest
	return nil
}

// overGUI reports whether a panel covers a place in the window, in pixels.
func (a *App) overGUI(at image.Point) bool {
	if !a.Panels && !a.Help && !a.BusyShown() && !a.NoticeShown() {
		return false
	}
	a.ui.Point(at)
	a.guiFrame()
	return a.ui.TakesPointer()
}

// guiFrame builds the panels with the input so far, and notes whether a control was used.
func (a *App) guiFrame() {
	size := a.Size()
	if size.X < 1 || size.Y < 1 {
		return
	}
	before, chosen := a.Wishes(), a.Choices
	held := a.ui.Build(size, &a.flat)
	a.Unshown = true
	if a.Wishes() != before {
		a.Again = true
	}
	a.history.NoteDrag(chosen, a.Choices, held)
}
