// Package load opens files, orders scenes and watches files in the background of a frame
// loop, and wakes the loop when there is a result. It knows no window and draws nothing.
//
// A Loader has one request under way. Another request cancels it and waits until it has
// ended, so that two scenes never load at once, and no mapped file is closed while an
// order reads it.
package load

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

const (
	// ShowRest is how long work must take before its progress is shown; the Loader then wakes the loop.
	ShowRest = 300 * time.Millisecond
	// CloseRest is how long Close waits for work to remove its temporary files.
	CloseRest = time.Second
)

// Loaded is the result of a request: the first file that could be opened.
type Loaded struct {
	Files     []string        // requested
	Scene     *geometry.Scene // nil if no file could be opened, or the request was overtaken
	Source    *geometry.Scene // the scene in its file's order
	Box       geometry.Box    // of the scene
	At        int             // the scene's index in files
	Rest      []int           // indices of files that have not been tried
	Refused   []error         // errors of files that could not be opened, each naming its file
	Overtaken bool            // the request was cancelled, or overtaken by another one, whose result follows

	IndexOrder string // of the scene
	Reordered  bool   // the scene was on the screen before, in another order
	Again      bool   // the file was on the screen before, and has changed
	Pass       string // as requested
}

// OpenFunc opens a file, unless the context ends first.
type OpenFunc func(ctx context.Context, path string) (*geometry.Scene, error)

// loadFirst tries the request's files one by one (r.Order), and brings the scene of the first that opens into the requested
// index order. A scene that is already open (Request.Source) is only reordered. It returns no scene if no file opens or the context ends first.
func loadFirst(ctx context.Context, r Request, open OpenFunc) Loaded {
	if r.Source != nil {
		return reorder(ctx, r)
	}
	opening := 1. // estimated share of opening in the total time
	if r.IndexOrder != "" && r.IndexOrder != FileOrder {
		opening = .5
	}
	if r.Open != nil {
		open = r.Open
	}
	l := Loaded{Files: r.Files, Again: r.Again, Pass: r.Pass}
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

// Naming adds the file's name to an error, unless its text contains the name.
func Naming(file string, err error) error {
	if strings.Contains(err.Error(), file) {
		return err
	}
	return fmt.Errorf("%s: %w", file, err)
}

// Loader opens files in the background, one request at a time. A new request cancels the
// current one and waits for its end; if a request already waits, the new one replaces it. All
// methods but Close are called on one goroutine.
type Loader struct {
	progress.Job[Loaded]
	Name   string // base name of the file tried first, while busy with files
	Making string // the order being made, while busy with an order
	Again  bool   // busy with the file on the screen, which has changed

	Finish FinishFunc // applied to all scenes; nil leaves them as they are

	open    OpenFunc
	whole   context.Context         // parent context of all work
	quit    context.CancelCauseFunc // cancels whole
	atWork  sync.Mutex              // held by work under way
	waiting *Request
}

// Request asks for the first of some files that opens, or for another order of a scene.
type Request struct {
	Files []string
	Order []int // indices into Files, in the order of trying

	IndexOrder string          // the order to bring the scene into; empty keeps the file's
	Source     *geometry.Scene // the scene of the only file, if it is already open
	Again      bool            // the file on the screen has changed
	Pass       string          // the pass of a captured frame that Open opens; else empty
	Open       OpenFunc        // opens the files; nil uses the Loader's

	finish FinishFunc
}

// FinishFunc derives a scene from one that has been opened and ordered.
type FinishFunc func(ctx context.Context, s *geometry.Scene) (*geometry.Scene, error)

// New returns a Loader that calls wake, on another goroutine, when a result is ready.
func New(open OpenFunc, wake func()) *Loader {
	l := &Loader{Job: progress.NewJob[Loaded](wake), open: open}
	l.whole, l.quit = context.WithCancelCause(context.Background())
	return l
}

// Load starts a request. If one is under way, Load cancels it, and the new request waits for its end. r.Order must not be empty.
func (l *Loader) Load(r Request) {
	if l.Busy {
		l.waiting = &r
		l.Stop()
		return
	}
	l.Name, l.Making, l.Again = filepath.Base(r.Files[r.Order[0]]), "", r.Again
	if r.Source != nil {
		l.Name, l.Making = "", r.IndexOrder
	}
	r.finish = l.Finish
	l.Start(l.whole, ShowRest, func(ctx context.Context) Loaded {
		l.atWork.Lock()
		defer l.atWork.Unlock()
		return loadFirst(ctx, r, l.open)
	})
}

// Take returns the result of a request, if there is one. It drops the scene of a request
// that was cancelled or overtaken, and starts the request that waits.
func (l *Loader) Take() (Loaded, bool) {
	result, taken := l.Job.Take()
	if !taken {
		return Loaded{}, false
	}
	if result.Scene == nil {
		result.Source = nil // not opened, or released
	}
	if l.GivenUp {
		result.Refused = nil
	}
	if l.GivenUp || l.waiting != nil {
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
}

// Waiting reports whether a request waits for the current one to end.
func (l *Loader) Waiting() bool { return l.waiting != nil }

// GiveUp cancels the current request, drops its result, and forgets the waiting request.
// It reports whether there was anything to give up.
func (l *Loader) GiveUp() bool {
	waited := l.Waiting()
	l.waiting = nil
	return l.Job.GiveUp() || waited
}

// Close cancels all work for good, and waits for it to end, CloseRest at most. Any goroutine may call it.
func (l *Loader) Close() {
	l.quit(progress.ErrUnwanted)
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

// FileOrder names the order of indices in the file.
const FileOrder = "original"

// TurnOrder returns the registered order that is `step` places after `name`, wrapping around. It keeps the
// suffix for renumbered vertices (order.FetchSuffix), and drops a cache size from the name.
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

// apply brings a scene into the requested index order, if there is one. Then it calls r.finish, if it is set.
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

// reorder handles a request for another order of an open scene.
func reorder(ctx context.Context, r Request) Loaded {
	l := Loaded{Files: r.Files, At: r.Order[0], Source: r.Source, IndexOrder: r.IndexOrder, Reordered: true}
	err := r.Source.Guard(func() (err error) {
		l.Scene, err = r.apply(ctx, r.Source)
		return err
	})
	if err != nil {
		l.Scene = nil
	}
	if err != nil && ctx.Err() == nil {
		l.Refused = []error{err}
	}
	return l
}

// Steps lists the files to try when the user steps away from a position. Their indices begin at position+step and
// continue in the direction of the step, wrapping around; the position itself is left out.
func Steps(position, step, count int) []int {
	direction := min(max(step, -1), 1)
	var order []int
	for i := range count {
		if at := ((position+step+i*direction)%count + count) % count; direction != 0 && at != position {
			order = append(order, at)
		}
	}
	return order
}

const maxOrderBytes = 1 << 30 // bounds the memory of kept orders; the last two are kept even if they take more

// Orders caches the orders of one scene, so that each is made once.
type Orders struct {
	source *geometry.Scene
	kept   []keptOrder // least recently used first
}

type keptOrder struct {
	name  string
	scene *geometry.Scene
}

// Get returns the source's scene in the named order; nil if it is not kept.
func (c *Orders) Get(source *geometry.Scene, name string) *geometry.Scene {
	if source != c.source || source == nil {
		return nil
	}
	i := slices.IndexFunc(c.kept, func(k keptOrder) bool { return k.name == name })
	if i < 0 {
		return nil
	}
	found := c.kept[i]
	c.kept = append(slices.Delete(c.kept, i, i+1), found)
	return found.scene
}

// Put keeps the source's scene in the named order, and evicts the least recently used orders if they take too much memory.
// If the source is new, it first drops the orders of the previous source.
func (c *Orders) Put(source *geometry.Scene, name string, scene *geometry.Scene) {
	if source != c.source {
		c.source, c.kept = source, nil
	}
	c.kept = slices.DeleteFunc(c.kept, func(k keptOrder) bool { return k.name == name })
	c.kept = append(c.kept, keptOrder{name, scene})
	const least = 2 // one order for each side of a comparison
	for len(c.kept) > least && c.bytes() > maxOrderBytes {
		c.kept = slices.Delete(c.kept, 0, 1)
	}
}

func (c *Orders) bytes() (sum int64) {
	for _, k := range c.kept {
		sum += k.scene.Bytes() + 4*int64(len(k.scene.Origin))
	}
	return sum
}
