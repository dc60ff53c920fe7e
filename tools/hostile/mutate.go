package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// seeds returns small valid files of every format.
func (c *campaign) seeds() (list []*hostile) {
	for _, name := range []string{"a.obj", "a.ply", "a.glb"} {
		path := filepath.Join(c.folder, name)
		if r := c.run("convert", "asset:city3", "-o", path); r.Status != 0 {
			check(fmt.Errorf("asset:city3 is not converted: %s", r.Said))
		}
		data, err := os.ReadFile(path)
		check(err)
		list = append(list, &hostile{name: name, data: data})
	}
	const compressed = "geometry/format/internal/draco/testdata/seams-knot3-edgebreaker-1-ntg-11.10.8.8.8.drc"
	data, err := os.ReadFile(compressed)
	check(err)
	list = append(list, &hostile{name: "a.drc", data: data})
	return append(list, ownSeeds()...)
}

// ownSeeds returns the seeds that this package writes itself, without shadeonce.
func ownSeeds() []*hostile {
	xml, zip := capture("OpenGL", "", "")
	vulkan, _ := capture("Vulkan", "", submit(1))
	return []*hostile{
		{name: "a.off", data: []byte("OFF\n4 2 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 2\n4 0 1 2 3\n")},
		{name: "a.stl", data: []byte("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n")},
		{name: "b.stl", data: binarySTL(12)},
		{name: "b.ply", data: []byte("ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n" +
			"property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")},
		{name: "c.obj", data: []byte("mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\ng a\nf 1//1 2//1 3//1\nusemtl b\nf -1 -2 \\\n-3 -4\n")},
		{name: "a.csv", data: []byte("VTX, IDX, POSITION.x, POSITION.y, POSITION.z\n0, 0, 0, 0, 0\n1, 1, 1, 0, 0\n2, 2, 0, 1, 0\n")},
		{name: "a.draws", data: draws(2, 3, 3)},
		{name: "a.gltf", data: []byte(document(`{"attributes":{"POSITION":0},"indices":1}`))},
		{name: "a.zip.xml", data: xml, zip: zip},
		{name: "b.zip.xml", data: vulkan, zip: zip},
		{name: "c.zip.xml", data: zip, zip: xml, swap: true},
	}
}

// words are replacements for pieces of a file; the first ten also for numbers.
var words = []string{
	"0", "-1", "1e30", "1e999", "nan", "4294967295", "2147483648", "9223372036854775807", "18446744073709551616", "99999999", "\"", "null", "{}", "[]",
	"\r", "\ufeff", "\x00", strings.Repeat("9", 400), strings.Repeat("[", 200), "//", "\\\n",
}

// mutated returns file i of a random seed: one of the valid files, changed at random in one or more places.
func mutated(seeds []*hostile, seed uint64, i int) *hostile {
	r := rand.New(rand.NewPCG(seed, uint64(i)))
	f := *seeds[r.IntN(len(seeds))]
	f.class = "changed " + f.name
	data := slices.Clone(f.data)
	for range 1 + r.IntN(2)*r.IntN(4) {
		at := r.IntN(len(data) + 1)
		end := at + r.IntN(min(64, len(data)-at)+1)
		if r.IntN(8) == 0 {
			end = at + r.IntN(len(data)-at+1)
		}
		piece := slices.Clone(data[at:end])
		switch r.IntN(8) {
		case 0:
			data = data[:at]
		case 1: // a piece is lost
			data = slices.Delete(data, at, end)
		case 2: // or repeated many times
			data = slices.Insert(data, at, bytes.Repeat(piece, 1+r.IntN(200))...)
		case 3:
			for k := at; k < end; k++ {
				data[k] = byte(r.Uint32())
			}
		case 4:
			data = slices.Replace(data, at, end, []byte(words[r.IntN(len(words))])...)
		case 5, 6: // a number becomes another
			data = otherNumber(r, data, at)
		case 7: // a piece of another file
			other := seeds[r.IntN(len(seeds))].data
			from := r.IntN(len(other))
			data = slices.Insert(data, at, other[from:min(len(other), from+1+r.IntN(200))]...)
		}
		if len(data) == 0 {
			break
		}
	}
	f.data = data
	if f.swap {
		f.data, f.zip = f.zip, f.data
		return &f
	}
	switch r.IntN(12) {
	case 0: // with the extension of another format
		f.name = seeds[r.IntN(len(seeds))].name
	case 1:
		f.data, f.name = packed(f.data), f.name+".gz"
	}
	return &f
}

// otherNumber replaces the first number in the 200 bytes from `at` on or, if there is none, the four bytes at `at`.
func otherNumber(r *rand.Rand, data []byte, at int) []byte {
	isDigit := func(c byte) bool { return c >= '0' && c <= '9' }
	for k := at; k < min(len(data), at+200); k++ {
		if isDigit(data[k]) {
			end := k
			for end < len(data) && isDigit(data[end]) {
				end++
			}
			return slices.Replace(data, k, end, []byte(words[r.IntN(10)])...)
		}
	}
	if at+4 <= len(data) {
		binary.LittleEndian.PutUint32(data[at:], []uint32{0, 1<<32 - 1, 1 << 31, 1 << 20, 3}[r.IntN(5)])
	}
	return data
}

// packed compresses data with gzip.
func packed(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(data)
	check(err)
	check(w.Close())
	return b.Bytes()
}
