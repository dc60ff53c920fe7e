package measure

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/buildinfo"
	"github.com/shadeonce/shadeonce/internal/base/clock"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/renderer/shade"
	"github.com/shadeonce/shadeonce/renderer"
)

// Shot is a picture that all frames draw.
type Shot struct {
	Name          string // of the camera
	Width, Height int
	Camera        func(*renderer.Frame) (renderer.Camera, error)
}

// Frames times whole frames: each strategy with each raster host.
type Frames struct {
	Frame   renderer.Frame // settings that all frames share
	Foreign *shade.Shader  // nil for our own vertex shaders
	Configs []reuse.Config
	Raw     bool // also time the graphics pipeline on the raw buffers
	Rasters []renderer.RasterHost
	Fitting bool // whether to leave out the fused rasterizer where the frame or the device excludes it; if false, that is an error
	Shots   []Shot
	Runs    int
	Share   float64 // least share of the pixels in which each picture must equal the first; 0 accepts any picture

	Shaded   func(*geometry.Shading) // as in Geometry
	LeaveOut func(notice string)
}

// wholeFrame is one of the frames that are compared and timed.
type wholeFrame struct {
	plan     *plan.Plan
	whole    *plan.Plan // the same plan, timed as a whole
	equal    float64    // share of the pixels that equal the first frame's
	batching float64    // CPU milliseconds for cutting batches and making meshlets (batchingMs)
}

func (w *wholeFrame) name() string {
	return w.plan.StrategyName() + "/" + w.plan.Frame.Raster.String()
}

// Time compares the frames' pictures of a subject for each shot, and then times them. It reports
// its progress to the context.
func (fs *Frames) Time(ctx context.Context, b plan.Backend, of Subject) (_ []FrameRow, err error) {
	defer must.Catch(&err)
	var rows []FrameRow
	var frames []*wholeFrame
	shading := must.Get(fs.Foreign.Shading(of.Scene, ""))
	if fs.Foreign != nil && fs.Shaded != nil {
		fs.Shaded(shading)
	}
	for i, shot := range fs.Shots {
		each := 1 / float64(len(fs.Shots))
		part := progress.Part(ctx, each*float64(i), each*float64(i+1))
		common := fs.Frame
		common.Scene, common.Width, common.Height = of.Scene, shot.Width, shot.Height
		common.Shading = shading
		camera := must.Get(shot.Camera(&common))
		// Consecutive shots of one size share the plans.
		if i == 0 || shot.Width != fs.Shots[i-1].Width || shot.Height != fs.Shots[i-1].Height {
			frames = fs.plan(b, common, camera)
		}
		if err := compareFrames(b, frames, camera, fs.Share); err != nil {
			return nil, fmt.Errorf("%dx%d, camera %s: %w", shot.Width, shot.Height, shot.Name, err)
		}
		field := make([]*contestant, len(frames))
		for i, w := range frames {
			field[i] = &contestant{run: w.run(b, camera)}
		}
		must.OK(race(progress.Part(part, .2, 1), field, WarmUp, fs.Runs))
		for i, w := range frames {
			rows = append(rows, fs.rows(b, of, shot, w, field[i].times)...)
		}
	}
	return rows, nil
}

func (fs *Frames) plan(b plan.Backend, common renderer.Frame, camera renderer.Camera) []*wholeFrame {
	var list []renderer.Frame
	f := common
	for _, f.Reuse = range fs.Configs {
		for _, f.Raster = range fs.Rasters {
			if !fs.Fitting || f.Raster != renderer.FusedRaster || plan.Fits(f, b.Limits()) == nil {
				list = append(list, f)
			}
		}
	}
	if common.Raw = fs.Raw; fs.Raw {
		common.Raster = renderer.HardwareRaster
		list = append(list, common)
	}
	b.Set(plan.Options{Keep: 2 * len(list)})
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
			must.Fail("%s, %s: %w", f.StrategyName(), f.Raster, err)
		}
		w := &wholeFrame{}
		must.OK(w.take(b, p))
		if f.Reuse.Strategy != nil {
			w.batching = batchingMs(f.Scene, p.Frame.Reuse)
		}
		frames = append(frames, w)
	}
	if len(frames) == 0 {
		must.OK(left)
	}
	return frames
}

// take makes p the frame's plan, and plans its frame again to be timed as a whole. The plan changes
// if a camera sees more than the queues of the previous plan hold.
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

// run returns a run that executes a frame twice: once to time its passes, and once to time the whole
// frame. Timing the passes would make the whole frame slower.
func (w *wholeFrame) run(b plan.Backend, camera renderer.Camera) run {
	return func(record func(string, time.Duration)) error {
		out, err := b.Exec(w.plan, camera, 0)
		if err != nil {
			return About(w.name(), err)
		}
		since := clock.Start()
		whole, err := b.Exec(w.whole, camera, 0)
		if took := since(); err == nil {
			recordPasses(out, record)
			record(WholeFrame, whole.Elapsed)
			record(HostTime, took)
		}
		return About(w.name(), err)
	}
}

// rows returns the rows of a frame: its passes, then WholeFrame and HostTime.
func (fs *Frames) rows(b plan.Backend, of Subject, shot Shot, w *wholeFrame, times []series) []FrameRow {
	f := &w.plan.Frame
	row := FrameRow{
		Source: of.source(), Draws: len(f.Scene.Draws), Triangles: f.Scene.Triangles(),
		Width: shot.Width, Height: shot.Height, Camera: shot.Name, Strategy: w.plan.StrategyName(), Raster: f.Raster.String(),
		Equal: w.equal, Chunks: len(w.plan.Chunks), Load: f.LoadName(), Shader: shaderOf(f), BatchingMs: w.batching, On: OnBackend(b), Program: buildinfo.By(),
		Auto: newAuto(&f.Reuse, w.plan.Choice), RasterReason: w.plan.Choice.Raster,
	}
	if f.Reuse.Strategy != nil {
		row.Sizes, row.QueueBudget = sizesOf(f, w.plan.Native), f.QueueBudget
	}
	rows := make([]FrameRow, len(times))
	for i, s := range times {
		row.Pass, row.Spread = s.name, spread(s.times)
		rows[i] = row
	}
	return rows
}

// PipelineTime returns the median frame time, in milliseconds, of the graphics pipeline alone for the
// same picture as the row `of`; 0 if it was not timed.
func PipelineTime(rows []FrameRow, of *FrameRow) float64 {
	for _, r := range rows {
		if r.Strategy == renderer.HardwareStrategy && r.Pass == WholeFrame && r.File == of.File && r.Order == of.Order &&
			r.Camera == of.Camera && r.Width == of.Width && r.Height == of.Height {
			return r.MsMedian
		}
	}
	return 0
}

const frameEdgeDepth = 0.002 // the depth difference that counts as an edge between two surfaces

// compareFrames draws every frame's picture and compares it with the first: they must be equal in at least the given
// share of the pixels, and coverage may differ only within a pixel of an edge. A share of 0 accepts any picture.
// Rasterizers that keep the triangle that each pixel shows (KeepsVisible) follow the same rules: their pictures must
// have equal colours, depths and triangles.
func compareFrames(b plan.Backend, frames []*wholeFrame, camera renderer.Camera, share float64) (err error) {
	defer must.Catch(&err)
	var first, exact *renderer.Output
	var nameExact string
	for _, one := range frames {
		ruled := one.plan.KeepsVisible()
		want := renderer.WantColor | renderer.WantDepth
		if ruled {
			want |= renderer.WantVisible
		}
		out, made, err := plan.Exec(b, one.plan, camera, want)
		must.OK(About(one.name(), err))
		must.OK(one.take(b, made))
		one.equal = 1
		if first == nil {
			first = out
		} else {
			r, err := picture.Compare(first.Color, out.Color, picture.CompareOptions{DepthA: first.Depth, DepthB: out.Depth, DepthStep: frameEdgeDepth})
			if err == nil && share > 0 {
				err = r.Check(share)
			}
			must.OK(About(one.name()+" against "+frames[0].name(), err))
			one.equal = r.Equal()
		}
		if ruled && exact == nil {
			exact, nameExact = out, one.name()
		} else if ruled {
			if what := differs(exact, out); what != "" {
				must.Fail("%s differs from %s in the %s", one.name(), nameExact, what)
			}
		}
	}
	return nil
}

// differs returns what differs between two frames that follow the same rules; "" if nothing does.
func differs(a, b *renderer.Output) string {
	switch {
	case !slices.Equal(a.Visible, b.Visible):
		return "triangle that a pixel shows"
	case !slices.Equal(a.Depth, b.Depth):
		return "depth"
	case !bytes.Equal(a.Color.Pix, b.Color.Pix):
		return "colour"
	}
	return ""
}
