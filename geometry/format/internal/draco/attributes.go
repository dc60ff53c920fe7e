package draco

import (
	"encoding/binary"
	"math"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// group is a set of attributes whose values are in the same order.
type group struct {
	table      *table // nil if the order is that of the mesh's vertices
	attributes []*attribute
	corners    []int32 // by value: the corner at which the walk met it
	value      []int32 // by vertex of the table: the number of its value
	point      []int32 // by vertex of the mesh: the number of its value; nil if the two numbers are always equal
	count      int     // number of values
}

// Codings of attributes.
const (
	genericCoding = iota
	integerCoding
	quantizedCoding
	normalCoding
)

// attribute is an attribute that is being decoded.
type attribute struct {
	Attribute
	coding  byte
	numbers int     // numbers per value: one per component, but two for a normal
	values  []int32 // the numbers of all values, one value after another, before they become floats
}

func (d *decoder) attributes() (list []Attribute) {
	d.groups = make([]*group, d.u8())
	orders := make([]func(g *group), len(d.groups))
	used := make([]bool, len(d.further)+1)
	for i := range d.groups {
		d.groups[i] = &group{}
		if d.table != nil {
			orders[i] = d.order(d.groups[i], used)
		}
	}
	for i, g := range d.groups {
		d.describe(g, i)
	}
	for i, g := range d.groups {
		d.decodeGroup(g, i, orders[i])
	}
	for _, g := range d.groups {
		for _, a := range g.attributes {
			list = append(list, a.Attribute)
		}
	}
	return list
}

// order reads which connectivity a group uses, and returns the function that orders its values.
func (d *decoder) order(g *group, used []bool) func(g *group) {
	const vertexAttributes, cornerAttributes = 0, 1
	const depthFirst, byDegree = 0, 1
	number, kind, traversal := int(int8(d.u8())), d.u8(), d.u8()
	number = max(number, -1) + 1 // 0 is the connectivity of positions
	switch {
	case number > len(d.further) || used[number]:
		must.Fail("attributes with connectivity %d of %d", number-1, len(d.further))
	case kind > cornerAttributes || traversal > byDegree || kind == cornerAttributes && (number == 0 || traversal == byDegree):
		must.Fail("attributes of kind %d in order %d", kind, traversal)
	}
	used[number] = true
	g.table = d.table
	if kind == cornerAttributes {
		g.table = d.further[number-1]
	}
	if traversal == byDegree {
		return d.byDegree
	}
	return d.depthFirst
}

func (d *decoder) describe(g *group, number int) {
	defer must.Place("attributes %d", number)
	const descriptionBytes = 5 // size of the shortest description
	count := d.varint()
	if count == 0 || count > uint64(len(d.data))/descriptionBytes {
		must.Fail("%d attributes in %d bytes", count, len(d.data))
	}
	d.charge(int(count), 128)
	for range count {
		role, kind, components, normalized := Role(d.u8()), Type(d.u8()), int(d.u8()), d.u8() > 0
		if kind < Int8 || kind > Bool || components == 0 {
			must.Fail("%d components of type %d", components, kind)
		}
		a := &attribute{numbers: components}
		a.Attribute = Attribute{ID: uint32(d.varint()), Role: role, Type: kind, Components: components, Normalized: normalized}
		g.attributes = append(g.attributes, a)
	}
	for _, a := range g.attributes {
		a.coding = d.u8()
		ok := true
		switch a.coding {
		case genericCoding:
		case integerCoding:
			ok = a.Type <= Uint32
		case quantizedCoding:
			ok = a.Type == Float32
		case normalCoding:
			ok = a.Type == Float32 && a.Components == 3
			a.numbers = 2
		default:
			ok = false
		}
		if !ok {
			must.Fail("%d components of type %d in coding %d", a.Components, a.Type, a.coding)
		}
	}
}

// decodeGroup reads the values of a group's attributes.
func (d *decoder) decodeGroup(g *group, number int, order func(g *group)) {
	defer must.Place("attributes %d", number)
	g.count = d.count
	if order != nil {
		order(g)
		d.mapPoints(g)
	}
	for _, a := range g.attributes {
		if a.coding != genericCoding {
			d.readNumbers(g, a)
			continue
		}
		size := a.Components * a.Type.Size()
		raw := d.bytes(uint64(size) * uint64(g.count))
		d.store(g, a, func(value int, to []byte) { copy(to, raw[value*size:]) })
	}
	for _, a := range g.attributes {
		switch a.coding {
		case integerCoding:
			d.storeIntegers(g, a)
		case quantizedCoding:
			d.storeQuantized(g, a)
		case normalCoding:
			d.storeNormals(g, a)
		}
	}
}

// mapPoints finds the value of each vertex of the mesh. It fails if a vertex has none.
func (d *decoder) mapPoints(g *group) {
	g.point = d.ints(d.count)
	for p := range g.point {
		g.point[p] = -1
	}
	for c, p := range d.points {
		value := g.value[g.table.vertex[c]]
		if value < 0 {
			must.Fail("triangle %d has no values", c/3)
		}
		g.point[p] = value
	}
	for p, value := range g.point {
		if value < 0 {
			must.Fail("vertex %d has no values", p)
		}
	}
}

// store makes the attribute's data. It calls `put` for each vertex of the mesh, with the number of its value.
func (d *decoder) store(g *group, a *attribute, put func(value int, to []byte)) {
	size := a.Components * a.Type.Size()
	d.charge(d.count, size)
	a.Data = make([]byte, d.count*size)
	for p := range d.count {
		value := p
		if g.point != nil {
			value = int(g.point[p])
		}
		put(value, a.Data[p*size:][:size])
	}
}

func (d *decoder) storeIntegers(g *group, a *attribute) {
	size := a.Type.Size()
	d.store(g, a, func(value int, to []byte) {
		for k, v := range a.values[value*a.numbers:][:a.numbers] {
			for b := range size {
				to[k*size+b] = byte(v >> (8 * b))
			}
		}
	})
}

// storeQuantized stores floats. Each is the minimum of its component plus a number of steps.
func (d *decoder) storeQuantized(g *group, a *attribute) {
	least := make([]float32, a.Components)
	for k := range least {
		least[k] = d.float()
	}
	extent, bits := d.float(), d.u8()
	if bits < 1 || bits > 30 {
		must.Fail("quantized to %d bits", bits)
	}
	step := extent / float32(int32(1)<<bits-1)
	d.store(g, a, func(value int, to []byte) {
		for k, v := range a.values[value*a.numbers:][:a.numbers] {
			// The conversion keeps the product from being fused with the sum.
			binary.LittleEndian.PutUint32(to[4*k:], math.Float32bits(float32(float32(v)*step)+least[k]))
		}
	})
}

// readNumbers reads an attribute's integers.
func (d *decoder) readNumbers(g *group, a *attribute) {
	p := d.newPredictor(g, a)
	d.charge(g.count, 4*a.numbers)
	d.work(g.count * a.numbers)
	a.values = make([]int32, g.count*a.numbers)
	if d.u8() > 0 {
		d.symbols(a.values, a.numbers)
	} else {
		size := d.u8()
		if size > 4 {
			must.Fail("integers of %d bytes", size)
		}
		for k := range a.values {
			a.values[k] = int32(d.unsigned(uint64(size)))
		}
	}
	if p == nil || !p.octahedral {
		for k, v := range a.values {
			a.values[k] = int32(uint32(v)>>1) ^ -(v & 1)
		}
	}
	if p != nil {
		p.read()
		p.restore()
	}
}
