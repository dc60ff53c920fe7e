package gpu

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// adopted returns a Device on a device that the test continues to own.
func adopted(t *testing.T, d *Device) *Device {
	a := must.Get(Adopt(Handles{
		Instance: unsafe.Pointer(d.instance.Handle()), API: uint32(d.instance.api), Physical: unsafe.Pointer(d.Physical()),
		Device: unsafe.Pointer(d.Handle()), Queue: unsafe.Pointer(d.queue), Family: d.family,
		Features: d.Info.Features,
	}))
	return a
}

// TestRecorder records plans into a caller's command buffers, with the caller's buffers for inputs
// and for results. The caller submits each command buffer twice.
func TestRecorder(t *testing.T) {
	scene := must.Get(assets.Make("sphere3"))
	claim := resolve(t, "claim", 0, 0)
	camera := renderer.FitCamera(scene.Bounds(), 1)
	d := openDevice(t, OpenOptions{})
	for name, f := range map[string]renderer.Frame{
		"geometry": {Scene: scene, Reuse: claim, NoRaster: true, View: renderer.NoView},
		"hardware": {Scene: scene, Reuse: claim, Width: 32, Height: 32},
		"fused":    {Scene: scene, Reuse: claim, Width: 32, Height: 32, Raster: renderer.FusedRaster},
		"placed":   {Scene: scene, Reuse: resolve(t, "multi", 0, 0), Width: 32, Height: 32, Raster: renderer.FusedRaster},
	} {
		t.Run(name, func(t *testing.T) {
			_, want := must.Get2(reuse.Analyze(scene, f.Reuse))
			a := adopted(t, d)
			defer func() { require.NoError(t, a.Close()) }()
			b := NewBackend(a)
			defer b.Close()
			p := must.Get(plan.New(f, b.Limits()))
			own, given := map[plan.Block]*Buffer{}, map[plan.Block]*Buffer{}
			for _, block := range []plan.Block{plan.Positions, plan.Indices, plan.Counts, plan.PictureColor} {
				if x := p.Buffer(block); x != nil {
					own[block] = must.Get(d.NewBuffer("own "+x.Name, x.Bytes, UsageStorage))
					defer own[block].Close()
					given[block] = a.AdoptBuffer(x.Name, unsafe.Pointer(own[block].Handle()), x.Bytes)
				}
			}
			require.NoError(t, Upload(d, own[plan.Positions], scene.Positions))
			require.NoError(t, Upload(d, own[plan.Indices], scene.Indices))
			r := must.Get(b.NewRecorder(p, given))
			defer r.Close()
			require.NoError(t, r.SetCamera(camera))
			c := newCommands(t, d)
			c.Begin()
			require.NoError(t, r.Record(unsafe.Pointer(c.buf)))
			require.NoError(t, c.End())
			for range 2 {
				require.NoError(t, c.Run())
				require.NoError(t, r.Overflow())
				counts := must.Get(Download[uint32](d, own[plan.Counts], len(want)))
				require.Equal(t, want, counts)
			}
			if f.Raster == renderer.FusedRaster {
				out := must.Get(b.Exec(p, camera, renderer.WantColor))
				pixels := must.Get(Download[uint32](d, own[plan.PictureColor], 32*32))
				for i := range pixels {
					pixels[i] |= 0xff << 24 // alpha encodes what a pixel shows; make it opaque
				}
				require.Equal(t, out.Color.Pix, asBytes(pixels))
			}
		})
	}
	require.NoError(t, d.WaitIdle(), "the device is still the caller's")
}

func TestRecorderRefuses(t *testing.T) {
	scene := must.Get(assets.Make("sphere3"))
	claim := resolve(t, "claim", 0, 0)
	d := openDevice(t, OpenOptions{})
	a := adopted(t, d)
	defer func() { require.NoError(t, a.Close()) }()
	b := NewBackend(a)
	defer b.Close()

	p := must.Get(plan.New(renderer.Frame{Scene: scene, Reuse: claim, NoRaster: true}, b.Limits()))
	_, err := b.NewRecorder(p, map[plan.Block]*Buffer{plan.Counts: a.AdoptBuffer("mine", nil, 8)})
	require.ErrorContains(t, err, "buffer mine for Counts has 8 bytes, the plan needs 2568")

	p = must.Get(plan.New(renderer.Frame{Scene: scene, Reuse: claim, Width: 8, Height: 8, QueueBudget: 24 << 10}, b.Limits()))
	_, err = b.NewRecorder(p, nil)
	require.ErrorContains(t, err, "give the frame a larger queue budget")

	_, err = Adopt(Handles{Instance: unsafe.Pointer(d.instance.Handle()), API: vk.MakeVersion(1, 0, 0), Physical: unsafe.Pointer(d.Physical())})
	require.ErrorContains(t, err, "it supports Vulkan 1.0.0, but 1.1 is needed")
}
