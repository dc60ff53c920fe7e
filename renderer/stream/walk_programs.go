package stream

import (
	"context"
	"time"

	"github.com/shadeonce/shadeonce/geometry/apps/walk"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer/gpu"
)

// walkPrograms are what shades the steps of a walk, with the buffers that all steps
// use.
type walkPrograms struct {
	WalkOptions

	backend  *gpu.Backend
	device   *gpu.Device
	tables   *walk.Tables
	programs map[bool]*Program      // by whether the stream has an order of its own
	buffers  map[string]*gpu.Buffer // by block: tables, counts, batches, and results of a strategy of whole draws
	commands *gpu.Commands
}

const (
	walkPart       = 1 << 20 // Options.Part: agents
	walkMoveBytes  = 32      // of shaders/functions/walk.glsl: WalkMoves
	walkBatchBytes = 16
)

func (p *walkPrograms) make(b *gpu.Backend, t *walk.Tables, o WalkOptions) (err error) {
	*p = walkPrograms{WalkOptions: o, backend: b, device: b.GPU(), tables: t, programs: map[bool]*Program{}, buffers: map[string]*gpu.Buffer{}}
	if p.commands, err = p.device.NewCommands("walk:" + o.Reuse.Strategy.Name); err != nil {
		return err
	}
	cells, results := int(t.Grid*t.Grid), 0
	if o.Reuse.Strategy.WholeDraws {
		results = cells * walkMoveBytes / wordBytes
	}
	for _, x := range []struct {
		name  string
		words int
	}{{"Counts", cells}, {"ScratchResults", results}} {
		if p.buffers[x.name], err = p.newBuffer(x.name, x.words); err != nil {
			return err
		}
	}
	device := t.ForDevice()
	if p.buffers["WalkPotential"], err = NewTable(b, "WalkPotential", device.Potential); err != nil {
		return err
	}
	if p.buffers["WalkPrior"], err = NewTable(b, "WalkPrior", device.Prior[:]); err != nil {
		return err
	}
	p.buffers["WalkWeights"], err = NewTable(b, "WalkWeights", t.Weight[:])
	return err
}

func (p *walkPrograms) newBuffer(name string, words int) (*gpu.Buffer, error) {
	return p.device.NewBuffer(name, int64(words)*wordBytes, gpu.UsageStorage)
}

// program finds or compiles the program of a stream with or without an order of its own.
func (p *walkPrograms) program(ordered bool) (*Program, error) {
	if found := p.programs[ordered]; found != nil {
		return found, nil
	}
	spec := map[string]uint32{"WALK_GRID": p.tables.Grid, "WALK_ORDERED": 0}
	if ordered {
		spec["WALK_ORDERED"] = 1
	}
	made, err := NewProgram(p.backend, Options{Function: "walk", Reuse: p.Reuse, Subgroups: p.Subgroups, Held: walkMoveBytes, Spec: spec, Part: walkPart})
	if err == nil {
		p.programs[ordered] = made
	}
	return made, err
}

// bind binds the program to a stream. A stream without an order has any buffer in its
// place.
func (p *walkPrograms) bind(ordered bool, cells, next, order *gpu.Buffer) (*Binding, error) {
	program, err := p.program(ordered)
	if err != nil {
		return nil, err
	}
	r := gpu.Resources{"Indices": cells, "WalkNext": next, "WalkOrder": order}
	for name, buffer := range p.buffers {
		r[name] = buffer
	}
	return program.Bind(r)
}

// uploadBatches uploads a table of batches. grown says that the buffer is a new one,
// which bindings do not know.
func (p *walkPrograms) uploadBatches(table []reuse.Batch) (grown bool, err error) {
	if held := p.buffers["Batches"]; held == nil || held.Size < int64(len(table))*walkBatchBytes {
		held.Close()
		words := (len(table) + len(table)/8) * walkBatchBytes / wordBytes // dynamic batches vary in number
		if p.buffers["Batches"], err = p.newBuffer("Batches", words); err != nil {
			delete(p.buffers, "Batches")
			return true, err
		}
		grown = true
	}
	return grown, gpu.Upload(p.device, p.buffers["Batches"], table)
}

// shade shades batches, of which the counts are kept; those of before are cleared first
// if that is asked for. It returns the device's time.
func (p *walkPrograms) shade(ctx context.Context, b *Binding, batches Batches, clear bool, arguments [4]uint32) (took time.Duration, err error) {
	if clear {
		if _, err := p.run(ctx, "clear", func(c *gpu.Commands) { c.Fill(p.buffers["Counts"], 0) }); err != nil {
			return 0, err
		}
	}
	for _, list := range b.submissions(batches) {
		part, err := p.run(ctx, p.commands.Name, func(c *gpu.Commands) { b.recordAll(c, list, batches.Multiplier, arguments) })
		if err != nil {
			return 0, err
		}
		took += part
	}
	return took, nil
}

// run records commands and runs them. It returns the device's time; that of the host
// where the device has no clock.
func (p *walkPrograms) run(ctx context.Context, name string, record func(c *gpu.Commands)) (time.Duration, error) {
	if err := context.Cause(ctx); err != nil {
		return 0, err
	}
	c, began := p.commands, time.Now()
	if err := c.RunOnce(func() { c.Pass(name, func() { record(c) }) }); err != nil {
		return 0, err
	}
	host := time.Since(began)
	took, err := deviceTime(c)
	if took == 0 {
		took = host
	}
	return took, err
}

// Counts returns how often each cell was shaded in the last step.
func (p *walkPrograms) Counts() ([]uint32, error) {
	return gpu.Download[uint32](p.device, p.buffers["Counts"], int(p.tables.Grid*p.tables.Grid))
}

// Close frees all; what is bound to it is closed before.
func (p *walkPrograms) Close() {
	for _, x := range p.programs {
		x.Close()
	}
	for _, b := range p.buffers {
		b.Close()
	}
	p.commands.Close()
}
