package soft

import (
	"slices"
	"sync"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
)

// mostKept bounds the indices of instances whose iterations are kept, at about 6 bytes per index.
const mostKept = 1 << 25

// instances keeps what the reference finds in the batches of draws that share indices, so that it
// runs only for the first of these draws.
type instances struct {
	several []bool // by draw: whether others use the same indices; nil if nothing is kept
	found   sync.Map
}

// indexRange is a part of the index pool.
type indexRange struct{ first, count uint32 }

func newInstances(s *geometry.Scene) *instances {
	times, kept := map[indexRange]int{}, 0
	for i := range s.Draws {
		d := &s.Draws[i]
		key := indexRange{d.FirstIndex, d.IndexCount}
		if times[key]++; times[key] == 2 {
			kept += int(d.IndexCount)
		}
	}
	in := &instances{}
	if kept == 0 || kept > mostKept {
		return in
	}
	in.several = make([]bool, len(s.Draws))
	for i := range s.Draws {
		d := &s.Draws[i]
		in.several[i] = times[indexRange{d.FirstIndex, d.IndexCount}] > 1
	}
	return in
}

// reference runs the strategy's reference over a batch.
func (d *dispatch) reference(b *reuse.Batch, room *[]uint32, each func(*reuse.Iteration)) {
	config, in := d.plan.Frame.Reuse, d.instances
	run := func(each func(*reuse.Iteration)) {
		config.Strategy.Reference(config, d.frame.scene.IndicesAt(b.FirstIndex, b.IndexCount, room), each)
	}
	if in.several == nil || !in.several[b.Draw] {
		run(each)
		return
	}
	key := indexRange{b.FirstIndex, b.IndexCount}
	found, ok := in.found.Load(key)
	if !ok {
		var list []reuse.Iteration
		run(func(it *reuse.Iteration) {
			one := *it
			one.Unique, one.Slots = slices.Clone(it.Unique), slices.Clone(it.Slots)
			list = append(list, one)
		})
		found, _ = in.found.LoadOrStore(key, list)
	}
	list := found.([]reuse.Iteration)
	for i := range list {
		each(&list[i])
	}
}
