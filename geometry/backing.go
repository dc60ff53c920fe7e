package geometry

import "sync"

// Backing is memory outside the heap that a scene's pools lie in: a file mapped
// read-only. Whoever writes to a pool copies it first.
//
// The file was validated when it was opened. What another program then does to
// it is seen here: one that cuts it short makes reading the lost part a fault
// (SIGBUS), which ends the process unless the reader asked for a panic
// (debug.SetPanicOnFault), and one that writes into it can bring back what
// validation refused. Programs that replace files by renaming, as format.Save
// does, do no harm.
type Backing struct {
	once sync.Once
	free func()
}

// NewBacking is a backing that free gives back.
func NewBacking(free func()) *Backing { return &Backing{free: free} }

// Release gives back the memory outside the heap that the pools lie in, if any,
// and empties the scene. It is for whoever opened the scene, once nothing uses
// it any more: copies of the scene (orders make some) and slices of its pools
// point into the same memory, and reading them afterwards ends the process.
// That is why no finalizer does it. A scene that is never released costs address
// space and no memory, since the system drops pages of files as it needs to.
//
// A scene that lies in the heap stays as it is.
func (s *Scene) Release() {
	if s.Backing == nil {
		return
	}
	s.Backing.once.Do(s.Backing.free)
	*s = Scene{Name: s.Name}
}
