package format

import (
	"bytes"
	"io"
)

// maxLine bounds a line of text, so that a file without line ends is not read
// into memory whole.
const maxLine = 4 << 20

// textScanner reads a text file line by line, or token by token. Methods that
// return no error keep the first one in err, and return anything after it.
type textScanner struct {
	src      *Input
	buf      []byte
	from, to int // unread part of buf
	eof      bool
	number   int    // of the line that next returned last, from 1
	rest     []byte // of that line, for token
	err      error  // the first
}

func newTextScanner(src *Input) *textScanner {
	return &textScanner{src: src, buf: make([]byte, 64<<10)}
}

// next is the next line without its end, valid until the next call; io.EOF
// after the last one.
func (t *textScanner) next() ([]byte, error) {
	searched := t.from
	for {
		if k := bytes.IndexByte(t.buf[searched:t.to], '\n'); k >= 0 {
			l := t.buf[t.from : searched+k]
			t.from = searched + k + 1
			t.number++
			return bytes.TrimSuffix(l, []byte{'\r'}), nil
		}
		if t.eof {
			if t.from == t.to {
				return nil, io.EOF
			}
			l := t.buf[t.from:t.to]
			t.from = t.to
			t.number++
			return bytes.TrimSuffix(l, []byte{'\r'}), nil
		}
		searched = t.to - t.from
		if err := t.fill(); err != nil {
			return nil, err
		}
	}
}

// fill moves the unread part to the front of the buffer and reads more.
func (t *textScanner) fill() error {
	t.to = copy(t.buf, t.buf[t.from:t.to])
	t.from = 0
	if t.to == len(t.buf) {
		if len(t.buf) >= maxLine {
			return t.src.Bad(line(t.number+1), "line is longer than %d bytes", maxLine)
		}
		t.buf = append(t.buf, make([]byte, len(t.buf))...)
	}
	n, err := t.src.Read(t.buf[t.to:])
	t.to += n
	if err == io.EOF {
		t.eof = true
	} else if err != nil {
		return t.src.Failed(line(t.number+1), err)
	}
	return nil
}

// data is the next line that is neither empty nor a comment.
func (t *textScanner) data() ([]byte, error) {
	for {
		l, err := t.next()
		if err != nil {
			return nil, err
		}
		if k := bytes.IndexByte(l, '#'); k >= 0 {
			l = l[:k]
		}
		if l = bytes.TrimSpace(l); len(l) > 0 {
			return l, nil
		}
	}
}

// token is the next run of bytes that are not blank, on this line or a later
// one, valid until the next call.
func (t *textScanner) token() ([]byte, error) {
	for {
		tok, rest := cutToken(t.rest)
		if t.rest = rest; len(tok) > 0 {
			return tok, nil
		}
		l, err := t.next()
		if err != nil {
			return nil, err
		}
		t.rest = l
	}
}

// word is token for readers that need one: the end of the file is an error.
func (t *textScanner) word() []byte {
	if t.err != nil {
		return nil
	}
	w, err := t.token()
	if err != nil {
		t.err = t.src.Failed(line(t.number+1), err)
	}
	return w
}

// wordFloat and wordInt read the next word as a number.
func (t *textScanner) wordFloat() float32 { return t.float(t.word()) }
func (t *textScanner) wordInt() int64     { return t.int(t.word()) }

// fail keeps an error about the current line, unless there is one already.
func (t *textScanner) fail(cause string, args ...any) {
	t.keep(t.src.Bad(t.at(), cause, args...))
}

// keep keeps an error, unless there is one already.
func (t *textScanner) keep(err error) {
	if t.err == nil {
		t.err = err
	}
}

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

// at names the line that next or token returned last.
func (t *textScanner) at() string { return line(t.number) }

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
