package measure

import (
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
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
	chosen, why := plan.Choose(f, b.Limits())
	f.Reuse = chosen.Reuse // the batch, too, depends on the whole scene
	counted, err := countShapes(b, f)
	if err != nil {
		return nil, nil, err
	}
	stats := reuse.ShapeStats(f.Scene, counted.Counts)
	out, p, err := plan.Render(b, seen(f, camera, counted.Counts), camera, want)
	if err != nil {
		return nil, nil, err
	}
	p.Choice.Strategy = why.Strategy
	out.Stats = stats
	for _, t := range counted.Timings {
		if name, ok := strings.CutPrefix(t.Pass, "geometry:"); ok {
			out.AddTime("count:"+name, t.Duration)
		}
	}
	return out, p, nil
}

// countShapes counts the first draw of each shape.
func countShapes(b plan.Backend, f renderer.Frame) (*renderer.Output, error) {
	f.Scene, f.Marks, f.NoRaster, f.Load = reuse.Shapes(f.Scene), nil, true, 0
	out, _, err := plan.Render(b, f, renderer.CountCamera(f.Scene.Bounds()), renderer.WantCounts)
	return out, err
}

// seen returns a frame of what the camera sees, with counts by shape. If vertex shaders move
// vertices, or the picture shows batch numbers, it contains everything.
func seen(f renderer.Frame, camera renderer.Camera, counts []uint32) renderer.Frame {
	whole, marks := f.Scene, f.Marks
	offsets, _ := reuse.ShapeOffsets(whole)
	var draws []int
	all := f.View == renderer.Batches || f.VertexShader != renderer.Transform || whole.Capture != nil
	aspect := float32(f.Width) / float32(f.Height)
	for i, box := range whole.DrawBoxes() {
		if all || camera.Sees(box, &whole.Draws[i].Transform, aspect) {
			draws = append(draws, i)
		}
	}
	if len(draws) == 0 {
		draws = []int{slices.IndexFunc(whole.Draws, func(d geometry.Draw) bool { return d.IndexCount > 0 })} // a frame must draw something
	}
	f.Scene = whole.Only(draws)
	if marks != nil {
		f.Marks = nil
	}
	own, total := reuse.ShapeOffsets(f.Scene)
	filled := uint32(0)
	f.Shown, f.ShownByShape = make([]uint32, total), true
	for k, i := range draws {
		if marks != nil {
			f.Marks = append(f.Marks, marks[i])
		}
		if own[k] == filled { // the first of its shape
			filled += uint32(copy(f.Shown[filled:][:whole.Draws[i].VertexCount], counts[offsets[i]:]))
		}
	}
	return f
}
