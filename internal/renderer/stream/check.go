package stream

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

func checkBackend(b *gpu.Backend) error {
	if b == nil || b.GPU() == nil {
		return errors.New("stream: no device")
	}
	return nil
}

// check returns an error for options or a stream that cannot be planned.
func (o *Options) check(s reuse.Stream, tables Tables) error {
	check := s.Check
	if tables[plan.Indices] != nil {
		check = s.CheckSize // the ids are those of the table
	}
	if err := errors.Join(o.Reuse.Check(), check()); err != nil {
		return fmt.Errorf("stream: %w", err)
	}
	switch {
	case len(s.Indices) == 0:
		return fmt.Errorf("stream: %q has no indices", s.Name)
	case o.Held < 0 || o.Held%4 != 0 || o.Part < 0:
		return fmt.Errorf("stream: results of %d bytes in parts of %d corners: must be a multiple of 4, and not negative", o.Held, o.Part)
	case o.Subgroups > renderer.VirtualSubgroups:
		return fmt.Errorf("stream: no such subgroups: %d", o.Subgroups)
	case o.AddCounts && tables[plan.Counts] == nil:
		return errors.New("stream: AddCounts without a table Counts")
	}
	return o.checkCut(s)
}

// checkCut returns an error for batches that are not of the stream.
func (o *Options) checkCut(s reuse.Stream) error {
	if o.Cut == nil {
		return nil
	}
	if o.Cut.Stream < 0 || o.Cut.Stream > len(o.Cut.Table) {
		return fmt.Errorf("stream: cut of %d batches, and its table has %d", o.Cut.Stream, len(o.Cut.Table))
	}
	for i, b := range o.Cut.Table {
		most, end := o.Reuse.Batch, len(s.Indices)
		if i >= o.Cut.Stream {
			most, end = o.Reuse.Strategy.MaxUnique(o.Reuse), s.IDs
		}
		if int(b.IndexCount) > most || int(b.FirstIndex)+int(b.IndexCount) > end || b.Draw != 0 {
			return fmt.Errorf("stream: batch %d of the cut has %d elements from %d on in draw %d: it is not of this stream", i, b.IndexCount, b.FirstIndex, b.Draw)
		}
	}
	return nil
}

// check returns an error for a table that the plan has no use for.
func (t Tables) check(p *plan.Plan) error {
	known := map[plan.Block]bool{}
	for _, x := range p.Buffers {
		known[x.Block] = true
	}
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if t[name] != nil && !known[name] {
			return fmt.Errorf("stream: table %s: no shader of the plan has such a block; there are %v", name, slices.Sorted(maps.Keys(known)))
		}
	}
	return nil
}

// Function is a strategy's shader, compiled with a shade function of the caller's: Options.Shader.
type Function = plan.OwnFunction

// ReadFunction reads a Function: see plan.ReadFunction.
func ReadFunction(s *reuse.Strategy, spirv ...[]byte) (*Function, error) {
	return plan.ReadFunction(s, spirv...)
}
