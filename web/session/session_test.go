package session

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

func do(t *testing.T, s *Session, r Request) Answer {
	a := must.Get(s.Do(t.Context(), must.Get(json.Marshal(r))))
	return a
}

// TestCounts compares every strategy with reuse.Analyze, on draws that share meshes, in three
// orders, one of which renumbers vertices.
func TestCounts(t *testing.T) {
	t.Parallel()
	scene := must.Get(assets.Make("city2"))
	var s Session
	opened := do(t, &s, Request{Do: "open", Path: "asset:city2"})
	about := opened.Value.(Scene)
	require.Equal(t, scene.DrawVertices(), about.Vertices)
	require.Len(t, opened.Floats["positions"], 3*about.Vertices)
	require.Len(t, about.Draws, len(scene.Draws))
	last := about.Draws[len(about.Draws)-1]
	require.Equal(t, about.Vertices, last.First+last.Vertices)
	indices := opened.Counts["indices"]
	require.Len(t, indices, 3*about.Triangles)
	require.Less(t, slices.Max(indices), uint32(about.Vertices))

	for _, name := range []string{"original", "tipsify", "random+fetch"} {
		ordered := must.Get(order.Apply(t.Context(), scene, name))
		match := geometry.MatchVertices(scene, ordered)
		listing := 0
		for _, strategy := range reuse.Strategies {
			c := must.Get(reuse.Resolve(strategy.Name, 8, 0))
			st, counts := must.Get2(reuse.Analyze(ordered, c))
			r := Request{Do: "count", Order: name, Strategy: strategy.Name, Lanes: 8}
			a := do(t, &s, r)
			require.Equal(t, match.Counts(counts), a.Counts["counts"])
			require.Equal(t, rowOf(name, c, st), a.Value)
			require.Equal(t, st.Invocations, sum(a.Counts["invocations"]))
			require.Equal(t, st.Referenced, sum(a.Counts["referenced"]))

			r.Do = "vertex"
			var v Vertex
			for k := 0; k < len(indices); k += len(indices) / 8 {
				r.Vertex = indices[k]
				v = do(t, &s, r).Value.(Vertex)
				require.Equal(t, about.Draws[v.Draw].First, int(r.Vertex-v.Vertex))
				times := 0
				for _, use := range v.Batches {
					times += use.Times
				}
				if len(v.Batches) > 0 {
					require.Equal(t, int(a.Counts["counts"][r.Vertex]), times, strategy.Name)
				}
			}
			listing += min(len(v.Batches), 1)

			r.Do = "sum"
			row := do(t, &s, r).Value.(Row)
			require.Equal(t, a.Value, row)
		}
		require.Equal(t, len(reuse.Strategies)-1, listing, "strategies that list batches: all but multi")
	}
}

func sum(list []uint32) (n int) {
	for _, x := range list {
		n += int(x)
	}
	return n
}

// TestPositionsAreWhereDrawsPutThem: open returns the positions as the draws' transforms move them, and the draws' indices.
func TestPositionsAreWhereDrawsPutThem(t *testing.T) {
	t.Parallel()
	scene := must.Get(assets.Make("patches-instanced4"))
	var s Session
	opened := do(t, &s, Request{Do: "open", Path: "asset:patches-instanced4"})
	positions, indices, at := opened.Floats["positions"], opened.Counts["indices"], 0
	for i := range scene.Draws {
		d, first := &scene.Draws[i], uint32(at/3)
		for _, id := range scene.DrawIndices(i) {
			require.Equal(t, first+id, indices[0])
			indices = indices[1:]
		}
		for _, p := range scene.Positions[d.VertexOffset:][:d.VertexCount] {
			want := d.Transform.Mul4x1(p.Vec4(1))
			require.Equal(t, want[:3], positions[at:at+3])
			at += 3
		}
	}
	require.Len(t, positions, at)
}

// TestSave: the saved file equals what format.Save writes for the ordered scene, with the materials that the
// open scene lacks. A saved glTF document also keeps parts that a scene does not hold.
func TestSave(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	require.NoError(t, os.WriteFile(at("a.mtl"), []byte("newmtl red\nKd 1 0 0\n"), 0o600))
	require.NoError(t, os.WriteFile(at("a.obj"), []byte("mtllib a.mtl\nusemtl red\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n"), 0o600))
	var s Session
	_, err := s.Do(t.Context(), []byte(`{"do":"count"}`))
	require.EqualError(t, err, "no scene is open")

	do(t, &s, Request{Do: "open", Path: at("a.obj")})
	require.Equal(t, Saved{[]string{"lost: materials but for names, colours and map_Kd without its options"}}, do(t, &s, Request{Do: "save", Path: at("out.glb"), Order: "random"}).Value)
	scene := must.Get(format.Readers(nil).Looks(false).Open(t.Context(), at("a.obj")))
	require.NoError(t, format.Save(t.Context(), at("want.glb"), must.Get(order.Apply(t.Context(), scene, "random"))))
	require.Equal(t, must.Get(os.ReadFile(at("want.glb"))), must.Get(os.ReadFile(at("out.glb"))))
	require.Contains(t, string(must.Get(os.ReadFile(at("out.glb")))), "baseColorFactor")

	do(t, &s, Request{Do: "open", Path: "asset:cube"})
	require.Equal(t, Saved{}, do(t, &s, Request{Do: "save", Path: at("cube.glb"), Order: "random"}).Value)

	// A glTF document keeps the names that a scene does not hold.
	const document = `{"asset":{"version":"2.0","generator":"other"},"buffers":[{"byteLength":36,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}],
		"bufferViews":[{"buffer":0,"byteLength":36}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}],
		"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"nodes":[{"mesh":0}],"scenes":[{"nodes":[0],"name":"kept"}],"scene":0}`
	require.NoError(t, os.WriteFile(at("b.gltf"), []byte(document), 0o600))
	do(t, &s, Request{Do: "open", Path: at("b.gltf")})
	do(t, &s, Request{Do: "save", Path: at("out.glb"), Order: "forsyth"})
	require.Contains(t, string(must.Get(os.ReadFile(at("out.glb")))), `"name":"kept"`)
}

// TestErrorsAreOneLine: errors name the file, not the folder that only the page knows. The open scene stays.
func TestErrorsAreOneLine(t *testing.T) {
	t.Parallel()
	bad := filepath.Join(t.TempDir(), "bad.obj")
	require.NoError(t, os.WriteFile(bad, []byte("v 0 0 0\nf 1 2 3\n"), 0o600))
	var s Session
	do(t, &s, Request{Do: "open", Path: "asset:triangle"})
	for request, want := range map[Request]string{
		{Do: "open", Path: bad}:                                        "bad.obj: line 2: ",
		{Do: "open", Path: "asset:none"}:                               `unknown asset "none"`,
		{Do: "count", Order: "none", Strategy: "claim"}:                `unknown order "none"`,
		{Do: "count", Order: "original", Strategy: "none"}:             `unknown strategy "none"`,
		{Do: "count", Order: "original", Strategy: "auto"}:             "strategy auto chooses by a device",
		{Do: "count", Order: "original", Strategy: "warp", Lanes: 5}:   "5",
		{Do: "vertex", Order: "original", Strategy: "warp", Vertex: 3}: "vertex 3: the scene has 3",
		{Do: "save", Path: "x.obj", Order: "original"}:                 "the page writes GLB",
		{Do: "other", Order: "original", Strategy: "warp"}:             `unknown request "other"`,
	} {
		_, err := s.Do(t.Context(), must.Get(json.Marshal(request)))
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "\n")
		require.NotContains(t, err.Error(), filepath.Dir(bad))
	}
	require.Equal(t, 3, do(t, &s, Request{Do: "count", Order: "original", Strategy: "claim"}).Value.(Row).Invocations)
}

// TestAnotherSceneIsCountedAnew: orders kept of an earlier scene are not used for a new one.
func TestAnotherSceneIsCountedAnew(t *testing.T) {
	t.Parallel()
	var s Session
	for path, triangles := range map[string]int{"asset:triangle": 1, "asset:cube": 12} {
		do(t, &s, Request{Do: "open", Path: path})
		require.Equal(t, triangles, do(t, &s, Request{Do: "count", Order: "original", Strategy: "claim"}).Value.(Row).Triangles)
	}
}

// TestVerticesAreOfDrawsThatHaveSome: if a draw without vertices and the next draw begin at the same number,
// the vertex with this number belongs to the next draw.
func TestVerticesAreOfDrawsThatHaveSome(t *testing.T) {
	t.Parallel()
	scene := must.Get(assets.Make("triangle"))
	d := scene.Draws[0]
	scene.Draws = []geometry.Draw{d, {Name: "empty", Transform: d.Transform}, d}
	s := Session{scene: scene}
	for pair, want := range []int{0, 0, 0, 2, 2, 2} {
		v := do(t, &s, Request{Do: "vertex", Order: "original", Strategy: "claim", Vertex: uint32(pair)}).Value.(Vertex)
		require.Equal(t, []any{want, uint32(pair % 3)}, []any{v.Draw, v.Vertex})
		require.Len(t, v.Batches, 1)
	}
	s.scene.Indices, s.scene.Draws, s.ordered = slices.Repeat(scene.Indices[:3], 10000), []geometry.Draw{{IndexCount: 30000, VertexCount: 3}}, nil
	r := Request{Do: "vertex", Order: "original", Strategy: "claim"}
	v := do(t, &s, r).Value.(Vertex)
	r.Do = "sum"
	require.Equal(t, do(t, &s, r).Value.(Row).Batches, maxUses+v.More)
}

func TestTooLargeScenesAreRefused(t *testing.T) {
	t.Parallel()
	require.NoError(t, fits(&geometry.Scene{Draws: []geometry.Draw{{IndexCount: 3 * MaxTriangles, VertexCount: MaxVertices}}}))
	require.ErrorContains(t, fits(&geometry.Scene{Name: "a", Draws: []geometry.Draw{{IndexCount: 3 * MaxTriangles}, {IndexCount: 3}}}), "a: 12582913 triangles")
	require.ErrorContains(t, fits(&geometry.Scene{Draws: []geometry.Draw{{VertexCount: MaxVertices}, {VertexCount: 1}}}), "25165825 vertices")
}

// TestProgressRises: the progress of opening and of counting never falls, and ends at 1.
func TestProgressRises(t *testing.T) {
	t.Parallel()
	var s Session
	for _, r := range []Request{{Do: "open", Path: "asset:patches"}, {Do: "count", Order: "forsyth", Strategy: "claim"}} {
		var told []float64
		must.Get(s.Do(progress.With(t.Context(), func(done float64) { told = append(told, done) }), must.Get(json.Marshal(r))))
		require.Greater(t, len(told), 10)
		require.True(t, slices.IsSorted(told))
		require.InDelta(t, 1, told[len(told)-1], 1e-9)
	}
}

// TestAbout: the strategies, orders and scenes that About lists are in the registries, and it lists all strategies.
func TestAbout(t *testing.T) {
	t.Parallel()
	a := NewAbout()
	for _, s := range a.Strategies {
		must.Get(reuse.Lookup(s.Name))
	}
	require.Len(t, a.Strategies, len(reuse.Strategies))
	require.Subset(t, a.Orders, []string{"original", "forsyth+fetch"})
	for _, name := range a.Orders {
		must.Get(order.Lookup(name))
	}
	for _, name := range a.Scenes {
		require.NoError(t, assets.Check(name))
	}
	require.Subset(t, a.Extensions, []string{".obj", ".ply", ".stl", ".off", ".gltf", ".glb", ".draws"})
}

// TestStream: the stream, and for every strategy with batches the counts, have the order's own vertex
// numbers. The batches cover the stream, and the counts are the reference's.
func TestStream(t *testing.T) {
	t.Parallel()
	scene := must.Get(order.Apply(t.Context(), must.Get(assets.Make("city2")), "random+fetch"))
	var s Session
	opened := do(t, &s, Request{Do: "open", Path: "asset:city2"})
	a := do(t, &s, Request{Do: "stream", Order: "random+fetch"})
	indices, positions := a.Counts["indices"], a.Floats["positions"]
	require.NotEqual(t, opened.Floats["positions"], positions, "vertices have the order's numbers")
	var wantIndices []uint32
	var wantPositions []float32
	for i := range scene.Draws {
		wantPositions, wantIndices = scene.AppendWorld(i, wantPositions, wantIndices)
	}
	require.Equal(t, wantIndices, indices)
	require.Equal(t, wantPositions, positions)
	for _, strategy := range reuse.Strategies {
		if strategy.WholeDraws {
			continue
		}
		c := must.Get(reuse.Resolve(strategy.Name, 4, 0))
		st, counts := must.Get2(reuse.Analyze(scene, c))
		a := do(t, &s, Request{Do: "batches", Order: "random+fetch", Strategy: strategy.Name, Lanes: 4})
		require.Equal(t, counts, a.Counts["counts"])
		shape, next := a.Value.(Shape), uint32(0)
		require.Equal(t, st.Invocations, shape.Invocations)
		require.Equal(t, c.Lanes, shape.Lanes)
		require.Equal(t, strategy.Multiplier != nil, shape.Multiplier%2 == 1)
		for batch := range slices.Chunk(a.Counts["batches"], 2) {
			require.Equal(t, next, batch[0])
			require.LessOrEqual(t, int(batch[1]), shape.Batch)
			next += batch[1]
		}
		require.Len(t, indices, int(next))
		require.Len(t, a.Counts["batches"], 2*st.Batches)
	}
}
