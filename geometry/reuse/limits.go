package reuse

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/names"
)

// Bounds of the workgroup without lanes, in invocations: a power of two.
const (
	MinWorkgroup = 32
	MaxWorkgroup = 1024
)

// Check refuses parameters that no strategy takes, naming what is in range, so
// that also those are refused that the strategy at hand has no use for. Zero is
// no value of theirs: it asks for the strategy's own.
func (p Params) Check() error {
	switch {
	case p.Lanes != 0 && !slices.Contains(LaneCounts, p.Lanes):
		return fmt.Errorf("%d lanes: must be one of %s", p.Lanes, strings.Trim(fmt.Sprint(LaneCounts), "[]"))
	case p.Workgroup != 0 && (p.Workgroup < MinWorkgroup || p.Workgroup > MaxWorkgroup || p.Workgroup&(p.Workgroup-1) != 0):
		return fmt.Errorf("workgroup of %d: must be a power of two from %d to %d", p.Workgroup, MinWorkgroup, MaxWorkgroup)
	case p.Batching != "" && !slices.Contains(BatchingNames, p.Batching):
		return names.Unknown("batching", p.Batching, BatchingNames)
	case p.Batch != 0 && (p.Batch < 3 || p.Batch > MaxBatch || p.Batch%3 != 0):
		return fmt.Errorf("batch of %d indices: must be a multiple of 3 from 3 to %d", p.Batch, MaxBatch)
	case p.Unique != 0 && (p.Unique < 3 || p.Unique > MaxUnique):
		return fmt.Errorf("%d unique vertices a batch: must be 3 to %d", p.Unique, MaxUnique)
	case p.Probes != nil && (*p.Probes < 0 || *p.Probes > MaxUnique):
		return fmt.Errorf("%d probes: must be 0 to %d", *p.Probes, MaxUnique)
	case p.Keep < 0 || p.Keep > MaxKeep:
		return fmt.Errorf("%d iterations kept: must be 1 to %d", p.Keep, MaxKeep)
	}
	return nil
}

// largestBatch is the largest batch whose unique vertices all have a slot; 0
// where none is.
func (c Config) largestBatch() int {
	for c.Batch -= c.Batch % 3; c.Batch >= 3; c.Batch -= 3 {
		if c.Strategy.MaxUnique(c) <= MaxUnique {
			return c.Batch
		}
	}
	return 0
}
