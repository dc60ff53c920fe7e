package reuse

import (
	"cmp"
	"math"
)

// fillInvocations is how many invocations keep a multiprocessor busy: about a third of
// what one can hold, which is what its registers leave of it for claim. It was fitted to
// times of claim on an H200 (132 multiprocessors), where batches of 48, 96, 288 and 384
// indices are the fastest for meshes of 23, 69, 871 and over 1,000 thousand triangles.
const fillInvocations = 640

// Fitted returns the configuration with the batch that suits a scene of so many
// triangles on a device of so many multiprocessors, where nobody asked for a batch
// (FitBatch). Where no multiprocessors are known, as on a CPU, that is the default.
//
// A large batch finds more repeated indices and has fewer beginnings and ends. But its
// invocations take as many more triangles one after the other, and there are fewer of
// them to fill the device. Together these cost least where the triangles of an
// invocation grow with the square root of the scene: one each for as many triangles as
// invocations fill the device, two for four times as many.
func (c Config) Fitted(triangles, multiprocessors int) Config {
	if !c.FitBatch || multiprocessors == 0 {
		return c
	}
	c.FitBatch = false
	each := math.Sqrt(float64(triangles) / float64(fillInvocations*multiprocessors))
	halves := 2 * int(each+.5) // triangles of two invocations
	if each < .75 {
		halves = 1
	}
	group := cmp.Or(c.Lanes, c.Workgroup)
	c.Batch = max(c.Strategy.LeastBatch(c), min(3*group*halves/2, c.Strategy.DefaultBatch(c)))
	return c
}
