package format

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// gltfFurther are the attributes of a primitive other than positions and normals, by name.
type gltfFurther []gltfNamed

type gltfNamed struct {
	name     string
	accessor int
}

// key is the same for attributes with the same names and accessors.
func (f gltfFurther) key() string {
	var key strings.Builder
	for _, a := range f {
		fmt.Fprintf(&key, "%q %d ", a.name, a.accessor)
	}
	return key.String()
}

// furtherOf returns what readFurther found, or nil if it was not called.
func (d *gltfDocument) furtherOf(mesh, primitive int) gltfFurther {
	if d.further == nil {
		return nil
	}
	return d.further[mesh][primitive]
}

// readFurther reads and checks the primitives' attributes other than positions and normals for
// which keep returns true. It skips matrices, since no glTF attribute is one.
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

// gltfFormat returns the format of an attribute. Integers that are not normalized represent
// floats, except in JOINTS_n and in application-specific attributes.
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

// attributes reads the ranges' attributes other than positions and normals, and charges them to
// the budget.
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

// gltfCommon returns a format that holds the elements of both.
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

// fillMissing sets all elements to the value of a missing one.
func (s *gltfSource) fillMissing(a *geometry.Attribute) {
	missing := a.Format.Missing()
	must.OK(progress.Each(progress.Silent(s.ctx), len(a.Data)/len(missing), func(from, to int) {
		for k := from; k < to; k++ {
			copy(a.Element(k), missing)
		}
	}))
}

// fillAttribute reads an accessor in the attribute's format.
func (s *gltfSource) fillAttribute(a *geometry.Attribute, name string, accessor int) {
	e := s.elements(accessor)
	stored := gltfFormat(name, &s.doc.Accessors[accessor])
	set := func(k int, value []byte) { copy(a.Element(k), value) }
	if stored != a.Format {
		set = func(k int, value []byte) { convert(a.Element(k), a.Format, value, stored) }
	}
	zero := make([]byte, stored.Size())
	must.OK(progress.Each(progress.Silent(s.ctx), e.count, func(from, to int) {
		for k := from; k < to; k++ {
			if e.data == nil {
				set(k, zero)
			} else {
				set(k, e.data[k*e.stride:])
			}
		}
	}))
	s.sparse(accessor, set)
}

// convert converts an element to a format with 32 bits per component; to floats if the classes
// differ.
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
