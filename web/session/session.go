// Package session does the work of the page's web worker: it opens a file, counts, and writes the
// reordered mesh. web/wasm passes the page's requests to it, and its answers back.
//
// It runs natively, too, and knows neither browsers nor how a page looks.
package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// AssetPrefix is the prefix of the names of built-in scenes, as on the command line.
const AssetPrefix = "asset:"

// MaxTriangles and MaxVertices bound the scenes that a page shows. At 48 bytes a triangle and 16 a
// vertex they take up to 1 GB; a browser may limit a page to 4 GB.
const (
	MaxTriangles = 12 << 20
	MaxVertices  = 24 << 20
)

// Session holds one opened scene, and the orders of it that were requested last.
type Session struct {
	path    string
	scene   *geometry.Scene
	ordered []*ordered // the most recently used first
}

// ordered is the scene in one order.
type ordered struct {
	name  string
	scene *geometry.Scene
	match geometry.Match // from vertices of the file to those of scene
}

// keptOrders is how many orders a session keeps: those of both sides of a comparison.
const keptOrders = 2

// Request is a request from the page. Session.Do says which fields each kind of request uses.
type Request struct {
	Do       string // open, count, sum, vertex, stream, batches or save
	Path     string // a file, or AssetPrefix and the name of a built-in scene
	Order    string
	Strategy string
	Lanes    int    // 0 for the default
	Vertex   uint32 // a (draw, vertex) pair of the layout that open returns
}

// Answer is the result of Session.Do: a Value for JSON, and lists of numbers by their names.
type Answer struct {
	Value  any
	Floats map[string][]float32
	Counts map[string][]uint32
}

// Do executes a request, given as JSON. These are the kinds of request, with their fields and answers:
//
//	open    Path: a Scene, with the lists positions (world space, 3 per pair) and indices (of pairs)
//	count   Order, Strategy, Lanes: a Row, with the lists counts (per pair), invocations and referenced (per draw)
//	sum     Order, Strategy, Lanes: the same Row, without lists
//	vertex  Order, Strategy, Lanes, Vertex: a Vertex
//	stream  Order: the lists positions and indices, as open
//	batches Order, Strategy, Lanes: a Shape, with the lists batches (first index and count of each) and counts
//	save    Path, which ends in .glb, and Order: a Saved
//
// Vertices have the file's numbers in every order, except that stream and batches use the order's own.
func (s *Session) Do(ctx context.Context, text []byte) (a Answer, err error) {
	defer must.Catch(&err)
	var r Request
	must.OK(json.Unmarshal(text, &r))
	if r.Do == "open" {
		return s.open(ctx, r.Path)
	}
	if s.scene == nil {
		return a, errors.New("no scene is open")
	}
	if r.Do == "save" {
		return s.save(ctx, &r)
	}
	if r.Do == "stream" {
		return stream(progress.Silent(ctx), must.Get(s.in(ctx, r.Order)).scene), nil
	}
	c := must.Get(reuse.Resolve(r.Strategy, r.Lanes, 0))
	if c.Auto {
		return a, fmt.Errorf("strategy %s chooses by a device, and the page has none", r.Strategy)
	}
	o := must.Get(s.in(progress.Part(ctx, 0, .5), r.Order))
	switch r.Do {
	case "count":
		return count(progress.Part(ctx, .5, 1), o, c), nil
	case "sum":
		st, _ := must.Get2(reuse.Summarize(o.scene, c))
		return Answer{Value: rowOf(o.name, c, st)}, nil
	case "batches":
		return batches(progress.Part(ctx, .5, 1), o, c), nil
	case "vertex":
		return s.vertex(o, c, r.Vertex)
	}
	return a, fmt.Errorf("unknown request %.40q", r.Do)
}

// Scene describes an opened scene.
type Scene struct {
	Name      string
	Vertices  int // (draw, vertex) pairs
	Triangles int
	Draws     []Draw
	LeftOut   string // names data of the file that the scene lacks, or ""
}

// Draw is one draw of a scene. Its vertices are those from First on.
type Draw struct {
	Name                       string
	First, Vertices, Triangles int
}

func (s *Session) open(ctx context.Context, path string) (a Answer, err error) {
	var scene *geometry.Scene
	if name, ok := strings.CutPrefix(path, AssetPrefix); ok {
		scene, err = assets.Make(name)
	} else {
		scene, err = capture.ReadersAlone(nil).Open(progress.Part(ctx, 0, .8), path)
	}
	if err != nil {
		return a, plain(path, err)
	}
	must.OK(fits(scene))
	*s = Session{path: path, scene: scene}
	about := Scene{names.Printable(scene.Name), scene.DrawVertices(), scene.Triangles(), nil, scene.LeftOut()}
	for i, first := range reuse.CountOffsets(scene) {
		d := &scene.Draws[i]
		about.Draws = append(about.Draws, Draw{names.Printable(d.Name), int(first), int(d.VertexCount), int(d.IndexCount / 3)})
	}
	a = stream(progress.Part(ctx, .8, 1), scene)
	a.Value = about
	return a, nil
}

// fits returns an error for scenes that are too large for the page.
func fits(s *geometry.Scene) error {
	if t, v := s.Triangles(), s.DrawVertices(); t > MaxTriangles || v > MaxVertices {
		return fmt.Errorf("%s: %d triangles and %d vertices over all draws: the page shows at most %d and %d; the command line has no such limit",
			names.Printable(s.Name), t, v, MaxTriangles, MaxVertices)
	}
	return nil
}

// plain replaces a file's path in an error by its base name, since the user did not choose the folder.
func plain(path string, err error) error {
	return errors.New(strings.ReplaceAll(err.Error(), path, filepath.Base(path)))
}

// in returns the scene in the named order, and marks it as the most recently used. It makes the scene if none is kept for the order.
func (s *Session) in(ctx context.Context, name string) (*ordered, error) {
	i := slices.IndexFunc(s.ordered, func(o *ordered) bool { return o.name == name })
	if i < 0 {
		scene, err := order.Apply(ctx, s.scene, name)
		if err != nil {
			return nil, err
		}
		fresh := &ordered{name, scene, geometry.MatchVertices(s.scene, scene)}
		s.ordered = append([]*ordered{fresh}, s.ordered[:min(len(s.ordered), keptOrders-1)]...)
		return fresh, nil
	}
	found := s.ordered[i]
	s.ordered = slices.Insert(slices.Delete(s.ordered, i, i+1), 0, found)
	return found, nil
}

// About lists what a user of the page can choose, from the project's own registries.
type About struct {
	Orders     []string
	Strategies []Strategy
	Lanes      []int
	Scenes     []string // names of built-in scenes
	Extensions []string // of files that are opened
}

// Strategy is one strategy of the registry.
type Strategy struct {
	Name      string
	UsesLanes bool
}

// NewAbout lists what the page offers.
func NewAbout() About {
	a := About{
		Lanes:      reuse.LaneCounts,
		Scenes:     names.Of(assets.All, func(a assets.Asset) string { return a.Name }),
		Extensions: capture.ReadersAlone(nil).Extensions(),
	}
	for _, name := range order.Names() {
		a.Orders = append(a.Orders, name, name+order.FetchSuffix)
	}
	for _, s := range reuse.Strategies {
		a.Strategies = append(a.Strategies, Strategy{s.Name, s.UsesLanes})
	}
	return a
}

// stream returns a scene's positions in world space, 3 per vertex, and its indices. Of a scene in an order, whose
// vertices have the order's own numbers, these are the input of the page's GPU shaders.
func stream(ctx context.Context, s *geometry.Scene) Answer {
	positions, indices := make([]float32, 0, 3*s.DrawVertices()), make([]uint32, 0, s.IndexStreamLen())
	for i := range s.Draws {
		positions, indices = s.AppendWorld(i, positions, indices)
		progress.Tell(ctx, float64(i+1)/float64(len(s.Draws)))
	}
	return Answer{Floats: map[string][]float32{"positions": positions}, Counts: map[string][]uint32{"indices": indices}}
}

// Shape holds the sizes for which a strategy's shader is compiled, and the reference's statistics.
type Shape struct {
	Row
	Workgroup, MaxUnique, Table int
	Multiplier                  uint32 // the factor by which the shader multiplies ids; 0 if the strategy does not choose one
}

// batches returns the batches of the stream, two numbers each (first index and count), and the
// reference's counts, with the order's own vertex numbers.
func batches(ctx context.Context, o *ordered, c reuse.Config) Answer {
	counted := count(ctx, &ordered{o.name, o.scene, geometry.Match{}}, c)
	list := make([]uint32, 0, 2*(o.scene.IndexStreamLen()/c.Batch+len(o.scene.Draws)))
	for _, b := range reuse.Batches(o.scene, c) {
		list = append(list, 3*b.FirstTriangle, b.IndexCount)
	}
	counted.Counts["batches"] = list
	shape := Shape{Row: counted.Value.(Row), Workgroup: c.Workgroup, MaxUnique: c.Strategy.MaxUnique(c), Table: c.Table()}
	if c.Strategy.Multiplier != nil {
		shape.Multiplier = c.Strategy.Multiplier(reuse.SampleBatches(o.scene, c), c)
	}
	counted.Value = shape
	return counted
}

// Saved lists the data that the written file lacks, in one line each.
type Saved struct{ Notices []string }

// save writes what `shadeonce convert --order` writes. It opens the file again, since a scene that
// is only shown has neither materials nor attributes.
func (s *Session) save(ctx context.Context, r *Request) (a Answer, err error) {
	if format.Extension(r.Path) != ".glb" {
		return a, errors.New("the page writes GLB")
	}
	whole := format.GLTFCopy{
		Reorder: func(ctx context.Context, scene *geometry.Scene) (*geometry.Scene, error) {
			return order.Apply(ctx, scene, r.Order)
		},
		Save: func(ctx context.Context, write func(io.Writer) error) error { return format.SaveAs(ctx, r.Path, write) },
	}
	scene := s.scene
	if !strings.HasPrefix(s.path, AssetPrefix) {
		if scene, err = capture.ReadersAlone(&whole).Looks(false).Open(progress.Part(ctx, 0, .4), s.path); err != nil {
			return a, plain(s.path, err)
		}
	}
	saved := Saved{whole.Notices}
	if !whole.Saved {
		fresh := must.Get(whole.Reorder(progress.Part(ctx, .4, .9), scene))
		if err := format.Save(ctx, r.Path, fresh); err != nil {
			return a, plain(r.Path, err)
		}
		lacks, _ := format.Lacks(r.Path, scene)
		if lost := slices.Concat(scene.Beside, lacks); len(lost) > 0 {
			saved.Notices = append(saved.Notices, "lost: "+strings.Join(lost, ", "))
		}
		if text := scene.LeftOut(); text != "" {
			saved.Notices = append(saved.Notices, text)
		}
	}
	return Answer{Value: saved}, nil
}
