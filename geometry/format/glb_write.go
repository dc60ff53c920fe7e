package format

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"unsafe"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
)

// glbWriter writes binary glTF 2.0 without loss: the scene's pools as they lie
// in memory (all positions, all normals where there are some, all indices, as 32
// bits), a mesh for each pair of ranges and colour, and a node per draw, so that
// instances share their mesh. Read back, the pools are bit for bit the same.
//
// Draws of no triangles are left out, since a mesh cannot be empty; names come
// back as CleanName cuts them, and an unnamed draw gets a name; colours are
// clamped to 0..1.
var glbWriter = Writer{Name: "glb", Extensions: []string{".glb"}, Write: glbWrite}

// WriteGLB writes a scene as GLB.
func WriteGLB(w io.Writer, s *geometry.Scene) error { return glbWrite(w, s) }

// glbMost is the largest file: its header holds the length in 32 bits.
const glbMost = math.MaxUint32

func glbWrite(w io.Writer, s *geometry.Scene) error {
	// Checked first, since making the text costs time and memory.
	binBytes := s.Bytes()
	if err := glbFits(binBytes); err != nil {
		return err
	}
	doc, err := glbDescribe(s)
	if err != nil {
		return err
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	return glbWriteFile(w, text, binBytes, func(out io.Writer) error {
		for _, pool := range [][]mgl32.Vec3{s.Positions, s.Normals} {
			// A vector is the bits of its three numbers, side by side.
			if err := glbWritePool(out, unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(pool))), 3*len(pool))); err != nil {
				return err
			}
		}
		return glbWritePool(out, s.Indices)
	})
}

// glbWriteFile writes a file of a document and so many bytes, a multiple of 4, which bin
// writes.
func glbWriteFile(w io.Writer, text []byte, binBytes int64, bin func(io.Writer) error) error {
	for len(text)%4 != 0 {
		text = append(text, ' ') // the BIN chunk begins at a multiple of 4
	}
	length := 12 + 8 + int64(len(text)) + 8 + binBytes
	if err := glbFits(length); err != nil {
		return err
	}
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
	if err := bin(out); err != nil {
		return err
	}
	return out.Flush()
}

func glbFits(bytes int64) error {
	if bytes > glbMost {
		return fmt.Errorf("it needs %.1f GiB, and a GLB holds at most 4 GiB", float64(bytes)/(1<<30))
	}
	return nil
}

// glbWritePool writes the words of a pool, some thousand at a time.
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
