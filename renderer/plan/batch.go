package plan

import (
	"fmt"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/bytesize"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders"
)

// batchSharedBytes is what batch:next takes: ids, the table and the masks.
const batchSharedBytes = 4 * (3*shaders.BatchingWindow + shaders.BatchingTable + shaders.BatchingWorkgroup*shaders.BatchingWorkgroup/32)

// cutStream cuts the stream into batches and chunks, as far as the host does.
func (p *Plan) cutStream(l renderer.Limits) error {
	if err := p.checkBatching(l); err != nil {
		return err
	}
	if p.Frame.BatchOn == renderer.BatchDevice {
		return p.deviceChunk(l)
	}
	p.Batches = reuse.Batches(p.Frame.Scene, p.Frame.Reuse)
	return p.cutChunks(l)
}

// indirect names the buffer that says how a geometry pass is dispatched.
func (p *Plan) indirect() string {
	if p.Frame.BatchOn == renderer.BatchDevice {
		return "BatchStates"
	}
	return ""
}

// batchesText is how many batches there are, for people.
func (p *Plan) batchesText() string {
	if p.Frame.BatchOn == renderer.BatchDevice {
		return fmt.Sprintf("at most %d batches", p.Chunks[0].BatchCount)
	}
	if p.Windowed() {
		return fmt.Sprintf("%d batches, %d windows", p.BatchCount(), len(p.Windows))
	}
	return fmt.Sprintf("%d batches", p.BatchCount())
}

// checkBatching refuses what the batch:* passes cannot cut.
func (p *Plan) checkBatching(l renderer.Limits) error {
	r := p.Frame.Reuse
	switch {
	case p.Frame.BatchOn > renderer.BatchDevice:
		return fmt.Errorf("renderer: batches cut in place %s: have host, device", p.Frame.BatchOn)
	case p.Frame.BatchOn == renderer.BatchHost:
		return nil
	case r.Batching != reuse.DynamicBatching:
		return fmt.Errorf("renderer: %s: the device cuts dynamic batches only, static ones need no cutting", r)
	case r.Batch > shaders.BatchingMost:
		return fmt.Errorf("renderer: %s: the device cuts batches of at most %d indices", r, shaders.BatchingMost)
	case batchSharedBytes > l.SharedBytes:
		return fmt.Errorf("renderer: cutting batches on the device needs %s of shared memory, the device has %s", bytesize.Text(batchSharedBytes), bytesize.Text(int64(l.SharedBytes)))
	}
	return nil
}

// batchBounds is how many batches the stream has at most, and how many vertices
// they yield. A batch that is not a draw's last has r.Batch indices, or was closed
// by a triangle that would have brought more than r.Unique vertices, of which
// each triangle has three at most.
func (p *Plan) batchBounds() (batches, vertices int) {
	r := p.Frame.Reuse
	least := min(r.Unique, r.Batch) / 3 // triangles
	for i := range p.Frame.Scene.Draws {
		indices := int(p.Frame.Scene.Draws[i].IndexCount)
		n := (indices/3 + least - 1) / least
		worst := n * r.Strategy.WorstInvocations(r, min(indices, r.Batch))
		if r.Strategy.WorstInvocations(r, r.Batch) <= r.Batch { // it shades no index twice
			worst = min(worst, indices)
		}
		batches, vertices = batches+n, vertices+worst
	}
	return batches, vertices
}

// deviceChunk makes the one chunk of a plan whose batches the host never sees.
// Its vertex queue has what the worst case needs, or what the budget and the
// device leave; after an overflow, the share that was asked for.
func (p *Plan) deviceChunk(l renderer.Limits) error {
	f := &p.Frame
	batches, worst := p.batchBounds()
	if f.Queue == renderer.Expanded {
		worst = f.Scene.IndexStreamLen()
	}
	// Behind the batches are places for what rounds an indirect dispatch up.
	groups := (batches + p.subgroups(l) - 1) / p.subgroups(l)
	places := (groups + groups/l.MaxGroups) * p.subgroups(l)
	c := Chunk{BatchCount: places, TriangleCount: f.Scene.Triangles(), WorstVertices: worst}
	if f.Queue == renderer.Indexed && !f.Reuse.Strategy.FixedPlaces {
		records := int64(c.TriangleCount) * triangleBytes
		room := min((f.QueueBudget-records)/int64(p.vertexBytes()), l.MaxBufferBytes/positionBytes)
		p.vertexShare = min(1, float64(max(room, 0))/float64(max(worst, 1)))
	}
	if f.VertexShare != 0 {
		p.vertexShare = f.VertexShare
	}
	if need := p.queueBytes(c); need > f.QueueBudget {
		return fmt.Errorf("renderer: queue budget of %s is too small: batches cut on the device take all queues at once, about %s", bytesize.Text(f.QueueBudget), bytesize.Text(need))
	}
	p.Chunks = []Chunk{c}
	p.TriangleCapacity, p.VertexCapacity = c.TriangleCount, p.vertices(c)
	return nil
}

// batchTiles is the tiles and the groups of tiles that the batch:* passes work in.
func (p *Plan) batchTiles() (tiles, groups int) {
	tile := shaders.BatchingWindow + 1 - p.Frame.Reuse.Batch/3
	tiles = (p.Frame.Scene.Triangles() + tile - 1) / tile
	return tiles, (tiles + shaders.BatchingGroupTiles - 1) / shaders.BatchingGroupTiles
}

// batchBuffers adds the batches and what the batch:* passes keep.
func (p *Plan) batchBuffers() {
	add := p.addBuffer
	if p.Frame.BatchOn != renderer.BatchDevice {
		add("Batches", "scene", "Batch", max(len(p.Batches), p.windowMost.batches), shaders.BatchSize)
		return
	}
	add("Batches", "batch:emit", "Batch", p.Chunks[0].BatchCount, shaders.BatchSize)
	reach := p.Frame.Reuse.Batch / 3
	tiles, groups := p.batchTiles()
	add("DrawRanges", "scene", "DrawRange", len(p.Frame.Scene.Draws)+1, shaders.DrawRangeSize)
	add("BatchLengths", "batch:next", "2 x uint16 triangles", tiles*((shaders.BatchingWindow+2-reach)/2), 4)
	add("TileMaps", "batch:next", "uint map", tiles*reach, 4)
	add("GroupMaps", "batch:join", "uint map", groups*reach, 4)
	add("GroupStarts", "batch:count", "uint2 start", groups, 8)
	add("BatchStates", "batch:count", "BatchState", 1, shaders.BatchStateSize)
}

// addBatching lists the passes that cut the stream.
func (p *Plan) addBatching(l renderer.Limits) {
	if p.Frame.BatchOn != renderer.BatchDevice {
		return
	}
	tiles, tileGroups := p.batchTiles()
	add := func(name string, workgroups [2]uint32, reads, writes []string) {
		p.Passes = append(p.Passes, Pass{
			Name: "batch:" + name, Kind: Dispatch, Shaders: []string{"batch/" + name}, Push: p.push(0),
			Spec: map[string]uint32{
				"BATCH": uint32(p.Frame.Reuse.Batch), "UNIQUE": uint32(p.Frame.Reuse.Unique),
				"MAX_GROUPS": uint32(l.MaxGroups), "GROUP_BATCHES": uint32(p.subgroups(l)),
			},
			Groups: workgroups, Reads: reads, Writes: writes,
		})
	}
	add("next", groups(tiles, l), []string{"Indices", "DrawRanges"}, []string{"BatchLengths", "TileMaps"})
	add("join", [2]uint32{uint32(tileGroups), 1}, []string{"TileMaps"}, []string{"GroupMaps"})
	add("count", [2]uint32{1, 1}, []string{"GroupMaps"}, []string{"GroupStarts", "Batches", "BatchStates"})
	add("emit", [2]uint32{uint32(tileGroups), 1}, []string{"DrawRanges", "BatchLengths", "TileMaps", "GroupStarts"}, []string{"Batches"})
}

// DrawRangeData is the buffer DrawRanges: where the draws' triangles are in the
// stream and in the index pool.
func DrawRangeData(s *geometry.Scene) []shaders.DrawRange {
	data := make([]shaders.DrawRange, len(s.Draws)+1)
	triangle := uint32(0)
	for i := range s.Draws {
		data[i] = shaders.DrawRange{FirstTriangle: triangle, FirstIndex: s.Draws[i].FirstIndex}
		triangle += s.Draws[i].IndexCount / 3
	}
	data[len(s.Draws)].FirstTriangle = triangle
	return data
}
