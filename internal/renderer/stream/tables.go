package stream

import (
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"

	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
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
	size := binary.Size(one)
	return Block{name, func(b *gpu.Backend) (*gpu.Buffer, error) {
		if size <= 0 || size != int(unsafe.Sizeof(one)) {
			return nil, fmt.Errorf("stream: table %s: %T is not made of numbers only", name, one)
		}
		if n < 0 || int64(n) > math.MaxInt64/int64(size) {
			return nil, fmt.Errorf("stream: table %s: %d elements", name, n)
		}
		return b.GPU().NewBuffer(string(name), max(int64(n)*int64(size), least), gpu.UsageStorage)
	}}
}

// least is the size of the smallest table in bytes: Vulkan has no empty buffers.
const least = 4

// NewTables makes the buffers of all blocks, or none.
func NewTables(b *gpu.Backend, blocks ...Block) (Tables, error) {
	if err := checkBackend(b); err != nil {
		return nil, err
	}
	t := Tables{}
	for _, block := range blocks {
		if block.make == nil || block.name == "" || t[block.name] != nil {
			t.Close()
			return nil, fmt.Errorf("stream: table %q: a block needs a name of its own, and Table or Result to make it", block.name)
		}
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

// Load returns the first n elements of a table.
func Load[T any](b *gpu.Backend, table *gpu.Buffer, n int) ([]T, error) {
	var one T
	size := binary.Size(one)
	if checkBackend(b) != nil || table == nil || size <= 0 || size != int(unsafe.Sizeof(one)) || n < 0 || int64(n) > table.Size/int64(size) {
		return nil, fmt.Errorf("stream: %d elements of %T: there is no such table, or it has fewer", n, one)
	}
	return gpu.Download[T](b.GPU(), table, n)
}
