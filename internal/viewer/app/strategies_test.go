package app

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/renderer"
)

// The table has the counts that each strategy has alone, and times the strategies one after the other
// with the shown settings. The picture in the window does not change.
func TestAllStrategiesAreTabled(t *testing.T) {
	s := newStudio(t, "sphere3")
	woken := make(chan bool, 100)
	s.Inspector = newInspector(func() { woken <- true })
	s.Panels = true
	s.followStrategies()
	require.Empty(t, s.Strategies.Rows, "the table is closed")
	s.AllStrategies = true
	s.followStrategies()
	require.Len(t, s.Strategies.Rows, len(reuse.Names()))
	shown := s.Shown.Left.Plan

	for found := 0; found < len(reuse.Names()); {
		s.Surveys.Follow(s.surveyed()...)
		<-woken
		found = 0
		s.Surveys.Follow(s.surveyed()...)
		for _, r := range s.Strategies.Rows {
			if got, ok := s.Surveys.Get(r.Survey); ok {
				found++
				want, _ := must.Get2(reuse.Analyze(s.Shown.Left.Scene, r.Survey.Config))
				require.Equal(t, want.Invocations, got.Invocations, r.Name)
			}
		}
	}

	timed := 0
	for l, some := s.untimed(); some; l, some = s.untimed() {
		of := s.painter.Time(l, s.Camera)
		require.NoError(t, of.Err)
		require.NotEmpty(t, of.Passes)
		s.Strategies.timed(of)
		timed++
	}
	require.Equal(t, len(reuse.Names()), timed)
	// The estimates of auto are shown beside the measurements.
	for i := range s.Strategies.Rows {
		s.Strategies.Rows[i].Timing = &model.Timing{Passes: []renderer.Timing{{Duration: time.Duration(len(s.Strategies.Rows) - i)}}}
	}
	auto := *s.Shown.Left.Plan
	auto.Choice.Strategy = "auto: a guess"
	s.Shown.Left.Plan = &auto
	require.Contains(t, s.WhyAuto(), s.Strategies.Rows[len(s.Strategies.Rows)-1].Name+" is the fastest here")
	s.Strategies.Rows[0].Timing = nil
	require.Equal(t, "auto: a guess", s.WhyAuto(), "not all are timed yet")
	s.Strategies.Rows[0].Err = errors.New("no")
	require.Contains(t, s.WhyAuto(), " is the fastest here", "one could not be timed")
	s.Strategies.Rows[0].Err = nil
	s.Shown.Left.Plan = shown
	s.Strategies.Rows[0].Timing = &model.Timing{Passes: []renderer.Timing{{Duration: 1}}}
	require.Same(t, shown, s.Shown.Left.Plan)
	spare := s.right
	s.followStrategies()
	require.True(t, spare.closed, "memory goes back once all is timed")

	// Choosing another strategy keeps the table; any other setting makes it anew.
	s.Shown.Left.Settings.Strategy = "hash"
	s.followStrategies()
	_, some := s.untimed()
	require.False(t, some)
	s.Shown.Left.Settings.Lanes = 16
	s.followStrategies()
	l, some := s.untimed()
	require.True(t, some)
	s.left.fail = nil
	of := &model.Timing{Look: l, Err: errors.New("no")}
	s.Strategies.timed(of)
	next, _ := s.untimed()
	require.NotEqual(t, l, next, "what cannot be drawn is not tried again")
}
