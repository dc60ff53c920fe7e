package interpret

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// fixtures are compiled vertex shaders with their sources beside them.
const fixtures = "../link/testdata/"

func vertex(t testing.TB, file string, specialization map[uint32]uint32) *module.Vertex {
	data := must.Get(os.ReadFile(file))
	words := must.Get(module.Words(data))
	v, err := module.ReadVertex(words, "", specialization)
	require.NoError(t, err, file)
	return v
}

func program(t testing.TB, name string) *Runner {
	p, err := New(vertex(t, fixtures+name+".spv", nil))
	require.NoError(t, err, name)
	return p
}

// contents are the contents of a block under construction.
type contents []byte

// put writes numbers, starting at a byte.
func (b *contents) put(at int, values ...any) {
	for _, v := range values {
		data, err := binary.Append(nil, binary.LittleEndian, v)
		if err != nil {
			panic(err)
		}
		if missing := at + len(data) - len(*b); missing > 0 {
			*b = append(*b, make([]byte, missing)...)
		}
		copy((*b)[at:], data)
		at += len(data)
	}
}

func blockOf(at int, values ...any) contents {
	var b contents
	b.put(at, values...)
	return b
}

// identity returns a matrix whose columns are stride bytes apart.
func identity(n, stride int) (b contents) {
	for i := range n {
		b.put(i*stride+4*i, float32(1))
	}
	return append(b, make([]byte, n*stride-len(b))...)
}

func f(x ...float32) []float32 { return x }

// of returns an input of floats with the given number of components per vertex.
func of(location uint32, components int, values ...float32) Input {
	data, _ := binary.Append(nil, binary.LittleEndian, values)
	return Input{location, vertexformat.Array(components, 32, "SFLOAT"), data, 4 * components}
}

func whole(location uint32, components int, values ...int32) Input {
	data, _ := binary.Append(nil, binary.LittleEndian, values)
	return Input{location, vertexformat.Array(components, 32, "SINT"), data, 4 * components}
}

// ran runs a program and returns positions and outputs.
func ran(t testing.TB, p *Runner, n int, d *Draw, outputs ...string) ([][4]float32, map[string][][4]uint32) {
	positions, values := make([][4]float32, n), map[string][][4]uint32{}
	var shown []Shown
	for _, name := range outputs {
		values[name] = make([][4]uint32, n)
		shown = append(shown, Shown{name, values[name]})
	}
	require.NoError(t, p.Run(t.Context(), d, positions, shown...))
	return positions, values
}

func floats(v [4]uint32) (out [4]float32) {
	for i, bits := range v {
		out[i] = math.Float32frombits(bits)
	}
	return out
}

// TestFixtures runs every shader without data: inputs are 0, 0, 0, 1, and blocks are empty.
func TestFixtures(t *testing.T) {
	files := must.Get(filepath.Glob(fixtures + "*.spv"))
	require.Greater(t, len(files), 25)
	for _, file := range files {
		if filepath.Base(file) == "host.spv" {
			continue
		}
		v := vertex(t, file, nil)
		p, err := New(v)
		require.NoError(t, err, file)
		require.NoError(t, p.Run(t.Context(), &Draw{Blocks: make([][]byte, len(v.Blocks))}, make([][4]float32, 3)), file)
	}
}
