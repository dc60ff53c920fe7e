package renderdoc

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// made is a synthetic capture, as RenderDoc would write it.
type made struct {
	driver  string
	chunks  string
	entries map[int][]byte
}

func newMade(driver string) *made { return &made{driver: driver, entries: map[int][]byte{}} }

func (m *made) chunk(name string, parts ...string) {
	m.chunks += fmt.Sprintf("\t\t<chunk id=\"1\" name=\"%s\" length=\"1\" threadID=\"1\" timestamp=\"1\" duration=\"0\">\n%s\t\t</chunk>\n", name, strings.Join(parts, ""))
}

func (m *made) begin() { m.chunk("Internal::Beginning of Capture") }

// xml returns the capture's whole XML.
func (m *made) xml() []byte {
	version := map[string]int{"Vulkan": 21, "OpenGL": 35}[m.driver]
	return fmt.Appendf(nil, "<?xml version=\"1.0\"?>\n<rdc>\n\t<header>\n\t\t<driver id=\"8\">%s</driver>\n\t\t<thumbnail width=\"1\" height=\"1\">thumb.png</thumbnail>\n"+
		"\t</header>\n\t<chunks version=\"%d\">\n%s\t</chunks>\n</rdc>\n", m.driver, version, m.chunks)
}

func (m *made) zip(t testing.TB) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for n := range 1000 {
		if data, ok := m.entries[n]; ok {
			e := must.Get(w.Create(fmt.Sprintf("%06d", n)))
			must.Get(e.Write(data))
		}
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

func (m *made) input(t testing.TB) Input { return input(m.xml(), m.zip(t)) }

func input(xml, zip []byte) Input {
	return Input{XML: bytes.NewReader(xml), Zip: bytes.NewReader(zip), ZipSize: int64(len(zip)), ZipName: "a.zip", Budget: &budget.Budget{}}
}

// scene reads the capture, which must hold draws. It ignores notes on unknown shaders.
func (m *made) scene(t testing.TB) *geometry.Scene {
	s := m.shaded(t, nil).Scene
	s.Skipped = slices.DeleteFunc(s.Skipped, func(line string) bool { return strings.HasPrefix(line, geometry.FromShaders) })
	return s
}

// shaded reads the capture with its shaders.
func (m *made) shaded(t testing.TB, compile Compiler) *Frame {
	in := m.input(t)
	in.Compile = compile
	f, err := Read(t.Context(), in)
	require.NoError(t, err)
	require.NoError(t, f.Validate(t.Context()))
	require.Len(t, f.Targets, len(f.Draws))
	return f
}

func element(tag, name, attributes, value string) string {
	if name != "" {
		name = fmt.Sprintf(" name=%q", name)
	}
	return fmt.Sprintf("\t\t\t<%s%s typename=\"x\"%s>%s</%s>\n", tag, name, attributes, value, tag)
}

func number(name string, v any) string { return element("uint", name, "", fmt.Sprint(v)) }

func resource(name string, v int) string { return element("ResourceId", name, "", fmt.Sprint(v)) }

func enum(name, value string) string {
	return element("enum", name, fmt.Sprintf(" string=%q", value), "7")
}

func text(name, value string) string { return element("string", name, "", value) }

func group(name string, parts ...string) string {
	return element("struct", name, "", strings.Join(parts, ""))
}

func array(name string, parts ...string) string {
	return element("array", name, "", strings.Join(parts, ""))
}

// blob adds bytes to the zip file and returns the element that refers to them.
func (m *made) blob(name string, data []byte) string {
	n := len(m.entries)
	m.entries[n] = data
	return element("buffer", name, fmt.Sprintf(" byteLength=\"%d\"", len(data)), fmt.Sprint(n))
}

// bytesOf returns numbers of a fixed size as little-endian bytes.
func bytesOf[T any](values ...T) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, values)
	if err != nil {
		panic(err)
	}
	return b
}

// corners are vertices 0 to n-1: vertex i is at (i, i*i, -i).
func corners(n int) (data []byte, positions []mgl32.Vec3) {
	for i := range n {
		p := mgl32.Vec3{float32(i), float32(i * i), float32(-i)}
		positions = append(positions, p)
		data = append(data, bytesOf(p[:]...)...)
	}
	return data, positions
}

// drawn returns the positions of a draw's corners, one per index.
func drawn(s *geometry.Scene, i int) (positions []mgl32.Vec3) {
	d := s.Draws[i]
	for _, id := range s.DrawIndices(i) {
		positions = append(positions, s.Positions[d.VertexOffset+id])
	}
	return positions
}

// ids returns the corners that a draw uses, read from the first coordinate.
func ids(s *geometry.Scene, i int) (list []int) {
	for _, p := range drawn(s, i) {
		list = append(list, int(math.Round(float64(p[0]))))
	}
	return list
}

// allIDs returns the corners that each draw uses.
func allIDs(s *geometry.Scene) (list [][]int) {
	for i := range s.Draws {
		list = append(list, ids(s, i))
	}
	return list
}

// TestBounds: a report has a last line for further reasons, large images are left out, the later of two values of one
// time counts, and places count what was skipped.
func TestBounds(t *testing.T) {
	counts := map[string]int{}
	for i := range maxReasons + 2 {
		counts[fmt.Sprint(100+i)] = i
	}
	require.Equal(t, []string{"all: 39 x 139", "all: and 2 more kinds of calls"}, listed("all: ", counts)[maxReasons-1:])
	f := newFrame(&budget.Budget{})
	f.images[1] = &storedImage{width: 1 << 12, height: 1 << 10}
	require.Equal(t, "its shader reads values: more than 67108864 bytes", attempt(func() { (&runner{f: f}).sampledTexels(nil, &sampled{id: 1}, nil) }))
	values := timelines[int, int]{}
	values.set(f, 1, 2)
	values.set(f, 1, 3)
	require.Equal(t, 3, values.get(1, 0))
	s := newScanner(strings.NewReader("skipped</chunk>more"))
	s.passUntil("</chunk>")
	require.Equal(t, "byte 15", s.place())
}
