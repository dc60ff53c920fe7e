//go:build cgo

package gpu

import (
	"cmp"
	"maps"
	"slices"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/shaders"
)

// Drivers do not report how much memory a pipeline takes. Mesa's CPU driver takes about
// spirvFactor bytes per byte of SPIR-V, 1.4 MiB for an average pipeline of a plan; other drivers
// take less.
const spirvFactor = 36

// defaultPipelineBytes is space for about 64 pipelines, several times what a plan needs. There are
// thousands of settings, and some strategies are compiled for what is in the scene, so without a
// bound the pipelines of a long session would take more and more memory.
const defaultPipelineBytes = 90 << 20

// pipelines are those of all plans on a device, whichever backend runs them.
type pipelines struct {
	kept map[string]*keptPipeline
	most int64 // bound on their estimated memory
	uses int64 // so far
}

// keptPipeline is a pipeline and the time of its last use.
type keptPipeline struct {
	*Pipeline
	use int64
}

// estimateBytes estimates the memory of a pipeline of these shaders.
func estimateBytes(list ...*shaders.Shader) (n int64) {
	for _, s := range list {
		n += spirvFactor * int64(len(s.SPIRV))
	}
	return n
}

// evict frees the least recently used pipelines until the rest fit the bound. Those that have a
// descriptor set are never freed, but they count: a kept plan or a Recorder uses them.
func (x *pipelines) evict() {
	held := x.bytes()
	if held <= x.most {
		return
	}
	keys := slices.Collect(maps.Keys(x.kept))
	keys = slices.DeleteFunc(keys, func(key string) bool { return x.kept[key].sets > 0 })
	slices.SortFunc(keys, func(a, b string) int { return cmp.Compare(x.kept[a].use, x.kept[b].use) })
	for _, key := range keys {
		if held <= x.most {
			return
		}
		held -= x.kept[key].bytes
		x.kept[key].Close()
		delete(x.kept, key)
	}
}

// bytes estimates the memory of all pipelines.
func (x *pipelines) bytes() (n int64) {
	for _, p := range x.kept {
		n += p.bytes
	}
	return n
}

func (x *pipelines) close() {
	for _, p := range x.kept {
		p.Close()
	}
	x.kept = nil
}

// pipeline finds or compiles the pipeline of a pass.
func (b *Backend) pipeline(p *plan.Plan, pass *plan.Pass) *Pipeline {
	x, key := &b.device.pipelines, pipelineKey(p, pass)
	x.uses++
	if found, ok := x.kept[key]; ok {
		found.use = x.uses
		return found.Pipeline
	}
	must.OK(b.options.Tell(0, 1)) // compiling many takes long
	made := b.makePipeline(p, pass)
	x.kept[key] = &keptPipeline{made, x.uses}
	return made
}
