package format

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// gltfReaders returns the readers of glTF 2.0: "gltf" reads documents (JSON; buffers embedded as
// base64 or in files beside the document), "glb" reads the same in one binary file. `extend` may be nil.
//
// The scene has the nodes of the default scene (or of the first one, or all nodes if there is no
// scene), or every mesh once if there are no nodes. Each triangle primitive is a draw; points and
// lines are skipped. Attributes other than positions and normals are read only on request. Skins
// and morph targets are applied only with Formats.Animated: at rest if the document has no
// animations, else in the poses of its animations. Otherwise, and until a pose is taken, a mesh has
// its stored shape, at its node's place.
// https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html
func gltfReaders(extend GLTFExtension) (glb, gltf Reader) {
	read := func(open gltfContainer) func(context.Context, *Input) (*geometry.Scene, error) {
		return func(ctx context.Context, in *Input) (*geometry.Scene, error) { return gltfRead(ctx, in, open, extend) }
	}
	glb = Reader{
		Name: "glb", Extensions: []string{".glb"}, Read: read(glbReadChunks), Bytes: gltfBytes,
		Magic: func(head []byte) bool { return bytes.HasPrefix(head, []byte(glbMagic)) },
	}
	gltf = Reader{
		Name: "gltf", Extensions: []string{".gltf"},
		Magic: func(head []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("{")) },
		Read:  read(func(in *Input) (text, bin []byte) { return must.Get(gltfReadBytes(in, in.Size, in.Size)), nil }),
	}
	return glb, gltf
}

// gltfContainer splits a file into the document and its binary data.
type gltfContainer func(*Input) (text, bin []byte)

// gltfBytes is Reader.Bytes for files that contain their buffers.
const gltfBytes = .4

// gltfExtensions are the extensions that a file may require. We read those in the first line. The others do not
// change geometry: we ignore them, except for KHR_texture_transform, which textures use.
var gltfExtensions = map[string]bool{
	"KHR_mesh_quantization": true, "KHR_node_visibility": true, "EXT_mesh_gpu_instancing": true, "EXT_meshopt_compression": true, gltfDraco: true,

	"KHR_materials_anisotropy": true, "KHR_materials_clearcoat": true, "KHR_materials_diffuse_transmission": true, "KHR_materials_dispersion": true,
	"KHR_materials_emissive_strength": true, "KHR_materials_ior": true, "KHR_materials_iridescence": true, "KHR_materials_pbrSpecularGlossiness": true,
	"KHR_materials_sheen": true, "KHR_materials_specular": true, "KHR_materials_transmission": true, "KHR_materials_unlit": true,
	"KHR_materials_variants": true, "KHR_materials_volume": true, "KHR_texture_basisu": true, "KHR_texture_transform": true,
	"EXT_texture_avif": true, "EXT_texture_webp": true, "MSFT_texture_dds": true, "KHR_animation_pointer": true, "KHR_lights_punctual": true,
	"EXT_lights_image_based": true, "KHR_xmp": true, "KHR_xmp_json_ld": true,
}

// gltfRead reads a file, and adds the file's name to errors.
func gltfRead(ctx context.Context, in *Input, open gltfContainer, extend GLTFExtension) (*geometry.Scene, error) {
	scene, err := gltfReadScene(ctx, in, open, extend)
	if err == nil {
		return scene, nil
	}
	var bad *Error
	if !errors.As(err, &bad) {
		bad = &Error{Cause: err.Error(), Err: err}
	}
	bad.File = in.Path
	return nil, bad
}

// gltfReadScene reads a file step by step; `open` splits it into the document and its binary data.
func gltfReadScene(ctx context.Context, in *Input, open gltfContainer, extend GLTFExtension) (scene *geometry.Scene, err error) {
	defer must.Catch(&err)
	text, bin := open(in)
	budget := gltfBudget{in.Budget()}
	kept := in.mapping == nil // whether text and bin are copies in memory
	if kept {
		budget.charge(int64(len(text)+len(bin)), 1, "")
	}
	doc := gltfDecode(text, budget)
	if kept {
		budget.Free(int64(len(text)))
	}
	doc.check()
	var textures *gltfTextures
	if in.Textures {
		textures = doc.readTextures(text, budget)
	}
	var motion *gltfMotion
	var still error // why the skins and animations cannot be read
	if in.Animated {
		if motion, still = doc.readMotion(text, budget); still != nil {
			motion = nil
		}
	}
	if all := in.Attributes || in.looksGLTF; all || textures != nil || motion != nil {
		doc.readFurther(text, budget, func(name string) bool { return all || textures.reads(name) || motion != nil && gltfIsSet(name) })
	}
	source := newGLTFSource(ctx, in, doc, bin, budget)
	plan := doc.plan(source.walk(motion), motion, budget)
	plan.textures = textures
	var finish func(context.Context, *geometry.Scene) error
	if extend != nil {
		seen := &GLTF{text: text, plan: plan, source: source}
		finish = must.Get(extend(seen))
		seen.text = nil
	}
	if finish == nil && motion == nil && still == nil {
		if scene := plan.alias(ctx, source); scene != nil {
			return scene, nil
		}
	}
	plan.open(source)
	plan.pay(budget)
	scene = plan.fill(progress.Part(ctx, gltfBytes, 1), source)
	textures.apply(scene, plan, source)
	if still = cmp.Or(still, plan.animate(source, scene)); still != nil {
		must.OK(context.Cause(ctx))
		scene.Skipped = append(scene.Skipped, "skins and animations: "+strings.TrimPrefix(still.Error(), ": "))
	}
	if finish != nil {
		must.OK(finish(progress.Silent(ctx), scene))
	}
	return scene, nil
}

// gltfDecode parses the parts of the document that geometry needs, and charges their memory to the
// budget beforehand.
func gltfDecode(text []byte, budget gltfBudget) *gltfDocument {
	doc := &gltfDocument{}
	gltfUnmarshal(text, budget, map[string]any{
		"asset": &doc.Asset, "extensionsUsed": &doc.ExtensionsUsed, "extensionsRequired": &doc.ExtensionsRequired, "buffers": &doc.Buffers,
		"bufferViews": &doc.BufferViews, "accessors": &doc.Accessors, "materials": &doc.Materials, "meshes": &doc.Meshes,
		"nodes": &doc.Nodes, "scenes": &doc.Scenes, "scene": &doc.Scene,
	})
	for i := range doc.Buffers {
		budget.charge(int64(len(doc.Buffers[i].URI.data)), 1, gltfPlace("buffer", i))
	}
	return doc
}

// gltfUnmarshal decodes members of the document, and charges the memory to the budget.
func gltfUnmarshal(text []byte, budget gltfBudget, members map[string]any) {
	budget.charge(gltfDecodedSize(text), 1, "JSON")
	ok, err := gltfMembers(text, members, func(n int) error { return budget.Work(int64(n)) })
	if bad := (*json.SyntaxError)(nil); !ok || errors.As(err, &bad) {
		err = cmp.Or(json.Unmarshal(text, &map[string]gltfNothing{}), errors.New("is not valid glTF")) // Unmarshal's error has the place and the cause
	}
	if err != nil {
		must.OK(gltfJSONError(text, err))
	}
}

// gltfDecodedSize bounds the memory of the decoded text: a document of empty objects would take
// 80 times its size.
func gltfDecodedSize(text []byte) int64 {
	const objectBytes, elementBytes = 256, 16
	n := int64(0)
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', 'n': // null also makes an object
			n += objectBytes
		case ',', '[':
			n += elementBytes
		case '"':
			i = gltfStringEnd(text, i)
		}
	}
	return n
}

// gltfReadBytes reads n bytes, or to the end of r if n is negative. `known` is the number of bytes in
// r, or -1: gltfReadBytes allocates n bytes at once only if r is known to hold as many.
func gltfReadBytes(r io.Reader, n, known int64) ([]byte, error) {
	if n < 0 {
		return io.ReadAll(r)
	}
	if known < n {
		data, err := io.ReadAll(io.LimitReader(r, n))
		if err == nil && int64(len(data)) < n {
			err = io.ErrUnexpectedEOF
		}
		return data, err
	}
	data := make([]byte, n)
	got, err := io.ReadFull(r, data)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return data[:got], err
}

// gltfBudget is the file's budget. The counts in a document say nothing about its size, since
// accessors may share bytes or have none at all.
type gltfBudget struct{ *budget.Budget }

// charge charges `count` elements of `size` bytes to the budget.
func (b gltfBudget) charge(count, size int64, place string) {
	if count > math.MaxInt64/size {
		count = math.MaxInt64 / size
	}
	gltfMust(place, b.Memory(count*size))
}

// gltfFail fails with an error about `place`; it panics like package must.
func gltfFail(place, cause string, args ...any) { must.OK(gltfBad(place, cause, args...)) }

// gltfMust fails if err is not nil, with an error about `place`.
func gltfMust(place string, err error) {
	if err != nil {
		must.OK(&Error{Place: place, Cause: err.Error(), Err: err})
	}
}

// gltfBad returns an error without the file's name, which gltfRead adds.
func gltfBad(place, cause string, args ...any) error {
	return &Error{Place: place, Cause: fmt.Sprintf(cause, args...)}
}

// The binary container, section 4 of the specification: a header of 12 bytes
// (magic, version, total length), then chunks (length, type, data).
const (
	glbMagic     = "glTF"
	glbChunkJSON = 0x4e4f534a // "JSON"
	glbChunkBIN  = 0x004e4942 // "BIN\0"
)

// glbReadChunks splits a GLB into its JSON text and its BIN data (nil if there is no such chunk).
// The bytes of a mapped file must not be written to. Chunks of other types are skipped, as the
// specification asks.
func glbReadChunks(in *Input) (text, bin []byte) {
	in.mapped()
	var head [12]byte
	_, err := io.ReadFull(in, head[:])
	glbRead("GLB header", err)
	if string(head[:4]) != glbMagic {
		gltfFail("GLB header", "not a GLB file: it begins with %q", head[:4])
	}
	if v := binary.LittleEndian.Uint32(head[4:]); v != 2 {
		gltfFail("GLB header", "GLB version %d, only 2 is supported", v)
	}
	length := int64(binary.LittleEndian.Uint32(head[8:]))
	if in.Size >= 0 && length != in.Size {
		gltfFail("GLB header", "length says %d bytes, but the file has %d", length, in.Size)
	}
	left := length - int64(len(head))
	for n := 0; left > 0; n++ {
		kind, data, used := glbReadChunk(in, left, n)
		left -= used
		switch {
		case n == 0:
			text = data
		case kind == glbChunkBIN:
			bin = data
		}
	}
	if text == nil {
		gltfFail("GLB header", "length %d leaves no room for a JSON chunk", length)
	}
	if _, err := io.ReadFull(in, head[:1]); err == nil {
		gltfFail("GLB header", "the file goes on after the %d bytes that its length says", length)
	}
	return text, bin
}

// glbReadChunk reads chunk n; the file has at most `left` more bytes. data is nil for chunks of
// unknown type; used counts the bytes of header and data.
func glbReadChunk(in *Input, left int64, n int) (kind uint32, data []byte, used int64) {
	place := gltfPlace("GLB chunk", n)
	var head [8]byte
	if left < int64(len(head)) {
		gltfFail(place, "%d bytes are too few for a chunk header", left)
	}
	_, err := io.ReadFull(in, head[:])
	glbRead(place, err)
	left -= int64(len(head))
	length := int64(binary.LittleEndian.Uint32(head[:]))
	kind = binary.LittleEndian.Uint32(head[4:])
	switch {
	case length > left:
		gltfFail(place, "length says %d bytes, but %d are left", length, left)
	case length%4 != 0:
		gltfFail(place, "length %d is not a multiple of 4", length)
	case n == 0 && kind != glbChunkJSON:
		gltfFail(place, "type %#x, but the first chunk must be JSON", kind)
	case n == 0 && length == 0:
		gltfFail(place, "empty JSON chunk")
	case n != 0 && kind == glbChunkJSON:
		gltfFail(place, "second JSON chunk")
	case n != 1 && kind == glbChunkBIN:
		gltfFail(place, "BIN chunk, which must be the second one")
	}
	if kind == glbChunkJSON || kind == glbChunkBIN {
		data, err = in.take(length)
	} else {
		_, err = io.CopyN(io.Discard, in, length)
	}
	glbRead(place, err)
	return kind, data, int64(len(head)) + length
}

// glbRead fails if err, the result of reading at a place, is not nil.
func glbRead(place string, err error) {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		must.OK(&Error{Place: place, Cause: "the file ends early", Err: err})
	}
	gltfMust(place, err)
}
