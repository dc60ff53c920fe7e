package format

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// TestLineEnds: all line ends become LF, however the bytes are split into reads.
func TestLineEnds(t *testing.T) {
	text := "a\rb\r\nc\n\r\r\nd\r\r\r\n\n\re\r"
	want := "a\nb\nc\n\n\nd\n\n\n\n\ne\n"
	for name, r := range map[string]io.Reader{
		"whole": strings.NewReader(text), "bytes": iotest.OneByteReader(strings.NewReader(text)), "halves": iotest.HalfReader(strings.NewReader(text)),
	} {
		got := must.Get(io.ReadAll(textLines(r)))
		require.Equal(t, want, string(got), name)
	}
}

// TestOldText: a byte order mark and lines that end in CR do not change the mesh.
func TestOldText(t *testing.T) {
	const stl = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n"
	for name, text := range map[string]string{"a.obj": objVerts + "g a\nf 1 2 3\nf 2 3 4\n", "a.ply": plyPlain, "a.off": offPlain, "a.stl": stl} {
		want := must.Get(load(name, []byte(text), false))
		for what, changed := range map[string]string{
			"mark": "\ufeff" + text, "CR": strings.ReplaceAll(text, "\n", "\r"), "CR LF": strings.ReplaceAll(text, "\n", "\r\n"),
			"mark and CR": "\ufeff" + strings.ReplaceAll(text, "\n", "\r"),
			"some CR":     strings.Replace(strings.Replace(text, "\n", "\r", 5), "\r", "\n", 2),
		} {
			if what == "some CR" && name == "a.ply" {
				continue // a header must have the line ends of its first line
			}
			path := writeFile(t, name, []byte(changed))
			got := must.Get(Open(t.Context(), path))
			require.Equal(t, want.Positions, got.Positions, "%s, %s", name, what)
			require.Equal(t, want.Indices, got.Indices, "%s, %s", name, what)
		}
		path := writeFile(t, name, append([]byte("\xff\xfe"), strings.ReplaceAll(text, "", "\x00")[1:]...))
		_, err := Open(t.Context(), path)
		require.ErrorContains(t, err, "is text in UTF-16: only UTF-8 is read")
	}
}

func TestScanFloatSyntax(t *testing.T) {
	for _, c := range []struct {
		text string
		end  int // 0 if refused
	}{
		{"1", 1}, {"-1.5", 4}, {"+2", 2}, {".5", 2}, {"5.", 2}, {"1e3", 3}, {"1E-3x", 4}, {"1 2", 1}, {"1.2.3", 3},
		{"", 0}, {"-", 0}, {".", 0}, {"e5", 0}, {"1e", 0}, {"1e+", 0}, {"nan", 0}, {"NaN", 0}, {"inf", 0}, {"-Infinity", 0},
		{"1e999", 0}, {"-1e39", 0}, {"3.5e38", 0}, {"1e99999999999999999999", 0},
		{"0e999", 5}, {"1e-999", 6}, {"1e-99999999999999999999", 23}, {"3.4028235e38", 12},
		{"0x10", 1}, {"1_000", 1}, // the number ends early; the caller notices that no blank follows it
	} {
		_, end, ok := scanFloat([]byte(c.text), 0)
		require.Equal(t, c.end != 0, ok, c.text)
		if ok {
			require.Equal(t, c.end, end, c.text)
		}
	}
}

// TestScanFloatRounds compares with strconv, bit for bit: shortest and long forms of random
// float32 values, numbers halfway between two of them and close to that, and the ends of the
// range.
func TestScanFloatRounds(t *testing.T) {
	check := func(text string) {
		want, err := strconv.ParseFloat(text, 32)
		got, end, ok := scanFloat([]byte(text), 0)
		if ok != (err == nil) || ok && (end != len(text) || math.Float32bits(got) != math.Float32bits(float32(want))) {
			t.Fatalf("%s: %v, ends at %d, %t; want %v, %d, %t", text, got, end, ok, float32(want), len(text), err == nil)
		}
	}
	for _, text := range []string{
		"0", "-0", "-0.0e5", "16777217", "16777219", "33554435", "1.17549435e-38", "1.17549429e-38", "7e-46", "7.1e-46", "1.4e-45",
		"3.4028235677973366e38", "3.40282356e38", "9007199254740993", "18446744073709551615", "18446744073709551616",
		"0.000000000000000000000000000000000000011754943", "123456789012345678901234567890", "1.00000017881393432617187499",
		"1.00000017881393432617187500", "1.00000017881393432617187501",
	} {
		check(text)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100000 {
		f := math.Float32frombits(rng.Uint32())
		if f-f != 0 {
			continue
		}
		check(strconv.FormatFloat(float64(f), 'g', -1, 32))
		middle := (float64(f) + float64(math.Nextafter32(f, 2*f))) / 2
		check(strconv.FormatFloat(middle, 'e', 18, 64))
		check(strconv.FormatFloat(middle, 'e', -1, 64))
		check(strconv.FormatFloat(math.Nextafter(middle, 0), 'e', -1, 64))
		check(fmt.Sprintf("%.*f", rng.IntN(20), rng.NormFloat64()*100))
		check(fmt.Sprintf("%de%d", rng.Uint64(), rng.IntN(100)-70))
	}
}

func TestScanInt(t *testing.T) {
	for _, c := range []struct {
		text string
		v    int64
		end  int // 0 if refused
	}{
		{"12 ", 12, 2}, {"-3/", -3, 2}, {"+7", 7, 2}, {"", 0, 0}, {"-", 0, 0}, {"x", 0, 0},
	} {
		v, end, ok := scanInt([]byte(c.text), 0)
		require.Equal(t, c.end != 0, ok, c.text)
		if ok {
			require.Equal(t, c.v, v, c.text)
			require.Equal(t, c.end, end, c.text)
		}
	}
	v, _, ok := scanInt([]byte("99999999999999999999999999999999"), 0)
	require.True(t, ok)
	require.GreaterOrEqual(t, v, int64(1e16), "large numbers stay large")
}

// TestBeginnings recognizes keywords of OFF, versions of glTF and schemes of URLs, and rejects texts that
// only resemble them.
func TestBeginnings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"OFF": "", "OFF\n3": "", "STCN4nOFF 1": "STCN4n", "COFF\r": "C", "NOFF\t": "N", "OFFX": "no", "NCOFF": "no", "CCOFF": "no", " OFF": "no", "off": "no", "": "no"} {
		letters, ok := offKeyword([]byte(text))
		if !ok {
			letters = "no"
		}
		require.Equal(t, want, letters, "%q", text)
	}
	for text, want := range map[string]bool{"2.0": true, "10.12": true, "2": false, "2.": false, ".0": false, "2.0.1": false, "2.x": false, "-2.0": false, "2 .0": false} {
		require.Equal(t, want, gltfVersion(text), "%q", text)
	}
	for text, want := range map[string]string{
		"http://a": "http:", "a1+.-:b": "a1+.-:", "C:x": "C:", ":x": ":", "x": "", "1a:b": "", "+a:b": "", "a/b:c": "", "a b:c": "", "é:c": "", "@a:": "", "[a:": "", "": "",
	} {
		require.Equal(t, want, urlScheme(text), "%q", text)
	}
	_, _, err := siblings(t.Context(), "a.obj")("file:b.mtl")
	require.ErrorContains(t, err, "is an address")
	_, _, err = siblings(t.Context(), "a.obj")(":b.mtl")
	require.NotContains(t, err.Error(), "is an address")
}
