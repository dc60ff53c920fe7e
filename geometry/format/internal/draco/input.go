package draco

import (
	"math"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// input is the data not yet read. Its methods fail at the end of the data.
type input struct{ data []byte }

func (in *input) bytes(n uint64) []byte {
	if n > uint64(len(in.data)) {
		must.Fail("the data ends early: %d bytes where %d are needed", len(in.data), n)
	}
	part := in.data[:n:n]
	in.data = in.data[n:]
	return part
}

func (in *input) u8() byte { return in.bytes(1)[0] }

// unsigned reads a number of n bytes, 4 at most.
func (in *input) unsigned(n uint64) (v uint32) {
	for k, b := range in.bytes(n) {
		v |= uint32(b) << (8 * k)
	}
	return v
}

func (in *input) float() float32 { return math.Float32frombits(in.unsigned(4)) }

// varint reads a number in groups of 7 bits.
func (in *input) varint() (v uint64) {
	for shift := 0; shift < 64; shift += 7 {
		b := in.u8()
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
	must.Fail("a number has more than 64 bits")
	return 0
}

// bitReader reads bits, the lowest of each byte first.
type bitReader struct {
	data []byte
	at   uint64 // position of the next bit
}

// take reads n bits, 32 at most.
func (r *bitReader) take(n uint32) (v uint32) {
	if r.at+uint64(n) > 8*uint64(len(r.data)) {
		must.Fail("the data ends early: %d bytes of bits", len(r.data))
	}
	for k := uint32(0); k < n; {
		part := min(n-k, 8-uint32(r.at&7))
		bits := uint32(r.data[r.at>>3]) >> (r.at & 7) & (1<<part - 1)
		v |= bits << k
		k, r.at = k+part, r.at+uint64(part)
	}
	return v
}

// size returns how many bytes have been read, wholly or in part.
func (r *bitReader) size() uint64 { return (r.at + 7) / 8 }

// charge charges n elements of `size` bytes, and the work of filling them, to the budget.
func (d *decoder) charge(n, size int) {
	bytes := int64(n) * int64(size)
	must.OK(d.budget.Memory(bytes))
	d.charged += bytes
	d.work(n)
}

// release returns n elements of `size` bytes, which were charged, to the budget.
func (d *decoder) release(n, size int) {
	bytes := int64(n) * int64(size)
	d.charged -= bytes
	d.budget.Free(bytes)
}

// work charges the work of looking at n elements.
func (d *decoder) work(n int) {
	const steps = 16
	must.OK(d.budget.Work(steps * int64(n)))
}

func (d *decoder) ints(n int) []int32 {
	d.charge(n, 4)
	return make([]int32, n)
}

// The entropy coders are rANS: an integer holds the state, which takes in bytes from the end of
// the data to its beginning. Duda, "Asymmetric numeral systems", arXiv:1311.2540.

// ansState is the state of a coder.
type ansState struct {
	data  []byte
	state uint32
	base  uint32 // the state takes in bytes while it is below base
}

// newANS takes the first state from the last bytes of data, 1 to `most` of them: the two high bits
// of the last byte say how many.
func newANS(data []byte, base uint32, most int) ansState {
	n := 0
	if len(data) > 0 {
		n = int(data[len(data)-1]>>6) + 1
	}
	if n == 0 || n > most || n > len(data) {
		must.Fail("%d bytes are too few for entropy coding", len(data))
	}
	a := ansState{data: data[:len(data)-n], base: base}
	for k, b := range data[len(data)-n:] {
		a.state |= uint32(b) << (8 * k)
	}
	a.state = a.state&(1<<(8*n-2)-1) + base
	if a.state >= base<<8 {
		must.Fail("entropy coding begins with an impossible state")
	}
	return a
}

// fill takes in the next byte, if there is one, and reports whether there was one.
func (a *ansState) fill() bool {
	last := len(a.data) - 1
	if last < 0 {
		return false
	}
	a.state = a.state<<8 | uint32(a.data[last])
	a.data = a.data[:last]
	return true
}

// flags are bits with a common probability.
type flags struct {
	ansState
	one uint32 // probability of a 1, in 1/256
}

func (d *decoder) flags() *flags {
	one := uint32(-d.u8()) // the data holds the probability of a 0
	return &flags{newANS(d.bytes(d.varint()), 1<<12, 3), one}
}

func (f *flags) next() bool {
	if f.state < f.base {
		f.fill()
	}
	high, low := f.state>>8, f.state&0xff
	if low < f.one {
		f.state = high*f.one + low
		return true
	}
	f.state -= high*f.one + f.one
	return false
}

// coder decodes symbols, each with its own probability.
type coder struct {
	ansState
	precision uint32     // bits of a probability
	symbols   []int32    // by the state's low bits: the symbol
	ranges    []ansRange // ranges of states, by symbol
}

// ansRange is the range of states of a symbol.
type ansRange struct{ first, size uint32 }

// coder reads the probabilities of a new coder, whose data follows them.
func (d *decoder) coder(precision uint32) *coder {
	c := &coder{precision: precision}
	count := d.varint()
	if count/64 > uint64(len(d.data)) { // a byte stands for 64 symbols at most
		must.Fail("%d symbols in %d bytes", count, len(d.data))
	}
	d.charge(int(count), 8)
	d.charge(1<<precision, 4)
	c.ranges, c.symbols = make([]ansRange, count), make([]int32, 0, 1<<precision)
	for symbol := 0; symbol < len(c.ranges); symbol++ {
		first := d.u8()
		size, more := uint32(first>>2), int(first&3)
		if more == 3 { // this symbol and the next ones do not occur
			symbol += int(size)
			continue
		}
		for k := range more {
			size |= uint32(d.u8()) << (8*k + 6)
		}
		at := len(c.symbols)
		if int(size) > 1<<precision-at {
			must.Fail("probabilities exceed 1")
		}
		c.ranges[symbol] = ansRange{uint32(at), size}
		for range size {
			c.symbols = append(c.symbols, int32(symbol))
		}
	}
	if len(c.symbols) != 1<<precision {
		must.Fail("probabilities are not 1 together")
	}
	c.ansState = newANS(d.bytes(d.varint()), 4<<precision, 4)
	return c
}

func (d *decoder) done(c *coder) {
	d.release(len(c.ranges), 8)
	d.release(len(c.symbols), 4)
}

func (c *coder) next() int32 {
	for c.state < c.base && c.fill() {
	}
	high, low := c.state>>c.precision, c.state&(1<<c.precision-1)
	symbol := c.symbols[low]
	r := c.ranges[symbol]
	c.state = high*r.size + low - r.first
	return symbol
}

// Schemes of coding symbols.
const (
	taggedSymbols = iota // a symbol is a number of bits; the bits are stored apart
	rawSymbols
)

// rawPrecision returns how many bits the probabilities of symbols of the given length have.
func rawPrecision(length uint32) uint32 { return min(max(3*length/2, 12), 20) }

// symbols fills dst with symbols. Tagged symbols come in groups of `components` symbols; those of a
// group have the same number of bits.
func (d *decoder) symbols(dst []int32, components int) {
	if len(dst) == 0 {
		return
	}
	switch scheme := d.u8(); scheme {
	case taggedSymbols:
		c := d.coder(12)
		bits := bitReader{data: d.data}
		for k := 0; k < len(dst); k += components {
			n := uint32(c.next())
			if n > 32 {
				must.Fail("a number of %d bits", n)
			}
			for j := range components {
				dst[k+j] = int32(bits.take(n))
			}
		}
		d.bytes(bits.size())
		d.done(c)
	case rawSymbols:
		length := d.u8()
		if length < 1 || length > 18 {
			must.Fail("symbols of %d bits", length)
		}
		c := d.coder(rawPrecision(uint32(length)))
		for k := range dst {
			dst[k] = c.next()
		}
		d.done(c)
	default:
		must.Fail("symbols of unknown scheme %d", scheme)
	}
}
