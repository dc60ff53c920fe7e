package plan

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/bytesize"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// Kernel is a strategy's compute shader on a device: how it is specialized and dispatched,
// independent of what it shades.
type Kernel struct {
	Reuse  reuse.Config
	Native bool // whether its lanes are the device's own subgroups
	Held   int  // bytes of each result that the shader holds in shared memory for the triangles' corners; 0 if it holds none
	Drawn  bool // whether the shader draws triangles, so that it holds all results of a batch at once
	Tests  bool // whether a mesh shader holds all results of a batch until its triangles are tested

	subgroups renderer.Subgroups // as requested
	limits    *renderer.Limits
}

func newKernel(c reuse.Config, subgroups renderer.Subgroups, held int, drawn bool, l *renderer.Limits) *Kernel {
	k := &Kernel{Reuse: c, Held: held, Drawn: drawn, subgroups: subgroups, limits: l}
	k.Native = k.runsNative()
	return k
}

// runsNative reports whether the strategy's lanes are lanes of the device's subgroups.
func (k Kernel) runsNative() bool {
	return k.Reuse.Strategy.UsesLanes && k.subgroups != renderer.VirtualSubgroups && k.limits.Native(k.Reuse.Lanes)
}

// nativeWorkgroup is the number of invocations of a workgroup that holds several native subgroups. It
// is so large that a multiprocessor is full before it reaches its limit on workgroups.
const nativeWorkgroup = 128

// Subgroups returns how many batches a workgroup processes: one per native subgroup, else one.
func (k Kernel) Subgroups() int {
	if !k.Native || k.limits.OneSubgroup {
		return 1
	}
	fit := min(k.limits.MaxWorkgroup, nativeWorkgroup) / k.Reuse.Lanes
	return max(1, min(fit, k.limits.SharedBytes/max(1, k.sharedBytes())))
}

// Spec returns the specialization constants of all strategies, for batches of at most `batch`
// indices. `subgroups` is how many batches a workgroup processes.
func (k Kernel) Spec(batch uint32, subgroups int) map[string]uint32 {
	c := k.Reuse
	workgroup := c.Workgroup
	if c.Strategy.UsesLanes {
		workgroup = subgroups * c.Lanes
	}
	return map[string]uint32{
		"LANES": uint32(c.Lanes), "NATIVE": flag(k.Native), "WORKGROUP": uint32(workgroup),
		"BATCH": batch, "UNIQUE": uint32(c.Strategy.MaxUnique(c)), "TABLE": uint32(c.Table()), "PROBES": uint32(c.Probes),
	}
}

// Groups distributes n workgroups over the two dimensions of a dispatch, so that neither has more
// than the device allows.
func Groups(n int, l *renderer.Limits) [2]uint32 {
	wide := min(n, l.MaxGroups)
	return [2]uint32{uint32(wide), uint32((n + wide - 1) / wide)}
}

// sharedBytes returns the shared memory that the shader takes for a batch.
func (k Kernel) sharedBytes() int {
	c := k.Reuse
	bytes := c.Strategy.SharedBytes(c, !k.Native, k.Held)
	if k.Drawn && c.Strategy.Spills { // claim's results reuse the memory of its table; a list follows
		bytes = c.Strategy.SharedBytes(c, !k.Native, 0)
		held := k.Held
		if k.Native {
			held -= 4 // lanes keep the depths
		}
		bytes += max(0, held*k.heldVertices()-4*c.Strategy.Table(c)) + 4*2*c.Lanes
	}
	if k.Tests {
		bytes += 4 * shaders.MeshTriangles
		if c.Strategy.Spills { // without Tests, claim holds two results per lane, and lists no more ids than its table has entries
			bytes += k.Held*(k.places()-2*c.Lanes) + 4*max(0, k.places()-c.Strategy.Table(c))
		}
	}
	if k.Drawn || k.Tests {
		bytes += 4 * ((c.Strategy.MaxUnique(c) + 3*c.Lanes + 31) / 32) // one bit per vertex, if triangles are culled
	}
	return bytes
}

// places returns how many indices claim's lanes can hold.
func (k Kernel) places() int {
	c := k.Reuse
	return 3 * c.Lanes * ((c.Batch/3 + c.Lanes - 1) / c.Lanes)
}

// heldVertices returns how many vertices of a batch claim keeps in shared memory in fused
// frames; it spills the others.
func (k Kernel) heldVertices() int {
	return min(k.places(), shaders.ClaimHeld*k.Reuse.Lanes/32)
}

// spilled returns how many vertices a batch of n indices spills at most.
func (k Kernel) spilled(n int) int {
	if !k.Drawn || !k.Reuse.Strategy.Spills {
		return 0
	}
	return max(0, n-k.heldVertices())
}

// check returns an error for batches that no workgroup of the device can process. The error names
// sizes that would fit.
func (k Kernel) check() error {
	r, l := k.Reuse, k.limits
	if need := k.sharedBytes(); need > l.SharedBytes {
		return fmt.Errorf("%s needs %s of shared memory, the device has %s%s",
			r, bytesize.Text(int64(need)), bytesize.Text(int64(l.SharedBytes)), k.fittingText())
	}
	n := r.Workgroup
	if r.Strategy.UsesLanes {
		n = r.Lanes
	}
	if n <= l.MaxWorkgroup {
		return nil
	}
	if r.Strategy.UsesLanes {
		return fmt.Errorf("%d lanes: a workgroup of the device has at most %d invocations", n, l.MaxWorkgroup)
	}
	return fmt.Errorf("workgroup of %d: the device allows powers of two from %d to %d", n, reuse.MinWorkgroup, 1<<max(0, bits.Len(uint(l.MaxWorkgroup))-1))
}

// fittingText lists, for each parameter that shared memory depends on, the largest value that
// fits if the others stay.
func (k Kernel) fittingText() string {
	fits := func(c reuse.Config) bool {
		other := k
		other.Reuse = c
		other.Native = other.runsNative()
		return other.sharedBytes() <= k.limits.SharedBytes
	}
	var list []string
	c := k.Reuse
	for c.Unique--; c.Unique >= 3; c.Unique-- {
		if fits(c) {
			list = append(list, fmt.Sprintf("at most %d unique vertices per batch", c.Unique))
			break
		}
	}
	c = k.Reuse
	for c.Batch -= 3; c.Batch >= 3; c.Batch -= 3 {
		if fits(c) {
			list = append(list, fmt.Sprintf("batches of at most %d indices", c.Batch))
			break
		}
	}
	c = k.Reuse
	for _, lanes := range slices.Backward(reuse.LaneCounts) {
		if c.Lanes = lanes; lanes < k.Reuse.Lanes && fits(c) {
			list = append(list, fmt.Sprintf("at most %d lanes", lanes))
			break
		}
	}
	if len(list) == 0 {
		return ""
	}
	return ": " + strings.Join(list, ", or ") + " would fit"
}
