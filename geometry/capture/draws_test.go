package capture

import (
	"bytes"
	"encoding/binary"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
)

// drawsFile is a table of two draws, the first of two instances.
func drawsFile() []byte {
	b := bytes.NewBufferString(drawsMagic)
	word := func(values ...uint32) {
		for _, v := range values {
			_ = binary.Write(b, binary.LittleEndian, v)
		}
	}
	vertices := func(values ...float32) {
		for _, v := range values {
			word(math.Float32bits(v))
		}
	}
	word(2, 2, 3, 3)
	vertices(0, 0, 0, 1, 0, 0, 0, 1, 0)
	word(0, 1, 2)
	word(1, 4, 6)
	vertices(0, 0, 0, 1, 0, 0, 0, 1, 0, 5, 6, 7)
	word(0, 1, 2, 2, 1, 3)
	return b.Bytes()
}

func readDraws(data []byte) (*geometry.Scene, error) {
	return load(drawsReader, "a.draws", data, false)
}

func TestDraws(t *testing.T) {
	s, err := readDraws(drawsFile())
	require.NoError(t, err)
	require.NoError(t, s.Validate(t.Context()))
	require.NotNil(t, s.Capture)
	require.Len(t, s.Draws, 3)
	require.Equal(t, s.Draws[0], s.Draws[1])
	require.Equal(t, []uint32{0, 1, 2, 2, 1, 3}, s.DrawIndices(2))
	require.Equal(t, mgl32.Vec3{5, 6, 7}, s.Positions[s.Draws[2].VertexOffset+3])
	require.Equal(t, 4, s.Triangles())
}

func TestDrawsRefuses(t *testing.T) {
	whole := drawsFile()
	for n := range whole {
		if n == len(whole) {
			continue
		}
		_, err := readDraws(whole[:n])
		require.ErrorContains(t, err, "the file ends early", "%d bytes", n)
	}
	_, err := readDraws(append(drawsFile(), 0))
	require.ErrorContains(t, err, "goes on after its last draw")
	for _, c := range []struct {
		at    int
		value uint32
		cause string
	}{
		{0, 7, "begins with"}, {12, 1 << 30, "instances make more than"}, {20, 4, "make no triangles"},
		{16, math.MaxUint32, "too many"}, {16, 1 << 28, "more than"}, {20, 3 << 28, "more than"}, {8, 3, "ends early"},
	} {
		bad := drawsFile()
		binary.LittleEndian.PutUint32(bad[c.at:], c.value)
		_, err := readDraws(bad)
		var known *format.Error
		require.ErrorAs(t, err, &known)
		require.NotContains(t, err.Error(), "\n")
		if !strings.Contains(err.Error(), c.cause) {
			require.ErrorContains(t, err, "ends early", "%d: %d", c.at, c.value)
		}
	}
}

func FuzzDraws(f *testing.F) {
	f.Add(drawsFile())
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 0 {
			_ = requireHarmless(t, drawsReader, "fuzz.draws", data)
		}
	})
}

// TestSharedDraws opens every shared frame that is a table.
func TestSharedDraws(t *testing.T) {
	files := must.Get(filepath.Glob(filepath.Join(shareddata.Path(t, "captures"), "*.draws.zst")))
	require.NotEmpty(t, files)
	for _, file := range files {
		s, err := Open(t.Context(), file)
		require.NoError(t, err)
		require.NotEmpty(t, s.Draws, file)
		if strings.HasPrefix(filepath.Base(file), "stk_gl_black_forest") {
			require.Equal(t, 980745, s.Triangles())
		}
	}
}
