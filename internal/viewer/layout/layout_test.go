package layout

import (
	"image"
	"testing"

	"github.com/stretchr/testify/require"
)

var wanted = []Place{
	{X: 12, Y: 12, Width: 330, Height: 690},
	{X: 12, Y: 12, Width: 520, Height: 300, Right: true},
	{X: 12, Y: 120, Width: 300, Height: 280, Right: true, Bottom: true},
}

// rectangles returns where the panels should be in a window.
func rectangles(window image.Point, scale float64) (list []image.Rectangle) {
	for _, p := range wanted {
		list = append(list, p.In(window, scale))
	}
	return list
}

// Panels lie on the window without overlapping, whatever its size.
func TestPanelsLieOnTheWindowAndNotOnEachOther(t *testing.T) {
	for _, window := range []image.Point{{1280, 720}, {2560, 1440}, {900, 700}, {500, 400}, {320, 240}, {60, 40}, {1, 1}, {3000, 90}, {90, 3000}} {
		for _, scale := range []float64{1, 1.5, 2} {
			legend := image.Rect(12, window.Y-90, 300, window.Y-12)
			got := Arrange(window, []image.Rectangle{legend}, rectangles(window, scale), image.Pt(120, 60))
			require.False(t, got[0].Empty(), "%v: the first is always there", window)
			for i, r := range got {
				require.True(t, r.In(image.Rectangle{Max: window}), "%v at %v: panel %d is %v", window, scale, i, r)
				for _, other := range got[:i] {
					require.False(t, r.Overlaps(other), "%v at %v: %v and %v", window, scale, r, other)
				}
			}
		}
	}
}

func TestPanelsStayWhereTheyAreWantedIfTheyFit(t *testing.T) {
	window := image.Pt(1600, 1000)
	want := rectangles(window, 1)
	require.Equal(t, want, Arrange(window, nil, want, image.Pt(120, 60)))
	moved := image.Rect(20, 30, 320, 330)
	got := Arrange(window, nil, []image.Rectangle{want[0], moved}, image.Pt(120, 60))
	require.Equal(t, image.Rect(342, 30, 642, 330), got[1], "beside the one that it would cover, as large as before")
	long, high, tiny := image.Rect(0, 0, 1600, 990), image.Rect(0, 0, 1590, 1000), image.Rect(0, 0, 100, 8)
	require.Equal(t, []image.Rectangle{long, {}}, Arrange(window, nil, []image.Rectangle{long, want[1]}, image.Pt(120, 60)), "no room is high enough")
	require.Equal(t, []image.Rectangle{high, {}}, Arrange(window, nil, []image.Rectangle{high, want[1]}, image.Pt(120, 60)), "nor wide enough")
	require.Equal(t, image.Rect(0, 990, 100, 998), Arrange(window, nil, []image.Rectangle{long, tiny}, image.Pt(120, 60))[1], "what is smaller by itself needs no more")
	for _, r := range append(want, image.Rect(1400, 30, 1500, 80), image.Rect(30, 900, 80, 980)) {
		require.Equal(t, r, PlaceOf(r, window, 1.5).In(window, 1.5))
	}
	require.Equal(t, Place{X: 100, Y: 100, Width: 1400, Height: 800}, PlaceOf(image.Rect(100, 100, 1500, 900), window, 1), "the left and upper edges of two as near")
	require.Equal(t, image.Rect(1268, 12, 1788, 312), PlaceOf(want[1], window, 1).In(image.Pt(1800, 1000), 1), "it keeps to the right edge")
	require.Equal(t, image.Rect(10, 900, 310, 1180), PlaceOf(image.Rect(10, 700, 310, 980), window, 1).In(image.Pt(1600, 1200), 1), "it keeps to the lower edge")
}

func TestALineLiesAlongAnEdge(t *testing.T) {
	window, line := image.Pt(1280, 720), image.Pt(900, 40)
	panel, draws, legend := image.Rect(12, 12, 342, 560), image.Rect(748, 12, 1268, 312), image.Rect(12, 580, 400, 708)
	require.Equal(t, image.Rect(0, 0, 1280, 40), Strip(window, nil, line, 0))
	require.Equal(t, image.Rect(342, 0, 1280, 40), Strip(window, []image.Rectangle{panel, legend}, line, 0))
	taken := []image.Rectangle{panel, draws, legend}
	require.Equal(t, image.Rect(342, 0, 748, 40), Strip(window, taken, image.Pt(300, 40), 0), "a short one")
	require.Equal(t, image.Rect(400, 680, 1280, 720), Strip(window, taken, line, 0), "where more is free")
	require.Equal(t, image.Rect(0, 0, 1280, 40), Strip(window, []image.Rectangle{{Max: window}}, line, 0), "over everything")
	require.Equal(t, image.Rect(0, 0, 320, 40), Strip(window, []image.Rectangle{{Min: image.Pt(320, 0), Max: window}}, line, 0), "a quarter")

	upright := []image.Rectangle{image.Rect(48, 12, 588, 34), image.Rect(12, 350, 588, 728), image.Rect(12, 742, 414, 888)} // a title, the settings, the legend
	require.Equal(t, image.Rect(0, 34, 600, 74), Strip(image.Pt(600, 900), upright, line, 250), "between them")
	require.Equal(t, image.Rect(414, 860, 600, 900), Strip(image.Pt(600, 900), upright, line, 180), "the edge is wide enough")
}

// Panels lie on the window even if a file of remembered places holds nonsense.
func TestNonsenseIsPlacedToo(t *testing.T) {
	window := image.Pt(800, 600)
	var list []image.Rectangle
	for _, p := range []Place{{X: -1e300, Y: 1e300, Width: 1e300, Height: -5}, {Width: -1e300}, {X: 1e9, Right: true, Bottom: true, Width: 200, Height: 100}} {
		list = append(list, p.In(window, 2))
	}
	for i, r := range Arrange(window, nil, list, image.Pt(120, 60)) {
		require.True(t, r.In(image.Rectangle{Max: window}), "%d: %v", i, r)
	}
}

func TestTheSceneGetsWhatPanelsLeave(t *testing.T) {
	window := image.Pt(1280, 720)
	require.Equal(t, image.Rectangle{Max: window}, Free(window, nil))
	panel := image.Rect(12, 12, 342, 600)
	require.Equal(t, image.Rect(342, 0, 1280, 720), Free(window, []image.Rectangle{panel}))
	free := Free(window, []image.Rectangle{panel, image.Rect(748, 12, 1268, 312)})
	require.Equal(t, image.Rect(342, 312, 1280, 720), free)
	require.Equal(t, image.Rect(780, 380, 1280, 720), Free(window, []image.Rectangle{image.Rect(250, 0, 780, 720), image.Rect(780, 0, 1280, 380)}), "not the narrow one, though it is larger")
	for _, all := range []image.Rectangle{{Max: image.Pt(1280, 560)}, {Max: image.Pt(980, 720)}} {
		require.Equal(t, image.Rectangle{Max: window}, Free(window, []image.Rectangle{all}), "a strip is too narrow")
	}
	wide, high := image.Pt(1600, 400), image.Pt(400, 1600)
	require.Equal(t, image.Rect(0, 290, 1600, 400), Free(wide, []image.Rectangle{image.Rect(0, 0, 1600, 290)}), "more than a quarter of the height")
	require.Equal(t, image.Rect(290, 0, 400, 1600), Free(high, []image.Rectangle{image.Rect(0, 0, 290, 1600)}), "more than a quarter of the width")
	small := image.Pt(60, 40)
	require.Equal(t, image.Rectangle{Max: small}, Free(small, []image.Rectangle{{Max: small}}), "nothing is left")
}
