package walk

import (
	"maps"
	"math/bits"
	"slices"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders"
)

// Sizes of the sort's passes. A workgroup processes a tile.
const (
	digitBits     = 8       // largest number of bits of a digit (shaders/sort/tile.glsl: SORT_DIGITS)
	sortSubgroups = 8       // in a workgroup, with native subgroups
	manyKeys      = 1 << 21 // number of keys that give all multiprocessors large tiles
	virtualLanes  = 32
	padding       = 2 // keys after the last one, which pad to triples
)

// The blocks of shaders/sort. Keys and values have a second buffer each, and every digit moves
// them from one buffer to the other. The caller provides all blocks except the counts.
const (
	sortKeys      plan.Block = "SortKeys"
	sortValues    plan.Block = "SortValues"
	sortedKeys    plan.Block = "SortedKeys"
	sortedValues  plan.Block = "SortedValues"
	sortOccupancy plan.Block = "SortOccupancy"
	sortCounts    plan.Block = "SortCounts" // counts of digits, by tile
)

// sorter plans the sorting of keys on a device, each with a value. The sort is stable (least
// significant digit radix sort, shaders/sort).
type sorter struct {
	count  int    // number of keys
	digits []uint // number of bits of each digit, the lowest digit first
	spec   map[string]uint32
	limits renderer.Limits
}

// newSorter returns a sorter of count keys, each below limit.
func newSorter(d *gpu.Device, count int, limit uint32) *sorter {
	lanes, own := 0, 16
	if native := d.Info.PlanLimits().NativeLanes; slices.Contains(native, d.Info.Subgroup.Size) {
		lanes = d.Info.Subgroup.Size
	}
	if count < manyKeys {
		own = 4
	}
	return newSorterOf(d, count, limit, lanes, own)
}

// newSorterOf returns a sorter with native subgroups of that many lanes, or with virtual ones if
// lanes is 0. own is how many keys an invocation takes if shared memory suffices.
func newSorterOf(d *gpu.Device, count int, limit uint32, lanes, own int) *sorter {
	subgroups, native := 1, uint32(1)
	if lanes == 0 {
		lanes, native = virtualLanes, 0
	} else {
		subgroups = max(1, min(sortSubgroups, d.Info.Limits.WorkgroupInvocations/lanes))
	}
	for own > 1 && sortSharedBytes(subgroups, lanes, own) > d.Info.Limits.SharedMemoryBytes {
		own /= 2
	}
	return &sorter{count, splitKey(bits.Len32(limit - 1)), map[string]uint32{
		"LANES": uint32(lanes), "NATIVE": native, "WORKGROUP": uint32(subgroups * lanes), "SORT_OWN": uint32(own),
	}, d.Info.PlanLimits()}
}

// sortSharedBytes returns the shared memory that sort/move takes: counts of digits by subgroup,
// their places, sums by invocation, and the tile.
func sortSharedBytes(subgroups, lanes, own int) int {
	return (subgroups+2)<<digitBits*wordBytes + subgroups*lanes*(2+own)*wordBytes + 6*wordBytes
}

// splitKey splits keys of that many bits into as few digits as possible, of equal length.
func splitKey(keyBits int) []uint {
	n := max(1, (keyBits+digitBits-1)/digitBits)
	return slices.Repeat([]uint{uint(max(1, (keyBits+n-1)/n))}, n)
}

func (s *sorter) tiles() int {
	tile := int(s.spec["SORT_OWN"] * s.spec["WORKGROUP"])
	return (s.count + tile - 1) / tile
}

// newPlan returns a plan without passes, on these blocks of the caller's and the counts. All have
// room for count+2 words.
func (s *sorter) newPlan(blocks ...plan.Block) *plan.Plan {
	p := &plan.Plan{Frame: renderer.Frame{Reuse: reuse.Config{Lanes: int(s.spec["LANES"])}, NoRaster: true}, Native: s.spec["NATIVE"] != 0}
	for _, b := range blocks {
		p.Buffers = append(p.Buffers, plan.Buffer{Name: string(b), Block: b, Filled: plan.ByNobody})
	}
	p.Buffers = append(p.Buffers, plan.Buffer{Name: string(sortCounts), Block: sortCounts, Bytes: int64(s.tiles()+1) << s.digits[0] * wordBytes})
	return p
}

// sort plans the sort of SortKeys, whose values are at first their places 0, 1, .. It leaves the
// sorted keys, two more copies of the last key, and their values in these blocks or, if swapped,
// in SortedKeys and SortedValues; the contents of the other blocks are undefined. unsort first
// puts the keys back into the order of their values.
func (s *sorter) sort(unsort bool) (p *plan.Plan, swapped bool) {
	p = s.newPlan(sortKeys, sortValues, sortedKeys, sortedValues)
	if unsort {
		s.add(p, false, "unsort", s.tiles(), shaders.SortPush{}, nil)
	}
	first, shift, swapped := map[string]uint32{"SORT_FIRST": 1}, uint(0), unsort
	for _, length := range s.digits {
		push := shaders.SortPush{Shift: uint32(shift), Bits: uint32(length)}
		s.add(p, swapped, "count", s.tiles(), push, nil)
		s.add(p, swapped, "scan", 1<<length, push, nil)
		s.add(p, swapped, "move", s.tiles(), push, first)
		first, shift, swapped = nil, shift+length, !swapped
	}
	return p, swapped
}

// occupancy plans counting how often each key occurs: SortOccupancy has a word per key.
func (s *sorter) occupancy() *plan.Plan {
	p := s.newPlan(sortKeys, sortOccupancy)
	uses := []plan.Use{{Block: sortOccupancy, Buffer: p.Find(sortOccupancy, 0), Access: plan.Write}}
	p.Passes = []plan.Pass{{Name: "clear", Chunk: plan.NoChunk, Uses: uses, Op: &plan.Clear{}}}
	s.add(p, false, "occupancy", s.tiles(), shaders.SortPush{}, nil)
	return p
}

// add adds a pass of a shader in shaders/sort. If swapped, its input keys and values are in the
// buffers of the sorted ones.
func (s *sorter) add(p *plan.Plan, swapped bool, name string, groups int, push shaders.SortPush, own map[string]uint32) {
	push.Count, push.Tiles = uint32(s.count), uint32(s.tiles())
	shader, spec := shaders.Must("sort/"+name), maps.Clone(s.spec)
	maps.Copy(spec, own)
	p.Passes = append(p.Passes, plan.Pass{
		Name: "sort", Chunk: plan.NoChunk,
		Uses: plan.UsesOf(shader, func(b plan.Block) plan.BufferID {
			if other, ok := otherOf[b]; ok && swapped {
				b = other
			}
			return p.Find(b, 0)
		}),
		Op: &plan.Dispatch{Pipeline: plan.Pipeline{Shaders: []string{shader.Name}, Spec: spec}, Sort: &push, Groups: plan.Groups(groups, &s.limits)},
	})
}

var otherOf = map[plan.Block]plan.Block{sortKeys: sortedKeys, sortedKeys: sortKeys, sortValues: sortedValues, sortedValues: sortValues}
