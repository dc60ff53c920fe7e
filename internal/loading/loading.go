// Package loading opens files, orders scenes and watches files beside a frame loop, which
// is told when there is a result. It knows no window and draws nothing.
//
// A Loader has one request under way. Another request cancels it and waits until it has
// ended, so that two scenes never load at once, and no mapped file is closed that an order
// still reads.
package loading

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/progress"
)

const (
	// ShowRest is how long work must take before it is shown: the loop is woken then.
	ShowRest = 300 * time.Millisecond
	// CloseRest is how long Close waits for work to remove its temporary files.
	CloseRest = time.Second
)

// Loaded is the first of some files that could be opened.
type Loaded struct {
	Files     []string        // that were asked for
	Scene     *geometry.Scene // nil where none could be opened, or overtaken
	Source    *geometry.Scene // the same in its file's order
	Box       geometry.Box    // of the scene
	At        int             // the scene's index in files
	Rest      []int           // those that were not tried
	Refused   []error         // of those tried before it, each naming its file
	Overtaken bool            // by another request: more is to come

	IndexOrder string // of the scene
	Reordered  bool   // the scene was on the screen before, in another order
	Again      bool   // the file was on the screen before, and has changed
}

// OpenFunc opens a file, unless the context ends first.
type OpenFunc func(ctx context.Context, path string) (*geometry.Scene, error)

// loadFirst tries files, given by their indices, until one opens, and orders it.
// It ends with nothing when the context does.
func loadFirst(ctx context.Context, r Request, open OpenFunc) Loaded {
	if r.Source != nil {
		return reorder(ctx, r)
	}
	opening := 1. // of the time, about
	if r.IndexOrder != "" && r.IndexOrder != FileOrder {
		opening = .5
	}
	l := Loaded{Files: r.Files, Again: r.Again}
	for i, at := range r.Order {
		if ctx.Err() != nil {
			return l
		}
		source, err := open(progress.Part(ctx, 0, opening), r.Files[at])
		if err == nil {
			l.Source, l.IndexOrder = source, r.IndexOrder
			err = source.Guard(func() (err error) {
				l.Scene, err = r.apply(progress.Part(ctx, opening, 1), source)
				l.Box = source.Bounds()
				return err
			})
			if err != nil {
				source.Release()
			}
		}
		if err == nil {
			l.At, l.Rest = at, r.Order[i+1:]
			return l
		}
		if cause := context.Cause(ctx); cause == nil || !errors.Is(err, cause) {
			l.Refused = append(l.Refused, Naming(r.Files[at], err))
		}
	}
	return l
}

// Naming makes an error name its file; those of format do already.
func Naming(file string, err error) error {
	if strings.Contains(err.Error(), file) {
		return err
	}
	return fmt.Errorf("%s: %w", file, err)
}

// Loader opens files in the background, one request at a time. A request that comes
// meanwhile cancels what is under way, and waits until that has ended; a later one
// replaces it. All methods but Close are called on one goroutine.
type Loader struct {
	Busy   bool
	Name   string // of the file tried first, while busy with files
	Making string // the order made, while busy with that
	Again  bool   // busy with the file on the screen, which has changed

	Finish FinishFunc // of all scenes; nil leaves them as they are

	open    OpenFunc
	wake    func()
	results chan Loaded
	since   time.Time
	givenUp bool                    // what is under way: its result is dropped
	stop    context.CancelCauseFunc // ends what is under way
	whole   context.Context         // of all work
	quit    context.CancelCauseFunc // ends that
	atWork  sync.Mutex              // held by work under way
	share   *atomic.Uint64          // how much of what is under way is done, as the bits of a float64
	waiting *Request
}

// errUnwanted is why work is cancelled.
var errUnwanted = errors.New("not wanted any more")

// Request asks for the first of some files that opens, or for another order of a scene.
type Request struct {
	Files []string
	Order []int // in which they are tried, by their indices

	IndexOrder string          // to bring the scene into; empty leaves it
	Source     *geometry.Scene // the scene where it is open already, of the one file
	Again      bool            // the file on the screen has changed

	finish FinishFunc
}

// FinishFunc makes another scene of one that has been opened and ordered.
type FinishFunc func(ctx context.Context, s *geometry.Scene) (*geometry.Scene, error)

// New returns a Loader that calls wake, on another goroutine, when a result is there.
func New(open OpenFunc, wake func()) *Loader {
	l := &Loader{open: open, wake: wake, results: make(chan Loaded, 1)}
	l.whole, l.quit = context.WithCancelCause(context.Background())
	return l
}

// Load asks for the first of the files, at least one, that opens.
func (l *Loader) Load(r Request) {
	if l.Busy {
		l.waiting = &r
		l.stop(errUnwanted)
		return
	}
	l.Busy, l.Name, l.Making = true, filepath.Base(r.Files[r.Order[0]]), ""
	l.since, l.givenUp, l.Again = time.Now(), false, r.Again
	if r.Source != nil {
		l.Name, l.Making = "", r.IndexOrder
	}
	r.finish = l.Finish
	ctx, stop := context.WithCancelCause(l.whole)
	share := new(atomic.Uint64)
	l.stop, l.share = stop, share
	ctx = progress.With(ctx, func(done float64) { share.Store(math.Float64bits(done)) })
	time.AfterFunc(ShowRest, l.wake) // to be shown
	go func() {
		l.atWork.Lock()
		result := loadFirst(ctx, r, l.open)
		l.atWork.Unlock()
		l.results <- result
		l.wake()
	}()
}

// Take returns the result of a request, if there is one. It drops the scene of a request
// that another has overtaken.
func (l *Loader) Take() (Loaded, bool) {
	select {
	case result := <-l.results:
		l.Busy = false
		l.stop(nil)
		if result.Scene == nil {
			result.Source = nil // not opened, or released
		}
		if l.givenUp {
			result.Refused = nil
		}
		if l.givenUp || l.waiting != nil {
			if result.Source != nil && !result.Reordered {
				result.Source.Release()
				result.Source = nil
			}
			result.Scene, result.Rest, result.Overtaken = nil, nil, true
		}
		if next := l.waiting; next != nil {
			l.waiting = nil
			l.Load(*next)
		}
		return result, true
	default:
		return Loaded{}, false
	}
}

// Waiting reports whether a request waits for the one under way to end.
func (l *Loader) Waiting() bool { return l.waiting != nil }

// BusyFor returns how long the request has been under way; 0 where none is, or it was
// given up.
func (l *Loader) BusyFor() time.Duration {
	if !l.Busy || l.givenUp {
		return 0
	}
	return time.Since(l.since)
}

// Done returns how much of the work is done, from 0 to 1; 0 where that is not known.
func (l *Loader) Done() float64 {
	if l.BusyFor() == 0 {
		return 0
	}
	return min(max(math.Float64frombits(l.share.Load()), 0), 1)
}

// GiveUp cancels what is under way, drops its result, and forgets what waits for it. It
// reports whether there was anything to give up.
func (l *Loader) GiveUp() bool {
	if !l.Busy || l.givenUp && l.waiting == nil {
		return false
	}
	l.givenUp, l.waiting = true, nil
	l.stop(errUnwanted)
	return true
}

// Close cancels all work for good. Any goroutine may call it.
func (l *Loader) Close() {
	l.quit(errUnwanted)
	idle := make(chan struct{})
	go func() {
		l.atWork.Lock()
		defer l.atWork.Unlock()
		close(idle)
	}()
	select {
	case <-idle:
	case <-time.After(CloseRest):
	}
}

// FileOrder is the order that a file has.
const FileOrder = "original"

// TurnOrder is the registered order that lies step from one, around the ends.
// Whether vertices are renumbered too stays; the size of a cache does not.
func TurnOrder(name string, step int) string {
	all := order.Names()
	base, fetch := strings.CutSuffix(name, order.FetchSuffix)
	at := slices.Index(all, strings.TrimRight(base, "0123456789"))
	name = all[((at+step)%len(all)+len(all))%len(all)]
	if fetch {
		name += order.FetchSuffix
	}
	return name
}

// apply is a scene in the order that is asked for, without one as it is, and finished.
func (r *Request) apply(ctx context.Context, scene *geometry.Scene) (_ *geometry.Scene, err error) {
	if r.IndexOrder != "" {
		if scene, err = order.Apply(ctx, scene, r.IndexOrder); err != nil {
			return nil, err
		}
	}
	if r.finish == nil {
		return scene, nil
	}
	return r.finish(progress.Silent(ctx), scene)
}

// reorder is the loader's work where the scene is there and only its order is
// not.
func reorder(ctx context.Context, r Request) Loaded {
	l := Loaded{Files: r.Files, At: r.Order[0], Source: r.Source, IndexOrder: r.IndexOrder, Reordered: true}
	var scene *geometry.Scene
	err := r.Source.Guard(func() (err error) {
		scene, err = r.apply(ctx, r.Source)
		return err
	})
	if err != nil && ctx.Err() != nil {
		return l
	}
	if err != nil {
		l.Refused = []error{err}
		return l
	}
	l.Scene = scene
	return l
}
