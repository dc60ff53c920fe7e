package picture

import (
	"image"
	"image/color"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

var (
	back  = color.RGBA{20, 30, 40, 255}
	front = color.RGBA{200, 100, 50, 255}
)

// rectangle returns a picture of the background with a rectangle drawn into it.
func rectangle(width, height int, drawn image.Rectangle) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			m.SetRGBA(x, y, back)
			if image.Pt(x, y).In(drawn) {
				m.SetRGBA(x, y, front)
			}
		}
	}
	return m
}

// compareDrawn compares two pictures of rectangle, with depths that tell drawn pixels from the background.
func compareDrawn(t *testing.T, a, b *image.RGBA) *Comparison {
	t.Helper()
	depths := func(m *image.RGBA) (d []float32) {
		for y := range m.Rect.Dy() {
			for x := range m.Rect.Dx() {
				d = append(d, 0)
				if m.RGBAAt(m.Rect.Min.X+x, m.Rect.Min.Y+y) == back {
					d[len(d)-1] = 1
				}
			}
		}
		return d
	}
	r := must.Get(Compare(a, b, CompareOptions{DepthA: depths(a), DepthB: depths(b)}))
	return r
}

func TestSamePicturePasses(t *testing.T) {
	a, b := rectangle(16, 12, image.Rect(4, 3, 9, 8)), rectangle(16, 12, image.Rect(4, 3, 9, 8))
	r := compareDrawn(t, a, b)
	require.NoError(t, r.Check(1))
	require.Equal(t, 1.0, r.Equal())
	require.Equal(t, 1.0, r.DrawnEqual())
	require.Equal(t, r.Pixels(), r.Count[Same])
	require.Zero(t, r.MaxDifference)
	require.Zero(t, r.Worst)
	require.Equal(t, 25, r.Drawn)
}

// TestEveryChangedPixelIsFound changes each channel of each pixel in turn.
func TestEveryChangedPixelIsFound(t *testing.T) {
	a, b := rectangle(9, 7, image.Rect(2, 2, 6, 6)), rectangle(9, 7, image.Rect(2, 2, 6, 6))
	for i := range b.Pix {
		b.Pix[i] ^= 1
		r := compareDrawn(t, a, b)
		require.Equal(t, r.Pixels()-1, r.Count[Same], "byte %d", i)
		require.Equal(t, 1, r.MaxDifference)
		require.Equal(t, image.Pt(i/4%9, i/4/9), r.Worst)
		require.Error(t, r.Check(1))
		b.Pix[i] ^= 1
	}
}

func TestRefuses(t *testing.T) {
	a, b := rectangle(8, 8, image.Rect(1, 1, 3, 3)), rectangle(8, 8, image.Rect(1, 1, 3, 3))
	shared := *a
	depth := make([]float32, 64)
	for name, tt := range map[string]struct {
		a, b *image.RGBA
		o    CompareOptions
		want string
	}{
		"missing":       {a, nil, CompareOptions{}, "picture: a picture is missing"},
		"itself":        {a, a, CompareOptions{}, "picture: a picture is compared with itself"},
		"shared pixels": {a, &shared, CompareOptions{}, "picture: a picture is compared with itself"},
		"other size":    {a, rectangle(8, 9, image.Rect(0, 0, 1, 1)), CompareOptions{}, "picture: sizes differ: 8x8 and 8x9"},
		"wider":         {a, rectangle(9, 8, image.Rectangle{}), CompareOptions{}, "picture: sizes differ: 8x8 and 9x8"},
		"turned":        {rectangle(4, 16, image.Rectangle{}), a, CompareOptions{}, "picture: sizes differ: 4x16 and 8x8"},
		"no pixels":     {image.NewRGBA(image.Rectangle{}), image.NewRGBA(image.Rectangle{}), CompareOptions{}, "picture: pictures without pixels"},
		"one depth":     {a, b, CompareOptions{DepthA: depth}, "picture: depths of 64 and 0 pixels for pictures of 64"},
		"short depths":  {a, b, CompareOptions{DepthA: depth[:9], DepthB: depth[:9]}, "picture: depths of 9 and 9 pixels for pictures of 64"},
		"same depth":    {a, b, CompareOptions{DepthA: depth, DepthB: depth}, "picture: depths are compared with themselves"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Compare(tt.a, tt.b, tt.o)
			require.EqualError(t, err, tt.want)
		})
	}
}

func TestClassesOfCoverage(t *testing.T) {
	a := rectangle(20, 20, image.Rect(5, 5, 15, 15))
	for name, tt := range map[string]struct {
		drawn image.Rectangle
		near  int
		far   int
	}{
		"one column more":    {image.Rect(5, 5, 16, 15), 10, 0},
		"one column less":    {image.Rect(6, 5, 15, 15), 10, 0},
		"two columns more":   {image.Rect(5, 5, 17, 15), 20, 0},
		"three columns more": {image.Rect(5, 5, 18, 15), 22, 8},
		"nothing drawn":      {image.Rectangle{}, 36, 64},
		"everything drawn":   {image.Rect(0, 0, 20, 20), 44, 256},
	} {
		t.Run(name, func(t *testing.T) {
			r := compareDrawn(t, a, rectangle(20, 20, tt.drawn))
			require.Equal(t, tt.near, r.Count[CoverageNear])
			require.Equal(t, tt.far, r.Count[CoverageFar])
			if tt.far != 0 {
				require.ErrorContains(t, r.Check(0), "away from edges")
			} else {
				require.NoError(t, r.Check(0))
			}
		})
	}
}

func TestClassesOfColor(t *testing.T) {
	a, b := rectangle(20, 20, image.Rect(5, 5, 15, 15)), rectangle(20, 20, image.Rect(5, 5, 15, 15))
	b.SetRGBA(10, 10, color.RGBA{200, 100, 57, 255})
	b.SetRGBA(5, 9, color.RGBA{200, 101, 50, 255})
	r := compareDrawn(t, a, b)
	require.Equal(t, [classCount]int{Same: 398, ColorNear: 1, ColorFar: 1}, r.Count)
	require.Equal(t, 7, r.MaxDifference)
	require.Equal(t, image.Pt(10, 10), r.Worst)
	require.InDelta(t, 0.98, r.DrawnEqual(), 1e-12)
	require.NoError(t, r.Check(0.995))
	require.ErrorContains(t, r.Check(0.9951), "fewer than 99.51 %")
}

func TestDepthSaysWhatIsDrawnAndWhereEdgesAre(t *testing.T) {
	a, b := rectangle(10, 3, image.Rectangle{}), rectangle(10, 3, image.Rectangle{})
	depths := func() []float32 {
		d := make([]float32, 30)
		for i := range d {
			d[i] = 0.5
			if i%10 >= 5 {
				d[i] = 0.75
			}
		}
		return d
	}
	o := CompareOptions{DepthA: depths(), DepthB: depths(), DepthStep: 0.1}
	b.SetRGBA(4, 1, front) // next to the depth step
	b.SetRGBA(8, 1, front) // away from it
	r := must.Get(Compare(a, b, o))
	require.Equal(t, [classCount]int{Same: 28, ColorNear: 1, ColorFar: 1}, r.Count)
	require.Equal(t, 30, r.Drawn)

	// A hole of the same colour is found by its depth.
	o.DepthB[1*10+2] = 1
	r = must.Get(Compare(rectangle(10, 3, image.Rectangle{}), a, o))
	require.Equal(t, [2]int{1, 0}, [2]int{r.Count[CoverageNear], r.Count[CoverageFar]})
	require.Equal(t, CoverageNear, r.Classes[1*10+2])
}

func TestDepthAloneSaysWhatIsDrawn(t *testing.T) {
	a, b := rectangle(5, 5, image.Rectangle{}), rectangle(5, 5, image.Rectangle{})
	o := CompareOptions{DepthA: slices.Repeat([]float32{1}, 25), DepthB: make([]float32, 25)}
	r := must.Get(Compare(a, b, o))
	require.Equal(t, 25, r.Count[CoverageFar])
	require.Equal(t, [2]int{25, 0}, [2]int{r.Drawn, r.DrawnSame}, "drawn in either")
	require.Zero(t, r.MaxDifference)
}

func TestSubImages(t *testing.T) {
	large := rectangle(30, 30, image.Rect(12, 13, 20, 20))
	a := large.SubImage(image.Rect(10, 10, 20, 20)).(*image.RGBA)
	b := rectangle(10, 10, image.Rect(2, 3, 10, 10))
	r := compareDrawn(t, a, b)
	require.Equal(t, r.Pixels(), r.Count[Same])
	b.SetRGBA(9, 0, front)
	r = compareDrawn(t, a, b)
	require.Equal(t, r.Pixels()-1, r.Count[Same])
	require.Equal(t, image.Pt(9, 0), r.Worst)
}

func TestPicture(t *testing.T) {
	a, b := rectangle(20, 20, image.Rect(5, 5, 15, 15)), rectangle(20, 20, image.Rect(5, 5, 18, 15))
	b.SetRGBA(10, 10, color.RGBA{1, 2, 3, 255})
	r := compareDrawn(t, a, b)
	m := r.Picture()
	require.Equal(t, image.Rect(0, 0, 20, 20), m.Bounds())
	require.Equal(t, color.RGBA{240, 220, 40, 255}, m.RGBAAt(15, 7))
	require.Equal(t, color.RGBA{255, 0, 0, 255}, m.RGBAAt(16, 7))
	require.Equal(t, color.RGBA{255, 0, 255, 255}, m.RGBAAt(10, 10))
	require.Equal(t, color.RGBA{9, 9, 9, 255}, m.RGBAAt(0, 0))
}

// TestComparisonInWords: one pixel of 20 differs in colour, and none in coverage.
func TestComparisonInWords(t *testing.T) {
	a, b := image.NewRGBA(image.Rect(0, 0, 5, 4)), image.NewRGBA(image.Rect(0, 0, 5, 4))
	for i := range a.Pix {
		a.Pix[i], b.Pix[i] = 200, 200
	}
	b.Pix[b.PixOffset(3, 1)] -= 7
	r := must.Get(Compare(a, b, CompareOptions{}))
	require.Equal(t, "95.0000 % of 20 pixels equal (95.0000 % of 20 drawn); coverage differs at 0 near edges, 0 elsewhere; "+
		"colour at 0 near edges, 1 elsewhere; by at most 7, at 3,1", r.String())
}
