package gpu

import (
	"strings"
	"unsafe"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
	"github.com/shadeonce/shadeonce/shaders"
)

// sceneBuffers are a scene's pools on the device; they outlive plans.
type sceneBuffers struct {
	scene *geometry.Scene
	pools [3]*Buffer // positions, normals, indices
}

// uploadScene copies the pools to the device.
func (b *Backend) uploadScene(p *plan.Plan) (*sceneBuffers, error) {
	s := &sceneBuffers{scene: p.Frame.Scene}
	var err error
	for i, name := range []string{"Positions", "Normals", "Indices"} {
		usage := UsageStorage | UsageVertex // direct passes have the hardware fetch them
		if name == "Indices" {
			usage = UsageStorage | UsageIndex
		}
		if s.pools[i], err = b.device.NewBuffer(name, p.Buffer(name).Bytes, usage); err != nil {
			break
		}
	}
	for i, data := range [][]byte{asBytes(s.scene.Positions), asBytes(s.scene.Normals), asBytes(s.scene.Indices)} {
		if err == nil {
			err = b.device.UploadBytes(s.pools[i], 0, data)
		}
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *sceneBuffers) bytes() (n int64) {
	for _, b := range s.pools {
		n += b.Size
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

// recording is a plan in a command buffer, with the buffers that are its own.
type recording struct {
	backend *Backend
	plan    *plan.Plan
	buffers Resources // all of the plan's, by name
	own     []*Buffer
	camera  *Buffer // host side of Cameras
	clips   *Buffer // host side of Clips, of a raw frame; else nil
	states  *Buffer // host side of QueueStates; nil where the plan has none
	target  *Target // of the graphics pipeline; nil where the picture is in buffers
	sets    map[setKey]*Set
	parts   []part

	commands *Commands // of the part that is being recorded
	windows  windowing

	statistics *Statistics // of direct passes, where the device has them
}

// setKey tells sets apart: passes of one pipeline bind the same buffers, but for
// what each puts in their place.
type setKey struct {
	pipeline *Pipeline
	bind     string
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
	if r == nil {
		return
	}
	for _, p := range r.parts {
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
	r.camera.Close()
	r.clips.Close()
	r.states.Close()
	r.target.Close()
}

func (r *recording) build() error {
	if err := r.makeBuffers(); err != nil {
		return err
	}
	d := r.backend.device
	f := &r.plan.Frame
	var err error
	if !f.NoRaster && !r.computed() {
		if r.target, err = d.NewTarget("picture", f.Width, f.Height); err != nil {
			return err
		}
	}
	return r.recordParts()
}

func (r *recording) buffer(name string) *Buffer { return r.buffers[name].(*Buffer) }

// makeBuffers makes the plan's buffers that are not the scene's pools, and
// uploads those that the host fills.
func (r *recording) makeBuffers() error {
	d := r.backend.device
	if !r.plan.Gathered {
		for _, pool := range r.backend.scene.pools {
			r.buffers[pool.Name] = pool
		}
	}
	for _, want := range r.plan.Buffers {
		if _, pooled := r.buffers[want.Name]; pooled {
			continue
		}
		usage := UsageStorage
		switch strings.TrimSuffix(want.Name, plan.SecondHalf) {
		case "QueueStates", "RasterLists":
			usage |= UsageIndirect
		case "Draws":
			if r.plan.Frame.Raw {
				usage |= UsageIndirect
			}
		case "Cameras":
			usage = UsageUniform
		}
		b, err := d.NewBuffer(want.Name, want.Bytes, usage)
		if err != nil {
			return err
		}
		r.own = append(r.own, b)
		r.buffers[want.Name] = b
	}
	if f := &r.plan.Frame; f.VertexShader == renderer.Skin {
		if err := Upload(d, r.buffer("Skin"), plan.SkinData(f.Scene)); err != nil {
			return err
		}
		if err := Upload(d, r.buffer("Bones"), plan.BoneData(f.Scene)); err != nil {
			return err
		}
	}
	var err error
	if r.camera, err = d.NewHostBuffer("camera of the host", r.buffer("Cameras").Size, HostWrites); err != nil {
		return err
	}
	if err := r.uploadTables(); err != nil {
		return err
	}
	if r.plan.Frame.Raw {
		return r.makeClips()
	}
	if r.plan.Buffer("QueueStates") == nil { // a plan without compute geometry
		return nil
	}
	r.states, err = d.NewHostBuffer("queue states of the host", int64(r.plan.Halves)*r.buffer("QueueStates").Size, HostReads)
	return err
}

// uploadTables fills what the host fills once a plan; windows are filled as they come.
func (r *recording) uploadTables() error {
	d, p := r.backend.device, r.plan
	if p.Windowed() {
		return r.windows.make(r)
	}
	if err := Upload(d, r.buffer("Draws"), plan.DrawData(p.Frame.Scene)); err != nil {
		return err
	}
	if p.Frame.Shown != nil {
		if err := Upload(d, r.buffer("Counts"), p.Frame.Shown); err != nil {
			return err
		}
	}
	if p.Buffer("QueueStates") == nil {
		return nil
	}
	return Upload(d, r.buffer("Batches"), p.Batches)
}

// setCamera writes what the next submission copies to the device.
func (r *recording) setCamera(c renderer.Camera) error {
	f := &r.plan.Frame
	width, height := max(f.Width, 1), max(f.Height, 1)
	data := plan.CameraData(c, width, height)
	copy(r.camera.Bytes(), asBytes([]shaders.Camera{data}))
	if err := r.setClips(data); err != nil {
		return err
	}
	return r.camera.Flush()
}

// state is what a chunk left in the queues, once r.states is invalidated.
func (r *recording) state(chunk int) (s shaders.QueueState) {
	half := r.plan.Half(chunk) * int(r.buffer("QueueStates").Size)
	copy(asBytes(unsafe.Slice(&s, 1)), r.states.Bytes()[half+chunk*shaders.QueueStateSize:])
	return s
}

// overflow reports the largest need of any chunk that did not fit.
func (r *recording) overflow() error {
	if r.states == nil {
		return nil
	}
	if err := r.states.Invalidate(); err != nil {
		return err
	}
	vertices, triangles := 0, 0
	for i := range r.plan.Chunks {
		if s := r.state(i); s.OverflowBits != 0 {
			vertices = max(vertices, r.plan.SpillFirst(i)+int(s.VertexCount))
			triangles = max(triangles, int(s.TriangleCount))
		}
	}
	switch {
	case triangles > r.plan.TriangleCapacity:
		return &renderer.OverflowError{Stage: renderer.TriangleQueue, Need: triangles, Have: r.plan.TriangleCapacity}
	case vertices > r.plan.VertexCapacity:
		return &renderer.OverflowError{Stage: renderer.VertexQueue, Need: vertices, Have: r.plan.VertexCapacity}
	}
	return nil
}
