package format

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
	v := &objVertices{src: src, crowded: map[[3]uint32]uint32{}}
	v.heads, _ = newPool[uint32](src, 0)
	v.entries, _ = newPool[objVertex](src, 0)
	return v
}

// id is the number of a triple; positions is how many there are by now.
func (v *objVertices) id(key [3]uint32, positions int) (uint32, error) {
	for v.heads.n < positions {
		if _, err := v.heads.extend(positions - v.heads.n); err != nil {
			return 0, err
		}
	}
	head := v.heads.at(key[0])
	length := 0
	for at := *head; at != 0; length++ {
		e := v.entries.at(at - 1)
		if e.key == key {
			return at - 1, nil
		}
		at = e.next
	}
	if length == objChain {
		if id, ok := v.crowded[key]; ok {
			return id, nil
		}
		if err := v.src.Charge(96); err != nil { // an entry of the map, as it grows
			return 0, err
		}
	}
	id := uint32(v.entries.n)
	if err := v.entries.add(objVertex{key, *head}); err != nil {
		return 0, err
	}
	if length == objChain {
		v.crowded[key] = id
	} else {
		*head = id + 1
	}
	return id, nil
}
