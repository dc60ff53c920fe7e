// Package capture opens captured frames of games, and all mesh formats of package format.
//
//	scene, err := capture.Open(ctx, "frame.zip.xml.zst")
//	if scene.Capture != nil { ... } // a captured frame
//
// A captured frame is RenderDoc's capture, as FILE.rdc or as XML (renderdoc.go), a GLB that
// tools/renderdoc/export.py wrote from a replay (see frameVersion), or a bare table of draws. csv.go reads such
// tables, and single meshes that RenderDoc's mesh viewer exported.
package capture

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture/internal/replay"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// Readers lists every format that can be opened: those of package format, and those of captured
// frames.
func Readers() format.Formats { return readers(replayed) }

// ReadersCopying returns the readers of Readers, except that c copies the glTF documents that it can
// copy. Replayed frames still go to their own reader, which places their draws.
func ReadersCopying(c *format.GLTFCopy) format.Formats { return readers(copying(c)) }

// ReadersAlone returns the readers among ReadersCopying(c) whose files need neither another program nor
// a zip file: mesh formats and tables. A program that uses only these is smaller. c may be nil.
func ReadersAlone(c *format.GLTFCopy) format.Formats {
	return append(format.Readers(copying(c)), drawsReader, csvReader)
}

func copying(c *format.GLTFCopy) format.GLTFExtension {
	if c == nil {
		return replayed
	}
	return func(doc *format.GLTF) (func(context.Context, *geometry.Scene) error, error) {
		if finish, err := replayed(doc); err != nil || finish != nil {
			return finish, err
		}
		return c.Extension(doc)
	}
}

func readers(extend format.GLTFExtension) format.Formats {
	return append(format.Readers(extend), renderdocReader, drawsReader, rdcReader, csvReader)
}

// Open opens a mesh file or a captured frame: see format.Formats.Open.
func Open(ctx context.Context, path string) (*geometry.Scene, error) {
	return Readers().Open(ctx, path)
}

// grow makes room in a list for n more elements of the given size, and charges what it allocates.
func grow[T any](in *format.Input, list []T, n, bytes int) []T {
	if len(list)+n <= cap(list) {
		return list
	}
	capacity := max(len(list)+n, len(list)+len(list)/2, 1<<10)
	must.OK(in.Charge(int64(capacity * bytes)))
	return append(make([]T, 0, capacity), list...)
}

// passes lists the frame's passes, with their numbers of draws and triangles. A user can choose one: the scene then
// has that pass's camera, and shows only its draws.

func (p *placer) passes() []geometry.Pass {
	list := make([]geometry.Pass, len(p.aspects))
	for i := range p.scene.Draws {
		pass := &list[p.states[i].Pass]
		pass.Name, _, _ = strings.Cut(p.scene.Draws[i].Name, " / ") // for example "pass 2 shadows"
		pass.Draws++
		pass.Triangles += int(p.scene.Draws[i].IndexCount / 3)
	}
	return list
}

// choose returns the index of the requested pass, which is given by its name, by the name without "pass" and
// number, or by the number; -1 if none is requested. It fails if the frame does not have the pass.
func (p *placer) choose(list []geometry.Pass) int {
	if p.pass == "" {
		return -1
	}
	var names []string
	for i := range list {
		number, label, _ := strings.Cut(strings.TrimPrefix(list[i].Name, "pass "), " ")
		for _, name := range []string{list[i].Name, number, label} {
			if name != "" && strings.EqualFold(name, p.pass) {
				return i
			}
		}
		names = append(names, list[i].Name)
	}
	must.OK(p.refuse("", "no pass %q: the frame has %s", p.pass, strings.Join(names[:min(len(names), 20)], ", ")))
	return -1
}

// setPasses counts the shown draws of each pass, marks the pass with the camera, and gives the list to the scene.
func (p *placer) setPasses(list []geometry.Pass, frame *replay.Frame) {
	c := p.scene.Capture
	for i := range c.Placings {
		if c.Placings[i].How != geometry.Hidden {
			list[p.states[i].Pass].Shown++
		}
	}
	list[frame.Main()].Camera = true
	c.Passes = list
}

// frameVersion is the only supported version of a frame's extras. RenderDoc replays a frame and
// tools/renderdoc/export.py writes it as a GLB. Its primitives hold the clip positions that vertex
// shaders output, besides the positions that the shaders read. A draw's transform follows from
// both. The head of export.py describes the file.
const frameVersion = 1

// frameKey is the member of the asset's extras that marks a document as a frame.
const frameKey = "shadeonce"

// frameDocument holds the parts of a frame's document that ordinary documents lack.
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
	Event       whole     `json:"event"`
	Pass        whole     `json:"pass"`
	DepthWrites *bool     `json:"depthWrites"`
	Culls       string    `json:"culls"`
	Window      []float64 `json:"window"`
}

// foreign holds extras that other programs may have written in any form. Extras that do not decode as a T are ignored.
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

// in reports whether w is an index into a list of n elements.
func (w whole) in(n int) bool { return w.set && w.n >= 0 && w.n < int64(n) }

// replayed is the glTF extension that reads frames; finish is nil for ordinary documents.
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
	from []format.GLTFDraw // by draw of the scene: its origin in the document
}

func (f *replayedFrame) primitive(draw int) *framePrimitive {
	return &f.Meshes[f.from[draw].Mesh].Primitives[f.from[draw].Primitive]
}

// check checks the parts of a frame that ordinary documents lack.
func (f *replayedFrame) check() {
	frame := f.Asset.Extras.value.Frame
	if frame.Version.n != frameVersion {
		f.refuse("frame", "version %v of export.py's, only %d is supported", frame.Version, frameVersion)
	}
	const most, mostPasses = 1 << 20, 1 << 16 // pixels per side
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

// refuse fails with an error about a part of the document.
func (f *replayedFrame) refuse(place, cause string, args ...any) {
	must.OK(f.doc.Bad(place, cause, args...))
}

func (f *replayedFrame) checkDraw(p *framePrimitive, accessors []format.GLTFAccessor, place string) {
	clip, passes := p.Attributes.Clip, len(f.Asset.Extras.value.Frame.Passes)
	switch {
	case !p.Extras.value.Pass.in(passes):
		f.refuse(place, "pass is %v, but the frame has %d", p.Extras.value.Pass, passes)
	case len(p.Extras.value.Window) != 6:
		f.refuse(place, "window has %d numbers, not 6", len(p.Extras.value.Window))
	case !clip.in(len(accessors)):
		f.refuse(place+" _CLIP", "accessor is %v, but the document has %d", clip, len(accessors))
	case !p.Attributes.Position.in(len(accessors)):
		f.refuse(place, "has clip positions and no positions")
	}
	for _, v := range p.Extras.value.Window {
		if !(math.Abs(v) < 1e6) {
			f.refuse(place, "window has the number %g: must be between -1e6 and 1e6", v)
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

// finish places the scene's draws where the game had them, as far as the frame's data allow: see geometry.Placed.
func (f *replayedFrame) finish(ctx context.Context, scene *geometry.Scene) (err error) {
	defer must.Catch(&err)
	const drawBytes = 512
	must.OK(f.doc.Charge(int64(len(f.from)), drawBytes, "frame"))
	passes := f.Asset.Extras.value.Frame.Passes
	p := &placer{
		scene: scene, states: make([]drawState, len(scene.Draws)), aspects: make([]float64, len(passes)), pass: f.doc.Pass(),
		outputs: func(i int) ([][4]float32, error) { return f.doc.Vec4(int(f.primitive(i).Attributes.Clip.n)) },
		refuse:  f.doc.Bad,
		work:    func(steps int64) error { return f.doc.Work(steps, "frame") },
		memory:  func(bytes int64) error { return f.doc.Charge(bytes, 1, "captured positions") },
		bad:     func(i int, cause string) error { return f.doc.Bad(f.from[i].Place(), "%s", cause) },
	}
	for i := range passes {
		p.aspects[i] = float64(passes[i].Width.n) / float64(passes[i].Height.n)
	}
	for i := range scene.Draws {
		scene.Draws[i].Name = f.from[i].Name // instances get the name of their draw
		extras := &f.primitive(i).Extras.value
		scene.Draws[i].Event = uint32(min(max(extras.Event.n, 0), math.MaxInt32))
		p.states[i].Target = replay.Target{
			Pass: int(extras.Pass.n), Window: replay.Window(extras.Window), Culls: extras.Culls,
			DepthWrites: extras.DepthWrites == nil || *extras.DepthWrites,
		}
	}
	scene.CheckEvents()
	if !must.Get(p.place(ctx)) {
		f.refuse("frame", "none of its %d draws can be placed: no vertex shader is linear", len(scene.Draws))
	}
	scene.Skipped = append(f.notes(), drawNotes(geometry.FromPicture, p.hidden)...)
	return nil
}

// notes returns one line for each kind of draw that export.py skipped, 100 lines at most.
func (f *replayedFrame) notes() (lines []string) {
	const most = 100
	skipped := f.Asset.Extras.value.Frame.Skipped
	for _, s := range skipped[:min(most, len(skipped))] {
		lines = append(lines, fmt.Sprintf("%v x %s", s.Count, format.CleanName(s.What)))
	}
	return lines
}
