package format

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/format/internal/replay"
)

// Frames replayed by RenderDoc, as tools/renderdoc/export.py writes them: a GLB
// whose primitives have the clip positions that vertex shaders put out beside
// the positions that they read. A draw's transform follows from both. The
// script's head describes the file.

// gltfFrameVersion is the version of the extras that is read.
const gltfFrameVersion = 1

type (
	gltfFrameExtras struct {
		Frame *gltfFrame `json:"shadeonce"`
	}
	gltfFrame struct {
		Version gltfInt `json:"version"`
		Passes  []struct {
			Width  gltfInt `json:"width"`
			Height gltfInt `json:"height"`
		} `json:"passes"`
		Skipped []struct {
			What  string  `json:"what"`
			Count gltfInt `json:"count"`
		} `json:"skipped"`
	}
	gltfDrawExtras struct {
		Pass        gltfInt   `json:"pass"`
		DepthWrites *bool     `json:"depthWrites"`
		Culls       string    `json:"culls"`
		Window      []float64 `json:"window"`
	}
)

// UnmarshalJSON takes extras of any other file for none: they may be anything.
func (e *gltfFrameExtras) UnmarshalJSON(text []byte) error {
	type plain gltfFrameExtras
	var p plain
	if json.Unmarshal(text, &p) == nil {
		*e = gltfFrameExtras(p)
	}
	return nil
}

// UnmarshalJSON is the same for extras of primitives.
func (e *gltfDrawExtras) UnmarshalJSON(text []byte) error {
	type plain gltfDrawExtras
	var p plain
	if json.Unmarshal(text, &p) == nil {
		*e = gltfDrawExtras(p)
	}
	return nil
}

func (d *gltfDocument) isFrame() bool { return d.Asset.Extras.Frame != nil }

// checkFrame is check for what frames have beside.
func (d *gltfDocument) checkFrame() error {
	f := d.Asset.Extras.Frame
	if f == nil {
		return nil
	}
	if f.Version.n != gltfFrameVersion {
		return gltfBad("frame", "version %v of export.py's, only %d is supported", f.Version, gltfFrameVersion)
	}
	const most, mostPasses = 1 << 20, 1 << 16 // pixels a side
	if len(f.Passes) > mostPasses {
		return gltfBad("frame", "%d passes, at most %d are supported", len(f.Passes), mostPasses)
	}
	for i, p := range f.Passes {
		if p.Width.n < 1 || p.Height.n < 1 || p.Width.n > most || p.Height.n > most {
			return gltfBad(gltfPlace("frame: pass", i), "draws into %v x %v pixels", p.Width, p.Height)
		}
	}
	for i := range d.Meshes {
		for k := range d.Meshes[i].Primitives {
			if err := d.checkFrameDraw(&d.Meshes[i].Primitives[k], gltfPrimitivePlace(i, k)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *gltfDocument) checkFrameDraw(p *gltfPrimitive, place string) error {
	clip := p.Attributes.Clip
	switch {
	case !p.Extras.Pass.in(len(d.Asset.Extras.Frame.Passes)):
		return gltfBad(place, "pass is %v, but there are %d", p.Extras.Pass, len(d.Asset.Extras.Frame.Passes))
	case len(p.Extras.Window) != 6:
		return gltfBad(place, "window has %d numbers, not 6", len(p.Extras.Window))
	case !clip.in(len(d.Accessors)):
		return gltfBad(place+" _CLIP", "accessor is %v, but there are %d", clip, len(d.Accessors))
	case !p.Attributes.Position.set:
		return gltfBad(place, "has clip positions and no positions")
	}
	for _, v := range p.Extras.Window {
		if !(math.Abs(v) < 1e6) {
			return gltfBad(place, "window maps by %g", v)
		}
	}
	a, positions := &d.Accessors[clip.n], &d.Accessors[p.Attributes.Position.n]
	switch {
	case a.Type != "VEC4" || a.ComponentType.n != gltfFloat || a.Sparse != nil:
		return gltfBad(place+" _CLIP", "%q of component type %d (sparse: %t) is not allowed", a.Type, a.ComponentType.n, a.Sparse != nil)
	case a.Count.n != positions.Count.n:
		return gltfBad(place, "%d clip positions for %d positions", a.Count.n, positions.Count.n)
	}
	return nil
}

// primitives are those of the draws, in their order.
func (p *gltfPlan) primitives() []*gltfPrimitive {
	all := make([]*gltfPrimitive, 0, p.drawCount)
	for _, inst := range p.instances {
		for _, part := range p.parts[inst.mesh] {
			all = append(all, &p.doc.Meshes[inst.mesh].Primitives[part.number])
		}
	}
	return all
}

// placeFrame puts all draws of a filled scene where the game had them, as far as
// its frame tells: see Placed.
func (p *gltfPlan) placeFrame(ctx context.Context, s *gltfSource, scene *geometry.Scene) error {
	const drawBytes = 512
	if err := s.budget.charge(p.drawCount, drawBytes, "frame"); err != nil {
		return err
	}
	primitives := p.primitives()
	if err := frameWork(scene, s.budget.seen); err != nil {
		return err
	}
	draws := make([]replay.Draw, len(primitives))
	meshes := map[[2]uint32]int{}
	for i, prim := range primitives {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		d := &scene.Draws[i]
		clip, err := s.vec4(int(prim.Attributes.Clip.n))
		if err != nil {
			return err
		}
		key := [2]uint32{d.VertexOffset, d.FirstIndex}
		mesh, ok := meshes[key]
		if !ok {
			mesh = len(meshes)
			meshes[key] = mesh
		}
		draws[i] = replay.Draw{
			Fit:  replay.Solve(scene.Positions[d.VertexOffset:][:d.VertexCount], clip, scene.DrawIndices(i), replay.Window(prim.Extras.Window)),
			Pass: int(prim.Extras.Pass.n), Mesh: mesh, Triangles: int(d.IndexCount / 3),
		}
	}
	passes := p.doc.Asset.Extras.Frame.Passes
	aspects := make([]float64, len(passes))
	for i := range passes {
		aspects[i] = float64(passes[i].Width.n) / float64(passes[i].Height.n)
	}
	frame := replay.NewFrame(draws, aspects)
	if frame == nil {
		return gltfBad("frame", "of its %d draws none tells where it stands: no vertex shader is linear", len(draws))
	}
	if err := p.moveDraws(s, scene, frame, draws, primitives); err != nil {
		return err
	}
	scene.Frame, scene.View = true, &frame.View
	scene.Skipped = p.doc.frameNotes(scene)
	return nil
}

// frameWork refuses files whose draws name the same vertices over and over: each
// time they would be fitted anew.
func frameWork(scene *geometry.Scene, bytes int64) error {
	limit, work := 16<<20+2*bytes, int64(0)
	for i := range scene.Draws {
		work += int64(scene.Draws[i].VertexCount) + int64(scene.Draws[i].IndexCount)
	}
	if work > limit {
		return gltfBad("frame", "its draws have %d vertices and indices in all, too many for a file of this size", work)
	}
	return nil
}

// moveDraws sets the draws' transforms, and gives those that keep the positions
// of the capture vertices of their own.
func (p *gltfPlan) moveDraws(s *gltfSource, scene *geometry.Scene, frame *replay.Frame, draws []replay.Draw, primitives []*gltfPrimitive) error {
	through := seenThrough(draws, primitives)
	for i := range draws {
		d := &scene.Draws[i]
		d.OneSided = primitives[i].Extras.Culls == "cw" // on the target; where the game culls "ccw", we show both sides
		d.Placing.Residual = float32(min(draws[i].Residual, math.MaxFloat32))
		switch {
		case through[i] || !frame.Shown(i):
			d.Placing.How = geometry.Hidden
			d.Transform = mgl32.Mat4{15: 1}
		case draws[i].Linear():
			d.Placing.How = geometry.Fitted
			if d.Transform = frame.Transform(i); !gltfFinite(d.Transform[:]) {
				return gltfBad(p.indexPlace(d), "clip positions beyond what can be drawn")
			}
		default:
			if err := p.capture(s, scene, frame, i, primitives[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// seenThrough tells which draws write no depth though most of their pass does:
// sky, glass, smoke. Drawn solid they would cover what the game shows.
func seenThrough(draws []replay.Draw, primitives []*gltfPrimitive) []bool {
	through := make([]bool, len(draws))
	balance := map[int]int{} // by pass: triangles that write depth, less the others
	for i, prim := range primitives {
		writes := prim.Extras.DepthWrites
		through[i] = writes != nil && !*writes
		if through[i] {
			balance[draws[i].Pass] -= draws[i].Triangles
		} else {
			balance[draws[i].Pass] += draws[i].Triangles
		}
	}
	for i := range through {
		through[i] = through[i] && balance[draws[i].Pass] > 0
	}
	return through
}

// capture replaces a draw's vertices by what its vertex shader put out.
func (p *gltfPlan) capture(s *gltfSource, scene *geometry.Scene, frame *replay.Frame, i int, prim *gltfPrimitive) error {
	d := &scene.Draws[i]
	const bytes = 2 * (12 + 12) // positions and normals, in slices that grow
	if err := s.budget.charge(int64(d.VertexCount), bytes, "captured positions"); err != nil {
		return err
	}
	clip, err := s.vec4(int(prim.Attributes.Clip.n))
	if err != nil {
		return err
	}
	if len(scene.Positions)+len(clip) > gltfLargestPool {
		return gltfBad("frame", "more than %d vertices", gltfLargestPool)
	}
	d.Placing.How = geometry.Captured
	d.Transform = mgl32.Ident4()
	d.VertexOffset = uint32(len(scene.Positions))
	scene.Positions = slices.Clip(scene.Positions) // those of the file may lie where nothing can be written
	for _, c := range clip {
		scene.Positions = append(scene.Positions, frame.Point(i, c, replay.Window(prim.Extras.Window)))
	}
	if scene.Normals != nil {
		scene.Normals = nil // Open makes them anew
	}
	return nil
}

// frameNotes are the lines on what is left out of the scene, or of the picture.
func (d *gltfDocument) frameNotes(scene *geometry.Scene) []string {
	var lines []string
	const most = 100
	for _, s := range d.Asset.Extras.Frame.Skipped[:min(most, len(d.Asset.Extras.Frame.Skipped))] {
		lines = append(lines, fmt.Sprintf("%v x %s", s.Count, gltfName(s.What)))
	}
	hidden := 0
	for i := range scene.Draws {
		if scene.Draws[i].Placing.How == geometry.Hidden {
			hidden++
		}
	}
	if hidden > 0 {
		lines = append(lines, fmt.Sprintf("from the picture, not from the counts: %d x draw that writes no depth, is seen by another camera or lies flat on the screen", hidden))
	}
	return lines
}

// vec4 reads accessor i, of vectors of four floats, and refuses what is not finite.
func (s *gltfSource) vec4(i int) ([][4]float32, error) {
	e, err := s.elements(i)
	if err != nil {
		return nil, err
	}
	place := gltfPlace("accessor", i)
	if err := s.budget.charge(int64(e.count), 16, place); err != nil {
		return nil, err
	}
	defer s.budget.release(16 * int64(e.count))
	out := make([][4]float32, e.count)
	for k := range out {
		if e.data == nil {
			break // all are zero
		}
		p := e.data[k*e.stride:]
		for c := range out[k] {
			out[k][c] = math.Float32frombits(binary.LittleEndian.Uint32(p[4*c:]))
		}
		if !gltfFinite(out[k][:]) {
			return nil, gltfBad(place, "element %d is not finite: %v", k, out[k])
		}
	}
	return out, nil
}
