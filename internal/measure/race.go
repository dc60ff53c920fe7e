// Package measure counts and times: how often strategies and models shade the vertices of a
// scene, verified against the CPU reference, and how long the geometry pass and whole frames
// take.
//
// CountAll counts a scene in several ways; Geometry, Frames and Repeat measure times, all by the
// loop in race.go. The results are rows with stable JSON names: commands print them, and reports
// are made from them.
//
// It runs on any plan.Backend. It knows nothing of flags, files or output.
package measure

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/internal/base/buildinfo"
	"github.com/shadeonce/shadeonce/internal/base/clock"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/renderer"
)

// WarmUp is how long contestants run before they are timed: an idle GPU needs a while to raise its
// clocks. Only tests that time nothing change it.
var WarmUp = 700 * time.Millisecond

// series holds the times that a contestant recorded under one name, in the order of its runs.
type series struct {
	name  string
	times []time.Duration
}

// run executes something once, and records its times by name.
type run func(record func(name string, d time.Duration)) error

// contestant is something to time.
type contestant struct {
	run   run
	times []series // by name, in the order in which the names were first recorded
}

func (c *contestant) record(name string, d time.Duration) {
	at := slices.IndexFunc(c.times, func(s series) bool { return s.name == name })
	if at < 0 {
		at = len(c.times)
		c.times = append(c.times, series{name: name})
	}
	c.times[at].times = append(c.times[at].times, d)
}

// race runs each contestant of the field once per round, so that drift affects all alike. Rounds that
// begin before the warm-up is over are not recorded; `runs` recorded rounds follow. All times of this
// package but batchingMs are measured by this loop.
//
// It reports its progress to the context; the warm-up is the first tenth.
func race(ctx context.Context, field []*contestant, warmUp time.Duration, runs int) (err error) {
	defer must.Catch(&err)
	const warm = .1
	for begin := time.Now(); time.Since(begin) < warmUp; {
		progress.Tell(ctx, warm*float64(time.Since(begin))/float64(warmUp))
		for _, c := range field {
			must.OK(c.run(func(string, time.Duration) {}))
		}
	}
	for round := range runs {
		for i, c := range field {
			progress.Tell(ctx, warm+(1-warm)*(float64(round)+float64(i)/float64(len(field)))/float64(runs))
			must.OK(c.run(c.record))
		}
	}
	return nil
}

// spread summarizes times, of which there must be at least one. The median of an even number of
// times is the mean of the middle two.
func spread(times []time.Duration) Spread {
	sorted := slices.Sorted(slices.Values(times))
	n := len(sorted)
	middle := (sorted[(n-1)/2] + sorted[n/2]) / 2
	return Spread{Milliseconds(sorted[0]), Milliseconds(middle), Milliseconds(sorted[n-1]), n}
}

// Milliseconds converts a time to the unit of rows.
func Milliseconds(d time.Duration) float64 { return d.Seconds() * 1e3 }

// Repeat times a plan: its passes and, in the last row, the whole frame. The caller must have executed
// the plan once as a warm-up; `culled` is what that execution culled.
func Repeat(ctx context.Context, b plan.Backend, of Subject, p *plan.Plan, camera renderer.Camera, culled renderer.Culling, runs int) ([]Timing, error) {
	one := &contestant{run: frameRun(b, p, camera)}
	if err := race(ctx, []*contestant{one}, 0, runs); err != nil {
		return nil, err
	}
	f := &p.Frame
	row := Timing{
		Source: of.source(), Strategy: p.StrategyName(), Lanes: f.Reuse.Lanes, Native: p.Native, Batches: BatchesOf(f.Reuse),
		Queue: f.Queue.String(), Chunks: len(p.Chunks),
		View: f.View.String(), Raster: f.Raster.String(), Width: f.Width, Height: f.Height, Triangles: f.Scene.Triangles(),
		On: OnBackend(b), Load: f.LoadName(), Shader: shaderOf(f), Culled: culledOf(f, culled), Program: buildinfo.By(),
		Auto: newAuto(&f.Reuse, p.Choice), RasterReason: p.Choice.Raster,
	}
	row.Batching = f.Reuse.Batching.String() // also without a strategy, for which BatchesOf leaves it empty
	rows := make([]Timing, len(one.times))
	for i, s := range one.times {
		row.Pass, row.Spread = s.name, spread(s.times)
		rows[i] = row
	}
	return rows, nil
}

// frameRun returns a run that executes a plan. It records the times of the passes, and as WholeFrame
// the time that the program waited.
func frameRun(b plan.Backend, p *plan.Plan, camera renderer.Camera) run {
	return func(record func(string, time.Duration)) error {
		since := clock.Start()
		out, err := b.Exec(p, camera, 0)
		if took := since(); err == nil {
			recordPasses(out, record)
			record(WholeFrame, took)
		}
		return err
	}
}

func recordPasses(out *renderer.Output, record func(string, time.Duration)) {
	for _, t := range out.Timings {
		record(t.Pass, t.Duration)
	}
}

// Schema is increased when the meaning of a row's field changes.
const Schema = 1

// MaxRuns bounds the number of timed runs, since every time is kept.
const MaxRuns = 100000

const cpu = "cpu" // the name of the backend that needs no device; its results are those of the reference

// OnBackend describes a backend.
func OnBackend(b plan.Backend) On {
	i := b.Info()
	return On{i.Name, i.Device, i.Driver, i.Subgroup, i.Software}
}

// Clock returns whose clock measured a row's milliseconds.
func (on *On) Clock() string {
	if on.Backend == cpu {
		return "CPU"
	}
	return "GPU"
}

// About adds the subject to an error; nil stays nil.
func About(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// shaderOf names the vertex shader of a frame. It also hashes the SPIR-V of a user's or a capture's shaders.
func shaderOf(f *renderer.Frame) Shader {
	name, programs := f.ShaderCode()
	if programs == nil {
		return Shader{VertexShader: name}
	}
	hash := sha256.New()
	for _, code := range programs {
		hash.Write(module.Bytes(code))
	}
	return Shader{name, hex.EncodeToString(hash.Sum(nil))[:12]}
}
