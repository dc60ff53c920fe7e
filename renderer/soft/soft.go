// Package soft executes plans in Go on the CPU: it is the oracle for the GPU's
// pictures, and the backend where there is no Vulkan. It walks the same passes
// over the same bounded queues; its geometry stage is the strategies' CPU
// references, and files mirror the shaders that their comments name.
//
// Geometry. Vertices are shaded in float32 in the order that
// shaders/include/shade.glsl spells out, each product and sum rounded by itself.
// Vertices lie in the queue in the order of the stream, whatever the number of
// threads, so that two runs leave equal bits.
//
// Rasterization, the rules:
//   - A triangle with a corner that is not finite is dropped.
//   - Clipping is against z >= 0, z <= w and a w above zero. The sides of the
//     view are not clipped against, but triangles that leave the guard band of
//     2^15 pixels around the picture's centre are cut there. A cut edge is
//     computed from its inner end, so that two triangles that share it get the
//     same new vertex.
//   - Viewport: x = ndc.x*W/2 + W/2, y likewise downwards, z as it is, with one
//     reciprocal of w, by Newton's method in float32. Half a pixel is taken off, so that pixel centres
//     are whole numbers, and the place is snapped to 1/256 pixel, ties to even:
//     as Mesa's llvmpipe does it.
//   - Coverage: exact 64-bit edge functions, top-left rule, both faces drawn,
//     zero area dropped.
//   - Depth: z/w at the snapped corners in fixed point, linear in screen space in
//     integers (depth.go); cleared to 1, passes when LESS. Integers are the same
//     on every device, so shaders/raster shows the same triangles.
//   - Light is interpolated perspective-correctly; colour and batch are those of corner
//     0 (the provoking vertex), of clipped triangles too.
//   - The counts view colours a pixel by its nearest vertex: the corner with the largest
//     perspective-correct weight, the first among equals.
//   - Triangles are drawn in the order of the queue.
//
// Culling, where a frame asks for it, applies the same rules before shading
// (cull.go): what it drops would have covered no pixel's centre, or is a back face.
//
// Plans are internal: programs that import the module have this backend as shadeonce.CPU.
//
// The package knows nothing of Vulkan, files or windows.
package soft

import (
	"errors"
	"fmt"
	"image"
	"math"
	"runtime"
	"slices"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/clock"
	"github.com/shadeonce/shadeonce/internal/base/cores"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// Backend is a plan.Backend on the CPU. One Exec runs at a time.
type Backend struct {
	threads int
	last    *frame // buffers of the last plan

	options plan.Options
}

// New returns a backend that uses all cores.
func New() *Backend { return &Backend{threads: cores.Count()} }

// Info describes Go and the number of threads, since there is no device.
func (b *Backend) Info() plan.Info {
	device := fmt.Sprintf("Go on %s, %d threads", runtime.GOARCH, b.threads)
	if b.threads == 1 {
		device = fmt.Sprintf("Go on %s, 1 thread", runtime.GOARCH)
	}
	return plan.Info{Name: "cpu", Device: device, Driver: runtime.Version()}
}

// Set sets the options; only Progress matters here.
func (b *Backend) Set(o plan.Options) { b.options = o }

// Limits lists no native lanes, since lanes are elements of slices here.
func (b *Backend) Limits() renderer.Limits {
	return renderer.Limits{
		MaxBufferBytes: 1 << 40,
		MaxImageSide:   renderer.MaxImageSide,
		MaxGroups:      math.MaxInt32,
		MaxWorkgroup:   1024,
		SharedBytes:    1 << 20,
	}
}

// Close frees the buffers.
func (b *Backend) Close() { b.last = nil }

// frame is the state of executing a plan: its buffers and the picture.
type frame struct {
	plan   *plan.Plan
	scene  *geometry.Scene // the plan's scene, or the current window of it
	window plan.WindowData
	total  []uint32 // of a plan in windows: the counts of the whole scene
	draws  []draw
	camera plan.ShaderCamera
	counts []uint32 // times shaded, one per (draw, vertex) pair
	states []state  // one per chunk
	queues renderer.Queues
	ranges []batchRange
	// scratch holds the vertices that a whole-draw strategy has shaded, until the expanded form copies them to corners.
	scratch renderer.Queues
	raster  raster
	culling culling
	skin    skin
	shaded  *shaded
	stats   reuse.Stats // Iterations and LaneSlots of the passes that count

	textures  *textures     // nil if the frame needs none
	batches   []reuse.Batch // of the plan, or of the current window
	instances *instances    // of the whole scene; empty if the plan has windows
}

// state is the part of the shaders' QueueState that the CPU needs.
type state struct {
	vertexCount     uint64 // allocated vertices; beyond the capacity this is the need
	triangleCount   uint64 // the need if triangles did not fit
	overflow        bool
	drawVertexCount int // set by queue:finish
}

func newFrame(p *plan.Plan, shaded *shaded) *frame {
	f := &frame{plan: p, shaded: shaded, states: make([]state, len(p.Chunks)), instances: &instances{}}
	f.begin()
	if p.Frame.VertexShader == renderer.Skin {
		f.skin = newSkin(p.Frame.Scene)
	}
	f.queues.Positions = make([][4]float32, p.VertexCapacity)
	f.queues.Attributes = make([][2]uint32, p.VertexCapacity)
	if p.Fills(plan.VertexMarks) {
		f.culling.marks = make([]uint32, p.VertexCapacity)
	}
	switch {
	case p.Frame.Reuse.Strategy == nil: // a direct plan, whose pass will be refused
	case p.Cornered():
		f.queues.Corners = make([]uint32, 3*p.TriangleCapacity)
	case p.Frame.Queue == renderer.Indexed:
		f.queues.Triangles = make([][2]uint32, p.TriangleCapacity)
	case p.Fills(plan.ScratchPositions):
		f.scratch.Positions = make([][4]float32, p.Frame.Scene.DrawVertices())
		f.scratch.Attributes = make([][2]uint32, p.Frame.Scene.DrawVertices())
	}
	return f
}

// countTotal returns how many counts a plan keeps, or takes from Frame.Shown.
func countTotal(p *plan.Plan) int {
	switch {
	case p.Frame.Shown != nil:
		return len(p.Frame.Shown)
	case p.Frame.NoCounts:
		return 0
	}
	return p.Frame.Scene.DrawVertices()
}

// checkMemory returns an error if the system's memory cannot hold the plan's buffers.
func checkMemory(p *plan.Plan) error {
	const vertexBytes, triangleBytes, countBytes = 24, 12, 8 // counts twice, since they are read back
	need := vertexBytes*int64(p.VertexCapacity) + triangleBytes*int64(p.TriangleCapacity) + countBytes*int64(countTotal(p))
	need += shadedBytes(p)
	if p.Batchless() == "" {
		return renderer.CheckHost(need, "the queues, and the counts of all draws' vertices,")
	}
	if p.Frame.Queue == renderer.Expanded {
		need += vertexBytes * int64(p.Frame.Scene.DrawVertices())
	}
	if err := renderer.CheckHost(need, "the vertices of all draws"); err != nil {
		return fmt.Errorf("%w; strategy %s keeps the vertices of all draws in memory, other strategies do not", err, p.Frame.Reuse.Strategy.Name)
	}
	return nil
}

// Exec runs the plan for a camera and returns what `want` asks for. The output belongs to the caller: the
// next Exec does not write to it. Color and Depth stay nil if the plan draws nothing. If queues
// were too small, the error is a *renderer.OverflowError with the need of the worst chunk.
func (b *Backend) Exec(p *plan.Plan, c renderer.Camera, want renderer.Want) (out *renderer.Output, err error) {
	if p == nil || p.Frame.Scene == nil {
		return nil, errors.New("soft: no plan")
	}
	err = p.Frame.Scene.Guard(func() (err error) {
		out, err = b.exec(p, c, want)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (b *Backend) exec(p *plan.Plan, c renderer.Camera, want renderer.Want) (_ *renderer.Output, err error) {
	defer must.Catch(&err)
	must.OK(p.CheckExec(c, want))
	if p.Backend() == "gpu" {
		return nil, fmt.Errorf("soft: the %s rasterizer runs on the gpu backend; soft draws the same triangles", p.Frame.Raster)
	}
	if b.last == nil || b.last.plan != p {
		b.last = nil // free the old buffers before the new ones are allocated
		must.OK(checkMemory(p))
		shaded := must.Get(newShaded(p))
		b.last = newFrame(p, shaded)
	}
	f := b.last
	f.camera = plan.CameraData(c, p.Frame.Width, p.Frame.Height)
	f.stats = reuse.Stats{}
	clear(f.total)
	copy(f.total, p.Frame.Shown)
	copy(f.counts, p.Frame.Shown) // with windows, Upload fills them

	out := &renderer.Output{}
	if f.shaded != nil {
		took := clock.Start()
		must.OK(f.shaded.shade(p, c, f.draws))
		out.AddTime("vertex shaders", took())
		out.Elapsed += took()
	}
	for i := range p.Passes {
		took := clock.Start()
		must.OK(f.run(&p.Passes[i], b.threads))
		out.AddTime(p.Passes[i].Name, took())
		out.Elapsed += took()
		must.OK(b.options.Tell(i+1, len(p.Passes)))
	}
	must.OK(f.overflow())
	return out, f.readBack(out, want)
}

func (f *frame) run(pass *plan.Pass, threads int) error {
	switch op := pass.Op.(type) {
	case *plan.Clear:
		return f.clear(pass)
	case *plan.Dispatch:
		return f.dispatch(pass, op, threads)
	case *plan.Draw:
		f.rasterize(op, threads)
	case *plan.Upload:
		f.upload(op)
	case *plan.Fetch:
		f.window.AddCounts(f.total, f.counts)
	case *plan.Direct:
		return fmt.Errorf("soft: pass %s: the cpu backend has no graphics pipeline", pass.Name)
	default:
		return fmt.Errorf("soft: pass %s is of unknown kind %T", pass.Name, op)
	}
	return nil
}

// dispatch executes a pass of a compute shader.
func (f *frame) dispatch(pass *plan.Pass, op *plan.Dispatch, threads int) error {
	strategy := f.plan.Frame.Reuse.Strategy
	switch shader := plan.Plain(op.Shaders[0]); {
	case shader == "camera/clips":
		f.joinCamera()
	case shader == "queue/finish":
		f.finish(int(op.Push.Chunk), int(op.Push.TriangleCount))
	case shader == "cull/triangles":
		f.cullTriangles(op, threads)
	case shader == "cull/shade":
		f.cullShade(op, threads)
	case f.plan.Fills(plan.ScratchPositions):
		return f.wholeDraws(pass, op, threads)
	case shader == "geometry/"+strategy.Name:
		f.geometry(op, threads)
	default:
		return fmt.Errorf("soft: pass %s: no shader %s here", pass.Name, shader)
	}
	return nil
}

// clear fills buffers with zeros. One set of queues serves as both halves, since passes run one
// by one.
func (f *frame) clear(pass *plan.Pass) error {
	for _, u := range pass.Uses {
		switch u.Block {
		case plan.Counts:
			clear(f.counts)
		case plan.QueueStates:
			clear(f.states)
		case plan.VertexMarks:
			clear(f.culling.marks)
		case plan.CullCounts:
			clear(f.culling.counts[:])
		default:
			return fmt.Errorf("soft: buffer %s cannot be cleared", u.Block)
		}
	}
	return nil
}

// finish mirrors shaders/queue/finish.comp: a chunk that overflowed draws nothing.
func (f *frame) finish(chunk, triangles int) {
	s := &f.states[chunk]
	s.drawVertexCount = 0
	if !s.overflow {
		s.drawVertexCount = 3 * triangles
	}
}

func (f *frame) rasterize(op *plan.Draw, threads int) {
	r := &f.raster
	if op.First {
		r.begin(f.plan.Frame.Width, f.plan.Frame.Height, f.plan.Frame.Look.BackgroundColor())
	}
	from, end := 0, f.states[op.Push.Chunk].drawVertexCount/3
	if op.Range[1] > 0 {
		from, end = op.Range[0], op.Range[0]+op.Range[1]
	}
	r.draw(source{
		queues: &f.queues, form: renderer.QueueForm(op.Spec["QUEUE"]), look: newLook(op.Spec),
		counts: f.counts, from: from, triangleCount: end,
		firstTriangle: op.Push.FirstTriangle, textures: f.textures,
	}, threads)
}

// overflow returns an error with the largest needs of the chunks that overflowed; nil if none did.
func (f *frame) overflow() error {
	var vertices, triangles uint64
	for i := range f.states {
		if s := &f.states[i]; s.overflow {
			vertices, triangles = max(vertices, s.vertexCount), max(triangles, s.triangleCount)
		}
	}
	return f.plan.Overflow(int(vertices), int(triangles))
}

func (f *frame) readBack(out *renderer.Output, want renderer.Want) (err error) {
	drawn := f.raster.color != nil
	if want&renderer.WantColor != 0 && drawn {
		out.Color = image.NewRGBA(image.Rect(0, 0, f.plan.Frame.Width, f.plan.Frame.Height))
		copy(out.Color.Pix, f.raster.color)
		out.Seen = picture.TakeSeen(out.Color)
	}
	if want&renderer.WantDepth != 0 && drawn {
		out.Depth = f.raster.depths()
	}
	if want&renderer.WantVisible != 0 && drawn {
		out.Visible = slices.Clone(f.raster.visible)
	}
	if want&renderer.WantCounts != 0 {
		out.Counts = slices.Clone(f.counts)
		if f.total != nil {
			out.Counts = slices.Clone(f.total)
		}
		if out.Stats, err = reuse.NewStats(f.plan.Frame.Scene, out.Counts); err != nil {
			return err
		}
		out.Stats.Batches = f.plan.BatchCount
		if f.plan.Fills(plan.CullCounts) {
			out.Culling = renderer.NewCulling(f.culling.counts[:])
			out.Stats = out.Stats.Culled(out.Culling.Survived)
		}
		out.Stats.Iterations, out.Stats.LaneSlots = f.stats.Iterations, f.stats.LaneSlots
	}
	if want&renderer.WantQueues != 0 {
		last := len(f.plan.Chunks) - 1
		vertices, triangles := int(f.states[last].vertexCount), f.plan.Chunks[last].TriangleCount
		out.Queues = &renderer.Queues{
			Positions:  append([][4]float32(nil), f.queues.Positions[:vertices]...),
			Attributes: append([][2]uint32(nil), f.queues.Attributes[:vertices]...),
		}
		switch {
		case f.queues.Triangles != nil:
			out.Queues.Triangles = append([][2]uint32(nil), f.queues.Triangles[:triangles]...)
		case f.queues.Corners != nil:
			out.Queues.Corners = append([]uint32(nil), f.queues.Corners[:3*triangles]...)
		}
	}
	return nil
}
