package reuse

import "slices"

// sorting gives a batch to a workgroup, which sorts its indices in shared memory, so that equal
// ones become neighbours (paper, Algorithm 2). Every vertex of the batch is shaded once, and slots
// are in the order of ids.
var sorting = Strategy{
	Name:             "sort",
	Batchings:        hash.Batchings,
	DefaultBatch:     sortDefaultBatch,
	Workgroup:        hash.Workgroup,
	MaxUnique:        hashMaxUnique,
	WorstInvocations: hash.WorstInvocations,
	SharedBytes: func(c Config, _ bool, vertexBytes int) int {
		unique, words := hashMaxUnique(c), (c.Batch+31)/32
		return 2*4*c.Batch + 4*(words+words+1) + 4*unique + 4 + assemblyBytes(unique, vertexBytes)
	},
	Reference: sortReference,
}

// sortDefaultBatch is just below a power of two, as in the paper, since the sorting network has
// the size of the next power of two. On an H200 batches of 510 take 1.1 to 1.6 times as long, on
// meshes of any size, and batches of 126 are faster only below 50,000 triangles.
func sortDefaultBatch(c Config) int {
	if c.Batching == DynamicBatching {
		return hashDefaultBatch(c)
	}
	return 255
}

// assemblyBytes bounds the shared memory of a batch's shaded vertices, in bytes: an array of vec4
// and one of uvec2, each of at least one element, and padding for alignment.
func assemblyBytes(unique, vertexBytes int) int {
	return max(unique*vertexBytes, 16+8) + 16 - 4
}

// sortReference is a specification, not the shader's steps: slots are the ranks of the ids. The
// shader sorts ids and positions in two arrays and does not define the order of equal ids; slots
// do not depend on it.
func sortReference(c Config, batch []uint32, yield func(*Iteration)) {
	pairs := make([]uint64, len(batch)) // id, position
	for i, id := range batch {
		pairs[i] = uint64(id)<<32 | uint64(i)
	}
	slices.Sort(pairs)
	unique := make([]uint32, 0, hashMaxUnique(c))
	slots := make([]uint16, len(batch))
	for i, pair := range pairs {
		id, position := uint32(pair>>32), uint32(pair)
		if isFirst := i == 0 || id != uint32(pairs[i-1]>>32); isFirst {
			unique = append(unique, id)
		}
		slots[position] = uint16(len(unique) - 1)
	}
	yield(shaded(unique, slots, c.Workgroup))
}
