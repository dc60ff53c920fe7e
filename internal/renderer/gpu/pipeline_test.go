package gpu

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

func scaleShader(t *testing.T) *shaders.Shader {
	return testShader(t, shaders.Shader{
		Name: "scale.comp", Stage: shaders.Compute, PushConstantSize: 8,
		Bindings: []shaders.Binding{
			{Binding: 0, Name: "Source", ReadOnly: true},
			{Binding: 1, Name: "Result", WriteOnly: true},
		},
		LocalSize: [3]uint32{1, 1, 1}, LocalSizeSpec: [3]string{"WORKGROUP"}, Capabilities: []string{"Shader", "GroupNonUniform"},
		SpecConstants: []shaders.SpecConstant{{ID: 3, Name: "WORKGROUP"}, {ID: 5, Name: "SCALE"}},
	})
}

func words(list ...uint32) []byte {
	var b []byte
	for _, w := range list {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// scaled runs the scale shader over 0..count-1 and returns its output: count results and the
// subgroup's size.
func scaled(t *testing.T, d *Device, count uint32, o ComputeOptions) []uint32 {
	t.Helper()
	p := must.Get(d.NewComputePipeline(scaleShader(t), o))
	defer p.Close()
	source := newBuffer(t, d, "Source", int64(count)*4, UsageStorage)
	result := newBuffer(t, d, "Result", int64(count+1)*4, UsageStorage)
	data := make([]uint32, count)
	for i := range data {
		data[i] = uint32(i)
	}
	require.NoError(t, Upload(d, source, data))
	s := must.Get(p.NewSet(Resources{"Source": source, "Result": result, "not there": result}))
	defer s.Close()
	c := newCommands(t, d)
	c.Begin()
	c.Fill(result, ^uint32(0))
	workgroup := o.Spec["WORKGROUP"]
	c.Dispatch(p, s, words(count, 10), (count+workgroup-1)/workgroup, 1, 1)
	require.NoError(t, c.End())
	require.NoError(t, c.Run())
	require.NoError(t, c.Run()) // a second time, as a frame does
	got := must.Get(Download[uint32](d, result, int(count)+1))
	return got
}

func TestComputeWithSpecialization(t *testing.T) {
	d := openDevice(t, OpenOptions{})
	for _, c := range []struct {
		spec  Spec
		scale uint32
	}{
		{Spec{"WORKGROUP": 32}, 2}, {Spec{"SCALE": 7, "WORKGROUP": 1}, 7}, {Spec{"SCALE": 3, "WORKGROUP": 64}, 3},
	} {
		got := scaled(t, d, 1000, ComputeOptions{Spec: c.spec})
		for i := range uint32(1000) {
			require.Equal(t, i*c.scale+10, got[i], "%v at %d", c.spec, i)
		}
		require.LessOrEqual(t, d.Info.Subgroup.Min, int(got[1000]))
		require.GreaterOrEqual(t, d.Info.Subgroup.Max, int(got[1000]))
	}
}

func TestRequiredSubgroupSize(t *testing.T) {
	d := openDevice(t, OpenOptions{})
	tried := 0
	for lanes := 1; lanes <= 128; lanes *= 2 {
		o := ComputeOptions{Spec: Spec{"WORKGROUP": uint32(4 * lanes)}, SubgroupSize: lanes}
		if d.Info.CanRequire(lanes, shaders.Compute) {
			require.EqualValues(t, lanes, scaled(t, d, 256, o)[256])
			tried++
			continue
		}
		_, err := d.NewComputePipeline(scaleShader(t), o)
		require.ErrorContains(t, err, "cannot be required here")
	}
	t.Logf("%s: %d sizes can be required", d.Info.Name, tried)
}

func TestPipelineErrorsNameTheCause(t *testing.T) {
	d := openDevice(t, OpenOptions{})
	_, err := d.NewComputePipeline(scaleShader(t), ComputeOptions{Spec: Spec{"SCAEL": 1}})
	require.EqualError(t, err, "gpu: shaders: scale.comp: no shader has a specialization constant SCAEL")

	_, err = d.NewComputePipeline(scaleShader(t), ComputeOptions{Spec: Spec{"WORKGROUP": 1 << 20}})
	require.ErrorContains(t, err, "workgroup of scale.comp needs 1048576, the device allows")
	if lanes := d.Info.Subgroup.Size; d.Info.CanRequire(lanes, shaders.Compute) {
		_, err = d.NewComputePipeline(scaleShader(t), ComputeOptions{Spec: Spec{"WORKGROUP": uint32(lanes) + 1}, SubgroupSize: lanes})
		require.ErrorContains(t, err, "is not a multiple of")
	}
	wide := scaleShader(t)
	wide.Capabilities = append(wide.Capabilities, "Int64", "GroupNonUniformBallot")
	weak := *d
	weak.Info.Features.Int64, weak.Info.Subgroup.Ops = false, OpBasic
	_, err = weak.NewComputePipeline(wide, ComputeOptions{})
	require.EqualError(t, err, "gpu: shader scale.comp needs Int64, GroupNonUniformBallot, which "+d.Info.Name+" lacks")

	u := must.Get(d.layCompute(scaleShader(t), ComputeOptions{}))
	u.run = func(*vk.Pipeline) vk.Result { return vk.ErrorOutOfHostMemory }
	require.ErrorContains(t, d.compileAll(u), "(scale.comp)")
	require.Equal(t, vk.NullPipelineLayout, u.layout, "it is closed")

	p := must.Get(d.NewComputePipeline(scaleShader(t), ComputeOptions{}))
	defer p.Close()
	b := newBuffer(t, d, "b", 64, UsageStorage)
	_, err = p.NewSet(Resources{"Source": b})
	require.EqualError(t, err, "gpu: scale.comp: nothing bound to Result")

	s := must.Get(p.NewSet(Resources{"Source": b, "Result": newBuffer(t, d, "r", 64, UsageStorage)}))
	defer s.Close()
	c := newCommands(t, d)
	c.Begin()
	c.Dispatch(p, s, words(1), 1, 1, 1)
	require.EqualError(t, c.End(), "gpu: scale.comp: 4 bytes of push constants, the shader takes 8")
	require.Error(t, c.Run())
	c.Begin()
	c.Dispatch(p, s, words(1, 1), math.MaxUint32, 1, 1)
	require.ErrorContains(t, c.End(), "dispatch of 4294967295x1x1 workgroups, the device allows")
	c.Begin()
	c.Copy(b, 60, b, 0, 8)
	require.ErrorContains(t, c.End(), "copy of 8 bytes")
}

func TestTimingsByName(t *testing.T) {
	d := openDevice(t, OpenOptions{})
	b := newBuffer(t, d, "b", 4<<20, UsageStorage)
	c := newCommands(t, d)
	c.Begin()
	const passes = 2*timerBlock + 3 // three query pools
	for i := range passes {
		name := "even"
		if i%2 == 1 {
			name = "odd"
		}
		c.Pass(name, func() {
			if i < 8 {
				c.Fill(b, uint32(i))
			}
		})
	}
	require.NoError(t, c.End())
	for range 2 {
		begin := time.Now()
		require.NoError(t, c.Run())
		whole := time.Since(begin)
		times := must.Get(c.Timings())
		if d.timestampBits() == 0 {
			require.Empty(t, times)
			continue
		}
		require.Len(t, times, passes)
		var out renderer.Output
		for _, x := range times {
			out.AddTime(x.Pass, x.Duration)
		}
		require.Len(t, out.Timings, 2)
		require.Equal(t, "even", out.Timings[0].Pass)
		for _, s := range out.Timings {
			require.Positive(t, s.Duration)
			require.Less(t, s.Duration, whole)
		}
	}
}

// TestTimesOfPassesAfterRaster: no barrier lies between the passes, yet each has its own time. While an image is
// bound, Mesa's CPU driver writes a timestamp at the next barrier only.
func TestTimesOfPassesAfterRaster(t *testing.T) {
	d := openDevice(t, OpenOptions{})
	if d.timestampBits() == 0 {
		t.Skip("the queue has no timestamps")
	}
	target := must.Get(d.NewTarget("picture", 16, 8))
	closing(t, target)
	small, large := newBuffer(t, d, "small", 64, UsageStorage), newBuffer(t, d, "large", 64<<20, UsageStorage)
	c := newCommands(t, d)
	c.Begin()
	c.Pass("raster", func() { c.Render(target, &Clear{}) })
	c.Pass("before", func() { c.Fill(small, 1) })
	c.Pass("long", func() { c.Fill(large, 1) })
	require.NoError(t, c.End())
	least := []time.Duration{time.Hour, time.Hour, time.Hour}
	for range 20 { // other programs may hold up any of the passes, but not every time
		require.NoError(t, c.Run())
		for i, x := range must.Get(c.Timings()) {
			least[i] = min(least[i], x.Duration)
		}
	}
	require.Greater(t, least[2], least[0])
	require.Greater(t, least[2], least[1])
}

func TestTicksToDuration(t *testing.T) {
	for _, c := range []struct {
		begin, end uint64
		bits       int
		period     float64
		want       time.Duration
	}{
		{10, 1010, 64, 1, 1000},
		{10, 1010, 64, 2.5, 2500},
		{1<<36 - 5, 5, 36, 1, 10},       // wrapped
		{0xff<<36 | 7, 9, 36, 1, 2},     // bits above the valid ones are ignored
		{math.MaxUint64, 1, 64, 10, 20}, // wrapped at 64 bits
	} {
		require.Equal(t, c.want, ticksToDuration(c.begin, c.end, c.bits, c.period))
	}
}

func TestPipelineCacheIsKeptAndChecked(t *testing.T) {
	dir := t.TempDir()
	var path string
	run := func() { // one run of the program
		t.Run("run", func(t *testing.T) {
			d := openDevice(t, OpenOptions{CacheDir: dir})
			path = d.cache.path
			require.EqualValues(t, 17, scaled(t, d, 16, ComputeOptions{Spec: Spec{"SCALE": 7, "WORKGROUP": 8}})[1])
		})
	}
	run()
	first := must.Get(os.ReadFile(path))
	require.True(t, bytes.HasPrefix(first, []byte(cacheMagic)))
	info := infoFor(t)
	require.NotNil(t, readCache(path, &info))

	other := info
	other.cacheUUID[3] ^= 1
	require.Nil(t, readCache(path, &other), "another driver's file")
	flipped := bytes.Clone(first)
	flipped[len(flipped)-1] ^= 1
	for name, damaged := range map[string][]byte{
		"empty": nil, "short": first[:40], "cut": first[:len(first)-1], "bit": flipped,
		"header only": first[:len(cacheMagic)+32], "text": []byte("hello"),
	} {
		require.NoError(t, os.WriteFile(path, damaged, 0o600))
		require.Nil(t, readCache(path, &info), name)
		run()
		require.NotNil(t, readCache(path, &info), name)
	}
	entries := must.Get(os.ReadDir(dir))
	require.Len(t, entries, 1, "no temporary files stay")
	require.Equal(t, filepath.Base(path), entries[0].Name())
}

func infoFor(t *testing.T) DeviceInfo {
	infos := must.Get(Devices(newInstance(t)))
	i := must.Get(Choose(infos, os.Getenv("SHADEONCE_DEVICE")))
	return infos[i]
}
