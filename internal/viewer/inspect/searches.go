package inspect

import (
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/internal/renderer/plan"
)

// Searches finds batches in the background, for the hit under the cursor and for the clicked hit.
type Searches struct {
	background[*Search]
	Limit   time.Duration // of a search, which then returns what it has found so far
	hovered *Search
	clicked *Search
}

// NewSearches returns Searches that call wake, on another goroutine, when a search has ended.
func NewSearches(k *Keeper, wake func()) *Searches {
	return &Searches{background: newBackground[*Search](k, wake), Limit: searchTime}
}

// Describe says which batches are known to have shaded the vertex of a hit. If finding them takes
// long, it starts a search.
func (r *Searches) Describe(p *plan.Plan, h Hit) string {
	switch {
	case p.Batchless() != "":
		return "by no batch: " + p.Batchless()
	case TakesLong(p, h.Draw):
		return r.hover(p, h).String()
	}
	text := ""
	if err := p.Frame.Scene.Guard(func() error {
		text = describeUses(BatchesOf(p, h.Draw, h.Vertex()), 0)
		return nil
	}); err != nil {
		return err.Error()
	}
	return text
}

// TakesLong reports whether finding the batches of a draw's vertices needs a search.
func TakesLong(p *plan.Plan, draw int) bool {
	return p.Batches == nil || p.Frame.Scene.Draws[draw].IndexCount > searchedAtOnce
}

// hover returns the search for a hit under the cursor. It starts one unless there is one for this
// hit, and cancels the search for the hit before.
func (r *Searches) hover(p *plan.Plan, h Hit) *Search {
	for _, s := range []*Search{r.hovered, r.clicked} {
		if s != nil && s.plan == p && s.hit == h {
			r.hovered = s
			return s
		}
	}
	if r.hovered != r.clicked {
		r.hovered.giveUp()
	}
	s := &Search{plan: p, hit: h}
	r.start(p.Frame.Scene, s, func() *Search {
		s.run(r.Limit)
		return s
	})
	r.hovered = s
	return s
}

// Click searches for a clicked hit. This search continues when the cursor moves.
func (r *Searches) Click(p *plan.Plan, h Hit) {
	r.Unclick()
	r.clicked = r.hover(p, h)
}

// Clicked returns the search for the clicked hit, or nil.
func (r *Searches) Clicked() *Search { return r.clicked }

// Unclick forgets the click.
func (r *Searches) Unclick() {
	if r.clicked != r.hovered {
		r.clicked.giveUp()
	}
	r.clicked = nil
}

func (s *Search) giveUp() {
	if s != nil {
		s.stop.Store(true)
	}
}

// Take takes results, and cancels searches in other plans. It reports whether a search has ended
// since the last call.
func (r *Searches) Take(plans ...*plan.Plan) (done bool) {
	gone := func(s *Search) bool { return s != nil && !slices.Contains(plans, s.plan) }
	if gone(r.clicked) {
		r.Unclick()
	}
	if gone(r.hovered) {
		r.hovered.giveUp()
		r.hovered = nil
	}
	for s, ok := r.take(); ok; s, ok = r.take() {
		s.Done = true
		done = done || s == r.hovered || s == r.clicked
	}
	return done
}
