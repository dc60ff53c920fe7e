package geometry

import "sync"

// Backing is memory outside the heap that a scene's pools lie in: a file mapped
// read-only. Whoever writes to a pool copies it first.
//
// The file was validated when it was opened, but later changes show through. If
// another program cuts the file short, reading the lost part is a fault (SIGBUS),
// which ends the process unless the reader asked for a panic
// (debug.SetPanicOnFault). If another program writes into it, the scene may no
// longer be valid. Programs that replace files by renaming, as format.Save does,
// do no harm.
type Backing struct {
	once sync.Once
	free func()
}

// NewBacking returns a backing that Scene.Release gives back by calling free.
func NewBacking(free func()) *Backing { return &Backing{free: free} }

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
