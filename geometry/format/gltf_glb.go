package format

import (
	"encoding/binary"
	"errors"
	"io"
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
func glbReadChunks(in *Input) (text, bin []byte, err error) {
	in.mapped()
	var head [12]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, nil, glbCut("GLB header", err)
	}
	if string(head[:4]) != glbMagic {
		return nil, nil, gltfBad("GLB header", "not a GLB file: it begins with %q", head[:4])
	}
	if v := binary.LittleEndian.Uint32(head[4:]); v != 2 {
		return nil, nil, gltfBad("GLB header", "GLB version %d, only 2 is supported", v)
	}
	length := int64(binary.LittleEndian.Uint32(head[8:]))
	if in.Size >= 0 && length != in.Size {
		return nil, nil, gltfBad("GLB header", "length says %d bytes, but the file has %d", length, in.Size)
	}
	left := length - int64(len(head))
	for n := 0; left > 0; n++ {
		kind, data, used, err := glbReadChunk(in, left, n)
		if err != nil {
			return nil, nil, err
		}
		left -= used
		switch {
		case n == 0:
			text = data
		case kind == glbChunkBIN:
			bin = data
		}
	}
	if text == nil {
		return nil, nil, gltfBad("GLB header", "length %d leaves no room for a JSON chunk", length)
	}
	if _, err := io.ReadFull(in, head[:1]); err == nil {
		return nil, nil, gltfBad("GLB header", "the file goes on after the %d bytes that its length says", length)
	}
	return text, bin, nil
}

// glbReadChunk reads chunk n, of which at most left bytes can follow. Data is
// nil for chunks of unknown type; used counts the bytes of header and data.
func glbReadChunk(in *Input, left int64, n int) (kind uint32, data []byte, used int64, err error) {
	place := gltfPlace("GLB chunk", n)
	var head [8]byte
	if left < int64(len(head)) {
		return 0, nil, 0, gltfBad(place, "%d bytes are too few for a chunk header", left)
	}
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return 0, nil, 0, glbCut(place, err)
	}
	left -= int64(len(head))
	length := int64(binary.LittleEndian.Uint32(head[:]))
	kind = binary.LittleEndian.Uint32(head[4:])
	switch {
	case length > left:
		return 0, nil, 0, gltfBad(place, "length says %d bytes, but %d are left", length, left)
	case length%4 != 0:
		return 0, nil, 0, gltfBad(place, "length %d is not a multiple of 4", length)
	case n == 0 && kind != glbChunkJSON:
		return 0, nil, 0, gltfBad(place, "type %#x, but the first chunk must be JSON", kind)
	case n == 0 && length == 0:
		return 0, nil, 0, gltfBad(place, "empty JSON chunk")
	case n != 0 && kind == glbChunkJSON:
		return 0, nil, 0, gltfBad(place, "second JSON chunk")
	case n != 1 && kind == glbChunkBIN:
		return 0, nil, 0, gltfBad(place, "BIN chunk, which must be the second one")
	}
	if kind == glbChunkJSON || kind == glbChunkBIN {
		data, err = in.take(length)
	} else {
		_, err = io.CopyN(io.Discard, in, length)
	}
	if err != nil {
		return 0, nil, 0, glbCut(place, err)
	}
	return kind, data, int64(len(head)) + length, nil
}

// glbCut makes an error of reading one about place.
func glbCut(place string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &Error{Place: place, Cause: "the file ends early", Err: err}
	}
	return &Error{Place: place, Cause: err.Error(), Err: err}
}
