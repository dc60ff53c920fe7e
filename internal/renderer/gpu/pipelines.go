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

// defaultPipelineBytes bounds the pipelines of a Backend: space for about 64, several times what
// a plan needs. There are thousands of settings, and some strategies are compiled for what is in
// the scene, so without a bound the pipelines of a long session would take more and more memory.
const defaultPipelineBytes = 90 << 20

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

// closePipelines evicts the least recently used pipelines until the rest fit the
// bound. Pipelines of kept plans are never evicted, but they count.
func (b *Backend) closePipelines() {
	held := b.pipelineBytesHeld()
	if held <= b.pipelineBytes {
		return
	}
	inPlan := b.pipelinesInPlans()
	keys := slices.Collect(maps.Keys(b.pipelines))
	keys = slices.DeleteFunc(keys, func(key string) bool { return inPlan[b.pipelines[key].Pipeline] })
	slices.SortFunc(keys, func(x, y string) int { return cmp.Compare(b.pipelines[x].use, b.pipelines[y].use) })
	for _, key := range keys {
		if held <= b.pipelineBytes {
			return
		}
		held -= b.pipelines[key].bytes
		b.pipelines[key].Close()
		delete(b.pipelines, key)
	}
}

// pipelineBytesHeld estimates the memory of all pipelines that the backend holds.
func (b *Backend) pipelineBytesHeld() (n int64) {
	for _, p := range b.pipelines {
		n += p.bytes
	}
	return n
}

// pipelinesInPlans returns the pipelines that kept plans use.
func (b *Backend) pipelinesInPlans() map[*Pipeline]bool {
	used := map[*Pipeline]bool{}
	for _, r := range slices.Concat(b.recordings, b.lent) {
		for key := range r.sets {
			used[key.pipeline] = true
		}
	}
	return used
}

// pipeline finds or compiles the pipeline of a pass.
func (b *Backend) pipeline(p *plan.Plan, pass *plan.Pass) *Pipeline {
	b.uses++
	key := pipelineKey(p, pass)
	if found, ok := b.pipelines[key]; ok {
		found.use = b.uses
		return found.Pipeline
	}
	must.OK(b.options.Tell(0, 1)) // compiling many takes long
	made := b.makePipeline(p, pass)
	b.pipelines[key] = &keptPipeline{made, b.uses}
	return made
}
