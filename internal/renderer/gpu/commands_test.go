package gpu

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/internal/base/bytesize"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

func TestTimeoutIsAClearErrorAndNoHang(t *testing.T) {
	d := openDevice(t, OpenOptions{})
	b := newBuffer(t, d, "b", 64<<20, UsageStorage)
	c := newCommands(t, d)
	var err error
	for fills := uint32(16); err == nil; fills *= 2 { // until a submission takes longer than Wait allows
		require.Less(t, fills, uint32(1<<16))
		c.Begin()
		for i := range fills {
			c.Fill(b, i)
		}
		require.NoError(t, c.End())
		require.NoError(t, c.Submit(Semaphores{}))
		require.EqualError(t, c.Submit(Semaphores{}), "gpu: "+c.Name+": submitted twice without a wait")
		err = c.Wait(0)
	}
	require.ErrorIs(t, err, ErrTimeout)
	require.ErrorContains(t, err, "gpu: TestTimeoutIsAClearErrorAndNoHang: the device did not finish in time (0s)")
	require.True(t, d.lost, "nothing may be freed under a device that may still run")
	require.ErrorIs(t, c.Submit(Semaphores{}), ErrDeviceLost)
	require.ErrorIs(t, c.Wait(Timeout), ErrDeviceLost, "a lost device is not waited for")
	c.Close()
	d.lost = false
	require.NoError(t, c.Wait(Timeout))
}

func TestRecordingMistakesAreErrors(t *testing.T) {
	d := openDevice(t, OpenOptions{})
	c := newCommands(t, d)
	c.Begin()
	require.NoError(t, c.End())
	require.NoError(t, c.Submit(Semaphores{}))
	c.Begin()
	require.ErrorContains(t, c.End(), "recorded again while submitted")
	require.NoError(t, c.Wait(Timeout))
	c.Begin()
	require.NoError(t, c.End())
	require.NoError(t, c.Run())
}

// After a loss nothing is waited for or freed, and every Close returns.
func TestLostDeviceClosesQuietly(t *testing.T) {
	in := must.Get(NewInstance(Options{}))
	infos := must.Get(Devices(in))
	i := must.Get(Choose(infos, ""))
	d := must.Get(Open(in, infos[i], OpenOptions{CacheDir: NoCache}))
	b := must.Get(d.NewBuffer("b", 16, UsageStorage))
	c := must.Get(d.NewCommands("c"))
	require.ErrorIs(t, d.check("vkQueueSubmit", vk.ErrorDeviceLost), ErrDeviceLost)
	c.Close()
	b.Close()
	require.NoError(t, d.Close())
	require.NoError(t, d.Close())
}

func TestCopyBandwidth(t *testing.T) {
	b := ownBackend(t)
	before := b.device.allocations
	bytesPerSecond := must.Get(b.copyBandwidth())
	t.Logf("%.4g GB/s by copies of %s", bytesPerSecond/1e9, bytesize.Text(b.device.copyBytes()))
	// Below 100 TB/s, which is over ten times the fastest memory, so that a wrong unit fails.
	require.Positive(t, bytesPerSecond)
	require.Less(t, bytesPerSecond, 1e14)
	require.Equal(t, before, b.device.allocations, "its buffers are freed")
	again := must.Get(b.copyBandwidth())
	require.Equal(t, bytesPerSecond, again, "measured once")

	require.Equal(t, int64(0), b.device.copyBytes()%copyGroup)
	b.device.Info.Limits.WorkgroupCount[0] = 10
	require.Equal(t, int64(10*copyGroup), b.device.copyBytes())
	b.device.Info.families[b.device.family].timestampBits = 0
	_, err := b.copyBandwidth()
	require.EqualError(t, err, "gpu: copy bandwidth: the queue has no timestamps")
}

// A copy moves each byte twice: it reads the byte and writes it.
func TestCopyRate(t *testing.T) {
	require.Equal(t, 4e9, copyRate(1e9, time.Second/2))
	require.Equal(t, 2e3, copyRate(1, time.Millisecond))
}

// Both copy methods copy the whole buffer, up to the last word.
func TestCopyMeasureCopies(t *testing.T) {
	d := openDevice(t, OpenOptions{})
	m := &copyMeasure{}
	defer m.close()
	m.make(d, 2*copyGroup)
	data := make([]uint32, 2*copyGroup/4)
	for i := range data {
		data[i] = uint32(i) * 2654435769
	}
	require.NoError(t, Upload(d, m.source, data))
	for name, record := range map[string]func(c *Commands){
		"transfer": func(c *Commands) { c.Copy(m.result, 0, m.source, 0, m.source.Size) },
		"compute":  func(c *Commands) { c.Dispatch(m.pipeline, m.set, nil, 2, 1, 1) },
	} {
		c := newCommands(t, d)
		require.NoError(t, c.RunOnce(func() {
			c.Fill(m.result, 0)
			record(c)
		}))
		got := must.Get(Download[uint32](d, m.result, len(data)))
		require.Equal(t, data, got, name)
	}
}

// TestLongPlansAreCut: a plan of many triangles is submitted in parts that give the same result
// as the whole, timed or not, and reports its progress.
func TestLongPlansAreCut(t *testing.T) {
	for _, raster := range []renderer.RasterHost{renderer.HardwareRaster, renderer.ComputeRaster} {
		b := newBackend(t)
		f := sliceFrame(t, raster)
		camera := renderer.FitCamera(f.Scene.Bounds(), 1)
		want := renderer.WantColor | renderer.WantDepth | renderer.WantCounts
		reference, p := render(t, b, f, camera, want)
		require.Len(t, b.recordings[0].parts, 1)
		b.partTriangles = f.Scene.Triangles() / 3
		for _, whole := range []bool{false, true} {
			f.TimeWhole = whole
			var told []float64
			b.Set(plan.Options{Progress: func(done float64) error { told = append(told, done); return nil }})
			out, _ := render(t, b, f, camera, want)
			require.Equal(t, reference.Counts, out.Counts)
			require.Equal(t, reference.Color.Pix, out.Color.Pix)
			require.Equal(t, reference.Depth, out.Depth)
			require.Greater(t, len(b.recordings[0].parts), 2)
			require.Less(t, len(b.recordings[0].parts), len(p.Chunks))
			require.Len(t, told, len(b.recordings[0].parts))
			require.True(t, slices.IsSorted(told))
			require.Equal(t, 1., told[len(told)-1])
			require.Positive(t, out.Elapsed)
			passes := time.Duration(len(out.Timings)) // 1 ns for the rounding of each
			for _, one := range out.Timings {
				passes -= one.Duration
			}
			require.GreaterOrEqual(t, out.Elapsed+passes, time.Duration(0), "the frame takes as long as its passes at least")
		}
	}
}

// TestCancelledPlansRunAgain: a plan that is cancelled after some of its parts gives the same result
// when it runs again, whether or not results of run-once passes are kept.
func TestCancelledPlansRunAgain(t *testing.T) {
	enough := errors.New("enough")
	for name, change := range map[string]func(*renderer.Frame){
		"hardware": func(*renderer.Frame) {},
		"compute":  func(f *renderer.Frame) { f.Raster = renderer.ComputeRaster },
		"fused":    func(f *renderer.Frame) { f.Raster = renderer.FusedRaster },
		"placed":   func(f *renderer.Frame) { f.Raster, f.Reuse = renderer.FusedRaster, resolve(t, "multi", 0, 0) },
	} {
		b := newBackend(t)
		f := sliceFrame(t, renderer.HardwareRaster)
		change(&f)
		camera := renderer.FitCamera(f.Scene.Bounds(), 1)
		want := renderer.WantColor | renderer.WantCounts
		reference, p := render(t, b, f, camera, want)
		for _, keep := range []bool{false, true} {
			for after, of := 1, 2; after < of; after += 1 + of/4 {
				parts := 0
				b.Reset()
				b.Set(plan.Options{Stepwise: true, KeepOnce: keep, Progress: func(done float64) error {
					if parts++; parts == after {
						of = int(math.Round(float64(after) / done))
						return enough
					}
					return nil
				}})
				_, err := b.Exec(p, camera, want)
				require.ErrorIs(t, err, enough, name)
				require.Equal(t, after, parts, "%s: no part runs after that", name)
				require.False(t, slices.ContainsFunc(b.recordings, (*recording).unfinished), "%s: the times of some of the passes that run once would pass for those of all", name)
				out, err := b.Exec(p, camera, want)
				require.NoError(t, err, name)
				require.Equal(t, reference.Counts, out.Counts, name)
				require.Equal(t, reference.Color.Pix, out.Color.Pix, name)
				require.Equal(t, reference.Stats, out.Stats, name)
			}
		}
	}
}
