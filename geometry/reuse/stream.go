package reuse

// Stream is an index stream: primitives of one or three corners. A corner is the id of what is
// shaded.
type Stream struct {
	Name    string
	Indices []uint32 // a multiple of 3: Triples pads single corners
	IDs     int      // every id is less than this
}

// Triples pads a list of single corners to whole triples with copies of its last corner.
// Strategies never split a triple, and those that find repeated indices do not shade the copies
// again.
func Triples(ids []uint32) []uint32 {
	for len(ids)%3 != 0 {
		ids = append(ids, ids[len(ids)-1])
	}
	return ids
}
