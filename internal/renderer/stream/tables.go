package stream

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"unsafe"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// Tables are the buffers that a shade function reads and writes, by block.
type Tables map[plan.Block]*gpu.Buffer

// Block is the name of a shader's block and the function that makes its buffer.
type Block struct {
	name  plan.Block
	reads bool // Table made it
	n     int  // elements
	make  func(*gpu.Backend) (*gpu.Buffer, error)
}

// Table returns a block that the shader reads, with the contents of a slice. Its elements must consist of
// numbers, in the shader's layout.
func Table[T any](name plan.Block, data []T) Block {
	return Block{name, true, len(data), func(b *gpu.Backend) (*gpu.Buffer, error) {
		buffer, err := Result[T](name, len(data)).make(b)
		if err != nil {
			return nil, err
		}
		if err := gpu.Upload(b.GPU(), buffer, data); err != nil {
			buffer.Close()
			return nil, err
		}
		return buffer, nil
	}}
}

// Result returns a block that the shader writes: n elements whose contents are undefined at first.
func Result[T any](name plan.Block, n int) Block {
	var one T
	size := binary.Size(one)
	return Block{name, false, n, func(b *gpu.Backend) (*gpu.Buffer, error) {
		if size <= 0 || size != int(unsafe.Sizeof(one)) {
			return nil, fmt.Errorf("stream: table %s: %T is not made of numbers only", name, one)
		}
		if n < 0 || int64(n) > math.MaxInt64/int64(size) {
			return nil, fmt.Errorf("stream: table %s: %d elements", name, n)
		}
		return b.GPU().NewBuffer(string(name), max(int64(n)*int64(size), least), gpu.UsageStorage)
	}}
}

// least is the least size of a table in bytes: Vulkan has no empty buffers.
const least = 4

// CheckOwn returns an error for a block that is empty, or that a caller's function does not use as it was made.
func CheckOwn(f *plan.OwnFunction, blocks ...Block) error {
	for _, declared := range f.Tables {
		for _, b := range blocks {
			switch {
			case string(b.name) != declared.Name:
			case b.n == 0:
				return fmt.Errorf("stream: table %s is empty: it needs at least one element", b.name)
			case b.reads && declared.WriteOnly:
				return fmt.Errorf("stream: table %s is to be read, and the function only writes it", b.name)
			case !b.reads && declared.ReadOnly:
				return fmt.Errorf("stream: table %s is to be written, and the function only reads it", b.name)
			}
		}
	}
	return nil
}

// NewTables makes the buffers of all blocks, or none.
func NewTables(b *gpu.Backend, blocks ...Block) (Tables, error) {
	if err := checkBackend(b); err != nil {
		return nil, err
	}
	t := Tables{}
	for _, block := range blocks {
		if block.make == nil || block.name == "" || t[block.name] != nil {
			t.Close()
			return nil, fmt.Errorf("stream: table %q: a block needs a name of its own, and Table or Result to make it", block.name)
		}
		buffer, err := block.make(b)
		if err != nil {
			t.Close()
			return nil, err
		}
		t[block.name] = buffer
	}
	return t, nil
}

// Close frees the buffers.
func (t Tables) Close() {
	for _, b := range t {
		b.Close()
	}
}

// Load returns the first n elements of a table.
func Load[T any](b *gpu.Backend, table *gpu.Buffer, n int) ([]T, error) {
	var one T
	size := binary.Size(one)
	if checkBackend(b) != nil || table == nil || size <= 0 || size != int(unsafe.Sizeof(one)) || n < 0 || int64(n) > table.Size/int64(size) {
		return nil, fmt.Errorf("stream: %d elements of %T: there is no such table, or it has fewer", n, one)
	}
	return gpu.Download[T](b.GPU(), table, n)
}

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
		check = s.CheckSize // the indices are in the table, and not in s
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

// checkCut returns an error for batches that cannot have been cut from the stream s.
func (o *Options) checkCut(s reuse.Stream) error {
	if o.Cut == nil {
		return nil
	}
	if o.Cut.Stream < 0 || o.Cut.Stream > len(o.Cut.Table) {
		return fmt.Errorf("stream: cut of %d batches from a table of %d", o.Cut.Stream, len(o.Cut.Table))
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

// check returns an error for a table that the plan does not use.
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
