package format

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// gltfInstancing is EXT_mesh_gpu_instancing: a node draws its mesh once for each element of the
// attributes.
// https://github.com/KhronosGroup/glTF/tree/main/extensions/2.0/Vendor/EXT_mesh_gpu_instancing
type gltfInstancing struct {
	Attributes struct {
		Translation gltfInt `json:"TRANSLATION"`
		Rotation    gltfInt `json:"ROTATION"`
		Scale       gltfInt `json:"SCALE"`
	} `json:"attributes"`
}

// instances replaces the last instance found, of a node, by those that its attributes place.
func (s *gltfSource) instances(in *gltfInstancing, found []gltfInstance, place string) []gltfInstance {
	place += " EXT_mesh_gpu_instancing"
	a, count := &in.Attributes, int64(-1)
	var columns [3]geometry.Attribute
	for i, accessor := range []gltfInt{a.Translation, a.Rotation, a.Scale} {
		if !accessor.set {
			continue
		}
		accessor.refer("accessor", len(s.doc.Accessors), place)
		a, kind := &s.doc.Accessors[accessor.n], [...]string{"VEC3", "VEC4", "VEC3"}[i]
		switch {
		case a.Type != kind || a.ComponentType.n != gltfFloat && !a.Normalized:
			gltfFail(place, "%q of component type %d (normalized: %t) is not allowed", CleanName(a.Type), a.ComponentType.n, a.Normalized)
		case count >= 0 && a.Count.n != count:
			gltfFail(place, "attributes have %d and %d elements", count, a.Count.n)
		}
		count = a.Count.n
		columns[i].Format = vertexformat.R32_SFLOAT.Wide(int(gltfVectors[kind]))
		s.budget.charge(count, int64(columns[i].Format.Size()), place)
		columns[i].Data = make([]byte, count*int64(columns[i].Format.Size()))
		s.fillAttribute(&columns[i], "", int(accessor.n))
	}
	if count < 0 {
		return found
	}
	const instanceBytes, instanceWork = 88, 500
	s.budget.charge(count, 2*instanceBytes, place)
	gltfMust(place, s.budget.Work(count*instanceWork))
	node := found[len(found)-1]
	found = slices.Grow(found[:len(found)-1], int(count))
	for k := range int(count) {
		var n gltfNode
		for i, values := range []*[]float64{&n.Translation, &n.Rotation, &n.Scale} {
			if columns[i].Data == nil {
				continue
			}
			for element := columns[i].Element(k); len(element) > 0; element = element[4:] {
				*values = append(*values, float64(math.Float32frombits(binary.LittleEndian.Uint32(element))))
			}
		}
		one := node
		one.transform = node.transform.Mul4(n.transform(place))
		if !gltfFinite(one.transform[:]) {
			gltfFail(place, "transform %d is not finite", k)
		}
		found = append(found, one)
	}
	return found
}
