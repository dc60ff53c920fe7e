package format

import (
	"bufio"
	"bytes"
	"io"
	"math"
	"strconv"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// maxLine bounds a line of text, so that a file without line ends is not read into memory as a
// whole.
const maxLine = 4 << 20

// TextScanner reads a text file line by line, or token by token.
type TextScanner struct {
	src    *Input
	lines  *bufio.Scanner
	number int    // number of the line that Next returned last, from 1
	rest   []byte // the part of that line that token has not returned yet
}

// NewTextScanner reads from r, which yields the rest of the input.
func NewTextScanner(src *Input, r io.Reader) *TextScanner {
	t := &TextScanner{src: src, lines: bufio.NewScanner(textLines(r))}
	t.lines.Buffer(make([]byte, 64<<10), maxLine)
	t.lines.Split(func(data []byte, last bool) (int, []byte, error) {
		return bufio.ScanLines(data, last && t.lines.Err() == nil) // if reading failed, drop the incomplete last line
	})
	return t
}

// Next returns the next line without its end, valid until the next call; more is false after the
// last one.
func (t *TextScanner) Next() (l []byte, more bool) {
	if t.lines.Scan() {
		t.number++
		return t.lines.Bytes(), true
	}
	if err := t.lines.Err(); err == bufio.ErrTooLong {
		t.src.fail(line(t.number+1), "line is longer than %d bytes", maxLine)
	} else if err != nil {
		must.OK(t.src.Failed(line(t.number+1), err))
	}
	return nil, false
}

// data returns the next line that is neither empty nor a comment; more is false after the last
// one.
func (t *TextScanner) data() (l []byte, more bool) {
	for {
		if l, more = t.Next(); !more {
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

// token returns the next run of non-blank bytes, on this line or a later one, valid until the
// next call; more is false after the last one.
func (t *TextScanner) token() (word []byte, more bool) {
	for {
		if word, t.rest = cutToken(t.rest); len(word) > 0 {
			return word, true
		}
		if t.rest, more = t.Next(); !more {
			return nil, false
		}
	}
}

// word returns the next token, and fails at the end of the file.
func (t *TextScanner) word() []byte {
	w, more := t.token()
	t.Need(more)
	return w
}

// Need fails with an error about the end of the file unless `more` is true.
func (t *TextScanner) Need(more bool) {
	if !more {
		must.OK(t.src.Failed(line(t.number+1), io.EOF))
	}
}

// wordFloat and wordInt read the next word as a number.
func (t *TextScanner) wordFloat() float32 { return t.Float(t.word()) }
func (t *TextScanner) wordInt() int64     { return t.Int(t.word()) }

// Fail fails with an error about the current line.
func (t *TextScanner) Fail(cause string, args ...any) { t.src.fail(line(t.number), cause, args...) }

// cutToken splits s after its first run of non-blank bytes, which is empty if there is none.
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

// Float reads a whole token as a number.
func (t *TextScanner) Float(token []byte) float32 {
	f, end, ok := scanFloat(token, 0)
	if !ok || end != len(token) {
		t.Fail("%s is not a finite number", Quote(token))
	}
	return f
}

// Int reads a whole token as a whole number.
func (t *TextScanner) Int(token []byte) int64 {
	v, end, ok := scanInt(token, 0)
	if !ok || end != len(token) {
		t.Fail("%s is not a whole number", Quote(token))
	}
	return v
}

// textReader reads text whose lines end in LF, CR LF or, as from old Mac programs, CR. All become
// LF.
type textReader struct {
	io.Reader
	cr bool // whether the previous byte was a CR
}

// textLines reads text with any line ends as text whose lines end in LF.
func textLines(r io.Reader) io.Reader { return &textReader{Reader: r} }

func (t *textReader) Read(p []byte) (int, error) {
	n, err := t.Reader.Read(p)
	return len(t.clean(p[:n])), err
}

// clean converts the line ends of the next bytes in place.
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
		p[to] = '\n' // replaces a CR
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

// pow10 holds powers of ten; those up to 10^22 are exact in a float64.
var pow10 = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
	1e20, 1e21, 1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31, 1e32, 1e33, 1e34, 1e35, 1e36, 1e37,
}

// maxDigits is how many decimal digits always fit a uint64.
const maxDigits = 19

// scanFloat parses the decimal number that starts at s[i] and returns it and its end. It rounds
// as strconv.ParseFloat(..., 32) does. ok is true only for finite decimal numbers: not for "nan",
// "inf", hexadecimal numbers, or numbers that overflow a float32.
func scanFloat(s []byte, i int) (f float32, end int, ok bool) {
	start, negative := i, false
	if uint(i) < uint(len(s)) && (s[i] == '-' || s[i] == '+') {
		negative = s[i] == '-'
		i++
	}
	var mantissa uint64
	digits, exponent := i, 0
	for uint(i) < uint(len(s)) && s[i]-'0' <= 9 {
		mantissa = mantissa*10 + uint64(s[i]-'0')
		i++
	}
	digits = i - digits
	if uint(i) < uint(len(s)) && s[i] == '.' {
		i++
		fraction := i
		for uint(i) < uint(len(s)) && s[i]-'0' <= 9 {
			mantissa = mantissa*10 + uint64(s[i]-'0')
			i++
		}
		exponent = fraction - i
		digits -= exponent
	}
	if digits == 0 {
		return 0, i, false
	}
	if uint(i) < uint(len(s)) && s[i]|0x20 == 'e' {
		e, end, ok := scanInt(s, i+1)
		if !ok {
			return 0, end, false
		}
		exponent, i = exponent+int(e), end
	}
	if digits <= maxDigits {
		if f, ok = round(mantissa, exponent); ok {
			if negative {
				f = -f
			}
			return f, i, true
		}
	}
	d, err := strconv.ParseFloat(string(s[start:i]), 32)
	return float32(d), i, err == nil
}

// round returns mantissa * 10^exponent as a float32. It computes a float64, which is wrong by at most
// 3 units in the last place, since conversion, power and product each round once. Rounding it to a
// float32 is right unless the float64 lies that close to the middle between two float32 values. `sure`
// is false near a middle, for an exponent outside pow10, and if a float32 would overflow or be subnormal.
func round(mantissa uint64, exponent int) (f float32, sure bool) {
	const (
		dropped = 52 - 23 // bits of the float64 mantissa that a float32 lacks
		middle  = 1 << (dropped - 1)
		doubt   = 8
	)
	if mantissa == 0 {
		return 0, true
	}
	d := float64(mantissa)
	switch {
	case exponent >= 0 && exponent < len(pow10):
		d *= pow10[exponent]
	case exponent < 0 && -exponent < len(pow10):
		d /= pow10[-exponent]
	default:
		return 0, false
	}
	low := math.Float64bits(d) & (1<<dropped - 1)
	if low-(middle-doubt) <= 2*doubt || d > math.MaxFloat32 || d < 0x1p-126 {
		return 0, false
	}
	return float32(d), true
}

// scanInt parses the decimal integer that starts at s[i] and returns it and its end. A value beyond +-10^17 is
// returned as +-10^17. ok is false without a digit.
func scanInt(s []byte, i int) (v int64, end int, ok bool) {
	negative := false
	if uint(i) < uint(len(s)) && (s[i] == '-' || s[i] == '+') {
		negative = s[i] == '-'
		i++
	}
	first := i
	for uint(i) < uint(len(s)) && s[i]-'0' <= 9 {
		if v = v*10 + int64(s[i]-'0'); v > 1e17 {
			v = 1e17
		}
		i++
	}
	if negative {
		v = -v
	}
	return v, i, i > first
}
