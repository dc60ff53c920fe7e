package picture

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// swatchHigh returns the height of a colour's swatch in a picture, in pixels.
func swatchHigh(img *image.RGBA, c color.RGBA) (high int) {
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			if img.RGBAAt(x, y) == c {
				high++
				break
			}
		}
	}
	return high
}

// A legend is as readable in a small picture as in a large one, and is left out, not cut off, if
// it does not fit.
func TestLegendSuitsThePicture(t *testing.T) {
	legend := Panel{
		Title: "Times each vertex was shaded (% of what is seen)",
		Lines: []string{"knot  warp, 32 lanes, batch 96", "reuse 0.6250 (ideal 0.8333)  ACMR 1.125"},
		Keys:  ScaleKeys(PaperPalette, (&Seen{Pixels: 9, Times: [6]int{1, 2, 1, 1, 1, 1}}).Shares()),
	}
	for size, share := range map[image.Point]float64{{480, 270}: 0.03, {1280, 720}: 0.02, {3840, 2160}: 0.02, {270, 480}: 0.01} {
		img := image.NewRGBA(image.Rectangle{Max: size})
		require.True(t, DrawLegend(img, Background, legend), size)
		for _, c := range Heat {
			require.GreaterOrEqual(t, float64(swatchHigh(img, c)), share*float64(size.Y), "%v", size)
		}
		require.GreaterOrEqual(t, swatchHigh(img, Heat[0]), 9, "%v", size)
	}
	// In a part of a picture the legend is drawn as in a whole picture, and the rest stays empty.
	whole, part := image.NewRGBA(image.Rect(0, 0, 480, 270)), image.NewRGBA(image.Rect(0, 0, 510, 290))
	inside := whole.Rect.Add(image.Pt(20, 10))
	require.True(t, DrawLegend(whole, Background, legend))
	require.True(t, DrawLegend(part.SubImage(inside).(*image.RGBA), Background, legend))
	want := image.NewRGBA(part.Rect)
	draw.Draw(want, inside, whole, image.Point{}, draw.Src)
	require.Equal(t, want, part)

	small := image.NewRGBA(image.Rect(0, 0, 64, 64))
	require.False(t, DrawLegend(small, Background, legend))
	require.Equal(t, image.NewRGBA(small.Rect), small)
}

// The legend covers none of what is drawn if a corner is free, and otherwise as little as possible. It is in the lower left
// corner if all are as good.
func TestLegendLeavesRoomForWhatIsDrawn(t *testing.T) {
	legend := Panel{Title: "Times", Keys: ScaleKeys(PaperPalette, nil)}
	blank := image.NewRGBA(image.Rect(0, 0, 800, 600))
	require.True(t, DrawLegend(blank, Background, legend))
	require.NotZero(t, blank.RGBAAt(20, 579).A)
	for _, empty := range []image.Point{{0, 1}, {1, 1}, {0, 0}, {1, 0}} { // corners
		for _, nothing := range []color.RGBA{{}, {9, 8, 7, 255}} {
			img, corner := image.NewRGBA(image.Rect(0, 0, 800, 600)), image.Rect(0, 0, 400, 300).Add(image.Pt(400*empty.X, 300*empty.Y))
			draw.Draw(img, img.Rect, image.NewUniform(Heat[0]), image.Point{}, draw.Src)
			draw.Draw(img, corner, image.NewUniform(nothing), image.Point{}, draw.Src)
			require.True(t, DrawLegend(img, color.RGBA{9, 8, 7, 255}, legend))
			require.NotEqual(t, nothing, img.RGBAAt(20+759*empty.X, 20+559*empty.Y), "%v", empty)
		}
	}
}

// Swatches show how far the weakest light darkens each colour.
func TestLegendShowsHowFarLightDarkens(t *testing.T) {
	flat := Panel{Keys: ScaleKeys(PaperPalette, nil)}
	lit := flat
	lit.Darkest = .25
	for _, em := range []float64{9, 13, 26} {
		whole, shaded := swatchHigh(flat.Draw(em), Heat[2]), lit.Draw(em)
		require.GreaterOrEqual(t, 2*swatchHigh(shaded, Heat[2]), whole, "half of it is the colour")
		require.Less(t, swatchHigh(shaded, Heat[2]), whole)
		var darkest uint8 = 255
		for y := range shaded.Rect.Dy() {
			if c := shaded.RGBAAt(shaded.Rect.Dx()*5/12, y); c.G > c.B+20 && c.R > c.B+20 {
				darkest = min(darkest, c.R)
			}
		}
		require.InDelta(t, float64(Heat[2].R)/4, float64(darkest), 25, "em %v", em)
	}
}

// If a legend does not fit a room, first its letters shrink, then lines are left out.
func TestLegendFitsARoom(t *testing.T) {
	legend := Panel{Title: "Times each vertex was shaded (% of what is seen)", Lines: []string{"knot"}, Keys: ScaleKeys(PaperPalette, []string{"1 %", "2 %", "3 %", "4 %", "5 %", "6 %"})}
	whole := legend.Size(13)
	for room, want := range map[image.Point][2]int{ // title and lines
		whole: {1, 1}, {whole.X, whole.Y - 12}: {1, 0}, {whole.X * 2 / 3, whole.Y}: {0, 0},
	} {
		fit, em, ok := legend.Fit(room, 13, 13)
		require.True(t, ok, room)
		require.Equal(t, want, [2]int{min(len(fit.Title), 1), len(fit.Lines)}, room)
		size := fit.Size(em)
		require.True(t, size.X <= room.X && size.Y <= room.Y)
	}
	fit, em, ok := legend.Fit(image.Pt(whole.X-10, whole.Y), 13, 10)
	require.True(t, ok)
	require.Equal(t, legend.Title, fit.Title)
	require.Equal(t, 12., em)
	_, _, ok = legend.Fit(image.Pt(50, 50), 13, 10)
	require.False(t, ok)
}

var update = flag.Bool("update", false, "let testdata hold the panels as they are now")

// TestPanels compares panels with testdata/panels.png, one below the other: texts, shares, keys of
// each palette in full and in weak light, and a continuous scale. go test ./internal/renderer/picture
// -update writes it.
func TestPanels(t *testing.T) {
	shares := (&Seen{Pixels: 99, Times: [6]int{20000, 7000, 1, 500, 0, 1}}).Shares()
	shaded, ramp := ScaleKeys(PaperPalette, shares), []color.RGBA{{A: 255}, {R: 255, A: 255}, {R: 255, G: 255, B: 255, A: 255}}
	all, y := image.NewRGBA(image.Rect(0, 0, 320, 475)), 0
	for _, c := range []struct {
		em    float64
		panel Panel
	}{
		{13, Panel{Title: "Times shaded", Lines: []string{"knot", "reuse 0.6250"}, Keys: shaded, Darkest: .35}},
		{10, Panel{Title: "A long title that is wider than the keys below it, which are few", Keys: BatchKeys(2)}},
		{13, Panel{Lines: []string{"a line"}, Keys: ScaleKeys(ColorblindPalette, nil)}},
		{12, Panel{Keys: ScaleKeys(DifferencePalette, nil), Darkest: 1}},
		{13, Panel{Title: "Levels", Ramp: ramp, Labels: []string{"0", "128", "256"}}},
		{13, Panel{Ramp: ramp, Labels: []string{"0", "1"}}},
		{10, Panel{Title: "No colours", Lines: []string{"at all"}}},
	} {
		drawn := c.panel.Draw(c.em)
		require.Equal(t, c.panel.Size(c.em), drawn.Rect.Size())
		draw.Draw(all, drawn.Rect.Add(image.Pt(0, y)), drawn, image.Point{}, draw.Src)
		y += drawn.Rect.Dy() + 5
	}
	for em, want := range map[float64]int{10: 9, 13: 11, 20: 18} {
		require.Equal(t, want, Margin(em))
	}
	const path = "testdata/panels.png"
	if *update {
		var data bytes.Buffer
		require.NoError(t, png.Encode(&data, all))
		require.NoError(t, os.WriteFile(path, data.Bytes(), 0o666))
	}
	file := must.Get(os.Open(path))
	defer file.Close()
	want := must.Get(png.Decode(file))
	for y := range all.Rect.Dy() {
		for x := range all.Rect.Dx() {
			require.Equal(t, want.At(x, y), color.NRGBAModel.Convert(all.At(x, y)), "%d,%d", x, y)
		}
	}
}

func TestBatchKeys(t *testing.T) {
	require.Empty(t, BatchKeys(0))
	require.Equal(t, []Key{{Color: BatchColor(0), Label: "0"}}, BatchKeys(1))
	require.Equal(t, "5..", BatchKeys(7)[5].Label)
	require.Equal(t, "5", BatchKeys(6)[5].Label)
}

// TestLabelsFit: a scale is as wide as all its labels. A light panel is light.
func TestLabelsFit(t *testing.T) {
	long := Panel{Light: true, Ramp: Heat[:], Labels: []string{"a long label of a value", "another long label", "and a third one"}}
	wide := 0
	for _, label := range long.Labels {
		wide += (&Panel{Lines: []string{label}}).Size(13).X
	}
	require.InDelta(t, wide, long.Size(13).X, 13, "the space between labels is not that around lines")
	require.Equal(t, color.RGBA{240, 240, 240, 255}, long.Draw(13).RGBAAt(0, 0))
}

func TestDifferenceCountsAreStepsOfTheScale(t *testing.T) {
	a := []uint32{5, 1, 1, 1, 1, 1, 1, 0, 1 << 31}
	b := []uint32{1, 0, 1, 2, 3, 4, 9, 0, 0}
	require.Equal(t, []uint32{1, 2, 3, 4, 5, 5, 5, 3, 1}, DifferenceCounts(a, b))
	for i, n := range DifferenceCounts(b, a) { // the scale is symmetric
		require.EqualValues(t, DifferencePalette.Steps()+1, n+DifferenceCounts(a, b)[i])
	}
}

func TestPalettesTellEveryStepApart(t *testing.T) {
	require.Equal(t, Heat, PaperPalette.Colors())
	for p := range Palette(len(PaletteNames)) {
		seen := map[any]bool{}
		for _, c := range p.Colors() {
			require.EqualValues(t, 255, c.A)
			require.False(t, seen[c], "%s: %v twice", p, c)
			seen[c] = true
		}
		require.Len(t, p.Labels(), len(p.Colors()))
	}
	// The colours for colour-blind readers get lighter with every step.
	last := 0
	for _, c := range ColorblindPalette.Colors() {
		luma := 299*int(c.R) + 587*int(c.G) + 114*int(c.B)
		require.Greater(t, luma, last)
		last = luma
	}
}

// TestRamp: the stops are at even distances, colours between them are mixed.
func TestRamp(t *testing.T) {
	black, red, white := color.RGBA{A: 255}, color.RGBA{200, 0, 0, 255}, color.RGBA{200, 100, 50, 255}
	require.Equal(t, []color.RGBA{black, {100, 0, 0, 255}, red, {200, 50, 25, 255}, white}, Ramp([]color.RGBA{black, red, white}, 5))
	require.Equal(t, []color.RGBA{black}, Ramp([]color.RGBA{black, white}, 1))
}

func TestTakeSeen(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 4, 1))
	for i, alpha := range []uint8{255, 254, 252, 252} {
		img.Pix[4*i+3] = alpha
	}
	s := TakeSeen(img)
	require.Equal(t, [6]int{1, 0, 2, 0, 0, 0}, s.Times)
	require.Equal(t, 4, s.Pixels)
	require.True(t, img.Opaque())
	require.Equal(t, []string{"33.3 %", "0 %", "66.7 %", "0 %", "0 %", "0 %"}, s.Shares())
	require.Equal(t, "-", (&Seen{Pixels: 4}).Shares()[0])
}

// Between counts only the columns from left to right, in every row.
func TestSeenBetweenColumns(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 3, 2))
	for i, alpha := range []uint8{254, 253, 255, 254, 254, 249} {
		img.Pix[4*i+3] = alpha
	}
	s := TakeSeen(img)
	require.Equal(t, [6]int{3, 1, 0, 0, 0, 1}, s.Times)
	for _, c := range []struct {
		left, right, pixels int
		times               [6]int
	}{{0, 3, 6, s.Times}, {0, 1, 2, [6]int{2}}, {1, 3, 4, [6]int{1, 1, 0, 0, 0, 1}}, {-1, 9, 6, s.Times}, {2, 1, 0, [6]int{}}, {5, 6, 0, [6]int{}}} {
		part := s.Between(c.left, c.right)
		require.Equal(t, c.times, part.Times)
		require.Equal(t, c.pixels, part.Pixels)
	}
	require.Equal(t, "-", new(Seen).Between(0, 5).Shares()[0], "nothing was counted")
}

func TestPercentIsExactAtTheEnds(t *testing.T) {
	require.Equal(t, "<0.1 %", percent(1, 1e6))
	require.Equal(t, ">99.9 %", percent(1e6-1, 1e6))
	require.Equal(t, "100 %", percent(7, 7))
}
