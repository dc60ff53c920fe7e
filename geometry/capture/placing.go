package capture

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync/atomic"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture/internal/renderdoc"
	"github.com/shadeonce/shadeonce/geometry/capture/internal/replay"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/exact"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/internal/spirv/interpret"
)

// placer puts the draws of a frame where the game had them, from the outputs of their vertex
// shaders: see geometry.Placed.
type placer struct {
	scene   *geometry.Scene
	states  []drawState                                  // by draw of the scene
	aspects []float64                                    // by pass: the target's width divided by its height
	pass    string                                       // the pass whose camera and draws are wanted; empty for the main pass's camera and all draws
	refuse  func(place, cause string, args ...any) error // returns the error for the file
	outputs func(draw int) ([][4]float32, error)
	work    func(steps int64) error
	memory  func(bytes int64) error
	steps   func(draw int) float32             // returns the value for geometry.Placing.Steps; nil if it is not known
	bad     func(draw int, cause string) error // returns the error for a draw that cannot be placed; if nil, such a draw is hidden
	hidden  map[string]int                     // number of draws that are counted but not shown, by reason
}

// drawState is what placing needs of a draw besides its geometry.
type drawState struct {
	replay.Target
	unknown bool // whether its outputs are unknown
}

// errNoOutputs is the error of placer.outputs if a draw's outputs are not known.
var errNoOutputs = errors.New("its outputs are not known")

// fitSteps is the work of fitting a draw, in steps of the budget for each of its vertices and indices.
const fitSteps = 64

// place moves the draws. If no draw tells where its camera is, place leaves the scene unchanged and
// returns false; if a pass was requested, that is an error.
func (p *placer) place(ctx context.Context) (placed bool, err error) {
	defer must.Catch(&err)
	passes := p.passes()
	chosen := p.choose(passes)
	draws := p.fit(ctx)
	frame := replay.NewFrame(draws, p.aspects, chosen)
	switch {
	case frame == nil && chosen >= 0:
		pass := passes[chosen]
		return false, p.refuse(pass.Name, "none of its %d draws tells where its camera is: no vertex shader that can be run is linear there", pass.Draws)
	case frame == nil:
		return false, nil
	}
	c := cmp.Or(p.scene.Capture, &geometry.Capture{})
	p.scene.Capture = c
	c.View, c.Placings, c.Clip = &frame.View, make([]geometry.Placing, len(draws)), frame.Clip()
	p.move(frame, draws)
	p.setPasses(passes, frame)
	return true, nil
}

// fit finds the transform of each draw's vertex shader. Each draw is fitted on its own, even if
// several share vertices.
func (p *placer) fit(ctx context.Context) []replay.Draw {
	draws := make([]replay.Draw, len(p.scene.Draws))
	meshes := map[[2]uint32]int{} // mesh numbers, by first vertex and index
	for i := range draws {
		must.OK(context.Cause(ctx))
		d, state := &p.scene.Draws[i], &p.states[i]
		must.OK(p.work(fitSteps * (int64(d.VertexCount) + int64(d.IndexCount))))
		key := [2]uint32{d.VertexOffset, d.FirstIndex}
		mesh, ok := meshes[key]
		if !ok {
			mesh = len(meshes)
			meshes[key] = mesh
		}
		draws[i] = replay.Draw{Pass: state.Pass, Mesh: mesh, Triangles: int(d.IndexCount / 3)}
		if !state.unknown {
			clip, err := p.outputs(i)
			if state.unknown = errors.Is(err, errNoOutputs); state.unknown {
				continue
			}
			must.OK(err)
			draws[i].Fit = replay.Solve(p.scene.Positions[d.VertexOffset:][:d.VertexCount], clip, p.scene.DrawIndices(i), state.Window)
		}
	}
	return draws
}

// move sets the draws' transforms. Draws whose vertex shader is not linear get vertices of their
// own.
func (p *placer) move(frame *replay.Frame, draws []replay.Draw) {
	through := p.seenThrough(draws)
	p.hidden = map[string]int{}
	for i := range draws {
		d, state, placing := &p.scene.Draws[i], &p.states[i], &p.scene.Capture.Placings[i]
		d.OneSided = state.Culls == "cw" // Culls is the winding on the target; if the game culls "ccw", we show both sides
		placing.Residual = float32(min(draws[i].Residual, math.MaxFloat32))
		if p.steps != nil {
			placing.Steps = p.steps(i)
		}
		var clip mgl32.Mat4 // a zero matrix puts all vertices at 0, 0, 0, 0, so nothing is seen from any camera
		switch what := p.hiddenAs(frame, i, through[i]); {
		case what != "":
			p.hidden[what]++
			placing.How = geometry.Hidden
			d.Transform = mgl32.Mat4{15: 1}
		case draws[i].Linear():
			placing.How = geometry.Fitted
			d.Transform = frame.Transform(i)
			clip = frame.DrawClip(i, state.Window)
		default:
			placing.How = geometry.Captured
			p.takeOutputs(frame, i)
			clip = frame.DrawClip(i, state.Window)
		}
		if !exact.Finite(d.Transform[:]...) || !exact.Finite(clip[:]...) {
			if p.bad != nil {
				must.OK(p.bad(i, "clip positions beyond what can be drawn"))
			}
			p.hidden["beyond what can be drawn"]++
			placing.How, d.Transform, clip = geometry.Hidden, mgl32.Mat4{15: 1}, mgl32.Mat4{}
		}
		p.scene.PlaceShaded(i, clip)
	}
}

// hiddenAs says why a draw is counted but not shown; "" if it is shown.
func (p *placer) hiddenAs(frame *replay.Frame, i int, through bool) string {
	switch {
	case p.pass != "" && p.states[i].Pass != frame.Main():
		return "of other passes"
	case p.states[i].unknown:
		return "with unknown places"
	case frame.OtherCamera(i):
		return "shadows and reflections"
	case !frame.Shown(i):
		return "flat on the screen"
	case through:
		return "sky, glass and smoke"
	}
	return ""
}

// seenThrough finds draws that write no depth although most of their pass does: sky, glass,
// smoke. Drawn solid, they would cover what the game shows.
func (p *placer) seenThrough(draws []replay.Draw) []bool {
	through := make([]bool, len(draws))
	balance := map[int]int{} // by pass: triangles that write depth minus those that do not
	for i := range draws {
		through[i] = !p.states[i].DepthWrites
		if through[i] {
			balance[draws[i].Pass] -= draws[i].Triangles
		} else {
			balance[draws[i].Pass] += draws[i].Triangles
		}
	}
	for i := range through {
		through[i] = through[i] && balance[draws[i].Pass] > 0
	}
	return through
}

// takeOutputs replaces a draw's vertices with the outputs of its vertex shader. The attributes
// that the shader reads are copied along.
func (p *placer) takeOutputs(frame *replay.Frame, i int) {
	d := &p.scene.Draws[i]
	bytes := 2 * (12 + 12) // positions and normals, in growing slices
	for _, a := range p.scene.Attributes {
		if !a.PerDraw {
			bytes += 2 * a.Format.Size()
		}
	}
	must.OK(p.memory(int64(d.VertexCount) * int64(bytes)))
	clip := must.Get(p.outputs(i))
	if len(p.scene.Positions)+len(clip) > math.MaxInt32 {
		must.OK(fmt.Errorf("more than %d vertices", math.MaxInt32))
	}
	for k := range p.scene.Attributes {
		if a := &p.scene.Attributes[k]; !a.PerDraw {
			size := a.Format.Size()
			a.Data = append(a.Data, a.Data[int(d.VertexOffset)*size:][:int(d.VertexCount)*size]...)
		}
	}
	d.Transform = mgl32.Ident4()
	d.VertexOffset = uint32(len(p.scene.Positions))
	for _, c := range clip {
		p.scene.Positions = append(p.scene.Positions, frame.Point(i, c, p.states[i].Window))
	}
	p.scene.Normals = nil // Open makes new ones
}

// drawNotes returns one line per reason: it begins with `concern`, then come the number of draws and the reason.
// `counts` has the numbers of draws, by reason.
func drawNotes(concern string, counts map[string]int) (lines []string) {
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		lines = append(lines, fmt.Sprintf("%s%d x draw: %s", concern, counts[what], what))
	}
	return lines
}

// placeShaded runs the vertex shaders of a frame and puts its draws where their outputs are. If
// no shader can be run, or running them takes too long for the file's size, the draws stay in
// model space. Such a frame can still be counted.
func placeShaded(ctx context.Context, in *format.Input, f *renderdoc.Frame) error {
	s := f.Scene
	if s.Shading == nil {
		return nil
	}
	draws := slices.Clone(s.Draws)
	err := runShaders(ctx, in, f)
	if slow, is := errors.AsType[*tooSlow](err); is {
		if in.Pass != "" {
			return in.Bad("", "no pass %q: to run the shaders of all draws %v", in.Pass, slow.cause)
		}
		s.Draws, s.Shading, s.Attributes, s.Capture = draws, nil, nil, &geometry.Capture{}
		s.Skipped = append(s.Skipped, geometry.FromPicture+"where all draws stand: to run their shaders "+slow.cause.Error())
		return nil
	}
	return err
}

// tooSlow is the error that ends running shaders when the budget is spent.
type tooSlow struct{ cause *budget.Exceeded }

func (e *tooSlow) Error() string { return e.cause.Error() }

// runShaders does the work of placeShaded. Its error is a tooSlow if the budget is spent.
func runShaders(ctx context.Context, in *format.Input, f *renderdoc.Frame) (err error) {
	defer must.Catch(&err)
	s := f.Scene
	r := &shaderRunner{ctx: ctx, in: in, scene: s, programs: make([]*interpret.Runner, len(s.Shading.Programs)), lost: map[string]int{}, steps: make([]atomic.Int64, len(s.Draws))}
	r.budget.Begin(ctx)
	r.budget.Known(in.Budget().Size())
	p := &placer{
		scene: s, states: make([]drawState, len(s.Draws)), aspects: f.Aspects, pass: in.Pass, refuse: in.Bad, outputs: r.outputs,
		work: r.work, memory: in.Budget().Memory,
		steps: func(i int) float32 { return float32(r.steps[i].Load()) / float32(max(1, s.Draws[i].VertexCount)) },
	}
	must.OK(p.memory(int64(len(s.Draws)) * 512)) // bytes for each draw's state, fit and placing
	r.compile()
	for i := range p.states {
		p.states[i] = drawState{f.Targets[i], s.Shading.Draws[i].Program < 0}
		s.Shading.Draws[i].Target = geometry.Narrow(p.states[i].Window.Matrix())
		s.Shading.Draws[i].Clip = s.Shading.Draws[i].Target // used if the draws are not placed
	}
	placed := must.Get(p.place(ctx))
	s.Skipped = append(s.Skipped, drawNotes(geometry.FromShaders, r.lost)...)
	if placed {
		s.Skipped = append(s.Skipped, drawNotes(geometry.FromPicture, p.hidden)...)
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
	lost     map[string]int // number of draws whose shader cannot be run, by reason
	steps    []atomic.Int64 // by draw: instructions executed for all its vertices
	budget   budget.Budget  // budget of work, as large as that of reading the file
	scratch  [][4]float32   // outputs of the draw for which `run` was called last
}

// work charges steps of running shaders; its error is a tooSlow if the budget is spent.
func (r *shaderRunner) work(steps int64) error {
	err := r.budget.Work(steps)
	if exceeded, is := errors.AsType[*budget.Exceeded](err); is {
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

// outputs runs the draw's shader. A draw whose outputs are unusable loses its shader; the error is errNoOutputs.
func (r *shaderRunner) outputs(draw int) ([][4]float32, error) {
	progress.Tell(r.ctx, float64(draw)/float64(len(r.scene.Draws)))
	positions, err := r.run(draw)
	if _, slow := errors.AsType[*tooSlow](err); slow || r.ctx.Err() != nil {
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
