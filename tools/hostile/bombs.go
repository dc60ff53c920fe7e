package main

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// meshBombs are small files that are made to cost much. size scales them: at 1 they are just
// large enough to show the cost.
func meshBombs(size int) (list []*hostile) {
	add := func(name string, data []byte) {
		list = append(list, &hostile{class: "bombs", name: name, data: data, size: size})
	}
	n := 1000 * size
	const corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
	add("columns.csv", []byte("VTX,IDX,"+strings.Repeat("P.x,", 60*n)+"POSITION.x,POSITION.y,POSITION.z\n"))
	add("commas.csv.gz", packed([]byte("VTX,IDX,POSITION.x,POSITION.y,POSITION.z"+strings.Repeat(",", 1000*n)+"\n")))
	add("instances.draws.gz", packed(draws(20*n, 100*n, 99)))
	add("draws.draws", manyDraws(20*n))
	add("primitives.gltf.gz", packed([]byte(`{"asset":{"version":"2.0"},"meshes":[{"primitives":[0`+strings.Repeat(",0", 1000*n)+`]}]}`)))
	add("nulls.gltf.gz", packed([]byte(`{"asset":{"version":"2.0"},"meshes":[{"primitives":[null`+strings.Repeat(",null", 400*n)+`]}]}`)))
	add("objects.gltf.gz", packed([]byte(`{"asset":{"version":"2.0"},"nodes":[{}`+strings.Repeat(",{}", 400*n)+`]}`)))
	add("nested.gltf", []byte(strings.Repeat(`{"a":`, 10*n)))
	add("names.obj", []byte(corners+"g "+strings.Repeat("n", 2000*n)+"\n"+strings.Repeat("usemtl a\nf 1 2 3\nusemtl b\nf 1 2 3\n", 20*n)))
	add("groups.obj", groups(corners, 70*n))
	add("polygon.obj", []byte(corners+"f"+strings.Repeat(" 1", 1000*n)+"\n"))
	add("joined.obj", []byte(corners+strings.Repeat("\\\n", 1000*n)+"f 1 2 3\n"))
	add("normals.obj", []byte(corners+strings.Repeat("vn 0 0 1\nf 1//-1 1//1 2//1\n", 40*n)))
	add("libraries.obj", []byte(strings.Repeat("mtllib "+strings.Repeat("a.mtl ", 100)+"\n", n)+corners+"f 1 2 3\n"))
	add("triangles.drc", slices.Concat([]byte("DRACO\x02\x02\x01\x00\x00\x00"), binary.AppendUvarint(nil, uint64(400*n)), // all indices 0, in no bytes
		[]byte{1, 0, 0, 1, 2, 64, 0, 1, 0}, []byte{1, 1, 0, 9, 3, 0, 0, 0}, make([]byte, 12)))
	add("zeros.ply.gz", packed(make([]byte, 10000*n)))
	add("properties.ply", []byte("ply\nformat ascii 1.0\nelement vertex 3\n"+strings.Repeat("property float x\n", n)))
	add("empty.ply", []byte("ply\nformat ascii 1.0\nelement other 9000000000000000\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n"))
	add("same.stl", binarySTL(20*n))
	add("copies.gltf", copies(n*7/10))
	add("ranges.gltf", []byte(document(strings.Join(primitives(n), ","))))
	return list
}

// drawnBombs are scenes of many draws, which are rendered.
func drawnBombs(size int) (list []*hostile) {
	for _, b := range meshBombs(size) {
		if slices.Contains([]string{"instances.draws.gz", "draws.draws", "groups.obj", "copies.gltf"}, b.name) {
			b.class, b.drawn = "bombs that are drawn", true
			list = append(list, b)
		}
	}
	return list
}

// copies returns a document whose nodes all use one mesh.
func copies(n int) []byte {
	nodes := `"scene":0,"scenes":[{"nodes":[0`
	for i := 1; i < n; i++ {
		nodes += fmt.Sprintf(",%d", i)
	}
	nodes += `]}],"nodes":[{"mesh":0}` + strings.Repeat(`,{"mesh":0,"translation":[1,2,3]}`, n-1) + "],"
	return []byte(strings.Replace(document(primitives(1)[0]), `"meshes"`, nodes+`"meshes"`, 1))
}

// draws returns a table of one draw.
func draws(instances, vertices, indices int) []byte {
	b := append([]byte("VRDRAW1\x00"), 1, 0, 0, 0)
	for _, n := range []int{instances, vertices, indices} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	b = append(b, make([]byte, 12*vertices)...)
	for i := range indices {
		b = binary.LittleEndian.AppendUint32(b, uint32(i%vertices))
	}
	return b
}

// manyDraws returns a table of n draws of one triangle.
func manyDraws(n int) []byte {
	one := draws(1, 3, 3)
	b := binary.LittleEndian.AppendUint32([]byte("VRDRAW1\x00"), uint32(n))
	for range n {
		b = append(b, one[12:]...)
	}
	return b
}

func groups(corners string, n int) []byte {
	b := []byte(corners)
	for i := range n {
		b = fmt.Appendf(b, "g %d\nf 1 2 3\n", i)
	}
	return b
}

func binarySTL(triangles int) []byte {
	b := binary.LittleEndian.AppendUint32(make([]byte, 80), uint32(triangles))
	for i := range triangles {
		b = append(b, make([]byte, 50)...)
		b[len(b)-40+i%8*4] = byte(i)
	}
	return b
}

// accessors is how many index lists a document has, each one index shorter than the previous one.
const accessors = 1000

// document returns a glTF document with a quad and many lists of the same indices.
func document(primitives string) string {
	lists := ""
	for i := range accessors {
		lists += fmt.Sprintf(`,{"bufferView":1,"componentType":5121,"count":%d,"type":"SCALAR"}`, 3*accessors-3*i)
	}
	return `{"asset":{"version":"2.0"},"meshes":[{"primitives":[` + primitives + `]}],"accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"}` + lists + `],` +
		`"bufferViews":[{"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":3000}],` +
		`"buffers":[{"byteLength":3048,"uri":"data:;base64,` + strings.Repeat("A", 4064) + `"}]}`
}

// primitives returns primitives that use every index list, many times.
func primitives(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf(`{"attributes":{"POSITION":0},"indices":%d}`, 1+i%accessors))
	}
	return list
}
