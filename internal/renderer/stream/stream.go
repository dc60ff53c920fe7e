// Package stream shades index streams on a GPU, with any strategy and with a shade function
// instead of a vertex shader. It does on a device what apps.Pass does on a CPU.
//
// A shade function is a file of shaders/functions that the strategies' shaders include. A stream
// is planned like a frame (plan.NewResults), and a gpu.Recorder records its passes with the
// pipelines of its backend. A Run holds all of this for one stream.
package stream

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/clock"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
)

// Recorded is a plan whose passes are recorded in command buffers of a device.
type Recorded struct {
	recorder *gpu.Recorder
	parts    []*gpu.Commands // one for each submission
}

// Record records a plan of compute passes. Each table replaces the plan's buffer of the same block, and stays the caller's
// to close. If `apart` is set, each dispatch is a submission of its own.
func Record(b *gpu.Backend, p *plan.Plan, tables Tables, apart bool) (_ *Recorded, err error) {
	defer must.Catch(&err)
	must.OK(checkBackend(b))
	if p == nil {
		must.Fail("stream: no plan")
	}
	for _, x := range p.Buffers {
		if x.From == plan.ByCaller && tables[x.Block] == nil {
			must.Fail("stream: no table %s", x.Block)
		}
	}
	r := &Recorded{recorder: must.Get(b.NewRecorder(p, tables))}
	if b.Info().Software {
		err = r.compile(b, p.Passes)
	}
	for _, passes := range parts(p.Passes, apart) {
		err = cmp.Or(err, r.record(b, passes))
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// compile runs the passes with no workgroups. Mesa's CPU driver compiles a shader when it first runs, and that
// would count as the pass's time.
func (r *Recorded) compile(b *gpu.Backend, passes []plan.Pass) error {
	var idle []plan.Pass
	for _, pass := range passes {
		if op, ok := pass.Op.(*plan.Dispatch); ok {
			none := *op
			none.Groups = [2]uint32{}
			pass.Op = &none
			idle = append(idle, pass)
		}
	}
	if err := r.record(b, idle); err != nil {
		return err
	}
	c := r.parts[0]
	r.parts = nil
	defer c.Close()
	return c.Run()
}

// parts divides passes into submissions: a single one or, if `apart` is set, one per pass. A clearing pass then
// joins the dispatch after it.
func parts(passes []plan.Pass, apart bool) [][]plan.Pass {
	if !apart {
		return [][]plan.Pass{passes}
	}
	list := slices.Collect(slices.Chunk(passes, 1))
	if len(list) > 1 && passes[0].Name == clearing {
		list = slices.Replace(list, 0, 2, passes[:2])
	}
	return list
}

func (r *Recorded) record(b *gpu.Backend, passes []plan.Pass) error {
	c, err := b.GPU().NewCommands(passes[len(passes)-1].Name)
	if err != nil {
		return err
	}
	r.parts = append(r.parts, c)
	c.Begin()
	return errors.Join(r.recorder.RecordPasses(c, passes), c.End())
}

const clearing = "clear" // name of passes whose time does not count

// Do executes the plan and returns the device's time without clearing, or the host's time if the
// device has no clock. If the context ends, Do stops between two submissions and returns the context's cause.
func (r *Recorded) Do(ctx context.Context) (took time.Duration, err error) {
	defer must.Catch(&err)
	since := clock.Start()
	for _, c := range r.parts {
		must.OK(context.Cause(ctx))
		must.OK(c.Run())
		for _, t := range must.Get(c.Timings()) {
			if t.Pass != clearing {
				took += t.Duration
			}
		}
	}
	if took == 0 {
		took = since()
	}
	return took, nil
}

// Close frees what Record made.
func (r *Recorded) Close() {
	for _, c := range r.parts {
		c.Close()
	}
	r.recorder.Close()
}

// Exec records a plan of compute passes, executes it once and returns the device's time.
func Exec(ctx context.Context, b *gpu.Backend, p *plan.Plan, tables Tables) (_ time.Duration, err error) {
	defer must.Catch(&err)
	r := must.Get(Record(b, p, tables, false))
	defer r.Close()
	return r.Do(ctx)
}

// Run is a stream on a device, with everything that shades it.
type Run struct {
	*Recorded
	Cutting time.Duration // the host's time for cutting the batches

	backend *gpu.Backend
	stream  reuse.Stream
	batches int
}

// Options are the settings of shading a stream.
type Options struct {
	plan.Function
	Cut *plan.Cut // the stream's batches, if the caller has cut them; if nil, NewRun cuts them
}

// softwareCorners is the default of Function.Part on a CPU: the most corners per submission. It is small, since
// functions may be expensive, and a CPU cannot interrupt a submission. On a GPU NewRun ignores Part.
const softwareCorners = 1 << 15

// NewRun uploads a stream and records the passes that shade it. It first checks the stream, configuration,
// options and tables, and uploads nothing if one is wrong. tables are the buffers that the function reads
// and writes; they remain the caller's. A table may replace a buffer of the run, such as the stream itself
// under Indices.
func NewRun(b *gpu.Backend, s reuse.Stream, tables Tables, o Options) (_ *Run, err error) {
	defer must.Catch(&err)
	must.OK(checkBackend(b))
	must.OK(o.check(s, tables))
	r := &Run{backend: b, stream: s}
	if o.Cut == nil {
		took := clock.Start()
		o.Cut = plan.CutStream(s, o.Reuse)
		r.Cutting = took()
	}
	r.batches = len(o.Cut.Table)
	software := b.Info().Software
	if software {
		o.Part = cmp.Or(o.Part, softwareCorners)
	} else {
		o.Part = 0
	}
	p := must.Get(plan.NewResults(s, o.Cut, o.Function, b.Limits()))
	must.OK(tables.check(p))
	r.Recorded = must.Get(Record(b, p, tables, software))
	return r, nil
}

// Median makes at least timedRuns runs, for at least timedFor: an idle GPU takes a while to raise its clocks. It stops
// after four times timedFor, however few runs it has made.
const (
	timedRuns = 25
	timedFor  = 500 * time.Millisecond
)

// Time shades the stream repeatedly, and returns the median time of the last 25 runs, or of all if slow runs
// allow no more. On a CPU it shades the stream once.
func (r *Run) Time(ctx context.Context) (time.Duration, error) {
	took, err := r.Do(ctx)
	if err != nil || r.backend.Info().Software {
		return took, err
	}
	return Median(func() (time.Duration, error) { return r.Do(ctx) }, func(t time.Duration) time.Duration { return t })
}

// Median calls `do` at least timedRuns times, or fewer times if it takes long. Of the last timedRuns results it
// returns the one that took the median time; the results before them only warm up.
func Median[T any](do func() (T, error), took func(T) time.Duration) (x T, err error) {
	if do == nil || took == nil {
		return x, errors.New("stream: Median without functions")
	}
	var done []T
	for began := time.Now(); len(done) == 0 || (len(done) < timedRuns || time.Since(began) < timedFor) && time.Since(began) < 4*timedFor; {
		x, err := do()
		if err != nil {
			return x, err
		}
		done = append(done, x)
	}
	last := done[max(0, len(done)-timedRuns):]
	slices.SortFunc(last, func(a, b T) int { return cmp.Compare(took(a), took(b)) })
	return last[len(last)/2], nil
}

// Counts returns how often Do shaded each id, and statistics without iterations and lanes.
func (r *Run) Counts() (reuse.Stats, []uint32, error) {
	counts, err := gpu.Download[uint32](r.backend.GPU(), r.recorder.Buffer(plan.Counts), r.stream.IDs)
	if err != nil {
		return reuse.Stats{}, nil, err
	}
	st, err := reuse.StatsOf(r.stream.Indices, counts)
	st.Batches = r.batches
	return st, counts, err
}

// Shaded is the result of a strategy on a stream.
type Shaded struct {
	Stats   reuse.Stats
	Counts  []uint32      // how often each id was shaded
	Took    time.Duration // the median of several times without counting; on a CPU one time, with counting
	Cutting time.Duration // the host's time for cutting the batches
}

// Shade shades a stream once to count and, except on a CPU, then without counting to measure time: counting takes
// an atomic operation per shading, which would make strategies with little reuse look slow. Parameters are those
// of NewRun.
func Shade(ctx context.Context, b *gpu.Backend, s reuse.Stream, tables Tables, o Options) (out Shaded, err error) {
	out.Took, err = do(b, s, tables, o, func(r *Run) (took time.Duration, err error) {
		if took, err = r.Do(ctx); err == nil {
			out.Cutting = r.Cutting
			out.Stats, out.Counts, err = r.Counts()
		}
		return took, err
	})
	if err == nil && !b.Info().Software {
		o.NoCounts = true
		out.Took, err = do(b, s, tables, o, func(r *Run) (time.Duration, error) { return r.Time(ctx) })
	}
	return out, err
}

// do makes a run, calls the function `do` with it, and closes the run.
func do(b *gpu.Backend, s reuse.Stream, tables Tables, o Options, do func(*Run) (time.Duration, error)) (time.Duration, error) {
	r, err := NewRun(b, s, tables, o)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	return do(r)
}
