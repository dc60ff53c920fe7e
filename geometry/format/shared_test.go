package format

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/qmuntal/gltf"
	"github.com/qmuntal/gltf/modeler"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
)

// TestSharedMeshes opens real files. The expected counts were made without this package: from the
// files' headers and, for referenced vertices and OBJ's triples of indices, by a script that
// collects them in sets.
func TestSharedMeshes(t *testing.T) {
	folder := shareddata.Path(t, "meshes")
	for _, c := range []struct {
		file                            string
		vertices, referenced, triangles int
		draws                           int
	}{
		{"bun_zipper.ply", 35947, 34834, 69451, 1},
		{"stanford-bunny.obj.zst", 35947, 34834, 69451, 1},
		{"dragon_vrip_res4.ply.zst", 5205, 5203, 11102, 1},
		{"dragon_vrip_res3.ply", 22998, 22982, 47794, 1},
		{"dragon_vrip_res2.ply.zst", 100250, 100207, 202520, 1},
		{"helmet_draco.ply.zst", 14571, 14571, 15452, 1},
		{"turbine.off", 9210, 9210, 18460, 1},
		{"armadillo.off.zst", 26002, 26002, 52000, 1},
		{"refined_elephant.off.zst", 44460, 44460, 88928, 1},
		{"photon_dragon.obj.zst", 50000, 50000, 100000, 1},
		{"kitten.obj", 14856, 14856, 28944, 1},
		{"spot.obj", 3225, 3225, 5856, 1},
		{"suzanne.obj", 507, 507, 968, 1},
		{"beast.obj.zst", 33963, 33963, 64618, 1},
		{"pirate.obj", 3172, 3172, 5010, 7},
	} {
		t.Run(c.file, func(t *testing.T) {
			s := must.Get(Open(t.Context(), filepath.Join(folder, c.file)))
			require.Equal(t, c.file, s.Name)
			require.Equal(t, c.vertices, len(s.Positions))
			require.Equal(t, c.vertices, len(s.Normals))
			require.Equal(t, c.triangles, s.Triangles())
			require.Equal(t, c.draws, len(s.Draws))
			used := map[uint32]bool{}
			for i, d := range s.Draws {
				for _, id := range s.DrawIndices(i) {
					used[d.VertexOffset+id] = true
				}
			}
			require.Equal(t, c.referenced, len(used))
		})
	}
	files := must.Get(filepath.Glob(filepath.Join(folder, "*.*")))
	for _, file := range files { // the other files only have to open
		if !testing.Short() || filepath.Base(file) != "dragon_vrip.ply.zst" {
			_ = must.Get(Open(t.Context(), file))
		}
	}
}

// TestGLTFSharedMeshes opens real files and compares every draw with what another library reads;
// that library supports only well-formed files.
func TestGLTFSharedMeshes(t *testing.T) {
	folder := shareddata.Path(t, "meshes")
	counts := map[string]struct {
		vertices, triangles int
		ideal               float64
	}{
		"FlightHelmet.gltf": {60366, 94722, 0.7876},
		"scene.gltf":        {44381, 55682, 0.734},
	}
	var files []string
	for _, pattern := range []string{"*.gltf", "*.gltf.zst", "*/*.gltf"} {
		found := must.Get(filepath.Glob(filepath.Join(folder, pattern)))
		files = append(files, found...)
	}
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			s := must.Get(Open(t.Context(), file))
			require.NoError(t, s.Validate(t.Context()))
			used := 0
			for i := range s.Draws {
				seen := map[uint32]bool{}
				for _, id := range s.DrawIndices(i) {
					seen[id] = true
				}
				used += len(seen)
			}
			ideal := 1 - float64(used)/float64(s.IndexStreamLen())
			t.Logf("%d vertices, %d triangles, %d draws, ideal %.4f", len(s.Positions), s.Triangles(), len(s.Draws), ideal)
			if want, ok := counts[filepath.Base(file)]; ok {
				require.Len(t, s.Positions, want.vertices)
				require.Equal(t, want.triangles, s.Triangles())
				require.InDelta(t, want.ideal, ideal, 0.0005)
			}
			gltfRequireSame(t, gltfOtherReader(t, file), s)
		})
	}
}

func gltfOtherReader(t *testing.T, path string) *gltf.Document {
	if !strings.HasSuffix(path, ".zst") {
		return must.Get(gltf.Open(path))
	}
	doc := &gltf.Document{}
	require.NoError(t, gltf.NewDecoder(bytes.NewReader(shareddata.Unpacked(path))).Decode(doc))
	return doc
}

// gltfRequireSame requires that the scene's draws are the primitives of doc's nodes, parents before
// children.
func gltfRequireSame(t *testing.T, doc *gltf.Document, s *geometry.Scene) {
	next := 0
	var visit func(node int)
	visit = func(node int) {
		n := doc.Nodes[node]
		if n.Mesh != nil {
			for _, prim := range doc.Meshes[*n.Mesh].Primitives {
				require.Equal(t, gltf.PrimitiveTriangles, prim.Mode)
				require.Less(t, next, len(s.Draws))
				gltfRequireSamePrimitive(t, doc, prim, s, next)
				next++
			}
		}
		for _, child := range n.Children {
			visit(child)
		}
	}
	require.NotNil(t, doc.Scene)
	for _, root := range doc.Scenes[*doc.Scene].Nodes {
		visit(root)
	}
	require.Len(t, s.Draws, next)
}

func gltfRequireSamePrimitive(t *testing.T, doc *gltf.Document, prim *gltf.Primitive, s *geometry.Scene, draw int) {
	d := &s.Draws[draw]
	vectors := func(name string) [][3]float32 {
		read := modeler.ReadPosition
		if name == gltf.NORMAL {
			read = modeler.ReadNormal
		}
		return must.Get(read(doc, doc.Accessors[prim.Attributes[name]], nil))
	}
	position := vectors(gltf.POSITION)
	require.Len(t, position, int(d.VertexCount))
	for i, p := range position {
		require.Equal(t, mgl32.Vec3(p), s.Positions[int(d.VertexOffset)+i], "draw %d vertex %d", draw, i)
	}
	if _, ok := prim.Attributes[gltf.NORMAL]; ok {
		for i, n := range vectors(gltf.NORMAL) {
			if mgl32.Vec3(n).Len() > 0.5 {
				require.InDelta(t, 1, mgl32.Vec3(n).Normalize().Dot(s.Normals[int(d.VertexOffset)+i]), 1e-5, "draw %d vertex %d", draw, i)
			}
		}
	}
	indices := must.Get(modeler.ReadIndices(doc, doc.Accessors[*prim.Indices], nil))
	require.Equal(t, indices, s.DrawIndices(draw), "draw %d", draw)
}

// TestGLTFFilesNamedTwice: a file that several buffers refer to is read once, up to the end of
// the longest of them.
func TestGLTFFilesNamedTwice(t *testing.T) {
	const text = `{"asset":{"version":"2.0"},"buffers":[{"uri":"a.bin","byteLength":36},{"uri":"./a.bin","byteLength":40},{"uri":"b/../a.bin","byteLength":12}],` +
		`"bufferViews":[{"buffer":0,"byteLength":36},{"buffer":1,"byteLength":36}],"accessors":[` +
		`{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},{"bufferView":1,"componentType":5126,"count":3,"type":"VEC3"}],` +
		`"meshes":[{"primitives":[{"attributes":{"POSITION":0}},{"attributes":{"POSITION":1}}]}]}`
	var opened []string
	in := &Input{Reader: strings.NewReader(text), Path: "a.gltf", Size: int64(len(text))}
	in.Sibling = func(name string) (io.ReadCloser, int64, error) {
		opened = append(opened, name)
		return io.NopCloser(bytes.NewReader(make([]byte, 1000))), 1000, nil
	}
	_, gltf := gltfReaders(nil)
	s := must.Get(gltf.Read(t.Context(), in))
	require.Len(t, s.Draws, 2)
	require.Equal(t, []string{"a.bin"}, opened)
	require.EqualValues(t, len(text)+40, in.Budget().Size())
}
