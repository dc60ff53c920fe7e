package reuse

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/names"
)

// Bounds of the workgroup of strategies without lanes, in invocations; it must be a power of two.
const (
	MinWorkgroup = 32
	MaxWorkgroup = 1024
)

// Check returns an error for parameters that no strategy accepts, even if the chosen strategy
// ignores them. Its errors name the allowed range.
func (p Params) Check() error { return p.CheckGiven(func(string) bool { return false }) }

// CheckGiven does the same if the user named some parameters. A zero that was given is out of
// range; otherwise zero means the strategy's default.
func (p Params) CheckGiven(given func(name string) bool) error {
	wrong := func(name string, value int, fits bool) bool {
		return !fits && (value != 0 || given != nil && given(name))
	}
	switch {
	case wrong("lanes", p.Lanes, slices.Contains(LaneCounts, p.Lanes)):
		return fmt.Errorf("%d lanes: must be one of %s", p.Lanes, strings.Trim(fmt.Sprint(LaneCounts), "[]"))
	case wrong("workgroup", p.Workgroup, p.Workgroup >= MinWorkgroup && p.Workgroup <= MaxWorkgroup && p.Workgroup&(p.Workgroup-1) == 0):
		return fmt.Errorf("workgroup of %d: must be a power of two from %d to %d", p.Workgroup, MinWorkgroup, MaxWorkgroup)
	case wrong("batch", p.Batch, p.Batch >= 3 && p.Batch <= MaxBatch && p.Batch%3 == 0):
		return fmt.Errorf("batch of %d indices: must be a multiple of 3 from 3 to %d", p.Batch, MaxBatch)
	case wrong("unique", p.Unique, p.Unique >= 3 && p.Unique <= MaxUnique):
		return fmt.Errorf("%d unique vertices per batch: must be 3 to %d", p.Unique, MaxUnique)
	case wrong("table", p.Room, p.Room >= 1 && p.Room <= MaxRoom):
		return fmt.Errorf("table of %d entries per vertex: must be 1 to %d", p.Room, MaxRoom)
	}
	if p.Probes != nil && (*p.Probes < 0 || *p.Probes > MaxUnique) {
		return fmt.Errorf("%d probes: must be 0 to %d", *p.Probes, MaxUnique)
	}
	if p.Batching != "" && !slices.Contains(BatchingNames, p.Batching) {
		return names.Unknown("batching", p.Batching, BatchingNames)
	}
	return nil
}

// largestBatch returns the largest batch whose unique vertices all get a slot, or 0.
func (c Config) largestBatch() int {
	for c.Batch -= c.Batch % 3; c.Batch >= 3; c.Batch -= 3 {
		if c.Strategy.MaxUnique(c) <= MaxUnique {
			return c.Batch
		}
	}
	return 0
}

// checkBatch returns an error that names the largest batch if the strategy cannot take this one.
func (c Config) checkBatch() error {
	if most := c.Strategy.LargestBatch; most != nil && c.Batch > most(c) {
		return fmt.Errorf("batch of %d indices: %s takes a multiple of 3 from 3 to %d at %d lanes", c.Batch, c.Strategy.Name, most(c), c.Lanes)
	}
	return nil
}
