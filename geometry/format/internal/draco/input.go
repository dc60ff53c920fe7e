package draco

import (
	"math"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// input is the rest of the data. Its methods fail at its end.
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

// bitReader reads bits from the low ones of each byte on.
type bitReader struct {
	data []byte
	at   uint64 // next bit
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

// size returns how many bytes have been begun.
func (r *bitReader) size() uint64 { return (r.at + 7) / 8 }

// charge charges n elements of size bytes, and the work of filling them, to the budget.
func (d *decoder) charge(n, size int) {
	bytes := int64(n) * int64(size)
	must.OK(d.budget.Memory(bytes))
	d.charged += bytes
	d.work(n)
}

// release returns n elements of size bytes that were charged.
func (d *decoder) release(n, size int) {
	bytes := int64(n) * int64(size)
	d.charged -= bytes
	d.budget.Free(bytes)
}

// work charges n elements that are about to be looked at.
func (d *decoder) work(n int) {
	const steps = 16
	must.OK(d.budget.Work(steps * int64(n)))
}

func (d *decoder) ints(n int) []int32 {
	d.charge(n, 4)
	return make([]int32, n)
}
