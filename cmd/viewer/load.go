package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture"
	"github.com/shadeonce/shadeonce/internal/progress"
)

// openScene opens a file, or makes a built-in scene for asset:NAME.
func openScene(ctx context.Context, path string) (*geometry.Scene, error) {
	if name, ok := strings.CutPrefix(path, "asset:"); ok {
		return assets.Make(name)
	}
	return capture.Open(ctx, path)
}

// loaded is the first of some files that could be opened.
type loaded struct {
	files     []string        // that were asked for
	scene     *geometry.Scene // nil where none could be opened, or overtaken
	source    *geometry.Scene // the same in its file's order
	box       geometry.Box    // of the scene
	at        int             // the scene's index in files
	rest      []int           // those that were not tried
	refused   []error         // of those tried before it, each naming its file
	overtaken bool            // by another request: more is to come

	indexOrder string // of the scene
	reordered  bool   // the scene was on the screen before, in another order
	again      bool   // the file was on the screen before, and has changed
}

// openFunc opens a file, unless the context ends first.
type openFunc func(ctx context.Context, path string) (*geometry.Scene, error)

// loadFirst tries files, given by their indices, until one opens, and orders it.
// It ends with nothing when the context does.
func loadFirst(ctx context.Context, r request, open openFunc) loaded {
	if r.source != nil {
		return reorder(ctx, r)
	}
	opening := 1. // of the time, about
	if r.indexOrder != "" && r.indexOrder != fileOrder {
		opening = .5
	}
	l := loaded{files: r.files, again: r.again}
	for i, at := range r.order {
		if ctx.Err() != nil {
			return l
		}
		source, err := open(progress.Part(ctx, 0, opening), r.files[at])
		if err == nil {
			l.source, l.indexOrder = source, r.indexOrder
			if l.scene, err = applyOrder(progress.Part(ctx, opening, 1), source, r.indexOrder); err != nil {
				source.Release()
			}
		}
		if err == nil {
			l.box, l.at, l.rest = source.Bounds(), at, r.order[i+1:]
			return l
		}
		if cause := context.Cause(ctx); cause == nil || !errors.Is(err, cause) {
			l.refused = append(l.refused, naming(r.files[at], err))
		}
	}
	return l
}

// naming makes an error name its file; those of format do already.
func naming(file string, err error) error {
	if strings.Contains(err.Error(), file) {
		return err
	}
	return fmt.Errorf("%s: %w", file, err)
}

// from is the order in which files are tried when moving by step from a
// position: in that direction around the ends, but not the position itself.
func from(position, step, count int) []int {
	if step == 0 || count == 0 {
		return nil
	}
	direction := 1
	if step < 0 {
		direction = -1
	}
	var order []int
	for i := range count {
		at := ((position+step+i*direction)%count + count) % count
		if at != position {
			order = append(order, at)
		}
	}
	return order
}

// loader opens files beside the frame loop, one request at a time. A request
// that comes meanwhile breaks off what is under way, and waits until that has ended;
// a later one replaces it.
type loader struct {
	open    openFunc
	wake    func() // called when a result is there, on another goroutine
	results chan loaded
	busy    bool
	name    string // of the file tried first, while busy with files
	making  string // the order made, while busy with that
	again   bool   // busy with the file on the screen, which has changed
	since   time.Time
	givenUp bool                    // what is under way: its result is dropped
	stop    context.CancelCauseFunc // ends what is under way
	whole   context.Context         // of all work
	quit    context.CancelCauseFunc // ends that
	atWork  sync.Mutex              // held by work under way
	share   *atomic.Uint64          // how much of what is under way is done, as the bits of a float64
	waiting *request
}

// errUnwanted is why work is broken off.
var errUnwanted = errors.New("not wanted any more")

// request is files to be tried in an order, given by their indices.
type request struct {
	files []string
	order []int

	indexOrder string          // to bring the scene into; empty leaves it
	source     *geometry.Scene // the scene where it is open already, of the one file
	again      bool            // the file on the screen has changed
}

func newLoader(open openFunc, wake func()) *loader {
	l := &loader{open: open, wake: wake, results: make(chan loaded, 1)}
	l.whole, l.quit = context.WithCancelCause(context.Background())
	return l
}

// load asks for the first of the files, at least one, that opens.
func (l *loader) load(r request) {
	if l.busy {
		l.waiting = &r
		l.stop(errUnwanted)
		return
	}
	l.busy, l.name, l.making = true, filepath.Base(r.files[r.order[0]]), ""
	l.since, l.givenUp, l.again = time.Now(), false, r.again
	if r.source != nil {
		l.name, l.making = "", r.indexOrder
	}
	ctx, stop := context.WithCancelCause(l.whole)
	share := new(atomic.Uint64)
	l.stop, l.share = stop, share
	ctx = progress.With(ctx, func(done float64) { share.Store(math.Float64bits(done)) })
	time.AfterFunc(busyRest, l.wake) // to be shown
	go func() {
		l.atWork.Lock()
		result := loadFirst(ctx, r, l.open)
		l.atWork.Unlock()
		l.results <- result
		l.wake()
	}()
}

// take is the result of a request, if one is there. The scene of a request that
// another has overtaken is dropped.
func (l *loader) take() (loaded, bool) {
	select {
	case result := <-l.results:
		l.busy = false
		l.stop(nil)
		if result.scene == nil {
			result.source = nil // not opened, or released
		}
		if l.givenUp {
			if result.source != nil && !result.reordered {
				result.source.Release()
				result.source = nil
			}
			result.scene, result.rest, result.refused, result.overtaken = nil, nil, nil, true
		}
		if next := l.waiting; next != nil {
			l.waiting = nil
			l.load(*next)
			if result.source != nil && !result.reordered {
				result.source.Release()
			}
			result.scene, result.rest, result.overtaken = nil, nil, true
		}
		return result, true
	default:
		return loaded{}, false
	}
}
