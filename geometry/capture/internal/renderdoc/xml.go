package renderdoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/shadeonce/shadeonce/internal/must"
)

// scanner cuts XML into tags and the text between them. It takes what a
// capture's XML has: no document type (so no entities but the five), no CDATA,
// no comments. What it returns is valid until the next call.
type scanner struct {
	r        io.Reader
	buf      []byte
	from, to int // unread part of buf
	passed   int64
	eof      bool

	text    []byte // before the tag; nil when it is longer than most
	tag     []byte // name and attributes, without the brackets
	closing bool   // </tag>
	empty   bool   // <tag/>

	most int // bytes of text; longer text is passed over
}

// Bounds in bytes of one tag and of the text between two, beyond which text is
// passed over: nothing that is read is long, but for shader sources where they are wanted.
const (
	scanBytes = 128 << 10
	maxTag    = 64 << 10
	maxText   = 4 << 10
	maxSource = 1 << 20
)

func newScanner(r io.Reader) *scanner {
	return &scanner{r: r, buf: make([]byte, scanBytes), most: maxText}
}

// fill moves the unread part to the front and reads more.
func (s *scanner) fill() {
	if s.eof {
		s.fail(io.ErrUnexpectedEOF)
	}
	into := s.buf
	if s.to-s.from > len(s.buf)/2 {
		into = make([]byte, 2*len(s.buf))
	}
	s.to = copy(into, s.buf[s.from:s.to])
	s.buf, s.from = into, 0
	for tries := 0; ; tries++ {
		n, err := s.r.Read(s.buf[s.to:])
		s.to += n
		s.passed += int64(n)
		s.eof = err == io.EOF
		switch {
		case err != nil && !s.eof:
			s.fail(err)
		case n > 0:
			return
		case s.eof:
			s.fail(io.ErrUnexpectedEOF)
		case tries > 100:
			s.fail(io.ErrNoProgress)
		}
	}
}

// place is the byte that has been reached.
func (s *scanner) place() string { return fmt.Sprintf("byte %d", s.passed-int64(s.to-s.from)) }

// fail ends reading with an error of the file below, which names that file.
func (s *scanner) fail(err error) {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = &Error{Place: s.place(), Cause: "the file ends early", Err: err}
	}
	must.OK(err)
}

// refuse ends reading for what is at this place.
func (s *scanner) refuse(cause string, args ...any) { refuse(s.place(), cause, args...) }

// next moves to the next tag.
func (s *scanner) next() {
	s.find()
	s.take()
	for s.tag[0] == '?' {
		s.find()
		s.take()
	}
	if s.tag[0] == '!' {
		s.refuse("%.20q: a capture has no such markup", s.tag)
	}
	if s.closing = s.tag[0] == '/'; s.closing {
		s.tag = s.tag[1:]
	}
	if s.empty = len(s.tag) > 0 && s.tag[len(s.tag)-1] == '/'; s.empty {
		s.tag = s.tag[:len(s.tag)-1]
	}
	if len(s.tag) == 0 || s.closing && s.empty {
		s.refuse("a tag without a name")
	}
}

// find keeps the text ahead of the next tag, and makes it the unread part.
func (s *scanner) find() {
	searched, long := 0, false
	for {
		if k := bytes.IndexByte(s.buf[s.from+searched:s.to], '<'); k >= 0 {
			end := s.from + searched + k
			if s.text = s.buf[s.from:end]; long || len(s.text) > s.most {
				s.text = nil
			}
			s.from = end
			return
		}
		if searched = s.to - s.from; searched > s.most {
			s.from, searched, long = s.to, 0, true
		}
		s.fill()
	}
}

// take makes the tag that the unread part begins with s.tag. Its text moves
// along when the buffer is filled again.
func (s *scanner) take() {
	from := s.from - len(s.text)
	text := len(s.text)
	s.from = from
	at := text + 1 // from s.from
	var quote byte
	for {
		for window := s.buf[s.from:s.to]; at < len(window); at++ {
			switch c := window[at]; {
			case quote != 0:
				if c == quote {
					quote = 0
				}
			case c == '"' || c == '\'':
				quote = c
			case c == '>':
				if at == text+1 {
					s.refuse("a tag without a name")
				}
				if at-text > maxTag {
					s.refuse(tooLong, maxTag)
				}
				s.text, s.tag = window[:text], window[text+1:at]
				s.from += at + 1
				return
			}
		}
		if at-text > maxTag {
			s.refuse(tooLong, maxTag)
		}
		s.fill()
	}
}

const tooLong = "a tag of more than %d bytes"

// passUntil passes over everything up to and including the given bytes.
func (s *scanner) passUntil(end string) {
	for {
		window := s.buf[s.from:s.to]
		if k := bytes.Index(window, []byte(end)); k >= 0 {
			s.from += k + len(end)
			return
		}
		if keep := len(end) - 1; len(window) > keep {
			s.from = s.to - keep
		}
		s.fill()
	}
}

// cutName splits a tag into its name and the attributes.
func cutName(tag []byte) (name, attributes []byte) {
	for i, c := range tag {
		if c <= ' ' {
			return tag[:i], tag[i:]
		}
	}
	return tag, nil
}

// cutAttribute takes the next attribute; ok is false after the last one.
func cutAttribute(in []byte) (name, value, rest []byte, ok bool) {
	in = bytes.TrimLeft(in, " \t\r\n")
	k := bytes.IndexByte(in, '=')
	if k <= 0 || k+1 >= len(in) {
		return nil, nil, nil, false
	}
	name = bytes.TrimRight(in[:k], " \t\r\n")
	in = bytes.TrimLeft(in[k+1:], " \t\r\n")
	if len(in) == 0 || in[0] != '"' && in[0] != '\'' {
		return nil, nil, nil, false
	}
	end := bytes.IndexByte(in[1:], in[0])
	if end < 0 {
		return nil, nil, nil, false
	}
	return name, in[1 : end+1], in[end+2:], true
}

// readHeader reads up to the first chunk: the API's name, and the chunks' version.
func readHeader(x *scanner) (driver string, version uint64) {
	x.next()
	if name, _ := cutName(x.tag); string(name) != "rdc" || x.closing {
		refuse("", "is not a RenderDoc capture: it begins with %.40q", name)
	}
	for {
		x.next()
		name, attributes := cutName(x.tag)
		switch {
		case string(name) == "driver" && x.closing:
			driver = string(bytes.TrimSpace(x.text))
		case string(name) == "chunks" && !x.closing:
			if x.empty {
				refuse("", "no chunks")
			}
			for {
				key, value, rest, ok := cutAttribute(attributes)
				if !ok {
					return driver, version
				}
				if string(key) == "version" {
					version, _ = parseUint(value)
				}
				attributes = rest
			}
		case string(name) == "rdc":
			refuse("", "no chunks")
		}
	}
}
