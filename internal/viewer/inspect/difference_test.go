package inspect

import (
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/viewer/viewtest"
)

// Vertices are identified by position here, which every order keeps, instead of by the vertex
// origins that orders record.
func TestDifferenceComparesAVertexWithItselfInEveryOrder(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"city1", "knot4"} {
		source := viewtest.Scene(t, name)
		for v := range source.Positions {
			source.Positions[v] = mgl32.Vec3{float32(v), 0, 0}
		}
		for _, orders := range [][2]string{
			{"forsyth", "forsyth+fetch"}, {"forsyth+fetch", "forsyth"}, {"original", "tipsify+fetch"}, {"random+fetch", "forsyth+fetch"},
			{"forsyth+fetch", "forsyth+fetch"}, {"original", "forsyth"},
		} {
			left, right := viewtest.InOrder(t, source, orders[0]), viewtest.InOrder(t, source, orders[1])
			config := must.Get(reuse.Resolve("warp", 8, 0))
			_, a := must.Get2(reuse.Analyze(left, config))
			_, b := must.Get2(reuse.Analyze(right, config))
			match := geometry.MatchVertices(left, right)
			d, shown := Compare(&match, a, b)

			shades := byPosition(right, b)
			var want Difference
			offset := 0
			for i := range left.Draws {
				for v := range left.Draws[i].VertexCount {
					was := a[offset+int(v)]
					is := shades[[2]int{i, positionOf(left, i, v)}]
					require.Equal(t, picture.DifferenceCounts([]uint32{was}, []uint32{is})[0], shown[offset+int(v)], "%s %v: draw %d, vertex %d", name, orders, i, v)
					require.Equal(t, positionOf(left, i, v), positionOf(right, i, match.Vertex(i, v)))
					if is > was {
						want.More, want.By = want.More+1, want.By+int(is-was)
					}
					if is < was {
						want.Less, want.Saves = want.Less+1, want.Saves+int(was-is)
					}
				}
				offset += int(left.Draws[i].VertexCount)
			}
			require.Equal(t, want, d)
			if cut := orders[0] + "+fetch"; orders[1] == cut {
				require.Zero(t, d.More+d.Less, "renumbering changes nothing of what is shaded")
				require.Equal(t, name == "city1", slices.Equal(a, b), "numbers are not the vertices; each of the city's is shaded once")
			}
		}
	}
}

func positionOf(s *geometry.Scene, draw int, v uint32) int {
	return int(s.Positions[s.Draws[draw].VertexOffset+v][0])
}

// byPosition returns shading counts by draw and position.
func byPosition(s *geometry.Scene, counts []uint32) map[[2]int]uint32 {
	by := map[[2]int]uint32{}
	offset := 0
	for i := range s.Draws {
		for v := range s.Draws[i].VertexCount {
			by[[2]int{i, positionOf(s, i, v)}] = counts[offset+int(v)]
		}
		offset += int(s.Draws[i].VertexCount)
	}
	return by
}

func TestDifferenceWaitsForTheSameDraws(t *testing.T) {
	t.Parallel()
	city := viewtest.Scene(t, "city1")
	one, other := *city, *city
	one.Draws, other.Draws = city.Draws[:1], city.Draws[1:2]
	require.True(t, SameDraws(city, viewtest.InOrder(t, city, "forsyth+fetch")))
	require.False(t, SameDraws(city, &one))
	for i, same := range []bool{true, false, false} { // a draw differs by its first vertex, or by its number of vertices
		other.Draws = []geometry.Draw{one.Draws[0]}
		other.Draws[0].VertexOffset += uint32(i % 2)
		other.Draws[0].VertexCount -= uint32(i / 2)
		require.Equal(t, same, SameDraws(&one, &other))
	}
}
