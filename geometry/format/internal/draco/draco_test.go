package draco

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// sample is a file of testdata, with the result of Google's decoder.
type sample struct {
	name                      string
	points, faces, attributes int
	hash                      string
	data                      []byte
}

func samples() (list []sample) {
	for _, line := range strings.Split(string(must.Get(os.ReadFile("testdata/expected.txt"))), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		s := sample{}
		must.Get(fmt.Sscan(line, &s.name, &s.points, &s.faces, &s.attributes, &s.hash))
		s.data = must.Get(os.ReadFile("testdata/" + s.name))
		list = append(list, s)
	}
	return list
}

// digest hashes a mesh as little-endian numbers of 32 bits: how many vertices, triangles and
// attributes it has, and its indices; then of each attribute its ID, role, type, components and
// whether it is normalized, followed by its data as it is.
func digest(m *Mesh) string {
	h := sha256.New()
	must.OK(binary.Write(h, binary.LittleEndian, []uint32{uint32(m.Points), uint32(len(m.Indices) / 3), uint32(len(m.Attributes))}))
	must.OK(binary.Write(h, binary.LittleEndian, m.Indices))
	for _, a := range m.Attributes {
		normalized := uint32(0)
		if a.Normalized {
			normalized = 1
		}
		must.OK(binary.Write(h, binary.LittleEndian, []uint32{a.ID, uint32(a.Role), uint32(a.Type), uint32(a.Components), normalized}))
		h.Write(a.Data)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func TestMeshesEqualThoseOfGooglesDecoder(t *testing.T) {
	list := samples()
	require.Greater(t, len(list), 30)
	for _, s := range list {
		m, err := Decode(s.data, new(budget.Budget))
		require.NoError(t, err, s.name)
		require.Equal(t, []int{s.points, s.faces, s.attributes}, []int{m.Points, len(m.Indices) / 3, len(m.Attributes)}, s.name)
		require.Equal(t, s.hash, digest(m), s.name)
	}
}

// requireHarmless decodes arbitrary bytes within a small budget: the result must be a mesh or an
// error of one line, and only the mesh may still be charged.
func requireHarmless(t *testing.T, data []byte) error {
	const memory, steps = 1 << 20, 1 << 22
	var b budget.Budget
	must.OK(b.Memory(budget.MemorySlack - memory))
	must.OK(b.Work(budget.WorkSlack - steps))
	m, err := Decode(data, &b)
	if err != nil {
		require.NotContains(t, err.Error(), "\n")
		return err
	}
	kept := 4 * len(m.Indices)
	for _, id := range m.Indices {
		if int(id) >= m.Points {
			t.Fatalf("index %d of %d vertices", id, m.Points)
		}
	}
	for _, a := range m.Attributes {
		require.Len(t, a.Data, m.Points*a.Components*a.Type.Size())
		kept += len(a.Data)
	}
	require.NoError(t, b.Memory(int64(memory-kept)))
	require.Error(t, b.Memory(1))
	return nil
}

// TestChangedFilesAreHarmless decodes thousands of damaged files.
func TestChangedFilesAreHarmless(t *testing.T) {
	r, failed, changed := rand.New(rand.NewPCG(1, 2)), 0, 0
	cuts, changes := 1, 300
	if testing.Short() {
		cuts, changes = 11, 70
	}
	for _, s := range samples() {
		for n := 0; n < len(s.data); n += cuts {
			require.Error(t, requireHarmless(t, s.data[:n]), "%s cut after %d bytes", s.name, n)
		}
		for range changes {
			data := bytes.Clone(s.data)
			for range 1 + r.IntN(3) {
				at := r.IntN(len(data))
				switch r.IntN(4) {
				case 0:
					data[at] ^= 1 << r.IntN(8)
				case 1:
					data[at] = byte(r.IntN(256))
				case 2:
					data[at] = []byte{0, 0xff, 0x7f, 0x80}[r.IntN(4)]
				case 3:
					data = append(data[:at:at], data[min(at+1+r.IntN(4), len(data)-1):]...)
				}
			}
			changed++
			if requireHarmless(t, data) != nil {
				failed++
			}
		}
	}
	require.Greater(t, changed, 2000)
	require.Greater(t, failed, changed/4)
}

func FuzzDecode(f *testing.F) {
	for _, s := range samples() {
		f.Add(s.data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { _ = requireHarmless(t, data) })
}

// maker writes parts of files that the encoder of testdata does not write.
type maker struct{ bytes.Buffer }

func (m *maker) put(values ...any) *maker {
	for _, v := range values {
		if n, ok := v.(int); ok {
			v = byte(n)
		}
		must.OK(binary.Write(m, binary.LittleEndian, v))
	}
	return m
}

// header writes a header; method 0 is sequential connectivity.
func (m *maker) header(method int, flags uint16) *maker {
	return m.put([]byte(Magic), 2, 2, 1, method, flags)
}

// tagged writes symbols that all have the same number of bits: their entropy code takes no data.
func (m *maker) tagged(bits int, values ...byte) *maker {
	m.put(taggedSymbols, bits+1)
	for range bits {
		m.put(3) // this symbol does not occur
	}
	return m.put(4096&0x3f<<2|2, 4096>>6&0xff, 4096>>14, 1, 0, values)
}

// triangle ends a file with the positions of three vertices, as differences of one byte.
func (m *maker) triangle() []byte {
	m.put(1, 1, 0, int(Int16), 3, 1, 7, integerCoding)
	m.put(differencePrediction, wrapTransform, 0, 1, []byte{0, 2, 4, 6, 1, 0, 20, 0, 3}) // zigzag: 0 1 2, 3 -1 0, 10 0 -2
	return m.put(int32(-2), int32(10)).Bytes()
}

func requireTriangle(t *testing.T, data []byte, indices ...uint32) {
	m, err := Decode(data, new(budget.Budget))
	require.NoError(t, err)
	want := []byte{0, 0, 1, 0, 2, 0, 3, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0} // 13 wraps to 0
	require.Equal(t, []Attribute{{ID: 7, Type: Int16, Components: 3, Normalized: true, Data: want}}, m.Attributes)
	require.Equal(t, indices, m.Indices)
}

func TestSequentialIndices(t *testing.T) {
	plain := func(points ...any) []byte {
		m := new(maker).header(0, 0).put(1).put(points...)
		return m.triangle()
	}
	requireTriangle(t, plain(3, 1, []byte{2, 0, 1}), 2, 0, 1)
	mixed := plain(3, 1, []byte{2, 0, 1})
	mixed[len(mixed)-21] = parallelogram // without a mesh's connectivity, this is the difference
	requireTriangle(t, mixed, 2, 0, 1)
	requireTriangle(t, new(maker).header(0, 0).put(1, 3, 0).tagged(4, 0x34, 0x02).triangle(), 2, 1, 2) // +2 -1 +1
	_, err := Decode(plain(3, 1, []byte{2, 3, 1}), new(budget.Budget))
	require.EqualError(t, err, "connectivity: triangle 0 has vertex 3 of 3")
	_, err = Decode(new(maker).header(0, 0).put(1, 3, 0).tagged(4, 0x31, 0x02).triangle(), new(budget.Budget))
	require.EqualError(t, err, "connectivity: triangle 0 has vertex -1 of 3")
}

func TestMetadataIsSkipped(t *testing.T) {
	nested := []byte{1, 1, 'a', 3, 255, 255, 255, 2, 1, 'b', 0, 1, 1, 'c', 0, 0, 1, 'd', 0, 0} // an entry; b, which has c, and d
	m := new(maker).header(0, 0x8000).put(1, 5, nested, nested, 1, 3, 1, []byte{0, 1, 2})
	requireTriangle(t, m.triangle(), 0, 1, 2)
}

func TestRefusedByName(t *testing.T) {
	change := func(at int, value byte) []byte {
		data := bytes.Clone(samples()[0].data)
		data[at] = value
		return data
	}
	for want, data := range map[string][]byte{
		`is not Draco: it does not begin with "DRACO"`:         change(0, 'd'),
		"Draco bitstream 2.1, only 2.2 is supported":           change(6, 1),
		"is a point cloud, which is not supported":             change(7, 0),
		"method 2, which a mesh does not have":                 change(8, 2),
		"connectivity: Edgebreaker of type 1 is not supported": change(11, 1),
		"connectivity: no triangles":                           new(maker).header(0, 0).put(0, 3, 1).Bytes(),
		"connectivity: 715827883 triangles":                    new(maker).header(0, 0).put([]byte{0xab, 0xd5, 0xaa, 0xd5, 2}, 3, 1).Bytes(),
		"the data ends early: 0 bytes where 5 are needed":      nil,
	} {
		_, err := Decode(data, new(budget.Budget))
		require.EqualError(t, err, want)
	}
}

// TestCountsAreCharged: a few bytes that encode very many triangles are refused, and a cancelled
// context ends decoding.
func TestCountsAreCharged(t *testing.T) {
	var b budget.Budget
	data := new(maker).header(0, 0).put([]byte{0x80, 0x80, 0x80, 0x80, 1}, 3, 0).tagged(1, 0).Bytes() // 2^28
	_, err := Decode(data, &b)
	var exceeded *budget.Exceeded
	require.ErrorAs(t, err, &exceeded)
	require.NoError(t, b.Memory(budget.MemorySlack))

	ctx, cancel := context.WithCancel(t.Context())
	b = budget.Budget{}
	b.Begin(ctx)
	cancel()
	s := samples()[len(samples())-1]
	must.OK(b.Work(1<<20 - 1<<10)) // the context is checked only now and then
	_, err = Decode(s.data, &b)
	require.ErrorIs(t, err, context.Canceled)
}

// TestConnectivityIsChecked: each corner must be reached once, from its own vertex.
func TestConnectivityIsChecked(t *testing.T) {
	check := func(corner []int32) (err error) {
		defer must.Catch(&err)
		(&table{vertex: []int32{0, 1, 2, 3, 2, 1}, opposite: []int32{3, -1, -1, 0, -1, -1}, corner: corner}).check()
		return nil
	}
	require.NoError(t, check([]int32{0, 1, 4, 3}))
	require.EqualError(t, check([]int32{0, 5, 4, 3}), "triangles of a vertex are not connected")
	require.EqualError(t, check([]int32{0, 1, 5, 3}), "triangle 1 has vertex 1 where it should have 2")
}

// TestBorderOfTheOctahedron: two points of a side of the square, at the same distance from its
// middle, are the same direction, and so are all corners; canonical returns one of them.
func TestBorderOfTheOctahedron(t *testing.T) {
	o := newOctahedron(3) // coordinates 0 to 6
	for from, to := range map[[2]int32][2]int32{{0, 0}: {6, 6}, {0, 6}: {6, 6}, {6, 0}: {6, 6}, {0, 5}: {0, 1}, {6, 1}: {6, 5}, {1, 6}: {5, 6}, {5, 0}: {1, 0}, {0, 2}: {0, 2}, {3, 3}: {3, 3}} {
		s, u := o.canonical(from[0], from[1])
		require.Equal(t, to, [2]int32{s, u}, from)
	}
}

// TestPrecisionOfProbabilities: as in the specification of Draco's bitstream, "Symbol Decoding".
func TestPrecisionOfProbabilities(t *testing.T) {
	for length, want := range map[uint32]uint32{1: 12, 8: 12, 9: 13, 10: 15, 11: 16, 12: 18, 13: 19, 14: 20, 18: 20} {
		require.Equal(t, want, rawPrecision(length), length)
	}
}

// TestImpossibleDataIsRefused calls parts of the decoder with data that only one of their checks refuses.
func TestImpossibleDataIsRefused(t *testing.T) {
	for want, decode := range map[string]func(d *decoder){
		"entropy coding begins with an impossible state":   func(*decoder) { newANS([]byte{0, 0xf0, 0x8f}, 1<<12, 3) }, // the first one too high
		"attributes of kind 2 in order 0":                  func(d *decoder) { d.data = []byte{0xff, 2, 0}; d.order(&group{}, make([]bool, 1)) },
		"attributes 0: 3 components of type 0":             func(d *decoder) { d.data = []byte{1, 0, 0, 3, 1, 7}; d.describe(&group{}, 0) },
		"attributes 0: 3 components of type 9 in coding 1": func(d *decoder) { d.data = []byte{1, 0, 9, 3, 1, 7, 1}; d.describe(&group{}, 0) },
		"prediction 6 of 2 numbers": func(d *decoder) {
			d.data = []byte{6, 1}
			d.newPredictor(&group{table: &table{}}, &attribute{numbers: 2})
		},
		"4 flags for 3 corners":               func(d *decoder) { d.points = make([]int32, 3); (&predictor{decoder: d}).readFlags(4, (*flags).next) },
		"split 0 is of symbols 2 and 2 of 2":  func(d *decoder) { d.data = []byte{1, 2, 0, 0}; (&edgebreaker{decoder: d}).readSplits(2) },
		"an edge has more than two triangles": func(*decoder) { (&table{opposite: []int32{2, -1, 0}}).connect(0, 1) },
	} {
		err := func() (err error) {
			defer must.Catch(&err)
			decode(&decoder{budget: new(budget.Budget)})
			return nil
		}()
		require.EqualError(t, err, want)
	}
}

// TestLimitsOfTheBitstream: the widths of plain indices follow from the number of vertices, and a state equal to the
// coder's base takes in no byte.
func TestLimitsOfTheBitstream(t *testing.T) {
	for count, data := range map[int][]byte{255: {1}, 256: {1, 0}, 1<<16 - 1: {1, 0}, 1 << 16: {0x81, 0}, 1<<21 - 1: {0x81, 0}, 1 << 21: {1, 0, 0, 0}} {
		d := &decoder{input: input{data}, count: count, points: make([]int32, 1)}
		d.plainIndices()
		require.Equal(t, []int32{1}, d.points)
		require.Empty(t, d.data, count)
	}
	state := ansState{data: []byte{9}, state: 1 << 14, base: 1 << 14}
	c, f := &coder{ansState: state, precision: 12, symbols: make([]int32, 1<<12), ranges: []ansRange{{0, 1 << 12}}}, &flags{state, 128}
	_, _ = c.next(), f.next()
	require.Equal(t, [][]byte{{9}, {9}}, [][]byte{c.data, f.data})
}
