package main

import (
	"slices"
	"sort"
	"sync/atomic"
	"time"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

const (
	// searchTime bounds the search of one draw: some hundred million indices.
	searchTime = 2 * time.Second
	// searchedAtOnce bounds the indices of draws that are searched in the frame loop.
	searchedAtOnce = 1 << 20
)

// batchSearch finds what batches a hit is of, in a long draw, or where the plan keeps
// none, since the device takes the scene in windows: those are cut anew, those of the
// draw, one after the other in constant memory.
type batchSearch struct {
	plan *plan.Plan
	hit  hit
	stop atomic.Bool

	// What was found, once done is set on the frame's thread.
	done   bool
	holder reuse.Batch // that has the triangle
	number int         // of it in the stream
	uses   []batchUse  // the first batches that shaded the vertex
	more   int         // and how many others
	whole  bool        // the draw was searched to its end
}

// run searches, for no longer than so. What it reads are the indices of the draw,
// and at most a window's before it.
func (s *batchSearch) run(limit time.Duration) {
	end := time.Now().Add(limit)
	first := s.firstTriangle()
	target := uint32(first + s.hit.triangle)
	next, number := s.from(int(target))
	for b, ok := next(); ok && !s.stop.Load(); b, ok = next() {
		if target < b.FirstTriangle+b.IndexCount/3 {
			s.holder, s.number = b, number
			break
		}
		number++
	}
	f := &s.plan.Frame
	next, number = s.from(first)
	for steps := 1; ; steps++ {
		b, ok := next()
		if !ok || int(b.Draw) > s.hit.draw {
			s.whole = true
			return
		}
		if int(b.Draw) == s.hit.draw {
			s.look(f, b, number)
		}
		number++
		if s.stop.Load() || steps%64 == 0 && time.Now().After(end) {
			return
		}
	}
}

// look takes note of a batch that shaded the vertex.
func (s *batchSearch) look(f *renderer.Frame, b reuse.Batch, number int) {
	indices := indicesOf(s.plan, b)
	if !slices.Contains(indices, s.hit.vertex()) {
		return
	}
	if len(s.uses) == mostUses {
		s.more++
		return
	}
	s.uses = append(s.uses, batchUse{number, timesIn(f, indices, s.hit.vertex())})
}

// String says what is known by now.
func (s *batchSearch) String() string {
	switch {
	case !s.done:
		return "its batches are looked for"
	case !s.whole && len(s.uses) == 0:
		return "its batches were not found in time: the draw is long"
	case !s.whole:
		return describeUses(s.uses, s.more) + ", so far: the draw is long"
	}
	return describeUses(s.uses, s.more)
}

// firstTriangle is where the draw begins in the stream.
func (s *batchSearch) firstTriangle() (n int) {
	for _, d := range s.plan.Frame.Scene.Draws[:s.hit.draw] {
		n += int(d.IndexCount) / 3
	}
	return n
}

// from are the batches from one of that number on: the one that has a triangle of the
// stream, or in windows the first of the window that has it.
func (s *batchSearch) from(triangle int) (next func() (reuse.Batch, bool), number int) {
	p := s.plan
	if !p.Windowed() {
		number = max(0, sort.Search(len(p.Batches), func(i int) bool { return int(p.Batches[i].FirstTriangle) > triangle })-1)
		rest := p.Batches[number:]
		return func() (b reuse.Batch, ok bool) {
			if len(rest) == 0 {
				return b, false
			}
			b, rest = rest[0], rest[1:]
			return b, true
		}, number
	}
	w := &p.Windows[max(0, sort.Search(len(p.Windows), func(i int) bool { return p.Windows[i].FirstTriangle > triangle })-1)]
	cut := reuse.NewCutter(p.Frame.Scene, p.Frame.Reuse)
	cut.Seek(w.FirstTriangle)
	return cut.Next, w.FirstBatch
}

// searcher searches beside the frame loop, for what was asked for last.
type searcher struct {
	wake    func()
	limit   time.Duration
	results chan *batchSearch
	hovered *batchSearch // what lies under the cursor
	clicked *batchSearch // what is to be selected; nil once it is
	chosen  selection    // that it becomes
}

func newSearcher(wake func()) *searcher {
	return &searcher{wake: wake, limit: searchTime, results: make(chan *batchSearch, 1)}
}

// hover is the search for a hit under the cursor, which this begins unless it is
// under way or done; what was searched for before is given up.
func (r *searcher) hover(v *surveyor, p *plan.Plan, h hit) *batchSearch {
	for _, s := range []*batchSearch{r.hovered, r.clicked} {
		if s != nil && s.plan == p && s.hit == h {
			r.hovered = s
			return s
		}
	}
	if r.hovered != r.clicked {
		r.hovered.giveUp()
	}
	r.hovered = r.begin(v, p, h)
	return r.hovered
}

// click is the same for a hit whose batch is to be selected.
func (r *searcher) click(v *surveyor, h hit, chosen selection) *batchSearch {
	r.unclick()
	r.clicked, r.chosen = r.hover(v, chosen.plan, h), chosen
	return r.clicked
}

// unclick forgets the click.
func (r *searcher) unclick() {
	if r.clicked != r.hovered {
		r.clicked.giveUp()
	}
	r.clicked, r.chosen = nil, selection{}
}

func (r *searcher) begin(v *surveyor, p *plan.Plan, h hit) *batchSearch {
	s := &batchSearch{plan: p, hit: h}
	v.hold() // the scene is read
	go func() {
		s.run(r.limit)
		r.results <- s
		r.wake()
	}()
	return s
}

func (s *batchSearch) giveUp() {
	if s != nil {
		s.stop.Store(true)
	}
}

// take takes what was found and gives up what is of none of the plans. It reports
// whether a search is done since.
func (r *searcher) take(v *surveyor, plans ...*plan.Plan) (done bool) {
	gone := func(s *batchSearch) bool { return s != nil && !slices.Contains(plans, s.plan) }
	if gone(r.clicked) {
		r.unclick()
	}
	if gone(r.hovered) {
		r.hovered.giveUp()
		r.hovered = nil
	}
	for {
		select {
		case s := <-r.results:
			v.letGo()
			s.done = true
			done = done || s == r.hovered || s == r.clicked
		default:
			return done
		}
	}
}

// selectBatch selects the batch of a hit. Where the plan keeps no batches that
// happens once it is found.
func (a *app) selectBatch(d *side, p *picker, h hit) {
	chosen := selection{plan: d.plan, scene: p.scene, right: d == &a.right}
	if !d.plan.Windowed() {
		if n := batchOf(d.plan, h.draw, h.triangle); n >= 0 {
			a.selection = chosen.of(n, d.plan.Batches[n])
		}
		return
	}
	a.searcher.click(a.surveyor, h, chosen)
	a.takeClicked()
}

// takeClicked selects the batch that was clicked, once it is found.
func (a *app) takeClicked() {
	if r := a.searcher; r.clicked != nil && r.clicked.done {
		a.selection = r.chosen.of(r.clicked.number, r.clicked.holder)
		r.unclick()
	}
}

// followSearch shows what a search found: behind the vertex under the cursor, and of
// the batch that was clicked.
func (a *app) followSearch() {
	if !a.searcher.take(a.surveyor, a.plan, a.right.plan) {
		return
	}
	if h := &a.hover; h.text != nil && h.scene != nil && h.plan == h.side.plan {
		h.text = a.describeHit(h.side, &h.found)
	}
	a.unshown, a.rest = true, guiRest
	a.takeClicked()
}
