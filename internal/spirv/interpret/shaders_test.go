package interpret

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// blocks returns contents in the order of the program's blocks, from a map by set and binding.
func blocks(p *Runner, by map[[2]uint32]contents) (list [][]byte) {
	for _, b := range p.vertex.Blocks {
		list = append(list, by[[2]uint32{b.Set, b.Binding}])
	}
	return list
}

func TestPushConstants(t *testing.T) {
	const object = 16
	push := contents{}
	push.put(object, []byte(identity(4, 16)))
	push.put(object+64, f(1, 2, 3, 4), f(5, 6, 7, 8), int32(3), int32(0)) // materials, choice
	push.put(object+64+48, uint32(1))                                     // flags: the struct ends at a multiple of 16
	positions, out := ran(t, program(t, "push"), 1, &Draw{Inputs: []Input{of(0, 4, 1, 2, 3, 4)}, Blocks: [][]byte{push}}, "colour")
	require.Equal(t, [4]float32{1, 2, 3, 4}, positions[0])
	require.Equal(t, [4]float32{7, 6, 5, 8}, floats(out["colour"][0]))
}

// TestCopiesBetweenLayouts copies structs between blocks of different layouts: bones of 80 bytes in
// both, matrices of 48.
func TestCopiesBetweenLayouts(t *testing.T) {
	p := program(t, "copies")
	for _, blend := range []float32{0, 1} {
		pose, rest := contents{}, contents{}
		for b := range 3 {
			pose.put(80*b, f(2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0), f(float32(b), 0, 0, 0, 0, float32(10+b), 0))
			rest.put(80*b, []byte(identity(3, 16)), f(0, 0, float32(100+b), 0, 0, 0, 0))
		}
		pose.put(240, blend)
		positions, out := ran(t, p, 1, &Draw{Inputs: []Input{of(0, 3, 1, 1, 1)}, Blocks: blocks(p, map[[2]uint32]contents{{0, 0}: pose, {0, 1}: rest})}, "chosen")
		if blend == 0 {
			require.Equal(t, [4]float32{0, 0, 101}, floats(out["chosen"][0]))
			require.Equal(t, [4]float32{1, 1, 102, 1}, positions[0])
		} else {
			require.Equal(t, [4]float32{0, 12, 0}, floats(out["chosen"][0]))
			require.Equal(t, [4]float32{2, 3 + 12, 4, 1}, positions[0])
		}
	}
}

func TestNestedStructs(t *testing.T) {
	p := program(t, "nested")
	std140, std430 := contents{}, contents{}
	const light140, group140 = 48, 3*48 + 48 + 16
	for i := range 3 {
		std140.put(group140+i*light140, f(float32(i), 1, 0, 2, 0, 0, 0, 0, .5, .25)) // direction, power, ranges 16 bytes apart
	}
	std140.put(group140+3*light140, []byte(identity(3, 16)))
	std140.put(group140+3*light140+48, uint32(2))
	std140.put(2*group140, []byte(identity(4, 16)))
	const light430 = 32
	std430.put(0, f(5, 0, 0, 1, 0, 0, 1, 2)) // ranges 8 bytes apart
	std430.put(3*light430, []byte(identity(3, 16)))
	std430.put(3*light430+48, uint32(1))
	std430.put(3*light430+64, f(100, 200, 300))
	_, out := ran(t, p, 1, &Draw{Blocks: blocks(p, map[[2]uint32]contents{{0, 0}: std140, {0, 4}: std430})}, "lit")
	require.Equal(t, [4]float32{
		2*0 + .5 + 2*1 + .5 + 5 + 1 + 100,
		2 + .25 + 2 + .25 + 2 + 200,
		.5 + .5 + 1 + 300,
	}, floats(out["lit"][0]))
}

func TestScalarLayout(t *testing.T) {
	values := contents{}
	values.put(0, f(2, 1, 1, 1))                          // first, centre
	values.put(16, f(0, 0, 0, 0, 0), f(7, 8, 9, 0, 0))    // tight, 20 bytes each
	values.put(16+40, f(0, 0, 0, 3, 4))                   //
	values.put(16+60, f(1, 0, 0), f(0, 2, 0), f(0, 0, 3)) // turn, columns of 12 bytes
	positions, out := ran(t, program(t, "scalar"), 1, &Draw{Inputs: []Input{of(0, 3, 2, 3, 4)}, Blocks: [][]byte{values}}, "uv")
	require.Equal(t, [4]float32{1 + 7, 4 + 8, 9 + 9, 1}, positions[0])
	require.Equal(t, [4]float32{6, 8}, floats(out["uv"][0]))
}

func TestBillboards(t *testing.T) {
	p := program(t, "billboard")
	view := append(identity(4, 16), identity(4, 16)...)
	positions, out := ran(t, p, 4, &Draw{
		Blocks: blocks(p, map[[2]uint32]contents{{0, 0}: blockOf(16*5, f(10, 20, 30, 2)), {0, 1}: view}), BaseVertex: 2, Instance: 16 + 5,
	}, "corner")
	for i, corner := range [][2]float32{{-1, 1}, {1, 1}, {-1, -1}, {1, -1}} {
		require.Equal(t, [4]float32{10 + 2*corner[0], 20 + 2*corner[1], 30, 1}, positions[i])
		require.Equal(t, [4]float32{corner[0], corner[1]}, floats(out["corner"][i]))
	}
}

// TestPatch: a bicubic patch whose control points lie on a plane is that plane.
func TestPatch(t *testing.T) {
	block := identity(4, 16)
	for i := range 16 {
		block.put(64+16*i, f(float32(i%4)/3, float32(i/4)/3, .5, 0))
	}
	block.put(64+256, int32(5))
	positions, out := ran(t, program(t, "patch"), 25, &Draw{Blocks: [][]byte{block}}, "uv")
	for i := range positions {
		u, v := float64(i%5)/4, float64(i/5)/4
		require.Equal(t, [4]float32{float32(u), float32(v)}, floats(out["uv"][i]))
		for k, want := range []float64{u, v, .5, 1} {
			require.InDelta(t, want, positions[i][k], 1e-6)
		}
	}
	block.put(64+256, int32(1))
	positions, _ = ran(t, program(t, "patch"), 1, &Draw{Blocks: [][]byte{block}})
	require.Zero(t, positions[0], "an early return")
}

func TestMorphTargets(t *testing.T) {
	p := program(t, "morph")
	positions, out := ran(t, p, 1, &Draw{
		Inputs: []Input{of(0, 3, 1, 1, 1), of(1, 3, 1, 0, 0), of(2, 3, 5, 5, 5), of(3, 3, 0, 0, 8)},
		Blocks: blocks(p, map[[2]uint32]contents{{0, 0}: identity(4, 16), {0, 1}: blockOf(0, f(.5, 0, .25), uint32(3))}),
	}, "moved")
	require.Equal(t, [4]float32{1.5, 1, 3, 1}, positions[0])
	require.Equal(t, [4]float32{.5, 0, 2}, floats(out["moved"][0]))
}

func TestOutputsAreReadAgain(t *testing.T) {
	block := identity(4, 16)
	block.put(60, float32(2)) // w is 2
	_, out := ran(t, program(t, "clipped"), 1, &Draw{Inputs: []Input{of(0, 3, 2, 4, 6)}, Blocks: [][]byte{block}}, "place")
	require.Equal(t, [4]float32{1, 2, 3, 1}, floats(out["place"][0]))
}

// TestWGSL: in WGSL the entry point returns a structure, and a function counts in a variable of the module.
func TestWGSL(t *testing.T) {
	frame := identity(4, 16)
	frame.put(64, f(1, 0, .5, 0), f(0, 1, .25, 2))
	frame.put(128, float32(.5)) // time
	x, z := float32(.3), float32(.7)
	v := program(t, "wave")
	positions, out := ran(t, v, 2, &Draw{Inputs: []Input{of(0, 3, x, 1, z, x, 1, z)}, Blocks: [][]byte{frame}, Instance: 3}, v.vertex.Outputs[1].Name)
	height := .5*math.Sin(.3) + .25*math.Sin(.7+.5*2)
	require.InDelta(t, -1-height, positions[1][1], 1e-6, "naga turns WGSL's y, which is up")
	require.Equal(t, [2]float32{x, z}, [2]float32{positions[1][0], positions[1][2]})
	require.Equal(t, uint32(3+1*(2+4)), out[v.vertex.Outputs[1].Name][1][0])
}

// TestHLSL multiplies a row vector by a matrix; HLSL's rows are SPIR-V's columns.
func TestHLSL(t *testing.T) {
	p := program(t, "sky")
	frame := contents{}
	for i, block := range p.vertex.Blocks {
		if block.Open {
			continue
		}
		require.Equal(t, "world", p.vertex.Blocks[i].Type.Members[0].Name)
		for k := range 2 { // world and viewProjection: moved by 1, 2, 3, scaled by 2
			m := block.Type.Members[k]
			for row := range 4 {
				for column := range 4 {
					value := float32(0)
					switch {
					case row == column:
						value = []float32{2, 2, 2, 1}[row]
					case row == 3:
						value = float32(column + 1)
					}
					frame.put(m.Offset+column*m.MatrixStride+4*row, value) // HLSL's matrices are stored column by column
				}
			}
		}
	}
	by := map[[2]uint32]contents{{0, 0}: frame, {0, 1}: blockOf(0, f(1, 1, 1, 1))}
	positions, _ := ran(t, p, 1, &Draw{Inputs: []Input{of(0, 3, 10, 20, 30), of(1, 3, 0, 1, 0)}, Blocks: blocks(p, by)})
	require.Equal(t, [4]float32{(10*2+1)*2 + 1, (20*2+2)*2 + 2, (30*2+3)*2 + 3, 1}, positions[0])
}
