package gpu

import (
	"errors"
	"fmt"
	"image"
	"maps"
	"slices"
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
		usage := UsageStorage
		if name == "Indices" {
			usage |= UsageIndex // direct passes have the hardware fetch them
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
	camera   *Buffer // host side of Cameras
	states   *Buffer // host side of QueueStates; nil where the plan has none
	target   *Target
	sets     map[setKey]*Set
	commands *Commands

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
	r.commands.Close()
	r.statistics.Close()
	for _, s := range r.sets {
		s.Close()
	}
	for _, b := range r.own {
		b.Close()
	}
	r.camera.Close()
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
	if !f.NoRaster {
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
	c.Pass("camera", func() { c.Copy(cameras, 0, r.camera, 0, cameras.Size) })
	if err := r.recordPasses(r.plan.Passes); err != nil {
		return err
	}
	if r.states != nil {
		c.Pass("state", func() {
			for half := range max(1, r.plan.Halves) {
				states := r.buffer(renderer.HalfName("QueueStates", half))
				c.Copy(r.states, int64(half)*states.Size, states, 0, states.Size)
			}
		})
	}
	return c.End()
}

// recordPasses records passes step by step.
func (r *recording) recordPasses(passes []renderer.Pass) error {
	var step []func()
	for i := range passes {
		record, err := r.prepare(&passes[i])
		if err != nil {
			return err
		}
		step = append(step, record)
		if i+1 == len(passes) || !passes[i+1].Beside {
			r.commands.Together(step...)
			step = nil
		}
	}
	return nil
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
		switch strings.TrimSuffix(want.Name, renderer.SecondHalf) {
		case "QueueStates", "BatchStates", "RasterLists":
			usage |= UsageIndirect
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
	r.states, err = d.NewHostBuffer("queue states of the host", int64(max(1, r.plan.Halves))*r.buffer("QueueStates").Size, HostReads)
	return err
}

// prepare makes what a pass needs, and returns what records it.
func (r *recording) prepare(pass *renderer.Pass) (func(), error) {
	c := r.commands
	switch pass.Kind {
	case renderer.Clear:
		return func() {
			c.Pass(pass.Name, func() {
				for _, name := range pass.Writes {
					c.Fill(r.buffer(name), 0)
				}
			})
		}, nil
	case renderer.Picture:
		return func() {
			c.Pass(pass.Name, func() {
				c.FillImage(r.target.Color, r.buffer("PictureColor"), 0)
				c.FillImage(r.target.Depth, r.buffer("PictureDepth"), 0)
			})
		}, nil
	}
	pipeline, err := r.backend.pipeline(r.plan, pass)
	if err != nil {
		return nil, err
	}
	set, err := r.set(pipeline, pass)
	if err != nil {
		return nil, err
	}
	switch pass.Kind {
	case renderer.Dispatch:
		return func() { c.Pass(pass.Name, func() { r.dispatch(pass, pipeline, set) }) }, nil
	case renderer.Direct:
		return r.prepareDirect(pass, pipeline, set)
	}
	args := int64(pass.Push.Chunk)*shaders.QueueStateSize + int64(unsafe.Offsetof(shaders.QueueState{}.DrawVertexCount))
	states := r.buffer(pass.Bound("QueueStates"))
	return func() {
		c.Pass(pass.Name, func() {
			c.Render(r.target, firstClear(pass), Draw{Pipeline: pipeline, Set: set, Indirect: states, Offset: args})
		})
	}, nil
}

func (r *recording) dispatch(pass *renderer.Pass, pipeline *Pipeline, set *Set) {
	push := asBytes([]shaders.ChunkPush{pass.Push})
	switch {
	case pipeline.pushBytes == 0: // the shader takes none
		push = nil
	case pass.Raster != nil:
		push = asBytes([]shaders.RasterPush{*pass.Raster})
	}
	if pass.Indirect != "" {
		r.commands.DispatchIndirect(pipeline, set, push, r.buffer(pass.Indirect), pass.IndirectOffset)
	} else {
		r.commands.Dispatch(pipeline, set, push, pass.Groups[0], pass.Groups[1], 1)
	}
}

// set finds or makes the set of a pass.
func (r *recording) set(pipeline *Pipeline, pass *renderer.Pass) (*Set, error) {
	key := setKey{pipeline, ""}
	for _, name := range sortedNames(pass.Bind) {
		key.bind += name + "=" + pass.Bind[name] + " "
	}
	if s := r.sets[key]; s != nil {
		return s, nil
	}
	buffers := r.buffers
	if len(pass.Bind) > 0 {
		buffers = maps.Clone(r.buffers)
		for name, other := range pass.Bind {
			if b, ok := r.buffers[other]; ok {
				buffers[name] = b
			}
		}
	}
	s, err := pipeline.NewSet(buffers)
	if err != nil {
		return nil, err
	}
	if len(pass.Updates) > 0 {
		in := func(list []string) func(string) bool {
			return func(block string) bool { return slices.Contains(list, pass.Bound(block)) }
		}
		s.restrict(in(pass.Updates), in(pass.Reads))
	}
	r.sets[key] = s
	return s, nil
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
	case pass.Kind == renderer.Raster && len(list) == 2:
		return b.device.NewGraphicsPipeline(list[0], list[1], RasterOptions{Spec: Spec(pass.Spec)})
	}
	return nil, errShaderCount
}

// setCamera writes what the next submission copies to the device.
func (r *recording) setCamera(c renderer.Camera) error {
	f := &r.plan.Frame
	width, height := max(f.Width, 1), max(f.Height, 1)
	copy(r.camera.Bytes(), asBytes([]shaders.Camera{renderer.CameraData(c, width, height)}))
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

// output reads back what is wanted.
func (r *recording) output(want renderer.Want) (*renderer.Output, error) {
	out := &renderer.Output{}
	var err error
	if out.PipelineStatistics, err = r.statistics.Read(); err != nil {
		return nil, err
	}
	timings, err := r.commands.Timings()
	if err != nil {
		return nil, err
	}
	for _, t := range SumTimings(timings) {
		out.Timings = append(out.Timings, renderer.Timing{Pass: t.Name, Duration: t.Duration})
	}
	if want&renderer.WantCounts != 0 {
		if err := r.readCounts(out); err != nil {
			return nil, err
		}
	}
	if want&renderer.WantQueues != 0 {
		if err := r.readQueues(out); err != nil {
			return nil, err
		}
	}
	if want&renderer.WantBatches != 0 {
		if err := r.readBatches(out); err != nil {
			return nil, err
		}
	}
	if r.target == nil {
		return out, nil
	}
	if want&renderer.WantVisible != 0 {
		if out.Visible, err = r.readVisible(); err != nil {
			return nil, err
		}
	}
	if want&renderer.WantColor != 0 {
		pixels, err := r.readImage(r.target.Color)
		if err != nil {
			return nil, err
		}
		out.Color = &image.RGBA{Pix: pixels, Stride: 4 * r.target.Color.Width, Rect: image.Rect(0, 0, r.target.Color.Width, r.target.Color.Height)}
	}
	if want&renderer.WantDepth != 0 {
		pixels, err := r.readImage(r.target.Depth)
		if err != nil {
			return nil, err
		}
		out.Depth = make([]float32, len(pixels)/4)
		copy(asBytes(out.Depth), pixels)
	}
	return out, nil
}
