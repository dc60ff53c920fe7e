package draco

import (
	"math/bits"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// Methods of predicting a value from those before it.
const (
	noPrediction          = -2
	differencePrediction  = 0
	parallelogram         = 1
	severalParallelograms = 4 // their mean, with flags for parallelograms that are not used
	texCoordPrediction    = 5 // from the shape of the triangle
	normalPrediction      = 6 // from the normals of the triangles
)

// Transforms of corrections.
const (
	wrapTransform       = 1
	octahedralTransform = 3
)

const mostParallelograms = 4

// predictor restores values from corrections of predictions.
type predictor struct {
	*decoder
	group      *group
	a          *attribute
	method     int8
	octahedral bool

	least, most int32      // bounds of the wrap transform
	octahedron  octahedron // square of the octahedral transform

	creases     [mostParallelograms][]bool // by number of parallelograms minus 1: flags that say which are not used
	several     [mostParallelograms][]int32
	sides       []bool // flags: on which side of an edge texture coordinates lie
	flips       *flags // whether a predicted normal is turned around
	positions   *attribute
	positionsOf *group
}

// newPredictor reads how an attribute is predicted; it returns nil for an attribute without prediction.
func (d *decoder) newPredictor(g *group, a *attribute) *predictor {
	method := int8(d.u8())
	if method == noPrediction {
		return nil
	}
	transform := d.u8()
	p := &predictor{decoder: d, group: g, a: a, method: method, octahedral: transform == octahedralTransform}
	if p.octahedral != (a.coding == normalCoding) || !p.octahedral && transform != wrapTransform {
		must.Fail("transform %d of corrections is not supported", transform)
	}
	if g.table == nil {
		p.method = differencePrediction
	}
	switch p.method {
	case differencePrediction:
	case parallelogram, severalParallelograms:
		if p.octahedral {
			p.method = differencePrediction
		}
	case texCoordPrediction, normalPrediction:
		if p.octahedral != (method == normalPrediction) || a.numbers != 2 {
			must.Fail("prediction %d of %d numbers", method, a.numbers)
		}
		p.findPositions()
	default:
		must.Fail("prediction %d is not supported", method)
	}
	return p
}

// findPositions finds the positions that predict other attributes.
func (p *predictor) findPositions() {
	for _, g := range p.groups {
		for _, a := range g.attributes {
			if a.Role != Position {
				continue
			}
			if a.numbers != 3 || a.values == nil {
				must.Fail("positions cannot predict: they have %d numbers, or come later", a.numbers)
			}
			p.positions, p.positionsOf = a, g
			return
		}
	}
	must.Fail("there are no positions to predict from")
}

// position returns the position at a corner.
func (p *predictor) position(c int32) vector {
	v := p.positions.values[3*p.positionsOf.value[p.positionsOf.table.vertex[c]]:]
	return vector{int64(v[0]), int64(v[1]), int64(v[2])}
}

// read reads the flags of the method and the bounds of the transform.
func (p *predictor) read() {
	switch p.method {
	case severalParallelograms:
		for i := range p.creases {
			p.creases[i] = p.readFlags(p.varint(), func(f *flags) bool { return f.next() })
		}
	case texCoordPrediction:
		side, count := true, uint64(p.unsigned(4))
		p.sides = p.readFlags(count, func(f *flags) bool {
			side = f.next() == side
			return side
		})
	}
	if !p.octahedral {
		p.least, p.most = int32(p.unsigned(4)), int32(p.unsigned(4))
		if extent := int64(p.most) - int64(p.least); extent < 0 || extent >= mostIndices {
			must.Fail("values from %d to %d", p.least, p.most)
		}
		return
	}
	p.octahedron = newOctahedron(bits.Len32(p.unsigned(4)))
	p.unsigned(4) // the octahedron's center, which follows from its size
	if p.method == normalPrediction {
		p.flips = p.flags()
	}
}

// readFlags reads `count` flags. Flags of texture coordinates have a header even if the count is 0.
func (p *predictor) readFlags(count uint64, next func(f *flags) bool) []bool {
	if count > uint64(len(p.points)) {
		must.Fail("%d flags for %d corners", count, len(p.points))
	}
	if count == 0 && p.method == severalParallelograms {
		return nil
	}
	p.charge(int(count), 1)
	f, list := p.flags(), make([]bool, count)
	for i := range list {
		list[i] = next(f)
	}
	return list
}

// restore replaces corrections with values, in order.
func (p *predictor) restore() {
	n := p.a.numbers
	predicted := make([]int32, n)
	predict := func(value int, predicted []int32) bool { return false }
	switch p.method {
	case parallelogram:
		predict = func(value int, predicted []int32) bool {
			return p.parallelogram(value, p.group.corners[value], predicted)
		}
	case severalParallelograms:
		p.work(len(p.points))
		for i := range p.several {
			p.several[i] = make([]int32, n)
		}
		predict = p.average
	case texCoordPrediction:
		predict = p.texCoord
	case normalPrediction:
		p.work(2 * len(p.points))
		predict = p.normal
	}
	for value := range p.group.count {
		from := predicted
		if !predict(value, predicted) {
			if clear(predicted); value > 0 {
				from = p.a.values[(value-1)*n:][:n]
			}
		}
		p.correct(from, p.a.values[value*n:][:n])
	}
}

// correct adds a prediction to corrections, in place, and wraps the sums into the transform's range.
func (p *predictor) correct(predicted, corrections []int32) {
	if p.octahedral {
		p.octahedron.correct(predicted, corrections)
		return
	}
	for k, v := range predicted {
		v = min(max(v, p.least), p.most) + corrections[k]
		if v > p.most {
			v -= p.most - p.least + 1
		} else if v < p.least {
			v += p.most - p.least + 1
		}
		corrections[k] = v
	}
}

// parallelogram predicts the value at a corner from the triangle across the opposite edge: its
// three values make a parallelogram with the predicted one. It returns false if there is no such
// triangle, or if its values are not all known yet.
func (p *predictor) parallelogram(value int, corner int32, predicted []int32) bool {
	t, n := p.group.table, p.a.numbers
	o := t.across(corner)
	if o < 0 {
		return false
	}
	a, b, c := int(p.group.value[t.vertex[o]]), int(p.group.value[t.vertex[next(o)]]), int(p.group.value[t.vertex[previous(o)]])
	if max(a, b, c) >= value {
		return false
	}
	for k := range predicted {
		predicted[k] = p.a.values[b*n+k] + p.a.values[c*n+k] - p.a.values[a*n+k]
	}
	return true
}

// average predicts the mean of what the parallelograms around a vertex predict. Flags exclude some of them; average
// returns false if none is left.
func (p *predictor) average(value int, predicted []int32) bool {
	if value == 0 {
		return false
	}
	found := 0
	eachCorner(p.group.table, p.group.corners[value], func(c int32) bool {
		if p.parallelogram(value, c, p.several[found]) {
			found++
		}
		return found < mostParallelograms
	})
	if found == 0 {
		return false
	}
	clear(predicted)
	used, creases := int32(0), &p.creases[found-1]
	if len(*creases) < found {
		must.Fail("there are too few flags")
	}
	for i, crease := range (*creases)[:found] {
		if crease {
			continue
		}
		used++
		for k, v := range p.several[i] {
			predicted[k] += v
		}
	}
	*creases = (*creases)[found:]
	if used == 0 {
		return false
	}
	for k := range predicted {
		predicted[k] /= used
	}
	return true
}

// eachCorner calls `do` with the corners of a vertex, from `first` to the left and then to the
// right, until `do` returns false.
func eachCorner(t *table, first int32, do func(c int32) bool) {
	for c := first; c >= 0; {
		if !do(c) {
			return
		}
		if c = t.swingLeft(c); c == first {
			return
		}
	}
	for c := t.swingRight(first); c >= 0; c = t.swingRight(c) {
		if !do(c) {
			return
		}
	}
}

// texCoord predicts texture coordinates. It assumes that the triangle in texture space is similar
// to the triangle of the positions. It returns false if the next corner's value is not known yet.
func (p *predictor) texCoord(value int, predicted []int32) bool {
	t := p.group.table
	c := p.group.corners[value]
	n, r := next(c), previous(c)
	atN, atR := int(p.group.value[t.vertex[n]]), int(p.group.value[t.vertex[r]])
	at := func(value int) (u, v int64) { return int64(p.a.values[2*value]), int64(p.a.values[2*value+1]) }
	if max(atN, atR) < value {
		nu, nv := at(atN)
		ru, rv := at(atR)
		if nu == ru && nv == rv {
			predicted[0], predicted[1] = int32(nu), int32(nv)
			return true
		}
		edge := p.position(r).sub(p.position(n))
		if square := edge.dot(edge); square != 0 {
			tip := p.position(c).sub(p.position(n))
			along := edge.dot(tip)
			du, dv := ru-nu, rv-nv
			foot := vector{along * edge[0] / square, along * edge[1] / square, along * edge[2] / square}
			height := tip.sub(foot)
			up := int64(root(uint64(height.dot(height)) * uint64(square)))
			if last := len(p.sides) - 1; last < 0 {
				must.Fail("there are too few flags")
			} else if !p.sides[last] {
				up, p.sides = -up, p.sides[:last]
			} else {
				p.sides = p.sides[:last]
			}
			predicted[0] = int32((nu*square + along*du + dv*up) / square)
			predicted[1] = int32((nv*square + along*dv - du*up) / square)
			return true
		}
	}
	if atN >= value {
		return false
	}
	u, v := at(atN)
	predicted[0], predicted[1] = int32(u), int32(v)
	return true
}

// root returns the square root of n, rounded down.
func root(n uint64) uint64 {
	if n == 0 {
		return 0
	}
	for r := uint64(1) << (bits.Len64(n) / 2); ; {
		r = (r + n/r) / 2
		if r*r <= n {
			return r
		}
	}
}

type vector [3]int64

func (a vector) sub(b vector) vector { return vector{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }
func (a vector) dot(b vector) int64  { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
