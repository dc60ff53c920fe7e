package geometry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/internal/base/cores"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// Computed is a mesh that is computed from a scene's pools while it is drawn, and never stored.
// Such a scene has one draw, whose transform is the identity. The draw's IndexCount and VertexCount
// count the whole mesh; FirstIndex and VertexOffset are 0.
//
// The methods are called on all cores at once.
type Computed interface {
	// FillIndices fills `into` with the mesh's indices, starting with index `first`.
	FillIndices(first int, into []uint32)
	// Vertex returns a vertex of the mesh in model space. The normal need not be of unit length.
	Vertex(id uint32) (position, normal mgl32.Vec3)
}

// IndicesAt returns a part of the index pool. The indices of a computed mesh are written to `room`,
// which grows if it is too small.
func (s *Scene) IndicesAt(first, count uint32, room *[]uint32) []uint32 {
	if s.Computed == nil {
		return s.Indices[first : first+count]
	}
	*room = slices.Grow((*room)[:0], int(count))[:count]
	s.Computed.FillIndices(int(first), *room)
	return *room
}

// PartAt is like IndicesAt, but of a computed mesh it may return only the first of the requested indices, so
// that few are in memory at a time. The caller then calls it again for the others.
func (s *Scene) PartAt(first, count uint32, room *[]uint32) []uint32 {
	if s.Computed != nil {
		count = min(count, computedPart)
	}
	return s.IndicesAt(first, count, room)
}

// computedPart is how many indices of a computed mesh PartAt returns at most. A batch has fewer.
const computedPart = 3 << 14

// HasIndices reports whether a range lies in the index pool; every range of a computed mesh does.
func (s *Scene) HasIndices(first, count uint32) bool {
	return s.Computed != nil || int(first)+int(count) <= len(s.Indices)
}

// EachIndices calls `each` with the indices of draw i, one part after another. `each` must not keep
// the slice.
func (s *Scene) EachIndices(i int, each func(indices []uint32)) {
	d := &s.Draws[i]
	if s.Computed == nil {
		each(s.DrawIndices(i))
		return
	}
	var room []uint32
	for at := uint32(0); at < d.IndexCount; at += validateGrain {
		each(s.IndicesAt(d.FirstIndex+at, min(validateGrain, d.IndexCount-at), &room))
	}
}

// computedGrain is how many vertices of a computed mesh a core takes at a time.
const computedGrain = 1 << 12

// bounds does the work of Bounds, which guards it against changes of the scene's file.
func (s *Scene) bounds() Box {
	if s.Computed != nil {
		return s.computedBounds()
	}
	box := s.storedBounds()
	if s.Capture != nil {
		box.Core = s.core()
	}
	return box
}

// computedBounds computes Bounds of a computed mesh.
func (s *Scene) computedBounds() Box {
	vertices := s.Draws[0].VertexCount
	named := make(idBits, (vertices+63)/64)
	s.EachIndices(0, named.add)
	all := emptyBox()
	all.addParts(int(vertices), computedGrain, func(part *Box, from, to int) {
		for v := from; v < to; v++ {
			if named[v/64]>>(v%64)&1 != 0 {
				p, _ := s.Computed.Vertex(uint32(v))
				part.Add(p)
			}
		}
	})
	return all
}

// Vertex returns a vertex of the pool, or of the computed mesh, in model space.
func (s *Scene) Vertex(id uint32) (position, normal mgl32.Vec3) {
	if s.Computed != nil {
		return s.Computed.Vertex(id)
	}
	return s.Positions[id], s.Normals[id]
}

// ComputedVertices is the number of vertices computed while the scene is drawn; 0 for a stored mesh.
func (s *Scene) ComputedVertices() int {
	if s.Computed == nil {
		return 0
	}
	return s.DrawVertices()
}

// Stored returns a copy of the scene with the computed mesh in its pools, or the scene itself if
// its mesh is stored.
func (s *Scene) Stored() *Scene {
	if s.Computed == nil {
		return s
	}
	out, vertices := *s, int(s.Draws[0].VertexCount)
	out.Computed, out.Indices = nil, s.DrawIndices(0)
	out.Positions, out.Normals = make([]mgl32.Vec3, vertices), make([]mgl32.Vec3, vertices)
	onParts(vertices, computedGrain, func(from, to int) {
		for v := from; v < to; v++ {
			out.Positions[v], out.Normals[v] = s.Computed.Vertex(uint32(v))
		}
	})
	return &out
}

// FirstBad returns the lowest bad element of 0 to n-1, or -1 if there is none. `bad` returns the
// lowest bad element of `from` to to-1, or -1. FirstBad calls `bad` on all cores, for ranges of at most
// `grain` elements, until it knows a bad element below all remaining ranges. If the context ends
// first, FirstBad returns its cause.
func FirstBad(ctx context.Context, n, grain int, bad func(from, to int) int) (int, error) {
	if bad == nil || grain < 1 {
		return -1, fmt.Errorf("geometry: no function to call, or ranges of %d elements", grain)
	}
	var next, lowest atomic.Int64
	lowest.Store(int64(n))
	cores.OnAll((n+grain-1)/grain, func() {
		meter := progress.NewMeter(ctx, n)
		for {
			from := next.Add(int64(grain)) - int64(grain)
			if from >= lowest.Load() || meter.At(int(from)) != nil {
				return
			}
			at := bad(int(from), min(int(from)+grain, n))
			for old := lowest.Load(); at >= 0 && int64(at) < old; old = lowest.Load() {
				lowest.CompareAndSwap(old, int64(at))
			}
		}
	})
	if err := context.Cause(ctx); err != nil {
		return -1, err
	}
	if at := lowest.Load(); at < int64(n) {
		return int(at), nil
	}
	return -1, nil
}

// onParts splits 0 to n-1 into parts of at most `grain` elements, and calls `do` for each on all cores.
func onParts(n, grain int, do func(from, to int)) {
	_, _ = FirstBad(context.Background(), n, grain, func(from, to int) int {
		do(from, to)
		return -1
	})
}

// Backing is memory outside the heap that a scene's pools lie in: a file mapped
// read-only. Whoever writes to a pool copies it first.
//
// The file was validated when it was opened, but later changes show through. If another
// program cuts the file short, reading the lost part is a fault (SIGBUS), which ends the
// process unless the reader asked for a panic. If another program writes into it, the
// scene may no longer be valid. So whoever reads the pools does it in Scene.Guard, and
// every goroutine beside it in Faults or cores.OnAll. Programs that replace files by
// renaming, as format.Save does, do no harm.
type Backing struct {
	once    sync.Once
	free    func()
	changed func() bool
}

// NewBacking returns a backing. Scene.Release frees its memory by calling `free`. `changed` reports
// whether the file has changed since it was opened; nil means that it cannot change.
func NewBacking(free func(), changed func() bool) *Backing {
	return &Backing{free: free, changed: changed}
}

// Errors about the file in which a scene's pools lie.
var (
	ErrLost    = errors.New("part of the file was lost while it was in use: it was cut short, or the disk failed")
	ErrChanged = errors.New("the file was changed while it was in use")
)

// Faults runs `work`, which reads a scene's pools on this goroutine. It returns ErrLost if a read of mapped memory
// faults, and passes other panics on.
func Faults(work func()) (err error) {
	defer func() {
		if p := recover(); IsFault(p) {
			err = ErrLost
		} else if p != nil {
			panic(p)
		}
	}()
	if work != nil {
		cores.PanicOnFault(work)
	}
	return nil
}

// IsFault reports whether a recovered value is a memory fault at an address other than 0, as when a mapped file was cut short.
func IsFault(recovered any) bool {
	fault, ok := recovered.(interface{ Addr() uintptr })
	return ok && fault.Addr() != 0
}

// Changed returns ErrChanged if the pools lie in a file that has changed since it was opened.
func (s *Scene) Changed() error {
	if s.Backing == nil || s.Backing.changed == nil || !s.Backing.changed() {
		return nil
	}
	return ErrChanged
}

// Guard runs `work`, which reads the scene. If the pools lie in a file that was meanwhile cut short or
// changed, Guard returns ErrLost or ErrChanged, even if `work` succeeded, panicked or returned another
// error.
func (s *Scene) Guard(work func() error) (err error) {
	if work == nil {
		return s.Changed()
	}
	if s.Backing == nil {
		return work()
	}
	changed := s.Changed
	defer func() {
		p := recover()
		now := changed()
		switch {
		case IsFault(p), p == nil && errors.Is(err, ErrLost):
			err = ErrLost
		case now != nil:
			err = now
		case p != nil:
			panic(p)
		}
	}()
	cores.PanicOnFault(func() { err = work() })
	return err
}

// Release gives back the memory outside the heap that the pools lie in, if any,
// and empties the scene. Call it when nothing uses the scene any more: copies of
// it (package order makes some) and slices of its pools point into the same
// memory, and reading them afterwards ends the process. For that reason no
// finalizer calls Release. A scene that is never released costs address space but
// no memory, since the system drops pages of files as it needs to.
//
// A scene that lies in the heap stays as it is.
func (s *Scene) Release() {
	if s.Backing == nil {
		return
	}
	s.Backing.once.Do(s.Backing.free)
	*s = Scene{Name: s.Name}
}
