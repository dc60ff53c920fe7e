package capture

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture/internal/renderdoc"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/internal/spirv/interpret"
)

// placeShaded runs the vertex shaders of a frame and puts its draws where their outputs are. If
// no shader can be run, or running them takes too long for the file's size, the draws stay in
// model space: the frame can be counted all the same.
func placeShaded(ctx context.Context, in *format.Input, f *renderdoc.Frame) error {
	s := f.Scene
	if s.Shading == nil {
		return nil
	}
	draws := slices.Clone(s.Draws)
	err := runShaders(ctx, in, f)
	var slow *tooSlow
	if errors.As(err, &slow) {
		if in.Pass != "" {
			return fmt.Errorf("no pass %q: to run the shaders of all draws %w", in.Pass, slow.cause)
		}
		s.Draws, s.Shading, s.Attributes, s.Capture = draws, nil, nil, &geometry.Capture{}
		s.Skipped = append(s.Skipped, geometry.FromPicture+"where all draws stand: to run their shaders "+slow.cause.Error())
		return nil
	}
	return err
}

// tooSlow is the panic that stops running shaders.
type tooSlow struct{ cause *budget.Exceeded }

func (e *tooSlow) Error() string { return e.cause.Error() }

// runShaders does the work of placeShaded; it panics with tooSlow.
func runShaders(ctx context.Context, in *format.Input, f *renderdoc.Frame) (err error) {
	defer must.Catch(&err)
	s := f.Scene
	r := &shaderRunner{ctx: ctx, in: in, scene: s, programs: make([]*interpret.Runner, len(s.Shading.Programs)), lost: map[string]int{}, steps: make([]atomic.Int64, len(s.Draws))}
	r.budget.Begin(ctx)
	r.budget.Known(in.Budget().Size())
	p := &placer{
		scene: s, states: make([]drawState, len(s.Draws)), aspects: f.Aspects, pass: in.Pass, outputs: r.outputs,
		work: r.work, memory: in.Budget().Memory,
		steps: func(i int) float32 { return float32(r.steps[i].Load()) / float32(max(1, s.Draws[i].VertexCount)) },
	}
	must.OK(p.memory(int64(len(s.Draws)) * 512)) // bytes of a draw's state, fit and placing
	r.compile()
	for i := range p.states {
		p.states[i] = drawState{f.Targets[i], s.Shading.Draws[i].Program < 0}
		s.Shading.Draws[i].Target = geometry.Narrow(p.states[i].Window.Matrix())
		s.Shading.Draws[i].Clip = s.Shading.Draws[i].Target // used if the draws are not placed
	}
	placed := must.Get(p.place(ctx))
	for _, why := range slices.Sorted(maps.Keys(r.lost)) {
		s.Skipped = append(s.Skipped, fmt.Sprintf("%s%d x draw: %s", geometry.FromShaders, r.lost[why], why))
	}
	if placed {
		s.Skipped = append(s.Skipped, p.hiddenNotes()...)
	}
	if f.Textures != nil {
		r.applyTextures(f)
	}
	return nil
}

// shaderRunner runs the vertex shaders of a scene.
type shaderRunner struct {
	ctx      context.Context
	in       *format.Input
	scene    *geometry.Scene
	programs []*interpret.Runner
	lost     map[string]int // draws whose shader cannot be run, by reason
	steps    []atomic.Int64 // by draw: instructions executed for all its vertices
	budget   budget.Budget  // budget of work, as large as that of reading the file
	scratch  [][4]float32   // outputs of the latest draw
}

// work charges steps of running shaders.
func (r *shaderRunner) work(steps int64) error {
	err := r.budget.Work(steps)
	var exceeded *budget.Exceeded
	if errors.As(err, &exceeded) {
		return &tooSlow{exceeded}
	}
	return err
}

// The cost of preparing a program, per word of its module.
const (
	compileSteps  = 1 << 8
	compiledBytes = 1 << 8
)

// The work of starting a draw, and of one instruction of a shader.
const (
	runSteps = 1 << 12
	stepWork = 16
)

// compile prepares the programs. Draws whose program cannot be run lose it.
func (r *shaderRunner) compile() {
	programs, draws := r.scene.Shading.Programs, r.scene.Shading.Draws
	why := make([]string, len(programs))
	for i := range programs {
		v := programs[i].Vertex
		words := int64(len(v.Module.Code))
		must.OK(r.work(compileSteps * words))
		must.OK(r.in.Budget().Memory(compiledBytes * words))
		var err error
		if r.programs[i], err = interpret.New(v); err != nil {
			why[i] = "its shader: " + err.Error()
		}
	}
	for i := range draws {
		if d := &draws[i]; d.Program >= 0 && why[d.Program] != "" {
			r.lose(i, why[d.Program])
		}
	}
}

// lose removes a draw's shader.
func (r *shaderRunner) lose(draw int, why string) {
	r.lost[why]++
	r.scene.Shading.Draws[draw] = geometry.DrawShading{Program: -1, Why: why}
}

// run returns the outputs of a draw's shader for its vertices, valid until the next call.
func (r *shaderRunner) run(draw int, shown ...interpret.Shown) ([][4]float32, error) {
	d, p := &r.scene.Draws[draw], r.programs[r.scene.Shading.Draws[draw].Program]
	if err := r.work(runSteps + p.Start()*stepWork); err != nil {
		return nil, err
	}
	r.steps[draw].Store(0)
	reads := r.scene.Shading.Reads(r.scene, draw)
	reads.Work = func(instructions int64) error {
		r.steps[draw].Add(instructions)
		return r.work(instructions * stepWork)
	}
	r.scratch = slices.Grow(r.scratch[:0], int(d.VertexCount))[:d.VertexCount]
	return r.scratch, p.Run(r.ctx, reads, r.scratch, shown...)
}

// outputs runs the draw's shader. A draw whose outputs are unusable loses its shader.
func (r *shaderRunner) outputs(draw int) ([][4]float32, error) {
	progress.Tell(r.ctx, float64(draw)/float64(len(r.scene.Draws)))
	positions, err := r.run(draw)
	var slow *tooSlow
	if errors.As(err, &slow) || r.ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		r.lose(draw, "its shader: "+err.Error())
		return nil, errNoOutputs
	}
	for _, id := range r.scene.DrawIndices(draw) {
		for _, v := range positions[id] {
			if v-v != 0 {
				r.lose(draw, "its shader puts out positions that are not finite")
				return nil, errNoOutputs
			}
		}
	}
	return positions, nil
}
