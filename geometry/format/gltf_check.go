package format

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
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

// gltfComponentBytes are the sizes of component types; 0 for an unknown type.
var gltfComponentBytes = map[int64]int64{gltfByte: 1, gltfUnsignedByte: 1, gltfShort: 2, gltfUnsignedShort: 2, gltfUnsignedInt: 4, gltfFloat: 4}

// gltfVectors are the numbers of components of vectors, and gltfMatrices the numbers of rows of
// matrices.
var (
	gltfVectors  = map[string]int64{"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
	gltfMatrices = map[string]int64{"MAT2": 2, "MAT3": 3, "MAT4": 4}
)

func gltfUnsigned(component int64) bool {
	return component == gltfUnsignedByte || component == gltfUnsignedShort || component == gltfUnsignedInt
}

// gltfElementBytes returns the size of an element; 0 for an unknown type. Columns of matrices
// begin at multiples of 4 bytes.
func gltfElementBytes(kind string, component int64) int64 {
	size, rows := gltfComponentBytes[component], gltfMatrices[kind]
	return gltfVectors[kind]*size + rows*((rows*size+3)&^3)
}

// check checks all parts of the document from which geometry is read, used or not, before any
// buffer is opened. After it, every reference is in range, every accessor lies within its view,
// and every view within the byteLength of its buffer. (walk checks the nodes.)
func (d *gltfDocument) check() {
	d.checkHeader()
	for i := range d.Buffers {
		b, place := &d.Buffers[i], gltfPlace("buffer", i)
		b.ByteLength.positive("byteLength", place)
		gltfMust(place, b.URI.err)
		if media := b.URI.media; media != "" && media != "application/octet-stream" && media != "application/gltf-buffer" {
			gltfFail(place, "data URI of type %q is not a buffer", CleanName(media))
		}
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

func gltfVersion(v string) bool {
	number := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	major, minor, _ := strings.Cut(v, ".")
	return number(major) && number(minor)
}

func (d *gltfDocument) checkHeader() {
	switch v := d.Asset.Version; {
	case v == "":
		gltfFail("asset", "no version: this is not a glTF 2.0 document")
	case !gltfVersion(v):
		gltfFail("asset", "version %q is not a version", CleanName(v))
	case v[:2] != "2.":
		gltfFail("asset", "glTF %s, only 2.0 is supported", CleanName(v))
	}
	if v := d.Asset.MinVersion; v != "" && v != "2.0" {
		gltfFail("asset", "needs glTF %q, only 2.0 is supported", CleanName(v))
	}
	for _, name := range d.ExtensionsRequired {
		if !gltfExtensions[name] {
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
	buffer.refer("buffer", len(d.Buffers), place)
	size := d.Buffers[buffer.n].ByteLength.n
	length.positive("byteLength", place)
	if offset.n < 0 || offset.n > size || length.n > size-offset.n {
		gltfFail(place, "bytes %d+%d lie outside buffer %d of %d", offset.n, length.n, buffer.n, size)
	}
}

func (d *gltfDocument) checkAccessor(a *gltfAccessor, place string) {
	if gltfComponentBytes[a.ComponentType.n] == 0 {
		gltfFail(place, "componentType is %v, which glTF does not have", a.ComponentType)
	}
	size := gltfElementBytes(a.Type, a.ComponentType.n)
	if size == 0 {
		gltfFail(place, "type is %q, which glTF does not have", CleanName(a.Type))
	}
	a.Count.positive("count", place)
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
	if !gltfUnsigned(s.Indices.ComponentType.n) {
		gltfFail(place, "componentType of indices is %v", s.Indices.ComponentType)
	}
	width := gltfComponentBytes[s.Indices.ComponentType.n]
	d.checkElements(s.Indices.BufferView, s.Indices.ByteOffset.n, s.Count.n, width, place+" indices")
	d.checkElements(s.Values.BufferView, s.Values.ByteOffset.n, s.Count.n, size, place+" values")
	for _, view := range []gltfInt{s.Indices.BufferView, s.Values.BufferView} {
		if d.BufferViews[view.n].ByteStride.set {
			gltfFail(place, "bufferView %d has a byteStride", view.n)
		}
	}
}

// checkElements fails if `count` elements of `size` bytes, from `offset` on, do not fit the view.
func (d *gltfDocument) checkElements(view gltfInt, offset, count, size int64, place string) {
	view.refer("bufferView", len(d.BufferViews), place)
	v := &d.BufferViews[view.n]
	stride, length := v.ByteStride.or(size), v.ByteLength.n
	switch {
	case stride < size:
		gltfFail(place, "elements of %d bytes in bufferView %d with byteStride %d", size, view.n, stride)
	case offset < 0 || offset > length || size > length-offset || count-1 > (length-offset-size)/stride:
		gltfFail(place, "%d elements of %d bytes from byte %d do not fit bufferView %d of %d bytes", count, stride, offset, view.n, length)
	}
}

func (d *gltfDocument) checkPrimitive(p *gltfPrimitive, place string) {
	if p.Mode.n < 0 || p.Mode.n > 6 {
		gltfFail(place, "mode is %v: must be 0 to 6", p.Mode)
	}
	if p.Material.set {
		p.Material.refer("material", len(d.Materials), place)
	}
	for _, ref := range []gltfInt{p.Attributes.Position, p.Attributes.Normal, p.Indices} {
		if ref.set {
			ref.refer("accessor", len(d.Accessors), place)
		}
	}
	if p.Attributes.Position.set {
		d.checkVec3(&d.Accessors[p.Attributes.Position.n], false, place+" POSITION")
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
	d.checkDraco(p, place)
}

// checkVec3 accepts the types that the core and KHR_mesh_quantization allow.
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
	if !gltfUnsigned(a.ComponentType.n) {
		gltfFail(place, "component type %d is not unsigned", a.ComponentType.n)
	}
	if a.Type != "SCALAR" || a.Normalized {
		gltfFail(place, "%q (normalized: %t) is not allowed", a.Type, a.Normalized)
	}
	if a.BufferView.set && d.BufferViews[a.BufferView.n].ByteStride.set {
		gltfFail(place, "bufferView %d has a byteStride, which indices must not have", a.BufferView.n)
	}
}

// The parts of a glTF document that geometry needs. Textures, animations and further attributes are
// parsed separately, on request; everything else is skipped without being stored.
//
// We do not decode with qmuntal/gltf, since its decoder panics on negative numbers and turns
// unknown component types into valid ones.
type (
	gltfDocument struct {
		Asset struct {
			Version    string `json:"version"`
			MinVersion string `json:"minVersion"`
		}
		ExtensionsUsed     gltfNames
		ExtensionsRequired gltfNames
		Buffers            GLTFList[gltfBuffer]
		BufferViews        GLTFList[gltfBufferView]
		Accessors          GLTFList[gltfAccessor]
		Materials          GLTFList[gltfMaterial]
		Meshes             GLTFList[gltfMesh]
		Nodes              GLTFList[gltfNode]
		Scenes             GLTFList[gltfScene]
		Scene              gltfInt

		further       [][]gltfFurther    // attributes by mesh and primitive, if they were requested
		packed        map[int]gltfPacked // by accessor: where its compressed data is; only compressed accessors
		unpackedBytes map[int64]int64    // by view: size of the accessors that are compressed in it
	}
	gltfBuffer struct {
		URI        gltfURI `json:"uri"`
		ByteLength gltfInt `json:"byteLength"`
	}
	gltfBufferView struct {
		Buffer     gltfInt `json:"buffer"`
		ByteOffset gltfInt `json:"byteOffset"`
		ByteLength gltfInt `json:"byteLength"`
		ByteStride gltfInt `json:"byteStride"`
		Extensions struct {
			Meshopt *gltfMeshopt `json:"EXT_meshopt_compression"`
		} `json:"extensions"`
	}
	gltfMeshopt struct {
		Buffer     gltfInt `json:"buffer"`
		ByteOffset gltfInt `json:"byteOffset"`
		ByteLength gltfInt `json:"byteLength"`
		ByteStride gltfInt `json:"byteStride"`
		Count      gltfInt `json:"count"`
		Mode       string  `json:"mode"`
		Filter     string  `json:"filter"`
	}
	gltfAccessor struct {
		BufferView    gltfInt     `json:"bufferView"`
		ByteOffset    gltfInt     `json:"byteOffset"`
		ComponentType gltfInt     `json:"componentType"`
		Count         gltfInt     `json:"count"`
		Normalized    bool        `json:"normalized"`
		Type          string      `json:"type"`
		Sparse        *gltfSparse `json:"sparse"`
	}
	gltfSparse struct {
		Count   gltfInt         `json:"count"`
		Indices gltfSparseArray `json:"indices"`
		Values  gltfSparseArray `json:"values"`
	}
	gltfSparseArray struct {
		BufferView    gltfInt `json:"bufferView"`
		ByteOffset    gltfInt `json:"byteOffset"`
		ComponentType gltfInt `json:"componentType"` // only indices have one
	}
	gltfMaterial struct {
		PBR struct {
			BaseColorFactor []float64 `json:"baseColorFactor"`
		} `json:"pbrMetallicRoughness"`
		DoubleSided bool `json:"doubleSided"`
	}
	gltfMesh struct {
		Name       string                  `json:"name"`
		Primitives GLTFList[gltfPrimitive] `json:"primitives"`
	}
	gltfPrimitive struct {
		Attributes struct {
			Position gltfInt `json:"POSITION"`
			Normal   gltfInt `json:"NORMAL"`
		} `json:"attributes"`
		Indices    gltfInt `json:"indices"`
		Material   gltfInt `json:"material"`
		Mode       gltfInt `json:"mode"`
		Extensions struct {
			Draco *gltfDracoMesh `json:"KHR_draco_mesh_compression"` // nil once check knows that it is not needed
		} `json:"extensions"`
	}
	gltfNode struct {
		Name        string            `json:"name"`
		Mesh        gltfInt           `json:"mesh"`
		Children    GLTFList[gltfRef] `json:"children"`
		Matrix      []float64         `json:"matrix"`
		Translation []float64         `json:"translation"`
		Rotation    []float64         `json:"rotation"`
		Scale       []float64         `json:"scale"`
		Extensions  struct {
			Visibility *struct {
				Visible *bool `json:"visible"`
			} `json:"KHR_node_visibility"`
			Instancing *gltfInstancing `json:"EXT_mesh_gpu_instancing"`
		} `json:"extensions"`
	}
	gltfScene struct {
		Nodes GLTFList[gltfRef] `json:"nodes"`
	}
)

func gltfJSONError(text []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	place, cause := "JSON", err.Error()
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		cause = "the file is empty"
	case errors.As(err, &syntax):
		place = fmt.Sprintf("JSON, byte %d", syntax.Offset)
	case errors.As(err, &kind):
		if kind.Field != "" {
			place = "JSON, " + CleanName(kind.Field)
		}
		cause = fmt.Sprintf("%s where %s is needed", CleanName(kind.Value), gltfKind(kind.Type))
	}
	return &Error{Place: place, Cause: cause, Err: err}
}

// gltfKind returns JSON's name for a type.
func gltfKind(t reflect.Type) string {
	return cmp.Or(map[reflect.Kind]string{
		reflect.Slice: "an array", reflect.Array: "an array", reflect.String: "a string", reflect.Bool: "true or false",
		reflect.Float64: "a finite number", reflect.Int: "a whole number", reflect.Int32: "a whole number",
	}[t.Kind()], "an object")
}
