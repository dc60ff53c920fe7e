package gpu

import (
	"image"
	"image/color"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// fillPicture makes a picture of one colour, with a column of another colour at its left edge.
func fillPicture(t *testing.T, d *Device, width, height int, left, rest uint32) *Image {
	m := must.Get(d.NewImage("picture", width, height, FormatColor))
	closing(t, m)
	pixels := make([]uint32, width*height)
	for i := range pixels {
		pixels[i] = rest
		if i%width == 0 {
			pixels[i] = left
		}
	}
	b := newBuffer(t, d, "pixels", int64(4*len(pixels)), 0)
	require.NoError(t, Upload(d, b, pixels))
	c := newCommands(t, d)
	require.NoError(t, c.RunOnce(func() {
		c.FillImage(m, b, 0)
	}))
	return m
}

// quad adds a rectangle that shows one texel of the font.
func (m *OverlayMesh) quad(r, clip image.Rectangle, u float32, rgba uint32) {
	first := len(m.Vertices)
	for _, p := range []image.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}} {
		m.Vertices = append(m.Vertices, OverlayVertex{XPx: float32(p.X), YPx: float32(p.Y), U: u, V: 0.5, Color: rgba})
	}
	m.Commands = append(m.Commands, OverlayCommand{Clip: clip, FirstIndex: len(m.Indices), IndexCount: 6, VertexOffset: first})
	m.Indices = append(m.Indices, 0, 1, 2, 0, 2, 3)
}

// The test composes two pictures side by side, and over them triangles that are opaque, half covered,
// clipped and outside. It composes them twice: nothing of the first image may stay.
func TestOverlayComposesPartsAndTriangles(t *testing.T) {
	d := openDevice(t, OpenOptions{})
	const red, green, blue = 0xff0000ff, 0xff00ff00, 0xffff0000
	a := fillPicture(t, d, 16, 8, blue, red)
	b := fillPicture(t, d, 16, 8, blue, green)
	font := image.NewAlpha(image.Rect(0, 0, 2, 1))
	font.SetAlpha(0, 0, color.Alpha{255})
	font.SetAlpha(1, 0, color.Alpha{51})
	o := must.Get(d.NewOverlay(font))
	closing(t, o)
	left, right := image.Rect(0, 0, 6, 8), image.Rect(6, 0, 16, 8)
	parts := []OverlayPart{{a, left, left}, {b, right, right}}
	for range 2 {
		must.Get(o.Compose(image.Pt(16, 8), parts, nil, OverlayMesh{}))
		plain := must.Get(o.Read())
		require.Equal(t, color.RGBA{0, 0, 255, 255}, plain.RGBAAt(0, 3))
		require.Equal(t, color.RGBA{255, 0, 0, 255}, plain.RGBAAt(5, 3))
		require.Equal(t, color.RGBA{0, 255, 0, 255}, plain.RGBAAt(6, 3), "the right picture, without its own left end")

		var m OverlayMesh
		whole := image.Rect(-5, -5, 99, 99)
		m.quad(image.Rect(1, 1, 4, 3), whole, 0, 0xffffffff)
		m.quad(image.Rect(8, 1, 16, 8), image.Rect(8, 1, 10, 2), 0, 0xff000000)
		m.quad(image.Rect(12, 4, 14, 6), whole, 0.75, 0xffffffff)
		m.quad(image.Rect(0, 0, 16, 8), image.Rect(20, 20, 30, 30), 0, 0xffffffff)
		must.Get(o.Compose(image.Pt(16, 8), parts, nil, m))
		got := must.Get(o.Read())
		for y := range 8 {
			for x := range 16 {
				want := plain.RGBAAt(x, y)
				switch p := image.Pt(x, y); {
				case p.In(image.Rect(1, 1, 4, 3)):
					want = color.RGBA{255, 255, 255, 255}
				case p.In(image.Rect(8, 1, 10, 2)):
					want = color.RGBA{0, 0, 0, 255}
				case p.In(image.Rect(12, 4, 14, 6)):
					want = color.RGBA{51, 255, 51, 255} // a fifth of white over green
				}
				require.Equal(t, want, got.RGBAAt(x, y), "pixel %d,%d", x, y)
			}
		}
	}
	// A target of another size shows the picture stretched.
	must.Get(o.Compose(image.Pt(32, 16), []OverlayPart{{a, image.Rect(1, 0, 16, 8), image.Rect(0, 0, 32, 16)}}, nil, OverlayMesh{}))
	big := must.Get(o.Read())
	require.Equal(t, image.Pt(32, 16), big.Rect.Size())
	require.Equal(t, color.RGBA{255, 0, 0, 255}, big.RGBAAt(31, 15))
	// Without pictures the image shows the background, and nothing of the previous image.
	var m OverlayMesh
	m.quad(image.Rect(0, 0, 1, 1), image.Rect(0, 0, 1, 1), 0, 0xffffffff)
	must.Get(o.Compose(image.Pt(32, 16), nil, nil, m))
	none := must.Get(o.Read())
	require.Equal(t, color.RGBA{255, 255, 255, 255}, none.RGBAAt(0, 0))
	require.Equal(t, color.RGBA{28, 31, 36, 255}, none.RGBAAt(31, 15))
	for _, size := range []image.Point{{32, 9}, {20, 9}} { // lower, then narrower
		must.Get(o.Compose(size, nil, nil, OverlayMesh{}))
		require.Equal(t, size, must.Get(o.Read()).Rect.Size())
	}
}

// Panels lie between triangles. They are opaque, cut off at the image's edges, and gone in the next image without them.
func TestPanelsLieBetweenTriangles(t *testing.T) {
	d := openDevice(t, OpenOptions{})
	font := image.NewAlpha(image.Rect(0, 0, 1, 1))
	font.Pix[0] = 255
	o := must.Get(d.NewOverlay(font))
	closing(t, o)
	size := image.Pt(16, 8)
	var m OverlayMesh
	m.quad(image.Rect(0, 0, 16, 2), image.Rect(0, 0, 16, 8), 0, 0xffffffff)
	m.quad(image.Rect(0, 0, 2, 8), image.Rect(0, 0, 16, 8), 0, 0xff000000)
	m.Under = 1
	numbered := func(number uint8, at image.Point) OverlayPanel {
		p := image.NewRGBA(image.Rect(3, 1, 8, 5))
		for i := range p.Pix {
			p.Pix[i] = uint8(i) ^ number
		}
		return OverlayPanel{p, at}
	}
	a, b, c := numbered(1, image.Pt(-1, -1)), numbered(2, image.Pt(13, 6)), numbered(3, image.Pt(16, 0))
	for _, panels := range [][]OverlayPanel{{a}, {a, b, c}, {b}, nil, {b, a, a}} {
		must.Get(o.Compose(size, nil, panels, m))
		got := must.Get(o.Read())
		for y := range 8 {
			for x := range 16 {
				at, want := image.Pt(x, y), color.RGBA{28, 31, 36, 255}
				if y < 2 {
					want = color.RGBA{255, 255, 255, 255}
				}
				for _, p := range panels {
					if at.In(p.Place()) {
						want = p.Panel.RGBAAt(3+x-p.At.X, 1+y-p.At.Y)
						want.A = 255
					}
				}
				if x < 2 {
					want = color.RGBA{A: 255}
				}
				require.Equal(t, want, got.RGBAAt(x, y), "%v of %d panels", at, len(panels))
			}
		}
	}
}

func TestOverlayRefusesWhatLiesOutside(t *testing.T) {
	d := openDevice(t, OpenOptions{})
	o := must.Get(d.NewOverlay(image.NewAlpha(image.Rect(0, 0, 1, 1))))
	closing(t, o)
	size := image.Pt(4, 4)
	corners := make([]OverlayVertex, 3)
	for name, m := range map[string]OverlayMesh{
		"takes 3 indices from 1 of 3":  {corners, []uint32{0, 1, 2}, []OverlayCommand{{FirstIndex: 1, IndexCount: 3}}, 0},
		"names vertex 0+3 of 3":        {corners, []uint32{0, 1, 3}, []OverlayCommand{{IndexCount: 3}}, 0},
		"names vertex 1+2 of 3":        {corners, []uint32{0, 1, 2}, []OverlayCommand{{IndexCount: 3, VertexOffset: 1}}, 0},
		"panels above 2 of 1 commands": {corners, nil, []OverlayCommand{{}}, 2},
	} {
		_, err := o.Compose(size, nil, nil, m)
		require.ErrorContains(t, err, name)
	}
	picture := fillPicture(t, d, 4, 4, 0, 0)
	_, err := o.Compose(size, []OverlayPart{{picture, image.Rect(0, 0, 5, 4), image.Rect(0, 0, 4, 4)}}, nil, OverlayMesh{})
	require.ErrorContains(t, err, "picture (4x4)")
	_, err = d.NewOverlay(image.NewAlpha(image.Rectangle{}))
	require.ErrorContains(t, err, "0x0 texels")
}
