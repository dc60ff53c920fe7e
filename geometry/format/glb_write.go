package format

import (
	"bufio"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"unsafe"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// glbWriter writes binary glTF 2.0 without loss: the scene's pools as they are in memory (all
// positions, all normals if there are any, all indices, as 32 bits), a mesh for each combination of vertex
// range, index range and material, and a node per draw, so that instances share their mesh. The buffer ends
// with the further attributes, in a form from which shaders read the same numbers, and with images. When
// the file is read back, the pools are bit for bit the same.
//
// Empty draws are left out, since a mesh cannot be empty. Names are read back as CleanName
// shortens them, an unnamed draw gets a name, and colours are clamped to 0..1.
var glbWriter = Writer{Name: "glb", Extensions: []string{".glb"}, Write: WriteGLB, lacks: glbLacks}

// gltfWriter writes what glbWriter does as text, with the buffer inside it in base64.
var gltfWriter = Writer{Name: "gltf", Extensions: []string{".gltf"}, Write: func(w io.Writer, s *geometry.Scene) error { return glbWrite(w, s, gltfWriteFile) }, lacks: glbLacks}

// glbMost is the largest file size: a GLB header stores the length in 32 bits.
const glbMost = math.MaxUint32

// WriteGLB writes a scene as GLB.
func WriteGLB(w io.Writer, s *geometry.Scene) error {
	return glbWrite(w, ownNormals(cmp.Or(s, &geometry.Scene{})), glbWriteFile)
}

// glbContainer writes a document and its buffer. `bin` writes the buffer's binBytes bytes, a multiple of 4.
type glbContainer func(w io.Writer, text []byte, binBytes int64, bin func(io.Writer) error) error

func glbWrite(w io.Writer, s *geometry.Scene, container glbContainer) (err error) {
	defer must.Catch(&err)
	// Check the size first, since making the text costs time and memory.
	further := glbFurtherOf(s)
	binBytes := s.Bytes()
	for _, f := range further {
		binBytes += int64(len(s.Positions)) * int64(f.stride)
	}
	_, images := glbImages(s)
	for _, data := range images {
		binBytes += glbPadded(data)
	}
	must.OK(glbFits(binBytes))
	must.OK(s.Validate(context.Background()))
	text := must.Get(json.Marshal(glbDescribe(s, further...)))
	return container(w, text, binBytes, func(out io.Writer) (err error) {
		defer must.Catch(&err)
		for _, pool := range [][]mgl32.Vec3{s.Positions, s.Normals} {
			// View the vectors as 32-bit words, three per vector.
			glbWritePool(out, unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(pool))), 3*len(pool)))
		}
		glbWritePool(out, s.Indices)
		for i := range further {
			further[i].write(out, len(s.Positions))
		}
		for _, data := range images {
			must.Get(out.Write(append(slices.Clip(data), make([]byte, glbPadded(data)-int64(len(data)))...)))
		}
		return nil
	})
}

// glbWriteFile writes the buffer as a BIN chunk.
func glbWriteFile(w io.Writer, text []byte, binBytes int64, bin func(io.Writer) error) (err error) {
	defer must.Catch(&err)
	for len(text)%4 != 0 {
		text = append(text, ' ') // the BIN chunk must begin at a multiple of 4
	}
	length := 12 + 8 + int64(len(text)) + 8 + binBytes
	must.OK(glbFits(length))
	out := bufio.NewWriterSize(w, writeBuffer)
	word := func(values ...uint32) {
		for _, v := range values {
			out.Write(binary.LittleEndian.AppendUint32(nil, v))
		}
	}
	io.WriteString(out, glbMagic)
	word(2, uint32(length), uint32(len(text)), glbChunkJSON)
	out.Write(text)
	word(uint32(binBytes), glbChunkBIN)
	must.OK(bin(out))
	return out.Flush()
}

// gltfWriteFile writes the buffer in base64, as the first part of the document.
func gltfWriteFile(w io.Writer, text []byte, binBytes int64, bin func(io.Writer) error) (err error) {
	defer must.Catch(&err)
	var doc map[string]json.RawMessage
	must.OK(json.Unmarshal(text, &doc))
	delete(doc, "buffers")
	text = must.Get(json.Marshal(doc))
	out := bufio.NewWriterSize(w, writeBuffer)
	fmt.Fprintf(out, `{"buffers":[{"byteLength":%d,"uri":"data:application/octet-stream;base64,`, binBytes)
	coded := base64.NewEncoder(base64.StdEncoding, out)
	must.OK(cmp.Or(bin(coded), coded.Close()))
	fmt.Fprintf(out, `"}],%s`, text[1:])
	return out.Flush()
}

func glbFits(bytes int64) error {
	if bytes > glbMost {
		return fmt.Errorf("it needs %.1f GiB, and a GLB holds at most 4 GiB", float64(bytes)/(1<<30))
	}
	return nil
}

// glbWritePool writes the words of a pool, some thousands at a time.
func glbWritePool(w io.Writer, pool []uint32) {
	for words := range slices.Chunk(pool, 4096) {
		must.OK(binary.Write(w, binary.LittleEndian, words))
	}
}

// Types of the parts that a document can have very many of; the other parts are trees (gltfTree). Numbers are
// float64: JSON prints these so that a reader gets the same float32.
type (
	glbNode struct {
		Name        string    `json:"name,omitempty"`
		Mesh        *int      `json:"mesh,omitempty"`
		Children    []int     `json:"children,omitempty"`
		Matrix      []float64 `json:"matrix,omitempty"`
		Translation []float64 `json:"translation,omitempty"`
		Rotation    []float64 `json:"rotation,omitempty"`
		Scale       []float64 `json:"scale,omitempty"`
	}
	glbMesh struct {
		Primitives [1]glbPrimitive `json:"primitives"`
	}
	glbPrimitive struct {
		Attributes map[string]int `json:"attributes"` // numbers of accessors, by attribute
		Indices    int            `json:"indices"`
		Material   int            `json:"material"`
	}
	glbAccessor struct {
		View      int       `json:"bufferView"`
		Offset    int64     `json:"byteOffset,omitempty"`
		Component int       `json:"componentType"`
		Fractions bool      `json:"normalized,omitempty"`
		Count     uint32    `json:"count"`
		Type      string    `json:"type"`
		Min       []float64 `json:"min,omitempty"`
		Max       []float64 `json:"max,omitempty"`
	}
)

// glbGenerator is the name of our writer in its documents.
const glbGenerator = "shadeonce"

// Targets of buffer views, section 5.11.5 of the specification.
const (
	glbVertexData = 34962
	glbIndexData  = 34963
)

// glbLayout is a document under construction. Its views are positions, then normals if the scene
// has any, then indices, then further attributes, then images.
type glbLayout struct {
	scene     *geometry.Scene
	imageAt   map[string]int // numbers of images, by file
	further   []glbFurther
	roots     []int
	nodes     []glbNode
	meshes    []glbMesh
	materials []gltfTree
	accessors []glbAccessor
	views     []gltfTree
	length    int64       // bytes of the buffer so far
	at        map[any]int // numbers of parts by key: of meshes, of materials, and of the accessors of ranges
}

type (
	glbVertices struct{ first, count uint32 } // a range of the vertex pool: key of its accessors (positions, then normals, then further attributes)
	glbIndices  struct{ first, count uint32 }
	glbMeshKey  struct{ vertices, indices, material int }
	glbMaterial struct {
		color    mgl32.Vec4
		oneSided bool
		surface  uint32
	}
)

func glbDescribe(s *geometry.Scene, further ...glbFurther) gltfTree {
	l := &glbLayout{scene: s, further: further, at: map[any]int{}}
	vertices := int64(len(s.Positions))
	l.addView(12*vertices, 12, glbVertexData)
	if len(s.Normals) > 0 {
		l.addView(12*vertices, 12, glbVertexData)
	}
	l.addView(4*int64(len(s.Indices)), 0, glbIndexData)
	for _, f := range further {
		l.addView(int64(f.stride)*vertices, f.stride, glbVertexData)
	}
	var files [][]byte
	var images, textures []gltfTree
	l.imageAt, files = glbImages(s)
	for i, data := range files {
		images = append(images, gltfTree{"bufferView": len(l.views), "mimeType": imageType(data)})
		textures = append(textures, gltfTree{"source": i})
		l.addView(int64(len(data)), 0, 0)
	}
	// Accessors of whole pools keep the data that lies between the draws' ranges.
	l.vertices(glbVertices{0, uint32(vertices)})
	l.indices(glbIndices{0, uint32(len(s.Indices))})
	for i := range s.Draws {
		d := &s.Draws[i]
		if d.IndexCount == 0 {
			continue
		}
		if err := l.addNode(d.Name, l.mesh(d), d.Transform); err != nil {
			must.Fail("draw %d (%q): %w", i, d.Name, err)
		}
	}
	doc := gltfTree{
		"asset": gltfTree{"version": "2.0", "generator": glbGenerator}, "scene": 0, "scenes": []gltfTree{{"nodes": l.roots}},
		"nodes": l.nodes, "meshes": l.meshes, "materials": l.materials, "accessors": l.accessors,
		"bufferViews": l.views, "buffers": []gltfTree{{"byteLength": l.length}},
	}
	if len(images) > 0 {
		doc["images"], doc["textures"] = images, textures
	}
	return doc
}

// addView adds the next part of the buffer.
func (l *glbLayout) addView(length int64, stride, target int) {
	view := viewTree(length, stride, target)
	view["byteOffset"] = l.length
	l.views = append(l.views, view)
	l.length += (length + 3) &^ 3
}

// once returns the number of the part that has been made for a key. If there is none, it makes the part.
func once[T any](l *glbLayout, key any, list *[]T, make func()) int {
	at, known := l.at[key]
	if !known {
		at = len(*list)
		l.at[key] = at
		make()
	}
	return at
}

func (l *glbLayout) mesh(d *geometry.Draw) int {
	key := glbMeshKey{
		l.vertices(glbVertices{d.VertexOffset, d.VertexCount}), l.indices(glbIndices{d.FirstIndex, d.IndexCount}), l.material(glbMaterial{d.Color, d.OneSided, d.Surface}),
	}
	return once(l, key, &l.meshes, func() {
		attributes, next := map[string]int{"POSITION": key.vertices}, key.vertices+1
		if len(l.scene.Normals) > 0 {
			attributes["NORMAL"] = next
			next++
		}
		for i := range l.further {
			attributes[l.further[i].name] = next + i
		}
		l.meshes = append(l.meshes, glbMesh{[1]glbPrimitive{{attributes, key.indices, key.material}}})
	})
}

func (l *glbLayout) vertices(of glbVertices) int {
	return once(l, of, &l.accessors, func() {
		position := glbAccessor{Offset: int64(of.first) * 12, Component: gltfFloat, Count: of.count, Type: "VEC3"}
		normal := position
		box := geometry.BoxOf(l.scene.Positions[of.first : of.first+of.count]...)
		position.Min, position.Max = glbNumbers(box.Min[:]), glbNumbers(box.Max[:]) // glTF requires bounds, so that readers know them beforehand
		l.accessors = append(l.accessors, position)
		if len(l.scene.Normals) > 0 {
			normal.View = 1
			l.accessors = append(l.accessors, normal)
		}
		for i, f := range l.further {
			l.accessors = append(l.accessors, glbAccessor{
				View: l.indexView() + 1 + i, Offset: int64(of.first) * int64(f.stride), Component: f.component, Fractions: f.fractions, Count: of.count, Type: f.shape,
			})
		}
	})
}

// indexView returns the number of the indices' view, which follows the views of positions and normals.
func (l *glbLayout) indexView() int { return 1 + min(len(l.scene.Normals), 1) }

func (l *glbLayout) indices(of glbIndices) int {
	return once(l, of, &l.accessors, func() {
		l.accessors = append(l.accessors, glbAccessor{View: l.indexView(), Offset: int64(of.first) * 4, Component: gltfUnsignedInt, Count: of.count, Type: "SCALAR"})
	})
}

func (l *glbLayout) material(of glbMaterial) int {
	return once(l, of, &l.materials, func() {
		var color [4]float64
		for k, f := range of.color {
			color[k] = float64(min(max(f, 0), 1))
		}
		look := gltfTree{"baseColorFactor": color}
		m := gltfTree{"pbrMetallicRoughness": look, "doubleSided": !of.oneSided}
		if of.surface > 0 {
			x := &l.scene.Look.Surfaces[of.surface-1]
			m["name"] = CleanName(x.Name)
			if image, has := l.imageAt[x.File]; has {
				look["baseColorTexture"] = gltfTree{"index": image}
			}
		}
		l.materials = append(l.materials, m)
	})
}

func glbNumbers(values []float32) []float64 {
	list := make([]float64, len(values))
	for i, f := range values {
		list[i] = float64(f)
	}
	return list
}
