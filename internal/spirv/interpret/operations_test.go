package interpret

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

var update = flag.Bool("update", false, "write the tables of testdata anew; package link compiles its shaders")

// TestFormats compares what GLSL and Go decode from each vertex format: all bytes and, except with
// -short, all 16-bit fractions and floats.
func TestFormats(t *testing.T) {
	words := make([]byte, 4, 4+1<<17+8)
	for i := range 1 << 16 {
		words = binary.LittleEndian.AppendUint16(words, uint16(i*0x9e37))
	}
	words = append(words, make([]byte, 8)...)
	for number := range uint32(256) {
		format, ok := vertexformat.ByNumber(number)
		if !ok {
			continue
		}
		p := must.Get(New(vertex(t, "testdata/formats.spv", map[uint32]uint32{0: number})))
		size := format.Size()
		n := 1 << 11
		if number := format.String(); size == 2 && !testing.Short() && (strings.HasSuffix(number, "NORM") || strings.HasSuffix(number, "FLOAT")) {
			n = 1 << 16
		}
		_, out := ran(t, p, n, &Draw{Blocks: [][]byte{words}}, "components")
		for i, got := range out["components"] {
			if want := format.Decode(words[4+i*size:]); got != want {
				t.Fatalf("%v, element %d, % x: %x, want %x", format, i, words[4+i*size:][:size], got, want)
			}
		}
	}
}

// operate executes an operation of operations.vert.
func operate(t *testing.T, operation int, a, b [4]float32, i, j [4]int32) (x [4]float32, n [4]int32) {
	_, out := ran(t, operations(t), 1, &Draw{
		Inputs: []Input{of(0, 4, a[:]...), of(1, 4, b[:]...), whole(2, 4, i[:]...), whole(3, 4, j[:]...)}, Blocks: [][]byte{blockOf(0, int32(operation))},
	}, "x", "n")
	for k, v := range out["n"][0] {
		n[k] = int32(v)
	}
	return floats(out["x"][0]), n
}

var compiled *Runner

func operations(t testing.TB) (p *Runner) {
	if compiled == nil {
		compiled = must.Get(New(vertex(t, "testdata/operations.spv", nil)))
	}
	return compiled
}

var (
	nan = float32(math.NaN())
	inf = float32(math.Inf(1))
)

// TestFloatOperations runs what is not one of componentRules: TestRules has those.
func TestFloatOperations(t *testing.T) {
	zero := float32(0)
	for _, c := range []struct {
		operation int
		a, b, x   [4]float32
	}{
		{0, [4]float32{1, inf, 3e38, 1}, [4]float32{2, -inf, 3e38, 0x1p-24}, [4]float32{3, nan, inf, 1}},
		{1, [4]float32{1, 2, nan, 0x1p-126}, [4]float32{2, 2, 1, 0x1p-127}, [4]float32{-1, 0, nan, 0x1p-127}},
		{2, [4]float32{3e38, 0, -2, 0x1p-100}, [4]float32{10, inf, 3, 0x1p-49}, [4]float32{inf, nan, -6, 0x1p-149}},
		{3, [4]float32{1, 1, 0, -1}, [4]float32{3, 0, 0, inf}, [4]float32{1 / float32(3), inf, nan, -zero}},
		{48, [4]float32{1, 5, nan, 4}, [4]float32{2, 3, 1, 4}, [4]float32{2, 5, nan, 4}},
		{53, [4]float32{1, 2, 3, 4}, [4]float32{5, 6, 8, 7}, [4]float32{-2, 7, -4, 69}},
		{54, [4]float32{0, -1, 0, 0}, [4]float32{0, 1, 0, 0}, [4]float32{0, -1, 0, 0}},
		{63, [4]float32{1, 2, 3, 4}, [4]float32{5, 6, 8, 7}, [4]float32{3, 6, 5, 8}},
	} {
		x, _ := operate(t, c.operation, c.a, c.b, [4]int32{}, [4]int32{})
		for k, want := range c.x {
			require.True(t, x[k] == want || want != want && x[k] != x[k], "operation %d, component %d: %v, want %v", c.operation, k, x[k], want)
		}
	}
}

func TestIntegerOperations(t *testing.T) {
	const low, high = math.MinInt32, math.MaxInt32
	for _, c := range []struct {
		operation int
		i, j, n   [4]int32
	}{
		{5, [4]int32{1, high, -1, 0}, [4]int32{2, 1, -1, 0}, [4]int32{3, low, -2, 0}},
		{6, [4]int32{3, 1 << 20, low, -7}, [4]int32{-4, 1 << 20, -1, -6}, [4]int32{-12, 0, low, 42}},
		{43, [4]int32{0x1ff0, 0x0ff0, -1, 0x1000}, [4]int32{}, [4]int32{-1, 255, -1, -256}},
		{44, [4]int32{0x1ff0, 0x0ff0, -1, 0x1000}, [4]int32{}, [4]int32{511, 255, 511, 256}},
		{59, [4]int32{1, 2, 3, 4}, [4]int32{7, 6, 5, 4}, [4]int32{^1 ^ 7, ^2 ^ 6, ^3 ^ 5, ^4 ^ 4}},
		{62, [4]int32{0x1ff, 0x1fff0, -2, -0x50}, [4]int32{}, [4]int32{-1, -16, 254, -5}}, // by integers of 8, 16, 8 unsigned and 64 bits
	} {
		_, n := operate(t, c.operation, [4]float32{}, [4]float32{}, c.i, c.j)
		require.Equal(t, c.n, n, "operation %d", c.operation)
	}
}

func TestConversionsAndReductions(t *testing.T) {
	const low, high = math.MinInt32, math.MaxInt32
	for _, c := range []struct {
		operation int
		a, b      [4]float32
		n         [4]int32
	}{
		{19, [4]float32{-1.9, 3e9, nan, -inf}, [4]float32{}, [4]int32{-1, high, 0, low}},
		{20, [4]float32{-1.9, 3e9, nan, inf}, [4]float32{}, [4]int32{0, 3e9 - 1<<32, 0, -1}},
		{45, [4]float32{1, .5, -1, 9}, [4]float32{}, [4]int32{-1<<24 | 128<<8 | 255, 127<<24 | 129<<16 | 64<<8 | 127, 32768<<16 | 65535 - 1<<32, 16384<<16 | 32767}},
		{46, [4]float32{1, -2, 65520, 0x1p-24}, [4]float32{}, [4]int32{0x3c00 | 0xc000<<16 - 1<<32, 0x7c00 | 1<<16, 0, 0}},
		{50, [4]float32{1, 1, 1, 1}, [4]float32{0, 2, 0, 0}, [4]int32{1, 0}},
		{50, [4]float32{1, 1, 1, 1}, [4]float32{2, 2, 2, 2}, [4]int32{1, 1}},
	} {
		_, n := operate(t, c.operation, c.a, c.b, [4]int32{}, [4]int32{})
		require.Equal(t, c.n, n, "operation %d", c.operation)
	}
	x, _ := operate(t, 21, [4]float32{}, [4]float32{}, [4]int32{-1, 1<<24 + 1, 1<<24 + 3, low}, [4]int32{})
	require.Equal(t, [4]float32{-1, 1 << 24, 1<<24 + 4, low}, x)
	x, _ = operate(t, 22, [4]float32{}, [4]float32{}, [4]int32{-1, 0, 1, low}, [4]int32{})
	require.Equal(t, [4]float32{1 << 32, 0, 1, 1 << 31}, x)
	x, _ = operate(t, 47, [4]float32{}, [4]float32{}, [4]int32{0x3c00, 1, 0, 0}, [4]int32{})
	require.Equal(t, [4]float32{1, 0, 0x1p-24, 0}, x)
	x, n := operate(t, 52, [4]float32{1, -1}, [4]float32{}, [4]int32{floatOne, floatOne | low}, [4]int32{})
	require.Equal(t, [4]float32{1, -1}, x)
	require.Equal(t, [4]int32{floatOne, floatOne | low}, n)
}

// TestSplitFloats tests the operations with two results.
func TestSplitFloats(t *testing.T) {
	x, n := operate(t, 60, [4]float32{1.75, -2.5, -inf, 3}, [4]float32{}, [4]int32{}, [4]int32{})
	require.Equal(t, [4]float32{.75, -.5, 0, 0}, x)
	require.True(t, math.Signbit(float64(x[2])))
	for k, want := range []float32{1, -2, -inf, 3} {
		require.Equal(t, want, math.Float32frombits(uint32(n[k])))
	}
	x, n = operate(t, 61, [4]float32{1.75, -2.5, 0x1p-140, 0}, [4]float32{}, [4]int32{}, [4]int32{})
	require.Equal(t, [4]float32{.875, -.625, .5, 0}, x)
	require.Equal(t, [4]int32{1, 2, -139, 0}, n)
}

// TestIndicesStayInside: indices beyond a vector are clamped.
func TestIndicesStayInside(t *testing.T) {
	for _, c := range []struct {
		to, from int32
		x        [4]float32
	}{{1, 2, [4]float32{0, 30}}, {9, 0, [4]float32{3: 10}}, {0, -1, [4]float32{40}}} {
		x, _ := operate(t, 49, [4]float32{10, 20, 30, 40}, [4]float32{}, [4]int32{c.to, c.from}, [4]int32{})
		require.Equal(t, c.x, x)
	}
}

func TestEndlessLoopsEnd(t *testing.T) {
	err := operations(t).Run(t.Context(), &Draw{Blocks: [][]byte{blockOf(0, int32(56))}}, make([][4]float32, 1))
	require.EqualError(t, err, "vertex 0 takes more than 1048576 steps")
}

// TestHalfRounding tests vertexformat.Half on all finite 16-bit floats, halfway between them, and just beside that.
func TestHalfRounding(t *testing.T) {
	back := decode(16)
	for h := range uint64(0x7c00) {
		x, next := back(h), back(h+1)
		if h == 0x7bff {
			next = 65536
		}
		even := h + h&1
		for _, c := range []struct {
			f    float64
			want uint64
		}{{x, h}, {(x + next) / 2, even}, {math.Nextafter((x+next)/2, 0), h}, {math.Nextafter((x+next)/2, 1e9), h + 1}} {
			require.Equal(t, c.want, vertexformat.Half(c.f), c.f)
			require.Equal(t, c.want|0x8000, vertexformat.Half(-c.f), c.f)
		}
	}
	require.Equal(t, uint64(0x7e00), vertexformat.Half(math.NaN()))
}

// TestWideIntegers tests carry and multiplication at every width.
func TestWideIntegers(t *testing.T) {
	for _, width := range []uint{8, 16, 32, 64} {
		m := mask(width)
		for _, c := range [][2]uint64{{m, m}, {m, 1}, {1 << (width - 1), 2}, {3, 5}, {0, m}, {m >> 1, m>>1 + 1}} {
			high, low := bits.Mul64(c[0], c[1])
			if width < 64 {
				high, low = low>>width, low&m
			}
			l, h := extend(module.OpUMulExtended, c[0], c[1], width)
			require.Equal(t, [2]uint64{low, high}, [2]uint64{l & m, h & m}, "%d %x", width, c)
			l, h = extend(module.OpIAddCarry, c[0], c[1], width)
			require.Equal(t, (c[0]+c[1])&m, l&m)
			require.Equal(t, truth(c[0] > m-c[1]), h&m, "%d %x", width, c)
			l, h = extend(module.OpSMulExtended, c[0], c[1], width)
			a, b := signed(c[0], width), signed(c[1], width)
			require.Equal(t, uint64(a)*uint64(b)&m, l&m)
			if width < 64 {
				require.Equal(t, uint64(a*b>>width)&m, h&m, fmt.Sprint(width, c))
			}
		}
	}
	_, h := extend(module.OpSMulExtended, math.MaxUint64, 1, 64)
	require.Equal(t, uint64(math.MaxUint64), h)
}
