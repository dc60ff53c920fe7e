package format

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGLTFBadDocuments changes one thing in a valid document.
func TestGLTFBadDocuments(t *testing.T) {
	m := &gltfMaker{}
	m.floats(gltfSquare...)
	m.shorts(0, 1, 2, 2, 1, 3)
	where, what := m.view([]uint16{3, 1}, ""), m.view([]float32{7, 8, 9, 4, 5, 6}, "")
	good := m.text(`"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],"nodes":[{"mesh":0,"children":[1]},{}],"scenes":[{"nodes":[0]}]`)
	gltfMustRead(t, good)
	sparse := fmt.Sprintf(`"count":4,"sparse":{"count":2,"indices":{"bufferView":%d,"componentType":5123},"values":{"bufferView":%d}}`, where, what)
	for _, c := range []struct{ from, to, place, cause string }{
		{good, "", "JSON", "empty"},
		{good, "  \n", "JSON", "empty"},
		{good, "[1,2]", "JSON", "array"},
		{good, good[:len(good)-1], "JSON, byte", "unexpected end"},
		{good, good + "x", "JSON, byte", "invalid character"},
		{good, "\ufeff" + good, "JSON, byte", "invalid character"},
		{good, strings.Repeat("[", 1<<20), "JSON", "depth"},
		{good, `{"nodes":` + strings.Repeat(`[`, 9000) + strings.Repeat(`]`, 9000) + `}`, "JSON", "array"},
		{good, `{"accessors":[` + strings.Repeat("{},", 1<<21) + `{}]}`, "JSON", "memory"},
		{good, `{}`, "asset", "no version"},
		{`"version":"2.0"`, `"version":"1.0"`, "asset", "only 2.0"},
		{`"version":"2.0"`, `"version":"two"`, "asset", "not a version"},
		{`"version":"2.0"`, `"version":"2.0","minVersion":"2.1"`, "asset", "2.1"},
		{`"asset"`, `"extensionsRequired":["EXT_new"],"asset"`, "extensionsRequired", `"EXT_new" is not supported`},
		{`"byteLength":48`, `"byteLength":-1`, "bufferView 0", "byteLength is -1"},
		{`"byteLength":48`, `"byteLength":0`, "bufferView 0", "byteLength is 0"},
		{`"byteLength":48`, `"byteLength":1e30`, "JSON, bufferViews[0].byteLength", "1e30"},
		{`"byteLength":48`, `"byteLength":9223372036854775807`, "bufferView 0", "outside buffer 0"},
		{`"byteLength":48`, `"byteLength":"48"`, "JSON, bufferViews[0].byteLength", "a whole number is needed"},
		{`"byteLength":48`, `"byteLength":48.5`, "JSON, bufferViews[0].byteLength", "48.5"},
		{`"byteOffset":0,"byteLength":48`, `"byteOffset":-4,"byteLength":48`, "bufferView 0", "-4+48"},
		{`"byteOffset":0,"byteLength":48`, `"byteOffset":9223372036854775800,"byteLength":48`, "bufferView 0", "outside"},
		{`"byteLength":48`, `"byteLength":48,"byteStride":8`, "accessor 0", "byteStride 8"},
		{`"byteLength":48`, `"byteLength":48,"byteStride":13`, "bufferView 0", "byteStride is 13"},
		{`"byteLength":48`, `"byteLength":48,"byteStride":-12`, "bufferView 0", "byteStride is -12"},
		{`"byteLength":48`, `"byteLength":48,"byteStride":52`, "bufferView 0", "more than its 48 bytes"},
		{`"uri":"`, `"uri":":","y":"`, "buffer 0", `scheme ":"`},
		{`{"buffer":0,`, `{"buffer":1,`, "bufferView 0", "buffer is 1"},
		{`{"buffer":0,`, `{`, "bufferView 0", "buffer is undefined"},
		{`"buffers":[{`, `"buffers":[{"byteLength":0},{`, "buffer 0", "byteLength is 0"},
		{`"count":4`, `"count":5`, "accessor 0", "5 elements"},
		{`"count":4`, `"count":0`, "accessor 0", "count is 0"},
		{`"count":4`, `"count":-4`, "accessor 0", "count is -4"},
		{`"count":4`, `"x":4`, "accessor 0", "count is undefined"},
		{`"count":4`, `"count":9223372036854775807`, "accessor 0", "do not fit"},
		{`"count":4`, `"count":4,"byteOffset":-12`, "accessor 0", "do not fit"},
		{`"count":4`, `"count":4,"byteOffset":9223372036854775807`, "accessor 0", "do not fit"},
		{`"bufferView":0,`, ``, "", "an index is"}, // all positions are zero, and the next case has one position too few
		{`"bufferView":0,`, `"byteOffset":4,`, "accessor 0", "byteOffset without"},
		{`"bufferView":0,`, `"bufferView":9,`, "accessor 0", "bufferView is 9"},
		{`"count":4`, strings.Replace(sparse, `"count":2`, `"count":5`, 1), "accessor 0 sparse", "count is 5"},
		{`"count":4`, strings.Replace(sparse, `5123`, `5126`, 1), "accessor 0 sparse", "componentType"},
		{`"count":4`, strings.Replace(sparse, `"count":2`, `"count":0`, 1), "accessor 0 sparse", "count is 0"},
		{`"count":4`, `"byteOffset":48,"count":1`, "accessor 0", "from byte 48 do not fit"},
		{`5123`, `5123,"normalized":true`, "mesh 0 primitive 0 indices", `"SCALAR" (normalized: true) is not allowed`},
		{`"SCALAR","count":6`, `"VEC2","count":3`, "mesh 0 primitive 0 indices", `"VEC2" (normalized: false) is not allowed`},
		{`"indices":1`, `"mode":-1`, "mesh 0 primitive 0", "mode is -1"},
		{`"byteLength":48`, `"byteLength":48,"byteStride":256`, "bufferView 0", "byteStride is 256"},
		{`"children":[1]`, `"matrix":[1e30,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1],"children":[1]},{"mesh":0,"scale":[1e30,1,1]`, "node 1", "transform is not finite"},
		{`"count":4`, sparse, "accessor 0 sparse", "index 1 is 1: must be above the previous one, 3"},
		{`5126`, `5124`, "accessor 0", "componentType is 5124"},
		{`"VEC3"`, `"VEC5"`, "accessor 0", `type is "VEC5"`},
		{`"VEC3"`, `"VEC2"`, "mesh 0 primitive 0 POSITION", "VEC2"},
		{`"SCALAR"`, `"VEC2"`, "accessor 1", "do not fit"},
		{`5123`, `5122`, "mesh 0 primitive 0 indices", "5122"},
		{`5123`, `5126`, "accessor 1", "do not fit"},
		{`"indices":1`, `"indices":-1`, "mesh 0 primitive 0", "accessor is -1"},
		{`"indices":1`, `"mode":7`, "mesh 0 primitive 0", "mode is 7"},
		{`"indices":1`, `"mode":0`, "", "no triangles"},
		{`"indices":1`, `"material":0`, "mesh 0 primitive 0", "material is 0"},
		{`"indices":1`, `"attributes":{"POSITION":0,"NORMAL":1}`, "mesh 0 primitive 0 NORMAL", "not allowed"},
		{`"POSITION":0`, `"POSITION":2`, "mesh 0 primitive 0", "accessor is 2"},
		{`"POSITION":0`, ``, "", "no triangles"},
		{`[{"primitives"`, `[{"x"`, "mesh 0", "no primitives"},
		{`"children":[1]`, `"children":[0]`, "node 0", "own ancestor"},
		{`"children":[1]`, `"children":[1,1]`, "node 1", "two parents"},
		{`"children":[1]},{}`, `"children":[1]},{"children":[0]}`, "node 0", "own ancestor"},
		{`"children":[1]`, `"children":[2]`, "node 0", "child is 2"},
		{`"children":[1]`, `"matrix":[1]`, "node 0", "1 numbers"},
		{`"children":[1]`, `"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1],"scale":[1,1,1]`, "node 0", "both a matrix"},
		{`"children":[1]`, `"matrix":[1,0,0,1,0,1,0,0,0,0,1,0,0,0,0,1]`, "node 0", "not affine"},
		{`"children":[1]`, `"scale":[1,1e39,1]`, "node 0", "not finite"},
		{`"children":[1]`, `"scale":[1,1e999,1]`, "JSON, nodes[0].scale", "1e999"},
		{`"children":[1]`, `"rotation":[0,0,0,0]`, "node 0", "no direction"},
		{`{"mesh":0`, `{"mesh":1`, "node 0", "mesh is 1"},
		{`"scenes":[{"nodes":[0]}]`, `"scenes":[{"nodes":[1]}]`, "scene 0", "not a root"},
		{`"scenes":[{"nodes":[0]}]`, `"scenes":[{"nodes":[0,0]}]`, "scene 0", "twice"},
		{`"scenes":[{"nodes":[0]}]`, `"scenes":[{"nodes":[2]}]`, "scene 0", "node is 2"},
		{`"scenes"`, `"scene":1,"scenes"`, "scene", "default scene is 1"},
		{`base64,`, `base64,!`, "buffer 0", "illegal base64"},
		{`base64,`, `base64`, "buffer 0", "without a comma"},
		{`;base64,`, `,`, "buffer 0", "not base64"},
		{`octet-stream`, `pdf`, "buffer 0", "not a buffer"},
		{`"uri":"`, `"uri":"http://x/","y":"`, "buffer 0", `scheme "http:"`},
		{`"uri":"`, `"uri":"C:\\x","y":"`, "buffer 0", `scheme "C:"`},
		{`"uri":"`, `"uri":"","y":"`, "buffer 0", "empty URI"},
		{`"uri":"`, `"uri":5,"y":"`, "JSON, buffers[0].uri", "a string is needed"},
		{`"nodes":[{"mesh":0,"children":[1]},{}]`, `"nodes":[{"mesh":0,"children":[1]},7]`, "JSON, nodes[1]", "number where an object is needed"},
		{`"primitives":[{`, `"primitives":[{},{"attributes":[]},{`, "JSON, meshes[0].primitives[1].attributes", "array where an object is needed"},
		{`"primitives":[{`, `"primitives":{"a":[{`, "JSON, byte", "invalid character"},
		{`"children":[1]`, `"children":[1,"x"]`, "JSON, nodes[0].children[1]", "a whole number is needed"},
		{`"uri":"`, `"uri":"none.bin","y":"`, "buffer 0", "not exist"},
		{`"uri":"`, `"uri":"short.bin","y":"`, "buffer 0", "has 3 bytes"},
		{`"uri":"`, `"y":"`, "buffer 0", "has no data"},
	} {
		require.Contains(t, good, c.from)
		text := strings.Replace(good, c.from, c.to, 1)
		if c.cause == "an index is" {
			text = strings.Replace(text, `"count":4`, `"count":3`, 1)
			c.place = "mesh 0 primitive 0"
		}
		_, err := gltfReadString(text, gltfFiles{"short.bin": {1, 2, 3}})
		gltfRequireError(t, err, c.place, c.cause, c.to)
	}
}

func gltfRequireError(t *testing.T, err error, place, cause, what string) {
	what = what[:min(len(what), 200)]
	require.Error(t, err, what)
	var bad *Error
	require.ErrorAs(t, err, &bad, what)
	require.Equal(t, "a.gltf", bad.File)
	require.True(t, strings.HasPrefix(bad.Place, place) && (place != "" || bad.Place == ""), "%s: place %q of %v", what, bad.Place, err)
	require.Contains(t, bad.Cause, cause, what)
	require.NotContains(t, err.Error(), "\n", what)
	require.Less(t, len(err.Error()), 400, what)
}

func TestGLTFBadValues(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for _, c := range []struct {
		position, normal float32
		index            uint16
		place, cause     string
	}{
		{nan, 0, 0, "accessor 0", "element 1 is not finite"},
		{inf, 0, 0, "accessor 0", "element 1 is not finite"},
		{0, nan, 0, "accessor 1", "element 0 is not finite"},
		{0, 0, 4, "mesh 0 primitive 0", "an index is 4, but there are 4 vertices"},
		{0, 0, 65535, "mesh 0 primitive 0", "index 65535 restarts"},
	} {
		m := &gltfMaker{}
		m.floats(0, 0, 0, 1, c.position, 0, 1, 1, 1, 2, 2, 2)
		m.floats(0, 0, c.normal, 0, 0, 1, 0, 0, 1, 0, 0, 1)
		m.shorts(0, 1, c.index)
		_, err := gltfReadString(m.text(`"meshes":[{"primitives":[{"attributes":{"POSITION":0,"NORMAL":1},"indices":2}]}]`), nil)
		gltfRequireError(t, err, c.place, c.cause, c.cause)
	}
	m := &gltfMaker{}
	m.floats(gltfSquare...)
	m.floats(0, 0, 1)
	_, err := gltfReadString(m.text(`"meshes":[{"primitives":[{"attributes":{"POSITION":0,"NORMAL":1}}]}]`), nil)
	gltfRequireError(t, err, "mesh 0 primitive 0", "1 normals for 4 positions", "")
}

func TestGLBBadContainers(t *testing.T) {
	m := &gltfMaker{}
	m.floats(gltfSquare...)
	good := m.glb(`"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}]`)
	textLen := binary.LittleEndian.Uint32(good[12:])
	set := func(at uint32, v uint32) []byte {
		data := bytes.Clone(good)
		binary.LittleEndian.PutUint32(data[at:], v)
		return data
	}
	grown := func(extra ...byte) []byte {
		data := append(bytes.Clone(good), extra...)
		binary.LittleEndian.PutUint32(data[8:], uint32(len(data)))
		return data
	}
	unknown := grown(0, 0, 0, 0, 'A', 'B', 'C', 'D')
	for _, size := range []bool{true, false} {
		read := func(data []byte) error {
			in := &Input{Reader: bytes.NewReader(data), Path: "a.gltf", Size: -1}
			if size {
				in.Size = int64(len(data))
			}
			_, err := glbReader.Read(t.Context(), in)
			return err
		}
		require.NoError(t, read(good))
		require.NoError(t, read(unknown), "chunks of unknown type are skipped")
		for n := range len(good) {
			gltfRequireError(t, read(good[:n]), "GLB ", "", fmt.Sprintf("cut at %d", n))
		}
		for _, c := range []struct {
			data         []byte
			place, cause string
		}{
			{set(0, 0), "GLB header", "not a GLB"},
			{set(4, 1), "GLB header", "GLB version 1"},
			{set(8, 12), "GLB header", ""},
			{set(8, 0xffffffff), "GLB ", ""},
			{append(bytes.Clone(good), 0), "GLB header", ""},
			{set(12, 0), "GLB chunk 0", "empty"},
			{set(12, textLen+1), "GLB chunk 0", "multiple of 4"},
			{set(12, 0xfffffffc), "GLB chunk 0", "are left"},
			{set(12, textLen-4), "GLB chunk 1", ""},
			{set(16, glbChunkBIN), "GLB chunk 0", "must be JSON"},
			{set(20+textLen, 0xfffffffc), "GLB chunk 1", "are left"},
			{set(20+textLen, 40), "GLB chunk 2", ""},
			{set(24+textLen, glbChunkJSON), "GLB chunk 1", "second JSON"},
			{set(24+textLen, 7), "buffer 0", "has no data"},
			{grown(0, 0, 0, 0, 'B', 'I', 'N', 0), "GLB chunk 2", "second one"},
			{grown(0, 0, 0), "GLB chunk 2", "too few"},
		} {
			gltfRequireError(t, read(c.data), c.place, c.cause, c.cause)
		}
	}
}

type gltfFailing struct{ io.Reader }

func (f gltfFailing) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if err == io.EOF {
		err = os.ErrDeadlineExceeded
	}
	return n, err
}

func TestGLTFReadErrorsPass(t *testing.T) {
	for _, r := range []Reader{gltfReader, glbReader} {
		_, err := r.Read(t.Context(), &Input{Reader: gltfFailing{strings.NewReader("glTF")}, Path: "a.gltf", Size: -1})
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		var bad *Error
		require.True(t, errors.As(err, &bad))
	}
}

// TestGLTFMemory reads files that ask for far more than they contain.
func TestGLTFMemory(t *testing.T) {
	const mesh = `{"primitives":[{"attributes":{"POSITION":0}}]}`
	m := &gltfMaker{}
	view := m.view(make([]float32, 3000), "")
	many := func(n int, one string) string { return strings.TrimSuffix(strings.Repeat(one+",", n), ",") }
	shared := *m
	var meshes []string
	for i := range 20000 {
		shared.accessor(view, gltfFloat, "VEC3", 1000, "")
		meshes = append(meshes, fmt.Sprintf(`{"primitives":[{"attributes":{"POSITION":%d}}]}`, i))
	}
	m.accessor(view, gltfFloat, "VEC3", 1000, "")
	deep := make([]string, 100000)
	for i := range deep {
		deep[i] = fmt.Sprintf(`{"children":[%d]}`, i+1)
	}
	for name, c := range map[string]struct{ text, cause string }{
		"zeros":             {`{"asset":{"version":"2.0"},"accessors":[{"componentType":5126,"type":"VEC3","count":4294967296}],"meshes":[` + mesh + `]}`, "at most"},
		"fewer zeros":       {`{"asset":{"version":"2.0"},"accessors":[{"componentType":5126,"type":"VEC3","count":100000000}],"meshes":[` + mesh + `]}`, "memory"},
		"shared bytes":      {shared.text(`"meshes":[` + strings.Join(meshes, ",") + `]`), "memory"},
		"nodes x parts":     {m.text(`"meshes":[{"primitives":[` + many(3000, `{"attributes":{"POSITION":0}}`) + `]}],"nodes":[` + many(3000, `{"mesh":0}`) + `]`), "memory"},
		"deep nodes":        {m.text(`"meshes":[` + mesh + `],"nodes":[` + strings.Join(deep, ",") + `,{"mesh":0}]`), ""},
		"buffer that lies":  {string(glbOf(`{"asset":{"version":"2.0"},"buffers":[{"byteLength":1099511627812}],"bufferViews":[{"buffer":0,"byteLength":1099511627812}],"accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":3}],"meshes":[`+mesh+`]}`, m.bin)), "its data has"},
		"sibling that lies": {m.json("a.bin", `"meshes":[`+mesh+`]`), "its data has"},
		"children":          {`{"nodes":[{"children":[` + many(1<<22, "1") + `]}]}`, "no version"},
	} {
		var err error
		taken := allocated(func() { _, err = gltfReadString(c.text, gltfFiles{"a.bin": {1}}) })
		if c.cause != "" {
			require.ErrorContains(t, err, c.cause, name)
		} else {
			require.NoError(t, err, name)
		}
		// The promise, 4 x file + 64 MiB, is about live memory. TotalAlloc also counts the garbage
		// of growing slices, and so may be twice that.
		require.Less(t, taken, 2*(4*int64(len(c.text))+64<<20), name)
	}
}

// TestElementsAreCountedBesideQuotes: commas and brackets inside a string do not count.
func TestElementsAreCountedBesideQuotes(t *testing.T) {
	for text, want := range map[string][2]int{
		`[{},{},{}]`:              {2, 3},
		`["a\",b","c,d",{}]`:      {2, 1},
		`["\\",{},{"n":"},{\""}]`: {2, 2},
	} {
		commas, objects := gltfElementCount([]byte(text))
		require.Equal(t, want, [2]int{commas, objects}, text)
	}
}
