package interpret

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// TestDoublesRoundAsTheProcessorDoes compares shaders/include/double.glsl with Go's doubles: numbers whose sums,
// products and quotients are ties or nearly ties, all signs and zeros, and random ones.
func TestDoublesRoundAsTheProcessorDoes(t *testing.T) {
	numbers := []float64{0, math.Copysign(0, -1), 1, 3, 1.5, 0x1p-149, 0x1.000002p0, math.MaxFloat32, 0x1p128, 0x1.8p-127,
		4099, 0x7fe8047f286ab, // their product is just above a tie
	}
	for _, e := range []int{0, 1, 29, 52, 53, 54, 62, 63, 64} {
		for _, m := range []float64{1, 1 + 0x1p-52, 1 + 0x1p-51, 1.5, 1.5 + 0x1p-52, 2 - 0x1p-52, 1 + 0x1p-24, 1 + 0x1.8p-23, 1 + 0x1.80000001p-23} {
			numbers = append(numbers, math.Ldexp(m, e), -math.Ldexp(m, -e))
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		numbers = append(numbers, math.Ldexp(random.Float64()-.5, random.IntN(120)-60))
	}
	var operands []byte
	for _, a := range numbers {
		for _, b := range numbers {
			operands = binary.LittleEndian.AppendUint64(operands, math.Float64bits(a))
			operands = binary.LittleEndian.AppendUint64(operands, math.Float64bits(b))
		}
	}
	p := must.Get(New(vertex(t, "testdata/double.spv", nil)))
	_, out := ran(t, p, len(numbers)*len(numbers), &Draw{Blocks: [][]byte{operands}}, "sums", "products", "floats")
	double := func(v [4]uint32, i int) float64 { return math.Float64frombits(uint64(v[i+1])<<32 | uint64(v[i])) }
	for i, a := range numbers {
		for k, b := range numbers {
			at := i*len(numbers) + k
			sums, products, floats := out["sums"][at], out["products"][at], out["floats"][at]
			got := []float64{double(sums, 0), double(sums, 2), double(products, 0), double(products, 2)}
			want := []float64{a + b, a - b, a * b, a / b}
			if b == 0 {
				want[3] = 0
			}
			for o, want := range want {
				if math.Float64bits(want) != math.Float64bits(got[o]) {
					t.Fatalf("operation %d of %x and %x: %x, want %x", o, a, b, got[o], want)
				}
			}
			f := float32(a)
			if math.Abs(float64(f)) < 0x1p-126 {
				f = float32(math.Copysign(0, a)) // a denormal float becomes 0
			}
			if math.Float32bits(f) != floats[2] || (a < 0) != (floats[3] == 1) || !math.IsInf(float64(f), 0) && float64(f) != double(floats, 0) {
				t.Fatalf("%x becomes %x", a, floats)
			}
		}
	}
}
