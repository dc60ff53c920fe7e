package measure

import (
	"context"
	"time"

	"github.com/shadeonce/shadeonce/internal/built"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// WholeFrame is the row of the frame: what the program waits for, recording and
// read-back of the picture left out.
const WholeFrame = "frame"

// Timing is one row of render --repeat: a pass, or the frame. The JSON names
// are a contract.
type Timing struct {
	Schema    int    `json:"schema"`
	File      string `json:"file"`
	Order     string `json:"order"`
	Strategy  string `json:"strategy"`
	Lanes     int    `json:"lanes"`
	Native    bool   `json:"native"` // lanes ran on the device's own subgroups
	Batching  string `json:"batching"`
	Batch     int    `json:"batch"`
	Unique    int    `json:"unique"` // most unique vertices per iteration
	Queue     string `json:"queue"`
	Chunks    int    `json:"chunks"`
	View      string `json:"view"`
	Raster    string `json:"raster"`
	Width     int    `json:"width"`
	Height    int    `json:"height"`
	Triangles int    `json:"triangles"`
	On
	Pass string `json:"pass"`
	Spread
	Load string `json:"load"` // as --load names it
	Shader
	Culled
	Auto
	RasterReason string `json:"raster_reason"` // why auto chose the raster host; empty where the user named it
	built.Program
}

// Repeat times a plan that has been executed once, which warmed it up: its passes,
// and last the frame. culled is what that first execution culled.
func Repeat(ctx context.Context, b plan.Backend, of Subject, p *plan.Plan, camera renderer.Camera, culled renderer.Culling, runs int) ([]Timing, error) {
	one := &contestant{run: frameRun(b, p, camera)}
	if err := race(ctx, []*contestant{one}, 0, runs); err != nil {
		return nil, err
	}
	f := &p.Frame
	row := Timing{
		Schema: Schema, File: of.File, Order: of.Order, Strategy: p.StrategyName(), Lanes: f.Reuse.Lanes, Native: p.Native,
		Batching: f.Reuse.Batching.String(), Batch: f.Reuse.Batch, Unique: maxUnique(f), Queue: f.Queue.String(), Chunks: len(p.Chunks),
		View: f.View.String(), Raster: f.Raster.String(), Width: f.Width, Height: f.Height, Triangles: f.Scene.Triangles(),
		On: OnBackend(b), Load: f.LoadName(), Shader: shaderOf(f), Culled: culledOf(f, culled), Program: built.By(),
		Auto: newAuto(&f.Reuse, p.Choice), RasterReason: p.Choice.Raster,
	}
	rows := make([]Timing, len(one.times))
	for i, s := range one.times {
		row.Pass, row.Spread = s.name, spread(s.times)
		rows[i] = row
	}
	return rows, nil
}

// frameRun executes a plan, and records its passes and the time that the program
// waited.
func frameRun(b plan.Backend, p *plan.Plan, camera renderer.Camera) func(record func(string, time.Duration)) error {
	return func(record func(string, time.Duration)) error {
		start := time.Now()
		out, err := b.Exec(p, camera, 0)
		if err != nil {
			return err
		}
		took := time.Since(start)
		for _, t := range out.Timings {
			record(t.Pass, t.Duration)
		}
		record(WholeFrame, took)
		return nil
	}
}

// maxUnique is the most unique vertices per iteration; 0 without a strategy.
func maxUnique(f *renderer.Frame) int {
	if f.Reuse.Strategy == nil {
		return 0
	}
	return f.Reuse.Strategy.MaxUnique(f.Reuse)
}
