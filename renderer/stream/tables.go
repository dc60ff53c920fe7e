package stream

import (
	"encoding/binary"

	"github.com/shadeonce/shadeonce/renderer/gpu"
)

// Tables are the buffers that a shade function reads and writes, by the names of
// their blocks.
type Tables map[string]*gpu.Buffer

// Block says how to make the buffer of a block.
type Block struct {
	name string
	make func(*gpu.Backend) (*gpu.Buffer, error)
}

// Table is a block that is read: a slice whose elements are made of numbers, as the
// shader has them.
func Table[T any](name string, data []T) Block {
	return Block{name, func(b *gpu.Backend) (*gpu.Buffer, error) { return NewTable(b, name, data) }}
}

// Result is a block that is written: n elements whose content is undefined at first.
func Result[T any](name string, n int) Block {
	return Block{name, func(b *gpu.Backend) (*gpu.Buffer, error) { return NewResult[T](b, name, n) }}
}

// NewTables makes the buffers of all blocks, or none.
func NewTables(b *gpu.Backend, blocks ...Block) (Tables, error) {
	t := Tables{}
	for _, block := range blocks {
		buffer, err := block.make(b)
		if err != nil {
			t.Close()
			return nil, err
		}
		t[block.name] = buffer
	}
	return t, nil
}

// Close frees the buffers. Nil is fine.
func (t Tables) Close() {
	for _, b := range t {
		b.Close()
	}
}

// NewTable makes a buffer of a slice whose elements are made of numbers.
func NewTable[T any](b *gpu.Backend, name string, data []T) (*gpu.Buffer, error) {
	buffer, err := NewResult[T](b, name, len(data))
	if err != nil {
		return nil, err
	}
	if err := gpu.Upload(b.GPU(), buffer, data); err != nil {
		buffer.Close()
		return nil, err
	}
	return buffer, nil
}

// NewResult makes a buffer of n elements, whose content is undefined.
func NewResult[T any](b *gpu.Backend, name string, n int) (*gpu.Buffer, error) {
	var one T
	return b.GPU().NewBuffer(name, int64(n)*int64(binary.Size(one)), gpu.UsageStorage)
}
