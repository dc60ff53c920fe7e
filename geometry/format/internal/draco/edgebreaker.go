package draco

import (
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// Edgebreaker builds triangles one at a time, each beside an edge on the border of those built so
// far. A symbol says how: Rossignac, "Edgebreaker: Connectivity compression for triangle meshes",
// 1999.
const (
	symbolC = 0 // fills the gap between the edge and the one to its left
	symbolS = 1 // joins two borders
	symbolL = 3 // adds a vertex, and continues at the left edge
	symbolR = 5 // adds a vertex, and continues at the right edge
	symbolE = 7 // begins a border
)

// Ways of coding the symbols.
const (
	standardSymbols = 0
	valenceSymbols  = 2 // symbols predicted from the number of triangles at a vertex
)

const (
	leastValence = 2
	mostValence  = 7
)

// edgebreaker is connectivity that is being built.
type edgebreaker struct {
	*decoder
	*table
	faces, vertices int // the number of triangles, and a bound on the number of vertices
	active          []int32
	splits          []splitEvent
	waiting         map[int]int32 // edges of the border that a later symbol S joins, by that symbol's number in the order of decoding
	unused          []int32       // vertices that were joined with others

	bits     bitReader // standard symbols
	valence  []int32   // by vertex: its number of triangles, for valence symbols
	contexts [mostValence - leastValence + 1][]int32
	context  int
}

// splitEvent says that the triangle of symbol `from` leaves its left or its right edge for a later
// symbol `to`, an S, to join. Both are the encoder's numbers, which count symbols from the last to the first.
type splitEvent struct {
	from, to uint64
	right    bool
}

func (d *decoder) edgebreaker() {
	defer must.Place("connectivity")
	coding := d.u8()
	if coding != standardSymbols && coding != valenceSymbols {
		must.Fail("Edgebreaker of type %d is not supported", coding)
	}
	vertices, faces := d.varint(), d.faces(d.varint())
	attributes := int(d.u8())
	symbols, joined := d.varint(), d.varint()
	// Each triangle without a symbol needs three triangles with one.
	if symbols > uint64(faces) || uint64(faces) > symbols+symbols/3 || joined > symbols || vertices > 3*uint64(faces) {
		must.Fail("%d symbols, %d of them S, and %d vertices for %d triangles", symbols, joined, vertices, faces)
	}
	d.charge(faces, 3*8+4) // vertex and opposite of each corner, and the active edges
	d.charge(int(vertices+joined), 4)
	e := &edgebreaker{
		decoder: d, faces: faces, vertices: int(vertices + joined), waiting: map[int]int32{}, context: -1,
		table: &table{vertex: make([]int32, 3*faces), opposite: make([]int32, 3*faces), corner: make([]int32, 0, vertices+joined)},
	}
	d.table = e.table
	for c := range e.opposite {
		e.vertex[c], e.opposite[c] = -1, -1
	}
	e.readSplits(symbols)
	if coding == standardSymbols {
		e.bits.data = d.bytes(d.varint())
	}
	starts := d.flags()
	seams := make([]*flags, attributes)
	for i := range seams {
		seams[i] = d.flags()
	}
	if coding == valenceSymbols {
		e.readContexts()
	}
	e.build(int(symbols))
	e.close(int(symbols), starts)
	if attributes == 0 {
		e.removeUnused()
	}
	e.table.check()
	for i := range seams {
		d.further = append(d.further, d.split(d.table, seams[i]))
	}
	d.assignPoints()
}

func (e *edgebreaker) readSplits(symbols uint64) {
	count := e.varint()
	if count > uint64(len(e.data)) {
		must.Fail("%d splits in %d bytes", count, len(e.data))
	}
	e.charge(int(count), 64)
	e.splits = make([]splitEvent, count)
	last := uint64(0)
	for i := range e.splits {
		s := &e.splits[i]
		s.from = last + min(e.varint(), symbols)
		back := e.varint()
		if s.from >= symbols || back > s.from {
			must.Fail("split %d is of symbols %d and %d of %d", i, s.from, s.from-back, symbols)
		}
		s.to, last = s.from-back, s.from
	}
	bits := bitReader{data: e.data}
	for i := range e.splits {
		e.splits[i].right = bits.take(1) == 1
	}
	e.bytes(bits.size())
}

// readContexts reads a list of symbols for each valence. The valence of a vertex of the newest
// triangle selects the list from which the next symbol is taken.
func (e *edgebreaker) readContexts() {
	e.valence = e.ints(e.vertices)
	for i := range e.contexts {
		count := e.varint()
		if count > uint64(e.faces) {
			must.Fail("%d symbols for %d triangles", count, e.faces)
		}
		e.contexts[i] = e.ints(int(count))
		e.symbols(e.contexts[i], 1)
	}
}

func (e *edgebreaker) symbol() uint32 {
	switch {
	case e.valence == nil:
		if e.bits.take(1) == 0 {
			return symbolC
		}
		return 1 | e.bits.take(2)<<1
	case e.context < 0:
		return symbolE
	}
	list := &e.contexts[e.context]
	last := len(*list) - 1
	if last < 0 {
		must.Fail("there are too few symbols")
	}
	symbol := uint32((*list)[last])
	*list = (*list)[:last]
	if symbol > 4 {
		must.Fail("symbol %d does not exist", symbol)
	}
	return [...]uint32{symbolC, symbolS, symbolL, symbolR, symbolE}[symbol]
}

// build adds a triangle for each symbol.
func (e *edgebreaker) build(symbols int) {
	for number := range symbols {
		a := int32(3 * number) // first corner of the triangle
		symbol := e.symbol()
		if symbol != symbolE && len(e.active) == 0 {
			must.Fail("triangle %d has nothing to be beside", number)
		}
		switch symbol {
		case symbolC:
			e.fill(a)
		case symbolS:
			e.join(a, number)
		case symbolL:
			e.extend(a+1, a+2, a)
		case symbolR:
			e.extend(a+2, a, a+1)
		case symbolE:
			for c := a; c < a+3; c++ {
				e.addVertex(c)
			}
			e.active = append(e.active, a)
		default:
			must.Fail("symbol %d does not exist", symbol)
		}
		e.active[len(e.active)-1] = a
		if e.valence != nil {
			e.countTriangles(symbol, a)
		}
		if symbol != symbolC && symbol != symbolS {
			e.leaveEdges(a, uint64(symbols-1-number), symbols)
		}
	}
}

func (e *edgebreaker) addVertex(c int32) {
	if len(e.corner) == e.vertices {
		must.Fail("there are more than %d vertices", e.vertices)
	}
	e.vertex[c] = int32(len(e.corner))
	e.corner = append(e.corner, c)
}

// fill adds the triangle whose first corner lies at the vertex between the active edge and the
// border's edge to its left. The vertex then has all its triangles.
func (e *edgebreaker) fill(x int32) {
	a := e.active[len(e.active)-1]
	v := e.vertex[next(a)]
	b := next(e.corner[v])
	e.connect(a, x+1)
	e.connect(b, x+2)
	p, n := e.vertex[previous(a)], e.vertex[next(b)]
	if v == p || v == n {
		must.Fail("triangle %d has a vertex twice", x/3)
	}
	e.vertex[x] = v
	e.vertex[x+1] = n
	e.vertex[x+2] = p
	e.corner[p] = x + 2
}

// extend adds the triangle beside the active edge. Its corner `tip` lies at a new vertex; `left`
// and `right` are its other corners.
func (e *edgebreaker) extend(tip, right, left int32) {
	a := e.active[len(e.active)-1]
	e.connect(tip, a)
	e.addVertex(tip)
	v := e.vertex[previous(a)]
	e.vertex[right] = v
	e.corner[v] = right
	e.vertex[left] = e.vertex[next(a)]
}

// join adds the triangle between two active edges. The two borders' vertices at its first corner
// become one.
func (e *edgebreaker) join(x int32, number int) {
	b := e.active[len(e.active)-1]
	e.active = e.active[:len(e.active)-1]
	if c, ok := e.waiting[number]; ok {
		e.active = append(e.active, c)
	}
	if len(e.active) == 0 {
		must.Fail("triangle %d joins a border with none", number)
	}
	a := e.active[len(e.active)-1]
	e.connect(a, x+2)
	e.connect(b, x+1)
	p, q := e.vertex[previous(a)], e.vertex[previous(b)]
	e.vertex[x] = p
	e.vertex[x+1] = e.vertex[next(a)]
	e.vertex[x+2] = q
	e.corner[q] = x + 2
	first := next(b)
	n := e.vertex[first]
	if e.valence != nil {
		e.valence[p] += e.valence[n]
	}
	e.corner[p] = e.corner[n]
	for c := first; c >= 0; {
		e.vertex[c] = p
		e.work(1)
		if c = e.swingLeft(c); c == first {
			must.Fail("triangle %d joins a vertex that has all its triangles", number)
		}
	}
	e.corner[n] = -1
	e.unused = append(e.unused, n)
}

// countTriangles updates the valences of the new triangle's vertices, and chooses the next symbol's
// context.
func (e *edgebreaker) countTriangles(symbol uint32, a int32) {
	v, n, p := e.vertex[a], e.vertex[next(a)], e.vertex[previous(a)]
	e.valence[n]++
	e.valence[p]++
	switch symbol {
	case symbolL:
		e.valence[v]++
		e.valence[n]++
	case symbolR:
		e.valence[v]++
		e.valence[p]++
	case symbolE:
		e.valence[v] += 2
		e.valence[n]++
		e.valence[p]++
	}
	e.context = int(min(max(e.valence[n], leastValence), mostValence)) - leastValence
}

// leaveEdges notes the edges of the newest triangle that later symbols join.
func (e *edgebreaker) leaveEdges(a int32, number uint64, symbols int) {
	for len(e.splits) > 0 {
		s := e.splits[len(e.splits)-1]
		if s.from > number {
			must.Fail("a split event names symbol %d, which leaves no edge", s.from)
		}
		if s.from < number {
			return
		}
		edge := previous(a)
		if s.right {
			edge = next(a)
		}
		e.waiting[symbols-1-int(s.to)] = edge
		e.splits = e.splits[:len(e.splits)-1]
	}
}

// close adds the triangles that have no symbol. Each closes a border that a flag marks; other borders stay open.
func (e *edgebreaker) close(symbols int, starts *flags) {
	x := int32(3 * symbols)
	for ; len(e.active) > 0; e.active = e.active[:len(e.active)-1] {
		if !starts.next() {
			continue
		}
		if int(x) == len(e.vertex) {
			must.Fail("there are more than %d triangles", e.faces)
		}
		a := e.active[len(e.active)-1]
		n := e.vertex[next(a)]
		b := next(e.corner[n])
		e.connect(a, x)
		e.connect(b, x+1)
		m := e.vertex[next(b)]
		c := next(e.corner[m])
		e.connect(c, x+2)
		e.vertex[x] = m
		e.vertex[x+1] = e.vertex[next(c)]
		e.vertex[x+2] = n
		x += 3
	}
	if int(x) != len(e.vertex) {
		must.Fail("%d triangles where there should be %d", x/3, e.faces)
	}
}

// removeUnused gives the numbers in `unused` to the last vertices, so that no number is missing.
func (e *edgebreaker) removeUnused() {
	count := len(e.corner)
	for _, free := range e.unused {
		for count > 0 && e.corner[count-1] < 0 {
			count--
		}
		last := int32(count - 1)
		if last < free {
			continue
		}
		for c := e.corner[last]; c >= 0; {
			e.vertex[c] = free
			if c = e.swingRight(c); c == e.corner[last] {
				break
			}
		}
		e.corner[free], e.corner[last] = e.corner[last], -1
		count--
	}
	e.table.corner = e.corner[:count]
}
