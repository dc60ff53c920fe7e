package format

import (
	"context"
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

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// errEnough is the cause with which tests cancel.
var errEnough = errors.New("enough")

// largeFiles writes s as PLY (also compressed), OBJ and glTF, and `fewer` as STL and OFF, which are slow to read.
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
	plain := must.Get(os.ReadFile(paths[0]))
	write("b.ply.gz", gzipped(t, plain))
	write("c.ply.zst", zstded(t, plain))
	write("a.stl", stlBytes(t, fewer, false))
	write("a.off", offOf(fewer))
	m := &gltfMaker{}
	m.accessor(m.view(s.Positions, ""), gltfFloat, "VEC3", len(s.Positions), "")
	m.accessor(m.view(s.Indices, ""), gltfUnsignedInt, "SCALAR", len(s.Indices), "")
	const mesh = `"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}]`
	write("a.gltf", []byte(m.text(mesh)))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "b.bin"), m.bin, 0o600))
	write("b.gltf", []byte(m.json("b.bin", mesh)))
	return paths
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

// requireNothingLeft requires that no more goroutines run than before and that the file is no
// longer mapped.
func requireNothingLeft(t *testing.T, goroutines int, path string) {
	for runtime.NumGoroutine() > goroutines { // if they do not end, go test's own time limit does
		time.Sleep(time.Millisecond)
	}
	if maps, err := os.ReadFile("/proc/self/maps"); err == nil {
		require.NotContains(t, string(maps), path)
	}
}

// looks is a context that counts how often it is checked, and is cancelled from a given check on.
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

// openWhole opens a file without cancelling and returns how often the context was checked. The
// reported progress must rise from 0 to 1.
func openWhole(t *testing.T, path string) int64 {
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

// TestOpenIsGivenUp cancels each reader at 20 points of its work, the first before it opens the file. A reader checks its
// context at least once per MiB, and after cancellation only a few times more.
func TestOpenIsGivenUp(t *testing.T) {
	_, err := open(newLooks(0), "none such.ply", 1)
	require.ErrorIs(t, err, errEnough)
	for _, path := range largeFiles(t, grid(300), grid(150)) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			info := must.Get(os.Stat(path))
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
