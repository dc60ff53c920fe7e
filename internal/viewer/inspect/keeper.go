package inspect

import "github.com/shadeonce/shadeonce/geometry"

// Keeper releases scenes that are not shown any more, once nothing in the background
// reads a scene: a scene may lie in a mapped file. All its methods, and those of
// Pickers, Searches and Surveys, are called on one goroutine.
type Keeper struct {
	readers int
	retired []*geometry.Scene
}

// Retire releases a scene as soon as nothing reads any. It may be nil.
func (k *Keeper) Retire(scene *geometry.Scene) {
	if scene != nil {
		k.retired = append(k.retired, scene)
	}
	k.release()
}

// Hold keeps all scenes from being released until LetGo is called as often.
func (k *Keeper) Hold() { k.readers++ }

// LetGo releases retired scenes where nothing else reads any.
func (k *Keeper) LetGo() {
	k.readers--
	k.release()
}

func (k *Keeper) release() {
	if k.readers > 0 {
		return
	}
	for _, scene := range k.retired {
		scene.Release()
	}
	k.retired = nil
}

// background runs work that reads scenes, each in a goroutine of its own.
type background[T any] struct {
	keeper  *Keeper
	wake    func() // called when there is a result, in the work's goroutine
	results chan T
}

func newBackground[T any](k *Keeper, wake func()) background[T] {
	return background[T]{keeper: k, wake: wake, results: make(chan T, 1)}
}

// start begins work that reads a scene. The result is otherwise where the scene's file was
// lost or changed meanwhile.
func (b *background[T]) start(s *geometry.Scene, otherwise T, work func() T) {
	b.keeper.Hold()
	go func() {
		result := otherwise
		if s.Guard(func() error { result = work(); return nil }) != nil {
			result = otherwise
		}
		b.results <- result
		b.wake()
	}()
}

// take returns a result, where there is one.
func (b *background[T]) take() (result T, ok bool) {
	select {
	case result = <-b.results:
		b.keeper.LetGo()
		return result, true
	default:
		return result, false
	}
}
