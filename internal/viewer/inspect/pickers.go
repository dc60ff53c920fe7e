package inspect

import (
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

const (
	// maxMovedVertices bounds the number of vertices that are computed for a Picker. It keeps 12 bytes
	// for each of them, and needs as much again while it is made.
	maxMovedVertices = 1 << 26
	// pickedAtOnce is the largest number of triangles for which the caller waits until the boxes
	// are made.
	pickedAtOnce = 1 << 18
)

// Pickers makes and keeps the pickers of plans. For large scenes, and for scenes whose vertices a
// vertex shader moves, it makes them in the background, one at a time. The CPU reference computes
// where the vertex shader moves vertices, as the device does.
type Pickers struct {
	background[madePicker]
	small *Picker // made while the caller waits
	busy  *making
	kept  map[pickerKey]*Picker
}

// pickerKey holds everything that the positions of vertices depend on.
type pickerKey struct {
	scene  *geometry.Scene
	shader renderer.VertexShader
}

func keyOf(p *plan.Plan) pickerKey { return pickerKey{p.Frame.Scene, p.Frame.VertexShader} }

type madePicker struct {
	key    pickerKey
	picker *Picker // nil if it was cancelled
}

type making struct {
	key  pickerKey
	stop atomic.Bool
}

// NewPickers returns Pickers that call wake, on another goroutine, when a picker is made.
func NewPickers(k *Keeper, wake func()) *Pickers {
	return &Pickers{background: newBackground[madePicker](k, wake), kept: map[pickerKey]*Picker{}}
}

// Followable reports whether a plan can have a Picker: its vertices are drawn at the scene's positions,
// or the reference can compute their positions and there are at most maxMovedVertices of them. In a
// captured frame's scene the positions are the results of the frame's own vertex shaders.
func Followable(p *plan.Plan) bool {
	moved, known := soft.MovedCount(&p.Frame)
	return known && moved <= maxMovedVertices
}

// WhyNotFollowed says why a plan is not Followable. It returns "" for a vertex shader from a file, since a
// text each time the cursor rests would be in the way.
func WhyNotFollowed(p *plan.Plan) string {
	moved, known := soft.MovedCount(&p.Frame)
	switch {
	case !known:
		return ""
	case p.Frame.VertexShader != renderer.Transform:
		return fmt.Sprintf("%s vertices that %s moves are too many to be followed", Thousands(moved), p.Frame.VertexShader)
	}
	return Thousands(moved) + " vertices that are computed while they are drawn are too many to be followed"
}

// Take stores a finished picker, and drops or cancels pickers that none of the plans needs. It reports
// whether a picker was finished or cancelled since the last call.
func (m *Pickers) Take(plans ...*plan.Plan) (ended bool) {
	needed := func(k pickerKey) bool {
		return slices.ContainsFunc(plans, func(p *plan.Plan) bool { return p != nil && keyOf(p) == k })
	}
	if made, ok := m.take(); ok {
		m.busy, ended = nil, true
		if made.picker != nil {
			m.kept[made.key] = made.picker
		}
	}
	maps.DeleteFunc(m.kept, func(k pickerKey, _ *Picker) bool { return !needed(k) })
	if m.busy != nil && !needed(m.busy.key) {
		m.busy.stop.Store(true)
	}
	return ended
}

// Of returns the picker of a plan's scene; nil if it is not ready. Unless m is busy with another
// picker, Of then starts to make this one.
func (m *Pickers) Of(p *plan.Plan) *Picker {
	picker := m.of(p)
	if picker != nil {
		picker.marks = p.Frame.Marks
	}
	return picker
}

func (m *Pickers) of(p *plan.Plan) *Picker {
	if moved, _ := soft.MovedCount(&p.Frame); moved == 0 && p.Frame.Scene.Triangles() <= pickedAtOnce {
		if m.small == nil || m.small.Scene != p.Frame.Scene {
			m.small = NewPicker(p.Frame.Scene)
		}
		return m.small
	}
	key := keyOf(p)
	if picker := m.kept[key]; picker != nil || m.busy != nil {
		return picker // if m is busy, the caller asks again when it is done
	}
	job := &making{key: key}
	m.busy = job
	m.start(key.scene, madePicker{key: key}, func() madePicker {
		scene := soft.Placed(p, &job.stop)
		if scene == nil {
			return madePicker{key: key}
		}
		return madePicker{key, NewPicker(scene)}
	})
	return nil
}

// Keeper releases scenes that are no longer shown. Since a scene may lie in a mapped file, it waits until no background
// work reads any scene. All methods of Keeper, Pickers, Searches and Surveys must be called on one goroutine.
type Keeper struct {
	readers int
	retired []*geometry.Scene
}

// Retire releases a scene as soon as nothing in the background reads any scene. The scene may be nil.
func (k *Keeper) Retire(scene *geometry.Scene) {
	if scene != nil {
		k.retired = append(k.retired, scene)
	}
	k.release()
}

// Hold prevents the release of all scenes until LetGo has been called once for each Hold.
func (k *Keeper) Hold() { k.readers++ }

// LetGo ends one Hold. It releases retired scenes if no other Hold is left.
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

// background runs functions that read scenes, each in a goroutine of its own, and collects their results.
type background[T any] struct {
	keeper  *Keeper
	wake    func() // called in the function's goroutine when its result is there
	results chan T
}

func newBackground[T any](k *Keeper, wake func()) background[T] {
	return background[T]{keeper: k, wake: wake, results: make(chan T, 1)}
}

// start runs `work`, which reads scene s. If the scene's file is lost or changed meanwhile, the result is `otherwise`.
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

// take returns a result, if there is one.
func (b *background[T]) take() (result T, ok bool) {
	select {
	case result = <-b.results:
		b.keeper.LetGo()
		return result, true
	default:
		return result, false
	}
}

// Searches finds batches in the background, for the hit under the cursor and for the clicked hit.
type Searches struct {
	background[*Search]
	Limit   time.Duration // time after which a search ends with the batches found so far
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
	err := p.Frame.Scene.Guard(func() error {
		text = describeUses(BatchesOf(p, h.Draw, h.Vertex()), 0)
		return nil
	})
	if err != nil {
		return err.Error()
	}
	return text
}

// TakesLong reports whether finding the batches of a draw's vertices needs a search.
func TakesLong(p *plan.Plan, draw int) bool {
	return p.Batches == nil || p.Frame.Scene.Draws[draw].IndexCount > searchedAtOnce
}

// hover returns the search for a hit under the cursor: an existing one for this hit, or a new one. A new search
// cancels the previous one, unless the previous one is for the clicked hit.
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

// Click searches for the batches of a clicked hit. This search continues when the cursor moves.
func (r *Searches) Click(p *plan.Plan, h Hit) {
	r.Unclick()
	r.clicked = r.hover(p, h)
}

// Clicked returns the search for the clicked hit, or nil.
func (r *Searches) Clicked() *Search { return r.clicked }

// Unclick forgets the clicked hit. It cancels the hit's search unless the cursor is on the same hit.
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

// Take collects the results of ended searches, and cancels searches whose plan is not among `plans`. It reports whether
// a search has ended since the last call.
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

// Survey identifies a scene and how it is shaded.
type Survey struct {
	Scene  *geometry.Scene
	Config reuse.Config
}

// SurveyOf returns the survey of a plan's scene and strategy.
func SurveyOf(p *plan.Plan) Survey { return Survey{p.Frame.Scene, p.Frame.Reuse} }

// Surveyed is a survey's result: the statistics of all draws together, and the counts of each draw.
type Surveyed struct {
	reuse.Stats
	Draws []reuse.DrawSum
}

// Surveys count in the background how often a scene's vertices are shaded and how many lanes had a vertex to
// shade. They use the CPU reference: only it knows the lanes. One survey runs at a time.
type Surveys struct {
	background[survey]
	busy bool
	done map[Survey]Surveyed
}

type survey struct {
	of    Survey
	found Surveyed
}

// NewSurveys returns Surveys that call wake, on another goroutine, when a survey has ended.
func NewSurveys(k *Keeper, wake func()) *Surveys {
	return &Surveys{background: newBackground[survey](k, wake), done: map[Survey]Surveyed{}}
}

// Follow stores a finished survey, drops unwanted ones and, if none is running, starts the first wanted
// survey that is missing. It reports whether a wanted survey has finished.
func (s *Surveys) Follow(wanted ...Survey) (found bool) {
	if l, ok := s.take(); ok {
		s.busy, s.done[l.of] = false, l.found
		found = slices.Contains(wanted, l.of)
	}
	maps.DeleteFunc(s.done, func(of Survey, _ Surveyed) bool { return !slices.Contains(wanted, of) })
	for _, of := range wanted {
		if _, known := s.done[of]; s.busy || known {
			continue
		}
		s.busy = true
		s.start(of.Scene, survey{of, Surveyed{Draws: make([]reuse.DrawSum, len(of.Scene.Draws))}}, func() survey {
			stats, draws, _ := reuse.Summarize(of.Scene, of.Config) // cannot fail, since the scene and the strategy have been drawn
			return survey{of, Surveyed{stats, draws}}
		})
	}
	return found
}

// Get returns a survey's result, and false if it is not known yet.
func (s *Surveys) Get(of Survey) (Surveyed, bool) {
	found, ok := s.done[of]
	return found, ok
}
