package format

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// grid is a height field of n by n quads, two triangles each.
func grid(n int) *geometry.Scene {
	s := &geometry.Scene{Name: "grid"}
	for y := range n + 1 {
		for x := range n + 1 {
			u, v := float32(x)/float32(n), float32(y)/float32(n)
			s.Positions = append(s.Positions, mgl32.Vec3{u*2 - 1, 0.1 * u * v * (1 - u*v*v), v*2 - 1})
		}
	}
	row := uint32(n + 1)
	for y := range uint32(n) {
		for x := range uint32(n) {
			a := y*row + x
			s.Indices = append(s.Indices, a, a+1, a+row, a+row, a+1, a+row+1)
		}
	}
	s.Draws = []geometry.Draw{wholeDraw(s)}
	return s
}

// BenchmarkPLY7M and BenchmarkOBJ7M read a grid of 7 million triangles from a file that Save has
// written. They report the reader's speed on GOMAXPROCS cores, and the peak of the process's
// memory during Open as a multiple of the scene's size (0 if the system does not report it).
func BenchmarkPLY7M(b *testing.B) { benchmarkRead(b, "grid.ply", &plyReader) }

func BenchmarkOBJ7M(b *testing.B) { benchmarkRead(b, "grid.obj", &objReader) }

func benchmarkRead(b *testing.B, name string, reader *Reader) {
	path := filepath.Join(b.TempDir(), name)
	require.NoError(b, Save(b.Context(), path, grid(1871)))
	info := must.Get(os.Stat(path))
	b.Run("read", func(b *testing.B) {
		b.SetBytes(info.Size())
		for b.Loop() {
			file := must.Get(os.Open(path))
			s := must.Get(reader.Read(b.Context(), &Input{Reader: file, Path: path, Size: info.Size()}))
			require.Equal(b, 2*1871*1871, s.Triangles())
			file.Close()
		}
	})
	b.Run("open", func(b *testing.B) { benchmarkOpen(b, path) })
}

// benchmarkOpen reports the speed and the peak memory of Open.
func benchmarkOpen(b *testing.B, path string) {
	info := must.Get(os.Stat(path))
	b.SetBytes(info.Size())
	ratio := 0.0
	for b.Loop() {
		b.StopTimer()
		base := resetPeak()
		b.StartTimer()
		s := must.Get(Open(b.Context(), path))
		b.StopTimer()
		ratio = max(ratio, float64(peak()-base)/float64(s.Bytes()))
		b.StartTimer()
	}
	b.ReportMetric(ratio, "peak/scene")
}

// resetPeak returns the process's resident memory, in bytes, and starts a new peak. It works only
// on Linux and returns 0 elsewhere.
func resetPeak() int64 {
	runtime.GC()
	debug.FreeOSMemory()
	if os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) != nil {
		return 0
	}
	return peak()
}

func peak() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for l := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(l, "VmHWM:"); ok {
			var kib int64
			if _, err := fmt.Sscan(strings.TrimSuffix(strings.TrimSpace(rest), "kB"), &kib); err == nil {
				return kib << 10
			}
		}
	}
	return 0
}

// BenchmarkScanFloat parses numbers as they occur in mesh files.
func BenchmarkScanFloat(b *testing.B) {
	text := []byte("-0.0378297 0.12794 0.00447467 1.5e-05 -12.345678 ")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		for i := 0; i < len(text); i++ {
			_, i, _ = scanFloat(text, i)
		}
	}
}

// BenchmarkOBJTriples reads a file whose vertices are triples of indices. The reader has to find
// equal triples, so it needs the most memory besides the scene.
func BenchmarkOBJTriples(b *testing.B) {
	const n = 1000
	path := filepath.Join(b.TempDir(), "triples.obj")
	s := grid(n)
	file := must.Get(os.Create(path))
	out := bufio.NewWriter(file)
	for _, p := range s.Positions {
		fmt.Fprintf(out, "v %g %g %g\nvt %g %g\nvn %g 1 %g\n", p[0], p[1], p[2], p[0], p[2], p[0], p[1])
	}
	last := len(s.Positions)
	for k := 0; k < len(s.Indices); k += 3 {
		out.WriteString("f")
		for _, id := range s.Indices[k : k+3] {
			fmt.Fprintf(out, " %d/%d/%d", id+1, id+1, last-int(id))
		}
		out.WriteString("\n")
	}
	require.NoError(b, out.Flush())
	require.NoError(b, file.Close())
	benchmarkOpen(b, path)
}
