package showing

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/shadeonce/shadeonce/internal/progress"
)

// Maker makes results in the background, one request at a time, and keeps the last ones.
// All its methods are called on one goroutine. A nil Maker has nothing, and nothing to do.
type Maker struct {
	Busy bool    // with a request, though it may have been given up
	Now  Request // the one under way

	since   time.Time
	givenUp bool
	share   *atomic.Uint64 // how much of it is done, as the bits of a float64
	stop    context.CancelCauseFunc
	answers chan answer
	wake    func()
	keeper  Keeper

	kept []*Result // the one used last at the end
}

// Keeper keeps scenes from being released while one is read.
type Keeper interface {
	Hold()
	LetGo()
}

type answer struct {
	result *Result
	err    error
}

// keptResults is how many results are kept, and keptMade how many of what several
// strategies share: both sides of a comparison, and before them.
const (
	keptResults = 24
	keptMade    = 3
)

// errUnwanted is why work is cancelled.
var errUnwanted = errors.New("not wanted any more")

// NewMaker returns a Maker that calls wake, on another goroutine, when there is a result.
func NewMaker(wake func(), keeper Keeper) *Maker {
	return &Maker{wake: wake, keeper: keeper, answers: make(chan answer, 1)}
}

// Get returns a result; nil where it was not made.
func (m *Maker) Get(r Request) *Result {
	if m == nil {
		return nil
	}
	i := slices.IndexFunc(m.kept, func(k *Result) bool { return k.key() == r.key() })
	if i < 0 {
		return nil
	}
	found := m.kept[i]
	m.kept = append(slices.Delete(m.kept, i, i+1), found)
	return found
}

// Follow has the first of the wanted requests made that has no result, and cancels what
// is under way and not wanted. wake is called too once work has taken as long as rest, so
// that it is shown.
func (m *Maker) Follow(rest time.Duration, wanted ...Request) {
	if m.Busy {
		if !slices.ContainsFunc(wanted, func(r Request) bool { return r.key() == m.Now.key() }) {
			m.GiveUp()
		}
		return
	}
	for _, r := range wanted {
		if m.Get(r) != nil {
			continue
		}
		ctx, stop := context.WithCancelCause(context.Background())
		share := new(atomic.Uint64)
		m.Busy, m.Now, m.since, m.givenUp, m.share, m.stop = true, r, time.Now(), false, share, stop
		ctx = progress.With(ctx, func(done float64) { share.Store(math.Float64bits(done)) })
		from := m.begun(r)
		m.keeper.Hold()
		time.AfterFunc(rest, m.wake)
		go func() {
			result, err := r.do(ctx, from)
			m.answers <- answer{result, err}
			m.wake()
		}()
		return
	}
}

// begun is the most that was made of what a request asks for; nil for nothing.
func (m *Maker) begun(r Request) (best *made) {
	for _, k := range m.kept {
		if b := k.made; b != nil && b.of == r.Scene && b.choice.before(r.Choice.own()) && (best == nil || best.choice.before(b.choice)) {
			best = b
		}
	}
	return best
}

// Take takes the result of the request under way, where there is one, and keeps it. The
// error says why there is none; it is nil for a request that was given up.
func (m *Maker) Take() (err error, taken bool) {
	select {
	case a := <-m.answers:
		m.Busy = false
		m.stop(nil)
		m.keeper.LetGo()
		if a.err != nil {
			if m.givenUp {
				a.err = nil
			}
			return a.err, true
		}
		m.keep(a.result)
		return nil, true
	default:
		return nil, false
	}
}

// keep keeps a result. Those not used for longest make room.
func (m *Maker) keep(r *Result) {
	m.kept = append(m.kept, r)
	var shared []*made
	from := len(m.kept)
	for from > 0 && len(m.kept)-from < keptResults {
		b := m.kept[from-1].made
		if !slices.Contains(shared, b) {
			if len(shared) == keptMade {
				break
			}
			shared = append(shared, b)
		}
		from--
	}
	m.kept = slices.Delete(m.kept, 0, from)
}

// Forget drops all results.
func (m *Maker) Forget() {
	if m != nil {
		m.kept = nil
	}
}

// GiveUp cancels what is under way. It reports whether there was anything to give up.
func (m *Maker) GiveUp() bool {
	if m == nil || !m.Busy || m.givenUp {
		return false
	}
	m.givenUp = true
	m.stop(errUnwanted)
	return true
}

// BusyFor returns how long the request has been under way; 0 where none is, or it was
// given up.
func (m *Maker) BusyFor() time.Duration {
	if m == nil || !m.Busy || m.givenUp {
		return 0
	}
	return time.Since(m.since)
}

// Done returns how much of the work is done, from 0 to 1; 0 where that is not known.
func (m *Maker) Done() float64 {
	if m.BusyFor() == 0 {
		return 0
	}
	return min(max(math.Float64frombits(m.share.Load()), 0), 1)
}
