package session

import (
	"context"
	"fmt"
	"slices"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// Row is the statistics of one strategy in one order, as in a row of `shadeonce analyze`.
type Row struct {
	Order, Strategy                           string
	Lanes, Batch, Unique                      int
	Vertices, Referenced, Triangles, Indices  int
	Invocations, Batches                      int
	Reuse, Ideal, ACMR, ATVR, LaneUtilization float64
	Histogram                                 []int // [i]: vertices that were shaded i times
}

func rowOf(order string, c reuse.Config, st reuse.Stats) Row {
	return Row{order, c.Strategy.Name, c.Lanes, c.Batch, c.Unique, st.Vertices, st.Referenced, st.Triangles, st.Indices,
		st.Invocations, st.Batches, st.Reuse(), st.Ideal(), st.ACMR(), st.ATVR(), st.LaneUtilization(), st.Histogram}
}

// count counts like reuse.Analyze, but runs the strategy only once for all instances of a mesh, and reports progress draw by draw.
func count(ctx context.Context, o *ordered, c reuse.Config) Answer {
	type counted struct {
		stats  reuse.Stats
		counts []uint32
	}
	s := o.scene
	known := map[[3]uint32]counted{} // by the ranges that a draw's counts depend on
	all := reuse.Stats{Histogram: []int{0}}
	counts := make([]uint32, 0, s.DrawVertices())
	var invocations, referenced []uint32
	for i := range s.Draws {
		d := &s.Draws[i]
		key := [3]uint32{d.FirstIndex, d.IndexCount, d.VertexCount}
		one, ok := known[key]
		if !ok {
			var err error
			one.stats, one.counts, err = c.Count(s.DrawIndices(i), int(d.VertexCount))
			must.OK(err) // an opened scene has passed Validate
			known[key] = one
		}
		all.Add(one.stats, 1)
		counts = append(counts, one.counts...)
		invocations = append(invocations, uint32(one.stats.Invocations))
		referenced = append(referenced, uint32(one.stats.Referenced))
		progress.Tell(ctx, float64(i+1)/float64(len(s.Draws)))
	}
	lists := map[string][]uint32{"counts": o.match.Counts(counts), "invocations": invocations, "referenced": referenced}
	return Answer{Value: rowOf(o.name, c, all), Counts: lists}
}

// Vertex says which batches shade a vertex.
type Vertex struct {
	Draw    int
	Name    string // of the draw
	Vertex  uint32 // its number in the draw, as in the file
	Batches []Use  // empty for strategies of whole draws
	More    int    // number of further batches that shade the vertex
}

// Use is one batch that shades a vertex.
type Use struct {
	Batch            int    // number of the batch in the stream
	Times, Triangles int    // how often it shades the vertex, and how many triangles it has
	FirstTriangle    uint32 // stream position of its first triangle
}

// maxUses bounds the batches that a Vertex lists.
const maxUses = 50

func (s *Session) vertex(o *ordered, c reuse.Config, pair uint32) (Answer, error) {
	offsets := reuse.CountOffsets(s.scene)
	draw, found := slices.BinarySearch(offsets, pair)
	if !found {
		draw--
	}
	for draw < len(offsets)-1 && offsets[draw+1] == pair { // skip draws without vertices, which begin at the same pair
		draw++
	}
	v := Vertex{Draw: draw, Name: s.scene.Draws[draw].Name, Vertex: pair - offsets[draw]}
	if v.Vertex >= s.scene.Draws[draw].VertexCount {
		return Answer{}, fmt.Errorf("vertex %d: the scene has %d", pair, s.scene.DrawVertices())
	}
	v.uses(o.scene, c, o.match.Vertex(draw, v.Vertex))
	return Answer{Value: v}, nil
}

// uses adds the batches of draw v.Draw that shade a vertex: the first maxUses to v.Batches, the number of the others
// to v.More. `vertex` is the vertex's number in scene s.
func (v *Vertex) uses(s *geometry.Scene, c reuse.Config, vertex uint32) {
	cut := reuse.NewCutter(s, c)
	for number := 0; ; number++ {
		b, ok := cut.Next()
		if !ok || int(b.Draw) > v.Draw {
			return
		}
		if int(b.Draw) < v.Draw {
			continue
		}
		times := 0
		if indices := s.IndicesAt(b.FirstIndex, b.IndexCount, new([]uint32)); slices.Contains(indices, vertex) {
			for _, it := range c.Run(indices) {
				for _, id := range it.Unique {
					if id == vertex {
						times++
					}
				}
			}
		}
		switch {
		case times > 0 && len(v.Batches) < maxUses:
			v.Batches = append(v.Batches, Use{number, times, int(b.IndexCount / 3), b.FirstTriangle})
		case times > 0:
			v.More++
		}
	}
}
