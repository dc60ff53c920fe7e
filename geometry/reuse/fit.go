package reuse

import (
	"cmp"
	"math"
)

// fillInvocations is how many invocations keep a multiprocessor busy: about a third of what it
// can hold at most, since claim's registers limit it to that. It was fitted to times of claim on
// an H200 (132 multiprocessors), where batches of 48, 96, 288 and 384 indices are the fastest for
// meshes of 23, 69, 871 and over 1,000 thousand triangles.
const fillInvocations = 640

// Fitted returns the configuration with the batch that suits a scene of that many triangles on a
// device of that many multiprocessors, at most the one that it has, if nobody asked for a batch
// (FitBatch). If the number of multiprocessors is unknown (0), as on a CPU, the batch stays.
//
// A large batch finds more repeated indices and has fewer ends. But each invocation then
// processes more triangles one after another, and fewer invocations remain to fill the device.
// The total cost is least if the triangles per invocation grow with the square root of the scene:
// one if one each fills the device, two for four times as many triangles.
func (c Config) Fitted(triangles, multiprocessors int) Config {
	if !c.FitBatch || multiprocessors <= 0 || c.Strategy == nil || c.Strategy.LeastBatch == nil {
		return c
	}
	c.FitBatch, c.FitWorkgroup = false, false
	each := math.Sqrt(float64(triangles) / float64(fillInvocations*multiprocessors))
	halves := 2 * int(each+.5) // triangles of two invocations
	if each < .75 {
		halves = 1
	}
	group := cmp.Or(c.Lanes, c.Workgroup)
	c.Batch = max(c.Strategy.LeastBatch(c), min(3*group*halves/2, c.Batch))
	return c
}

// siftedRounds is how many default batches a strategy without reuse takes as one in frames that
// sift their triangles: a triangle costs so little there that what a workgroup reads at its
// beginning counts. On an H200 the pass over 100 million triangles takes .98 ms with 1, .82 with
// 2, .74 with 4 and, in workgroups of 64, .70 with 16.
const siftedRounds = 16

// Sifted returns the configuration that suits a frame which sifts its triangles, if nobody asked
// for another.
func (c Config) Sifted() Config {
	if c.FitBatch && c.Strategy != nil && c.Strategy.Sifted != nil {
		c.Strategy.Sifted(&c)
		c.FitBatch, c.FitWorkgroup = false, false
	}
	return c
}
