package interpret

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// placeVariables allocates registers for all variables except blocks.
func (c *compiler) placeVariables() {
	for _, in := range slices.Concat(c.v.Globals, c.v.Body) {
		if image, _ := c.v.Image(in.Result()); in.Op != module.OpVariable || image != 0 {
			continue
		}
		c.now = in.Op
		t := c.of(in.At(0))
		if t.kind != pointerTo {
			must.Fail("a variable of type %v", t)
		}
		v := &variable{t: t.elem, class: module.StorageClass(in.At(2))}
		switch v.class {
		case module.Uniform, module.StorageBuffer, module.PushConstant:
			v.inBlock = true
		case module.Input, module.Output, module.Private, module.FunctionLocal:
			if v.t.words <= 0 {
				must.Fail("a variable of type %v", v.t)
			}
			v.at = c.registers(v.t.words)
		default:
			must.Fail("a variable of storage class %d", v.class)
		}
		c.variables[in.Result()] = v
	}
}

// initialize gives the module's variables their initial values.
func (c *compiler) initialize() {
	for _, in := range c.v.Module.Globals {
		if v := c.variables[in.Result()]; in.Op == module.OpVariable && v != nil && len(in.Operands) > 3 && !v.inBlock {
			c.now = in.Op
			from := c.constant(in.At(3))
			if from.t != v.t {
				must.Fail("a %v is initialized with a %v", v.t, from.t)
			}
			c.p.begin = append(c.p.begin, move(v.at, from.at, v.t.words))
		}
	}
}

// variable gives a function's variable its initial value.
func (f *frame) variable(in module.Instruction) {
	if v := f.variables[in.Result()]; v != nil && len(in.Operands) > 3 {
		from := f.value(in.At(3))
		if from.t != v.t || v.inBlock {
			must.Fail("a %v is initialized with a %v", v.t, from.t)
		}
		f.store(&pointer{of: v, block: -1, t: v.t}, from)
	}
}

func (f *frame) load(in module.Instruction) {
	p := f.mustPoint(in.At(2))
	switch t := f.of(in.At(0)); {
	case t != p.t:
		must.Fail("%v of a pointer to %v", t, p.t)
	case p.block >= 0:
		v, do := f.loadBlock(p)
		f.emit(in, v, do, value{steady: p.steady()})
	case p.of.inBlock:
		must.Fail("an array of blocks as a whole")
	case p.of.class == module.Input && len(p.index) == 0:
		// Nothing writes to inputs, so no copy is needed.
		f.values[in.Result()] = value{p.of.at + int(p.at), p.t, false}
	default:
		if v, ok := f.remembered(p); ok {
			f.values[in.Result()] = v
			return
		}
		v := f.loaded(p)
		f.values[in.Result()] = v
		f.remember(p, v)
	}
}

// remembered returns the value that a part of a variable is known to hold; false if none is known. The value
// needs no copy, since the registers of an instruction's result do not change.
func (f *frame) remembered(p *pointer) (value, bool) {
	at := p.of.at + int(p.at)
	for _, c := range f.known[p.of] {
		if len(p.index) == 0 && at >= c.at && at+p.t.words <= c.at+c.t.words {
			return value{c.value.at + at - c.at, p.t, c.steady}, true
		}
	}
	return value{}, false
}

// remember records the value of a part of a variable for the rest of the block.
func (f *frame) remember(p *pointer, v value) {
	const most = 8
	if list := f.known[p.of]; len(p.index) == 0 && len(list) < most {
		f.known[p.of] = append(list, content{p.of.at + int(p.at), v})
	}
}

// forget drops the known values that a store through p may overwrite.
func (f *frame) forget(p *pointer) {
	at := p.of.at + int(p.at)
	f.known[p.of] = slices.DeleteFunc(f.known[p.of], func(c content) bool {
		return len(p.index) > 0 || at < c.at+c.t.words && c.at < at+p.t.words
	})
}

// loaded adds code to the current block that loads a value. The code runs for each vertex.
func (f *frame) loaded(p *pointer) value {
	if p.block >= 0 {
		v, do := f.loadBlock(p)
		f.add(do, v.t.words)
		return v
	}
	if p.of.inBlock || p.t.words <= 0 {
		must.Fail("a %v as a whole", p.t)
	}
	n := p.t.words
	v := value{f.registers(n), p.t, false}
	to, base := v.at, p.of.at
	if len(p.index) == 0 {
		f.add(move(to, base+int(p.at), n), n)
		return v
	}
	f.add(func(t *thread) {
		from := base + int(p.where(t))
		copy(t.r[to:to+n], t.r[from:from+n])
	}, n)
	return v
}

// loadBlock returns registers for a value from a block, and the operation that loads it into them.
func (f *frame) loadBlock(p *pointer) (value, op) {
	if p.t.words <= 0 {
		must.Fail("a %v as a whole", p.t)
	}
	v := value{f.registers(p.t.words), p.t, false}
	from := *p
	from.at = 0
	spans := f.spans(from, v.at, nil)
	block := p.block
	if len(spans) == 1 {
		s := spans[0]
		return v, func(t *thread) { s.load(t.r, t.blocks[block], p.where(t)) }
	}
	return v, func(t *thread) {
		base, data := p.where(t), t.blocks[block]
		for i := range spans {
			spans[i].load(t.r, data, base)
		}
	}
}

func (f *frame) store(p *pointer, v value) {
	if !slices.Contains([]module.StorageClass{module.Output, module.Private, module.FunctionLocal}, p.of.class) {
		must.Fail("a store to storage class %d", p.of.class)
	}
	if v.t.words != p.t.words {
		must.Fail("a %v stored as %v", v.t, p.t)
	}
	n, base, from := v.t.words, p.of.at, v.at
	f.forget(p)
	defer f.remember(p, v)
	if len(p.index) == 0 {
		f.add(move(base+int(p.at), from, n), n)
		return
	}
	f.add(func(t *thread) {
		to := base + int(p.where(t))
		copy(t.r[to:to+n], t.r[from:from+n])
	}, n)
}

func (f *frame) arrayLength(in module.Instruction) {
	p := f.mustPoint(in.At(2))
	member := int(in.At(3))
	if p.block < 0 || p.t.kind != structure || member >= len(p.t.members) || p.t.members[member].kind != openArray {
		must.Fail("its member is not a runtime array")
	}
	offset, _ := f.v.Module.MemberDecoration(p.t.id, member, module.Offset)
	stride, _ := f.v.Module.Decoration(p.t.members[member].id, module.ArrayStride)
	v, block := f.result(in), p.block
	if v.t.words != 1 {
		must.Fail("a length of type %v", v.t)
	}
	f.emit(in, v, func(t *thread) {
		t.r[v.at] = openLength(t.blocks[block], int64(offset), int64(stride))
	})
}

func (c *compiler) interfaces() {
	for _, in := range c.v.Inputs {
		c.input(in.Location, in.Component, c.variables[in.ID].t, c.variables[in.ID].at)
	}
	for _, b := range c.v.BuiltIns {
		c.p.builtIns = append(c.p.builtIns, builtInPlace{c.variables[b.ID].at, b.BuiltIn})
	}
	c.p.variableAt = map[uint32]*variable{}
	for _, out := range append(c.v.Outputs[:len(c.v.Outputs):len(c.v.Outputs)], c.v.Position, c.v.ClipDistance, c.v.CullDistance) {
		c.p.variableAt[out.ID] = c.variables[out.ID]
	}
	at, t := c.p.place(c.v.Position)
	if component, n := t.component(); component == nil || component.kind != floating || component.width != 32 || n != 4 {
		must.Fail("a Position of type %v", t)
	}
	c.p.position = at
}

// input assigns registers to an input, which may take several locations. It returns the next location.
func (c *compiler) input(location, component uint32, t *typ, at int) (next uint32) {
	if scalar, n := t.component(); scalar != nil {
		if scalar.kind == boolean || scalar.width > 32 || component > 3 || n > 4-int(component) {
			must.Fail("an input of %v from component %d on", t, component)
		}
		c.p.inputs = append(c.p.inputs, inputPlace{location, int(component), n, at, scalar})
		return location + 1
	}
	if t.kind != array && t.kind != matrix {
		must.Fail("an input of type %v", t)
	}
	for i := range t.count {
		location = c.input(location, component, t.elem, at+i*t.elem.words)
	}
	return location
}

// place returns an output's first register and its type.
func (p *Runner) place(out module.Variable) (at int, t *typ) {
	v := p.variableAt[out.ID]
	if out.Member < 0 {
		return v.at, v.t
	}
	if v.t.kind != structure || out.Member >= len(v.t.members) {
		must.Fail("member %d of a %v", out.Member, v.t)
	}
	return v.at + v.t.places[out.Member], v.t.members[out.Member]
}

// output returns the named output's first register and its type.
func (p *Runner) output(name string) (at int, t *typ) {
	part, ok := p.vertex.Part(name)
	if !ok {
		must.Fail("no output is called %q", name)
	}
	at, t = p.place(part.Variable)
	for _, i := range part.Index {
		t = t.elem
		at += int(i) * t.words
	}
	return at, t
}

// fetch compiles the read of a texel. Like sample and imageSize, it finds the image by its variable: images are not
// values of the interpreter, which compiles nothing for instructions that result in an image.
func (f *frame) fetch(in module.Instruction) {
	variable, dimensions := f.v.Image(in.At(2))
	block, at, v := f.blockOf(variable, 0), f.value(in.At(3)), f.result(in)
	f.emit(in, v, func(t *thread) {
		x, y := t.r[at.at], uint32(0)
		if dimensions == 2 {
			y = t.r[at.at+1]
		}
		fetchTexel(t.r[v.at:v.at+4], t.blocks[block], x, y)
	}, at)
}

func (f *frame) sample(in module.Instruction) {
	variable, _ := f.v.Image(in.At(2))
	block, at, v := f.blockOf(variable, 0), f.value(in.At(3)), f.result(in)
	f.emit(in, v, func(t *thread) {
		sampleTexels((*[4]uint32)(t.r[v.at:]), t.blocks[block], [2]float32{float(t.r[at.at]), float(t.r[at.at+1])})
	}, at)
}

func (f *frame) imageSize(in module.Instruction) {
	variable, dimensions := f.v.Image(in.At(2))
	block, v := f.blockOf(variable, 0), f.result(in)
	f.emit(in, v, func(t *thread) {
		width, height, _, _ := module.ImageSize(t.blocks[block])
		t.r[v.at] = width
		if dimensions == 2 {
			t.r[v.at+1] = height
		}
	})
}

// fetchTexel reads a texel; outside the image it is zeros.
func fetchTexel(to []uint32, image []byte, x, y uint32) {
	width, height, _, _ := module.ImageSize(image)
	if x >= width || y >= height {
		clear(to)
		return
	}
	at := module.ImageHead + module.TexelBytes*(int(y)*int(width)+int(x))
	for i := range to {
		to[i] = binary.LittleEndian.Uint32(image[at+4*i:])
	}
}

// sampleTexels filters an image like package link's copySample, with bit-equal results.
func sampleTexels(to *[4]uint32, image []byte, at [2]float32) {
	width, height, _, ok := module.ImageSize(image)
	if !ok {
		return
	}
	nearest, clamps := binary.LittleEndian.Uint32(image[8:]) != 0, binary.LittleEndian.Uint32(image[12:]) != 0
	var share [2]float32
	var texel [2][2]uint32 // low and high, of each axis
	for axis, size := range []uint32{width, height} {
		x := float32(at[axis] * float32(size))
		if !nearest {
			x -= .5
		}
		x = min(max(x, -module.MostTexel), module.MostTexel)
		if x != x { // as NClamp
			x = -module.MostTexel
		}
		whole := float32(math.Floor(float64(x)))
		if !nearest {
			share[axis] = x - whole
		}
		count := max(int(size), 1)
		for k := range 2 {
			index := int(whole) + k
			if clamps {
				index = min(max(index, 0), count-1)
			} else {
				index = (index%count + count) % count
			}
			texel[axis][k] = uint32(index)
		}
	}
	mix := func(a, b [4]float32, share float32) (m [4]float32) {
		for k := range m {
			m[k] = float32(a[k]*(1-share)) + float32(b[k]*share)
		}
		return m
	}
	var rows [2][4]float32
	for y := range rows {
		var of [2][4]float32
		for x := range of {
			fetchTexel(to[:], image, texel[0][x], texel[1][y])
			for k, bits := range to {
				of[x][k] = float(bits)
			}
		}
		rows[y] = mix(of[0], of[1], share[0])
	}
	for k, v := range mix(rows[0], rows[1], share[1]) {
		to[k] = math.Float32bits(v)
	}
}
