package present

import (
	"image"
	"testing"

	"github.com/stretchr/testify/require"
	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
)

func TestFormatsAreStoredAsTheyAre(t *testing.T) {
	all := func(vk.Format) bool { return true }
	srgb := gpu.SurfaceFormat{Format: vk.FormatB8g8r8a8Srgb}
	blue := gpu.SurfaceFormat{Format: vk.FormatB8g8r8a8Unorm}
	red := gpu.SurfaceFormat{Format: vk.FormatR8g8b8a8Unorm}
	wide := gpu.SurfaceFormat{Format: vk.FormatB8g8r8a8Unorm, Space: 1000104001}
	for name, c := range map[string]struct {
		formats []gpu.SurfaceFormat
		usable  func(vk.Format) bool
		want    gpu.SurfaceFormat
		ok      bool
	}{
		"the surface's own preference": {[]gpu.SurfaceFormat{srgb, red, blue}, all, red, true},
		"not another colour space":     {[]gpu.SurfaceFormat{wide, blue}, all, blue, true},
		"only what can be blitted to":  {[]gpu.SurfaceFormat{blue, red}, func(f vk.Format) bool { return f == red.Format }, red, true},
		"any":                          {[]gpu.SurfaceFormat{{}}, all, blue, true},
		"none":                         {[]gpu.SurfaceFormat{srgb, wide}, all, gpu.SurfaceFormat{}, false},
		"empty":                        {nil, all, gpu.SurfaceFormat{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := chooseFormat(c.formats, c.usable)
			require.Equal(t, c.want, got)
			require.Equal(t, c.ok, err == nil)
		})
	}
}

func TestExtentFollowsTheWindow(t *testing.T) {
	given := capabilities{current: image.Pt(640, 480)}
	require.Equal(t, image.Pt(640, 480), given.extent(image.Pt(1, 1)), "the surface decides")
	minimised := capabilities{current: image.Pt(0, 0)}
	require.Equal(t, image.Point{}, minimised.extent(image.Pt(640, 480)))

	free := capabilities{current: current(image.Pt(0xffffffff, 0xffffffff)), smallest: image.Pt(10, 10), largest: image.Pt(1000, 0xffffffff)}
	require.Equal(t, image.Pt(640, 480), free.extent(image.Pt(640, 480)))
	require.Equal(t, image.Pt(1000, 10), free.extent(image.Pt(5000, 1)))
	require.Equal(t, image.Point{}, free.extent(image.Pt(0, 480)))
}

func TestImageCountAndAlpha(t *testing.T) {
	require.EqualValues(t, 4, (&capabilities{minCount: 3}).imageCount())
	require.EqualValues(t, 4, (&capabilities{minCount: 3, maxCount: 8}).imageCount())
	require.EqualValues(t, 3, (&capabilities{minCount: 3, maxCount: 3}).imageCount())
	opaque, pre, inherit := vk.CompositeAlphaOpaqueBit, vk.CompositeAlphaPreMultipliedBit, vk.CompositeAlphaInheritBit
	require.Equal(t, opaque, (&capabilities{alphas: vk.CompositeAlphaFlags(opaque | inherit)}).alpha())
	require.Equal(t, pre, (&capabilities{alphas: vk.CompositeAlphaFlags(pre | inherit)}).alpha())
}

func TestUnlimitedPrefersMailbox(t *testing.T) {
	fifo, mailbox, immediate := vk.PresentModeFifo, vk.PresentModeMailbox, vk.PresentModeImmediate
	require.Equal(t, mailbox, unlimited([]vk.PresentMode{immediate, fifo, mailbox}))
	require.Equal(t, immediate, unlimited([]vk.PresentMode{fifo, immediate}))
	require.Equal(t, fifo, unlimited([]vk.PresentMode{fifo}))
}

func TestNothingCanBeClosed(t *testing.T) {
	require.NotPanics(t, (*Swapchain)(nil).Close)
	require.NotPanics(t, (*Surface)(nil).Close)
}
