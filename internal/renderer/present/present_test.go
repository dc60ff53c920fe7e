package present

import (
	"image"
	"image/color"
	"testing"

	"github.com/stretchr/testify/require"
	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
)

// numbered returns a panel whose pixels encode their position.
func numbered(width, height int) *image.RGBA {
	img := image.NewRGBA(image.Rect(5, 7, 5+width, 7+height))
	for y := range height {
		for x := range width {
			img.SetRGBA(5+x, 7+y, color.RGBA{uint8(x), uint8(y), 99, 255})
		}
	}
	return img
}

func TestOverlaysAreCutToTheWindow(t *testing.T) {
	panel := numbered(10, 6)
	window := image.Rect(0, 0, 20, 12)
	for name, c := range map[string]struct {
		at   image.Point
		part image.Rectangle
		from image.Point
	}{
		"inside":      {image.Pt(3, 4), image.Rect(3, 4, 13, 10), image.Pt(5, 7)},
		"upper left":  {image.Pt(-4, -2), image.Rect(0, 0, 6, 4), image.Pt(9, 9)},
		"lower right": {image.Pt(15, 9), image.Rect(15, 9, 20, 12), image.Pt(5, 7)},
		"outside":     {image.Pt(20, 0), image.Rectangle{}, image.Point{}},
	} {
		t.Run(name, func(t *testing.T) {
			list, size := place([]Overlay{{panel, c.at}}, window)
			require.Len(t, list, 1)
			require.Equal(t, c.part, list[0].part)
			require.Equal(t, c.from, list[0].from)
			require.EqualValues(t, 4*c.part.Dx()*c.part.Dy(), size)
		})
	}
	list, size := place([]Overlay{{panel, image.Pt(0, 0)}, {panel, image.Pt(99, 0)}, {panel, image.Pt(1, 1)}}, window)
	require.Equal(t, []int64{0, 0, 240}, []int64{list[0].offset, list[1].offset, list[2].offset})
	require.EqualValues(t, 480, size)
}

func TestPanelsArePackedInTheWindowsOrder(t *testing.T) {
	panel := numbered(10, 6)
	list, size := place([]Overlay{{panel, image.Pt(-7, 10)}}, image.Rect(0, 0, 20, 12))
	for format, want := range map[vk.Format][]byte{
		vk.FormatR8g8b8a8Unorm: {7, 0, 99, 255, 8, 0, 99, 255, 9, 0, 99, 255, 7, 1, 99, 255, 8, 1, 99, 255, 9, 1, 99, 255},
		vk.FormatB8g8r8a8Unorm: {99, 0, 7, 255, 99, 0, 8, 255, 99, 0, 9, 255, 99, 1, 7, 255, 99, 1, 8, 255, 99, 1, 9, 255},
	} {
		to := make([]byte, size)
		list[0].pack(to, panel, blueFirst(format))
		require.Equal(t, want, to)
	}
}

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
