package gpu

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unsafe"

	"github.com/shadeonce/shadeonce/renderer/picture"
	"github.com/shadeonce/shadeonce/renderer/plan"
	"github.com/shadeonce/shadeonce/shaders"
)

// prepare makes what a pass needs, and returns what records it.
func (r *recording) prepare(pass *plan.Pass) (func(), error) {
	c := r.commands
	switch pass.Kind {
	case plan.Clear:
		return func() {
			c.Pass(pass.Name, func() {
				for _, name := range pass.Writes {
					c.Fill(r.buffer(name), 0)
				}
			})
		}, nil
	case plan.Upload:
		return func() { c.Pass(pass.Name, func() { r.windows.recordUpload(r, pass) }) }, nil
	case plan.Fetch:
		return func() { c.Pass(pass.Name, func() { r.windows.recordFetch(r, pass) }) }, nil
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
	case plan.Dispatch:
		return func() { c.Pass(pass.Name, func() { r.dispatch(pass, pipeline, set) }) }, nil
	case plan.Direct:
		if r.plan.Frame.Raw {
			return r.prepareRaw(pass, pipeline, set)
		}
		return r.prepareDirect(pass, pipeline, set)
	}
	if n := pass.Range[1]; n > 0 {
		draw := Draw{Pipeline: pipeline, Set: set, FirstVertex: uint32(3 * pass.Range[0]), Vertices: uint32(3 * n)}
		return func() { c.Pass(pass.Name, func() { c.Render(r.target, firstClear(pass), draw) }) }, nil
	}
	args := int64(pass.Push.Chunk)*shaders.QueueStateSize + int64(unsafe.Offsetof(shaders.QueueState{}.DrawVertexCount))
	states := r.buffer(pass.Bound("QueueStates"))
	return func() {
		c.Pass(pass.Name, func() {
			c.Render(r.target, firstClear(pass), Draw{Pipeline: pipeline, Set: set, Indirect: states, Offset: args})
		})
	}, nil
}

func (r *recording) dispatch(pass *plan.Pass, pipeline *Pipeline, set *Set) {
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
func (r *recording) set(pipeline *Pipeline, pass *plan.Pass) (*Set, error) {
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
func firstClear(pass *plan.Pass) *Clear {
	if !pass.First {
		return nil
	}
	bg := picture.Background
	return &Clear{Color: [4]float32{bg[0], bg[1], bg[2], 1}, Depth: 1}
}

func pipelineKey(pass *plan.Pass) string {
	var key strings.Builder
	key.WriteString(strings.Join(pass.Shaders, "+"))
	for _, name := range sortedNames(pass.Spec) {
		fmt.Fprintf(&key, " %s=%d", name, pass.Spec[name])
	}
	return key.String()
}

func (b *Backend) makePipeline(p *plan.Plan, pass *plan.Pass) (*Pipeline, error) {
	list := make([]*shaders.Shader, len(pass.Shaders))
	for i, name := range pass.Shaders {
		shader, err := shaders.Find(name)
		if err != nil {
			return nil, fmt.Errorf("gpu: %w", err)
		}
		list[i] = shader
	}
	switch {
	case pass.Kind == plan.Dispatch && len(list) == 1:
		o := ComputeOptions{Spec: Spec(pass.Spec)}
		if lanes := p.Frame.Reuse.Lanes; pass.Spec["NATIVE"] != 0 && b.device.Info.CanRequire(lanes) {
			o.SubgroupSize = lanes
		}
		return b.device.NewComputePipeline(list[0], o)
	case pass.Kind == plan.Direct && len(list) == 1:
		return b.directPipeline(list[0])
	case pass.Kind == plan.Direct && len(list) == 2:
		return b.device.NewGraphicsPipeline(list[0], list[1], RasterOptions{Spec: Spec(pass.Spec), Streams: 2})
	case pass.Kind == plan.Raster && len(list) == 2:
		return b.device.NewGraphicsPipeline(list[0], list[1], RasterOptions{Spec: Spec(pass.Spec)})
	}
	return nil, errShaderCount
}
