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
// positions, all normals if there are any, all indices, as 32 bits), a mesh for each pair of
// ranges and material, and a node per draw, so that instances share their mesh. Attributes per vertex
// follow, in a form that shaders read the same numbers from, then images. When the file is read back,
// the pools are bit for bit the same.
//
// Empty draws are left out, since a mesh cannot be empty. Names are read back as CleanName
// shortens them, an unnamed draw gets a name, and colours are clamped to 0..1.
var glbWriter = Writer{Name: "glb", Extensions: []string{".glb"}, Write: WriteGLB, lacks: glbLacks}

// gltfWriter writes the same as text, with the buffer inside it in base64.
var gltfWriter = Writer{Name: "gltf", Extensions: []string{".gltf"}, Write: func(w io.Writer, s *geometry.Scene) error { return glbWrite(w, s, gltfWriteFile) }, lacks: glbLacks}

// glbMost is the largest file size: a GLB header stores the length in 32 bits.
const glbMost = math.MaxUint32

// WriteGLB writes a scene as GLB.
func WriteGLB(w io.Writer, s *geometry.Scene) error {
	return glbWrite(w, ownNormals(cmp.Or(s, &geometry.Scene{})), glbWriteFile)
}

// glbContainer writes a document and the binBytes bytes of its buffer, a multiple of 4, that bin writes.
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
	return container(w, text, binBytes, func(out io.Writer) error {
		for _, pool := range [][]mgl32.Vec3{s.Positions, s.Normals} {
			// View the vectors as 32-bit words, three per vector.
			if err := glbWritePool(out, unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(pool))), 3*len(pool))); err != nil {
				return err
			}
		}
		if err := glbWritePool(out, s.Indices); err != nil {
			return err
		}
		for i := range further {
			if err := further[i].write(out, len(s.Positions)); err != nil {
				return err
			}
		}
		for _, data := range images {
			if _, err := out.Write(append(slices.Clip(data), make([]byte, glbPadded(data)-int64(len(data)))...)); err != nil {
				return err
			}
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
func glbWritePool(w io.Writer, pool []uint32) error {
	var block [4 * 4096]byte
	for words := range slices.Chunk(pool, len(block)/4) {
		for i, v := range words {
			binary.LittleEndian.PutUint32(block[4*i:], v)
		}
		if _, err := w.Write(block[:4*len(words)]); err != nil {
			return err
		}
	}
	return nil
}

// The document of a GLB that we write. Numbers are float64, which JSON prints such that the same
// float32 is read back.
type (
	glbDocument struct {
		Asset struct {
			Version   string `json:"version"`
			Generator string `json:"generator"`
		} `json:"asset"`
		Scene       int           `json:"scene"`
		Scenes      [1]glbNodes   `json:"scenes"`
		Nodes       []glbNode     `json:"nodes"`
		Meshes      []glbMesh     `json:"meshes"`
		Materials   []glbMaterial `json:"materials"`
		Textures    []glbTexture  `json:"textures,omitempty"`
		Images      []glbImage    `json:"images,omitempty"`
		Accessors   []glbAccessor `json:"accessors"`
		BufferViews []glbView     `json:"bufferViews"`
		Buffers     [1]glbBuffer  `json:"buffers"`
	}
	glbNodes struct {
		Nodes []int `json:"nodes"`
	}
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
		Attributes glbAttributes `json:"attributes"`
		Indices    int           `json:"indices"`
		Material   int           `json:"material"`
	}
	glbAttributes map[string]int // accessors
	glbMaterial   struct {
		Name string `json:"name,omitempty"`
		PBR  struct {
			BaseColorFactor  [4]float64 `json:"baseColorFactor"`
			BaseColorTexture *glbRef    `json:"baseColorTexture,omitempty"`
		} `json:"pbrMetallicRoughness"`
		DoubleSided bool `json:"doubleSided,omitempty"`
	}
	glbRef struct {
		Index int `json:"index"`
	}
	glbTexture struct {
		Source int `json:"source"`
	}
	glbImage struct {
		View int    `json:"bufferView"`
		Type string `json:"mimeType"`
	}
	glbAccessor struct {
		View      int       `json:"bufferView"`
		Offset    int64     `json:"byteOffset,omitempty"`
		Component int       `json:"componentType"`
		Fractions bool      `json:"normalized,omitempty"`
		Count     int64     `json:"count"`
		Type      string    `json:"type"`
		Min       []float64 `json:"min,omitempty"`
		Max       []float64 `json:"max,omitempty"`
	}
	glbView struct {
		Buffer int   `json:"buffer"`
		Offset int64 `json:"byteOffset,omitempty"`
		Length int64 `json:"byteLength"`
		Stride int   `json:"byteStride,omitempty"`
		Target int   `json:"target,omitempty"`
	}
	glbBuffer struct {
		Length int64 `json:"byteLength"`
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
// has any, then indices, then further attributes.
type glbLayout struct {
	glbDocument
	scene      *geometry.Scene
	imageAt    map[string]int // by file
	further    []glbFurther
	vertexAt   map[[2]uint32]int // accessor of positions; that of normals follows it
	indexAt    map[[2]uint32]int
	meshAt     map[glbMeshKey]int
	materialAt map[glbMaterialKey]int
}

type glbMeshKey struct{ vertices, indices, material int }

type glbMaterialKey struct {
	color    mgl32.Vec4
	oneSided bool
	surface  uint32
}

func glbDescribe(s *geometry.Scene, further ...glbFurther) *glbDocument {
	l := &glbLayout{
		scene: s, further: further, vertexAt: map[[2]uint32]int{}, indexAt: map[[2]uint32]int{},
		meshAt: map[glbMeshKey]int{}, materialAt: map[glbMaterialKey]int{},
	}
	var images [][]byte
	l.imageAt, images = glbImages(s)
	l.Asset.Version, l.Asset.Generator = "2.0", glbGenerator
	l.views()
	// Accessors of whole pools keep the data that lies between the draws' ranges.
	l.vertices(0, uint32(len(s.Positions)))
	l.indices(0, uint32(len(s.Indices)))
	for i := range s.Draws {
		d := &s.Draws[i]
		if d.IndexCount == 0 {
			continue
		}
		if err := l.addNode(d.Name, l.mesh(d), d.Transform); err != nil {
			must.Fail("draw %d (%q): %w", i, d.Name, err)
		}
	}
	for _, data := range images {
		l.Images = append(l.Images, glbImage{len(l.BufferViews), imageType(data)})
		l.Textures = append(l.Textures, glbTexture{len(l.Textures)})
		l.BufferViews = append(l.BufferViews, glbView{Offset: l.Buffers[0].Length, Length: int64(len(data))})
		l.Buffers[0].Length += glbPadded(data)
	}
	return &l.glbDocument
}

func (l *glbLayout) views() {
	vertexBytes, at := int64(len(l.scene.Positions))*12, int64(0)
	add := func(length int64, stride, target int) {
		l.BufferViews = append(l.BufferViews, glbView{0, at, length, stride, target})
		at += length
	}
	add(vertexBytes, 12, glbVertexData)
	if len(l.scene.Normals) > 0 {
		add(vertexBytes, 12, glbVertexData)
	}
	add(int64(len(l.scene.Indices))*4, 0, glbIndexData)
	for _, f := range l.further {
		add(int64(len(l.scene.Positions))*int64(f.stride), f.stride, glbVertexData)
	}
	l.Buffers[0].Length = at
}

// firstFurther is the view of the first further attribute.
func (l *glbLayout) firstFurther() int { return len(l.BufferViews) - len(l.further) }

func (l *glbLayout) mesh(d *geometry.Draw) int {
	key := glbMeshKey{l.vertices(d.VertexOffset, d.VertexCount), l.indices(d.FirstIndex, d.IndexCount), l.material(glbMaterialKey{d.Color, d.OneSided, d.Surface})}
	at, ok := l.meshAt[key]
	if !ok {
		at = len(l.Meshes)
		l.meshAt[key] = at
		primitive := glbPrimitive{glbAttributes{"POSITION": key.vertices}, key.indices, key.material}
		next := key.vertices + 1
		if len(l.scene.Normals) > 0 {
			primitive.Attributes["NORMAL"] = next
			next++
		}
		for i := range l.further {
			primitive.Attributes[l.further[i].name] = next + i
		}
		l.Meshes = append(l.Meshes, glbMesh{[1]glbPrimitive{primitive}})
	}
	return at
}

func (l *glbLayout) vertices(first, count uint32) int {
	at, ok := l.vertexAt[[2]uint32{first, count}]
	if ok {
		return at
	}
	at = len(l.Accessors)
	l.vertexAt[[2]uint32{first, count}] = at
	position := glbAccessor{View: 0, Offset: int64(first) * 12, Component: gltfFloat, Count: int64(count), Type: "VEC3"}
	normal := position
	position.Min, position.Max = glbExtent(l.scene.Positions[first : first+count])
	l.Accessors = append(l.Accessors, position)
	if len(l.scene.Normals) > 0 {
		normal.View = 1
		l.Accessors = append(l.Accessors, normal)
	}
	for i := range l.further {
		f := &l.further[i]
		l.Accessors = append(l.Accessors, glbAccessor{
			View: l.firstFurther() + i, Offset: int64(first) * int64(f.stride), Component: f.component, Fractions: f.fractions, Count: int64(count), Type: f.shape,
		})
	}
	return at
}

func (l *glbLayout) indices(first, count uint32) int {
	at, ok := l.indexAt[[2]uint32{first, count}]
	if !ok {
		at = len(l.Accessors)
		l.indexAt[[2]uint32{first, count}] = at
		l.Accessors = append(l.Accessors, glbAccessor{
			View: l.firstFurther() - 1, Offset: int64(first) * 4, Component: gltfUnsignedInt, Count: int64(count), Type: "SCALAR",
		})
	}
	return at
}

func (l *glbLayout) material(key glbMaterialKey) int {
	at, ok := l.materialAt[key]
	if !ok {
		at = len(l.Materials)
		l.materialAt[key] = at
		m := glbMaterial{DoubleSided: !key.oneSided}
		for k, f := range key.color {
			m.PBR.BaseColorFactor[k] = float64(min(max(f, 0), 1))
		}
		if key.surface > 0 {
			x := &l.scene.Look.Surfaces[key.surface-1]
			m.Name = CleanName(x.Name)
			if image, has := l.imageAt[x.File]; has {
				m.PBR.BaseColorTexture = &glbRef{image}
			}
		}
		l.Materials = append(l.Materials, m)
	}
	return at
}

// glbExtent returns the box of the positions. glTF requires it, so that a reader knows it before
// it reads them.
func glbExtent(positions []mgl32.Vec3) (lowest, highest []float64) {
	lo, hi := positions[0], positions[0]
	for _, p := range positions {
		for k := range p {
			lo[k], hi[k] = min(lo[k], p[k]), max(hi[k], p[k])
		}
	}
	return glbNumbers(lo[:]), glbNumbers(hi[:])
}

func glbNumbers(values []float32) []float64 {
	list := make([]float64, len(values))
	for i, f := range values {
		list[i] = float64(f)
	}
	return list
}
