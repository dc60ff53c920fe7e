package oracle

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/bytesize"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/oracle/feedback"
	"github.com/shadeonce/shadeonce/renderer"
)

// soakVariable sets how many frames TestSoak draws: `make soak` sets 10,000. By default it draws
// few, with -short none.
const (
	soakVariable = "SHADEONCE_SOAK"
	soakFrames   = 60
)

// soakKeeps are the numbers of kept plans; frames are distributed among them.
var soakKeeps = []int{1, 3}

// Bounds on the growth of memory between warm-up and end, for any number of frames. soakHeapAlloc is for live Go objects: a
// recorded frame has some 20 KiB, so `make soak` finds one leaked frame in a hundred. soakHeapInuse is for Go's spans, and
// soakDriver for what C code has taken from malloc: pipelines that replaced others are larger or smaller (60 frames: 4 to 7
// MiB); a leak of 5 KiB per frame would exceed soakDriver in the 5,000 frames of a part.
const (
	soakHeapAlloc = 1 << 20
	soakHeapInuse = 4 << 20
	soakDriver    = 24 << 20
	soakPipeline  = 2 << 20 // additional driver memory per pipeline made between warm-up and end
)

// TestSoak draws random frames, which may differ from the previous one in most of what a user can change, and checks that
// memory does not grow.
func TestSoak(t *testing.T) {
	frames := soakFrames
	if text := os.Getenv(soakVariable); text != "" {
		var err error
		frames, err = strconv.Atoi(text)
		require.NoError(t, err, soakVariable)
	} else if testing.Short() {
		t.Skip("`make test-all` and `make soak` draw frames one after the other")
	}
	variants := len(reuse.Strategies)
	if frames > soakFrames {
		variants *= 6
	}
	for _, keep := range soakKeeps {
		t.Run(fmt.Sprintf("keep %d", keep), func(t *testing.T) {
			b := openOwn(t)
			b.Set(plan.Options{Keep: keep})
			s := &soak{t: t, b: b, keep: keep}
			s.makeScenes()
			s.makeVariants(variants)
			began := time.Now()
			s.warmUp()
			for i := range soakFrames / 4 { // the driver's allocator keeps what it took for the largest frames
				s.random(uint64(i))
			}
			before, picture := s.settle()
			warm := time.Since(began)
			for i := range frames / len(soakKeeps) {
				s.random(uint64(i))
				if n := max(1000, frames/8); (i+1)%n == 0 {
					m, _ := s.settle()
					t.Logf("%d frames: %v", i+1, m)
				}
			}
			after, same := s.settle()
			t.Logf("%d frames in %v after a warm-up of %v: %+v", frames/len(soakKeeps), time.Since(began)-warm, warm, s.drawn)
			t.Logf("before: %v", before)
			t.Logf("after:  %v", after)
			require.True(t, bytes.Equal(picture, same), "the first frame, drawn again")
			require.Equal(t, before.Bytes, after.Bytes, "device memory, in bytes")
			require.Equal(t, before.Allocations, after.Allocations, "allocations on the device")
			require.LessOrEqual(t, after.goroutines, before.goroutines)
			require.Less(t, after.heapAlloc-before.heapAlloc, int64(soakHeapAlloc))
			require.Less(t, after.heapInuse-before.heapInuse, int64(soakHeapInuse))
			pipelines := int64(max(0, after.Pipelines-before.Pipelines))
			require.Less(t, after.driver-before.driver, soakDriver+soakPipeline*pipelines)
			if frames > soakFrames { // in few frames, what malloc keeps of freed blocks hides a leak, and depends on threads
				require.Less(t, after.anonymous-before.anonymous, soakDriver+soakPipeline*pipelines)
			}
			d := s.drawn
			for _, n := range []int{d.Chunked, d.Windowed, d.Culled, d.Kept} {
				require.NotZero(t, n, "%+v", d)
			}
		})
	}
}

// soak is the state of TestSoak: what it draws with, and what it has drawn.
type soak struct {
	t        *testing.T
	b        *gpu.Backend
	keep     int
	scenes   []*geometry.Scene
	variants []renderer.Frame // settings that determine the pipelines

	last  *plan.Plan
	drawn struct{ Frames, Chunked, Windowed, Culled, Raw, Kept, Refused int }
}

func (s *soak) makeScenes() {
	for _, name := range []string{"terrain100", "knot12", "cube", "city3", "tree3", "soup"} {
		s.scenes = append(s.scenes, asset(s.t, name))
	}
	boxes := *asset(s.t, "cube")
	for range 400 {
		boxes.Draws = append(boxes.Draws, boxes.Draws[0])
	}
	s.scenes = append(s.scenes, &boxes)
}

// makeVariants makes n settings that the device can run, of the strategies in turn, and one of the graphics pipeline alone.
func (s *soak) makeVariants(n int) {
	random := rand.New(rand.NewPCG(4, 10))
	limits := s.b.Limits()
	coin := func() bool { return random.IntN(2) == 0 }
	for len(s.variants) < n {
		strategy := reuse.Strategies[len(s.variants)%len(reuse.Strategies)]
		configs := strategy.Variants()
		f := renderer.Frame{
			Scene: s.scenes[1], Reuse: configs[random.IntN(len(configs))], Width: 8, Height: 8,
			Queue: renderer.QueueForm(random.IntN(2)), View: renderer.View(random.IntN(3)),
			Raster:    deviceRasters[random.IntN(len(deviceRasters))],
			Subgroups: []renderer.Subgroups{renderer.AutoSubgroups, renderer.VirtualSubgroups}[random.IntN(2)],
			Cull:      coin(), NarrowAtomics: random.IntN(4) == 0, NoRaster: random.IntN(10) == 0,
		}
		if random.IntN(4) == 0 {
			f.VertexShader, f.Load = renderer.VertexShader(random.IntN(3)), 4*random.IntN(3)
		}
		if f.Cull {
			f.CullFaces = renderer.FaceCulling(random.IntN(3))
		}
		if _, err := plan.New(f, limits); err == nil {
			s.variants = append(s.variants, f)
		}
	}
	s.variants = append(s.variants, renderer.Frame{View: renderer.Shaded, Raw: true})
}

// warmUp draws every variant whole, in chunks, in windows and in both, and then as many random frames.
func (s *soak) warmUp() {
	random := rand.New(rand.NewPCG(0, 0))
	for _, f := range s.variants {
		scenes := s.scenes[:1]
		if f.VertexShader == renderer.Displace { // its constants depend on the scene
			scenes = s.scenes
		}
		for _, scene := range scenes {
			for way := range 4 {
				f.Scene, f.Width, f.Height = scene, 48, 32
				s.draw(random, f, way&1 != 0, way&2 != 0, 0)
			}
		}
	}
	for i := range s.variants {
		s.random(1<<32 + uint64(i))
	}
	s.drawn = struct{ Frames, Chunked, Windowed, Culled, Raw, Kept, Refused int }{}
}

// random draws frame `number`.
func (s *soak) random(number uint64) {
	random := rand.New(rand.NewPCG(7, number))
	if s.last != nil && random.IntN(8) == 0 { // only the camera moves
		_, err := s.b.Exec(s.last, s.camera(random, &s.last.Frame), s.want(random, &s.last.Frame))
		require.NoError(s.t, err)
		s.drawn.Kept++
		return
	}
	f := s.variants[random.IntN(len(s.variants))]
	f.Width, f.Height = 1+random.IntN(96), 1+random.IntN(64)
	if s.last == nil || random.IntN(4) != 0 {
		f.Scene = s.scene(random)
	} else {
		f.Scene = s.last.Frame.Scene
	}
	s.draw(random, f, random.IntN(2) == 0, random.IntN(2) == 0, number)
}

// scene returns a copy of one of the scenes, possibly in another order or with fewer draws.
func (s *soak) scene(random *rand.Rand) *geometry.Scene {
	at := random.IntN(2 * len(s.scenes))
	if at >= len(s.scenes) { // the first and the last come more often, since only they need windows
		at = at % 2 * (len(s.scenes) - 1)
	}
	scene := *s.scenes[at]
	from := random.IntN(len(scene.Draws))
	if from+300 > len(scene.Draws) {
		from = 0
	}
	scene.Draws = scene.Draws[from:]
	if random.IntN(4) == 0 {
		return must.Get(order.Apply(s.t.Context(), &scene, []string{"random", "forsyth"}[random.IntN(2)]))
	}
	return &scene
}

// draw draws a frame whose budgets force chunks or windows, if its scene is large enough.
func (s *soak) draw(random *rand.Rand, f renderer.Frame, chunks, windows bool, number uint64) {
	triangles := int64(f.Scene.Triangles())
	if random.IntN(4) == 0 {
		f.Slice = 1 + random.IntN(4000)
	}
	if chunks {
		f.QueueBudget = max(8<<10, triangles*40/int64(1+random.IntN(8)))
	}
	if windows {
		f.QueueBudget = max(8<<10, triangles*5)
		f.DeviceBudget = 3*f.QueueBudget/2 + 32<<20 + int64(f.Width*f.Height)*24 + int64(160+random.IntN(200))<<10
	}
	limits := s.b.Limits()
	if p, err := plan.New(f, limits); err != nil {
		require.NotContains(s.t, err.Error(), "\n")
		s.drawn.Refused++
		f.QueueBudget, f.DeviceBudget = 0, 0
	} else if random.IntN(16) == 0 && !p.Frame.Raw {
		f.VertexShare = 0.1 // may overflow, and is then planned again
	}
	what := fmt.Sprintf("frame %d: %s, %+v", number, f.Scene.Name, f.Reuse)
	out, p, err := plan.Render(s.b, f, s.camera(random, &f), s.want(random, &f))
	require.NoError(s.t, err, what)
	if f.DeviceBudget > 0 && s.keep == 1 {
		require.LessOrEqual(s.t, p.DeviceBytes(), f.DeviceBudget, what)
	}
	require.NotZero(s.t, out.DeviceBytes, what)
	if random.IntN(8) == 0 {
		require.NoError(s.t, s.b.Show(), what)
	}
	s.last = p
	d := &s.drawn
	for n, is := range map[*int]bool{&d.Frames: true, &d.Chunked: len(p.Chunks) > 1, &d.Windowed: p.Windowed(), &d.Culled: f.Cull, &d.Raw: f.Raw} {
		if is {
			*n++
		}
	}
}

func (s *soak) camera(random *rand.Rand, f *renderer.Frame) renderer.Camera {
	text := fmt.Sprintf("az=%d,el=%d,zoom=%g,fov=%d", random.IntN(360), random.IntN(181)-90, 0.2+8*random.Float32()*random.Float32(), 20+random.IntN(100))
	if random.IntN(6) == 0 {
		text += ",ortho"
	}
	c, err := cli.ParseCamera(text, f.Scene.Bounds(), float32(max(1, f.Width))/float32(max(1, f.Height)))
	require.NoError(s.t, err, text)
	return c
}

// want returns a random choice of results to read back.
func (s *soak) want(random *rand.Rand, f *renderer.Frame) renderer.Want {
	can := renderer.WantColor | renderer.WantDepth
	if !f.Raw {
		can |= renderer.WantCounts | renderer.WantQueues
	}
	if f.Raster == renderer.ComputeRaster && !f.NoRaster {
		can |= renderer.WantVisible
	}
	return renderer.Want(random.UintN(256)) & can
}

// soaked is the memory in use at one time.
type soaked struct {
	gpu.Holding
	heapAlloc, heapInuse, driver, anonymous int64 // bytes
	goroutines                              int
}

func (m soaked) String() string {
	return fmt.Sprintf("device %s in %d allocations, %d pipelines; heap %s live, %s in use; C's heap %s in use; anonymous memory %s; %d goroutines",
		bytesize.Text(m.Bytes), m.Allocations, m.Pipelines, bytesize.Text(m.heapAlloc), bytesize.Text(m.heapInuse), bytesize.Text(m.driver), bytesize.Text(m.anonymous), m.goroutines)
}

// settle draws the same frames, one for each kept plan, and measures memory. It returns the first frame's picture.
func (s *soak) settle() (m soaked, picture []byte) {
	for i := range s.keep {
		f := pictureFrame(s.t, s.scenes[1], renderer.View(i%3))
		out, _, err := plan.Render(s.b, f, renderer.FitCamera(f.Scene.Bounds(), 1), renderer.WantColor|renderer.WantCounts)
		require.NoError(s.t, err)
		if i == 0 {
			picture = out.Color.Pix
		}
	}
	require.NoError(s.t, s.b.Show()) // the shown picture keeps the size in which it was drawn
	s.last = nil
	runtime.GC()
	debug.FreeOSMemory()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	m.heapAlloc, m.heapInuse, m.goroutines = int64(stats.HeapAlloc), int64(stats.HeapInuse), runtime.NumGoroutine()
	m.Holding = s.b.Holding()
	m.driver, m.anonymous = feedback.HeapInUse(), anonymousMemory()
	return m, picture
}

// anonymousMemory returns the bytes of the process's anonymous memory, including C's and machine code; 0 if the
// system does not say.
func anonymousMemory() int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return n << 10
		}
	}
	return 0
}
