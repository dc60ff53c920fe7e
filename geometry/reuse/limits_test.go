package reuse

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/indextest"
)

// TestRefusals: what is out of range is refused by name, or has no batches, lists or counts.
func TestRefusals(t *testing.T) {
	for _, workgroup := range []int{16, 96, 2048} {
		require.ErrorContains(t, Params{Workgroup: workgroup}.Check(), "must be a power of two from 32 to 1024")
	}
	require.EqualError(t, Stream{Name: "edges", Indices: []uint32{0, 1}}.Check(), `stream "edges": 2 indices: must be a multiple of 3 (Triples pads single corners)`)
	require.Equal(t, "batching -1", Batching(-1).String())
	require.Nil(t, CountOffsets(nil))
	s, c := indextest.Scene([]uint32{0, 1, 2, 0}, []uint32{0, 1, 2}, []uint32{0, 1, 2}), must.Get(Resolve("meshlet", 0, 0))
	require.Empty(t, MakeMeshlets(t.Context(), s, c, []Batch{{IndexCount: 4}}))
	s = indextest.Scene([]uint32{0, 1, 2}, []uint32{0, 1, 2})
	require.Empty(t, Batches(s, Config{Strategy: &hash, Batch: 4}))
	s.Draws[0].VertexCount, s.Draws[1].VertexCount = 2, 1
	_, _, err := Summarize(s, c)
	require.ErrorContains(t, err, "draw 0 (", "the first of two")
}

// TestSeekLeavesADraw: Seek forgets the indices that the current draw still has.
func TestSeekLeavesADraw(t *testing.T) {
	s, c := indextest.Scene([]uint32{0, 1, 2, 2, 1, 0}, indextest.Distinct(9)), must.Get(Params{Unique: 3}.Resolve("hash"))
	cut := NewCutter(s, c)
	cut.Seek(2)
	cut.Next()
	cut.Seek(0)
	require.Equal(t, Batches(s, c), cut.Window(nil, 100))
}

// TestOpenChoices: auto leaves the strategy open, and a frame that sifts changes only sizes that the user left open.
func TestOpenChoices(t *testing.T) {
	for _, name := range Choices() {
		c := resolved(t, name, Params{})
		require.Equal(t, name, c.Name())
		require.Equal(t, name == Auto || name == AutoStreaming, IsAuto(name))
		require.Equal(t, name == "naive-index", c.DrawsTogether(1, 132), name)
	}
	require.False(t, resolved(t, "naive-index", Params{}).DrawsTogether(1_000_000, 132))
	require.Equal(t, 64, resolved(t, "naive-index", Params{}).Sifted().Workgroup)
	require.Equal(t, 256, resolved(t, "naive-index", Params{Workgroup: 256}).Sifted().Workgroup)
}
