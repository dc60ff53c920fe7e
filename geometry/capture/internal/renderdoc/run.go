package renderdoc

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/progress"
)

// runner executes the operations of a frame.
type runner struct {
	ctx    context.Context
	f      *frame
	blobs  *blobs
	budget *budget
	spaces map[uint64]*space
	scene  *geometry.Scene
	stream int64 // indices over all draws

	made   map[indexKey]triangles
	placed map[vertexKey][]vertexRange
}

// Bounds of a scene: more draws, instances included, are left out by name.
const (
	maxDraws  = 1 << 18
	maxStream = 1<<31 - 1
)

// run makes the scene.
func run(ctx context.Context, f *frame, b *blobs, budget *budget) (*geometry.Scene, error) {
	r := &runner{
		ctx: ctx, f: f, blobs: b, budget: budget, spaces: map[uint64]*space{}, scene: &geometry.Scene{Capture: &geometry.Capture{}},
		made: map[indexKey]triangles{}, placed: map[vertexKey][]vertexRange{},
	}
	for id, n := range needed(f.ops) {
		r.spaces[id] = newSpace(n, budget)
	}
	for i, op := range f.ops {
		progress.Tell(ctx, float64(i)/float64(len(f.ops)))
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		if err := r.do(op); err != nil {
			return nil, err
		}
		f.ops[i] = nil
	}
	lines := f.report()
	if len(r.scene.Draws) == 0 {
		if len(lines) == 0 {
			return nil, failf("", "no draws")
		}
		return nil, failf("", "no draws that can be read: %s", strings.Join(lines, "; "))
	}
	r.scene.Skipped = lines
	return r.scene, nil
}

func (r *runner) do(op any) error {
	switch op := op.(type) {
	case write:
		return r.write(op)
	case reserve:
		if s := r.spaces[op.space]; s != nil {
			s.version++
			s.reserve(op.size)
		}
	case copying:
		return r.copy(op)
	case fill:
		s := r.spaces[op.to.space]
		if s == nil || s.lastKept(op.to.at, op.to.end) == op.to.at {
			return nil
		}
		s.version++
		if err := r.blobs.work(min(op.to.size(), r.budget.whole)); err != nil {
			return err
		}
		return s.fill(op.to.at, op.to.end, op.word)
	case *draw:
		return r.draw(op)
	}
	return nil
}

// write unpacks a blob, as far as it is needed.
func (r *runner) write(op write) error {
	s := r.spaces[op.to.space]
	if s == nil {
		return nil
	}
	last := s.lastKept(op.to.at, op.to.end)
	if last == op.to.at {
		return nil
	}
	s.version++
	reserved := false
	found, err := r.blobs.stream(op.what, last-op.to.at, func(at int64, piece []byte) error {
		if !reserved { // the first piece has come: the entry is what it says
			reserved = true
			if err := s.overlap(op.to.at, last, func(g *segment, _, end int64) error { return s.grow(g, end) }); err != nil {
				return err
			}
		}
		return s.write(op.to.at+at, piece)
	})
	if !found {
		r.f.skip(op.call, "its bytes are not in "+r.blobs.name)
		s.reserved = 0 // what is there now is not what was reserved
	}
	return err
}

func (r *runner) copy(op copying) error {
	to, from := r.spaces[op.to.space], r.spaces[op.from.space]
	if to == nil || from == nil {
		return nil
	}
	offset := op.from.at - op.to.at
	return to.overlap(op.to.at, op.to.end, func(_ *segment, at, end int64) error {
		bytes, err := from.read(at+offset, end+offset)
		if err != nil {
			return err
		}
		if bytes == nil {
			r.f.skip("copy of a buffer", "its bytes are not in the capture")
			return nil
		}
		if err := r.blobs.work(end - at); err != nil {
			return err
		}
		to.version++
		return to.write(at, bytes)
	})
}

// bytes is what an extent holds, or nothing where that is not known.
func (r *runner) bytes(e extent) ([]byte, error) {
	s := r.spaces[e.space]
	if s == nil || e.at == e.end {
		return nil, nil
	}
	return s.read(e.at, e.end)
}

// draw does one call, which may be many draws.
func (r *runner) draw(d *draw) error {
	calls := d.calls
	if d.indirect != nil {
		var why string
		var err error
		if calls, why, err = r.readIndirect(d); err != nil {
			return err
		}
		if why != "" {
			r.f.skip(d.call, why)
			return nil
		}
	}
	for i, a := range calls {
		if err := context.Cause(r.ctx); err != nil {
			return err
		}
		name := d.name
		if len(calls) > 1 {
			name = fmt.Sprintf("%s [%d]", name, i)
		}
		why, err := r.one(d, a, name)
		if err != nil {
			return err
		}
		if why != "" {
			r.f.skip(d.call, why)
		}
	}
	return nil
}

// argumentWords is how many words the arguments of an indirect draw have.
func (d *draw) argumentWords() int64 {
	if d.width > 0 {
		return 5 // count, instances, first index, base vertex, first instance
	}
	return 4 // count, instances, first vertex, first instance
}

// indirectBytes is how many bytes the arguments of all draws take; -1 if too many.
func (d *draw) indirectBytes() int64 {
	in := d.indirect
	if in.stride == 0 {
		in.stride = 4 * d.argumentWords()
	}
	if in.draws == 0 || in.stride < 0 || in.stride > maxStride {
		return 0
	}
	return (in.draws-1)*in.stride + 4*d.argumentWords()
}

// readIndirect reads the arguments of draws from where the program, or a shader
// ahead of the frame, has put them.
func (r *runner) readIndirect(d *draw) (calls []arguments, why string, err error) {
	in := d.indirect
	if in.whereCount {
		b, err := r.bytes(in.count.first(4))
		if err != nil {
			return nil, "", err
		}
		if b == nil {
			return nil, "its number of draws is not in the capture", nil
		}
		in.draws = min(in.draws, int64(binary.LittleEndian.Uint32(b)))
		if in.draws == 0 {
			return nil, "", nil
		}
	}
	n := d.indirectBytes()
	b, err := r.bytes(in.from.first(n))
	if err != nil {
		return nil, "", err
	}
	if b == nil || int64(len(b)) < n || n == 0 {
		return nil, "its arguments are not in the capture", nil
	}
	if in.draws > maxDraws {
		return nil, fmt.Sprintf("more than %d draws", maxDraws), nil
	}
	calls = make([]arguments, in.draws)
	for i := range calls {
		word := b[int64(i)*in.stride:]
		calls[i] = arguments{
			count: binary.LittleEndian.Uint32(word), instances: binary.LittleEndian.Uint32(word[4:]),
			first: int64(binary.LittleEndian.Uint32(word[8:])),
		}
		if d.width > 0 {
			calls[i].base = int64(int32(binary.LittleEndian.Uint32(word[12:])))
		}
	}
	return calls, "", nil
}
