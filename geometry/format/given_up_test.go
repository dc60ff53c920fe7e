package format

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/progress"
)

// errEnough is why tests give up.
var errEnough = errors.New("enough")

// largeFiles writes a scene in every format that can hold one, also those that Save
// does not know.
func largeFiles(t *testing.T, s *geometry.Scene) []string {
	folder := t.TempDir()
	var paths []string
	write := func(name string, data []byte) {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, data, 0o600))
		paths = append(paths, path)
	}
	for _, name := range []string{"a.ply", "a.obj", "a.glb"} {
		paths = append(paths, filepath.Join(folder, name))
		require.NoError(t, Save(t.Context(), paths[len(paths)-1], s))
	}
	plain, err := os.ReadFile(paths[0])
	require.NoError(t, err)
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	require.NoError(t, err)
	_, err = z.Write(plain)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	write("b.ply.gz", packed.Bytes())
	encoder, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	write("c.ply.zst", encoder.EncodeAll(plain, nil))
	write("a.stl", stlOf(s))
	write("a.off", offOf(s))
	write("a.csv", csvOf(s))
	write("a.draws", drawsOf(s))
	text, bin := gltfOf(s)
	write("a.gltf", fmt.Appendf(nil, text, `"uri":"data:;base64,`+base64.StdEncoding.EncodeToString(bin)+`",`))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "b.bin"), bin, 0o600))
	write("b.gltf", fmt.Appendf(nil, text, `"uri":"b.bin",`))
	return paths
}

func stlOf(s *geometry.Scene) []byte {
	b := make([]byte, 80, stlHeaderBytes+stlTriangleBytes*s.Triangles())
	b = binary.LittleEndian.AppendUint32(b, uint32(s.Triangles()))
	for k, id := range s.Indices {
		if k%3 == 0 {
			b = append(b, make([]byte, 12)...)
		}
		for _, f := range s.Positions[id] {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
		}
		if k%3 == 2 {
			b = append(b, 0, 0)
		}
	}
	return b
}

func offOf(s *geometry.Scene) []byte {
	b := fmt.Appendf(nil, "OFF\n%d %d 0\n", len(s.Positions), s.Triangles())
	for _, p := range s.Positions {
		b = fmt.Appendln(b, p[0], p[1], p[2])
	}
	for k := 0; k < len(s.Indices); k += 3 {
		b = fmt.Appendln(b, 3, s.Indices[k], s.Indices[k+1], s.Indices[k+2])
	}
	return b
}

func csvOf(s *geometry.Scene) []byte {
	b := []byte("VTX,IDX,POSITION.x,POSITION.y,POSITION.z\n")
	for k, id := range s.Indices {
		p := s.Positions[id]
		b = fmt.Appendf(b, "%d,%d,%g,%g,%g\n", k, id, p[0], p[1], p[2])
	}
	return b
}

func drawsOf(s *geometry.Scene) []byte {
	b := []byte(drawsMagic)
	for _, word := range []int{1, 1, len(s.Positions), len(s.Indices)} {
		b = binary.LittleEndian.AppendUint32(b, uint32(word))
	}
	_, bin := gltfOf(s)
	return append(b, bin...)
}

// gltfOf is a document with a place for its buffer's URI, and the buffer.
func gltfOf(s *geometry.Scene) (text string, bin []byte) {
	for _, p := range s.Positions {
		for _, f := range p {
			bin = binary.LittleEndian.AppendUint32(bin, math.Float32bits(f))
		}
	}
	at := len(bin)
	for _, id := range s.Indices {
		bin = binary.LittleEndian.AppendUint32(bin, id)
	}
	text = fmt.Sprintf(`{"asset":{"version":"2.0"},"buffers":[{%%s"byteLength":%d}],
		"bufferViews":[{"buffer":0,"byteLength":%d},{"buffer":0,"byteOffset":%d,"byteLength":%d}],
		"accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":%d,"min":[-1,-1,-1],"max":[1,1,1]},
		{"bufferView":1,"componentType":5125,"type":"SCALAR","count":%d}],
		"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}]}`,
		len(bin), at, at, len(bin)-at, len(s.Positions), len(s.Indices))
	return text, bin
}

// requireNothingLeft requires that no more goroutines run than before and that none
// of the file is mapped.
func requireNothingLeft(t *testing.T, goroutines int, path string) {
	t.Helper()
	for range 1000 {
		if runtime.NumGoroutine() <= goroutines {
			break
		}
		time.Sleep(time.Millisecond)
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), goroutines)
	if maps, err := os.ReadFile("/proc/self/maps"); err == nil {
		require.NotContains(t, string(maps), path)
	}
}

// lateness opens a file and gives up once so much is done; it is how long that
// takes to have an effect, and negative where the file was opened before.
func lateness(t *testing.T, path string, at float64) time.Duration {
	t.Helper()
	goroutines := runtime.NumGoroutine()
	wanted, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	var since atomic.Int64
	var once sync.Once
	scene, err := open(progress.With(wanted, func(done float64) {
		if done >= at {
			once.Do(func() {
				since.Store(time.Now().UnixNano())
				stop(errEnough)
			})
		}
	}), path, 1)
	late := time.Duration(time.Now().UnixNano() - since.Load())
	if since.Load() == 0 {
		require.NoError(t, err)
		scene.Release()
		return -1
	}
	require.ErrorIs(t, err, errEnough)
	require.Nil(t, scene)
	var bad *Error
	require.ErrorAs(t, err, &bad)
	require.Equal(t, path+": not opened: enough", err.Error())
	stop(nil)
	requireNothingLeft(t, goroutines, path)
	return late
}

// TestOpenIsGivenUp in the middle of each reader: at once, held against the time
// that opening takes, by the best of several tries since others use the machine too.
func TestOpenIsGivenUp(t *testing.T) {
	side := 700
	if testing.Short() {
		side = 100
	}
	for _, path := range largeFiles(t, grid(side)) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			whole := time.Duration(math.MaxInt64)
			for range 2 {
				start, last := time.Now(), 0.
				var lock sync.Mutex
				s, err := open(progress.With(t.Context(), func(done float64) {
					lock.Lock()
					defer lock.Unlock()
					require.GreaterOrEqual(t, done, last-.1, "progress goes back")
					last = max(last, done)
				}), path, 1)
				require.NoError(t, err)
				require.InDelta(t, 1, last, 1e-9, "progress ends early")
				s.Release()
				whole = min(whole, time.Since(start))
			}
			var said []string
			for _, at := range []float64{.01, .2, .4, .6, .75, .85, .95} {
				least := time.Duration(math.MaxInt64)
				for range 5 {
					late := lateness(t, path, at)
					require.GreaterOrEqual(t, late, time.Duration(0), "nothing was told at %g", at)
					if least = min(least, late); least < whole/10 {
						break
					}
				}
				said = append(said, fmt.Sprintf("%g: %.1f ms", at, least.Seconds()*1e3))
				if !testing.Short() {
					require.Less(t, least, max(whole/10, 20*time.Millisecond), "given up at %g", at)
				}
			}
			t.Logf("%.0f ms; given up at %s", whole.Seconds()*1e3, strings.Join(said, ", "))
		})
	}
}

// TestOpenIsNotBegun once nobody wants it.
func TestOpenIsNotBegun(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errEnough)
	for _, path := range largeFiles(t, grid(3)) {
		_, err := Open(ctx, path)
		require.ErrorIs(t, err, errEnough, path)
	}
	_, err := Open(ctx, "none such.ply")
	require.ErrorIs(t, err, errEnough)
}
