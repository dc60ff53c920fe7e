//go:build cgo

package gpu

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// pools are the scene's buffers that plans share. Not every scene has all of them. In direct
// passes the hardware fetches from them.
var pools = [...]struct {
	block plan.Block
	usage Usage
}{
	{plan.Positions, UsageVertex}, {plan.Normals, UsageVertex}, {plan.Indices, UsageIndex},
	{plan.TriangleEdges, 0}, {plan.EdgeCorners, 0}, {plan.TexCoords, 0}, {plan.Materials, 0}, {plan.Texels, 0},
}

// sceneBuffers are a scene's pools on the device. Plans share them, and they outlive plans.
type sceneBuffers struct {
	scene *geometry.Scene
	pools [len(pools)]*Buffer
}

// uploadScene copies the pools to the device, except those that the caller provides.
func (b *Backend) uploadScene(p *plan.Plan, given map[plan.Block]*Buffer) (s *sceneBuffers, err error) {
	s = &sceneBuffers{scene: p.Frame.Scene}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	defer must.Catch(&err)
	for i, pool := range pools {
		want := p.Buffer(pool.block)
		if want == nil || want.Filled != plan.ByScene || given[pool.block] != nil {
			continue
		}
		s.pools[i] = must.Get(b.device.NewBuffer(string(pool.block), want.Bytes, UsageStorage|pool.usage))
		must.OK(b.device.UploadBytes(s.pools[i], 0, hostData(&p.Frame, pool.block, s.scene, nil, nil, nil)))
	}
	return s, nil
}

func (s *sceneBuffers) bytes() (n int64) {
	for _, b := range s.pools {
		if b != nil {
			n += b.Size
		}
	}
	return n
}

func (s *sceneBuffers) close() {
	if s == nil {
		return
	}
	for _, b := range s.pools {
		b.Close()
	}
}

// recording is a plan in command buffers (parts), with the buffers that it owns.
type recording struct {
	backend  *Backend
	plan     *plan.Plan
	scene    *sceneBuffers
	given    map[plan.Block]*Buffer // a caller's buffers that replace the plan's own; Recorder only
	buffers  []*Buffer              // all buffers of the plan, by plan.BufferID
	own      []*Buffer              // the buffers that it made: neither the scene's pools nor given
	states   *Buffer                // the host's copy of QueueStates, or QueueStates itself if the host reaches it; nil if the plan has none
	lean     leanFrame
	target   *Target // of the graphics pipeline; nil if the picture is in buffers
	discards bool    // whether nothing is drawn to the target, which exists only since render passes need one
	sets     map[setKey]*Set
	parts    []part

	commands  *Commands // of the part that is being recorded
	windows   windowing
	following []following
	finished  int // number of parts finished in this run of a plan with windows

	statistics *Statistics // of direct passes, if the device supports them
}

// setKey identifies a set: passes share one if they have the same pipeline and use the same
// buffers in the same way.
type setKey struct {
	pipeline *Pipeline
	uses     string
}

func (r *recording) bytes() (n int64) {
	for _, b := range r.own {
		n += b.Size
	}
	if r.target != nil {
		n += 2 * pixelBytes * int64(r.target.Color.Width) * int64(r.target.Color.Height)
	}
	return n
}

func (r *recording) close() {
	for _, p := range slices.Concat(r.parts, r.lean.parts[:]) {
		p.commands.Close()
	}
	r.windows.close()
	r.statistics.Close()
	for _, s := range r.sets {
		s.Close()
	}
	for _, b := range r.own {
		b.Close()
	}
	for _, x := range r.following {
		if x.host != x.device {
			x.host.Close()
		}
	}
	if r.copiesStates() {
		r.states.Close()
	}
	r.target.Close()
}

func (r *recording) build() (err error) {
	defer must.Catch(&err)
	must.OK(r.makeBuffers())
	d := r.backend.device
	f := &r.plan.Frame
	if slices.ContainsFunc(r.plan.Passes, drawsToTarget) {
		r.target = must.Get(d.NewTarget("picture", f.Width, f.Height))
	} else if slices.ContainsFunc(r.plan.Passes, func(pass plan.Pass) bool { _, ok := pass.Op.(*plan.Mesh); return ok }) {
		r.target, r.discards = must.Get(d.NewTarget("nothing", 1, 1)), true
	}
	r.recordParts()
	return nil
}

// drawsToTarget reports whether a pass draws with the graphics pipeline.
func drawsToTarget(pass plan.Pass) bool {
	switch op := pass.Op.(type) {
	case *plan.Mesh:
		return len(op.Shaders) > 1
	case *plan.Draw, *plan.Direct:
		return true
	}
	return false
}

// buffer returns the first copy of a block's buffer; nil if the plan has none.
func (r *recording) buffer(b plan.Block) *Buffer { return r.copyOf(b, 0) }

// copyOf returns copy number `copied` of a block's buffer; nil if the plan has no such copy.
func (r *recording) copyOf(b plan.Block, copied int) *Buffer {
	if id := r.plan.Find(b, copied); id != plan.NoBuffer {
		return r.buffers[id]
	}
	return nil
}

// bound returns the buffer that a pass binds to a block.
func (r *recording) bound(pass *plan.Pass, b plan.Block) *Buffer { return r.buffers[pass.Buffer(b)] }

// makeBuffers makes the plan's buffers other than the scene's pools, and uploads the contents of
// those that the host fills.
func (r *recording) makeBuffers() (err error) {
	defer must.Catch(&err)
	d := r.backend.device
	for i := range r.plan.Buffers {
		want := &r.plan.Buffers[i]
		if b := r.given[want.Block]; b != nil {
			if b.Size < want.Bytes {
				return fmt.Errorf("gpu: buffer %s for %s has %d bytes, the plan needs %d", b.Name, want.Block, b.Size, want.Bytes)
			}
			r.buffers = append(r.buffers, b)
			continue
		}
		if want.Filled == plan.ByScene {
			for i, pool := range pools {
				if pool.block == want.Block {
					r.buffers = append(r.buffers, r.scene.pools[i])
				}
			}
			continue
		}
		usage := map[plan.Usage]Usage{plan.Storage: UsageStorage, plan.Uniform: UsageUniform, plan.Commands: UsageStorage | UsageIndirect, plan.Indexes: UsageStorage | UsageIndex}[want.Usage]
		create := d.NewBuffer
		small := want.Block == plan.Clips || slices.Contains(plan.HostCleared, want.Block) // the host of a lean plan writes such blocks directly
		if want.Block == plan.Cameras || r.plan.Lean && want.Filled == plan.ByCamera && small {
			create = d.NewSharedBuffer
		}
		b := must.Get(create(want.Name, want.Bytes, usage))
		r.own, r.buffers = append(r.own, b), append(r.buffers, b)
	}
	r.makeFollowing()
	r.uploadTables()
	states := r.buffer(plan.QueueStates)
	if states == nil { // a plan without compute geometry
		return nil
	}
	if r.lean.dirty = r.plan.Lean; states.mapped != nil {
		r.states = states
		return nil
	}
	r.states, err = d.NewHostBuffer("queue states of the host", int64(r.plan.Halves)*states.Size, HostReads)
	return err
}

// uploadTables uploads the data that the host fills once per plan; windows are filled one by one.
func (r *recording) uploadTables() {
	p := r.plan
	if p.Windowed() {
		r.windows.make(r)
	}
	for i := range p.Buffers {
		b := &p.Buffers[i]
		if (b.Filled == plan.ByPlan || b.Followed < b.Bytes && b.Filled == plan.ByCamera) && r.given[b.Block] == nil && !p.ByWindow(b.Block) {
			must.OK(r.backend.device.UploadBytes(r.buffers[i], 0, planData(b.Block, p)))
		}
	}
}

// planData returns the data that the host uploads to a block's buffer once per plan.
func planData(b plan.Block, p *plan.Plan) []byte {
	switch b {
	case plan.Meshlets:
		return asBytes(p.Meshlets.Table)
	case plan.MeshletWords:
		return asBytes(p.Meshlets.Words)
	}
	if data := p.ShadeData(b); data != nil {
		return data
	}
	return hostData(&p.Frame, b, p.Frame.Scene, p.Frame.Marks, asBytes(p.Batches), p.Frame.Shown)
}

// hostData returns the data that the host uploads to a block's buffer for a frame's scene or for
// a window; nil if passes fill the buffer.
func hostData(f *renderer.Frame, b plan.Block, s *geometry.Scene, marks []renderer.Mark, batches []byte, counts []uint32) []byte {
	switch b {
	case plan.TriangleEdges:
		_, edges, _ := plan.Surface(s).Tables()
		return asBytes(edges)
	case plan.EdgeCorners:
		_, _, corners := plan.Surface(s).Tables()
		return asBytes(corners)
	case plan.Positions:
		return asBytes(s.Positions)
	case plan.Normals:
		return asBytes(s.Normals)
	case plan.Indices:
		return asBytes(s.Indices)
	case plan.TexCoords:
		return plan.TexCoordData(s)
	case plan.Materials:
		return asBytes(plan.MaterialData(s))
	case plan.Texels:
		return asBytes(s.Textures.Texels)
	case plan.Draws:
		return asBytes(plan.DrawData(f, s, marks))
	case plan.Batches:
		return batches
	case plan.Counts:
		return asBytes(counts)
	case plan.Skin:
		return asBytes(plan.SkinData(s))
	case plan.Bones:
		return asBytes(plan.BoneData(s))
	}
	return nil
}

// state returns the state of a half of the queues after a chunk. The caller must invalidate r.states
// (Buffer.Invalidate) before.
func (r *recording) state(half, chunk int) (s shaders.QueueState) {
	at := half*int(r.buffer(plan.QueueStates).Size) + chunk*shaders.QueueStateSize
	copy(asBytes(unsafe.Slice(&s, 1)), r.states.mapped[at:])
	return s
}

// loopsEnded returns an error if a vertex shader's loops were stopped at their limit.
func (r *recording) loopsEnded() error {
	b := r.buffer(plan.LoopEnds)
	if b == nil {
		return nil
	}
	ended := must.Get(Download[uint32](r.backend.device, b, 1))
	if ended[0] > 0 {
		must.OK(r.backend.device.UploadBytes(b, 0, make([]byte, 4)))
	}
	return r.plan.LoopsEnded(ended[0])
}

// overflow returns an error with the largest need of all chunks that overflowed; nil if none did.
func (r *recording) overflow() error {
	if r.states == nil {
		return nil
	}
	if err := r.states.Invalidate(); err != nil {
		return err
	}
	vertices, triangles := 0, 0
	for i := range r.plan.Chunks {
		if r.plan.Lean && r.states.mapped[unsafe.Offsetof(shaders.QueueState{}.OverflowBits)] == 0 {
			continue // read no more: each read of the device's memory takes the host a microsecond
		}
		if s := r.state(r.plan.Half(i), i); s.OverflowBits != 0 {
			vertices = max(vertices, r.plan.SpillFirst(i)+int(s.VertexCount))
			triangles = max(triangles, int(s.TriangleCount))
		}
	}
	return r.plan.Overflow(vertices, triangles)
}
