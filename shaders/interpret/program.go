// Package interpret runs vertex shaders on the processor. It places the draws of captured
// frames where there is no GPU, and is what GPUs are compared with.
//
//	v, err := m.Vertex("", nil)         // package module
//	p, err := interpret.New(v)          // refuses what it cannot run
//	err = p.Run(ctx, &interpret.Draw{Inputs: inputs, Blocks: blocks}, positions)
//
// A shader becomes a list of closures over registers, a closure per instruction. What
// depends on no vertex, as a product of matrices of a block, is computed once per call
// of Run.
//
// Floats are rounded after each operation; functions as sin are computed in 64 bits and
// rounded once. What SPIR-V leaves undefined has a value here: reads beyond a block are 0,
// indices into other arrays are clamped, conversions to integers saturate, a quotient of
// an integer by 0 has all bits set.
//
// Modules may come from anywhere: New checks what its closures rely on. A shader that
// takes too many steps for a vertex ends with an error.
package interpret

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"

	"github.com/shadeonce/shadeonce/internal/base/cores"
	"github.com/shadeonce/shadeonce/shaders/module"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// Program is a vertex shader that is ready to run. It may be used by several goroutines.
type Program struct {
	vertex     *module.Vertex
	entry      *function
	registers  []uint32 // what they hold at first: constants
	variables  int      // registers of variables, which are 0 before each vertex
	steady     []op     // what depends on no vertex
	begin      []op     // initial values of variables
	inputs     []inputPlace
	builtIns   []builtInPlace
	position   int
	variableAt map[uint32]*variable // outputs
	blocks     int
}

// Input says where an input's data come from.
type Input struct {
	Location uint32
	Format   vertexformat.Format
	Data     []byte // element i is at i*Stride; beyond the end it is 0, 0, 0, 1
	Stride   int    // bytes; 0: every vertex reads element 0
}

// Draw is what the vertices of a draw read.
type Draw struct {
	Inputs []Input  // locations that are not named are 0, 0, 0, 1
	Blocks [][]byte // by Blocks of the module.Vertex

	// What the built-in variables say. Instance includes BaseInstance.
	BaseVertex, BaseInstance, Instance, DrawIndex int32

	// Work books instructions that some vertices have taken. An error ends Run. It is
	// called by several goroutines; nil books none.
	Work func(instructions int64) error
}

// Shown receives an output, by the name that Outputs of the module.Vertex has for it: the
// bits of its components, and 0 where it has none.
type Shown struct {
	Name   string
	Values [][4]uint32 // as many as positions
}

// batch is how many vertices a core takes at a time.
const batch = 256

// mostSteps is how many instructions a vertex may take, an instruction in a loop counting
// each time.
const mostSteps = 1 << 20

// Run shades vertices 0 to len(positions)-1 on all cores. Vertex i reads element i of the
// inputs, and its VertexIndex is i + BaseVertex. positions receive what the shader
// writes to gl_Position. It fails where a vertex takes too many steps, and with the
// context's cause.
func (p *Program) Run(ctx context.Context, d *Draw, positions [][4]float32, shown ...Shown) error {
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
	var next atomic.Int64
	var failed atomic.Pointer[error]
	work := func() {
		t := p.thread(d)
		for from := int(next.Add(batch)) - batch; from < len(positions) && failed.Load() == nil && ctx.Err() == nil; from = int(next.Add(batch)) - batch {
			taken := int64(0)
			for i := from; i < min(from+batch, len(positions)); i++ {
				if !p.shade(t, i, fetches, d) {
					err := fmt.Errorf("vertex %d takes more than %d steps", i, mostSteps)
					if d.Work != nil {
						err = cmp.Or(d.Work(taken+mostSteps), err)
					}
					failed.Store(&err)
					return
				}
				taken += int64(mostSteps - t.steps)
				position := (*[4]uint32)(t.r[p.position:])
				for c, bits := range position {
					positions[i][c] = float(bits)
				}
				for k := range shows {
					shows[k].copy(t.r, i)
				}
			}
			if d.Work == nil {
				continue
			}
			if err := d.Work(taken); err != nil {
				failed.Store(&err)
			}
		}
	}
	cores.OnAll((len(positions)+batch-1)/batch, work)
	if err := failed.Load(); err != nil {
		return *err
	}
	return context.Cause(ctx)
}

// Start is how many instructions' worth of work a call of Run begins with.
func (p *Program) Start() int64 { return int64(len(p.steady)) + int64(len(p.registers))/8 }

// thread is the state of one goroutine.
type thread struct {
	r      []uint32
	blocks [][]byte
	steps  int // left for the vertex
	wide   wide
}

func (p *Program) thread(d *Draw) *thread {
	t := &thread{r: make([]uint32, len(p.registers)), blocks: d.Blocks}
	copy(t.r, p.registers)
	for _, op := range p.steady {
		op(t)
	}
	return t
}

// shade runs one vertex; false where it takes too many steps.
func (p *Program) shade(t *thread, i int, fetches []fetch, d *Draw) bool {
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
	t.steps = mostSteps
	p.entry.run(t)
	return t.steps >= 0
}
