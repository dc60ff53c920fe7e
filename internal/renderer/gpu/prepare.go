//go:build cgo

package gpu

import (
	"encoding/binary"
	"fmt"
	"image/color"
	"maps"
	"slices"
	"strings"
	"unsafe"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/shaders"
)

// recorder prepares what a pass needs, and returns a function that records its operation.
func (r *recording) recorder(pass *plan.Pass) func() {
	switch op := pass.Op.(type) {
	case *plan.Clear:
		return func() {
			for _, u := range pass.Uses {
				r.commands.Fill(r.buffers[u.Buffer], 0)
			}
		}
	case *plan.Upload: // the host fills the other buffers before the part is submitted
		return func() {
			if !op.Counted {
				r.commands.Fill(r.bound(pass, plan.Counts), 0)
			}
		}
	case *plan.Fetch:
		counts := r.bound(pass, plan.Counts)
		return func() { r.commands.Copy(r.windows.fetched[op.Slot], 0, counts, 0, counts.Size) }
	}
	pipeline := r.backend.pipeline(r.plan, pass)
	set := r.set(pipeline, pass)
	switch op := pass.Op.(type) {
	case *plan.Dispatch:
		return func() { r.dispatch(op, pipeline, set) }
	case *plan.Draw:
		return r.draw(pass, op, pipeline, set)
	case *plan.Mesh:
		draw := Draw{Pipeline: pipeline, Set: set, Push: asBytes([]shaders.ChunkPush{op.Push}), Groups: op.Groups}
		return func() { r.render(op.First, draw) }
	}
	if r.plan.Buffer(plan.Draws).Usage == plan.Commands {
		return r.prepareRaw(pass, pipeline, set)
	}
	return r.prepareDirect(pass, pipeline, set)
}

func (r *recording) dispatch(op *plan.Dispatch, pipeline *Pipeline, set *Set) {
	push := asBytes([]shaders.ChunkPush{op.Push})
	switch {
	case pipeline.pushBytes == 0: // the shader has no push constants
		push = nil
	case op.Raster != nil:
		push = asBytes([]shaders.RasterPush{*op.Raster})
	case op.Sort != nil:
		push = asBytes([]shaders.SortPush{*op.Sort})
	}
	if x := op.Indirect; x != nil {
		r.commands.DispatchIndirect(pipeline, set, push, r.buffers[x.Buffer], x.Offset)
	} else {
		r.commands.Dispatch(pipeline, set, push, op.Groups[0], op.Groups[1], 1)
	}
}

// draw returns a function that draws from the queue: a range of triangles, or as many as the queue's state says.
func (r *recording) draw(pass *plan.Pass, op *plan.Draw, pipeline *Pipeline, set *Set) func() {
	draw := Draw{Pipeline: pipeline, Set: set}
	if pipeline.pushBytes > 0 {
		draw.Push = asBytes([]shaders.ChunkPush{op.Push})
	}
	if r.plan.Cornered() && !r.plan.Frame.CornersApart() {
		draw.Indices, draw.Draws = r.bound(pass, plan.Corners), 1
	}
	if n := op.Range[1]; n > 0 {
		draw.FirstVertex, draw.FirstIndex, draw.Vertices = uint32(3*op.Range[0]), uint32(3*op.Range[0]), uint32(3*n)
	} else {
		draw.Indirect = r.bound(pass, plan.QueueStates)
		draw.Offset = int64(op.Push.Chunk)*shaders.QueueStateSize + int64(unsafe.Offsetof(shaders.QueueState{}.DrawVertexCount))
	}
	return func() { r.render(op.First, draw) }
}

// render draws to the picture, which it clears before the first draw.
func (r *recording) render(first bool, draw Draw) {
	var clear *Clear
	if first {
		clear = emptyPicture(r.plan.Frame.Look.BackgroundColor())
	}
	r.commands.Render(r.target, clear, draw)
}

// set finds or makes the descriptor set of a pass.
func (r *recording) set(pipeline *Pipeline, pass *plan.Pass) *Set {
	var uses []byte
	for _, u := range pass.Uses {
		uses = append(binary.AppendUvarint(uses, uint64(u.Buffer+1)), byte(u.Access))
	}
	key := setKey{pipeline, string(uses)}
	if s := r.sets[key]; s != nil {
		return s
	}
	bound, access := Resources{}, map[string]plan.Access{}
	for _, u := range pass.Uses {
		if u.Buffer != plan.NoBuffer {
			bound[string(u.Block)], access[string(u.Block)] = r.buffers[u.Buffer], u.Access
		}
	}
	s := must.Get(pipeline.NewSet(bound))
	if pass.Updates() {
		s.restrict(access)
	}
	r.sets[key] = s
	return s
}

// emptyPicture returns the values to which a picture is cleared.
func emptyPicture(c color.RGBA) *Clear {
	return &Clear{Color: [4]float32{float32(c.R) / 255, float32(c.G) / 255, float32(c.B) / 255, 1}, Depth: 1}
}

func pipelineKey(p *plan.Plan, pass *plan.Pass) string {
	var key strings.Builder
	pipeline := pass.Pipeline()
	key.WriteString(strings.Join(pipeline.Shaders, "+"))
	key.WriteString(" " + p.ShadeKey(pipeline))
	for _, name := range slices.Sorted(maps.Keys(pipeline.Spec)) {
		fmt.Fprintf(&key, " %s=%d", name, pipeline.Spec[name])
	}
	return key.String()
}

// layPipeline lays out the pipeline of a pass.
func (b *Backend) layPipeline(p *plan.Plan, pass *plan.Pass) (uncompiled, error) {
	pipeline := pass.Pipeline()
	list := make([]*shaders.Shader, len(pipeline.Shaders))
	for i, name := range pipeline.Shaders {
		shader, err := p.Shader(name)
		if err != nil {
			return uncompiled{}, fmt.Errorf("gpu: %w", err)
		}
		list[i] = shader
	}
	spec := Spec(pipeline.Spec)
	if _, compute := pass.Op.(*plan.Dispatch); compute && len(list) == 1 {
		return b.device.layCompute(list[0], ComputeOptions{Spec: spec, SubgroupSize: b.lanes(p, list[0], spec)})
	}
	first, o := list[0], RasterOptions{Spec: spec}
	switch _, direct := pass.Op.(*plan.Direct); {
	case first.Stage == shaders.Mesh:
		o.Discard, o.SubgroupSize = len(list) == 1, b.lanes(p, first, spec)
	case direct && len(list) == 1:
		// With counts nothing is rasterized: only the vertex shader's writes matter. Without counts it
		// rasterizes, since a driver might otherwise skip the vertex shader.
		o = RasterOptions{Discard: first.Binding("Counts") != nil}
	case len(list) != 2:
		return uncompiled{}, errShaderCount
	case direct:
		o.Streams = vertexStreams(first)
	}
	return b.device.layGraphics(first, append(list, nil)[1], o) // list[1], or nil if there is no fragment shader
}

// lanes returns the subgroup size that a strategy's shader requires; 0 if it requires none.
func (b *Backend) lanes(p *plan.Plan, s *shaders.Shader, spec Spec) int {
	if n := p.Frame.Reuse.Lanes; spec["NATIVE"] != 0 && b.device.Info.CanRequire(n, s.Stage) {
		return n
	}
	return 0
}
