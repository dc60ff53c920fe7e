package geometry

import (
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"
)

// frameOf is a captured frame of a hundred quads about the origin, and others.
func frameOf(others ...mgl32.Mat4) *Scene {
	s := quad()
	one := s.Draws[0]
	s.Draws = nil
	for i := range 100 {
		one.Transform = mgl32.Translate3D(float32(i%10), 0, float32(i/10))
		s.Draws = append(s.Draws, one)
	}
	for _, m := range others {
		one.Transform = m
		s.Draws = append(s.Draws, one)
	}
	s.Capture = &Capture{}
	return s
}

// Sky domes and stray draws have no influence on what a camera shows of a captured frame.
func TestCoreLeavesOutWhatSurrounds(t *testing.T) {
	own := Box{Min: mgl32.Vec3{0, 0, 0}, Max: mgl32.Vec3{10, 1, 9}}
	sky, stray := mgl32.Scale3D(500, 500, 500), mgl32.Translate3D(0, -900, 0)
	for _, others := range [][]mgl32.Mat4{nil, {sky}, {stray}, {stray, sky}} {
		b := frameOf(others...).Bounds()
		require.Equal(t, own, b.Shown(), others)
		require.Equal(t, len(others) == 0, b.Min == own.Min && b.Max == own.Max, "the box holds all")
	}
	// A draw that is only a little larger, or that has much of the frame's triangles, belongs to
	// the core.
	large := frameOf(mgl32.Scale3D(7, 7, 7)).Bounds()
	require.Equal(t, large.Max, large.Shown().Max)
	terrain := frameOf(sky, sky, sky).Bounds()
	require.Equal(t, terrain.Max, terrain.Shown().Max)
	// A scene that is not a captured frame is shown whole.
	s := frameOf(sky)
	s.Capture = nil
	require.Nil(t, s.Bounds().Core)
}

// A hidden draw is shrunk to a point, which is not part of the core.
func TestCoreLeavesOutHiddenDraws(t *testing.T) {
	s := frameOf(mgl32.Translate3D(0, 0, 15))
	s.Draws = s.Draws[99:] // the quads at 9, 0, 9, and at 0, 0, 15
	s.Capture = &Capture{View: &View{}, Placings: []Placing{{How: Fitted}, {How: Hidden}}}
	require.Equal(t, Box{Min: mgl32.Vec3{9, 0, 9}, Max: mgl32.Vec3{10, 1, 9}}, s.Bounds().Shown())
	require.Equal(t, "1 of 2 draws not placed: they are counted, not shown", s.PlaceNote())
	s.Capture.Placings[1].How = Captured
	require.Empty(t, s.PlaceNote())
	s.Capture = &Capture{}
	require.Equal(t, "2 draws, not placed: the capture does not say where they stand", s.PlaceNote())
	s.Draws[0].Event, s.Draws[1].Event = 7, 7
	require.Equal(t, "2 instances of 1 draws, not placed: the capture does not say where they stand", s.PlaceNote())
	s.Capture = nil
	require.Empty(t, s.PlaceNote())
}

// TestNumbered: draws are named by their events, which instances share, or by their places.
func TestNumbered(t *testing.T) {
	s := quad()
	one := s.Draws[0]
	s.Draws = nil
	for _, event := range []uint32{5, 30, 9, 5} {
		one.Event = event
		s.Draws = append(s.Draws, one)
	}
	for _, c := range []struct {
		first, last int
		draws       []int
		err         string
	}{
		{5, 5, []int{0, 3}, ""}, {6, 40, []int{1, 2}, ""},
		{7, 8, nil, "no draw has this event: the nearest with draws are 5 and 9"},
		{0, 4, nil, "no draw has this event: the first one with a draw is 5"},
		{31, 31, nil, "no draw has this event: the last one with a draw is 30"},
	} {
		draws, err := s.Numbered(c.first, c.last)
		require.Equal(t, c.draws, draws)
		if c.err != "" {
			require.EqualError(t, err, c.err)
		}
	}
	s.Draws[1].Event = 0
	s.CheckEvents()
	draws, err := s.Numbered(1, 2)
	require.NoError(t, err)
	require.Equal(t, []int{1, 2}, draws)
	for _, at := range []int{-1, 4} {
		_, err = s.Numbered(at, at)
		require.EqualError(t, err, "there are draws 0 to 3")
	}
	_, err = s.Only([]int{3}).Numbered(1, 1)
	require.EqualError(t, err, "there is only draw 0")
}
