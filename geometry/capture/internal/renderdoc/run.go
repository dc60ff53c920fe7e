package renderdoc

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// runner executes the operations of a frame.
type runner struct {
	ctx    context.Context
	f      *frame
	blobs  *blobs
	budget *budget.Budget
	spaces map[uint64]*space
	scene  *geometry.Scene
	stream int64 // number of indices of all draws

	made   map[indexKey]triangles
	placed map[vertexKey][]vertexRange

	compile  Compiler
	compiled map[[2]string]*compiled // results of the compiler, by stage and source

	// How the scene's draws are shaded:
	shading    geometry.Shading
	attributes map[attributeKey]int
	programs   map[string]int // numbers of programs, by shader and inputs
	values     map[valueKey]int
	contents   map[[sha256.Size]byte]int
	targets    []target // by draw of the scene

	textures bool // whether textures are wanted, and the capture has some
	images   map[imageKey]int
	out      Frame
}

// Limits of a scene. maxDraws counts each instance as a draw; maxStream bounds indices, and vertices. Draws beyond
// the limits are left out, and Scene.Skipped says why. A capture with too many vertices is refused.
const (
	maxDraws  = 1 << 18
	maxStream = 1<<31 - 1
)

// run executes the operations of a frame, and makes its scene.
func run(ctx context.Context, f *frame, b *blobs, in Input) (s *Frame, err error) {
	defer must.Catch(&err)
	r := &runner{
		ctx: ctx, f: f, blobs: b, budget: f.budget, spaces: map[uint64]*space{}, scene: &geometry.Scene{Capture: &geometry.Capture{}},
		made: map[indexKey]triangles{}, placed: map[vertexKey][]vertexRange{}, compile: in.Compile, compiled: map[[2]string]*compiled{},
		attributes: map[attributeKey]int{}, programs: map[string]int{}, values: map[valueKey]int{}, contents: map[[sha256.Size]byte]int{},
	}
	r.textures = in.Textures && r.findTexels()
	r.resolve()
	for id, n := range needed(f.ops, f.budget) {
		r.spaces[id] = newSpace(n, f.budget)
	}
	for i, op := range f.ops {
		progress.Tell(ctx, float64(i)/float64(len(f.ops)))
		must.OK(context.Cause(ctx))
		r.work(budget.Call)
		r.do(op)
		f.ops[i] = nil
	}
	r.scene.Skipped = f.report()
	switch why := strings.Join(r.scene.Skipped, "; "); {
	case len(r.scene.Draws) > 0:
		r.scene.CheckEvents()
		return r.finish(), nil
	case why == "":
		return nil, failf("", "no draws")
	default:
		return nil, failf("", "no draws that can be read: %s", why)
	}
}

func (r *runner) do(op any) {
	switch op := op.(type) {
	case write:
		r.write(op)
	case put:
		if s := r.spaces[op.to.space]; s != nil {
			s.version++
			s.write(op.to.at, op.bytes[:op.to.size()])
		}
	case reserve:
		if s := r.spaces[op.space]; s != nil {
			s.version++
			s.reserve(op.size)
		}
	case copying:
		r.copy(op)
	case fill:
		if s := r.spaces[op.to.space]; s != nil && s.lastKept(op.to.at, op.to.end) > op.to.at {
			s.version++
			s.fill(op.to.at, op.to.end, op.word)
		}
	case *draw:
		r.draw(op)
	}
}

// write unpacks the part of a blob that draws will read.
func (r *runner) write(op write) {
	s := r.spaces[op.to.space]
	if s == nil {
		return
	}
	last := s.lastKept(op.to.at, op.to.end)
	if last == op.to.at {
		return
	}
	s.version++
	reserved := false
	found := r.blobs.stream(op.what, last-op.to.at, func(at int64, piece []byte) {
		if !reserved { // the first piece has arrived, so the entry has the stated size
			reserved = true
			s.overlap(op.to.at, last, func(g *segment, _, end int64) { s.grow(g, end) })
		}
		s.write(op.to.at+at, piece)
	})
	if !found {
		r.f.skip(op.call, "its bytes are not in "+r.blobs.name)
		s.reserved = 0 // the contents are no longer known to be the zeros of reserve
	}
}

func (r *runner) copy(op copying) {
	to, from := r.spaces[op.to.space], r.spaces[op.from.space]
	if to == nil || from == nil {
		return
	}
	offset := op.from.at - op.to.at
	to.overlap(op.to.at, op.to.end, func(_ *segment, at, end int64) {
		bytes := from.read(at+offset, end+offset)
		if bytes == nil {
			r.f.skip("copy of a buffer", "its bytes are not in the capture")
			return
		}
		r.work(budget.Call + end - at)
		to.version++
		to.write(at, bytes)
	})
}

// bytes returns the contents of an extent, or nil if they are not known.
func (r *runner) bytes(e extent) []byte {
	s := r.spaces[e.space]
	if s == nil || e.at == e.end {
		return nil
	}
	return s.read(e.at, e.end)
}

// draw adds the draws of one call to the scene.
func (r *runner) draw(d *draw) {
	calls := d.calls
	if d.indirect != nil {
		r.f.try(d.call, func() { calls = r.readIndirect(d) })
	}
	nothing := 0
	r.work(emptySteps * int64(len(calls)))
	for i, a := range calls {
		if a.count < 3 || a.instances == 0 {
			nothing++
			continue
		}
		number := -1
		if len(calls) > 1 {
			number = i
		}
		r.f.try(d.call, func() { r.one(d, a, number) })
	}
	if nothing > 0 {
		r.f.skipped[d.call+": "+nothingToDraw] += nothing
	}
}

// emptySteps is the work of examining a draw that may be empty.
const emptySteps = 8

// work charges steps that are about to be done.
func (r *runner) work(steps int64) { must.OK(r.budget.Work(steps)) }

// argumentWords returns the number of words in an indirect draw's arguments.
func (d *draw) argumentWords() int64 {
	if d.width > 0 {
		return 5 // count, instances, first index, base vertex, first instance
	}
	return 4 // count, instances, first vertex, first instance
}

// indirectBytes returns the size of all draws' arguments; 0 if there are no draws, or the stride is not supported.
func (d *draw) indirectBytes() int64 {
	in := d.indirect
	in.stride = cmp.Or(in.stride, 4*d.argumentWords())
	if in.draws == 0 || in.stride < 0 || in.stride > maxStride {
		return 0
	}
	return (in.draws-1)*in.stride + 4*d.argumentWords()
}

// readIndirect reads the arguments of draws from where the program, or a shader before the frame,
// has put them.
func (r *runner) readIndirect(d *draw) (calls []arguments) {
	in := d.indirect
	if in.whereCount {
		b := r.bytes(in.count.first(4))
		if b == nil {
			leaveOut("its number of draws is not in the capture")
		}
		in.draws = min(in.draws, int64(binary.LittleEndian.Uint32(b)))
		if in.draws == 0 {
			return nil
		}
	}
	n := d.indirectBytes()
	b := r.bytes(in.from.first(n))
	if b == nil || int64(len(b)) < n || n == 0 {
		leaveOut("its arguments are not in the capture")
	}
	if in.draws > maxDraws {
		leaveOut("more than %d draws", maxDraws)
	}
	r.work(emptySteps * in.draws)
	calls = make([]arguments, 0, in.draws)
	for i := range in.draws {
		word := func(k int64) uint32 { return binary.LittleEndian.Uint32(b[i*in.stride+4*k:]) }
		a := arguments{count: word(0), instances: word(1), first: int64(word(2)), instance: word(d.argumentWords() - 1)}
		if d.width > 0 {
			a.base = int64(int32(word(3)))
		}
		calls = append(calls, a)
	}
	return calls
}
