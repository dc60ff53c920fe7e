package stream

import (
	"context"
	"time"

	"github.com/shadeonce/shadeonce/geometry/apps"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer/gpu"
)

// Shaded is what a strategy did on a stream.
type Shaded struct {
	Stats   reuse.Stats
	Counts  []uint32      // how often each id was shaded
	Took    time.Duration // the median of several times without counting; of one time, counted, on a CPU
	Cutting time.Duration // the batches, on the host
}

// Shade shades a stream once to count, and then to time: counting takes an atomic
// operation per shading, which would make strategies with little reuse look slow.
// Parameters are those of NewRun.
func Shade(ctx context.Context, b *gpu.Backend, s apps.Stream, tables Tables, arguments [4]uint32, o Options) (out Shaded, err error) {
	o.NoCounts = false
	if err = out.run(b, s, tables, arguments, o, func(r *Run) error {
		if out.Took, err = r.Do(ctx); err == nil {
			out.Stats, out.Counts, err = r.Counts()
		}
		return err
	}); err != nil || b.GPU().Info.Type == gpu.TypeCPU {
		return out, err
	}
	o.NoCounts = true
	return out, out.run(b, s, tables, arguments, o, func(r *Run) error {
		out.Took, err = r.Time(ctx)
		return err
	})
}

// run does something with a run.
func (x *Shaded) run(b *gpu.Backend, s apps.Stream, tables Tables, arguments [4]uint32, o Options, do func(*Run) error) error {
	r, err := NewRun(b, s, tables, arguments, o)
	if err != nil {
		return err
	}
	defer r.Close()
	x.Cutting = r.Cutting
	return do(r)
}
