package inspect

import (
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/renderer/plan"
)

// Searches finds batches in the background, for the hit under the cursor and for the
// one that was clicked.
type Searches struct {
	background[*Search]
	Limit   time.Duration // of a search, which then tells what it has found so far
	hovered *Search
	clicked *Search
}

// NewSearches returns Searches that call wake, on another goroutine, when one has ended.
func NewSearches(k *Keeper, wake func()) *Searches {
	return &Searches{background: newBackground[*Search](k, wake), Limit: searchTime}
}

// Describe says which batches shaded the vertex of a hit, as far as is known. Where that
// takes long it begins a search.
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

// TakesLong reports whether the batches of a draw's vertices are for a search to find.
func TakesLong(p *plan.Plan, draw int) bool {
	return p.Batches == nil || p.Frame.Scene.Draws[draw].IndexCount > searchedAtOnce
}

// hover returns the search for a hit under the cursor. It begins one unless that is
// under way or done, and gives up the search for what was under the cursor before.
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

// Click does the same for a hit that was clicked. That search goes on when the cursor
// moves.
func (r *Searches) Click(p *plan.Plan, h Hit) {
	r.Unclick()
	r.clicked = r.hover(p, h)
}

// Clicked returns the search for the hit that was clicked; nil for none.
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

// Take takes what was found, and gives up searches in other plans than those. It reports
// whether a search has ended since.
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
