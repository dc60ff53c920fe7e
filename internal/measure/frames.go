package measure

import (
	"context"
	"fmt"
	"time"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/built"
	"github.com/shadeonce/shadeonce/internal/progress"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// HostTime is the row of what the program waits for: the camera, submission and
// waiting, read-back of the picture left out.
const HostTime = "host"

// FrameRow is a row of bench --frame: a pass of a frame, the device's time of the
// whole, or the host's.
type FrameRow struct {
	Schema    int    `json:"schema"`
	File      string `json:"file"`
	Order     string `json:"order"`
	Draws     int    `json:"draws"`
	Triangles int    `json:"triangles"`
	Width     int    `json:"width"`
	Height    int    `json:"height"`
	Camera    string `json:"camera"`
	Strategy  string `json:"strategy"` // or hardware: the graphics pipeline alone
	Raster    string `json:"raster"`
	Pass      string `json:"pass"` // or frame: the device's first to last, with no times taken between; or host
	Spread
	Equal       float64 `json:"equal"` // share of the pixels that equal the first frame's
	Lanes       int     `json:"lanes"`
	Native      bool    `json:"native"`
	Workgroup   int     `json:"workgroup"`
	Batching    string  `json:"batching"`
	Batch       int     `json:"batch"`
	Unique      int     `json:"unique"`
	Table       int     `json:"table"` // entries of the table in shared memory; 0 for a strategy without one
	Queue       string  `json:"queue"`
	QueueBudget int64   `json:"queue_budget"` // bytes
	Chunks      int     `json:"chunks"`
	Load        string  `json:"load"`
	Shader
	BatchingMs float64 `json:"batching_ms"` // as in GeometryRow; 0 of the graphics pipeline alone
	On
	Auto
	RasterReason string `json:"raster_reason"` // why auto chose the raster host; empty where the user named it
	built.Program
}

// Shot is a picture to be drawn by all.
type Shot struct {
	Name          string // of the camera
	Width, Height int
	Camera        func(*renderer.Frame) (renderer.Camera, error)
}

// Frames times whole frames: strategies with each raster host.
type Frames struct {
	Frame   renderer.Frame // what all frames have in common
	Shading ShadingOf      // nil for vertex shaders of ours
	Configs []reuse.Config
	Raw     bool // time the graphics pipeline on the raw buffers too
	Rasters []renderer.RasterHost
	Shots   []Shot
	Runs    int
	Share   float64 // of the pixels in which hardware rasterizers must equal the first; 0 takes any picture

	LeaveOut func(notice string) // as Geometry has it
}

// wholeFrame is one of the frames that are compared and timed.
type wholeFrame struct {
	plan     *plan.Plan
	whole    *plan.Plan // the same, timed as a whole
	equal    float64    // share of the pixels that equal the first frame's
	batching float64    // CPU milliseconds
}

func (w *wholeFrame) name() string {
	return w.plan.StrategyName() + "/" + w.plan.Frame.Raster.String()
}

// Time compares the frames' pictures of a subject for each shot, and then times
// them. It tells the context how far it is.
func (fs *Frames) Time(ctx context.Context, b plan.Backend, of Subject) ([]FrameRow, error) {
	var rows []FrameRow
	var frames []*wholeFrame
	for i, shot := range fs.Shots {
		each := 1 / float64(len(fs.Shots))
		part := progress.Part(ctx, each*float64(i), each*float64(i+1))
		common := fs.Frame
		common.Scene, common.Width, common.Height = of.Scene, shot.Width, shot.Height
		if err := fs.Shading.apply(&common); err != nil {
			return nil, err
		}
		camera, err := shot.Camera(&common)
		if err != nil {
			return nil, err
		}
		// Shots of one size share the plans.
		if i == 0 || shot.Width != fs.Shots[i-1].Width || shot.Height != fs.Shots[i-1].Height {
			if frames, err = fs.plan(b, common, camera); err != nil {
				return nil, err
			}
		}
		if err := compareFrames(b, frames, camera, fs.Share); err != nil {
			return nil, fmt.Errorf("%dx%d, camera %s: %w", shot.Width, shot.Height, shot.Name, err)
		}
		field := make([]*contestant, len(frames))
		for i, w := range frames {
			field[i] = &contestant{run: w.run(b, camera)}
		}
		if err := race(progress.Part(part, .2, 1), field, WarmUp, fs.Runs); err != nil {
			return nil, err
		}
		for i, w := range frames {
			rows = append(rows, fs.rows(b, of, shot, w, field[i].times)...)
		}
	}
	return rows, nil
}

// plan plans every frame at a size.
func (fs *Frames) plan(b plan.Backend, common renderer.Frame, camera renderer.Camera) ([]*wholeFrame, error) {
	var list []renderer.Frame
	for _, c := range fs.Configs {
		for _, r := range fs.Rasters {
			f := common
			f.Reuse, f.Raster = c, r
			list = append(list, f)
		}
	}
	if fs.Raw {
		f := common
		f.Raw, f.Raster = true, renderer.HardwareRaster
		list = append(list, f)
	}
	keep(b, 2*len(list))
	var frames []*wholeFrame
	var left error
	for _, f := range list {
		_, p, err := plan.Render(b, f, camera, 0)
		if err != nil && fs.LeaveOut != nil && renderer.DoesNotFit(err) {
			left = err
			fs.LeaveOut(leftOut(Subject{File: f.Scene.Name}, fmt.Sprintf("%s, %s", f.StrategyName(), f.Raster), err))
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", f.StrategyName(), f.Raster, err)
		}
		w := &wholeFrame{}
		if err := w.take(b, p); err != nil {
			return nil, err
		}
		if !f.Raw {
			w.batching = batchingMs(f.Scene, p.Frame.Reuse)
		}
		frames = append(frames, w)
	}
	if len(frames) == 0 {
		return nil, left
	}
	return frames, nil
}

// take takes a plan over, which is another one for a camera that sees more than the queues
// of the last one held.
func (w *wholeFrame) take(b plan.Backend, p *plan.Plan) (err error) {
	if p == w.plan {
		return nil
	}
	f := p.Frame
	f.TimeWhole = true
	w.plan = p
	w.whole, err = plan.New(f, b.Limits())
	return err
}

// run executes a frame twice: for the times of its passes, and for those of the
// whole, which taking times of passes would delay.
func (w *wholeFrame) run(b plan.Backend, camera renderer.Camera) func(record func(string, time.Duration)) error {
	return func(record func(string, time.Duration)) error {
		out, err := b.Exec(w.plan, camera, 0)
		if err != nil {
			return About(w.name(), err)
		}
		start := time.Now()
		whole, err := b.Exec(w.whole, camera, 0)
		if err != nil {
			return About(w.name(), err)
		}
		took := time.Since(start)
		for _, t := range out.Timings {
			record(t.Pass, t.Duration)
		}
		record(WholeFrame, whole.Elapsed)
		record(HostTime, took)
		return nil
	}
}

// rows are the passes of a frame, then the frame and the host.
func (fs *Frames) rows(b plan.Backend, of Subject, shot Shot, w *wholeFrame, times []series) []FrameRow {
	f := &w.plan.Frame
	row := FrameRow{
		Schema: Schema, File: of.File, Order: of.Order, Draws: len(f.Scene.Draws), Triangles: f.Scene.Triangles(),
		Width: shot.Width, Height: shot.Height, Camera: shot.Name, Strategy: w.plan.StrategyName(), Raster: f.Raster.String(),
		Equal: w.equal, Chunks: len(w.plan.Chunks), Load: f.LoadName(), Shader: shaderOf(f), BatchingMs: w.batching, On: OnBackend(b), Program: built.By(),
		Auto: newAuto(&f.Reuse, w.plan.Choice), RasterReason: w.plan.Choice.Raster,
	}
	if c := f.Reuse; c.Strategy != nil {
		row.Lanes, row.Native, row.Workgroup, row.Batching = c.Lanes, w.plan.Native, c.Workgroup, c.Batching.String()
		row.Batch, row.Unique, row.Table, row.Queue, row.QueueBudget = c.Batch, maxUnique(f), c.Table(), f.Queue.String(), f.QueueBudget
	}
	rows := make([]FrameRow, len(times))
	for i, s := range times {
		row.Pass, row.Spread = s.name, spread(s.times)
		rows[i] = row
	}
	return rows
}

// PipelineTime is the median frame of the graphics pipeline on the raw buffers for
// the same picture as a row; 0 where it did not run.
func PipelineTime(rows []FrameRow, of *FrameRow) float64 {
	for _, r := range rows {
		if r.Strategy == renderer.HardwareStrategy && r.Pass == WholeFrame && r.File == of.File && r.Order == of.Order &&
			r.Camera == of.Camera && r.Width == of.Width && r.Height == of.Height {
			return r.MsMedian
		}
	}
	return 0
}
