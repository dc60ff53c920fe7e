package capture

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture/internal/replay"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/must"
)

// Frames replayed by RenderDoc, as tools/renderdoc/export.py writes them: a GLB
// whose primitives have the clip positions that vertex shaders put out beside
// the positions that they read. A draw's transform follows from both. The
// head of export.py describes the file.

// frameVersion is the version of the extras that is read.
const frameVersion = 1

// frameKey is the member of the asset's extras that makes a document a frame.
const frameKey = "shadeonce"

// fitSteps is the work to fit one vertex.
const fitSteps = 64

// frameDocument is what a frame has beside an ordinary document.
type frameDocument struct {
	Asset struct {
		Extras foreign[frameExtras] `json:"extras"`
	}
	Meshes format.GLTFList[frameMesh]
}

type frameMesh struct {
	Primitives format.GLTFList[framePrimitive] `json:"primitives"`
}

type framePrimitive struct {
	Attributes struct {
		Position whole `json:"POSITION"`
		Clip     whole `json:"_CLIP"`
	} `json:"attributes"`
	Extras foreign[drawExtras] `json:"extras"`
}

type frameExtras struct {
	Frame *struct {
		Version whole `json:"version"`
		Passes  []struct {
			Width  whole `json:"width"`
			Height whole `json:"height"`
		} `json:"passes"`
		Skipped []struct {
			What  string `json:"what"`
			Count whole  `json:"count"`
		} `json:"skipped"`
	} `json:"shadeonce"`
}

type drawExtras struct {
	Pass        whole     `json:"pass"`
	DepthWrites *bool     `json:"depthWrites"`
	Culls       string    `json:"culls"`
	Window      []float64 `json:"window"`
}

// foreign is extras, which of other programs may be anything: those are ignored.
type foreign[T any] struct{ value T }

func (f *foreign[T]) UnmarshalJSON(text []byte) error {
	var v T
	if json.Unmarshal(text, &v) == nil {
		f.value = v
	}
	return nil
}

// whole is an integer that may be absent.
type whole struct {
	n   int64
	set bool
}

func (w *whole) UnmarshalJSON(text []byte) error {
	n, err := strconv.ParseInt(string(text), 10, 64)
	*w = whole{n, err == nil}
	return nil
}

func (w whole) String() string {
	if !w.set {
		return "undefined"
	}
	return strconv.FormatInt(w.n, 10)
}

// in says whether w names one of n elements.
func (w whole) in(n int) bool { return w.set && w.n >= 0 && w.n < int64(n) }

// replayed is the glTF extension that reads frames.
func replayed(doc *format.GLTF) (finish func(context.Context, *geometry.Scene) error, err error) {
	defer must.Catch(&err)
	if !bytes.Contains(doc.Text(), []byte(`"`+frameKey+`"`)) {
		return nil, nil
	}
	var frame frameDocument
	must.OK(doc.Decode(map[string]any{"asset": &frame.Asset, "meshes": &frame.Meshes}))
	if frame.Asset.Extras.value.Frame == nil {
		return nil, nil
	}
	r := &replayedFrame{doc: doc, frameDocument: frame, from: must.Get(doc.Draws())}
	r.check()
	return r.finish, nil
}

// replayedFrame is a frame that is being placed.
type replayedFrame struct {
	doc *format.GLTF
	frameDocument
	from []format.GLTFDraw // by draw
}

func (f *replayedFrame) primitive(draw int) *framePrimitive {
	return &f.Meshes[f.from[draw].Mesh].Primitives[f.from[draw].Primitive]
}

// check looks at everything that frames have beside ordinary documents.
func (f *replayedFrame) check() {
	frame := f.Asset.Extras.value.Frame
	if frame.Version.n != frameVersion {
		f.refuse("frame", "version %v of export.py's, only %d is supported", frame.Version, frameVersion)
	}
	const most, mostPasses = 1 << 20, 1 << 16 // pixels a side
	if len(frame.Passes) > mostPasses {
		f.refuse("frame", "%d passes, at most %d are supported", len(frame.Passes), mostPasses)
	}
	for i, p := range frame.Passes {
		if p.Width.n < 1 || p.Height.n < 1 || p.Width.n > most || p.Height.n > most {
			f.refuse(fmt.Sprintf("frame: pass %d", i), "draws into %v x %v pixels", p.Width, p.Height)
		}
	}
	accessors := f.doc.Accessors()
	for i := range f.Meshes {
		for k := range f.Meshes[i].Primitives {
			f.checkDraw(&f.Meshes[i].Primitives[k], accessors, format.GLTFDraw{Mesh: i, Primitive: k}.Place())
		}
	}
}

// refuse ends reading for what is at a place of the document.
func (f *replayedFrame) refuse(place, cause string, args ...any) {
	must.OK(f.doc.Bad(place, cause, args...))
}

func (f *replayedFrame) checkDraw(p *framePrimitive, accessors []format.GLTFAccessor, place string) {
	clip, passes := p.Attributes.Clip, len(f.Asset.Extras.value.Frame.Passes)
	switch {
	case !p.Extras.value.Pass.in(passes):
		f.refuse(place, "pass is %v, but there are %d", p.Extras.value.Pass, passes)
	case len(p.Extras.value.Window) != 6:
		f.refuse(place, "window has %d numbers, not 6", len(p.Extras.value.Window))
	case !clip.in(len(accessors)):
		f.refuse(place+" _CLIP", "accessor is %v, but there are %d", clip, len(accessors))
	case !p.Attributes.Position.in(len(accessors)):
		f.refuse(place, "has clip positions and no positions")
	}
	for _, v := range p.Extras.value.Window {
		if !(math.Abs(v) < 1e6) {
			f.refuse(place, "window maps by %g", v)
		}
	}
	const float = 5126
	outputs, inputs := accessors[clip.n], accessors[p.Attributes.Position.n]
	switch {
	case outputs.Type != "VEC4" || outputs.ComponentType != float || outputs.Sparse:
		f.refuse(place+" _CLIP", "%q of component type %d (sparse: %t) is not allowed", outputs.Type, outputs.ComponentType, outputs.Sparse)
	case outputs.Count != inputs.Count:
		f.refuse(place, "%d clip positions for %d positions", outputs.Count, inputs.Count)
	}
}

// finish puts all draws of the scene where the game had them, as far as the frame
// tells: see geometry.Placed.
func (f *replayedFrame) finish(ctx context.Context, scene *geometry.Scene) (err error) {
	defer must.Catch(&err)
	const drawBytes = 512
	must.OK(f.doc.Charge(int64(len(f.from)), drawBytes, "frame"))
	draws := f.fit(ctx, scene)
	passes := f.Asset.Extras.value.Frame.Passes
	aspects := make([]float64, len(passes))
	for i := range passes {
		aspects[i] = float64(passes[i].Width.n) / float64(passes[i].Height.n)
	}
	frame := replay.NewFrame(draws, aspects)
	if frame == nil {
		f.refuse("frame", "of its %d draws none tells where it stands: no vertex shader is linear", len(draws))
	}
	scene.Capture = &geometry.Capture{View: &frame.View, Placings: make([]geometry.Placing, len(draws))}
	f.moveDraws(scene, frame, draws)
	scene.Skipped = f.notes(scene)
	return nil
}

// fit finds the transform of each draw's vertex shader. Draws that name the same vertices
// fit them anew.
func (f *replayedFrame) fit(ctx context.Context, scene *geometry.Scene) []replay.Draw {
	draws := make([]replay.Draw, len(scene.Draws))
	meshes := map[[2]uint32]int{} // their numbers, by first vertex and index
	for i := range draws {
		must.OK(context.Cause(ctx))
		d, prim := &scene.Draws[i], f.primitive(i)
		must.OK(f.doc.Work(fitSteps*(int64(d.VertexCount)+int64(d.IndexCount)), "frame"))
		d.Name = f.from[i].Name // instances have the name of their draw
		clip := must.Get(f.doc.Vec4(int(prim.Attributes.Clip.n)))
		key := [2]uint32{d.VertexOffset, d.FirstIndex}
		mesh, ok := meshes[key]
		if !ok {
			mesh = len(meshes)
			meshes[key] = mesh
		}
		draws[i] = replay.Draw{
			Fit:  replay.Solve(scene.Positions[d.VertexOffset:][:d.VertexCount], clip, scene.DrawIndices(i), replay.Window(prim.Extras.value.Window)),
			Pass: int(prim.Extras.value.Pass.n), Mesh: mesh, Triangles: int(d.IndexCount / 3),
		}
	}
	return draws
}

// moveDraws sets the draws' transforms, and gives those whose vertex shader is not
// linear vertices of their own.
func (f *replayedFrame) moveDraws(scene *geometry.Scene, frame *replay.Frame, draws []replay.Draw) {
	through := f.seenThrough(draws)
	for i := range draws {
		d, placing := &scene.Draws[i], &scene.Capture.Placings[i]
		d.OneSided = f.primitive(i).Extras.value.Culls == "cw" // on the target; where the game culls "ccw", we show both sides
		placing.Residual = float32(min(draws[i].Residual, math.MaxFloat32))
		switch {
		case through[i] || !frame.Shown(i):
			placing.How = geometry.Hidden
			d.Transform = mgl32.Mat4{15: 1}
		case draws[i].Linear():
			placing.How = geometry.Fitted
			d.Transform = frame.Transform(i)
			for _, v := range d.Transform {
				if v-v != 0 {
					f.refuse(f.from[i].Place(), "clip positions beyond what can be drawn")
				}
			}
		default:
			placing.How = geometry.Captured
			f.takeOutputs(scene, frame, i)
		}
	}
}

// seenThrough tells which draws write no depth though most of their pass does:
// sky, glass, smoke. Drawn solid they would cover what the game shows.
func (f *replayedFrame) seenThrough(draws []replay.Draw) []bool {
	through := make([]bool, len(draws))
	balance := map[int]int{} // by pass: triangles that write depth, less the others
	for i := range draws {
		writes := f.primitive(i).Extras.value.DepthWrites
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

// takeOutputs replaces a draw's vertices by the outputs of its vertex shader.
func (f *replayedFrame) takeOutputs(scene *geometry.Scene, frame *replay.Frame, i int) {
	d, extras := &scene.Draws[i], &f.primitive(i).Extras.value
	const bytes = 2 * (12 + 12) // positions and normals, in slices that grow
	must.OK(f.doc.Charge(int64(d.VertexCount), bytes, "captured positions"))
	clip := must.Get(f.doc.Vec4(int(f.primitive(i).Attributes.Clip.n)))
	if len(scene.Positions)+len(clip) > math.MaxInt32 {
		f.refuse("frame", "more than %d vertices", math.MaxInt32)
	}
	d.Transform = mgl32.Ident4()
	for k := range scene.Attributes { // of vertices; a document has none of draws
		a := &scene.Attributes[k]
		size := a.Format.Size()
		must.OK(f.doc.Charge(int64(d.VertexCount), 2*int64(size), "attributes of captured positions"))
		a.Data = append(a.Data, a.Data[int(d.VertexOffset)*size:][:int(d.VertexCount)*size]...)
	}
	d.VertexOffset = uint32(len(scene.Positions))
	for _, c := range clip {
		scene.Positions = append(scene.Positions, frame.Point(i, c, replay.Window(extras.Window)))
	}
	scene.Normals = nil // Open makes them anew
}

// notes are the lines on what is left out of the scene, or of the picture.
func (f *replayedFrame) notes(scene *geometry.Scene) []string {
	const most = 100
	var lines []string
	skipped := f.Asset.Extras.value.Frame.Skipped
	for _, s := range skipped[:min(most, len(skipped))] {
		lines = append(lines, fmt.Sprintf("%v x %s", s.Count, format.CleanName(s.What)))
	}
	hidden := 0
	for _, p := range scene.Capture.Placings {
		if p.How == geometry.Hidden {
			hidden++
		}
	}
	if hidden > 0 {
		lines = append(lines, fmt.Sprintf("from the picture, not from the counts: %d x draw that writes no depth, is seen by another camera or lies flat on the screen", hidden))
	}
	return lines
}
