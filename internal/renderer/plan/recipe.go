package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
)

// Recipe says how a frame is made: the name of the plug in each of its five places. A frame is resolved into a recipe
// once. The plugs then add their buffers and passes: a mode is implemented in its plug's file and nowhere else.
type Recipe struct {
	// Source is where vertices and indices come from: stored (the scene's pools) or
	// subdivided (a mesh that is refined while it is read).
	Source string
	// Shade is what runs once per unique vertex: module (a vertex shader) or function (a
	// shade function of an application).
	Shade string
	// Sink says where the results go: queue (a vertex and a triangle queue), draws (the same,
	// filled by whole draws), fused (directly to pixels), mesh (output of a mesh shader), results
	// (an array by id) or none (the graphics pipeline keeps them).
	Sink string
	// Raster says who turns triangles into pixels: hardware, mesh, compute, soft or none.
	Raster string
	// Residency is how much of the scene the device holds: whole or windows.
	Residency string
}

// String returns the recipe as in a printed plan.
func (r Recipe) String() string {
	return fmt.Sprintf("source %s, shade %s, sink %s, raster %s, residency %s", r.Source, r.Shade, r.Sink, r.Raster, r.Residency)
}

// plugs are the implementations that a recipe names.
type plugs struct {
	source    source
	shade     shade
	sink      sink
	raster    raster
	residency residency
}

// resolve returns the plugs of a frame with a chosen host and strategy. Residency is whole until
// the scene turns out not to fit.
func resolve(f *renderer.Frame) plugs {
	x := plugs{stored{}, shadeOf(f), toQueue, byHardware, whole{}}
	if mesh := Surface(f.Scene); mesh != nil {
		x.source = subdivided{mesh}
	}
	switch s := f.Reuse.Strategy; {
	case f.Raw || s == nil:
		x.sink = toNone
	case s.WholeDraws:
		x.sink = toDraws
	}
	switch {
	case f.NoRaster:
		x.raster = byNone
	case f.Raster == renderer.SoftRaster:
		x.raster = bySoft
	case f.Raster == renderer.ComputeRaster:
		x.raster = byCompute
	case f.Raster == renderer.FusedRaster && f.Reuse.Strategy != nil:
		x.sink, x.raster = toPixels, newFusedRaster("fused:"+f.Reuse.Strategy.Name)
		if f.Reuse.Strategy.WholeDraws {
			x.sink, x.raster = toPlaced, newFusedRaster(placedName)
		}
	case f.Raster == renderer.MeshRaster:
		x.raster = byMesh
	}
	if f.Raster == renderer.MeshRaster && f.Reuse.Strategy != nil && !f.Raw {
		x.sink = toMesh
	}
	return x
}

// parts returns the plan's plugs. A plan whose passes another package listed has none: parts then
// resolves them from the plan's frame, without laying out the shade plug (see shade).
func (p *Plan) parts() plugs {
	if p.plugs.sink == nil {
		return resolve(&p.Frame)
	}
	return p.plugs
}

func (x *plugs) recipe() Recipe {
	return Recipe{x.source.String(), x.shade.String(), x.sink.about().name, x.raster.about().name, x.residency.String()}
}

// New plans a frame within the limits of a backend.
func New(f renderer.Frame, l renderer.Limits) (*Plan, error) {
	return newIn(context.Background(), f, l)
}

// newIn plans a frame like New. If the context ends first, it returns the context's cause.
func newIn(ctx context.Context, f renderer.Frame, l renderer.Limits) (*Plan, error) {
	if f.Raw {
		return rawPlan(f, l)
	}
	if err := cmp.Or(checkScene(&f), check(&f, &l)); err != nil {
		return nil, err
	}
	var first error
	list := timed(f, l)
	for i := range list {
		p, err := newStrategyPlan(ctx, list[i].frame, l)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err == nil {
			p.Choice = list[i:].why(&f, &l)
			if f.Reuse.FitBatch {
				p.FittedTo = l.Multiprocessors
			}
			return p, nil
		}
		first = cmp.Or(first, err) // for example, compute may need more workgroups than the device can dispatch
	}
	return nil, first
}

// check returns an error for settings that are out of range or exclude one another. The frame's
// scene need not be open.
func check(f *renderer.Frame, l *renderer.Limits) error {
	if err := f.Check(); err != nil {
		return err
	}
	s, draws := f.Reuse.Strategy, resolve(f).raster.about().draws
	switch {
	case draws && f.View == renderer.Counts && f.NoCounts:
		return errors.New("the counts view needs shading counts")
	case draws && f.View == renderer.NoView:
		return errors.New("nothing can be drawn without a view")
	case f.Raw:
	case s == nil:
		return errors.New("frame without a strategy")
	case f.Subgroups == renderer.NativeSubgroups && s.UsesLanes && !l.Native(f.Reuse.Lanes):
		has := "no lanes that can be asked for"
		if len(l.NativeLanes) > 0 {
			has = strings.Trim(fmt.Sprint(l.NativeLanes), "[]") + " lanes"
		}
		return fmt.Errorf("%d lanes are not native here: the device's subgroups have %s", f.Reuse.Lanes, has)
	}
	return excluded(f)
}

// checkScene returns an error for a scene that cannot be drawn.
func checkScene(f *renderer.Frame) error {
	if err := f.CheckScene(); err != nil {
		return err
	}
	if f.Scene.Triangles() == 0 && !f.Raw {
		return errors.New("scene without triangles")
	}
	if f.Scene.Computed != nil && Surface(f.Scene) == nil {
		return errors.New("no shader computes this mesh")
	}
	return nil
}

// Batchless says why a strategy's vertices are not shaded in batches; empty if they are, or without a strategy.
func (p *Plan) Batchless() string { return resolve(&p.Frame).sink.about().batchless }

// Backend returns the flag value of the only backend that draws the plan; empty if any can.
func (p *Plan) Backend() string { return p.parts().raster.about().backend }

// sink says what happens to shaded vertices.
type sink interface {
	about() kept
	needs(f *renderer.Frame, l *renderer.Limits, n *Needs)
	cutAll(p *planner) error // cuts the whole stream into chunks
	cut(p *planner) error    // adds the chunks of Batches
	share(p *planner) float64
	buffers(p *planner)
	passes(p *planner, t target) []step
	batch(p *planner) uint32                        // indices of the largest batch
	even(p *planner, chunk int) bool                // whether the shaders can compute the chunk's batches from its first one
	written(p *Plan, shaded, triangles int64) int64 // least number of bytes that geometry passes write
	sample(s *geometry.Scene, c reuse.Config) sample
	sifts(f *renderer.Frame, l *renderer.Limits) bool    // whether the geometry pass draws nothing, but notes which triangles may show something
	together(f *renderer.Frame, l *renderer.Limits) bool // whether several invocations draw a triangle together, if batches are small enough
}

// raster says what turns triangles into pixels.
type raster interface {
	about() host
	needs(f *renderer.Frame, l *renderer.Limits, n *Needs)
	buffers(p *planner)
	cleared(p *planner) []Block // blocks that a frame first sets to zero
	fits(p *planner) error      // returns an error for chunks that the device cannot draw
	passes(p *planner, t target) []step
}
