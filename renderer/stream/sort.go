package stream

import (
	"encoding/binary"
	"maps"
	"math/bits"
	"slices"

	"github.com/shadeonce/shadeonce/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer/plan"
	"github.com/shadeonce/shadeonce/shaders"
)

// Sizes of the sort's passes. A tile is what a workgroup takes.
const (
	digitBits     = 8       // most bits of a digit (shaders/sort/tile.glsl: SORT_DIGITS)
	sortSubgroups = 8       // of a workgroup, where subgroups are native
	manyKeys      = 1 << 21 // that make enough large tiles for all multiprocessors
	virtualLanes  = 32
	wordBytes     = 4
	sortPadding   = 2 // keys behind the last, that pad to triples
)

// Sort sorts keys that lie in a device's buffers, each with a value of its own. The order
// of equal keys stays (least significant digit radix sort, shaders/sort).
type Sort struct {
	device    *gpu.Device
	count     int    // keys
	digits    []uint // bits of each digit, the lowest digit first
	spec      gpu.Spec
	lanes     int                      // of native subgroups; 0 where they are virtual
	pipelines map[string]*gpu.Pipeline // made when first used
	sets      []sortSet
	counts    *gpu.Buffer // of digits, by tile
}

// sortSet is a set that was made for these buffers.
type sortSet struct {
	pipeline *gpu.Pipeline
	buffers  sortBuffers
	set      *gpu.Set
}

// sortBuffers are what a pass of the sort reads and writes; nil where it has no such.
type sortBuffers struct{ keys, values, sortedKeys, sortedValues, occupancy *gpu.Buffer }

// NewSort makes a sort of count keys, each below limit.
func NewSort(d *gpu.Device, count int, limit uint32) (*Sort, error) {
	lanes := 0
	if native := d.Info.PlanLimits().NativeLanes; slices.Contains(native, d.Info.Subgroup.Size) {
		lanes = d.Info.Subgroup.Size
	}
	own := 16
	if count < manyKeys {
		own = 4
	}
	return newSort(d, count, limit, lanes, own)
}

// newSort sorts by native subgroups of so many lanes, 0 for virtual ones. own is how many
// keys an invocation takes, where shared memory has the room.
func newSort(d *gpu.Device, count int, limit uint32, lanes, own int) (*Sort, error) {
	s := &Sort{device: d, count: count, digits: splitKey(bits.Len32(limit - 1)), pipelines: map[string]*gpu.Pipeline{}}
	subgroups, native := 1, 1
	if lanes == 0 {
		lanes, native = virtualLanes, 0
	} else {
		subgroups = max(1, min(sortSubgroups, d.Info.Limits.WorkgroupInvocations/lanes))
	}
	for own > 1 && sortSharedBytes(subgroups, lanes, own) > d.Info.Limits.SharedMemoryBytes {
		own /= 2
	}
	s.spec = gpu.Spec{"LANES": uint32(lanes), "NATIVE": uint32(native), "WORKGROUP": uint32(subgroups * lanes), "SORT_OWN": uint32(own)}
	s.lanes = native * lanes
	var err error
	if s.counts, err = d.NewBuffer("SortCounts", s.countBytes(), gpu.UsageStorage); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// pipeline finds or makes the pipeline of a pass, which is named as its shader is, but for
// the first move.
func (s *Sort) pipeline(name string) (*gpu.Pipeline, error) {
	if found := s.pipelines[name]; found != nil {
		return found, nil
	}
	spec, shader := maps.Clone(s.spec), name
	if name == "first" {
		spec["SORT_FIRST"], shader = 1, "move"
	}
	made, err := s.device.NewComputePipeline(shaders.Must("sort/"+shader), gpu.ComputeOptions{Spec: spec, SubgroupSize: s.lanes})
	if err == nil {
		s.pipelines[name] = made
	}
	return made, err
}

// sortSharedBytes is the shared memory that sort/move takes: counts of digits by
// subgroup, their places, sums by invocation, and the tile.
func sortSharedBytes(subgroups, lanes, own int) int {
	return (subgroups+2)<<digitBits*wordBytes + subgroups*lanes*(2+own)*wordBytes + 6*wordBytes
}

// splitKey splits keys of so many bits into as few digits as possible, of equal length.
func splitKey(keyBits int) []uint {
	n := max(1, (keyBits+digitBits-1)/digitBits)
	return slices.Repeat([]uint{uint(max(1, (keyBits+n-1)/n))}, n)
}

func (s *Sort) tiles() int {
	tile := int(s.spec["SORT_OWN"] * s.spec["WORKGROUP"])
	return (s.count + tile - 1) / tile
}

// countBytes is what the counts of digits take: one for each tile and in all.
func (s *Sort) countBytes() int64 { return int64(s.tiles()+1) << s.digits[0] * wordBytes }

// Record records the sort of keys[0], whose values are their places 0, 1, .. at first.
// It leaves the sorted keys, two more of the last, and their values in the first buffer
// of either pair that it returns; the second is left with no meaning. All have room
// for count+2 words.
func (s *Sort) Record(c *gpu.Commands, keys, values [2]*gpu.Buffer) (sorted, places [2]*gpu.Buffer, err error) {
	shift, move := uint(0), "first"
	for _, length := range s.digits {
		push := &shaders.SortPush{Count: uint32(s.count), Tiles: uint32(s.tiles()), Shift: uint32(shift), Bits: uint32(length)}
		for _, pass := range []struct {
			name    string
			groups  int
			buffers sortBuffers
		}{
			{"count", s.tiles(), sortBuffers{keys: keys[0]}},
			{"scan", 1 << length, sortBuffers{keys: keys[0]}},
			{move, s.tiles(), sortBuffers{keys: keys[0], values: values[0], sortedKeys: keys[1], sortedValues: values[1]}},
		} {
			if err := s.dispatch(c, pass.name, pass.groups, push, pass.buffers); err != nil {
				return keys, values, err
			}
		}
		keys[0], keys[1] = keys[1], keys[0]
		values[0], values[1] = values[1], values[0]
		shift, move = shift+length, "move"
	}
	return keys, values, nil
}

// RecordUnsort records that keys are put in the order of their values.
func (s *Sort) RecordUnsort(c *gpu.Commands, keys, values, unsorted *gpu.Buffer) error {
	return s.dispatch(c, "unsort", s.tiles(), s.whole(), sortBuffers{keys: keys, values: values, sortedKeys: unsorted})
}

// RecordOccupancy records that occupancy, a word per possible key, counts how often each
// occurs.
func (s *Sort) RecordOccupancy(c *gpu.Commands, keys, occupancy *gpu.Buffer) error {
	c.Fill(occupancy, 0)
	return s.dispatch(c, "occupancy", s.tiles(), s.whole(), sortBuffers{keys: keys, occupancy: occupancy})
}

func (s *Sort) whole() *shaders.SortPush {
	return &shaders.SortPush{Count: uint32(s.count), Tiles: uint32(s.tiles())}
}

func (s *Sort) dispatch(c *gpu.Commands, name string, groups int, push *shaders.SortPush, b sortBuffers) error {
	p, err := s.pipeline(name)
	if err != nil {
		return err
	}
	set, err := s.set(p, b)
	if err != nil {
		return err
	}
	data, err := binary.Append(nil, binary.NativeEndian, push)
	if err != nil {
		return err
	}
	limits := s.device.Info.PlanLimits()
	laid := plan.Groups(groups, &limits)
	c.Dispatch(p, set, data, laid[0], laid[1], 1)
	return nil
}

// set finds or makes the set of a pass.
func (s *Sort) set(p *gpu.Pipeline, b sortBuffers) (*gpu.Set, error) {
	if i := slices.IndexFunc(s.sets, func(x sortSet) bool { return x.pipeline == p && x.buffers == b }); i >= 0 {
		return s.sets[i].set, nil
	}
	r := gpu.Resources{"SortCounts": s.counts}
	for name, buffer := range map[string]*gpu.Buffer{
		"SortKeys": b.keys, "SortValues": b.values, "SortedKeys": b.sortedKeys, "SortedValues": b.sortedValues, "SortOccupancy": b.occupancy,
	} {
		if buffer != nil {
			r[name] = buffer
		}
	}
	set, err := p.NewSet(r)
	if err == nil {
		s.sets = append(s.sets, sortSet{p, b, set})
	}
	return set, err
}

// Close frees all that the sort has made; no submission may be using it. Nil is fine.
func (s *Sort) Close() {
	if s == nil {
		return
	}
	for _, x := range s.sets {
		x.set.Close()
	}
	for _, p := range s.pipelines {
		p.Close()
	}
	s.counts.Close()
}
