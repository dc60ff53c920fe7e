package format

import (
	"bytes"
	"io"
)

// textReader reads text whose lines end in LF, CR LF or, as old programs for the Mac write
// them, CR. All of them become LF.
type textReader struct {
	io.Reader
	cr bool // the latest byte was a CR
}

func newTextReader(r io.Reader) *textReader { return &textReader{Reader: r} }

// TextLines reads text of any line ends as text whose lines end in LF.
func TextLines(r io.Reader) io.Reader { return newTextReader(r) }

func (t *textReader) Read(p []byte) (int, error) {
	n, err := t.Reader.Read(p)
	return len(t.clean(p[:n])), err
}

// clean changes the line ends of the bytes that come next, in place.
func (t *textReader) clean(p []byte) []byte {
	if t.cr && len(p) > 0 && p[0] == '\n' {
		t.cr = false
		p = p[:copy(p, p[1:])]
	}
	if len(p) > 0 {
		t.cr = p[len(p)-1] == '\r'
	}
	k := bytes.IndexByte(p, '\r')
	if k < 0 {
		return p
	}
	to := k
	for from := k; from < len(p); {
		p[to] = '\n' // for a CR
		to++
		if from++; from < len(p) && p[from] == '\n' {
			from++
		}
		next := bytes.IndexByte(p[from:], '\r')
		if next < 0 {
			next = len(p) - from
		}
		to += copy(p[to:], p[from:from+next])
		from += next
	}
	return p[:to]
}
