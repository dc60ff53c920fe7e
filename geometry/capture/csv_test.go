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

// csvPlain is a table of vertex inputs, as RenderDoc writes it.
const csvPlain = "VTX, IDX, COLOR0.x, COLOR0.y, COLOR0.z, POSITION.x, POSITION.y, POSITION.z, TEXCOORD0.x, TEXCOORD0.y\n" +
	"0, 7, 9, 9, 9, 0, 0, 0, 0.5, 0.5\n1, 3, 9, 9, 9, 1.0, 0.0, 0.0, 0, 1\n2, 9, 9, 9, 9, 0, 1E0, 0, 1, 1\n" +
	"3, 7, 9, 9, 9, 0, 0, 0, 0, 0\n4, 9, 9, 9, 9, 0, 1, 0, 0, 0\n5, 4000000000, 9, 9, 9, 0, 0, 1, 0, 0\n"

func TestCSV(t *testing.T) {
	// The vertex numbers 3, 7, 9, 4000000000 become 0, 1, 2, 3.
	positions := []mgl32.Vec3{{1, 0, 0}, {0, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	for name, text := range map[string]string{
		"plain":       csvPlain,
		"CRLF":        strings.ReplaceAll(csvPlain, "\n", "\r\n"),
		"tabs":        strings.ReplaceAll(csvPlain, ", ", "\t"),
		"semicolons":  strings.ReplaceAll(csvPlain, ",", ";"),
		"narrow":      strings.ReplaceAll(csvPlain, ", ", ","),
		"mark":        "\xef\xbb\xbf" + csvPlain,
		"blank lines": strings.ReplaceAll(csvPlain, "\n", "\n\n"),
		"no last end": strings.TrimSuffix(csvPlain, "\n"),
		"quoted":      strings.Replace(csvPlain, "POSITION.x", `"POSITION.x"`, 1),
		"GL input":    strings.ReplaceAll(csvPlain, "POSITION", "attr_Position"),
		"GL output":   strings.ReplaceAll(csvPlain, "POSITION", "gl_Position"),
		"D3D output":  strings.ReplaceAll(csvPlain, "POSITION", "SV_POSITION"),
		"HLSL":        strings.ReplaceAll(csvPlain, "POSITION", "in_POSITION0"),
		"no name":     strings.NewReplacer("COLOR0.z", "COLOR0.w", "POSITION", "ATTRIBUTE4").Replace(csvPlain),
	} {
		s, err := loadBoth(t, csvReader, "mesh.csv", []byte(text))
		require.NoError(t, err, name)
		require.Equal(t, positions, s.Positions, name)
		require.Equal(t, []uint32{1, 0, 2, 1, 2, 3}, s.Indices, name)
	}
	s, err := Open(t.Context(), writeFiles(t, map[string][]byte{"mesh.txt": []byte(csvPlain)})+"/mesh.txt")
	require.NoError(t, err, "known by its header")
	require.Len(t, s.Positions, 4)
	s, err = loadBoth(t, csvReader, "a.csv", []byte("pos.x,pos.y,pos.z\n0,0,0\n1,0,0\n0,1,0\n"))
	require.NoError(t, err)
	require.Equal(t, []uint32{0, 1, 2}, s.Indices, "a row a vertex")
	s, err = loadBoth(t, csvReader, "b.csv", []byte("IDX,pos.x,pos.y,pos.z\n5,1,0,0\n6,2,0,0\n5,3,0,0\n"))
	require.NoError(t, err)
	require.Equal(t, []mgl32.Vec3{{1, 0, 0}, {2, 0, 0}}, s.Positions, "the first row of a vertex counts")
}

func TestCSVPosition(t *testing.T) {
	for header, want := range map[string]int{
		"normal.x normal.y normal.z position.x position.y position.z":                3,
		"vtx idx sv_position.x sv_position.y sv_position.z sv_position.w":            2,
		"position.x position.y texcoord.x texcoord.y texcoord.z":                     2,
		"worldpos.x worldpos.y worldpos.z gl_position.x gl_position.y gl_position.z": 3,
		"position0.x position0.y position0.z position1.x position1.y position1.z":    0,
		"position.x position.y position.z position.x position.y position.z":          0,
		"position.x position.y": -1, "": -1, "x y z": -1,
	} {
		at, found := csvPosition(strings.Fields(header))
		require.Equal(t, want >= 0, found, header)
		if found {
			require.Equal(t, [3]int{want, want + 1, want + 2}, at, header)
		}
	}
}

func TestCSVRefuses(t *testing.T) {
	for _, c := range []struct{ name, from, to, cause string }{
		{"2D", ".z", ".w", "line 1: no columns of positions"},
		{"short row", "\n4, 9, 9", "\n4, 9", "line 6: 9 columns, and the header has 10"},
		{"restart", "\n4, 9,", "\n4, --,", "line 6: a primitive restart"},
		{"index", "\n4, 9,", "\n4, x,", `line 6: "x" is not a whole number`},
		{"negative", "\n4, 9,", "\n4, -9,", "line 6: index -9"},
		{"large", "4000000000", "5000000000", "line 7: index 5000000000"},
		{"out of bounds", "1E0", "---", `line 4: "---" is not a finite number`},
		{"nan", "1E0", "nan", "line 4"},
		{"cut row", "0, 7,", "\n", "line 3: 8 columns"},
		{"a row less", "5, 4000000000, 9, 9, 9, 0, 0, 1, 0, 0\n", "", "5 rows are not a triangle list"},
	} {
		text := strings.ReplaceAll(csvPlain, c.from, c.to)
		require.NotEqual(t, csvPlain, text)
		_, err := loadBoth(t, csvReader, "bad.csv", []byte(text))
		requireClear(t, "bad.csv", err)
		require.Contains(t, err.Error(), c.cause, c.name)
	}
	for text, cause := range map[string]string{"VTX, IDX, POSITION.x, POSITION.y, POSITION.z\n": "bad.csv", "\n\n": "line 3: the file ends early"} {
		_, err := loadBoth(t, csvReader, "bad.csv", []byte(text))
		requireClear(t, "bad.csv", err)
		require.ErrorContains(t, err, cause)
	}
}

// TestCSVColumns: a table with very many columns is refused before it costs much.
func TestCSVColumns(t *testing.T) {
	require.Len(t, csvFields(bytes.Repeat([]byte(","), 1<<20), ',', nil), csvMostColumns+1)
	for _, columns := range []string{strings.Repeat("P.x,", 60_000), strings.Repeat(",", 1<<20)} {
		_, err := loadBoth(t, csvReader, "a.csv", []byte("VTX,IDX,"+columns+"POSITION.x,POSITION.y,POSITION.z\n"))
		require.ErrorContains(t, err, "line 1: more than 4096 columns")
	}
}

// drawsFile is a table of two draws, the first of two instances.
func drawsFile() []byte {
	return bytesOf([]byte(drawsMagic), []uint32{2, 2, 3, 3}, []float32{0, 0, 0, 1, 0, 0, 0, 1, 0}, []uint32{0, 1, 2},
		[]uint32{1, 4, 6}, []float32{0, 0, 0, 1, 0, 0, 0, 1, 0, 5, 6, 7}, []uint32{0, 1, 2, 2, 1, 3})
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
