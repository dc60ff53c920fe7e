package format

import "io"

// blockBytes is how much of a binary file is read at a time: enough to make the
// system call cheap, and small enough to stay in the cache until it is decoded.
const blockBytes = 256 << 10

// blockReader reads a binary file block by block. Methods that return no error keep
// the first one in err, and return anything after it.
type blockReader struct {
	src      *Input
	buf      []byte
	from, to int // unread part of buf
	err      error
}

// newBlockReader continues after ahead, at most blockBytes that have been read already.
func newBlockReader(src *Input, ahead []byte) *blockReader {
	b := &blockReader{src: src, buf: make([]byte, blockBytes)}
	b.to = copy(b.buf, ahead)
	return b
}

// ensure makes at least n unread bytes available, n at most blockBytes. It says
// whether there are as many; else err says why.
func (b *blockReader) ensure(n int, at spot) bool {
	if b.to-b.from >= n {
		return true
	}
	b.to = copy(b.buf, b.buf[b.from:b.to])
	b.from = 0
	for b.to < n && b.err == nil {
		k, err := b.src.Read(b.buf[b.to:])
		b.to += k
		if err != nil && b.to < n {
			b.err = b.src.Failed(at.String(), err)
		}
	}
	return b.err == nil
}

// bytes takes the next n bytes; they stay valid until the next call.
func (b *blockReader) bytes(n int, at spot) []byte {
	if !b.ensure(n, at) {
		return make([]byte, n)
	}
	s := b.buf[b.from : b.from+n]
	b.from += n
	return s
}

// pass takes count values of size bytes each and drops them.
func (b *blockReader) pass(count int64, size int, at spot) {
	for count > 0 && b.ensure(size, at) {
		n := min(count, int64((b.to-b.from)/size))
		b.from += int(n) * size
		count -= n
	}
}

// end refuses anything but blanks after the last element. Some programs append
// blanks.
func (b *blockReader) end() error {
	for {
		for ; b.from < b.to; b.from++ {
			if !blank(b.buf[b.from]) {
				return b.src.Bad("", "goes on after the last element: the header's counts are too low")
			}
		}
		k, err := b.src.Read(b.buf)
		b.from, b.to = 0, k
		if err == io.EOF && k == 0 {
			return nil
		}
		if err != nil && err != io.EOF {
			return b.src.Failed("", err)
		}
	}
}
