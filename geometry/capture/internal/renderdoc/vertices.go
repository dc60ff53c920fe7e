package renderdoc

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// vertexKey is the source of positions and the time at which they are read.
type vertexKey struct {
	space   uint64
	version int
	at      int64
	stride  int64
	format  components
	read    string // identifies the sources of other attributes
}

// vertexRange is the place in the vertex pool of vertices lo to hi.
type vertexRange struct {
	lo, hi int64
	place  uint32
}

// A draw is sparse if its indices span more than sparseFactor times as many vertices as it has
// indices, and more than sparseSlack. It then gets only the vertices that it references.
const (
	sparseFactor = 8
	sparseSlack  = 1 << 16
)

// isSparse reports whether a draw with that many indices gets only the vertices that it
// references.
func isSparse(lo, hi int64, indices uint32) bool {
	return hi-lo >= sparseSlack && (hi-lo)/sparseFactor > int64(indices)
}

// vertices returns where in the pool the vertices of a draw are, and how many; base is added to
// its indices. It returns the triangles too, since a sparse draw gets its own.
func (r *runner) vertices(d *draw, t triangles, base int64, u *use) (own triangles, at, count uint32) {
	lo, hi := t.lo+base, t.hi+base
	e := d.vertexBytes(lo, hi)
	bytes := r.bytes(e)
	if bytes == nil {
		leaveOut("its vertices are not in the capture")
	}
	if isSparse(lo, hi, t.count) {
		return r.sparse(d, t, bytes, u)
	}
	p := d.position
	key := vertexKey{e.space, r.spaces[e.space].version, p.from.at, p.stride, p.format, u.key}
	r.work(int64(len(r.placed[key])))
	for _, v := range r.placed[key] {
		if v.lo <= lo && hi <= v.hi {
			return t, v.place + uint32(lo-v.lo), uint32(hi - lo + 1)
		}
	}
	n := hi - lo + 1
	place := r.place(n)
	u.fill(r, place, int(n), nil)
	whole := true
	for i := range n {
		v := p.format.position(bytes[i*p.stride:])
		whole = whole && finite(v)
		r.scene.Positions = append(r.scene.Positions, v)
	}
	if !whole {
		r.mend(t, place) // for this draw only
	} else if list := r.placed[key]; len(list) < mostRanges {
		r.placed[key] = append(list, vertexRange{lo, hi, place})
	}
	return t, place, uint32(n)
}

// mostRanges bounds how many ranges of one buffer are searched.
const mostRanges = 4096

// place returns where the next n vertices of the pool will be.
func (r *runner) place(n int64) uint32 {
	at := len(r.scene.Positions)
	if int64(at)+n > maxStream {
		refuse("", "more than %d vertices", maxStream)
	}
	// Positions, and a normal for each.
	must.OK(r.budget.Memory(2 * 12 * n))
	r.scene.Positions = slices.Grow(r.scene.Positions, int(n))
	return uint32(at)
}

// mend sets positions that are not finite to zero, unless the draw references them.
func (r *runner) mend(t triangles, place uint32) {
	p := r.scene.Positions[place:]
	for _, id := range r.scene.Indices[t.first : t.first+t.count] {
		if !finite(p[id]) {
			r.drop(place)
		}
	}
	for i := range p {
		if !finite(p[i]) {
			p[i] = mgl32.Vec3{}
		}
	}
}

// drop leaves out a draw that references positions that are not finite, and removes its vertices.
func (r *runner) drop(place uint32) {
	r.scene.Positions = r.scene.Positions[:place]
	leaveOut("positions that are not finite")
}

// sparse gives a draw only the vertices that it references, in buffer order, and its own indices.
// bytes are those of vertices lo to hi.
func (r *runner) sparse(d *draw, t triangles, bytes []byte, u *use) (own triangles, at, count uint32) {
	must.OK(r.budget.Memory(3 * 4 * int64(t.count)))
	ids := r.scene.Indices[t.first : t.first+t.count]
	named := slices.Clone(ids)
	slices.Sort(named)
	named = slices.Compact(named)
	place := r.place(int64(len(named)))
	if int64(len(r.scene.Indices))+int64(t.count) > maxStream {
		leaveOut(tooManyIndices)
	}
	u.fill(r, place, len(named), named)
	p := d.position
	for _, id := range named {
		v := p.format.position(bytes[int64(id)*p.stride:])
		if !finite(v) {
			r.drop(place)
		}
		r.scene.Positions = append(r.scene.Positions, v)
	}
	own = triangles{first: uint32(len(r.scene.Indices)), count: t.count}
	for _, id := range ids {
		k, _ := slices.BinarySearch(named, id)
		r.scene.Indices = append(r.scene.Indices, uint32(k))
	}
	return own, place, uint32(len(named))
}

func finite(v mgl32.Vec3) bool {
	for _, f := range v {
		if math.Float32bits(f)&0x7f800000 == 0x7f800000 {
			return false
		}
	}
	return true
}
