package geometry

import (
	"errors"
	"sync"

	"github.com/shadeonce/shadeonce/internal/base/cores"
)

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

// NewBacking returns a backing whose memory Scene.Release frees by calling free. changed reports
// whether the file has changed since it was opened; nil means that it cannot change.
func NewBacking(free func(), changed func() bool) *Backing {
	return &Backing{free: free, changed: changed}
}

// Errors about a file that its scene's pools lie in.
var (
	ErrLost    = errors.New("part of the file was lost while it was in use: it was cut short, or the disk failed")
	ErrChanged = errors.New("the file was changed while it was in use")
)

// Faults runs work, which reads the scene's pools on this goroutine. A fault in mapped memory
// becomes ErrLost.
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

// IsFault reports whether a recovered value is a fault at a valid address of mapped memory.
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

// Guard runs work, which reads the scene. If the pools lie in a file that was meanwhile cut short
// or changed, Guard returns ErrLost or ErrChanged, even if work panicked, failed otherwise or
// returned a result.
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
