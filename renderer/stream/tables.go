package stream

import (
	"encoding/binary"

	"github.com/shadeonce/shadeonce/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// Tables are the buffers that a shade function reads and writes, by their blocks.
type Tables map[plan.Block]*gpu.Buffer

// Block says how to make the buffer of a block.
type Block struct {
	name plan.Block
	make func(*gpu.Backend) (*gpu.Buffer, error)
}

// Table is a block that is read: a slice whose elements consist of numbers, in the layout of the
// shader.
func Table[T any](name plan.Block, data []T) Block {
	return Block{name, func(b *gpu.Backend) (*gpu.Buffer, error) {
		buffer, err := Result[T](name, len(data)).make(b)
		if err != nil {
			return nil, err
		}
		if err := gpu.Upload(b.GPU(), buffer, data); err != nil {
			buffer.Close()
			return nil, err
		}
		return buffer, nil
	}}
}

// Result is a block that is written: n elements whose contents are undefined at first.
func Result[T any](name plan.Block, n int) Block {
	var one T
	return Block{name, func(b *gpu.Backend) (*gpu.Buffer, error) {
		return b.GPU().NewBuffer(string(name), int64(n)*int64(binary.Size(one)), gpu.UsageStorage)
	}}
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

// Close frees the buffers.
func (t Tables) Close() {
	for _, b := range t {
		b.Close()
	}
}
