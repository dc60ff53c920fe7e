package main

import (
	"fmt"
	"image"
	"slices"
	"sync/atomic"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// maxMovedVertices bounds what is kept of moved vertices: 12 bytes each, and as much
// again while they are found.
const maxMovedVertices = 1 << 26

// mover makes pickers beside the frame loop: of large scenes, and of those whose
// vertices a vertex shader moves. Where to is the reference's to say, which computes
// what the device does.
type mover struct {
	wake    func()
	results chan movedScene
	busy    *moving
	kept    []movedScene // of the sides that are shown
	click   *waitingClick
}

// waitingClick is a click that came before its picker was made.
type waitingClick struct {
	at     image.Point
	camera renderer.Camera
}

// movedKey is what places depend on.
type movedKey struct {
	scene  *geometry.Scene
	shader renderer.VertexShader
}

func keyOf(p *plan.Plan) movedKey { return movedKey{p.Frame.Scene, p.Frame.VertexShader} }

type movedScene struct {
	key    movedKey
	picker *picker // nil where it was given up
}

type moving struct {
	key  movedKey
	stop atomic.Bool
}

func newMover(wake func()) *mover { return &mover{wake: wake, results: make(chan movedScene, 1)} }

// take takes what was found, keeps no more than the plans need, and gives up what
// none needs any more. It reports whether anything came to an end.
func (m *mover) take(s *surveyor, plans ...*plan.Plan) (ended bool) {
	needed := func(k movedKey) bool {
		return slices.ContainsFunc(plans, func(p *plan.Plan) bool { return p != nil && keyOf(p) == k })
	}
	select {
	case r := <-m.results:
		m.busy, ended = nil, true
		s.letGo()
		if r.picker != nil {
			m.kept = append(m.kept, r)
		}
	default:
	}
	m.kept = slices.DeleteFunc(m.kept, func(k movedScene) bool { return !needed(k.key) })
	if m.busy != nil && !needed(m.busy.key) {
		m.busy.stop.Store(true)
	}
	return ended
}

// picker is that of what a plan draws; nil where it is being made, which this begins.
func (m *mover) picker(s *surveyor, p *plan.Plan) *picker {
	key := keyOf(p)
	if i := slices.IndexFunc(m.kept, func(k movedScene) bool { return k.key == key }); i >= 0 {
		return m.kept[i].picker
	}
	if m.busy != nil {
		return nil // asked again once that ends
	}
	job := &moving{key: key}
	m.busy = job
	s.hold() // the scene is read
	go func() {
		result := movedScene{key: key}
		if positions := soft.Moved(p, &job.stop); positions != nil {
			scene := *key.scene
			scene.Positions = positions
			result.picker = &picker{}
			result.picker.follow(&scene)
		}
		m.results <- result
		m.wake()
	}()
	return nil
}

// unfollowed says why what a side shows cannot be looked up; empty where it can.
func unfollowed(p *plan.Plan) string {
	if f := &p.Frame; f.VertexShader != renderer.Transform && len(f.Scene.Positions) > maxMovedVertices {
		return fmt.Sprintf("%s vertices that %s moves are too many to be followed", thousands(len(f.Scene.Positions)), f.VertexShader)
	}
	return ""
}

// pickedAtOnce bounds the triangles of scenes whose boxes are made in the frame loop.
const pickedAtOnce = 1 << 18

// pickerOf is what finds what pixels show of a side: at once where vertices stay
// where they are and are few, else nil until it is made.
func (a *app) pickerOf(d *side) *picker {
	if d.plan.Frame.VertexShader == renderer.Transform && d.plan.Frame.Scene.Triangles() <= pickedAtOnce {
		a.picker.follow(d.plan.Frame.Scene)
		return &a.picker
	}
	return a.mover.picker(a.surveyor, d.plan)
}

// followMover has what lies under the cursor looked up again once that can be done,
// and takes a click that waited for it.
func (a *app) followMover(size image.Point) {
	if !a.mover.take(a.surveyor, a.plan, a.right.plan) {
		return
	}
	a.hover.looked = false
	c := a.mover.click
	a.mover.click = nil
	if c != nil && c.camera == a.seen {
		a.clicked(c.at, size)
	}
}
