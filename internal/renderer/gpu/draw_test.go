package gpu

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/shaders"
)

func flatPipeline(t *testing.T, d *Device, o RasterOptions) *Pipeline {
	t.Helper()
	vertex := testShader(t, shaders.Shader{
		Name: "corners.vert", Stage: shaders.Vertex,
		Bindings:      []shaders.Binding{{Binding: 0, Name: "Corners", ReadOnly: true}},
		SpecConstants: []shaders.SpecConstant{{ID: 1, Name: "STRIDE"}},
	})
	fragment := testShader(t, shaders.Shader{
		Name: "flat.frag", Stage: shaders.Fragment,
		Bindings: []shaders.Binding{{Binding: 1, Name: "Colors", ReadOnly: true}},
	})
	p := must.Get(d.NewGraphicsPipeline(vertex, fragment, o))
	closing(t, p)
	_, err := d.NewGraphicsPipeline(vertex, fragment, RasterOptions{Spec: Spec{"X": 1}})
	require.ErrorContains(t, err, "no shader has a specialization constant X")
	return p
}

// The test draws the left half at depth 0.5, then everything at 0.75. It covers fetched vertices, an
// indirect draw, the depth test, clear and load, and reading both images back.
func TestDrawOverClearThenOverWhatIsThere(t *testing.T) {
	d := openDevice(t, OpenOptions{})
	p := flatPipeline(t, d, RasterOptions{})
	set := func(color [4]float32, corners ...float32) *Set {
		c := newBuffer(t, d, "Corners", int64(len(corners))*4, UsageStorage)
		require.NoError(t, Upload(d, c, corners))
		f := newBuffer(t, d, "Colors", 16, UsageStorage)
		require.NoError(t, Upload(d, f, color[:]))
		s := must.Get(p.NewSet(Resources{"Corners": c, "Colors": f}))
		closing(t, s)
		return s
	}
	near := set([4]float32{1, 0, 0, 1}, -1, -3, 0.5, 1, -1, 1, 0.5, 1, 0, 1, 0.5, 1, -1, -3, 0.5, 1, 0, 1, 0.5, 1, 0, -3, 0.5, 1)
	far := set([4]float32{0, 1, 0, 1}, -1, -1, 0.75, 1, -1, 3, 0.75, 1, 3, -1, 0.75, 1)
	indirect := newBuffer(t, d, "indirect", 20, UsageIndirect)
	require.NoError(t, Upload(d, indirect, []uint32{9, 6, 1, 0, 0}))
	target := must.Get(d.NewTarget("picture", 16, 8))
	closing(t, target)
	color, depth := newBuffer(t, d, "color", 16*8*4, 0), newBuffer(t, d, "depth", 16*8*4, 0)

	c := newCommands(t, d)
	c.Begin()
	c.Pass("raster", func() {
		c.Render(target, &Clear{Color: [4]float32{0, 0, 1, 1}, Depth: 1}, Draw{Pipeline: p, Set: near, Indirect: indirect, Offset: 4})
		c.Render(target, nil, Draw{Pipeline: p, Set: far, Vertices: 3})
	})
	c.CopyImage(color, 0, target.Color)
	c.CopyImage(depth, 0, target.Depth)
	require.NoError(t, c.End())
	for range 2 { // the second frame must not see state of the first
		require.NoError(t, c.Run())
		pixels, err := Download[uint32](d, color, 16*8)
		require.NoError(t, err)
		depths, err := Download[float32](d, depth, 16*8)
		require.NoError(t, err)
		for i := range pixels {
			if i%16 < 8 {
				require.Equal(t, uint32(0xff0000ff), pixels[i], "pixel %d", i)
				require.Equal(t, float32(0.5), depths[i])
			} else {
				require.Equal(t, uint32(0xff00ff00), pixels[i], "pixel %d", i)
				require.Equal(t, float32(0.75), depths[i])
			}
		}
	}
}

func TestFillImageThenReadBack(t *testing.T) {
	d := openDevice(t, OpenOptions{})
	m := must.Get(d.NewImage("m", 5, 3, FormatColor))
	closing(t, m)
	in, out := newBuffer(t, d, "in", 60, 0), newBuffer(t, d, "out", 60, 0)
	data := make([]uint32, 15)
	for i := range data {
		data[i] = uint32(i) * 0x01020304
	}
	require.NoError(t, Upload(d, in, data))
	c := newCommands(t, d)
	c.Begin()
	c.FillImage(m, in, 0)
	c.CopyImage(out, 0, m)
	require.NoError(t, c.End())
	require.NoError(t, c.Run())
	got, err := Download[uint32](d, out, 15)
	require.NoError(t, err)
	require.Equal(t, data, got)
	c.Begin()
	c.CopyImage(newBuffer(t, d, "small", 56, 0), 0, m)
	require.ErrorContains(t, c.End(), "image m needs 60 bytes, buffer small has 56")
	c.Begin()
	c.FillImage(m, in, 4)
	require.ErrorContains(t, c.End(), "image m needs 60 bytes, buffer in has 56")
}

func TestFloatsAreLittleEndianWords(t *testing.T) {
	b := asBytes([]float32{1.5})
	require.Equal(t, math.Float32bits(1.5), binary.LittleEndian.Uint32(b))
	require.Len(t, asBytes([][3]float32{{}, {}}), 24)
	require.Panics(t, func() { asBytes([]string{"a"}) })
	require.Panics(t, func() { asBytes([]struct{ p *int }{}) })
}
