// Package interpret runs vertex shaders on the CPU. It places the draws of captured frames if
// there is no GPU, and it is the reference for GPUs.
//
//	v, err := m.Vertex("", nil)         // package module
//	p, err := interpret.New(v)          // refuses what it cannot run
//	err = p.Run(ctx, &interpret.Draw{Inputs: inputs, Blocks: blocks}, positions)
//
// A shader becomes a list of closures over registers, one closure per instruction. Values that do
// not depend on the vertex, such as a product of a block's matrices, are computed once per call
// of Run.
//
// Floats are rounded after each operation; functions such as sin are computed in 64 bits and
// rounded once. What SPIR-V leaves undefined has a defined value here: indices are clamped to their
// array or vector, reads beyond a block give 0, conversions to integers saturate, and dividing an
// integer by 0 gives all bits set.
//
// Modules may come from anywhere: New checks what its closures rely on. A shader that takes too
// many steps for a vertex ends with an error.
package interpret

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/shadeonce/shadeonce/internal/base/cores"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// Runner is a vertex shader that is ready to run. It may be used by several goroutines.
type Runner struct {
	vertex     *module.Vertex
	entry      *function
	registers  []uint32 // initial contents of registers: constants
	variables  int      // number of registers of variables, which are 0 before each vertex
	steady     []op     // operations that do not depend on the vertex
	begin      []op     // operations that set the initial values of variables
	inputs     []inputPlace
	builtIns   []builtInPlace
	position   int
	counter    int                  // register in which loops count; -1 if none do
	variableAt map[uint32]*variable // variables of outputs, by id
	blocks     int
}

// Input is the data of an input.
type Input struct {
	Location uint32
	Format   vertexformat.Format
	Data     []byte // element i begins at i*Stride; beyond the end an element is 0, 0, 0, 1
	Stride   int    // bytes; with 0 every vertex reads element 0
}

// Draw is the data that a draw's vertices read.
type Draw struct {
	Inputs []Input  // locations that are not listed read 0, 0, 0, 1
	Blocks [][]byte // contents of each of the module.Vertex's Blocks

	// Values of the built-in variables. Instance includes BaseInstance.
	BaseVertex, BaseInstance, Instance, DrawIndex int32

	// Work is called, by several goroutines, with numbers of executed instructions. If it returns an
	// error, Run ends with that error. Work may be nil.
	Work func(instructions int64) error
}

// Shown receives an output: the bits of its components, with 0 for missing ones. Name is as in the
// Outputs of module.Vertex.
type Shown struct {
	Name   string
	Values [][4]uint32 // as many as positions
}

// batch is how many vertices a core takes at a time.
const batch = 256

// mostSteps bounds the instructions that a vertex executes; each execution in a loop counts. It applies if
// Draw.Work is set. It also applies if module.Limited was not called, since loops might not end then.
const mostSteps = 1 << 20

// Run shades vertices 0 to len(positions)-1 on all cores. Vertex i reads element i of the inputs,
// and its VertexIndex is i + BaseVertex. positions receive what the shader writes to gl_Position.
// Run fails if a vertex takes too many steps, and with the context's cause if the context ends.
func (p *Runner) Run(ctx context.Context, d *Draw, positions [][4]float32, shown ...Shown) error {
	if len(d.Blocks) != p.blocks {
		return fmt.Errorf("contents of %d blocks, but the vertex shader has %d", len(d.Blocks), p.blocks)
	}
	fetches, err := p.fetches(d)
	if err != nil {
		return err
	}
	shows, err := p.shows(shown, len(positions))
	if err != nil {
		return err
	}
	most := mostSteps
	if d.Work == nil && p.vertex.Module.Loops != nil {
		most = math.MaxInt
	}
	var next atomic.Int64
	var failed atomic.Pointer[error]
	work := func() {
		t := p.thread(d)
		for from := int(next.Add(batch)) - batch; from < len(positions) && failed.Load() == nil && ctx.Err() == nil; from = int(next.Add(batch)) - batch {
			taken := int64(0)
			for i := from; i < min(from+batch, len(positions)); i++ {
				err := p.shade(t, i, most, fetches, d)
				taken += int64(most - max(t.steps, 0))
				if err != nil {
					if d.Work != nil {
						err = cmp.Or(d.Work(taken), err)
					}
					failed.Store(&err)
					return
				}
				position := (*[4]uint32)(t.r[p.position:])
				for c, bits := range position {
					positions[i][c] = float(bits)
				}
				for _, s := range shows {
					s.values[i] = [4]uint32{}
					copy(s.values[i][:s.count], t.r[s.at:])
				}
			}
			if d.Work != nil {
				if err := d.Work(taken); err != nil {
					failed.Store(&err)
				}
			}
		}
	}
	cores.OnAll((len(positions)+batch-1)/batch, work)
	if err := failed.Load(); err != nil {
		return *err
	}
	return context.Cause(ctx)
}

// Start returns what a call of Run costs before its first vertex, in instructions.
func (p *Runner) Start() int64 { return int64(len(p.steady)) + int64(len(p.registers))/8 }

// thread is the state of one goroutine.
type thread struct {
	r      []uint32
	blocks [][]byte
	steps  int // steps that the vertex may still take
	wide   wide
}

func (p *Runner) thread(d *Draw) *thread {
	t := &thread{r: make([]uint32, len(p.registers)), blocks: d.Blocks}
	copy(t.r, p.registers)
	for _, op := range p.steady {
		op(t)
	}
	return t
}

// shade runs vertex i, for the given number of steps at most.
func (p *Runner) shade(t *thread, i, steps int, fetches []fetch, d *Draw) error {
	clear(t.r[:p.variables])
	for k := range fetches {
		fetches[k].into(t.r, i)
	}
	for _, b := range p.builtIns {
		t.r[b.at] = b.value(d, i)
	}
	for _, op := range p.begin {
		op(t)
	}
	t.steps = steps
	p.entry.run(t)
	switch {
	case t.steps < 0:
		return fmt.Errorf("vertex %d takes more than %d steps", i, steps)
	case p.counter >= 0 && t.r[p.counter] == 0:
		return fmt.Errorf("vertex %d: %w", i, module.LoopError{Limit: p.vertex.Module.Loops.Limit})
	}
	return nil
}

// builtInPlace is the register of a built-in variable.
type builtInPlace struct {
	at int
	is module.BuiltIn
}

func (b builtInPlace) value(d *Draw, i int) uint32 {
	switch b.is {
	case module.VertexIndex, module.VertexID:
		return uint32(int32(i) + d.BaseVertex)
	case module.InstanceIndex:
		return uint32(d.Instance)
	case module.InstanceID:
		return uint32(d.Instance - d.BaseInstance)
	case module.BaseVertex:
		return uint32(d.BaseVertex)
	case module.BaseInstance:
		return uint32(d.BaseInstance)
	case module.DeviceIndex, module.ViewIndex: // there is one device and one view
		return 0
	}
	return uint32(d.DrawIndex)
}

// inputPlace is where components of a location are stored.
type inputPlace struct {
	location         uint32
	component, count int  // of the location's four components
	at               int  // register of the first
	scalar           *typ // type of the components
}

// fetch fills registers from an input.
type fetch struct {
	inputPlace
	Input
	size   int
	floats bool // whether elements are 32-bit floats, at least as many as needed
}

func (p *Runner) fetches(d *Draw) (list []fetch, err error) {
	for _, place := range p.inputs {
		f := fetch{inputPlace: place}
		for _, in := range d.Inputs {
			if in.Location != place.location {
				continue
			}
			if !in.Format.Known() || in.Stride < 0 {
				return nil, fmt.Errorf("input %d: %v, %d bytes apart", in.Location, in.Format, in.Stride)
			}
			f.Input, f.size = in, in.Format.Size()
			f.floats = in.Format.Wide(in.Format.Components()) == in.Format && place.component+place.count <= in.Format.Components() && place.scalar.width == 32
		}
		list = append(list, f)
	}
	return list, nil
}

func (f *fetch) into(r []uint32, i int) {
	components := [4]uint32{}
	at := i * f.Stride
	switch {
	case f.size > 0 && at+f.size <= len(f.Data):
		if f.floats {
			for c := range f.count {
				r[f.at+c] = binary.LittleEndian.Uint32(f.Data[at+4*(f.component+c):])
			}
			return
		}
		components = f.Format.Decode(f.Data[at : at+f.size])
	case f.scalar.kind == floating:
		components[3] = floatOne
	default:
		components[3] = 1
	}
	for c := range f.count {
		bits := components[f.component+c]
		switch {
		case f.scalar.width == 32:
		case f.scalar.kind == floating:
			bits = uint32(encode(f.scalar.width)(float64(float(bits))))
		default:
			bits &= uint32(mask(f.scalar.width))
		}
		r[f.at+c] = bits
	}
}

// show says which registers hold an output, and where to copy them.
type show struct {
	values    [][4]uint32
	at, count int
}

func (p *Runner) shows(shown []Shown, n int) (list []show, err error) {
	defer must.Catch(&err)
	for _, s := range shown {
		at, t := p.output(s.Name)
		if component, count := t.component(); component != nil && component.width == 32 && len(s.Values) == n {
			list = append(list, show{s.Values, at, count})
			continue
		}
		return nil, fmt.Errorf("output %s: is %v; %d values for %d positions", s.Name, t, len(s.Values), n)
	}
	return list, nil
}
