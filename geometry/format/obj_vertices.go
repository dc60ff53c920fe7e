package format

import "github.com/shadeonce/shadeonce/internal/must"

// objVertices numbers triples of position, texcoord and normal index by first use.
type objVertices struct {
	src     *Input
	heads   *pool[uint32] // by position: 1 + its latest vertex, or 0
	entries *pool[objVertex]
	// crowded holds the vertices of positions that already have objChain of
	// them: a position with a million normals must not take a million steps.
	crowded map[[3]uint32]uint32
}

type objVertex struct {
	key  [3]uint32
	next uint32 // 1 + another vertex of this position, or 0
}

const objChain = 8

func newObjVertices(src *Input) *objVertices {
	return &objVertices{src: src, heads: newPool[uint32](src, 0), entries: newPool[objVertex](src, 0), crowded: map[[3]uint32]uint32{}}
}

// id is the number of a triple; positions is how many there are by now.
func (v *objVertices) id(key [3]uint32, positions int) uint32 {
	for v.heads.n < positions {
		v.heads.extend(positions - v.heads.n)
	}
	head := v.heads.at(key[0])
	length := 0
	for at := *head; at != 0; length++ {
		e := v.entries.at(at - 1)
		if e.key == key {
			return at - 1
		}
		at = e.next
	}
	if length == objChain {
		if id, ok := v.crowded[key]; ok {
			return id
		}
		must.OK(v.src.Charge(96)) // an entry of the map, as it grows
	}
	id := uint32(v.entries.n)
	v.entries.add(objVertex{key, *head})
	if length == objChain {
		v.crowded[key] = id
	} else {
		*head = id + 1
	}
	return id
}
