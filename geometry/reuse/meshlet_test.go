package reuse

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/indextest"
)

// TestMeshletsAreTheReference: each list holds the vertices that the reference finds in the batch.
func TestMeshletsAreTheReference(t *testing.T) {
	t.Parallel()
	var draws [][]uint32
	for _, indices := range indextest.Streams() {
		draws = append(draws, indices)
	}
	s := indextest.Scene(draws...)
	instance := s.Draws[0]
	for _, p := range []Params{{}, {Batch: 93}, {Unique: 3}, {Unique: 20}} {
		c := must.Get(p.Resolve("meshlet"))
		s.Draws = append(s.Draws[:len(draws)], instance)
		batches := Batches(s, c)
		lists := MakeMeshlets(t.Context(), s, c, batches)
		require.Len(t, lists.Table, len(batches))
		vertices, words := uint32(0), 0
		for i, b := range batches {
			list := lists.Table[i]
			require.Equal(t, vertices, list.FirstVertex)
			vertices += list.VertexCount
			ids := lists.Words[list.FirstWord:][:list.VertexCount]
			triangles := lists.Words[int(list.FirstWord)+len(ids):][:b.IndexCount/3]
			c.Strategy.Reference(c, s.Indices[b.FirstIndex:][:b.IndexCount], func(it *Iteration) {
				require.Equal(t, it.Unique, ids)
				for k, slot := range it.Slots {
					require.Equal(t, uint32(slot), triangles[k/3]>>(8*(k%3))&255)
				}
			})
			if int(b.Draw) < len(draws) {
				words += len(ids) + len(triangles)
			} else {
				require.Less(t, int(list.FirstWord), len(lists.Words)/2, "an instance shares its lists")
			}
		}
		require.Len(t, lists.Words, words)
	}
}

// TestMeshletsOfOneBeginningDiffer: batches that begin at one index share a list only if they are
// equally long.
func TestMeshletsOfOneBeginningDiffer(t *testing.T) {
	t.Parallel()
	c := must.Get(Params{}.Resolve("meshlet"))
	s := indextest.Scene([]uint32{0, 1, 2, 3, 4, 5})
	lists := MakeMeshlets(t.Context(), s, c, []Batch{{IndexCount: 6}, {IndexCount: 3}, {IndexCount: 6}})
	require.Equal(t, []Meshlet{{0, 6, 0}, {8, 3, 6}, {0, 6, 9}}, lists.Table)
}

// TestMeshletsHaveBytesForSlots: no batch has more vertices than 8 bits can number.
func TestMeshletsHaveBytesForSlots(t *testing.T) {
	t.Parallel()
	c := must.Get(Params{Batch: MaxBatch}.Resolve("meshlet"))
	distinct := make([]uint32, MaxBatch)
	for i := range distinct {
		distinct[i] = uint32(len(distinct) - i)
	}
	s := indextest.Scene(distinct)
	for _, list := range MakeMeshlets(t.Context(), s, c, Batches(s, c)).Table {
		require.LessOrEqual(t, list.VertexCount, uint32(maxListed))
	}
}
