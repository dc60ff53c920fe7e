package measure

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/buildinfo"
	"github.com/shadeonce/shadeonce/internal/base/clock"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/renderer/shade"
	"github.com/shadeonce/shadeonce/renderer"
)

// FastestNaive returns the least median time, in milliseconds, of the strategies without reuse for
// the same file, order and load as the row `of`; 0 if none ran.
func FastestNaive(rows []GeometryRow, of *GeometryRow) (ms float64) {
	for _, r := range rows {
		same := r.File == of.File && r.Order == of.Order && r.Load == of.Load
		if same && strings.HasPrefix(r.Strategy, "naive") && (ms == 0 || r.MsMedian < ms) {
			ms = r.MsMedian
		}
	}
	return ms
}

// Load is the work of shading a vertex: a vertex shader, and extra cycles (renderer.Frame.Load).
type Load struct {
	Name    string
	Shader  renderer.VertexShader
	Cycles  int
	Foreign *shade.Shader // replaces Shader; nil for our own vertex shaders
}

// Geometry times the geometry pass of strategies.
type Geometry struct {
	Frame   renderer.Frame // settings that all frames share
	Configs []reuse.Config
	Loads   []Load
	Runs    int
	// Camera returns the camera for culling; nil without culling.
	Camera      func(*renderer.Frame) (renderer.Camera, error)
	ShareOfCopy bool                    // also measure the bandwidth of a copy
	Shaded      func(*geometry.Shading) // called with the inputs that a scene gives a foreign vertex shader; may be nil
	LeaveOut    func(notice string)     // called with a notice for each strategy that does not fit the device; if nil, such a strategy is an error

	bandwidth float64 // of a copy, in bytes per second; 0 until measured
}

// GeometryFrame returns the frame of a geometry pass: no picture, no counts.
func GeometryFrame() renderer.Frame {
	return renderer.Frame{NoRaster: true, NoCounts: true, View: renderer.NoView}
}

// Time compares every strategy's counts on a subject with the reference, and then times all
// strategies, load by load. It reports its progress to the context.
func (g *Geometry) Time(ctx context.Context, b plan.Backend, of Subject) (_ []GeometryRow, err error) {
	defer must.Catch(&err)
	frame := g.Frame
	frame.Scene = of.Scene
	camera := renderer.CountCamera(of.Scene.Bounds())
	if g.Camera != nil {
		camera = must.Get(g.Camera(&frame))
	}
	verified := map[reuse.Config]GeometryRow{} // by chosen configuration: auto's choice depends on the load
	fits := g.fitting(b, frame, camera, of)
	b.Set(plan.Options{Keep: len(fits)})
	var rows []GeometryRow
	for i, load := range g.Loads {
		each := 1 / float64(len(g.Loads))
		part := progress.Part(ctx, each*float64(i), each*float64(i+1))
		frame.VertexShader, frame.Load = load.Shader, load.Cycles
		shading := must.Get(load.Foreign.Shading(frame.Scene, ""))
		frame.Shading = shading
		if load.Foreign != nil && g.Shaded != nil {
			g.Shaded(shading)
		}
		made := make([]GeometryRow, len(fits))
		configs := make([]reuse.Config, len(fits))
		const compared = .3 // share of a load's progress that comparing the counts makes up
		for i, c := range fits {
			progress.Tell(part, compared*float64(i)/float64(len(fits)))
			configs[i], made[i] = chosenRow(b, frame, camera, c, of, verified)
		}
		made = timeLoad(progress.Part(part, compared, 1), b, frame, camera, load.Name, configs, made, g.Runs)
		rows = append(rows, made...)
	}
	setSpeeds(rows)
	g.shareOfCopy(b, rows)
	return rows, nil
}

// fitting returns the configurations that fit the device, or an error if there is none. It reports
// the strategies that it leaves out.
func (g *Geometry) fitting(b plan.Backend, frame renderer.Frame, camera renderer.Camera, of Subject) (fits []reuse.Config) {
	var left error
	for _, c := range g.Configs {
		frame.Reuse = c
		_, err := plan.New(frame, b.Limits())
		if err == nil && b.Info().Name == cpu { // the cpu backend learns its memory only when it allocates
			_, _, err = plan.Render(b, frame, camera, 0)
		}
		if g.LeaveOut != nil && renderer.DoesNotFit(err) {
			left = err
			g.LeaveOut(leftOut(of, c.Name(), err))
			continue
		}
		must.OK(About(c.String(), err))
		fits = append(fits, c)
	}
	if len(fits) == 0 {
		must.OK(left)
	}
	return fits
}

// chosenRow returns the configuration for timing a frame, and the fields of its row that do not
// depend on the load. Each configuration is verified once.
func chosenRow(b plan.Backend, frame renderer.Frame, camera renderer.Camera, c reuse.Config, of Subject, verified map[reuse.Config]GeometryRow) (chosen reuse.Config, row GeometryRow) {
	frame.Reuse = c
	planned, why := plan.Choose(frame, b.Limits())
	chosen = planned.Reuse
	row, known := verified[chosen]
	if !known {
		frame.VertexShader, frame.Load, frame.Shading = renderer.Transform, 0, nil
		row = verifiedRow(b, frame, camera, chosen, of)
		verified[chosen] = row
	}
	row.Strategy, row.Auto = c.Name(), newAuto(&chosen, why)
	return chosen, row
}

// verifiedRow returns the fields of a strategy's row that do not depend on the load.
func verifiedRow(b plan.Backend, frame renderer.Frame, camera renderer.Camera, c reuse.Config, of Subject) (row GeometryRow) {
	frame.Reuse = c
	counted := must.Get(Strategy(c, renderer.Frame{Subgroups: frame.Subgroups, Raster: frame.Raster}).Count(b, of.Scene))
	row = GeometryRow{
		Source: of.source(), Strategy: c.Strategy.Name, Sizes: sizesOf(&frame, false), On: OnBackend(b),
		Triangles: counted.Triangles, Invocations: counted.Invocations, Reuse: counted.Reuse(), BatchingMs: batchingMs(of.Scene, c),
		Kind: KindTime, Files: 1, Program: buildinfo.By(),
	}
	if frame.Cull {
		frame.NoCounts = false
		out, p, err := plan.Render(b, frame, camera, renderer.WantCounts)
		must.OK(About(c.String(), err))
		row.Culled = culledOf(&p.Frame, out.Culling)
	}
	return row
}

// batchingMs returns the CPU time of processing a scene's indices before the first frame: cutting
// batches and, for a strategy with meshlets, making the meshlets.
func batchingMs(s *geometry.Scene, c reuse.Config) float64 {
	took := clock.Start()
	reuse.MakeMeshlets(context.Background(), s, c, reuse.Batches(s, c))
	return Milliseconds(took())
}

const passSeries = "pass" // the series with the times of the geometry pass, culling included

func timeLoad(ctx context.Context, b plan.Backend, frame renderer.Frame, camera renderer.Camera, load string, configs []reuse.Config, verified []GeometryRow, runs int) []GeometryRow {
	field, plans := make([]*contestant, len(configs)), make([]*plan.Plan, len(configs))
	for i, c := range configs {
		frame.Reuse = c
		_, p, err := plan.Render(b, frame, camera, 0)
		must.OK(About(c.String(), err))
		plans[i] = p
		field[i] = &contestant{run: func(record func(string, time.Duration)) error {
			out, err := b.Exec(p, camera, 0)
			if err == nil {
				record(passSeries, PassTime(out.Timings, "geometry:")+PassTime(out.Timings, "cull:"))
			}
			return About(c.String(), err)
		}}
	}
	must.OK(race(ctx, field, WarmUp, runs))
	rows := make([]GeometryRow, len(field))
	for i, one := range field {
		r, p := verified[i], plans[i]
		ms := spread(one.times[0].times)
		r.MsMin, r.MsMedian, r.MsMax, r.Runs, r.Times = ms.MsMin, ms.MsMedian, ms.MsMax, ms.Runs, one.times[0].times
		r.Load, r.Shader, r.Chunks, r.Native = load, shaderOf(&p.Frame), len(p.Chunks), p.Native
		r.TrianglesMsS = float64(r.Triangles) / r.MsMedian / 1e3
		if r.Culled == (Culled{}) { // with culling, the bytes to move depend on the picture
			r.Bytes = p.GeometryBytes(reuse.Stats{Invocations: r.Invocations})
			r.GBs = float64(r.Bytes) / r.MsMedian / 1e6
		}
		rows[i] = r
	}
	return rows
}

// PassTime returns the time of all passes whose names have a prefix.
func PassTime(timings []renderer.Timing, prefix string) (sum time.Duration) {
	for _, t := range timings {
		if strings.HasPrefix(t.Pass, prefix) {
			sum += t.Duration
		}
	}
	return sum
}

// shareOfCopy sets each row's bandwidth relative to that of a copy. It does nothing if ShareOfCopy
// is off, or the backend cannot measure copies.
func (g *Geometry) shareOfCopy(b plan.Backend, rows []GeometryRow) {
	measure := b.Info().CopyBandwidth
	if measure == nil || !g.ShareOfCopy {
		return
	}
	if g.bandwidth == 0 {
		g.bandwidth = must.Get(measure())
	}
	for i := range rows {
		if g.bandwidth > 0 {
			rows[i].BandwidthShare = rows[i].GBs * 1e9 / g.bandwidth
		}
	}
}

// Kinds of bench's rows.
const (
	KindTime = "time" // the time of a strategy on a file
	KindMean = "mean" // the mean of its speeds over all files
)

// setSpeeds sets each row's Speed relative to the fastest strategy without reuse for the same file,
// order and load: 2 is twice as fast.
func setSpeeds(rows []GeometryRow) {
	for i := range rows {
		if fastest := FastestNaive(rows, &rows[i]); fastest > 0 {
			rows[i].Speed = fastest / rows[i].MsMedian
		}
	}
}

// Means makes a row of KindMean for each order, load and strategy. The row's Speed is the geometric mean
// over the files, and its WorstFile is the file with the least speed. There are no means for a single
// file, or if no strategy without reuse was timed.
func Means(rows []GeometryRow) (means []GeometryRow) {
	type key struct{ order, load, strategy string }
	at := map[key]int{}
	several := false
	for i := range rows {
		r := &rows[i]
		several = several || r.File != rows[0].File
		if r.Speed == 0 {
			continue
		}
		k := key{r.Order, r.Load, r.Strategy}
		if _, known := at[k]; !known {
			at[k] = len(means)
			means = append(means, GeometryRow{
				Source: Source{Schema, "", r.Order}, Kind: KindMean, Strategy: r.Strategy, Sizes: r.Sizes, Load: r.Load, Shader: r.Shader, On: r.On,
				Runs: r.Runs, Program: r.Program,
			})
		}
		means[at[k]].add(r)
	}
	if !several {
		return nil
	}
	for i := range means {
		m := &means[i]
		m.Speed = math.Exp(m.Speed / float64(m.Files))
		m.Reuse = 1 - float64(m.Invocations)/float64(3*m.Triangles)
	}
	return means
}

// add adds a file's row to a mean. Until all files are added, Speed is the sum of logarithms. Batch, Unique and Table
// are 0 if the batch differs between files.
func (m *GeometryRow) add(r *GeometryRow) {
	m.Files++
	m.Speed += math.Log(r.Speed)
	m.Triangles, m.Invocations = m.Triangles+r.Triangles, m.Invocations+r.Invocations
	if m.WorstFile == "" || r.Speed < m.WorstSpeed {
		m.WorstFile, m.WorstSpeed = r.File, r.Speed
	}
	if r.Batch != m.Batch {
		m.Batch, m.Unique, m.Table = 0, 0, 0
	}
}
