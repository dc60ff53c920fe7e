package format

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/cputime"
	"github.com/shadeonce/shadeonce/internal/progress"
	"github.com/shadeonce/shadeonce/internal/shareddata"
)

// errEnough is why tests give up.
var errEnough = errors.New("enough")

// largeFiles writes a scene in every format that can hold one, also those that Save
// does not know; one of fewer triangles where reading takes long.
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
	write("a.csv", csvOf(fewer))
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
	for begin := time.Now(); runtime.NumGoroutine() > goroutines && time.Since(begin) < patience; {
		time.Sleep(time.Millisecond)
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), goroutines)
	if maps, err := os.ReadFile("/proc/self/maps"); err == nil {
		require.NotContains(t, string(maps), path)
	}
}

// patience guards waits against a hang. No verdict depends on it.
const patience = 10 * time.Minute

// lateness opens a file and gives up after a time. It returns the processor time until
// that has an effect, 0 where the file was open by then.
func lateness(t *testing.T, path string, after time.Duration) time.Duration {
	t.Helper()
	goroutines := runtime.NumGoroutine()
	wanted, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	var since time.Duration
	given := make(chan bool)
	timer := time.AfterFunc(after, func() {
		defer close(given)
		since = cputime.Used()
		stop(errEnough)
	})
	scene, err := open(wanted, path, 1)
	if timer.Stop() {
		require.NoError(t, err)
		scene.Release()
		return 0
	}
	<-given
	late := cputime.Used() - since
	if err == nil { // at the last moment
		scene.Release()
		return 0
	}
	require.ErrorIs(t, err, errEnough)
	require.Nil(t, scene)
	var bad *Error
	require.ErrorAs(t, err, &bad)
	require.Equal(t, path+": not opened: enough", err.Error())
	requireNothingLeft(t, goroutines, path)
	return late
}

// fastest is how long opening takes at best, and its processor time. What it tells of
// its progress rises from 0 to 1.
func fastest(t *testing.T, path string) (whole, work time.Duration) {
	t.Helper()
	whole, work = math.MaxInt64, math.MaxInt64
	for range 3 {
		start, used, last, steps := time.Now(), cputime.Used(), 0., 0
		var lock sync.Mutex
		s, err := open(progress.With(t.Context(), func(done float64) {
			lock.Lock()
			defer lock.Unlock()
			require.GreaterOrEqual(t, done, last-.1, "progress goes back")
			if last = max(last, done); done > 0 && done < 1 {
				steps++
			}
		}), path, 1)
		require.NoError(t, err)
		require.InDelta(t, 1, last, 1e-9, "progress ends early")
		require.Greater(t, steps, 10)
		s.Release()
		whole, work = min(whole, time.Since(start)), min(work, cputime.Used()-used)
	}
	return whole, work
}

// TestOpenIsGivenUp in the middle of each reader: at once, by the processor time that
// is used afterwards, held against that of opening; the best of several tries, since
// the garbage collector runs when it likes.
func TestOpenIsGivenUp(t *testing.T) {
	if testing.Short() {
		t.Skip("files of a million triangles")
	}
	paths := largeFiles(t, grid(700), grid(250))
	if frame, ok := shareddata.Find(t, "captures", "stk_gl_abyss.geo.zip.xml.zst"); ok {
		paths = append(paths, frame)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			whole, work := fastest(t, path)
			soon := max(work/8, 15*time.Millisecond)
			if filepath.Base(path) == "a.gltf" {
				soon = 2 * work // encoding/json takes a document in one go, with what is embedded
			}
			var said []string
			for at := time.Duration(1); at <= 19; at += 3 {
				least := time.Duration(math.MaxInt64)
				for try := 0; try < 8 && least > soon; try++ {
					least = min(least, lateness(t, path, whole*at/20))
				}
				require.Less(t, least, soon, "given up after %v of %v", whole*at/20, whole)
				said = append(said, fmt.Sprintf("%.1f", least.Seconds()*1e3))
			}
			t.Logf("%.0f ms; given up now and then, within ms: %s", whole.Seconds()*1e3, strings.Join(said, ", "))
		})
	}
}

func TestNumbersOfACSVAreSorted(t *testing.T) {
	for _, n := range []int{0, 1, 2, 1000, 30_000} {
		ids := make([]uint32, n)
		for i := range ids {
			ids[i] = rand.Uint32() >> (rand.Uint32() % 32)
		}
		want := slices.Sorted(slices.Values(ids))
		got, err := csvSorted(t.Context(), ids)
		require.NoError(t, err)
		require.True(t, slices.Equal(want, got))
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
