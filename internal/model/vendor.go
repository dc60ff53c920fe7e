package model

// meshoptSource is the source of the three triples below. The numbers in their names are cache entries, vertices
// per warp and triangles per primitive group. Other published models differ: the simulator of Kerbl et al. (see
// nv96) has batches of at most 384 indices and 64 vertices with an LRU cache of 15 entries for AMD, and batches
// of at most 1791 indices and 128 vertices for Intel.
const meshoptSource = "meshoptimizer, meshopt_analyzeVertexCache"

var (
	nvidia = triple{cache: 32, warp: 32, group: 32}.model("nvidia-32-32-32", "cache of 32, emptied when 32 vertices or 32 triangles are full")
	amd    = triple{cache: 14, warp: 64, group: 128}.model("amd-14-64-128", "FIFO of 14, emptied when 64 vertices or 128 triangles are full")
	intel  = triple{cache: 128}.model("intel-128-0-0", "FIFO of 128, emptied at each draw only")
)

// triple is a FIFO cache that is emptied after each warp or primitive group.
type triple struct {
	cache uint32 // entries of the cache
	warp  uint32 // vertices shaded until the cache is emptied; 0 for no limit
	group uint32 // triangles until the cache is emptied; 0 for no limit
}

func (m triple) model(name, doc string) Model {
	return Model{Name: name, Doc: doc, Source: meshoptSource, Variants: []Params{{}}, draw: m.countDraw}
}

// countDraw uses stamps like countFIFO. It decides whether a triangle fits the warp before it caches
// any of the triangle's vertices. For this it counts indices, so a missing vertex that the triangle
// uses twice counts twice. Caching one vertex of the triangle may evict another.
func (m triple) countDraw(_ Params, indices, counts, stamps []uint32) {
	shaded, oldest := uint32(0), uint32(1)
	warpStart, groupCount := uint32(0), uint32(0) // warpStart is the number of vertices shaded when the cache was last emptied
	for k := 0; k+2 < len(indices); k += 3 {
		triangle := indices[k : k+3]
		missing := uint32(0)
		for _, id := range triangle {
			if stamps[id] < oldest {
				missing++
			}
		}
		if m.group != 0 && groupCount == m.group || m.warp != 0 && shaded-warpStart+missing > m.warp {
			warpStart, groupCount = shaded, 0
			oldest = shaded + 1
		}
		for _, id := range triangle {
			if stamps[id] >= oldest {
				continue
			}
			counts[id]++
			shaded++
			stamps[id] = shaded
			if shaded > m.cache {
				oldest = max(oldest, shaded-m.cache+1)
			}
		}
		groupCount++
	}
}

// Limits of a batch in nv96.
const (
	nv96Indices  = 96
	nv96Vertices = 32
)

// nv96 is the batch that the paper's authors found on NVIDIA's GPUs. A batch ends at 96
// indices, or before a triangle that would make it shade more than 32 vertices. Nothing is
// reused across batches. Within a batch an index hits only if its vertex was last used, shaded or
// found, at most Window indices earlier; otherwise the vertex is shaded again and takes another
// of the 32 places. The authors' simulator has a window of 42 under OpenGL; 96 covers the whole
// batch, which is the paper's dynamic batching at 96 / 32.
var nv96 = Model{
	Name:     "nv-96-32",
	Doc:      "batches of at most 96 indices and 32 vertices, looked up a window of indices back",
	Source:   "Kerbl et al. 2018, Revisiting the vertex cache, and its code (GPUPeople/vertex_batch_optimization)",
	Variants: []Params{{Window: 42}, {Window: nv96Indices}},
	draw:     countNV96,
}

// countNV96 keeps in lastUse[id] the position of the id's last use, counted from 1.
func countNV96(p Params, indices, counts, lastUse []uint32) {
	window := min(p.Window, nv96Indices)
	start, shaded := 0, 0 // where the batch starts in indices, and how many vertices it has shaded
	found := func(k int) bool {
		return int(lastUse[indices[k]]) > max(start, k-window)
	}
	for k := 0; k+2 < len(indices); k += 3 {
		missing := 0
		for j := k; j < k+3; j++ {
			own := j > k && indices[j] == indices[k] || j > k+1 && indices[j] == indices[k+1]
			if !own && !found(j) {
				missing++
			}
		}
		if k-start == nv96Indices || shaded+missing > nv96Vertices {
			start, shaded = k, 0
		}
		for j := k; j < k+3; j++ {
			if !found(j) {
				counts[indices[j]]++
				shaded++
			}
			lastUse[indices[j]] = uint32(j + 1)
		}
	}
}
