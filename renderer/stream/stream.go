// Package stream shades index streams on a GPU, by any strategy and with a shade
// function other than the vertex shader.
//
// It is apps.Pass on a device. A shade function is a file of shaders/functions, which
// the strategies' shaders include; rendering's is the vertex shader. Run shades a
// stream once or several times, and returns how often each id was shaded. A Program
// is the same for callers that keep their streams on the device. Walk is one, whose
// stream is sorted there by a Sort.
package stream

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/geometry/apps"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer/gpu"
)

// Run is a stream on a device, with what shades it.
type Run struct {
	Cutting time.Duration // that cutting the batches took on the host

	device  *gpu.Device
	stream  apps.Stream
	program *Program
	batches Batches
	counts  *gpu.Buffer
	own     []*gpu.Buffer
	binding *Binding
	parts   []*gpu.Commands
}

// NewRun uploads a stream and compiles what shades it. tables are the buffers that
// the function reads and writes. They stay the caller's.
func NewRun(b *gpu.Backend, s apps.Stream, tables Tables, arguments [4]uint32, o Options) (*Run, error) {
	r := &Run{device: b.GPU(), stream: s}
	if err := r.make(b, tables, arguments, o); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func (r *Run) make(b *gpu.Backend, tables Tables, arguments [4]uint32, o Options) (err error) {
	if r.program, err = NewProgram(b, o); err != nil {
		return err
	}
	began := time.Now()
	r.batches = Cut(r.stream, o.Reuse)
	r.Cutting = time.Since(began)
	resources := gpu.Resources{}
	for name, buffer := range tables {
		resources[name] = buffer
	}
	scratch, counted := 0, r.stream.IDs
	if r.program.expand != nil {
		scratch = r.stream.IDs * o.Held
	}
	if o.NoCounts {
		counted = 0
	}
	for _, x := range []struct {
		name  string
		bytes int
	}{{"Indices", 4 * len(r.stream.Indices)}, {"Batches", 16 * len(r.batches.Table)}, {"Counts", 4 * counted}, {"ScratchResults", scratch}} {
		buffer, err := r.device.NewBuffer(x.name, int64(x.bytes), gpu.UsageStorage)
		if err != nil {
			return err
		}
		r.own, resources[x.name] = append(r.own, buffer), buffer
	}
	r.counts = r.own[2]
	if err := gpu.Upload(r.device, r.own[0], r.stream.Indices); err != nil {
		return err
	}
	if err := gpu.Upload(r.device, r.own[1], r.batches.Table); err != nil {
		return err
	}
	if r.binding, err = r.program.Bind(resources); err != nil {
		return err
	}
	return r.record(arguments)
}

// record records a command buffer for each submission.
func (r *Run) record(arguments [4]uint32) error {
	for _, list := range r.binding.submissions(r.batches) {
		if err := r.part(func(c *gpu.Commands) { r.binding.recordAll(c, list, r.batches.Multiplier, arguments) }); err != nil {
			return err
		}
	}
	return nil
}

func (r *Run) part(record func(*gpu.Commands)) error {
	name := r.program.Function + ":" + r.program.Reuse.Strategy.Name
	c, err := r.device.NewCommands(name)
	if err != nil {
		return err
	}
	r.parts = append(r.parts, c)
	c.Begin()
	if len(r.parts) == 1 && !r.program.NoCounts {
		c.Pass("clear", func() { c.Fill(r.counts, 0) })
	}
	c.Pass(name, func() { record(c) })
	return c.End()
}

// Do shades the stream, and returns the device's time; that of the host where the
// device has no clock. The context's cause ends it between submissions.
func (r *Run) Do(ctx context.Context) (time.Duration, error) {
	began, took := time.Now(), time.Duration(0)
	for _, c := range r.parts {
		if err := context.Cause(ctx); err != nil {
			return 0, err
		}
		if err := c.Run(); err != nil {
			return 0, err
		}
		part, err := deviceTime(c)
		if err != nil {
			return 0, err
		}
		took += part
	}
	if took == 0 {
		took = time.Since(began)
	}
	return took, nil
}

// deviceTime is the device's time for the passes of a submission that has ended, but for
// clearing; 0 where it has no clock.
func deviceTime(c *gpu.Commands) (took time.Duration, err error) {
	passes, err := c.Timings()
	for _, t := range passes {
		if t.Pass != "clear" {
			took += t.Duration
		}
	}
	return took, err
}

// How often Time shades a stream: a GPU that was idle needs a while to raise its clocks.
const (
	timedRuns = 25
	timedFor  = 500 * time.Millisecond
)

// Time shades the stream again and again, and returns the median time: of 25 times
// after a while of warming up, of fewer where they take long, of one on a CPU.
func (r *Run) Time(ctx context.Context) (time.Duration, error) {
	took, err := r.Do(ctx)
	if err != nil || r.device.Info.Type == gpu.TypeCPU {
		return took, err
	}
	return Median(func() (time.Duration, error) { return r.Do(ctx) }, func(t time.Duration) time.Duration { return t })
}

// Median does something again and again, for a while of warming up and then timedRuns
// times, fewer where it takes long, and returns what took the median time.
func Median[T any](do func() (T, error), took func(T) time.Duration) (T, error) {
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

// Counts returns how often each id was shaded by Do, and the statistics of that.
// Batches of a stream are counted, iterations and lanes are not.
func (r *Run) Counts() (reuse.Stats, []uint32, error) {
	if r.program.NoCounts {
		return reuse.Stats{}, nil, fmt.Errorf("stream: %s keeps no counts", r.program.Function)
	}
	counts, err := gpu.Download[uint32](r.device, r.counts, r.stream.IDs)
	if err != nil {
		return reuse.Stats{}, nil, err
	}
	st := reuse.StatsOf(r.stream.Indices, counts)
	st.Batches = len(r.batches.Table)
	return st, counts, nil
}

// Close frees what the run made. Nil is fine.
func (r *Run) Close() {
	if r == nil {
		return
	}
	for _, c := range r.parts {
		c.Close()
	}
	r.binding.Close()
	for _, b := range r.own {
		b.Close()
	}
	r.program.Close()
}
