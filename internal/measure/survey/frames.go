package survey

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/report"
	"github.com/shadeonce/shadeonce/internal/vertexshader"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// fileOrder is the order that a file has.
const fileOrder = "original"

// shadersPart is the part of the budget that the games' own shaders may take: one in so many.
const shadersPart = 4

// frame is a captured frame as strategies have counted it, in the game's own order.
type frame struct {
	name    string // Scene.Name in the report
	counted []*measure.Counted
}

// streams reports whether a counter is a strategy at its own sizes that finds vertices again
// as the stream comes.
func (c *counter) streams() bool {
	s := c.Config.Strategy
	return s != nil && c.row.Counter == s.Name && !s.WholeDraws && !s.Listed && !strings.HasPrefix(s.Name, report.Baseline)
}

// shaders lists the draws of the captured frames, and times the games' own vertex shaders
// where there is a device.
func (m *survey) shaders() error {
	begin := time.Now()
	for i, f := range m.frames {
		share := (shaded - swept) / float64(len(m.frames))
		ctx := m.Stage(swept+share*float64(i), swept+share*float64(i+1), "timing the shaders of %s, frame %d of %d", f.name, i+1, len(m.frames))
		ctx, cancel := context.WithDeadline(ctx, begin.Add(m.Budget/shadersPart))
		err := m.listDraws(ctx, &f)
		cancel()
		if err != nil {
			return fmt.Errorf("%s: %w", m.paths[f.name], err)
		}
	}
	m.spent = time.Since(begin)
	return nil
}

// listDraws opens a frame again, with its shaders.
func (m *survey) listDraws(ctx context.Context, f *frame) error {
	scene, err := m.OpenShaded(m.paths[f.name])
	if err != nil {
		return err
	}
	return scene.Guard(func() error {
		if len(scene.Draws) != len(f.counted[0].Draws) {
			return geometry.ErrChanged
		}
		of := measure.Subject{File: f.name, Order: fileOrder, Scene: scene}
		rows := measure.AnalyzeDraws(of, f.counted)
		if scene.Shading != nil && m.report.Run.Backend != cpu && m.Budget > 0 {
			err = m.timeDraws(ctx, of, f.counted, rows)
		}
		m.report.Draws = append(m.report.Draws, rows...)
		return err
	})
}

// timeDraws times the shaders of a frame with the strategies. A device that is a CPU, and a
// quick report, times the one alone that has the fewest invocations.
func (m *survey) timeDraws(ctx context.Context, of measure.Subject, counted []*measure.Counted, rows []measure.DrawAnalysis) error {
	if m.Quick || m.report.Run.Software {
		least := slices.MinFunc(counted, func(a, b *measure.Counted) int { return cmp.Compare(a.Invocations, b.Invocations) })
		counted = []*measure.Counted{least}
	}
	timing := measure.Draws{Runs: cmp.Or(m.Runs, m.defaultRuns())}
	timing.Shading = func(s *geometry.Scene) (*renderer.Shading, error) { return vertexshader.Captured(s, "") }
	for _, c := range counted {
		f := measure.GeometryFrame()
		f.Reuse = c.Config
		if plan.Fits(f, m.backend.Limits()) == nil { // times says which the device cannot run
			timing.Configs = append(timing.Configs, c.Config)
		}
	}
	if err := m.canShade(of.Scene, timing.Shading); err != nil {
		m.note("Times of %s with its own vertex shaders: %v.", of.File, err)
		return nil
	}
	err := timing.Time(ctx, m.backend, of, rows)
	if errors.Is(err, context.DeadlineExceeded) {
		m.note("Times of some draws of %s: in a quarter of the time for timing (--time-budget) there was no room for all vertex shaders of captured frames. The largest are timed first.", of.File)
		return nil
	}
	return err
}

// canShade returns why a frame's own vertex shaders cannot run on the device; nil where they can.
func (m *survey) canShade(s *geometry.Scene, shading measure.ShadingOf) error {
	naive, err := reuse.Resolve(report.Baseline, 0, 0)
	if err != nil {
		return err
	}
	f := measure.GeometryFrame()
	f.Scene, f.Reuse = s, naive
	if f.Shading, err = shading(s); err != nil {
		return err
	}
	_, err = plan.New(f, m.backend.Limits())
	return err
}
