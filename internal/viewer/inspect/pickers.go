package inspect

import (
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

const (
	// maxMovedVertices limits scenes whose vertices a vertex shader moves: a Picker keeps 12 bytes
	// for each vertex, and needs as much again while it is made.
	maxMovedVertices = 1 << 26
	// pickedAtOnce is the largest number of triangles for which the caller waits until the boxes
	// are made.
	pickedAtOnce = 1 << 18
)

// Pickers makes and keeps the pickers of plans. For large scenes, and for scenes whose vertices a
// vertex shader moves, it makes them in the background, one at a time. The reference computes
// where vertices are moved to, as the device does.
type Pickers struct {
	background[madePicker]
	small *Picker // made while the caller waits
	busy  *making
	kept  map[pickerKey]*Picker
}

// pickerKey holds what the places of vertices depend on.
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

// Followable reports whether a plan can have a Picker: its vertices are few enough, and either
// lie where the scene has them or are moved by the reference. A captured frame's own vertex
// shaders place them where the scene has them.
func Followable(p *plan.Plan) bool {
	moved, known := soft.MovedCount(&p.Frame)
	return known && moved <= maxMovedVertices
}

// WhyNotFollowed says why a plan is not Followable. It is empty for a vertex shader from a file:
// a text wherever the cursor rests would only be in the way.
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

// Take takes a picker that was made, forgets pickers that no plan needs any more, and cancels
// making them. It reports whether making one has ended.
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

// Of returns the picker of what a plan draws. If there is none yet, it starts to make one and
// returns nil.
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
		return picker // the caller asks again once the busy one has ended
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
