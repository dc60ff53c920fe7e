package format

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// blockBytes is how much of a binary file is read at a time: enough to make the system call
// cheap, and little enough to stay in the cache until it is decoded.
const blockBytes = 256 << 10

// blockReader reads a binary file block by block.
type blockReader struct {
	src *Input
	*bufio.Reader
}

// ensure fails if the file ends before n more bytes; n is at most blockBytes.
func (b blockReader) ensure(n int, at spot) {
	if _, err := b.Peek(n); err != nil {
		must.OK(b.src.Failed(at.String(), err))
	}
}

func (b blockReader) discard(n int) { must.Get(b.Discard(n)) }

// block returns as many values of size bytes as are buffered, at least one and at most count.
// They stay valid until the next call.
func (b blockReader) block(count int64, size int, at spot) []byte {
	b.ensure(size, at)
	n := int(min(count, int64(b.Buffered()/size))) * size
	block, _ := b.Peek(n)
	b.discard(n)
	return block
}

// bytes returns the next n bytes; they stay valid until the next call.
func (b blockReader) bytes(n int, at spot) []byte { return b.block(1, n, at) }

// skip skips count values of size bytes each.
func (b blockReader) skip(count int64, size int, at spot) {
	for count > 0 {
		count -= int64(len(b.block(count, size, at)) / size)
	}
}

// end fails on anything but blanks after the last element. Some programs append blanks.
func (b blockReader) end() {
	for {
		switch c, err := b.ReadByte(); {
		case err == io.EOF:
			return
		case err != nil:
			must.OK(b.src.Failed("", err))
		case !blank(c):
			b.src.fail("", "goes on after the last element: the header's counts are too low")
		}
	}
}

// vec3At reads three floats, little endian.
func vec3At(p []byte) mgl32.Vec3 {
	p = p[:12]
	return mgl32.Vec3{
		math.Float32frombits(binary.LittleEndian.Uint32(p)),
		math.Float32frombits(binary.LittleEndian.Uint32(p[4:])),
		math.Float32frombits(binary.LittleEndian.Uint32(p[8:])),
	}
}
