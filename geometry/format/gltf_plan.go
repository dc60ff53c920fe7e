package format

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// Primitive modes that make triangles, section 5.24.4 of the specification.
const (
	gltfTriangles     = 4
	gltfTriangleStrip = 5
	gltfTriangleFan   = 6
)

// gltfPlan says where everything will lie in the scene's pools, before any buffer is read: the
// accessors determine all sizes. Primitives that use the same accessors share ranges.
type gltfPlan struct {
	doc         *gltfDocument
	instances   []gltfInstance
	parts       map[[3]int][]gltfPart // by mesh, skin, and gltfMotion.morphs
	motion      *gltfMotion           // nil if nothing moves, or animations were not requested
	vertices    []gltfVertexRange
	indices     []gltfIndexRange
	drawCount   int64
	vertexCount int64 // lengths of the pools
	indexCount  int64
	hasNormals  bool          // whether any range has normals; normals of other ranges are computed
	hasFurther  bool          // whether any range has attributes that are kept
	textures    *gltfTextures // nil if they were not requested
}

type gltfVertexRange struct {
	position, normal int // accessors; normal is -1 if there is none
	first, count     int64
	place            string
	further          gltfFurther
}

type gltfIndexRange struct {
	accessor     int   // -1 for a primitive without indices, which uses 0, 1, 2 and so on
	mode, source int64 // primitive mode, and number of indices in the file that make triangles
	first, count int64 // first index in the pool, and number of indices as a triangle list
	place        string
}

// gltfPart is a triangle primitive of a mesh: its two ranges and its material.
type gltfPart struct {
	vertex, index int
	number        int // number of the primitive within its mesh
	color         mgl32.Vec4
	oneSided      bool // true unless the material is doubleSided
	material      gltfInt
}

const gltfLargestPool = 1<<31 - 1

// plan lays out the pools. check must have accepted the document.
func (d *gltfDocument) plan(instances []gltfInstance, motion *gltfMotion, budget gltfBudget) *gltfPlan {
	p := &gltfPlan{doc: d, instances: instances, parts: map[[3]int][]gltfPart{}, motion: motion}
	layout := gltfLayout{gltfPlan: p, vertexAt: map[gltfVertexKey]int{}, indexAt: map[[3]int64]int{}}
	for _, inst := range instances {
		of := inst.mover()
		if _, ok := p.parts[of]; !ok {
			const partBytes = 256 // bytes of memory for a part with its vertex range, or for the name of a morph target
			budget.charge(int64(len(d.Meshes[inst.mesh].Primitives))*int64(1+motion.targets(inst.mesh)), partBytes, "primitives")
			p.parts[of] = layout.mesh(of)
		}
		p.drawCount += int64(len(p.parts[of]))
	}
	if p.drawCount == 0 {
		gltfFail("", "no triangles")
	}
	if max(p.vertexCount, p.indexCount) > gltfLargestPool {
		gltfFail("", "%d vertices and %d indices, at most %d of each are supported", p.vertexCount, p.indexCount, gltfLargestPool)
	}
	return p
}

// pay charges the scene's memory to the budget. All buffers that the scene is read from must be
// open, so that the budget knows their sizes.
func (p *gltfPlan) pay(budget gltfBudget) {
	const vertexBytes, indexBytes, drawBytes = 12, 4, 256
	// Normals are charged in any case: where the file has none, Open makes them, or fill if only some primitives lack
	// them.
	budget.charge(p.vertexCount, vertexBytes, "normals")
	budget.charge(p.vertexCount, vertexBytes, "positions")
	budget.charge(p.indexCount, indexBytes, "indices")
	budget.charge(p.drawCount, drawBytes, "draws")
}

// open opens every buffer that the plan uses.
func (p *gltfPlan) open(s *gltfSource) {
	for i := range p.indices {
		s.open(p.indices[i].accessor)
	}
	for i := range p.vertices {
		s.open(p.vertices[i].position)
		s.open(p.vertices[i].normal)
		for _, f := range p.vertices[i].further {
			s.open(f.accessor)
		}
	}
}

func (p *gltfPlan) partsOf(inst *gltfInstance) []gltfPart {
	return p.parts[inst.mover()]
}

// draws returns the scene's table of draws.
func (p *gltfPlan) draws() []geometry.Draw {
	draws := make([]geometry.Draw, 0, p.drawCount)
	for _, inst := range p.instances {
		name := inst.drawName()
		for _, part := range p.partsOf(&inst) {
			v, ix := &p.vertices[part.vertex], &p.indices[part.index]
			draw := geometry.Draw{
				Name: name, FirstIndex: uint32(ix.first), IndexCount: uint32(ix.count), VertexOffset: uint32(v.first), VertexCount: uint32(v.count),
				Transform: inst.transform, Color: part.color, OneSided: part.oneSided,
			}
			if len(p.doc.Meshes[inst.mesh].Primitives) > 1 {
				draw.Name = fmt.Sprintf("%s primitive %d", name, part.number)
			}
			draws = append(draws, draw)
		}
	}
	return draws
}

// gltfLayout is a plan under construction, with what is laid out so far.
type gltfLayout struct {
	*gltfPlan
	vertexAt map[gltfVertexKey]int
	indexAt  map[[3]int64]int // index ranges, by accessor, mode and number of indices in the file
}

// gltfVertexKey is equal for primitives with the same vertices.
type gltfVertexKey struct {
	position, normal int    // accessors
	further          string // names and accessors of further attributes
	skin, morphs     int
	targets          string // accessors of the morph targets
}

func (l *gltfLayout) mesh(of [3]int) []gltfPart {
	var parts []gltfPart
	mesh, mover := of[0], gltfVertexKey{skin: of[1], morphs: of[2]}
	for k := range l.doc.Meshes[mesh].Primitives {
		prim := &l.doc.Meshes[mesh].Primitives[k]
		mode := prim.Mode.or(gltfTriangles)
		if mode < gltfTriangles || !prim.Attributes.Position.set {
			continue // points and lines, and primitives without positions, draw nothing
		}
		source := l.doc.Accessors[prim.Attributes.Position.n].Count.n
		if prim.Indices.set {
			source = l.doc.Accessors[prim.Indices.n].Count.n
		}
		if source < 3 {
			continue
		}
		place, further := gltfPrimitivePlace(mesh, k), gltfFurther(nil)
		if l.doc.further != nil {
			further = l.doc.further[mesh][k]
		}
		if mover.morphs >= 0 {
			mover.targets = fmt.Sprint(l.motion.meshes[mesh].Primitives[k].Targets)
		}
		parts = append(parts, gltfPart{
			vertex: l.vertexRange(prim, further, mover, place), index: l.indexRange(prim, mode, source, place), number: k,
			color: l.doc.color(prim.Material), oneSided: !prim.Material.set || !l.doc.Materials[prim.Material.n].DoubleSided, material: prim.Material,
		})
	}
	return parts
}

func (l *gltfLayout) vertexRange(prim *gltfPrimitive, further gltfFurther, key gltfVertexKey, place string) int {
	key.position, key.normal, key.further = int(prim.Attributes.Position.n), int(prim.Attributes.Normal.or(-1)), fmt.Sprintf("%#v", further)
	l.hasNormals = l.hasNormals || prim.Attributes.Normal.set
	at, ok := l.vertexAt[key]
	if !ok {
		at = len(l.vertices)
		l.vertexAt[key] = at
		count := l.doc.Accessors[key.position].Count.n
		l.vertices = append(l.vertices, gltfVertexRange{key.position, key.normal, l.vertexCount, count, place, further})
		l.hasFurther = l.hasFurther || len(further) > 0
		l.vertexCount = gltfAdd(l.vertexCount, count)
	}
	return at
}

// indexRange lays out a primitive's indices as a triangle list. Left-over indices at the end of a list, which make no
// triangle, are dropped, as every graphics API does.
func (l *gltfLayout) indexRange(prim *gltfPrimitive, mode, source int64, place string) int {
	accessor, count := int(prim.Indices.or(-1)), source-source%3
	if mode == gltfTriangles {
		source = count
	} else {
		count = gltfAdd(source-2, gltfAdd(source-2, source-2))
	}
	key := [3]int64{int64(accessor), mode, source}
	at, ok := l.indexAt[key]
	if !ok {
		at = len(l.indices)
		l.indexAt[key] = at
		l.indices = append(l.indices, gltfIndexRange{accessor, mode, source, l.indexCount, count, place})
		l.indexCount = gltfAdd(l.indexCount, count)
	}
	return at
}

// gltfAdd saturates, so that sums of absurd counts exceed any budget.
func gltfAdd(a, b int64) int64 {
	const most = 1 << 56
	return min(min(a, most)+min(b, most), most)
}

// color returns the material's base colour, which glTF defines as linear RGBA, or the default colour.
func (d *gltfDocument) color(material gltfInt) mgl32.Vec4 {
	var factor []float64
	if material.set {
		factor = d.Materials[material.n].PBR.BaseColorFactor
	}
	if len(factor) != 4 {
		return geometry.DefaultColor
	}
	var c mgl32.Vec4
	for i := range c {
		c[i] = float32(min(max(factor[i], 0), 1))
	}
	return c
}

// gltfFurther are the attributes of a primitive other than positions and normals, sorted by name.
type gltfFurther []gltfNamed

type gltfNamed struct {
	name     string
	accessor int
}

// readFurther reads and checks the primitives' further attributes: those besides POSITION and NORMAL
// whose name `keep` accepts. It skips matrices, since no glTF attribute is one.
func (d *gltfDocument) readFurther(text []byte, budget gltfBudget, keep func(name string) bool) {
	var meshes GLTFList[struct {
		Primitives GLTFList[struct {
			Attributes map[string]gltfInt `json:"attributes"`
		}] `json:"primitives"`
	}]
	gltfUnmarshal(text, budget, map[string]any{"meshes": &meshes})
	d.further = make([][]gltfFurther, len(meshes))
	for i := range meshes {
		d.further[i] = make([]gltfFurther, len(meshes[i].Primitives))
		for k := range meshes[i].Primitives {
			attributes := meshes[i].Primitives[k].Attributes
			for _, name := range slices.Sorted(maps.Keys(attributes)) {
				accessor := attributes[name]
				if name == "POSITION" || name == "NORMAL" || !accessor.set || !keep(name) {
					continue
				}
				prim, place := &d.Meshes[i].Primitives[k], gltfPrimitivePlace(i, k)+" "+CleanName(name)
				accessor.refer("accessor", len(d.Accessors), place)
				if of := prim.Attributes.Position; of.set && d.Accessors[of.n].Count.n != d.Accessors[accessor.n].Count.n {
					gltfFail(place, "%d elements for %d positions", d.Accessors[accessor.n].Count.n, d.Accessors[of.n].Count.n)
				}
				d.packAttribute(prim, name, accessor, place)
				if gltfFormat(name, &d.Accessors[accessor.n]) != vertexformat.Undefined {
					d.further[i][k] = append(d.further[i][k], gltfNamed{name, int(accessor.n)})
				}
			}
		}
	}
}

// gltfFormat returns the format of an attribute, or Undefined for a matrix. Integers of 8 and 16 bits that
// are not normalized represent floats, except in JOINTS_n and in application-specific attributes.
func gltfFormat(name string, a *gltfAccessor) vertexformat.Format {
	component := a.ComponentType.n
	kind := "SSCALED"
	switch whole := strings.HasPrefix(name, "JOINTS_") || strings.HasPrefix(name, "_"); {
	case component == gltfFloat:
		kind = "SFLOAT"
	case component == gltfUnsignedInt:
		kind = "UINT"
	case a.Normalized:
		kind = "SNORM"
	case whole:
		kind = "SINT"
	}
	if component == gltfUnsignedByte || component == gltfUnsignedShort {
		kind = strings.Replace(kind, "S", "U", 1)
	}
	return vertexformat.Array(int(gltfVectors[a.Type]), int(8*gltfComponentBytes[component]), kind)
}

// attributes reads the vertex ranges' attributes other than positions and normals, and charges them
// to the budget.
func (p *gltfPlan) attributes(s *gltfSource) (list []geometry.Attribute) {
	formats := map[string]vertexformat.Format{}
	for i := range p.vertices {
		for _, f := range p.vertices[i].further {
			format := gltfFormat(f.name, &s.doc.Accessors[f.accessor])
			if known, ok := formats[f.name]; ok {
				format = gltfCommon(known, format)
			}
			formats[f.name] = format
		}
	}
	for _, name := range slices.Sorted(maps.Keys(formats)) {
		if p.textures.reads(name) {
			formats[name] = vertexformat.R32G32_SFLOAT
		}
		a := geometry.Attribute{Name: CleanName(name), Format: formats[name]}
		s.budget.charge(p.vertexCount, int64(a.Format.Size()), "attribute "+a.Name)
		a.Data = make([]byte, p.vertexCount*int64(a.Format.Size()))
		for i := range p.vertices {
			r := &p.vertices[i]
			part := geometry.Attribute{Format: a.Format, Data: a.Data[r.first*int64(a.Format.Size()):][:r.count*int64(a.Format.Size())]}
			at := slices.IndexFunc(r.further, func(f gltfNamed) bool { return f.name == name })
			if at < 0 {
				a.Missing += int(r.count)
				s.fillMissing(&part)
				continue
			}
			s.fillAttribute(&part, name, r.further[at].accessor)
		}
		list = append(list, a)
	}
	return list
}

// gltfCommon returns a format that holds the elements of both formats.
func gltfCommon(a, b vertexformat.Format) vertexformat.Format {
	if a == b {
		return a
	}
	components := max(a.Components(), b.Components())
	if a.Class() != b.Class() {
		return vertexformat.R32_SFLOAT.Wide(components)
	}
	return a.Wide(components)
}

// fillAttribute reads an accessor into an attribute, and converts it to the attribute's format.
func (s *gltfSource) fillAttribute(a *geometry.Attribute, name string, accessor int) {
	stored := gltfFormat(name, &s.doc.Accessors[accessor])
	set := func(k int, value []byte) { copy(a.Element(k), value) }
	if stored != a.Format {
		set = func(k int, value []byte) { convert(a.Element(k), a.Format, value, stored) }
	}
	s.each(progress.Silent(s.ctx), accessor, set)
}

// convert converts an element to a format with 32 bits per component. If the classes of the two
// formats differ, `format` must be a float format.
func convert(to []byte, format vertexformat.Format, element []byte, from vertexformat.Format) {
	if scaled, ok := from.As(format.Class()); ok {
		from = scaled
	}
	components := from.Decode(element)
	for c := range format.Components() {
		if format.Class() == vertexformat.Float && from.Class() == vertexformat.Uint { // Vulkan has no scaled formats of 32 bits
			components[c] = math.Float32bits(float32(components[c]))
		}
		binary.LittleEndian.PutUint32(to[4*c:], components[c])
	}
}
