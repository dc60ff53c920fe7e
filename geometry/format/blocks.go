package format

import "io"

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

// ensure makes at least n unread bytes available, n at most blockBytes.
func (b *blockReader) ensure(n int, at spot) error {
	if b.to-b.from >= n {
		return nil
	}
	b.to = copy(b.buf, b.buf[b.from:b.to])
	b.from = 0
	for b.to < n {
		k, err := b.src.Read(b.buf[b.to:])
		b.to += k
		if err != nil && b.to < n {
			return b.src.Failed(at.String(), err)
		}
	}
	return nil
}

// bytes takes the next n bytes; they stay valid until the next call.
func (b *blockReader) bytes(n int, at spot) ([]byte, error) {
	if err := b.ensure(n, at); err != nil {
		return nil, err
	}
	s := b.buf[b.from : b.from+n]
	b.from += n
	return s, nil
}

// pass takes count values of size bytes each and drops them.
func (b *blockReader) pass(count int64, size int, at spot) error {
	for count > 0 {
		if err := b.ensure(size, at); err != nil {
			return err
		}
		n := min(count, int64((b.to-b.from)/size))
		b.from += int(n) * size
		count -= n
	}
	return nil
}

// end refuses what follows the last element, but for blanks, which some
// programs append.
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
