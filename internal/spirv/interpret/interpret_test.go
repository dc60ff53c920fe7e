package interpret

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// The expectations here were computed by hand from the shaders' sources.

func TestControlFlow(t *testing.T) {
	block := identity(4, 16)
	block.put(64, int32(10))
	kinds := []int32{0, 1, 2, -5, 7, 26}
	positions, out := ran(t, program(t, "control"), len(kinds), &Draw{
		Inputs: []Input{of(0, 3, make([]float32, 18)...), whole(1, 1, kinds...)}, Blocks: [][]byte{block},
	}, "colour", "steps")
	steps := []int32{0, 1, 7, 8, 3, 11} // of Collatz's sequence from 1, 2, 3, 6 and 8 down to 1; 27 exceeds the limit
	x := []float32{0, .001, .007, .008, .003, 0}
	colours := [][4]float32{{1, 0, 0, 1}, {0, 1, 0, 1}, {0, 1, 0, 1}, {12, 12, 12, 12}, {.5, .5, .5, .5}, {.5, .5, .5, .5}}
	for i := range kinds {
		require.Equal(t, steps[i], int32(out["steps"][i][0]), i)
		require.Equal(t, [4]float32{x[i], 0, 0, 1}, positions[i], i)
		require.Equal(t, colours[i], floats(out["colour"][i]), i)
	}
}

func TestComponentsOfLocations(t *testing.T) {
	positions, out := ran(t, program(t, "components"), 1, &Draw{Inputs: []Input{
		of(0, 4, 1, 2, 3, 10), of(1, 3, 5, 6, 7), whole(2, 3, -1, -2, -3), whole(3, 2, 12, 10), of(4, 1, .5), of(5, 1, .25),
	}}, "shifted", "aged", "flags")
	require.Equal(t, [4]float32{9, 18, 27, 1}, positions[0])
	require.Equal(t, [4]float32{6.5, 7.25}, floats(out["shifted"][0]))
	require.Equal(t, [4]float32{5}, floats(out["aged"][0]))
	require.Equal(t, [4]uint32{6}, out["flags"][0])
}

func TestHalves(t *testing.T) {
	block := contents{}
	block.put(0, uint16(0x4000), uint16(7)) // 2
	block.put(8, uint16(0x3c00), uint16(0x3800), uint16(0), uint16(0))
	block.put(16, uint64(1)<<40)
	r16, _ := vertexformat.ByName("R16G16B16_SFLOAT")
	positions, out := ran(t, program(t, "halves"), 1, &Draw{Inputs: []Input{
		{0, r16, []byte{0, 0x3c, 0, 0x40, 0x55, 0x35}, 6}, whole(1, 2, -1, 2), whole(2, 1, 5),
	}, Blocks: [][]byte{block}}, "folded")
	third := float32(0x1.554p-2) // 1/3, rounded to a 16-bit float
	require.Equal(t, [4]float32{3, 4.5, 2 * third, 1}, positions[0])
	require.Equal(t, uint32(5<<8+7), out["folded"][0][0])
}

func TestDoubles(t *testing.T) {
	block := contents{}
	block.put(0, 2., 1e9, 3.)
	for i := range 3 {
		block.put(32+32*i+8*i, 1.) // turn
	}
	block.put(128, 1e9+.25) // radius
	block.put(144, []byte(identity(4, 16)))
	positions, _ := ran(t, program(t, "doubles"), 1, &Draw{Inputs: []Input{of(0, 3, 0, 7, 0)}, Blocks: [][]byte{block}})
	require.Equal(t, [4]float32{-2, .25, -3, 1}, positions[0])
}

func TestPackedNumbers(t *testing.T) {
	_, out := ran(t, program(t, "packed"), 2, &Draw{Inputs: []Input{
		whole(0, 2, 0x40003c00, 0x4200, 0, 0), whole(1, 1, 0, 0x7fff0000), whole(2, 1, 0x3ff|0x201<<10|5<<20|-1<<31, 0),
	}, Blocks: [][]byte{identity(4, 16)}}, "normal", "direction")
	require.Equal(t, [4]float32{0, 0, 1, 0}, floats(out["normal"][0]))
	require.Equal(t, [4]float32{0, 1, 0, 0}, floats(out["normal"][1]))
	require.Equal(t, [4]float32{-1. / 511, -511. / 511, 5. / 511, 1}, floats(out["direction"][0]))
}

func TestLegacyBlocks(t *testing.T) {
	table := identity(4, 16)
	table.put(64, f(0, 10, 20, 30))
	rows := blockOf(0, f(0, 1, 0, 0), f(0, 2, 0, 0), f(0, 3, 0, 0))
	positions, out := ran(t, program(t, "legacy"), 3, &Draw{
		Inputs: []Input{of(0, 3, 1, 2, 3, 4, 5, 6)}, Blocks: [][]byte{table, rows}, BaseVertex: 1, Instance: 5,
	}, "picked")
	require.Equal(t, [4]float32{4, 5, 6, 1}, positions[1])
	require.Equal(t, [4]float32{0, 0, 0, 1}, positions[2], "beyond the input's end")
	for i, want := range []float32{13, 23, 33} { // entry i+1, row 5 % 3
		require.Equal(t, want, floats(out["picked"][i])[0])
	}
}

func TestRowMajor(t *testing.T) {
	block := contents{}
	for row := range 4 {
		for column := range 4 {
			block.put(16*row+4*column, float32(10*row+column)) // matrix
		}
	}
	bone := func(i, row, column int) int { return 64 + 48*i + 16*row + 4*column } // mat4x3: 3 rows of 4
	for k := range 3 {
		block.put(bone(1, k, k), float32(1))
		block.put(bone(1, k, 3), float32(100*k)) // moved by 0, 100, 200
		block.put(bone(2, k, 1), float32(k+1))
	}
	plain := 64 + 4*48
	block.put(plain+16, f(7, 8, 9))
	block.put(plain+48, float32(.5))
	positions, out := ran(t, program(t, "rowmajor"), 1, &Draw{Inputs: []Input{of(0, 3, 1, 1, 1)}, Blocks: [][]byte{block}}, "column")
	require.Equal(t, [4]float32{1 + 7, 2 + 8, 3 + 9, 23 + .5}, floats(out["column"][0]))
	p := [4]float32{1, 101, 201, 1}
	for row := range 4 {
		want := float32(0)
		for column := range 4 {
			want += float32(10*row+column) * p[column]
		}
		require.Equal(t, want, positions[0][row])
	}
}

func TestArraysOfBlocks(t *testing.T) {
	v := program(t, "arrays").vertex
	blocks := make([][]byte, len(v.Blocks))
	for i, b := range v.Blocks {
		switch {
		case b.Binding == 0 && b.Element == 2:
			blocks[i] = identity(4, 16)
		case b.Binding == 0 && b.Element == 0:
			blocks[i] = blockOf(64, f(1, 2, 4, 8))
		case b.Element == 0:
			blocks[i] = blockOf(0, f(1, 2, 3))
		default:
			blocks[i] = blockOf(12, float32(10))
		}
	}
	positions, out := ran(t, program(t, "arrays"), 1, &Draw{Inputs: []Input{of(0, 3, 20, 0, 0)}, Blocks: blocks}, "surface.normal", "surface.fog")
	require.Equal(t, [4]float32{30, 20, 30, 1}, positions[0])
	require.Equal(t, float32(30+40+120+8), floats(out["surface.fog"][0])[0])
	length := math.Sqrt(2200)
	require.Equal(t, [4]float32{float32(30 / length), float32(20 / length), float32(30 / length)}, floats(out["surface.normal"][0]))
	_, err := program(t, "arrays").shows([]Shown{{"surface.uv", nil}}, 0)
	require.ErrorContains(t, err, "output surface.uv: is array of 2 vector of 2 float32")
	_, err = program(t, "arrays").shows([]Shown{{"colour", nil}}, 0)
	require.ErrorContains(t, err, `no output is called "colour"`)
}

func TestGlobalsBeginAnew(t *testing.T) {
	for range 2 {
		positions, out := ran(t, program(t, "globals"), 300, &Draw{Inputs: []Input{{0, vertexformat.R32G32B32_SFLOAT, of(0, 3, 1, 10, 100).Data, 0}}}, "total")
		for i := range positions {
			require.Equal(t, [4]float32{1 + 4, 1 + 4, 1 + 4, 1}, positions[i])
			require.Equal(t, float32(.25+1+2+3), floats(out["total"][i])[0])
		}
	}
}

func TestSpecialization(t *testing.T) {
	steps := identity(4, 16)
	for i := range 8 {
		steps.put(64+16*i, float32(i)/8)
	}
	d := &Draw{Inputs: []Input{of(0, 3, 2, 3, 4)}, Blocks: [][]byte{steps}}
	positions, _ := ran(t, program(t, "specialized"), 1, d)
	require.Equal(t, [4]float32{3 - 2, 3, 6, 1}, positions[0])
	p := must.Get(New(vertex(t, fixtures+"specialized.spv", map[uint32]uint32{0: 5, 1: 1, 2: math.Float32bits(10), 7: 100})))
	positions, _ = ran(t, p, 1, d)
	require.Equal(t, [4]float32{120, -3, 40, 1}, positions[0])
}

func TestMatrices(t *testing.T) {
	block := contents{}
	block.put(64*5, []byte(identity(4, 16))) // cameras[5]
	block.put(64*6+32, f(2, 3, 0, 0, 4, 5))  // turns[1], columns 16 bytes apart
	block.put(64*6+64, uint32(11))           // which
	inputs := []Input{of(0, 3, 1, 2, 3)}
	for i, column := range [][]float32{{1, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 3, 0}, {10, 20, 30, 1}} {
		inputs = append(inputs, of(uint32(2+i), 4, column...))
	}
	for i := range 6 {
		inputs = append(inputs, of(uint32(6+i), 2, float32(i), float32(i*i)))
	}
	positions, out := ran(t, program(t, "matrices"), 1, &Draw{Inputs: inputs, Blocks: [][]byte{block}}, "warp")
	first, second := [2]float32{0 + 2 + 6, 0 + 2 + 12}, [2]float32{3 + 8 + 15, 9 + 32 + 75}
	warp := [2]float32{first[0] + 2*second[0] + 4*second[1], first[1] + 3*second[0] + 5*second[1]}
	require.Equal(t, [4]float32{warp[0], warp[1]}, floats(out["warp"][0]))
	require.Equal(t, [4]float32{11 + warp[0], 24 + warp[1], 39, 1}, positions[0])
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, program(t, "matrices").Run(ctx, &Draw{Inputs: inputs, Blocks: [][]byte{block}}, positions), context.Canceled)
}

func TestLibrary(t *testing.T) {
	positions, out := ran(t, program(t, "functions"), 1, &Draw{Inputs: []Input{of(0, 3, 1.2, 2, 0)}}, "parts", "wide")
	n := math.Float32bits(1.2)
	whole := float32(1.2) * 8
	require.Equal(t, [4]float32{whole - 9, .625, .625 * 16, 9*.25 + 1}, floats(out["parts"][0]))
	high, low := uint64(n)*0x9e3779b9>>32, uint64(n)*0x9e3779b9&math.MaxUint32
	sum, carry := uint32(high+low), uint32((high+low)>>32)
	reversed := uint32(0)
	for i := range 32 {
		reversed |= n >> i & 1 << (31 - i)
	}
	ones := 0
	for i := range 32 {
		ones += int(n >> i & 1)
	}
	require.Equal(t, [4]uint32{sum ^ carry, reversed&^(0x1ff<<4) | uint32(low)&0x1ff<<4, uint32(29 + ones)}, out["wide"][0])
	// m = outer((x,y,0), (y,0,x)) + 2 has the columns (xy+2, y*y, 0), (0, 2, 0), (x*x, xy, 2).
	x, y := 1.2, 2.
	require.InDelta(t, (x*y+2)*2*2, positions[0][3], 1e-5)
	v := [3]float64{x, -y, 0}
	u := [3]float64{(x*y+2)*v[0] + y*y*v[1], 2 * v[1], x*x*v[0] + x*y*v[1]} // by the transpose
	a := u[0] - x*x*u[2]/2                                                  // solve m*w = u
	w := [3]float64{a / (x*y + 2), 0, u[2] / 2}
	w[1] = (u[1] - y*y*w[0] - x*y*w[2]) / 2
	for i := range w {
		require.InDelta(t, w[i], positions[0][i], 1e-5)
	}
}

func TestBuiltIns(t *testing.T) {
	positions, out := ran(t, program(t, "drawid"), 2, &Draw{
		Inputs: []Input{of(0, 3, 0, 0, 0, 1, 1, 1)}, Blocks: [][]byte{identity(4, 16)}, BaseVertex: -7, BaseInstance: 3, Instance: 9, DrawIndex: 2,
	}, "numbers")
	require.Equal(t, [4]float32{3, 3, 3, 1}, positions[1])
	minus := func(n int32) uint32 { return uint32(n) }
	require.Equal(t, [][4]uint32{{minus(-7), 9, minus(-7), 3}, {minus(-6), 9, minus(-7), 3}}, out["numbers"])
}

// TestSkinning compares with weighted sums that need no rounding.
func TestSkinning(t *testing.T) {
	bones := blockOf(0, uint32(1))
	for b := range 4 {
		bones.put(16+64*b, []byte(identity(4, 16)))
		bones.put(16+64*b+48, f(float32(b), float32(10*b), 0, 1))
	}
	v := program(t, "skin4").vertex
	require.Equal(t, uint32(0), v.Blocks[0].Binding)
	positions, out := ran(t, program(t, "skin4"), 1, &Draw{Inputs: []Input{
		of(0, 3, 1, 2, 3), of(1, 3, 0, 4, 0), whole(2, 4, 0, 1, 2, 90), of(3, 4, .5, .25, .125, .125),
	}, Blocks: [][]byte{identity(4, 16), bones}}, "shade")
	shift := float32(.5*1 + .25*2 + .125*3 + .125*3) // bones 1, 2, 3, and the last
	require.Equal(t, [4]float32{1 + shift, 2 + 10*shift, 3, 1}, positions[0])
	require.Equal(t, [4]float32{0, 1, 0}, floats(out["shade"][0]))
}

// TestIndicesBeyondTheEnd: indices beyond the end, and negative ones, read the last element.
func TestIndicesBeyondTheEnd(t *testing.T) {
	p := program(t, "indices")
	camera, bones := contents{}, contents{}
	camera.put(2*64+3*16, f(1, 2, 3, 4))  // poses[2][3]
	camera.put(3*64+6*16, float32(8))     // scales[6].x
	bones.put(16+2*16, f(0, .25, 0, 1.5)) // bones[2], which the constant index 5 gives too
	bones = append(bones, 1, 2, 3)        // not a whole element
	positions, out := ran(t, p, 4, &Draw{
		Inputs: []Input{of(0, 3, make([]float32, 12)...), whole(2, 4,
			2, 3, 3, 6,
			3, 4, 4, 7,
			-1, math.MinInt32, math.MaxInt32, -7,
			math.MaxInt32, -1, 1<<30, 1<<28)},
		Blocks: blocks(p, map[[2]uint32]contents{{0, 0}: camera, {0, 1}: bones}),
	}, "read")
	for i := range positions {
		require.Equal(t, [4]float32{.25, 1.5, .0625*3 + .5, 8}, floats(out["read"][i]), i)
		list := float32(.6) + .25
		require.Equal(t, [4]float32{1 + .25 + list, 2 + 1.5 + list + .25, 3 + .6875 + 2.375, 4.75 + 8 + 4.75 + 1.5}, positions[i], i)
	}
	require.NoError(t, p.Run(t.Context(), &Draw{Blocks: make([][]byte, 2)}, positions), "no element at all")
}
