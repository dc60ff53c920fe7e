//go:build linux

package format

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// TestMappedTakesNoMemory opens a file of a few MiB, and allocates less than a tenth of the scene's size.
func TestMappedTakesNoMemory(t *testing.T) {
	s := grid(300)
	require.NoError(t, s.MakeNormals(t.Context()))
	require.NoError(t, unitNormals(t.Context(), s.Normals))
	s.NormalsMade = false
	path := saved(t, "a.glb", s)
	taken := allocated(func() {
		for range 100 { // memory does not grow if each scene is released
			got := mustOpen(t, path, 1)
			require.NotNil(t, got.Backing)
			got.Release()
		}
	})
	require.Less(t, taken/100, s.Bytes()/10)
}

// TestMappedIsNotWrittenTo: orders and Save do not write to the mapped file, which would end the test with a fault.
func TestMappedIsNotWrittenTo(t *testing.T) {
	s := overlapping(t)
	path := saved(t, "a.glb", s)
	before := must.Get(os.ReadFile(path))
	for _, name := range order.Names() {
		for _, suffix := range []string{"", order.FetchSuffix} {
			got := mustOpen(t, path, 1)
			want := must.Get(order.Apply(t.Context(), s, name+suffix))
			ordered := must.Get(order.Apply(t.Context(), got, name+suffix))
			requireSame(t, want, ordered)
			require.NoError(t, Save(t.Context(), filepath.Join(t.TempDir(), "b.glb"), ordered))
			ordered.Release()
		}
	}
	// A file is replaced while its scene is open.
	got := mustOpen(t, path, 1)
	require.NoError(t, Save(t.Context(), path, grid(2)))
	requireSame(t, s, got)
	got.Release()
	after := must.Get(os.ReadFile(path))
	require.NotEqual(t, before, after)
}

// TestMappedNormals: normals that are not of unit length are normalized in memory.
func TestMappedNormals(t *testing.T) {
	s := grid(5)
	require.NoError(t, s.MakeNormals(t.Context()))
	s.Normals[7], s.NormalsMade = mgl32.Vec3{0, 0, 9}, false
	path := saved(t, "a.glb", s)
	got := mustOpen(t, path, 1)
	require.NotNil(t, got.Backing)
	require.Equal(t, mgl32.Vec3{0, 0, 1}, got.Normals[7])
	got.Release()
}

// TestMappedCutShort cuts the file after it is mapped and before it is read.
func TestMappedCutShort(t *testing.T) {
	s := grid(300)
	require.NoError(t, s.MakeNormals(t.Context()))
	path := saved(t, "a.glb", s)
	info := must.Get(os.Stat(path))
	for _, left := range []int64{0, 4096, info.Size() / 2, info.Size() - 8192} {
		require.NoError(t, Save(t.Context(), path, s))
		file := must.Get(os.Open(path))
		in := &Input{Path: path, Size: info.Size(), file: file, mapLeast: 1, Reader: file}
		require.NoError(t, os.Truncate(path, left))
		_, err := in.read(t.Context(), &glbReader)
		in.unmap(nil)
		require.NoError(t, file.Close())
		requireClear(t, path, err)
		require.Contains(t, err.Error(), "part of it was lost while it was read")
	}
}

// TestMappedChanges changes a file while its scene is in use: every use of the scene returns ErrLost or ErrChanged, without
// a panic.
func TestMappedChanges(t *testing.T) {
	s := grid(100)
	require.NoError(t, s.MakeNormals(t.Context()))
	path := filepath.Join(t.TempDir(), "a.glb")
	cpu := soft.New()
	defer cpu.Close()
	config := must.Get(reuse.Resolve("warp", 0, 0))
	for what, change := range map[string]func() error{
		"cut": func() error { return os.Truncate(path, 4096) },
		"indices": func() error {
			file := must.Get(os.OpenFile(path, os.O_RDWR, 0))
			defer file.Close()
			info := must.Get(file.Stat())
			data := bytes.Repeat([]byte{0xff}, int(info.Size()))
			if _, err := file.WriteAt(data[4096:], 4096); err != nil {
				return err
			}
			return os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)) // the time may not have changed yet on a coarse clock
		},
	} {
		require.NoError(t, Save(t.Context(), path, s))
		got := mustOpen(t, path, 1)
		require.NoError(t, got.Guard(func() error { return nil }))
		f := renderer.Frame{Scene: got, Reuse: config, Width: 8, Height: 8, Raster: renderer.SoftRaster, View: renderer.Shaded}
		p := must.Get(plan.New(f, cpu.Limits()))
		require.NoError(t, change())
		for name, use := range map[string]func() error{
			"order":     func() error { _, err := order.Apply(t.Context(), got, "forsyth"); return err },
			"summarize": func() error { return got.Guard(func() error { must.Get2(reuse.Summarize(got, config)); return nil }) },
			"plan": func() error {
				_, _, err := plan.Render(cpu, f, renderer.FitCamera(s.Bounds(), 1), renderer.WantColor)
				return err
			},
			"draw":    func() error { _, err := cpu.Exec(p, renderer.FitCamera(s.Bounds(), 1), renderer.WantColor); return err },
			"nothing": func() error { return got.Guard(func() error { return nil }) },
		} {
			err := use()
			require.True(t, errors.Is(err, geometry.ErrLost) || errors.Is(err, geometry.ErrChanged), "%s, %s: %v", what, name, err)
		}
		require.Zero(t, got.Bounds())
		got.Release()
	}
}

// TestMappedAsHeap: files of all kinds give the same scene, mapped or read.
func TestMappedAsHeap(t *testing.T) {
	m := &gltfMaker{}
	square, turned := m.floats(gltfSquare...), m.floats(slices.Repeat([]float32{0, 0, 1}, 4)...)
	short := m.shorts(0, 1, 2, 2, 1, 3)
	long := m.accessor(m.view([]uint32{0, 1, 2, 2, 1, 3}, ""), gltfUnsignedInt, "SCALAR", 6, "")
	odd := m.accessor(m.view([]uint32{0, 1, 2, 2, 1, 3, 1}, ""), gltfUnsignedInt, "SCALAR", 7, "")
	front, behind := m.floats(gltfSquare...), m.floats(gltfSquare...)
	away, here := m.floats(slices.Repeat([]float32{0, 0, -1}, 4)...), m.floats(slices.Repeat([]float32{0, 0, 1}, 4)...)
	crossed := fmt.Sprintf(`"meshes":[{"primitives":[{"attributes":{"POSITION":%d,"NORMAL":%d},"indices":%d},{"attributes":{"POSITION":%d,"NORMAL":%d},"indices":%d}]}]`,
		front, here, long, behind, away, long)
	high := m.accessor(m.view([]uint32{0, 1, 9}, ""), gltfUnsignedInt, "SCALAR", 3, "")
	mesh := func(position, normal, indices int, more string) string {
		return fmt.Sprintf(`"meshes":[{"primitives":[{"attributes":{"POSITION":%d,"NORMAL":%d},"indices":%d%s}]}]`, position, normal, indices, more)
	}
	for name, c := range map[string]struct {
		rest   string
		mapped bool
	}{
		"long":       {mesh(square, turned, long, ""), true},
		"left over":  {mesh(square, turned, odd, ""), true},
		"short":      {mesh(square, turned, short, ""), false},
		"strip":      {mesh(square, turned, long, `,"mode":5`), false},
		"twice":      {mesh(square, square, long, ""), true},
		"no normals": {fmt.Sprintf(`"meshes":[{"primitives":[{"attributes":{"POSITION":%d},"indices":%d}]}]`, square, long), true},
		"no indices": {fmt.Sprintf(`"meshes":[{"primitives":[{"attributes":{"POSITION":%d}}]}]`, square), false},
		"high":       {mesh(square, turned, high, ""), false},
		"crossed":    {crossed, false},
	} {
		data := m.glb(c.rest)
		path := writeFile(t, "a.glb", data)
		heap, heapErr := open(t.Context(), path, never)
		mapped, mappedErr := open(t.Context(), path, 1)
		require.Equal(t, heapErr, mappedErr, name)
		if heapErr != nil {
			require.False(t, c.mapped, name)
			continue
		}
		require.Equal(t, c.mapped, mapped.Backing != nil, name)
		requireDrawn(t, heap, mapped)
		mapped.Release()
	}
}

// requireDrawn requires that two scenes draw the same, wherever the data lies in the pools. Their
// normals may have been scaled in different ways.
func requireDrawn(t *testing.T, want, got *geometry.Scene) {
	require.Equal(t, len(want.Draws), len(got.Draws))
	for i := range want.Draws {
		w, g := want.Draws[i], got.Draws[i]
		require.Equal(t, want.DrawIndices(i), got.DrawIndices(i))
		require.Equal(t, want.Positions[w.VertexOffset:][:w.VertexCount], got.Positions[g.VertexOffset:][:g.VertexCount])
		for k, n := range want.Normals[w.VertexOffset:][:w.VertexCount] {
			other := got.Normals[g.VertexOffset:][k]
			require.InDeltaSlice(t, n[:], other[:], 1e-6)
		}
		g.FirstIndex, g.VertexOffset = w.FirstIndex, w.VertexOffset
		require.Equal(t, w, g, i)
	}
}

// TestMappedTruncated cuts and falsifies files: opening them mapped and read gives the same error
// or scene.
func TestMappedTruncated(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, WriteGLB(&out, overlapping(t)))
	whole := out.Bytes()
	path := filepath.Join(t.TempDir(), "a.glb")
	try := func(data []byte) error {
		require.NoError(t, os.WriteFile(path, data, 0o600))
		heap, heapErr := open(t.Context(), path, never)
		mapped, err := open(t.Context(), path, 1)
		require.Equal(t, heapErr, err)
		if err == nil {
			requireDrawn(t, heap, mapped)
			mapped.Release()
		} else {
			requireClear(t, path, err)
		}
		return err
	}
	require.NoError(t, try(whole))
	for n := 0; n < len(whole); n += 1 + n/50 {
		require.Error(t, try(whole[:n]))
		cut := bytes.Clone(whole[:n])
		if n >= 12 {
			binary.LittleEndian.PutUint32(cut[8:], uint32(n)) // a header with the length of the cut file
		}
		require.Error(t, try(cut))
	}
	text := int(binary.LittleEndian.Uint32(whole[12:]))
	for _, lie := range []struct{ old, new string }{
		{`"byteLength":1200`, `"byteLength":1196`}, {`"byteLength":1200`, `"byteLength":9999`}, {`"count":90`, `"count":99999`},
		{`"byteOffset":240`, `"byteOffset":241`}, {`"byteOffset":240`, `"byteOffset":-16`}, {`"byteOffset":240`, `"byteOffset":4294967296`},
		{`"byteOffset":240`, `"byteOffset":9223372036854775807`}, {`"byteStride":12`, `"byteStride":16`}, {`"componentType":5125`, `"componentType":5123`},
		{`"buffer":0`, `"buffer":7`}, {`"count":90`, `"count":-3`}, {`"type":"VEC3"`, `"type":"VEC4"`},
	} {
		doc := string(whole[20 : 20+text])
		require.Contains(t, doc, lie.old)
		_ = try(glbOf(strings.Replace(doc, lie.old, lie.new, 1), whole[20+text+8:]))
	}
	for i := range whole {
		broken := bytes.Clone(whole)
		broken[i] ^= 0x40
		if i%17 == 0 {
			_ = try(broken)
		}
	}
}
