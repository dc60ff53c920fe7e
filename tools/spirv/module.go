package main

import (
	"github.com/shadeonce/shadeonce/internal/base/must"
	spirv "github.com/shadeonce/shadeonce/shaders/module"
)

const (
	modeLocalSize   = 17
	modeLocalSizeID = 38
)

// compiled is a SPIR-V binary with its types and constants by id.
type compiled struct {
	*spirv.Module
	names   map[uint32]string   // of specialization constants without a name in the binary
	strides map[uint32][]uint32 // struct id -> strides of its arrays
}

// memberKey is a member of a struct.
type memberKey struct {
	id uint32
	n  int
}

// parseBinary reads a binary in little-endian order, which spirv-val has found valid.
func parseBinary(data []byte) *compiled {
	defer must.Place("SPIR-V")
	m := must.Get(spirv.Decode(must.Get(spirv.Words(data))))
	b := &compiled{Module: m, names: map[uint32]string{}, strides: map[uint32][]uint32{}}
	for _, in := range m.Globals { // SPIR-V states the size of a struct only here
		if in.Op != spirv.OpTypeArray && in.Op != spirv.OpTypeRuntimeArray {
			continue
		}
		if stride, ok := m.Decoration(in.Result(), spirv.ArrayStride); ok {
			b.strides[in.At(1)] = append(b.strides[in.At(1)], stride)
		}
	}
	return b
}

// Name returns the name of an id, or "".
func (b *compiled) Name(id uint32) string {
	if name := b.names[id]; name != "" {
		return name
	}
	return b.Module.Name(id)
}

func (b *compiled) has(id uint32, d spirv.Decoration) bool {
	_, ok := b.Decoration(id, d)
	return ok
}

func (b *compiled) member(key memberKey, d spirv.Decoration) (uint32, bool) {
	return b.MemberDecoration(key.id, key.n, d)
}
