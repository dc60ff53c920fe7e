package main

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/internal/views"
	"github.com/shadeonce/shadeonce/renderer"
)

// All strategies are counted as each of them counts alone, and timed one after the other,
// for what is shown. What the window shows stays as it is.
func TestAllStrategiesAreTabled(t *testing.T) {
	s := newStudio(t, "sphere3")
	woken := make(chan bool, 100)
	s.inspector = newInspector(func() { woken <- true })
	s.panels = true
	s.followStrategies()
	require.Empty(t, s.strategies.rows, "the table is closed")
	s.allStrategies = true
	s.followStrategies()
	require.Len(t, s.strategies.rows, len(reuse.Names()))
	shown := s.Shown.Left.Plan

	for found := 0; found < len(reuse.Names()); {
		s.surveys.Follow(s.surveyed()...)
		<-woken
		found = 0
		s.surveys.Follow(s.surveyed()...)
		for _, r := range s.strategies.rows {
			if got, ok := s.surveys.Get(r.survey); ok {
				found++
				want, _ := reuse.Analyze(s.Shown.Left.Scene, r.survey.Config)
				require.Equal(t, want.Invocations, got.Invocations, r.name)
			}
		}
	}

	timed := 0
	for l, some := s.untimed(); some; l, some = s.untimed() {
		of := s.painter.Time(l, s.Camera)
		require.NoError(t, of.Err)
		require.NotEmpty(t, of.Passes)
		s.strategies.timed(of)
		timed++
	}
	require.Equal(t, len(reuse.Names()), timed)
	require.Same(t, shown, s.Shown.Left.Plan)
	spare := s.right
	s.followStrategies()
	require.True(t, spare.closed, "memory goes back once all is timed")

	// Another strategy keeps the table; another setting makes it anew.
	s.Shown.Left.Settings.Strategy = "hash"
	s.followStrategies()
	_, some := s.untimed()
	require.False(t, some)
	s.Shown.Left.Settings.Lanes = 16
	s.followStrategies()
	l, some := s.untimed()
	require.True(t, some)
	s.left.fail = nil
	of := &views.Timing{Look: l, Err: errors.New("no")}
	s.strategies.timed(of)
	next, _ := s.untimed()
	require.NotEqual(t, l, next, "what cannot be drawn is not tried again")
}

func TestSidesAreSwapped(t *testing.T) {
	s := newState(t, 1)
	before := *s
	s.swapSides()
	require.Equal(t, before.Want, s.Want, "there is no other side")
	s.Compare, s.IndexOrder = views.CompareSplit, "original"
	s.Other = views.OtherSide{Strategy: "hash", Lanes: 16, Order: "forsyth"}
	s.swapSides()
	require.Equal(t, "hash", s.Want.Strategy)
	require.Equal(t, 16, s.Want.Lanes)
	require.Equal(t, "forsyth", s.IndexOrder)
	require.Equal(t, views.OtherSide{Strategy: "warp", Lanes: 32, Order: "original"}, s.Other)
	s.swapSides()
	require.Equal(t, "warp", s.Want.Strategy)
}

func TestNumbersDiffer(t *testing.T) {
	left := &views.Half{Stats: reuse.Stats{Invocations: 50, Indices: 100, Referenced: 20}, Timings: []renderer.Timing{{Duration: time.Millisecond}}}
	right := &views.Half{Stats: reuse.Stats{Invocations: 40, Indices: 100, Referenced: 20}}
	for name, want := range map[string]string{"reuse": "+0.1000", "ideal reuse": "0.0000", "invocations": "-10", "all passes": noFigure} {
		for i := range numbers {
			if numbers[i].name == name {
				require.Equal(t, want, numbers[i].difference(nil, left, right), name)
			}
		}
	}
	require.Equal(t, "1.000 ms", passTime([]renderer.Timing{{Pass: "geometry:warp", Duration: time.Millisecond}, {Pass: "raster:hardware", Duration: time.Second}}, "geometry:"))
	require.Equal(t, "1,234", inspect.Thousands(1234))
}
