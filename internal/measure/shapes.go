package measure

import (
	"cmp"
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
	x := inShapes(f, camera, b.Limits())
	counted, _, err := plan.Render(b, x.count, renderer.CountCamera(f.Scene.Bounds()), renderer.WantCounts)
	if err != nil {
		return nil, nil, err
	}
	x.show(counted.Counts)
	out, p, err := plan.Render(b, x.picture, camera, want)
	if err != nil {
		return nil, nil, err
	}
	p.Choice.Strategy = x.why
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
		x := inShapes(f, camera, b.Limits())
		frames, why = []renderer.Frame{x.count, x.picture}, x.why
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

// shapes is a frame in two: one that counts the first draw of each shape, and one that shows
// these counts.
type shapes struct {
	count, picture renderer.Frame
	whole          *geometry.Scene
	draws          []int  // of the whole scene, that are in the picture
	why            string // the strategy was chosen
}

// inShapes returns a picture of what the camera sees, with counts that are still 0. If vertex
// shaders move vertices, or the picture shows batch numbers, it contains everything.
func inShapes(f renderer.Frame, camera renderer.Camera, l renderer.Limits) shapes {
	chosen, why := plan.Choose(f, l)
	f.Reuse = chosen.Reuse // the batch, too, depends on the whole scene
	x := shapes{count: f, picture: f, whole: f.Scene, why: why.Strategy}
	x.count.Scene, x.count.Marks, x.count.NoRaster, x.count.Load = reuse.Shapes(f.Scene), nil, true, 0
	all := f.View == renderer.Batches || f.VertexShader != renderer.Transform || f.Scene.Capture != nil
	aspect := float32(f.Width) / float32(f.Height)
	for i, box := range f.Scene.DrawBoxes() {
		if all || camera.Sees(box, &f.Scene.Draws[i].Transform, aspect) {
			x.draws = append(x.draws, i)
		}
	}
	if len(x.draws) == 0 {
		x.draws = []int{slices.IndexFunc(f.Scene.Draws, func(d geometry.Draw) bool { return d.IndexCount > 0 })} // a frame must draw something
	}
	x.picture.Scene = f.Scene.Only(x.draws)
	if f.Marks != nil {
		x.picture.Marks = nil
		for _, i := range x.draws {
			x.picture.Marks = append(x.picture.Marks, f.Marks[i])
		}
	}
	_, total := reuse.ShapeOffsets(x.picture.Scene)
	x.picture.Shown, x.picture.ShownByShape = make([]uint32, total), true
	return x
}

// show has the picture show the counts of the first draw of each shape.
func (x *shapes) show(counts []uint32) {
	offsets, _ := reuse.ShapeOffsets(x.whole)
	own, _ := reuse.ShapeOffsets(x.picture.Scene)
	filled := uint32(0)
	for k, i := range x.draws {
		if own[k] == filled { // the first of its shape
			filled += uint32(copy(x.picture.Shown[filled:][:x.whole.Draws[i].VertexCount], counts[offsets[i]:]))
		}
	}
}
