package plan

import (
	"math/bits"
	"slices"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
)

// WindowData is the contents of a window's buffers. It can be filled again for another window, and then reuses its memory.
type WindowData struct {
	Scene   *geometry.Scene // one draw per piece; it has the whole scene's pools unless the plan gathers
	Batches []reuse.Batch   // over Scene
	Marks   []renderer.Mark // one per draw of Scene; nil if the frame has none

	frame   *renderer.Frame
	pieces  []Piece
	offsets []uint32 // for each draw of the whole scene, the index of its first count
	ids     []uint32 // for each gathered vertex, its number in its draw of the whole scene; nil if the plan does not gather
	table   idTable
	places  map[gatheredRange]gatheredPlace
}

// gatheredRange identifies a draw's data in the scene's pools. Instances of a mesh have one range, and share the data gathered from it.
type gatheredRange struct{ firstIndex, indexCount, vertexOffset uint32 }

type gatheredPlace struct{ firstIndex, vertexOffset, vertexCount uint32 }

// Fill fills d with a window's draws, batches and marks, and copies their vertices if the plan gathers. It does
// not modify the scene.
func (d *WindowData) Fill(p *Plan, window int) {
	w := &p.Windows[window]
	if d.offsets == nil {
		d.offsets = p.Frame.CountOffsets(p.Frame.Scene)
	}
	d.pieces, d.frame = w.Pieces, &p.Frame
	whole := p.pieceScene(w)
	d.Batches = p.windowBatches(w)
	if marks := p.Frame.Marks; marks != nil {
		d.Marks = d.Marks[:0]
		for _, piece := range w.Pieces {
			d.Marks = append(d.Marks, marks[piece.Draw])
		}
	}
	if !p.Gathered {
		d.Scene = whole
		return
	}
	if d.Scene == nil {
		d.Scene, d.places = &geometry.Scene{}, map[gatheredRange]gatheredPlace{}
	}
	out := d.Scene
	out.Name, out.Draws = whole.Name, whole.Draws
	out.Positions, out.Normals, out.Indices, d.ids = out.Positions[:0], out.Normals[:0], out.Indices[:0], d.ids[:0]
	clear(d.places)
	beginTexCoords(out, whole)
	b := 0
	for i := range out.Draws {
		draw := &out.Draws[i]
		place := d.gather(whole, draw)
		for ; b < len(d.Batches) && int(d.Batches[b].Draw) == i; b++ {
			d.Batches[b].FirstIndex += place.firstIndex - draw.FirstIndex
		}
		draw.FirstIndex, draw.VertexOffset, draw.VertexCount = place.firstIndex, place.vertexOffset, place.vertexCount
	}
}

// gather appends a draw's indices to d.Scene, and the vertices that they reference, in order of first use. It returns the place
// of both. If the draw's range was gathered before, gather appends nothing and returns the place of that range.
func (d *WindowData) gather(from *geometry.Scene, draw *geometry.Draw) gatheredPlace {
	key := gatheredRange{draw.FirstIndex, draw.IndexCount, draw.VertexOffset}
	if place, ok := d.places[key]; ok {
		return place
	}
	out := d.Scene
	indices := from.Indices[draw.FirstIndex : draw.FirstIndex+draw.IndexCount]
	place := gatheredPlace{firstIndex: uint32(len(out.Indices)), vertexOffset: uint32(len(out.Positions))}
	out.Indices = slices.Grow(out.Indices, len(indices))
	d.table.reset(indices)
	for _, id := range indices {
		local, fresh := d.table.number(id)
		if fresh {
			d.ids = append(d.ids, id)
			out.Positions = append(out.Positions, from.Positions[draw.VertexOffset+id])
			out.Normals = append(out.Normals, from.Normals[draw.VertexOffset+id])
			gatherTexCoords(out, from, draw.VertexOffset+id)
		}
		out.Indices = append(out.Indices, local)
	}
	place.vertexCount = d.table.count
	d.places[key] = place
	return place
}

// AddCounts adds a window's counts to `total`, the counts of the whole scene. The window's counts are in the order of d.Scene.
func (d *WindowData) AddCounts(total, counts []uint32) {
	d.pairs(func(i int, pair uint32) { total[pair] += counts[i] })
}

// Counts appends the window's part of `total`, the whole scene's counts, to `into` in the order of d.Scene, and returns `into`.
func (d *WindowData) Counts(total, into []uint32) []uint32 {
	d.pairs(func(_ int, pair uint32) { into = append(into, total[pair]) })
	return into
}

// pairs calls `each` for every (draw, vertex) pair of the window, in order. i is the pair's number in the window, `pair` its number
// in the whole scene. Pieces that share counts are visited once.
func (d *WindowData) pairs(each func(i int, pair uint32)) {
	i := 0
	for k, own := range d.frame.CountOffsets(d.Scene) {
		draw, offset := &d.Scene.Draws[k], d.offsets[d.pieces[k].Draw]
		if int(own) != i {
			continue // the piece shares the counts of an earlier one
		}
		for v := range draw.VertexCount {
			id := v
			if d.ids != nil {
				id = d.ids[draw.VertexOffset+v]
			}
			each(i, offset+id)
			i++
		}
	}
}

// idTable numbers ids in order of first use. If the ids are close together, as in a mesh in a useful
// order, it looks them up in an array (the direct form), otherwise by hash.
type idTable struct {
	first   uint32 // the smallest id, whose number is in entries[0]; for the direct form
	entries []uint32
	keys    []uint32 // id + 1; for the hashed form
	hashed  bool
	count   uint32
}

// directSpan is how many entries per index the array of the direct form may have at most; with more, the ids are hashed.
const directSpan = 4

func (t *idTable) reset(indices []uint32) {
	t.count = 0
	least, most := ^uint32(0), uint32(0)
	for _, id := range indices {
		least, most = min(least, id), max(most, id)
	}
	span := int(most) - int(least) + 1
	t.hashed = len(indices) > 0 && span > directSpan*len(indices)
	size := max(0, span)
	if t.hashed {
		size = 1 << bits.Len(uint(2*len(indices)-1))
		t.keys = slices.Grow(t.keys[:0], size)[:size]
		clear(t.keys)
	}
	t.first = least
	t.entries = slices.Grow(t.entries[:0], size)[:size]
	if !t.hashed {
		clear(t.entries)
	}
}

// number returns an id's number, and whether it is new.
func (t *idTable) number(id uint32) (uint32, bool) {
	if !t.hashed {
		entry := &t.entries[id-t.first]
		if *entry != 0 {
			return *entry - 1, false
		}
		t.count++
		*entry = t.count
		return t.count - 1, true
	}
	size := uint64(len(t.keys)) // a power of two
	for at := uint64(id*2654435769) * size >> 32; ; at = (at + 1) & (size - 1) {
		switch t.keys[at] {
		case id + 1:
			return t.entries[at], false
		case 0:
			t.keys[at], t.entries[at] = id+1, t.count
			t.count++
			return t.count - 1, true
		}
	}
}
