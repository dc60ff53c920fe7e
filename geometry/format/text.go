package format

import (
	"bytes"
	"io"

	"github.com/shadeonce/shadeonce/internal/must"
)

// maxLine bounds a line of text, so that a file without line ends is not read
// into memory whole.
const maxLine = 4 << 20

// textScanner reads a text file line by line, or token by token.
type textScanner struct {
	src      *Input
	text     *textReader
	buf      []byte
	from, to int // unread part of buf
	eof      bool
	number   int    // of the line that next returned last, from 1
	rest     []byte // of that line, for token
}

// newTextScanner continues after ahead, at most 64 KiB that have been read already.
func newTextScanner(src *Input, ahead []byte) *textScanner {
	t := &textScanner{src: src, text: newTextReader(src), buf: make([]byte, 64<<10)}
	t.to = copy(t.buf, t.text.clean(ahead))
	return t
}

// next is the next line without its end, valid until the next call; more is false
// after the last one.
func (t *textScanner) next() (l []byte, more bool) {
	searched := t.from
	for {
		if k := bytes.IndexByte(t.buf[searched:t.to], '\n'); k >= 0 {
			l = t.buf[t.from : searched+k]
			t.from = searched + k + 1
			t.number++
			return l, true
		}
		if t.eof {
			if t.from == t.to {
				return nil, false
			}
			l = t.buf[t.from:t.to]
			t.from = t.to
			t.number++
			return l, true
		}
		searched = t.to - t.from
		t.fill()
	}
}

// fill moves the unread part to the front of the buffer and reads more.
func (t *textScanner) fill() {
	t.to = copy(t.buf, t.buf[t.from:t.to])
	t.from = 0
	if t.to == len(t.buf) {
		if len(t.buf) >= maxLine {
			t.src.fail(line(t.number+1), "line is longer than %d bytes", maxLine)
		}
		t.buf = append(t.buf, make([]byte, len(t.buf))...)
	}
	n, err := t.text.Read(t.buf[t.to:])
	t.to += n
	if err == io.EOF {
		t.eof = true
	} else if err != nil {
		must.OK(t.src.Failed(line(t.number+1), err))
	}
}

// data is the next line that is neither empty nor a comment; more is false after the
// last one.
func (t *textScanner) data() (l []byte, more bool) {
	for {
		if l, more = t.next(); !more {
			return nil, false
		}
		if k := bytes.IndexByte(l, '#'); k >= 0 {
			l = l[:k]
		}
		if l = bytes.TrimSpace(l); len(l) > 0 {
			return l, true
		}
	}
}

// token is the next run of bytes that are not blank, on this line or a later
// one, valid until the next call; more is false after the last one.
func (t *textScanner) token() (word []byte, more bool) {
	for {
		if word, t.rest = cutToken(t.rest); len(word) > 0 {
			return word, true
		}
		if t.rest, more = t.next(); !more {
			return nil, false
		}
	}
}

// word is token for readers that need one: the end of the file is an error.
func (t *textScanner) word() []byte {
	w, more := t.token()
	t.need(more)
	return w
}

// need refuses a file that ends where more must follow.
func (t *textScanner) need(more bool) {
	if !more {
		must.OK(t.src.Failed(line(t.number+1), io.EOF))
	}
}

// wordFloat and wordInt read the next word as a number.
func (t *textScanner) wordFloat() float32 { return t.float(t.word()) }
func (t *textScanner) wordInt() int64     { return t.int(t.word()) }

// fail refuses the file for its current line.
func (t *textScanner) fail(cause string, args ...any) { t.src.fail(line(t.number), cause, args...) }

// cutToken splits s after its first run of bytes that are not blank, which is
// empty when there is none.
func cutToken(s []byte) (token, rest []byte) {
	i := 0
	for i < len(s) && blank(s[i]) {
		i++
	}
	k := i
	for k < len(s) && !blank(s[k]) {
		k++
	}
	return s[i:k], s[k:]
}

func blank(c byte) bool { return c == ' ' || c-'\t' <= '\r'-'\t' }

// float reads a whole token as a number.
func (t *textScanner) float(token []byte) float32 {
	f, end, ok := scanFloat(token, 0)
	if !ok || end != len(token) {
		t.fail("%s is not a finite number", Quote(token))
	}
	return f
}

// int reads a whole token as a whole number.
func (t *textScanner) int(token []byte) int64 {
	v, end, ok := scanInt(token, 0)
	if !ok || end != len(token) {
		t.fail("%s is not a whole number", Quote(token))
	}
	return v
}
