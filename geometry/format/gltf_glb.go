package format

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/shadeonce/shadeonce/internal/must"
)

// The binary container, section 4 of the specification: a header of 12 bytes
// (magic, version, total length), then chunks (length, type, data).
const (
	glbMagic     = "glTF"
	glbChunkJSON = 0x4e4f534a // "JSON"
	glbChunkBIN  = 0x004e4942 // "BIN\0"
)

// glbReadChunks splits a GLB into its JSON text and its BIN data (nil without
// such a chunk). The bytes of a mapped file must not be written to. Chunks of other
// types are skipped, as the specification asks.
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

// glbReadChunk reads chunk n, of which at most left bytes can follow. Data is
// nil for chunks of unknown type; used counts the bytes of header and data.
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

// glbRead refuses a file of which place cannot be read.
func glbRead(place string, err error) {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		must.OK(&Error{Place: place, Cause: "the file ends early", Err: err})
	}
	gltfMust(place, err)
}
