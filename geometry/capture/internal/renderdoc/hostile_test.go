package renderdoc

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// samples are captures that use most of the reader.
func samples(t testing.TB) map[string]*made {
	gl := newGL(append(bytesOf[uint16](0, 1, 2, 0xffff, 3, 4, 5), bytesOf[uint32](3, 2, 0, 0, 0)...))
	gl.bind()
	gl.chunk("glEnable", enum("cap", "GL_PRIMITIVE_RESTART_FIXED_INDEX"))
	gl.elements("GL_TRIANGLE_STRIP", "GL_UNSIGNED_SHORT", 7, 0)
	gl.chunk("glBufferSubData", resource("buffer", glVertices), number("offset", 12), number("bytesize", 12), gl.blob("data", make([]byte, 12)))
	gl.chunk("glBindBuffer", enum("target", "GL_DRAW_INDIRECT_BUFFER"), resource("buffer", glIndices))
	gl.chunk("glDrawElementsIndirect", enum("mode", "GL_TRIANGLES"), enum("type", "GL_UNSIGNED_SHORT"), number("offset", 14))
	gl.chunk("glMultiDrawArrays", enum("mode", "GL_TRIANGLES"), array("first", number("", 7)), array("count", number("", 3)), number("drawcount", 1))
	vk := newVK(append([]byte{9, 9, 9, 9}, bytesOf[uint16](0, 1, 2)...), bytesOf[uint32](3, 1, 0, 0, 0))
	vk.begin()
	vk.record(vkCommands, "UINT16")
	vk.cmd(vkCommands, "vkCmdCopyBuffer", resource("srcBuffer", vkStaging), resource("destBuffer", vkVertices),
		array("pRegions", group("", number("srcOffset", 12), number("dstOffset", 24), number("size", 12))))
	vk.cmd(vkCommands, "vkCmdFillBuffer", resource("destBuffer", vkVertices), number("destOffset", 36), number("fillSize", 12), number("data", 0))
	vk.drawIndexed(vkCommands, 3, 2, 0, 0)
	vk.cmd(vkCommands, "vkCmdDrawIndexedIndirect", resource("buffer", vkStaging), number("offset", 0), number("count", 1), number("stride", 20))
	vk.chunk("Internal::Coherent Mapped Memory Write", group("MemRange", resource("memory", vkMemory), number("offset", 88), number("size", 12)), vk.blob("MapData", bytesOf[float32](60, 61, 62)))
	vk.submit(vkCommands)
	game := newGame(t)
	game.push(0, 1, 2)
	game.drawFrom(0, 2, 10, 3)
	game.submit(vkCommands)
	glGame := newGLTextures()
	glGame.elements("GL_TRIANGLES", "GL_UNSIGNED_BYTE", 3, 3)
	return map[string]*made{"gl": gl, "vk": vk, "vk shaders": game, "gl shaders": glGame}
}

// requireHarmless reads arbitrary bytes: the result must be a scene without ranges outside of its pools, or an error of one
// line, in bounded memory.
func requireHarmless(t testing.TB, xml, zipped []byte) error {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	in := input(xml, zipped)
	in.Compile, in.Textures = compileGame, true
	s, err := Read(t.Context(), in)
	if err == nil {
		for i := range s.Images {
			_, err = pixelsOf(s, i)
		}
	}
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20)+uint64(40*(len(xml)+len(zipped))))
	if err != nil {
		require.NotContains(t, err.Error(), "\n")
		require.NotEmpty(t, err.Error())
		return err
	}
	if err := s.Validate(t.Context()); err != nil {
		require.NotContains(t, err.Error(), "outside", "what a device would trust")
	}
	return nil
}

// stride is 1 for tests that try every byte of a file; with -short they try every thirteenth
// byte.
func stride() int {
	if testing.Short() {
		return 13
	}
	return 1
}

func TestTruncated(t *testing.T) {
	for name, m := range samples(t) {
		xml, zipped := m.xml(), m.zip(t)
		require.NoError(t, requireHarmless(t, xml, zipped), name)
		end := bytes.Index(xml, []byte("</chunks>")) + len("</chunks>")
		for n := 0; n < len(xml); n += stride() {
			err := requireHarmless(t, xml[:n], zipped)
			if n < end {
				require.Error(t, err, "XML cut to %d bytes", n)
			}
		}
		for n := 0; n < len(zipped); n += stride() {
			require.Error(t, requireHarmless(t, xml, zipped[:n]), "zip cut to %d bytes", n)
		}
	}
}

func TestMutated(t *testing.T) {
	for _, m := range samples(t) {
		xml, zipped := m.xml(), m.zip(t)
		for i := 0; i < len(xml); i += stride() {
			data := bytes.Clone(xml)
			data[i] = "\x00<9\""[i%4]
			_ = requireHarmless(t, data, zipped)
		}
		for i := 0; i < len(zipped); i += stride() {
			data := bytes.Clone(zipped)
			data[i] ^= 0x41
			_ = requireHarmless(t, xml, data)
		}
	}
}

// TestLyingNumbers puts huge, negative, broken and empty numbers in place of every number.
func TestLyingNumbers(t *testing.T) {
	for _, m := range samples(t) {
		xml, zipped := m.xml(), m.zip(t)
		for _, lie := range []string{"-1", "4294967295", "2147483648", "4611686018427387904", "9223372036854775807", "18446744073709551615", "99999999999999999999999", "1.5", ""} {
			for at := 0; ; {
				k := bytes.IndexByte(xml[at:], '>')
				if k < 0 {
					break
				}
				at += k + 1
				n := 0
				for at+n < len(xml) && (xml[at+n]-'0' <= 9 || xml[at+n] == '-') {
					n++
				}
				if n > 0 {
					_ = requireHarmless(t, bytes.Join([][]byte{xml[:at], []byte(lie), xml[at+n:]}, nil), zipped)
				}
			}
		}
	}
}

func TestRefuses(t *testing.T) {
	m := samples(t)["gl"]
	xml, zipped := string(m.xml()), m.zip(t)
	for _, c := range []struct{ from, to, cause string }{
		{"<rdc>", "<svg>", "is not a RenderDoc capture: it begins with \"svg\""},
		{">OpenGL<", ">D3D12<", `a capture of "D3D12": only Vulkan and OpenGL are supported`},
		{"<chunks version", "<junk version", "no chunks"},
		{"<rdc>", "<!DOCTYPE rdc [<!ENTITY a \"b\">]><rdc>", "a capture has no such markup"},
		{"</chunk>\n", "</chunk><other/>\n", "expected a chunk, found \"other\""},
		{"byteLength=\"12\"", "byteLength=\"13\"", "a.zip: entry 000002: has 12 bytes, and the XML says 13"},
		{"glEnable\"", "glEnable\" " + strings.Repeat("x", maxTag), "a tag of more than"},
		{"<enum", strings.Repeat("<struct>", maxDepth) + "<enum", "of too many parts"},
	} {
		changed := strings.Replace(xml, c.from, c.to, 1)
		require.NotEqual(t, xml, changed)
		require.ErrorContains(t, requireHarmless(t, []byte(changed), zipped), c.cause)
	}
	for _, data := range [][]byte{nil, []byte("PK"), []byte(xml), bytes.Repeat([]byte{0}, 5000)} {
		require.ErrorContains(t, requireHarmless(t, []byte(xml), data), "a.zip is not a zip file, or ends early")
	}
	broken := bytes.Clone(zipped)
	broken[bytes.Index(broken, []byte("000000"))+10] ^= 0xff
	require.ErrorContains(t, requireHarmless(t, []byte(xml), broken), "a.zip: entry 000000: cannot be unpacked")
	broken = bytes.Clone(zipped)
	broken[bytes.Index(broken, []byte("PK\x01\x02"))+16] ^= 0xff
	require.ErrorContains(t, requireHarmless(t, []byte(xml), broken), "a.zip: entry 000000: cannot be unpacked: zip: checksum error")
}

// TestOtherVersions reads a capture of another RenderDoc version; the scene's notes say so.
func TestOtherVersions(t *testing.T) {
	m := samples(t)["vk"]
	xml := strings.Replace(string(m.xml()), `chunks version="21"`, `chunks version="26"`, 1)
	s, err := Read(t.Context(), input([]byte(xml), m.zip(t)))
	require.NoError(t, err)
	require.Equal(t, "the chunks have version 26, and only 21 was checked: draws may be missing", s.Skipped[0])
}

func TestMissingEntry(t *testing.T) {
	m := samples(t)["gl"]
	delete(m.entries, 2)
	require.Equal(t, []string{"1 x glBufferSubData: its bytes are not in a.zip"}, m.scene(t).Skipped)
	delete(m.entries, 0)
	_, err := Read(t.Context(), m.input(t))
	require.ErrorContains(t, err, "its vertices are not in the capture")
	require.ErrorContains(t, err, "1 x glBufferData: its bytes are not in a.zip")
}

// TestBombs reads captures with entries that unpack to far more than their size.
func TestBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("unpacks gigabytes")
	}
	// Zeros that no draw reads are skipped.
	m := newGL(bytesOf[uint8](0, 1, 2))
	m.chunk("glBufferData", resource("buffer", glOther), number("bytesize", 1<<28), m.blob("data", make([]byte, 1<<28)))
	m.bind()
	m.elements("GL_TRIANGLES", "GL_UNSIGNED_BYTE", 3, 0)
	zipped := m.zip(t)
	require.NoError(t, requireHarmless(t, m.xml(), zipped))

	// The directory claims a larger entry than deflate can make of the bytes.
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for n := range 2 {
		e, err := w.CreateRaw(&zip.FileHeader{Name: fmt.Sprintf("%06d", n), Method: zip.Deflate, UncompressedSize64: 1 << 40, CompressedSize64: 4})
		require.NoError(t, err)
		must.Get(e.Write([]byte{1, 2, 3, 4}))
	}
	require.NoError(t, w.Close())
	text := string(m.xml())
	for _, length := range []string{"1200", "3"} {
		text = strings.Replace(text, "byteLength=\""+length+"\"", fmt.Sprintf("byteLength=\"%d\"", 1<<40), 1)
		text = strings.Replace(text, "<uint name=\"bytesize\" typename=\"x\">"+length+"<", fmt.Sprintf("<uint name=\"bytesize\" typename=\"x\">%d<", 1<<40), 1)
	}
	require.ErrorContains(t, requireHarmless(t, []byte(text), b.Bytes()), "4 bytes cannot unpack to 1099511627776")

	// The same bytes are used many times.
	m = newGL(bytesOf[uint8](0, 1, 2))
	entry := m.blob("data", make([]byte, 1<<28))
	for range 20 {
		m.chunk("glBufferData", resource("buffer", glVertices), number("bytesize", 1<<28), entry)
	}
	m.bind()
	m.chunk("glDrawArrays", enum("mode", "GL_TRIANGLES"), number("first", 22369600), number("count", 3))
	_, err := Read(t.Context(), m.input(t))
	require.ErrorContains(t, err, "takes more than 3756 million steps of work, too much for 4.997 MiB of file")
}

// TestMemoryIsBounded reads small captures that ask for much memory.
func TestMemoryIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a gigabyte")
	}
	// Buffers of zeros that are never written.
	m := newGL(bytesOf[uint8](0, 1, 2))
	for n := range 4 {
		m.chunk("glBufferData", resource("buffer", 50+n), number("bytesize", 1<<40), element("null", "data", "", ""))
	}
	m.bind()
	array := resource("vaobj", glArray)
	for n := range 4 {
		m.chunk("glBindVertexBuffer", array, number("bindingindex", 0), resource("buffer", 50+n), number("offset", 0), number("stride", 12))
		m.chunk("glDrawArrays", enum("mode", "GL_TRIANGLES"), number("first", 1<<30), number("count", 3))
		m.chunk("glDrawArrays", enum("mode", "GL_TRIANGLES"), number("first", 0), number("count", 1<<30))
	}
	_, err := Read(t.Context(), m.input(t))
	require.ErrorContains(t, err, "MiB of memory, too much for ")

	// The numbers of instances are huge.
	m = newGL(bytesOf[uint8](0, 1, 2))
	m.bind()
	draw := func(instances int) {
		m.chunk("glDrawElementsInstanced", enum("mode", "GL_TRIANGLES"), number("count", 3), enum("type", "GL_UNSIGNED_BYTE"), number("indices", 0), number("instancecount", instances))
	}
	draw(math.MaxInt32)
	draw(maxDraws)
	draw(1)
	in := m.input(t)
	_, err = Read(t.Context(), in)
	require.ErrorContains(t, err, "MiB of memory, too much for ")
	in = m.input(t)
	in.Budget.Known(1 << 30) // as large a budget as that of all files of a game
	s, err := Read(t.Context(), in)
	require.NoError(t, err)
	require.Len(t, s.Draws, maxDraws)
	require.Contains(t, s.Skipped, "2 x glDrawElementsInstanced: more draws and instances than are supported")
}

// TestSparse draws few vertices that are far apart.
func TestSparse(t *testing.T) {
	const far = 1 << 17
	data, _ := corners(3)
	m := newMade("OpenGL")
	vertices := make([]byte, 12*(far+1))
	copy(vertices, data[:24])
	copy(vertices[12*far:], data[24:])
	m.chunk("glBufferData", resource("buffer", glVertices), number("bytesize", len(vertices)), m.blob("data", vertices))
	indices := bytesOf[uint32](far, 1, 0, far, 0, 1)
	m.chunk("glBufferData", resource("buffer", glIndices), number("bytesize", len(indices)), m.blob("data", indices))
	m.bind()
	m.elements("GL_TRIANGLES", "GL_UNSIGNED_INT", 6, 0)
	s := m.scene(t)
	require.Equal(t, []int{2, 1, 0, 2, 0, 1}, ids(s, 0))
	require.Equal(t, uint32(3), s.Draws[0].VertexCount)
	require.Len(t, s.Positions, 3)
}

// failing is a file that cannot be read to its end.
type failing struct{ r *bytes.Reader }

func (f failing) Read(b []byte) (int, error) {
	if n, _ := f.r.Read(b[:min(len(b), 7)]); n > 0 {
		return n, nil
	}
	return 0, errors.New("the disk is gone")
}

// TestReaders reads the XML in small pieces from a file that then fails.
func TestReaders(t *testing.T) {
	m := samples(t)["vk"]
	in := m.input(t)
	want, err := Read(t.Context(), in)
	require.NoError(t, err)
	in = m.input(t)
	in.XML = failing{bytes.NewReader(m.xml())}
	got, err := Read(t.Context(), in)
	require.NoError(t, err, "what follows the chunks is not read")
	require.Equal(t, want, got)
	in = m.input(t)
	in.XML = failing{bytes.NewReader(m.xml()[:500])}
	_, err = Read(t.Context(), in)
	require.ErrorContains(t, err, "the disk is gone")
}

// FuzzCapture holds the reader to requireHarmless. The input is XML, and then a
// zip file whose length is in the last four bytes.
func FuzzCapture(f *testing.F) {
	for _, m := range samples(f) {
		zipped := m.zip(f)
		f.Add(append(append(m.xml(), zipped...), binary.LittleEndian.AppendUint32(nil, uint32(len(zipped)))...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 4 {
			return
		}
		n := int(binary.LittleEndian.Uint32(data[len(data)-4:]))
		data = data[:len(data)-4]
		if n > len(data) {
			return
		}
		_ = requireHarmless(t, data[:len(data)-n], data[len(data)-n:])
	})
}

// TestCosts reads small captures that would cost much: each is read, or refused for its cost.
func TestCosts(t *testing.T) {
	// Empty draws are counted together.
	m := newGL(bytesOf[uint8](0, 1, 2))
	m.chunk("glBufferData", resource("buffer", glOther), number("bytesize", 20*(maxDraws+1)), element("null", "data", "", ""))
	m.bind()
	m.elements("GL_TRIANGLES", "GL_UNSIGNED_BYTE", 3, 0)
	m.chunk("glBindBuffer", enum("target", "GL_DRAW_INDIRECT_BUFFER"), resource("buffer", glOther))
	for more := range 2 {
		m.chunk("glMultiDrawElementsIndirect", enum("mode", "GL_TRIANGLES"), enum("type", "GL_UNSIGNED_BYTE"), number("offset", 0), number("drawcount", maxDraws+more), number("stride", 20))
	}
	require.Equal(t, []string{"1 x glMultiDrawElementsIndirect: more than 262144 draws", "262144 x glMultiDrawElementsIndirect: nothing to draw"}, m.scene(t).Skipped)

	// A draw's name keeps its event, while the names of its groups are cut.
	m = newGL(bytesOf[uint8](0, 1, 2))
	m.bind()
	for range 64 {
		m.chunk("glPushDebugGroup", element("string", "message", "", strings.Repeat("文", 60)))
	}
	m.elements("GL_TRIANGLES", "GL_UNSIGNED_BYTE", 3, 0)
	name := m.scene(t).Draws[0].Name
	require.Less(t, len(name), 300)
	require.Regexp(t, `^pass 1 / 文+.*\.\.\. / event \d+ glDrawElements$`, name)

	// A chunk of many parts is charged while it is read.
	m = newGL(bytesOf[uint8](0, 1, 2))
	m.chunk("glBindVertexBuffers", number("first", 0), element("array", "buffers", "", strings.Repeat("<a>1</a>", 1<<20)))
	in := m.input(t)
	in.Budget.Packed(1 << 10)
	_, err := Read(t.Context(), in)
	require.ErrorContains(t, err, "of memory, too much for")

	// The zip file's directory is charged.
	in = m.input(t)
	require.NoError(t, in.Budget.Memory(budget.MemorySlack))
	_, err = openBlobs(t.Context(), in)
	require.ErrorContains(t, err, "of memory, too much for")
}

// TestRangesOfManyRuns compares the set with a linearly searched one.
func TestRangesOfManyRuns(t *testing.T) {
	r, all := &ranges{}, [][2]int64{}
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		at := random.Int64N(1 << 20)
		end := at + random.Int64N(64)
		if random.IntN(3) > 0 {
			r.add(at, end)
			if at < end {
				all = append(all, [2]int64{at, end})
			}
			continue
		}
		want := slices.ContainsFunc(all, func(a [2]int64) bool { return a[0] < end && at < a[1] && at < end })
		require.Equal(t, want, at < end && r.overlaps(at, end))
	}
	r.merge(0)
	require.Len(t, r.runs, 1)
	require.Equal(t, joined(all), r.all())
	end := r.all()[0][1]
	require.False(t, r.overlaps(end, end+1), "it begins where a range ends")
}
