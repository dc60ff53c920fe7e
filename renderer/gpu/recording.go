package gpu

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders"
)

// sceneBuffers are a scene's pools on the device; they outlive plans.
type sceneBuffers struct {
	scene *geometry.Scene
	pools [3]*Buffer // positions, normals, indices
}

// uploadScene copies the pools to the device.
func (b *Backend) uploadScene(p *renderer.Plan) (*sceneBuffers, error) {
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
	if err == nil {
		err = errors.Join(
			Upload(b.device, s.pools[0], s.scene.Positions),
			Upload(b.device, s.pools[1], s.scene.Normals),
			Upload(b.device, s.pools[2], s.scene.Indices),
		)
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
	backend  *Backend
	plan     *renderer.Plan
	buffers  Resources // all of the plan's, by name
	own      []*Buffer
	camera   *Buffer            // host side of Cameras
	clips    *Buffer            // host side of Clips, of a raw frame; else nil
	states   *Buffer            // host side of QueueStates; nil where the plan has none
	target   *Target            // of the graphics pipeline; nil where the picture is in buffers
	shown    *shown             // that as an image, once a window asked
	sets     map[*Pipeline]*Set // passes of one pipeline bind the same buffers
	commands *Commands

	statistics *Statistics // of direct passes, where the device has them
}

func (r *recording) bytes() (n int64) {
	for _, b := range r.own {
		n += b.Size
	}
	if r.target != nil {
		n += 2 * pixelBytes * int64(r.target.Color.Width) * int64(r.target.Color.Height)
	}
	if r.shown != nil {
		n += pixelBytes * int64(r.shown.image.Width) * int64(r.shown.image.Height)
	}
	return n
}

func (r *recording) close() {
	if r == nil {
		return
	}
	r.commands.Close()
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
	r.shown.close()
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
	if r.commands, err = d.NewCommands("frame"); err != nil {
		return err
	}
	c := r.commands
	c.Begin()
	cameras := r.buffer("Cameras")
	c.Pass("camera", func() {
		c.Copy(cameras, 0, r.camera, 0, cameras.Size)
		if r.clips != nil {
			c.Copy(r.buffer("Clips"), 0, r.clips, 0, r.clips.Size)
		}
	})
	for i := range r.plan.Passes {
		if err := r.recordPass(&r.plan.Passes[i]); err != nil {
			return err
		}
	}
	if r.states != nil {
		states := r.buffer("QueueStates")
		c.Pass("state", func() { c.Copy(r.states, 0, states, 0, states.Size) })
	}
	return c.End()
}

func (r *recording) buffer(name string) *Buffer { return r.buffers[name].(*Buffer) }

// makeBuffers makes the plan's buffers that are not the scene's pools, and
// uploads those that the host fills.
func (r *recording) makeBuffers() error {
	d := r.backend.device
	for _, pool := range r.backend.scene.pools {
		r.buffers[pool.Name] = pool
	}
	for _, want := range r.plan.Buffers {
		if _, pooled := r.buffers[want.Name]; pooled {
			continue
		}
		usage := UsageStorage
		switch want.Name {
		case "QueueStates", "BatchStates", "RasterLists":
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
	if err := Upload(d, r.buffer("Draws"), renderer.DrawData(r.plan.Frame.Scene)); err != nil {
		return err
	}
	if f := &r.plan.Frame; f.VertexShader == renderer.Skin {
		if err := errors.Join(Upload(d, r.buffer("Skin"), renderer.SkinData(f.Scene)), Upload(d, r.buffer("Bones"), renderer.BoneData(f.Scene))); err != nil {
			return err
		}
	}
	if shown := r.plan.Frame.Shown; shown != nil {
		if err := Upload(d, r.buffer("Counts"), shown); err != nil {
			return err
		}
	}
	var err error
	if r.camera, err = d.NewHostBuffer("camera of the host", r.buffer("Cameras").Size, HostWrites); err != nil {
		return err
	}
	if r.plan.Frame.Raw {
		return r.makeClips()
	}
	if r.plan.Buffer("QueueStates") == nil { // a plan without compute geometry
		return nil
	}
	if r.plan.Frame.BatchOn == renderer.BatchDevice {
		err = Upload(d, r.buffer("DrawRanges"), renderer.DrawRangeData(r.plan.Frame.Scene))
	} else {
		err = Upload(d, r.buffer("Batches"), r.plan.Batches)
	}
	if err != nil {
		return err
	}
	r.states, err = d.NewHostBuffer("queue states of the host", r.buffer("QueueStates").Size, HostReads)
	return err
}

func (r *recording) recordPass(pass *renderer.Pass) error {
	c := r.commands
	if pass.Kind == renderer.Clear {
		c.Pass(pass.Name, func() {
			for _, name := range pass.Writes {
				c.Fill(r.buffer(name), 0)
			}
		})
		return nil
	}
	pipeline, err := r.backend.pipeline(r.plan, pass)
	if err != nil {
		return err
	}
	set := r.sets[pipeline]
	if set == nil {
		if set, err = pipeline.NewSet(r.buffers); err != nil {
			return err
		}
		r.sets[pipeline] = set
	}
	if pass.Kind == renderer.Dispatch {
		push := asBytes([]shaders.ChunkPush{pass.Push})
		switch {
		case pipeline.pushBytes == 0: // the shader takes none
			push = nil
		case pass.Raster != nil:
			push = asBytes([]shaders.RasterPush{*pass.Raster})
		}
		c.Pass(pass.Name, func() {
			if pass.Indirect != "" {
				c.DispatchIndirect(pipeline, set, push, r.buffer(pass.Indirect), pass.IndirectOffset)
			} else {
				c.Dispatch(pipeline, set, push, pass.Groups[0], pass.Groups[1], 1)
			}
		})
		return nil
	}
	if pass.Kind == renderer.Direct {
		if r.plan.Frame.Raw {
			return r.recordRaw(pass, pipeline, set)
		}
		return r.recordDirect(pass, pipeline, set)
	}
	args := int64(pass.Push.Chunk)*shaders.QueueStateSize + int64(unsafe.Offsetof(shaders.QueueState{}.DrawVertexCount))
	c.Pass(pass.Name, func() {
		c.Render(r.target, firstClear(pass), Draw{Pipeline: pipeline, Set: set, Indirect: r.buffer("QueueStates"), Offset: args})
	})
	return nil
}

// firstClear is what the first pass of a picture clears to; nil for later ones.
func firstClear(pass *renderer.Pass) *Clear {
	if !pass.First {
		return nil
	}
	bg := renderer.Background
	return &Clear{Color: [4]float32{bg[0], bg[1], bg[2], 1}, Depth: 1}
}

func pipelineKey(pass *renderer.Pass) string {
	var key strings.Builder
	key.WriteString(strings.Join(pass.Shaders, "+"))
	for _, name := range sortedNames(pass.Spec) {
		fmt.Fprintf(&key, " %s=%d", name, pass.Spec[name])
	}
	return key.String()
}

func (b *Backend) makePipeline(p *renderer.Plan, pass *renderer.Pass) (*Pipeline, error) {
	list := make([]*shaders.Shader, len(pass.Shaders))
	for i, name := range pass.Shaders {
		shader, err := shaders.Find(name)
		if err != nil {
			return nil, fmt.Errorf("gpu: %w", err)
		}
		list[i] = shader
	}
	switch {
	case pass.Kind == renderer.Dispatch && len(list) == 1:
		o := ComputeOptions{Spec: Spec(pass.Spec)}
		if lanes := p.Frame.Reuse.Lanes; pass.Spec["NATIVE"] != 0 && b.device.Info.CanRequire(lanes) {
			o.SubgroupSize = lanes
		}
		return b.device.NewComputePipeline(list[0], o)
	case pass.Kind == renderer.Direct && len(list) == 1:
		return b.directPipeline(list[0])
	case pass.Kind == renderer.Direct && len(list) == 2:
		return b.device.NewGraphicsPipeline(list[0], list[1], RasterOptions{Spec: Spec(pass.Spec), Streams: 2})
	case pass.Kind == renderer.Raster && len(list) == 2:
		return b.device.NewGraphicsPipeline(list[0], list[1], RasterOptions{Spec: Spec(pass.Spec)})
	}
	return nil, errShaderCount
}

// setCamera writes what the next submission copies to the device.
func (r *recording) setCamera(c renderer.Camera) error {
	f := &r.plan.Frame
	width, height := max(f.Width, 1), max(f.Height, 1)
	data := renderer.CameraData(c, width, height)
	copy(r.camera.Bytes(), asBytes([]shaders.Camera{data}))
	if err := r.setClips(data); err != nil {
		return err
	}
	return r.camera.Flush()
}

// state is what a chunk left in the queues, once r.states is invalidated.
func (r *recording) state(chunk int) (s shaders.QueueState) {
	copy(asBytes(unsafe.Slice(&s, 1)), r.states.Bytes()[chunk*shaders.QueueStateSize:])
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
			vertices = max(vertices, int(s.VertexCount))
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
