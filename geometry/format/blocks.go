package format

import (
	"io"

	"github.com/shadeonce/shadeonce/internal/must"
)

// blockBytes is how much of a binary file is read at a time: enough to make the
// system call cheap, and small enough to stay in the cache until it is decoded.
const blockBytes = 256 << 10

// blockReader reads a binary file block by block.
type blockReader struct {
	src      *Input
	buf      []byte
	from, to int // unread part of buf
}

// newBlockReader continues after ahead, at most blockBytes that have been read already.
func newBlockReader(src *Input, ahead []byte) *blockReader {
	b := &blockReader{src: src, buf: make([]byte, blockBytes)}
	b.to = copy(b.buf, ahead)
	return b
}

// fill makes at least n unread bytes available, n at most blockBytes, or returns why
// there are fewer.
func (b *blockReader) fill(n int) error {
	if b.to-b.from >= n {
		return nil
	}
	b.to = copy(b.buf, b.buf[b.from:b.to])
	b.from = 0
	for b.to < n {
		k, err := b.src.Read(b.buf[b.to:])
		b.to += k
		if err != nil && b.to < n {
			return err
		}
	}
	return nil
}

// ensure is fill for readers that need the bytes.
func (b *blockReader) ensure(n int, at spot) {
	if err := b.fill(n); err != nil {
		must.OK(b.src.Failed(at.String(), err))
	}
}

// bytes takes the next n bytes; they stay valid until the next call.
func (b *blockReader) bytes(n int, at spot) []byte {
	b.ensure(n, at)
	s := b.buf[b.from : b.from+n]
	b.from += n
	return s
}

// pass takes count values of size bytes each and drops them.
func (b *blockReader) pass(count int64, size int, at spot) {
	for count > 0 {
		b.ensure(size, at)
		n := min(count, int64((b.to-b.from)/size))
		b.from += int(n) * size
		count -= n
	}
}

// end refuses anything but blanks after the last element. Some programs append
// blanks.
func (b *blockReader) end() {
	for {
		for ; b.from < b.to; b.from++ {
			if !blank(b.buf[b.from]) {
				b.src.fail("", "goes on after the last element: the header's counts are too low")
			}
		}
		k, err := b.src.Read(b.buf)
		b.from, b.to = 0, k
		if err == io.EOF && k == 0 {
			return
		}
		if err != nil && err != io.EOF {
			must.OK(b.src.Failed("", err))
		}
	}
}
