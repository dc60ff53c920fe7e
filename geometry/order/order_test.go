package order_test

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/indextest"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// every lists all orders, with and without renumbered vertices, and with caches of extreme size.
func every() []string {
	names := []string{"forsyth4", "forsyth128", "hoppe4", "hoppe128", "tipsify4", "tipsify128+fetch"}
	for _, name := range order.Names() {
		names = append(names, name, name+order.FetchSuffix)
	}
	return names
}

// scene has its own vertex pool, in which position x is the vertex's number, so that a test can
// tell where a vertex went. Without draws it gets one that draws everything.
func scene(vertices int, indices []uint32, draws ...geometry.Draw) *geometry.Scene {
	s := &geometry.Scene{Name: "test", Indices: indices, Draws: draws, Attributes: []geometry.Attribute{{Format: vertexformat.R8G8B8_UNORM}}}
	for v := range vertices {
		s.Positions = append(s.Positions, mgl32.Vec3{float32(v), 0, 0})
		s.Normals = append(s.Normals, mgl32.Vec3{0, float32(v), 0})
		s.Attributes[0].Data = append(s.Attributes[0].Data, byte(v), byte(v>>8), 7)
	}
	if draws == nil {
		s.Draws = []geometry.Draw{draw(0, len(indices), 0, vertices)}
	}
	return s
}

func draw(firstIndex, indexCount, vertexOffset, vertexCount int) geometry.Draw {
	return geometry.Draw{
		FirstIndex: uint32(firstIndex), IndexCount: uint32(indexCount),
		VertexOffset: uint32(vertexOffset), VertexCount: uint32(vertexCount),
		Transform: mgl32.Ident4(), Color: geometry.DefaultColor,
	}
}

// scenes cover the corner cases of Apply's promises.
func scenes() map[string]*geometry.Scene {
	return map[string]*geometry.Scene{
		"no draw":         scene(3, []uint32{0, 1, 2}, []geometry.Draw{}...),
		"empty draws":     scene(4, []uint32{3, 1, 2}, draw(0, 0, 0, 0), draw(0, 3, 0, 4), draw(3, 0, 4, 0)),
		"one triangle":    scene(9, []uint32{8, 4, 2}),
		"degenerate":      scene(4, []uint32{1, 1, 1, 2, 2, 1, 1, 2, 1, 3, 3, 3, 3, 1, 2}),
		"repeated":        scene(5, slices.Repeat([]uint32{4, 2, 3}, 150)),
		"fan":             scene(302, indextest.Fan(300)),
		"two fans":        scene(202, append(indextest.Fan(200), indextest.Fan(200)...)),
		"grid":            scene(101, indextest.Grid(9, 9, 9)),
		"instances":       scene(101, indextest.Grid(9, 9, 9), draw(0, 486, 0, 101), draw(0, 486, 0, 100), draw(0, 486, 0, 101)),
		"parts":           scene(101, indextest.Grid(9, 9, 9), draw(0, 486, 0, 101), draw(30, 99, 0, 101), draw(90, 300, 0, 100)),
		"not aligned":     scene(101, indextest.Grid(9, 9, 9), draw(0, 300, 0, 101), draw(100, 300, 0, 101)),
		"poses":           scene(200, indextest.Grid(9, 9, 9), draw(0, 486, 0, 100), draw(0, 486, 100, 100)),
		"pose and part":   scene(200, indextest.Grid(9, 9, 9), draw(0, 486, 0, 100), draw(99, 99, 100, 100)),
		"own poses":       scene(250, append(indextest.Grid(9, 9, 9), indextest.Grid(9, 9, 9)...), draw(486, 486, 50, 150), draw(0, 486, 0, 120)),
		"shared vertices": scene(120, append(indextest.Grid(9, 9, 9), indextest.Fan(90)...), draw(486, 270, 10, 105), draw(0, 486, 10, 110)),
	}
}

// triangles returns the vertex numbers that a draw uses, taken from positions.
func triangles(t testing.TB, s *geometry.Scene, i int) [][3]int {
	pool := s.Positions[s.Draws[i].VertexOffset:][:s.Draws[i].VertexCount]
	indices := s.DrawIndices(i)
	list := make([][3]int, len(indices)/3)
	for k, id := range indices {
		require.Less(t, id, s.Draws[i].VertexCount)
		list[k/3][k%3] = int(pool[id][0])
	}
	return list
}

// requireSame checks that both scenes draw the same triangles, corner for corner, draw by draw, and
// if ordered in the same order, and that got's normals and attributes still belong to its positions.
func requireSame(t testing.TB, want, got *geometry.Scene, ordered bool) {
	require.Equal(t, want.Draws, got.Draws)
	require.Len(t, got.Indices, len(want.Indices))
	require.Len(t, got.Positions, len(want.Positions))
	for i := range want.Draws {
		a, b := triangles(t, want, i), triangles(t, got, i)
		if !ordered {
			compare := func(a, b [3]int) int { return slices.Compare(a[:], b[:]) }
			slices.SortFunc(a, compare)
			slices.SortFunc(b, compare)
		}
		require.Equal(t, a, b, "draw %d", i)
	}
	seen := make([]bool, len(got.Positions))
	for v, p := range got.Positions {
		require.Equal(t, p[0], got.Normals[v][1])
		require.Equal(t, []byte{byte(int(p[0])), byte(int(p[0]) >> 8), 7}, got.Attributes[0].Element(v))
		require.False(t, seen[int(p[0])])
		seen[int(p[0])] = true
	}
}

func TestApplyKeepsTriangles(t *testing.T) {
	for name, s := range scenes() {
		for _, o := range every() {
			t.Run(name+"/"+o, func(t *testing.T) {
				before := *s
				before.Indices = slices.Clone(s.Indices)
				before.Positions = slices.Clone(s.Positions)
				got := must.Get(order.Apply(t.Context(), s, o))
				require.Equal(t, &before, s, "the scene given was changed")
				requireSame(t, s, got, o == "original" || o == "original+fetch")
			})
		}
	}
}

func TestApplyOrders(t *testing.T) {
	for _, c := range []struct {
		scene, order string
		changed      bool
	}{
		{"grid", "forsyth", true},
		{"grid", "random", true},
		{"instances", "forsyth", true},
		{"parts", "forsyth", true},
		{"not aligned", "forsyth", false},
		{"poses", "forsyth", true},
		{"poses", "random+fetch", true},
		{"grid", "original", false},
	} {
		t.Run(c.scene+"/"+c.order, func(t *testing.T) {
			s := scenes()[c.scene]
			got := must.Get(order.Apply(t.Context(), s, c.order))
			require.Equal(t, c.changed, !slices.Equal(s.Indices, got.Indices))
			if !c.changed {
				require.Same(t, &s.Indices[0], &got.Indices[0], "what is the same is shared")
			}
		})
	}
}

// TestDeterminism compares the orders with recorded results.
func TestDeterminism(t *testing.T) {
	want := map[string]string{
		"original":      "df4999dde4e93936",
		"random":        "c7bf6e61f18755a2",
		"forsyth":       "fae960e8ab91b27e",
		"hoppe":         "230d72515956ccd6",
		"tipsify":       "faf349379810992e",
		"tipsify4":      "34dd299e3af62452",
		"forsyth+fetch": "dbb47db71b740756",
	}
	for _, name := range append(order.Names(), "forsyth+fetch", "tipsify4") {
		hash := fnv.New64a()
		for _, asset := range []string{"terrain24", "sphere3", "soup", "city3"} {
			s := must.Get(assets.Make(asset))
			s = must.Get(order.Apply(t.Context(), s, name))
			require.NoError(t, s.Validate(t.Context()))
			require.NoError(t, binary.Write(hash, binary.LittleEndian, s.Indices))
			require.NoError(t, binary.Write(hash, binary.LittleEndian, s.Positions))
		}
		require.Equal(t, want[name], fmt.Sprintf("%016x", hash.Sum64()), name)
	}
}

// FuzzApply tries two draws with small indices and arbitrary ranges.
func FuzzApply(f *testing.F) {
	f.Add([]byte{0, 1, 2, 2, 1, 3}, uint8(0), uint8(1), uint8(0), uint8(3))
	f.Add([]byte{0, 0, 0, 7, 7, 1, 1, 7, 1, 2, 9, 4}, uint8(3), uint8(2), uint8(1), uint8(9))
	f.Add([]byte{5, 4, 3, 3, 4, 6, 6, 4, 7, 8, 6, 7}, uint8(1), uint8(3), uint8(2), uint8(6))
	f.Fuzz(func(t *testing.T, ids []byte, first, count, offset, name uint8) {
		ids = ids[:min(len(ids), 300)] // for speed: simulating a cache of 128 is slow
		indices := make([]uint32, len(ids)/3*3)
		for k := range indices {
			indices[k] = uint32(ids[k] % 64)
		}
		from := min(int(first), len(indices))
		length := min(int(count), (len(indices)-from)/3) * 3
		s := scene(100, indices, draw(0, len(indices), 0, 64), draw(from, length, int(offset)%30, 70))
		o := every()[int(name)%len(every())]
		got := must.Get(order.Apply(t.Context(), s, o))
		requireSame(t, s, got, o == "original" || o == "original+fetch")
	})
}

func TestLookup(t *testing.T) {
	const have = "have original, random, forsyth, hoppe, tipsify, each also as NAME+fetch"
	for _, c := range []struct {
		name  string
		cache int
		fetch bool
		err   string
	}{
		{"forsyth", 96, false, ""},
		{"forsyth32", 32, false, ""},
		{"tipsify24+fetch", 24, true, ""},
		{"original+fetch", 0, true, ""},
		{"random7", 0, false, `order "random7": random takes no number`},
		{"forsyth3", 0, false, `order "forsyth3": a cache of 3 vertices is out of range 4..128`},
		{"hoppe99999999999999999999", 0, false, "a cache of 99999999999999999999 vertices is out of range 4..128"},
		{"forsith", 0, false, `unknown order "forsith": did you mean forsyth? ` + have},
		{"forsith32+fetch", 0, false, `unknown order "forsith32+fetch": did you mean forsyth32+fetch? ` + have},
		{"hope+fetch", 0, false, `unknown order "hope+fetch": did you mean hoppe+fetch? ` + have},
		{"forsyth+fecth", 0, false, `unknown order "forsyth+fecth": did you mean forsyth+fetch? ` + have},
		{"tipsfy24+f", 0, false, `unknown order "tipsfy24+f": did you mean tipsify24+fetch? ` + have},
		{"volume99+f", 0, false, `unknown order "volume99+f": ` + have},
		{"", 0, false, `unknown order "": ` + have},
		{"+fetch", 0, false, have},
		{"forsyth+fetch+fetch", 0, false, have},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, err := order.Lookup(c.name)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				_, err = order.Apply(t.Context(), scene(3, []uint32{0, 1, 2}), c.name)
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.name, o.Name)
			require.Equal(t, c.cache, o.Cache)
			require.Equal(t, c.fetch, o.Fetch)
		})
	}
}

// TestLinear runs each order on many triangles in shapes for which a simple greedy search takes
// quadratic time, here hours.
func TestLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("a million triangles round one vertex")
	}
	const n = 1 << 18
	dense := make([]uint32, 3*n) // 300 vertices, each in thousands of triangles
	for k := range dense {
		dense[k] = uint32(k) * 2654435769 >> 8 % 300
	}
	for name, indices := range map[string][]uint32{
		"fan": indextest.Fan(4 * n), "soup": indextest.Distinct(3 * n), "repeated": slices.Repeat([]uint32{0, 1, 2}, n), "dense": dense,
	} {
		s := scene(4*n+2, indices)
		for _, o := range order.Names() {
			t.Run(name+"/"+o, func(t *testing.T) {
				start := time.Now()
				got := must.Get(order.Apply(t.Context(), s, o))
				require.Len(t, got.Indices, len(indices))
				t.Logf("%.2f s", time.Since(start).Seconds())
			})
		}
	}
	// Thousands of draws that share one large vertex range.
	many := scene(n, indextest.Fan(30_000))
	many.Draws = nil
	for k := range 30_000 {
		many.Draws = append(many.Draws, draw(3*k, 3, 0, n))
	}
	_ = must.Get(order.Apply(t.Context(), many, "forsyth+fetch"))
}

// BenchmarkOrder times every order, and renumbering alone, on assets in their own order, and forsyth
// on shuffled ones.
func BenchmarkOrder(b *testing.B) {
	for _, asset := range []string{"terrain512", "sphere7"} {
		own := must.Get(assets.Make(asset))
		shuffled := must.Get(order.Apply(b.Context(), own, "random+fetch"))
		for _, name := range append(order.Names(), "original"+order.FetchSuffix) {
			b.Run(asset+"/"+name, func(b *testing.B) {
				for b.Loop() {
					_ = must.Get(order.Apply(b.Context(), own, name))
				}
				b.ReportMetric(float64(own.Triangles())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mtri/s")
			})
		}
		b.Run(asset+"/random+fetch/forsyth", func(b *testing.B) {
			for b.Loop() {
				_ = must.Get(order.Apply(b.Context(), shuffled, "forsyth"))
			}
			b.ReportMetric(float64(own.Triangles())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mtri/s")
		})
	}
}
