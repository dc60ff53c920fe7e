package stream

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/apps"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer/plan"
	"github.com/shadeonce/shadeonce/shaders"
)

// Options say what a program shades, and by which strategy.
type Options struct {
	Function  string // shaders/functions/NAME.glsl
	Reuse     reuse.Config
	Subgroups renderer.Subgroups
	Held      int               // bytes of a result, where corners take results; else 0
	Spec      map[string]uint32 // specialization constants of the function's own
	NoCounts  bool              // do not count how often each id is shaded
	Part      int               // corners that a CPU shades in one submission, which nothing interrupts; 0 is softwareCorners
}

// softwareCorners is Options.Part of functions that may be dear.
const softwareCorners = 1 << 15

// Program is a shade function compiled into a strategy, for a device.
type Program struct {
	Options

	device *gpu.Device
	limits renderer.Limits
	kernel plan.Kernel
	shade  *gpu.Pipeline
	expand *gpu.Pipeline // has corners take results, after a strategy of whole draws; else nil
}

// NewProgram compiles a program. It refuses a strategy whose batches the device cannot
// take.
func NewProgram(b *gpu.Backend, o Options) (*Program, error) {
	p := &Program{Options: o, device: b.GPU(), limits: b.Limits()}
	var err error
	if p.kernel, err = plan.NewKernel(o.Reuse, o.Subgroups, o.Held, false, &p.limits); err != nil {
		return nil, err
	}
	if p.shade, err = p.pipeline(o.Reuse.Strategy.Name); err != nil {
		return nil, err
	}
	if o.Reuse.Strategy.WholeDraws && o.Held > 0 {
		if p.expand, err = p.pipeline(o.Reuse.Strategy.Name + "-expand"); err != nil {
			p.Close()
			return nil, err
		}
	}
	return p, nil
}

func (p *Program) pipeline(file string) (*gpu.Pipeline, error) {
	shader, err := shaders.Find(p.Function + "/" + file)
	if err != nil {
		return nil, fmt.Errorf("stream: %w", err)
	}
	if err := plan.CheckCapabilities(shader, &p.limits); err != nil {
		return nil, err
	}
	spec := p.kernel.Spec(uint32(p.Reuse.Batch), p.kernel.Subgroups())
	spec["COUNT"] = 1
	if p.NoCounts {
		spec["COUNT"] = 0
	}
	maps.Copy(spec, p.Spec)
	o := gpu.ComputeOptions{Spec: spec}
	if lanes := p.Reuse.Lanes; p.kernel.Native && p.device.Info.CanRequire(lanes) {
		o.SubgroupSize = lanes
	}
	return p.device.NewComputePipeline(shader, o)
}

// Close frees the pipelines. Nil is fine.
func (p *Program) Close() {
	if p == nil {
		return
	}
	for _, x := range []*gpu.Pipeline{p.shade, p.expand} {
		if x != nil {
			x.Close()
		}
	}
}

// Batches is the table of batches of a stream.
type Batches struct {
	Table      []reuse.Batch // those of the stream, then, of a strategy of whole draws, those of its ids
	Stream     int           // batches of the stream
	Multiplier uint32        // that mixes ids, of a strategy that chooses it from the stream; else 0
}

// Cut cuts a stream.
func Cut(s apps.Stream, c reuse.Config) Batches {
	one := &geometry.Scene{Indices: s.Indices, Draws: []geometry.Draw{{IndexCount: uint32(len(s.Indices)), VertexCount: uint32(s.IDs)}}}
	b := Batches{Table: reuse.Batches(one, c)}
	b.Stream = len(b.Table)
	if c.Strategy.WholeDraws {
		b.Table = append(b.Table, reuse.VertexBatches(one, c)...)
	}
	if choose := c.Strategy.Multiplier; choose != nil {
		b.Multiplier = choose(reuse.SampleBatches(one, c), c)
	}
	return b
}

// Binding is a program with its buffers.
type Binding struct {
	program       *Program
	shade, expand *gpu.Set
}

// Bind binds buffers by the names of their blocks: Indices, Batches, Counts,
// ScratchResults of a strategy of whole draws, and those of the function.
func (p *Program) Bind(r gpu.Resources) (*Binding, error) {
	b := &Binding{program: p}
	var err error
	if b.shade, err = p.shade.NewSet(r); err == nil && p.expand != nil {
		b.expand, err = p.expand.NewSet(r)
	}
	if err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// Close frees the binding. Nil is fine.
func (b *Binding) Close() {
	if b != nil {
		b.shade.Close()
		b.expand.Close()
	}
}

// dispatch is a part of the batches.
type dispatch struct {
	pipeline     *gpu.Pipeline
	set          *gpu.Set
	first, count int // in Batches.Table
	each         int // batches of a workgroup
}

// dispatches are what shades all batches, in dispatches of at most so many.
func (b *Binding) dispatches(x Batches, most int) (list []dispatch) {
	add := func(d dispatch, end int) {
		for ; d.first < end; d.first += most {
			d.count = min(most, end-d.first)
			list = append(list, d)
		}
	}
	p := b.program
	if !p.Reuse.Strategy.WholeDraws {
		add(dispatch{pipeline: p.shade, set: b.shade, each: p.kernel.Subgroups()}, x.Stream)
		return list
	}
	add(dispatch{pipeline: p.shade, set: b.shade, each: 1, first: x.Stream}, len(x.Table))
	if p.expand != nil {
		add(dispatch{pipeline: p.expand, set: b.expand, each: 1}, x.Stream)
	}
	return list
}

// submissions are the dispatches that shade all batches: of one submission, or on a CPU
// of several.
func (b *Binding) submissions(x Batches) (list [][]dispatch) {
	p, most := b.program, len(x.Table)
	if p.device.Info.Type == gpu.TypeCPU {
		most = max(1, cmp.Or(p.Part, softwareCorners)/p.Reuse.Batch)
	}
	all := b.dispatches(x, most)
	if most >= len(x.Table) {
		return [][]dispatch{all}
	}
	for i := range all {
		list = append(list, all[i:][:1])
	}
	return list
}

// recordAll records the dispatches of a submission.
func (b *Binding) recordAll(c *gpu.Commands, list []dispatch, multiplier uint32, arguments [4]uint32) {
	for _, d := range list {
		b.record(c, d, multiplier, arguments)
	}
}

func (b *Binding) record(c *gpu.Commands, d dispatch, multiplier uint32, arguments [4]uint32) {
	push := shaders.ChunkPush{FirstBatch: uint32(d.first), BatchCount: uint32(d.count), Multiplier: multiplier, Arguments: arguments}
	data, err := binary.Append(nil, binary.LittleEndian, push)
	if err != nil {
		panic(err) // made of numbers only
	}
	groups := plan.Groups((d.count+d.each-1)/d.each, &b.program.limits)
	c.Dispatch(d.pipeline, d.set, data, groups[0], groups[1], 1)
}
