package measure

import (
	"cmp"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// savedPairs and savedIndices are how much counting by shape must save to be worthwhile.
const (
	savedPairs   = 1 << 22
	savedIndices = 3 << 22
)

// ByShape reports whether RenderByShape suits a frame: its counts must not depend on the camera,
// and it must have many instances. A frame's own vertex shaders belong to its draws, and may move
// each of them differently.
func ByShape(f *renderer.Frame) bool {
	s := f.Scene
	if _, ok := plan.ByShape.Allows(f); !ok {
		return false
	}
	_, pairs := reuse.ShapeOffsets(s)
	return s.DrawVertices()-pairs >= savedPairs || s.IndexStreamLen()-reuse.ShapeIndices(s) >= savedIndices
}

// RenderByShape is plan.Render for a frame with many instances: only those that the camera sees
// take time and memory. Since the counts of instances are equal, the backend counts the first
// draw of each shape, and does not draw what the camera does not see. The output has statistics
// of the whole scene, and no counts.
func RenderByShape(b plan.Backend, f renderer.Frame, camera renderer.Camera, want renderer.Want) (*renderer.Output, *plan.Plan, error) {
	count, shown, draws, why := inShapes(f, camera, b.Limits())
	counted, _, err := plan.Render(b, count, renderer.CountCamera(f.Scene.Bounds()), renderer.WantCounts)
	if err != nil {
		return nil, nil, err
	}
	offsets, _ := reuse.ShapeOffsets(f.Scene)
	own, _ := reuse.ShapeOffsets(shown.Scene)
	filled := uint32(0)
	for k, i := range draws {
		if own[k] == filled { // the first of its shape
			filled += uint32(copy(shown.Shown[filled:][:f.Scene.Draws[i].VertexCount], counted.Counts[offsets[i]:]))
		}
	}
	out, p, err := plan.Render(b, shown, camera, want)
	if err != nil {
		return nil, nil, err
	}
	p.Choice.Strategy = why
	out.Stats = reuse.ShapeStats(f.Scene, counted.Counts)
	for _, t := range counted.Timings {
		if name, ok := strings.CutPrefix(t.Pass, "geometry:"); ok {
			out.AddTime("count:"+name, t.Duration)
		}
	}
	return out, p, nil
}

// Plans are those that a picture takes, in the order in which they are executed: the last
// draws it. Counts that these show are not known yet.
func Plans(b plan.Backend, f renderer.Frame, camera renderer.Camera) (plans []*plan.Plan, err error) {
	frames, why := []renderer.Frame{f}, ""
	if ByShape(&f) {
		count, shown, _, chosen := inShapes(f, camera, b.Limits())
		frames, why = []renderer.Frame{count, shown}, chosen
	}
	for _, f := range frames {
		if f.Raw {
			if direct, err := plan.NewDirect(f.Scene, b.Limits()); err == nil {
				plans = append(plans, direct) // CountHardware executes it
			}
			if f.View == renderer.Counts {
				f.Shown = make([]uint32, f.Scene.DrawVertices())
			}
		}
		p, err := plan.New(f, b.Limits())
		if err != nil {
			return nil, err
		}
		p.Choice.Strategy = cmp.Or(p.Choice.Strategy, why)
		plans = append(plans, p)
	}
	return plans, nil
}

// inShapes makes two frames of one: count is of the first draw of each shape. shown is of the
// draws that the camera sees, with counts by shape that are still 0. If vertex shaders move
// vertices, or the picture shows batch numbers, it contains everything. why is the reason for
// the strategy.
func inShapes(f renderer.Frame, camera renderer.Camera, l renderer.Limits) (count, shown renderer.Frame, draws []int, why string) {
	open := f
	open.ShownByShape = true // rules out some choices
	chosen, choice := plan.Choose(open, l)
	f.Reuse = chosen.Reuse // the batch, too, depends on the whole scene
	count, shown = f, f
	count.Scene, count.Marks, count.NoRaster, count.Load = reuse.Shapes(f.Scene), nil, true, 0
	all := f.View == renderer.Batches || f.VertexShader != renderer.Transform || f.Scene.Capture != nil
	aspect := float32(f.Width) / float32(f.Height)
	for i, box := range f.Scene.DrawBoxes() {
		if all || camera.Sees(box, &f.Scene.Draws[i].Transform, aspect) {
			draws = append(draws, i)
		}
	}
	if len(draws) == 0 {
		draws = []int{slices.IndexFunc(f.Scene.Draws, func(d geometry.Draw) bool { return d.IndexCount > 0 })} // a frame must draw something
	}
	shown.Scene, shown.Marks = f.Scene.Only(draws), nil
	for _, i := range draws {
		if f.Marks != nil {
			shown.Marks = append(shown.Marks, f.Marks[i])
		}
	}
	_, total := reuse.ShapeOffsets(shown.Scene)
	shown.Shown, shown.ShownByShape = make([]uint32, total), true
	return count, shown, draws, choice.Strategy
}
