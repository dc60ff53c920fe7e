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
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/progress"
)

// errEnough is why tests give up.
var errEnough = errors.New("enough")

// largeFiles writes a scene in every format, and one of fewer triangles where
// reading takes long.
func largeFiles(t *testing.T, s, fewer *geometry.Scene) []string {
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
	write("a.stl", stlOf(fewer))
	write("a.off", offOf(fewer))
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
	for runtime.NumGoroutine() > goroutines { // else go test's own limit ends it
		time.Sleep(time.Millisecond)
	}
	if maps, err := os.ReadFile("/proc/self/maps"); err == nil {
		require.NotContains(t, string(maps), path)
	}
}

// looks is a context that counts how often it is asked whether the work is still
// wanted, and says no from one look on.
type looks struct {
	context.Context
	made, last atomic.Int64
}

func newLooks(last int64) *looks {
	l := &looks{Context: context.Background()}
	l.last.Store(last)
	return l
}

func (l *looks) Err() error {
	if l.made.Add(1) > l.last.Load() {
		return errEnough
	}
	return nil
}

// openWhole opens a file to the end and returns how often the context was looked at.
// The progress that is told rises from 0 to 1.
func openWhole(t *testing.T, path string) int64 {
	t.Helper()
	l := newLooks(math.MaxInt64)
	last, steps := 0., 0
	var lock sync.Mutex
	s, err := open(progress.With(l, func(done float64) {
		lock.Lock()
		defer lock.Unlock()
		require.GreaterOrEqual(t, done, last, "progress goes back")
		if last = max(last, done); done > 0 && done < 1 {
			steps++
		}
	}), path, 1)
	require.NoError(t, err)
	require.InDelta(t, 1, last, 1e-9, "progress ends early")
	require.Greater(t, steps, 10)
	s.Release()
	return l.made.Load()
}

// TestOpenIsGivenUp in the middle of each reader. A reader looks at its context at
// least once a MiB; after the look that says no, each of its threads looks once
// more at most, and little else.
func TestOpenIsGivenUp(t *testing.T) {
	for _, path := range largeFiles(t, grid(300), grid(150)) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			info, err := os.Stat(path)
			require.NoError(t, err)
			whole := openWhole(t, path)
			require.Greater(t, whole, 20+info.Size()>>20)
			step := int64(1)
			if testing.Short() {
				step = 3
			}
			for at := int64(0); at < 20; at += step {
				goroutines := runtime.NumGoroutine()
				l := newLooks(whole * at / 20)
				scene, err := open(l, path, 1)
				require.ErrorIs(t, err, errEnough)
				require.Nil(t, scene)
				var bad *Error
				require.ErrorAs(t, err, &bad)
				require.Equal(t, path+": not opened: enough", err.Error())
				require.Less(t, l.made.Load()-l.last.Load(), int64(10+5*runtime.GOMAXPROCS(0)), "looks after the end")
				requireNothingLeft(t, goroutines, path)
			}
		})
	}
}

// TestOpenIsNotBegun once nobody wants it.
func TestOpenIsNotBegun(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errEnough)
	for _, path := range largeFiles(t, grid(3), grid(3)) {
		_, err := Open(ctx, path)
		require.ErrorIs(t, err, errEnough, path)
	}
	_, err := Open(ctx, "none such.ply")
	require.ErrorIs(t, err, errEnough)
}
