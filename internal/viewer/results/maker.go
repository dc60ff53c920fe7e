package results

import (
	"context"
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// Maker makes results in the background, one request at a time, and keeps the latest. All its
// methods are called on one goroutine. The zero Maker holds and makes nothing.
type Maker struct {
	progress.Job[answer]
	Now Request // the running request

	keeper Keeper
	kept   []*Result // least recently used first
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

// keptResults is how many results are kept, for both sides of a comparison, now and before.
// keptMade is how many of the parts that several strategies share are kept.
const (
	keptResults = 24
	keptMade    = 3
)

// NewMaker returns a Maker that calls wake, on another goroutine, when there is a result.
func NewMaker(wake func(), keeper Keeper) Maker {
	return Maker{Job: progress.NewJob[answer](wake), keeper: keeper}
}

// Get returns a result; nil if it is not kept.
func (m *Maker) Get(r Request) *Result {
	i := slices.IndexFunc(m.kept, func(k *Result) bool { return k.key() == r.key() })
	if i < 0 {
		return nil
	}
	found := m.kept[i]
	m.kept = append(slices.Delete(m.kept, i, i+1), found)
	return found
}

// Follow starts the first wanted request that has no result. If a request is running, Follow
// starts none, and cancels that one if it is not wanted. wake is also called once work has
// taken as long as rest, so that the viewer shows its progress.
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
		from := m.begun(r)
		m.keeper.Hold()
		m.Now = r
		m.Start(context.Background(), rest, func(ctx context.Context) answer {
			result, err := r.do(ctx, from)
			return answer{result, err}
		})
		return
	}
}

// begun returns the kept result from which a request can continue with the least work; nil if there
// is none.
func (m *Maker) begun(r Request) (best *made) {
	for _, k := range m.kept {
		if b := k.made; b != nil && b.of == r.Scene && b.choice.before(r.Choice.own()) && (best == nil || best.choice.before(b.choice)) {
			best = b
		}
	}
	return best
}

// Take returns the result of the running request, if it is done, and keeps it. The error says why
// there is no result; it is nil for a cancelled request.
func (m *Maker) Take() (err error, taken bool) {
	a, taken := m.Job.Take()
	if !taken {
		return nil, false
	}
	m.keeper.LetGo()
	switch {
	case a.err == nil:
		m.keep(a.result)
	case !m.GivenUp:
		return a.err, true
	}
	return nil, true
}

// keep keeps a result and evicts the least recently used ones.
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
func (m *Maker) Forget() { m.kept = nil }
