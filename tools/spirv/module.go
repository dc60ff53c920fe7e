package main

import (
	"errors"

	spirv "github.com/shadeonce/shadeonce/shaders/module"
)

const (
	modeLocalSize   = 17
	modeLocalSizeID = 38
	maxStructSize   = 1 << 30
)

// compiled is a SPIR-V binary, whose types and constants it finds by their ids.
type compiled struct {
	*spirv.Module
	names   map[uint32]string   // of specialization constants that have none in the binary
	strides map[uint32][]uint32 // struct id -> strides of the arrays of it
}

// memberKey is a member of a struct.
type memberKey struct {
	id uint32
	n  int
}

// parseBinary reads a binary in little-endian order. The bytes may be anything: what is
// malformed is an error.
func parseBinary(data []byte) (*compiled, error) {
	words, err := spirv.Words(data)
	if err != nil {
		return nil, err
	}
	m, err := spirv.Decode(words)
	if err != nil {
		return nil, err
	}
	b := &compiled{Module: m, names: map[uint32]string{}, strides: map[uint32][]uint32{}}
	if len(m.Functions) == 0 {
		return nil, errors.New("module does not end with a function")
	}
	for _, in := range m.Globals { // the only place where SPIR-V states how large a struct is
		if in.Op != spirv.OpTypeArray && in.Op != spirv.OpTypeRuntimeArray {
			continue
		}
		if stride, ok := m.Decoration(in.Result(), spirv.ArrayStride); ok {
			b.strides[in.At(1)] = append(b.strides[in.At(1)], stride)
		}
	}
	return b, nil
}

// Name is the name of an id; empty where it has none.
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
