package capture

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// tetraPositions are the corners of a tetrahedron.
var tetraPositions = []mgl32.Vec3{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}

// load reads a file from memory. With packed its size is unknown, as for a compressed file.
func load(r format.Reader, name string, data []byte, packed bool) (*geometry.Scene, error) {
	in := &format.Input{Reader: bytes.NewReader(data), Path: name, Size: int64(len(data))}
	if packed {
		in.Size = -1
	}
	s, err := r.Read(context.Background(), in)
	if err != nil {
		return nil, err
	}
	if err := s.Validate(context.Background()); err != nil {
		return nil, &format.Error{File: name, Cause: err.Error()}
	}
	return s, s.MakeNormals(context.Background())
}

// loadBoth loads a file with its size known and unknown, and requires the same scene twice, or two errors; a known size may
// reveal another cause.
func loadBoth(t *testing.T, r format.Reader, name string, data []byte) (*geometry.Scene, error) {
	scene, err := load(r, name, data, false)
	packed, packedErr := load(r, name, data, true)
	require.Equal(t, err == nil, packedErr == nil, "%v, %v", err, packedErr)
	if err == nil {
		require.Equal(t, scene, packed)
	}
	return scene, err
}

// requireClear requires a format.Error of one line that begins with the file's name and does not
// come from a panic.
func requireClear(t *testing.T, name string, err error) {
	var known *format.Error
	require.ErrorAs(t, err, &known)
	require.Equal(t, name, known.File)
	require.True(t, strings.HasPrefix(err.Error(), name+": "), err.Error())
	require.NotContains(t, err.Error(), "\n")
	require.NotContains(t, err.Error(), "reader failed", "a panic")
}

// requireHarmless reads arbitrary bytes, with their size known and unknown: the result must be a
// valid scene or a clear error, within the allowed memory. It returns the error of the second try.
func requireHarmless(t *testing.T, r format.Reader, name string, data []byte) error {
	var failed error
	for _, packed := range []bool{false, true} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, err := load(r, name, data, packed)
		runtime.ReadMemStats(&after)
		require.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, uint64(4*len(data)+64<<20))
		if failed = err; err != nil {
			requireClear(t, name, err)
			continue
		}
		require.Equal(t, len(s.Positions), len(s.Normals))
	}
	return failed
}

// errEnough is the cause with which tests cancel contexts.
var errEnough = errors.New("enough")

// looks is a context that counts how often it is checked, and is cancelled from a given check on.
type looks struct {
	context.Context
	made atomic.Int64
	last int64
}

func (l *looks) Err() error {
	if l.made.Add(1) > l.last {
		return errEnough
	}
	return nil
}

// requireGivenUp opens a file completely, which must take more than least checks of the context,
// and then cancels at ten of these checks, from the first on.
func requireGivenUp(t *testing.T, path string, least int64) {
	whole := &looks{Context: context.Background(), last: math.MaxInt64}
	_, err := Open(whole, path)
	require.NoError(t, err)
	require.Greater(t, whole.made.Load(), least)
	for at := range int64(10) {
		l := &looks{Context: context.Background(), last: whole.made.Load() * at / 10}
		_, err := Open(l, path)
		require.ErrorIs(t, err, errEnough)
		require.EqualError(t, err, path+": not opened: enough")
		require.Less(t, l.made.Load()-l.last, int64(10+5*runtime.GOMAXPROCS(0)), "looks after the end")
	}
}

// stride is 1 for tests that try every byte of a file; with -short they try every seventh byte.
func stride() int {
	if testing.Short() {
		return 7
	}
	return 1
}

// TestHostileTables cuts files of both table formats at every byte, and changes every byte.
func TestHostileTables(t *testing.T) {
	for name, c := range map[string]struct {
		reader format.Reader
		data   []byte
	}{"table.csv": {csvReader, []byte(csvPlain)}, "table.draws": {drawsReader, drawsFile()}} {
		require.NoError(t, requireHarmless(t, c.reader, name, c.data))
		for i := 0; i < len(c.data); i += stride() {
			_ = requireHarmless(t, c.reader, name, c.data[:i])
			for _, value := range []byte{0, 0xff, '9', '-'} {
				data := bytes.Clone(c.data)
				data[i] = value
				_ = requireHarmless(t, c.reader, name, data)
			}
		}
	}
}

// TestHostileFrames changes every byte of a replayed frame's document.
func TestHostileFrames(t *testing.T) {
	m, _ := someFrame()
	text := m.frame()
	for i := 0; i < len(text); i += stride() {
		for _, value := range []byte{'0', '9', '-', '}'} {
			changed := []byte(text)
			changed[i] = value
			_ = requireHarmless(t, glbReader(), "a.glb", glbOf(string(changed), m.bin))
		}
	}
}

// TestTablesAreGivenUp cancels the reading of tables at various points.
func TestTablesAreGivenUp(t *testing.T) {
	table := []byte("VTX,IDX,POSITION.x,POSITION.y,POSITION.z\n")
	const n = 90_000
	draws := bytesOf([]byte(drawsMagic), []uint32{1, 1, n, n}, make([]byte, 12*n))
	for k := range n {
		id := k * 7 % n
		table = fmt.Appendf(table, "%d,%d,%d,%d,1\n", k, id, id%300, id/300)
		draws = binary.LittleEndian.AppendUint32(draws, uint32(id))
	}
	folder := writeFiles(t, map[string][]byte{"a.csv": table, "a.draws": draws})
	requireGivenUp(t, folder+"/a.csv", 100)
	requireGivenUp(t, folder+"/a.draws", 20)
}

func FuzzCSV(f *testing.F) {
	f.Add([]byte(csvPlain))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 0 {
			_ = requireHarmless(t, csvReader, "fuzz.csv", data)
		}
	})
}

func FuzzReplayed(f *testing.F) {
	m, _ := someFrame()
	f.Add([]byte(m.frame()))
	f.Fuzz(func(t *testing.T, text []byte) {
		if s, err := m.read(string(text)); err == nil {
			require.NoError(t, s.Validate(t.Context()))
		}
	})
}

// gltfMaker makes a GLB by hand.
type gltfMaker struct {
	bin              []byte
	views, accessors []string
}

func (m *gltfMaker) accessor(data any, component int, kind string, count int) int {
	m.bin = append(m.bin, make([]byte, -len(m.bin)&3)...)
	at := len(m.bin)
	m.bin, _ = binary.Append(m.bin, binary.LittleEndian, data)
	m.views = append(m.views, fmt.Sprintf(`{"buffer":0,"byteOffset":%d,"byteLength":%d}`, at, len(m.bin)-at))
	m.accessors = append(m.accessors, fmt.Sprintf(`{"bufferView":%d,"componentType":%d,"type":%q,"count":%d}`, len(m.views)-1, component, kind, count))
	return len(m.accessors) - 1
}

func (m *gltfMaker) floats(v ...float32) int { return m.accessor(v, 5126, "VEC3", len(v)/3) }
func (m *gltfMaker) shorts(v ...uint16) int  { return m.accessor(v, 5123, "SCALAR", len(v)) }
func (m *gltfMaker) clips(v ...float32) int  { return m.accessor(v, 5126, "VEC4", len(v)/4) }
func (m *gltfMaker) json(rest string) string {
	return fmt.Sprintf(`{"asset":{"version":"2.0"},"buffers":[{"byteLength":%d}],"bufferViews":[%s],"accessors":[%s],%s}`,
		len(m.bin), strings.Join(m.views, ","), strings.Join(m.accessors, ","), rest)
}

// bytesOf returns numbers of a fixed size, or slices of them, as little-endian bytes.
func bytesOf(values ...any) (b []byte) {
	for _, v := range values {
		b = must.Get(binary.Append(b, binary.LittleEndian, v))
	}
	return b
}

// glbOf returns a GLB of a document and its buffer.
func glbOf(text string, bin []byte) []byte {
	text += strings.Repeat(" ", -len(text)&3)
	bin = slices.Concat(bin, make([]byte, -len(bin)&3))
	texts, bins := uint32(len(text)), uint32(len(bin))
	return slices.Concat([]byte("glTF"), bytesOf(uint32(2), 12+8+texts+8+bins, texts), []byte("JSON"+text), bytesOf(bins), []byte("BIN\x00"), bin)
}

// glbReader returns the reader of frames in binary glTF.
func glbReader() format.Reader {
	for _, r := range Readers() {
		if r.Name == "glb" {
			return r
		}
	}
	panic("no reader of GLB")
}
