package format

import (
	"context"
	"encoding/binary"
	"errors"
	"math"

	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// EXT_meshopt_compression: buffer views that one of three codecs has packed, after an optional
// filter.
// https://github.com/KhronosGroup/glTF/tree/main/extensions/2.0/Vendor/EXT_meshopt_compression
const (
	meshoptAttributes = "ATTRIBUTES"
	meshoptTriangles  = "TRIANGLES"
	meshoptIndices    = "INDICES"
)

// checkMeshopt checks a compressed view. After it, count*byteStride is the
// view's byteLength, and there are enough packed bytes for the smallest packing:
// unpacked data is at most 64 times as large.
func (d *gltfDocument) checkMeshopt(v *gltfBufferView, place string) {
	m := v.Extensions.Meshopt
	place += " EXT_meshopt_compression"
	d.checkViewRange(m.Buffer, m.ByteOffset, m.ByteLength, place)
	stride, count := m.ByteStride.n, m.Count.n
	if stride < 1 || stride > 256 || count < 1 || count != v.ByteLength.n/stride || v.ByteLength.n%stride != 0 {
		gltfFail(place, "count %v times byteStride %v is not byteLength %d", m.Count, m.ByteStride, v.ByteLength.n)
	}
	if v.ByteStride.set && v.ByteStride.n != stride {
		gltfFail(place, "byteStride is %d, but that of the view is %d", stride, v.ByteStride.n)
	}
	ok, least := false, int64(0)
	switch m.Mode {
	case meshoptAttributes:
		ok = stride%4 == 0
		least = 1 + max(stride, 32) + count/256*stride*4
	case meshoptTriangles:
		ok = (stride == 2 || stride == 4) && count%3 == 0
		least = 1 + count/3 + 16
	case meshoptIndices:
		ok = stride == 2 || stride == 4
		least = 1 + count + 4
	}
	switch m.Filter {
	case "", "NONE":
	case "OCTAHEDRAL":
		ok = ok && m.Mode == meshoptAttributes && (stride == 4 || stride == 8)
	case "EXPONENTIAL", "QUATERNION":
		ok = ok && m.Mode == meshoptAttributes
	default:
		ok = false
	}
	if !ok {
		gltfFail(place, "mode %q with filter %q, byteStride %d and count %d is not allowed", CleanName(m.Mode), CleanName(m.Filter), stride, count)
	}
	if m.ByteLength.n < least {
		gltfFail(place, "%d bytes are too few for %d elements", m.ByteLength.n, count)
	}
}

// unpackedView unpacks compressed view i once and caches it.
func (s *gltfSource) unpackedView(i int64) []byte {
	if data, ok := s.views[i]; ok {
		return data
	}
	v := &s.doc.BufferViews[i]
	m := v.Extensions.Meshopt
	place := gltfPlace("bufferView", int(i)) + " EXT_meshopt_compression"
	packed := s.buffer(m.Buffer.n)[m.ByteOffset.n:][:m.ByteLength.n]
	s.budget.Beside(min(v.ByteLength.n, budget.PackedFactor*m.ByteLength.n))
	s.budget.charge(v.ByteLength.n, 1, place)
	data := make([]byte, v.ByteLength.n)
	ctx, stride := progress.Silent(s.ctx), int(m.ByteStride.n)
	var err error
	switch m.Mode {
	case meshoptAttributes:
		err = meshoptUnpackAttributes(ctx, data, stride, packed)
	case meshoptTriangles:
		err = meshoptUnpackTriangles(ctx, data, stride, packed)
	case meshoptIndices:
		err = meshoptUnpackIndices(ctx, data, stride, packed)
	}
	gltfMust(place, err)
	gltfMust(place, meshoptFilter(ctx, data, stride, m.Filter))
	s.views[i] = data
	return data
}

var (
	errMeshoptEnd     = errors.New("the packed data is too short or too long")
	errMeshoptVersion = errors.New("unknown codec version")
)

// meshoptFilter converts unpacked values in place to those of the accessor.
func meshoptFilter(ctx context.Context, data []byte, stride int, filter string) error {
	switch filter {
	case "OCTAHEDRAL":
		return progress.Each(ctx, len(data)/stride, func(from, to int) {
			for k := from; k < to; k++ {
				meshoptOctahedral(data[k*stride:], stride)
			}
		})
	case "EXPONENTIAL":
		return progress.Each(ctx, len(data)/4, func(from, to int) {
			for p := data[4*from : 4*to]; len(p) > 0; p = p[4:] {
				v := int32(binary.LittleEndian.Uint32(p))
				f := math.Ldexp(float64(v<<8>>8), int(v>>24))
				binary.LittleEndian.PutUint32(p, math.Float32bits(float32(f)))
			}
		})
	case "QUATERNION":
		return errors.New("filter QUATERNION is for rotations, not for geometry")
	}
	return nil
}

// meshoptOctahedral decodes one vector of 4 signed bytes or shorts: x and y on the octahedron,
// then the value that represents 1, then a fourth value to keep.
func meshoptOctahedral(p []byte, stride int) {
	var v [3]float64
	largest := 127.0
	for k := range v {
		if stride == 4 {
			v[k] = float64(int8(p[k]))
		} else {
			v[k] = float64(int16(binary.LittleEndian.Uint16(p[2*k:])))
			largest = 32767
		}
	}
	v[2] -= math.Abs(v[0]) + math.Abs(v[1])
	fold := min(v[2], 0)
	for k := range 2 {
		if v[k] >= 0 {
			v[k] += fold
		} else {
			v[k] -= fold
		}
	}
	length := math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2])
	if length == 0 {
		length = 1
	}
	for k := range v {
		n := int64(math.Round(v[k] * largest / length))
		if stride == 4 {
			p[k] = byte(n)
		} else {
			binary.LittleEndian.PutUint16(p[2*k:], uint16(n))
		}
	}
}
