package gpu

import (
	"cmp"
	"maps"
	"slices"

	"github.com/shadeonce/shadeonce/renderer/plan"
)

// mostPipelines is several times what a plan has. There are thousands of settings,
// and some strategies are compiled for what is in the scene, so that without an end
// there would be ever more; Mesa's CPU driver takes 1.4 MiB for each.
const mostPipelines = 64

// keptPipeline is a pipeline with when it was last asked for.
type keptPipeline struct {
	*Pipeline
	use int64
}

// closePipelines frees those that were not asked for the longest until there are
// no more than may be, but none that a kept plan uses.
func (b *Backend) closePipelines() {
	excess := len(b.pipelines) - b.most
	if excess <= 0 {
		return
	}
	inPlan := b.pipelinesInPlans()
	keys := slices.Collect(maps.Keys(b.pipelines))
	keys = slices.DeleteFunc(keys, func(key string) bool { return inPlan[b.pipelines[key].Pipeline] })
	slices.SortFunc(keys, func(x, y string) int { return cmp.Compare(b.pipelines[x].use, b.pipelines[y].use) })
	for _, key := range keys[:min(excess, len(keys))] {
		b.pipelines[key].Close()
		delete(b.pipelines, key)
	}
}

// pipelinesInPlans are those that kept plans use.
func (b *Backend) pipelinesInPlans() map[*Pipeline]bool {
	used := map[*Pipeline]bool{}
	for _, r := range b.recordings {
		for key := range r.sets {
			used[key.pipeline] = true
		}
	}
	return used
}

// pipeline finds or compiles the pipeline of a pass.
func (b *Backend) pipeline(p *plan.Plan, pass *plan.Pass) (*Pipeline, error) {
	b.uses++
	key := pipelineKey(pass)
	if found, ok := b.pipelines[key]; ok {
		found.use = b.uses
		return found.Pipeline, nil
	}
	made, err := b.makePipeline(p, pass)
	if err != nil {
		return nil, err
	}
	b.pipelines[key] = &keptPipeline{made, b.uses}
	return made, nil
}
