package format

import (
	"regexp"
	"slices"
)

// Component types of accessors, section 3.6.2.2 of the specification.
const (
	gltfByte          = 5120
	gltfUnsignedByte  = 5121
	gltfShort         = 5122
	gltfUnsignedShort = 5123
	gltfUnsignedInt   = 5125
	gltfFloat         = 5126
)

// gltfComponentBytes is the size of a component, 0 where there is no such type.
func gltfComponentBytes(component int64) int64 {
	switch component {
	case gltfByte, gltfUnsignedByte:
		return 1
	case gltfShort, gltfUnsignedShort:
		return 2
	case gltfUnsignedInt, gltfFloat:
		return 4
	}
	return 0
}

// gltfElementBytes is the size of an element, 0 where there is no such type.
// Columns of matrices begin at multiples of 4 bytes.
func gltfElementBytes(kind string, component int64) int64 {
	size := gltfComponentBytes(component)
	column := func(n int64) int64 { return (n*size + 3) &^ 3 }
	switch kind {
	case "SCALAR":
		return size
	case "VEC2":
		return 2 * size
	case "VEC3":
		return 3 * size
	case "VEC4":
		return 4 * size
	case "MAT2":
		return 2 * column(2)
	case "MAT3":
		return 3 * column(3)
	case "MAT4":
		return 4 * column(4)
	}
	return 0
}

// check checks all parts of the document that geometry is read from, used or not,
// before any buffer is opened. After it, every reference names an element, every
// accessor lies within its view, and every view within the byteLength of its
// buffer. (walk checks the nodes.)
func (d *gltfDocument) check() {
	d.checkHeader()
	for i := range d.Buffers {
		b := &d.Buffers[i]
		if !b.ByteLength.set || b.ByteLength.n < 1 {
			gltfFail(gltfPlace("buffer", i), "byteLength is %v", b.ByteLength)
		}
		gltfMust(gltfPlace("buffer", i), b.URI.err)
	}
	for i := range d.BufferViews {
		d.checkView(&d.BufferViews[i], gltfPlace("bufferView", i))
	}
	for i := range d.Accessors {
		d.checkAccessor(&d.Accessors[i], gltfPlace("accessor", i))
	}
	for i := range d.Materials {
		if n := len(d.Materials[i].PBR.BaseColorFactor); n != 0 && n != 4 {
			gltfFail(gltfPlace("material", i), "baseColorFactor has %d components, not 4", n)
		}
	}
	for i := range d.Meshes {
		if d.Meshes[i].Primitives == nil {
			gltfFail(gltfPlace("mesh", i), "no primitives")
		}
		for k := range d.Meshes[i].Primitives {
			d.checkPrimitive(&d.Meshes[i].Primitives[k], gltfPrimitivePlace(i, k))
		}
	}
}

func gltfPrimitivePlace(mesh, primitive int) string {
	return gltfPlace(gltfPlace("mesh", mesh)+" primitive", primitive)
}

var gltfVersion = regexp.MustCompile(`^[0-9]+\.[0-9]+$`)

func (d *gltfDocument) checkHeader() {
	switch v := d.Asset.Version; {
	case v == "":
		gltfFail("asset", "no version: this is not a glTF 2.0 document")
	case !gltfVersion.MatchString(v):
		gltfFail("asset", "version %q is not a version", CleanName(v))
	case v[:2] != "2.":
		gltfFail("asset", "glTF %s, only 2.0 is supported", CleanName(v))
	}
	if v := d.Asset.MinVersion; v != "" && v != "2.0" {
		gltfFail("asset", "needs glTF %q, only 2.0 is supported", CleanName(v))
	}
	for _, name := range d.ExtensionsRequired {
		switch {
		case name == gltfDraco:
			gltfFail("extensionsRequired", "compressed with Draco, which is not supported (%s)", name)
		case !gltfExtensions[name]:
			gltfFail("extensionsRequired", "extension %q is not supported", CleanName(name))
		}
	}
}

func (d *gltfDocument) checkView(v *gltfBufferView, place string) {
	d.checkViewRange(v.Buffer, v.ByteOffset, v.ByteLength, place)
	if s := v.ByteStride; s.set && (s.n < 4 || s.n > 252 || s.n%4 != 0) {
		gltfFail(place, "byteStride is %v, not a multiple of 4 from 4 to 252", s)
	}
	if v.ByteStride.n > v.ByteLength.n {
		gltfFail(place, "byteStride %d is more than its %d bytes", v.ByteStride.n, v.ByteLength.n)
	}
	if v.Extensions.Meshopt != nil {
		d.checkMeshopt(v, place)
	}
}

func (d *gltfDocument) checkViewRange(buffer, offset, length gltfInt, place string) {
	if !buffer.in(len(d.Buffers)) {
		gltfFail(place, "buffer is %v, but there are %d", buffer, len(d.Buffers))
	}
	size := d.Buffers[buffer.n].ByteLength.n
	if !length.set || length.n < 1 {
		gltfFail(place, "byteLength is %v", length)
	}
	if offset.n < 0 || offset.n > size || length.n > size-offset.n {
		gltfFail(place, "bytes %d+%d lie outside buffer %d of %d", offset.n, length.n, buffer.n, size)
	}
}

func (d *gltfDocument) checkAccessor(a *gltfAccessor, place string) {
	if gltfComponentBytes(a.ComponentType.n) == 0 {
		gltfFail(place, "componentType is %v", a.ComponentType)
	}
	size := gltfElementBytes(a.Type, a.ComponentType.n)
	if size == 0 {
		gltfFail(place, "type is %q", CleanName(a.Type))
	}
	if !a.Count.set || a.Count.n < 1 {
		gltfFail(place, "count is %v", a.Count)
	}
	switch {
	case a.BufferView.set:
		d.checkElements(a.BufferView, a.ByteOffset.n, a.Count.n, size, place)
	case a.ByteOffset.set:
		gltfFail(place, "byteOffset without a bufferView")
	}
	if a.Sparse != nil {
		d.checkSparse(a, size, place+" sparse")
	}
}

func (d *gltfDocument) checkSparse(a *gltfAccessor, size int64, place string) {
	s := a.Sparse
	if s.Count.n < 1 || s.Count.n > a.Count.n {
		gltfFail(place, "count is %v, but the accessor has %d elements", s.Count, a.Count.n)
	}
	switch s.Indices.ComponentType.n {
	case gltfUnsignedByte, gltfUnsignedShort, gltfUnsignedInt:
	default:
		gltfFail(place, "componentType of indices is %v", s.Indices.ComponentType)
	}
	width := gltfComponentBytes(s.Indices.ComponentType.n)
	d.checkElements(s.Indices.BufferView, s.Indices.ByteOffset.n, s.Count.n, width, place+" indices")
	d.checkElements(s.Values.BufferView, s.Values.ByteOffset.n, s.Count.n, size, place+" values")
	for _, view := range []gltfInt{s.Indices.BufferView, s.Values.BufferView} {
		if d.BufferViews[view.n].ByteStride.set {
			gltfFail(place, "bufferView %d has a byteStride", view.n)
		}
	}
}

// checkElements makes sure that count elements of size bytes lie in the view.
func (d *gltfDocument) checkElements(view gltfInt, offset, count, size int64, place string) {
	if !view.in(len(d.BufferViews)) {
		gltfFail(place, "bufferView is %v, but there are %d", view, len(d.BufferViews))
	}
	v := &d.BufferViews[view.n]
	stride := size
	if v.ByteStride.set {
		stride = v.ByteStride.n
	}
	length := v.ByteLength.n
	switch {
	case stride < size:
		gltfFail(place, "elements of %d bytes in bufferView %d with byteStride %d", size, view.n, stride)
	case offset < 0 || offset > length || size > length-offset || count-1 > (length-offset-size)/stride:
		gltfFail(place, "%d elements of %d bytes from byte %d do not fit bufferView %d of %d bytes", count, stride, offset, view.n, length)
	}
}

func (d *gltfDocument) checkPrimitive(p *gltfPrimitive, place string) {
	if p.Mode.n < 0 || p.Mode.n > 6 {
		gltfFail(place, "mode is %v", p.Mode)
	}
	if p.Material.set && !p.Material.in(len(d.Materials)) {
		gltfFail(place, "material is %v, but there are %d", p.Material, len(d.Materials))
	}
	for _, ref := range []gltfInt{p.Attributes.Position, p.Attributes.Normal, p.Indices} {
		if ref.set && !ref.in(len(d.Accessors)) {
			gltfFail(place, "accessor is %v, but there are %d", ref, len(d.Accessors))
		}
	}
	if p.Attributes.Position.set {
		a := &d.Accessors[p.Attributes.Position.n]
		if p.Extensions.Draco != nil && !a.BufferView.set && a.Sparse == nil {
			gltfFail(place, "compressed with Draco, which is not supported (%s)", gltfDraco)
		}
		d.checkVec3(a, false, place+" POSITION")
	}
	if p.Attributes.Normal.set {
		a := &d.Accessors[p.Attributes.Normal.n]
		d.checkVec3(a, true, place+" NORMAL")
		if p.Attributes.Position.set && a.Count.n != d.Accessors[p.Attributes.Position.n].Count.n {
			gltfFail(place, "%d normals for %d positions", a.Count.n, d.Accessors[p.Attributes.Position.n].Count.n)
		}
	}
	if p.Indices.set {
		d.checkIndices(&d.Accessors[p.Indices.n], place+" indices")
	}
}

// checkVec3 allows what the core and KHR_mesh_quantization allow.
func (d *gltfDocument) checkVec3(a *gltfAccessor, normal bool, place string) {
	ok := a.ComponentType.n == gltfFloat
	if !ok && slices.Contains(d.ExtensionsUsed, "KHR_mesh_quantization") {
		signed := a.ComponentType.n == gltfByte || a.ComponentType.n == gltfShort
		ok = a.ComponentType.n != gltfUnsignedInt && (!normal || signed && a.Normalized)
	}
	if !ok || a.Type != "VEC3" {
		gltfFail(place, "%q of component type %d (normalized: %t) is not allowed", a.Type, a.ComponentType.n, a.Normalized)
	}
}

func (d *gltfDocument) checkIndices(a *gltfAccessor, place string) {
	switch a.ComponentType.n {
	case gltfUnsignedByte, gltfUnsignedShort, gltfUnsignedInt:
	default:
		gltfFail(place, "component type %d is not unsigned", a.ComponentType.n)
	}
	if a.Type != "SCALAR" || a.Normalized {
		gltfFail(place, "%q (normalized: %t) is not allowed", a.Type, a.Normalized)
	}
	if a.BufferView.set && d.BufferViews[a.BufferView.n].ByteStride.set {
		gltfFail(place, "bufferView %d has a byteStride, which indices must not have", a.BufferView.n)
	}
}
