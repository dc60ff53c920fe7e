package envelope

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/exact"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/renderer/stream"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// number numbers the triangles independently of their order in the mesh, and lists each vertex's triangles.
func (e *Envelope) number(ctx context.Context) {
	e.Triangles = make([][3]uint32, e.Mesh.Faces())
	for t := range e.Triangles {
		i, j, k := e.Mesh.Triangles[3*t], e.Mesh.Triangles[3*t+1], e.Mesh.Triangles[3*t+2]
		switch min(i, j, k) {
		case j:
			i, j, k = j, k, i
		case k:
			i, j, k = k, i, j
		}
		e.Triangles[t] = [3]uint32{i, j, k}
	}
	sorted := must.Get(apps.GroupBy(progress.Part(ctx, 0, .5), len(e.Triangles), len(e.Positions), func(t int) (uint32, uint64) {
		return e.Triangles[t][0], uint64(e.Triangles[t][1])<<32 | uint64(e.Triangles[t][2])
	}))
	for v := range e.Positions {
		for at := sorted.First[v]; at < sorted.First[v+1]; at++ {
			e.Triangles[at] = [3]uint32{uint32(v), uint32(sorted.Values[at] >> 32), uint32(sorted.Values[at])}
		}
	}
	around := must.Get(apps.GroupBy(progress.Part(ctx, .5, 1), 3*len(e.Triangles), len(e.Positions), func(k int) (uint32, uint64) {
		return e.Triangles[k/3][k%3], uint64(k / 3)
	}))
	e.First, e.Around = around.First, make([]uint32, len(around.Values))
	for k, t := range around.Values {
		e.Around[k] = uint32(t)
	}
}

// around returns a vertex's triangles, ascending.
func (e *Envelope) around(v int) []uint32 { return e.Around[e.First[v]:e.First[v+1]] }

// addSteps sets every vertex's step: its direction times the length of a step.
func (e *Envelope) addSteps(ctx context.Context, step float64) {
	e.Steps = make([]mgl32.Vec3, len(e.Positions))
	sign := 1.
	if e.Side == Inner {
		sign = -1
	}
	must.OK(apps.OnAll(ctx, len(e.Steps), func(from, to int) {
		var normals []exact.Vec
		for v := from; v < to; v++ {
			var n exact.Vec
			n, normals = e.direction(v, normals[:0])
			e.Steps[v] = n.Scale(step).Scale(sign).Single()
		}
	}))
}

const (
	leastCosine  = 1. / 4  // cosine between a vertex's normal and its triangles' normals: below it, a search replaces the normal
	leastLeaning = 1. / 64 // cosine between the direction and the triangles' normals: at or below it, the vertex has no direction
	mostSearched = 64      // most triangles at a vertex; if it has more, there is no search
)

// direction returns the unit vector along which a vertex moves outwards: its normal (N. Max, Weights for Computing
// Vertex Normals from Facet Normals, 1999). If the normal leans too far from the normal of one of the vertex's
// triangles, direction searches for a better vector. It returns 0 if it finds none, if there are too many triangles
// to search, or if one has no area. `normals` is scratch memory for the triangles' normals.
func (e *Envelope) direction(v int, normals []exact.Vec) (exact.Vec, []exact.Vec) {
	var n exact.Vec
	for _, t := range e.around(v) {
		i, j, k := e.corners(t, uint32(v))
		p := exact.Double(e.Positions[i])
		e1, e2 := exact.Double(e.Positions[j]).Sub(p), exact.Double(e.Positions[k]).Sub(p)
		normal := e1.Cross(e2)
		if normal == (exact.Vec{}) {
			return exact.Vec{}, normals
		}
		n = n.Add(normal.Scale(1 / float64(e1.Dot(e1)*e2.Dot(e2))))
		normals = append(normals, normal.Unit())
	}
	if len(normals) == 0 {
		return exact.Vec{}, normals
	}
	n = n.Unit()
	leaning := least(n, normals)
	if leaning < leastCosine {
		if len(normals) > mostSearched {
			return exact.Vec{}, normals
		}
		n, leaning = search(n, normals)
	}
	if leaning <= leastLeaning {
		return exact.Vec{}, normals
	}
	return n, normals
}

// corners returns the corners of a triangle in order, beginning with v.
func (e *Envelope) corners(t, v uint32) (i, j, k uint32) {
	c := e.Triangles[t]
	at := slices.Index(c[:], v)
	return c[at], c[(at+1)%3], c[(at+2)%3]
}

// least returns the least cosine between a direction and normals.
func least(n exact.Vec, normals []exact.Vec) float64 {
	lo := math.Inf(1)
	for _, normal := range normals {
		lo = min(lo, n.Dot(normal))
	}
	return lo
}

// search returns the direction with the greatest least cosine, and this cosine. The candidates are n, the normals,
// the directions midway between two normals, and those at equal angles to three. In a tie the first one wins.
func search(n exact.Vec, normals []exact.Vec) (best exact.Vec, leaning float64) {
	best, leaning = n, least(n, normals)
	try := func(candidate exact.Vec) {
		candidate = candidate.Unit()
		if l := least(candidate, normals); l > leaning {
			best, leaning = candidate, l
		}
	}
	for _, a := range normals {
		try(a)
	}
	for i, a := range normals {
		for _, b := range normals[i+1:] {
			try(a.Add(b))
		}
	}
	for i, a := range normals {
		for j, b := range normals[i+1:] {
			for _, c := range normals[i+1+j+1:] {
				axis := b.Sub(a).Cross(c.Sub(a))
				try(axis)
				try(axis.Scale(-1))
			}
		}
	}
	return best, leaning
}

// rounding bounds the relative error of a sum. If the computed sum exceeds `rounding` times a bound on
// its terms, the exact sum is positive.
const rounding = 1. / (1 << 18)

// addCaps sets the cap of every vertex: the lowest level of its triangles.
func (e *Envelope) addCaps(ctx context.Context) {
	levels := make([]int32, len(e.Triangles))
	must.OK(apps.OnEach(progress.Part(ctx, 0, .9), len(levels), func(t int) {
		levels[t] = e.upright(uint32(t))
	}))
	e.Caps = make([]int32, len(e.Positions))
	must.OK(apps.OnEach(progress.Part(ctx, .9, 1), len(e.Caps), func(v int) {
		e.Caps[v] = Levels
		for _, t := range e.around(v) {
			e.Caps[v] = min(e.Caps[v], levels[t])
		}
	}))
}

// upright returns the highest level up to which a triangle faces every direction in which a corner moves,
// even if its corners stop at different levels. It returns 0 if there is none.
func (e *Envelope) upright(t uint32) int32 {
	if e.uprightAt(t, Levels) { // true for most triangles
		return Levels
	}
	return highestLevel(0, Levels-1, func(level int32) bool { return e.uprightAt(t, float64(level)) })
}

// highestLevel returns the highest level from lo to hi at which `ok` returns true, or lo if there is none.
// Above lo, `ok` must return true up to some level, and false beyond; it is not called for lo.
func highestLevel(lo, hi int32, ok func(level int32) bool) int32 {
	for lo < hi {
		if mid := (lo + hi + 1) / 2; ok(mid) {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return lo
}

func (e *Envelope) uprightAt(t uint32, level float64) bool {
	c := e.Triangles[t]
	for i := range c {
		d := exact.Double(e.Steps[c[i]])
		if d == (exact.Vec{}) {
			continue
		}
		out := d
		if e.Side == Inner {
			out = d.Scale(-1)
		}
		p := exact.Double(e.Positions[c[i]])
		next, last := c[(i+1)%3], c[(i+2)%3]
		restA, restB := exact.Double(e.Positions[next]).Sub(p), exact.Double(e.Positions[last]).Sub(p)
		movedA, movedB := restA.Add(exact.Double(e.Steps[next]).Scale(level)), restB.Add(exact.Double(e.Steps[last]).Scale(level))
		// The volume is linear in each corner's level: if it is positive at these four points, it
		// is positive between them.
		for _, a := range [2]exact.Vec{restA, movedA} {
			for _, b := range [2]exact.Vec{restB, movedB} {
				if !(out.Dot(a.Cross(b)) > d.Sum1()*(a.Sum1()+b.Sum1())*rounding) {
					return false
				}
			}
		}
	}
	return true
}

// Device is an envelope on a device: shaders/functions/envelope.glsl with its tables.
type Device struct {
	Tables stream.Tables

	backend  *gpu.Backend
	envelope *Envelope
	rest     []shaders.EnvelopeResult // every vertex at rest
}

const movedTable = "EnvelopeMoved"

// NewDevice uploads the tables of an envelope, with every vertex at rest.
func NewDevice(b *gpu.Backend, e *Envelope) (*Device, error) {
	if e == nil || e.Mesh == nil || len(e.First) != len(e.Positions)+1 {
		return nil, errors.New("envelope: none that New made")
	}
	d := &Device{backend: b, envelope: e}
	vertices := make([]shaders.EnvelopeVertex, len(e.Positions)+1) // one extra vertex holds the end of Around
	d.rest = make([]shaders.EnvelopeResult, len(e.Positions))
	for v, p := range e.Positions {
		vertices[v] = shaders.EnvelopeVertex{Position: withWord(p, e.First[v]), Step: withWord(e.Steps[v], uint32(e.Caps[v]))}
		d.rest[v].Moved = p.Vec4(0)
	}
	vertices[len(e.Positions)].Position[3] = e.First[len(e.Positions)]
	triangles := make([][4]uint32, len(e.Triangles))
	for i, c := range e.Triangles {
		triangles[i] = [4]uint32{c[0], c[1], c[2]}
	}
	nodes := make([]shaders.EnvelopeNode, len(e.Nodes))
	for i, n := range e.Nodes {
		nodes[i] = shaders.EnvelopeNode{Lo: withWord(n.Lo, n.Skip), Hi: withWord(n.Hi, n.Leaf)}
	}
	var err error
	d.Tables, err = stream.NewTables(b,
		stream.Table("EnvelopeVertices", vertices), stream.Table("EnvelopeTriangles", triangles),
		stream.Table("EnvelopeAround", e.Around), stream.Table("EnvelopeNodes", nodes), stream.Table(movedTable, d.rest))
	return d, err
}

// withWord packs a vector and a word into 16 bytes.
func withWord(v mgl32.Vec3, word uint32) [4]uint32 {
	return [4]uint32{math.Float32bits(v[0]), math.Float32bits(v[1]), math.Float32bits(v[2]), word}
}

// cpuRounds is how many loop iterations Mesa's CPU driver executes before it silently ends an invocation,
// minus the strategy's own iterations. All lanes of a subgroup share this limit.
const cpuRounds = 60000

// Options returns the options of a stream that uses the tables.
func (d *Device) Options(c reuse.Config, s renderer.Subgroups) stream.Options {
	o := stream.Options{Function: plan.Function{Name: "envelope", Reuse: c, Subgroups: s, Spec: map[string]uint32{}}}
	if info := d.backend.Info(); info.Software {
		o.Spec["ENVELOPE_ROUNDS"] = uint32(cpuRounds / info.Subgroup)
	}
	return o
}

// ShadeBy is Envelope.ShadeBy on the device.
func (d *Device) ShadeBy(ctx context.Context, o stream.Options) (_ *Made, err error) {
	defer must.Catch(&err)
	must.OK(gpu.Upload(d.backend.GPU(), d.Tables[movedTable], d.rest))
	run := must.Get(stream.NewRun(d.backend, d.envelope.Stream(), d.Tables, o))
	defer run.Close()
	m := &Made{Cutting: run.Cutting}
	m.Took = must.Get(run.Time(ctx))
	m.Stats, m.Counts = must.Get2(run.Counts())
	m.Vertices, err = d.shaded(ctx)
	return m, err
}

// shaded downloads the vertices. It shades on the host the vertices that a CPU driver could not finish.
func (d *Device) shaded(ctx context.Context) ([]Shaded, error) {
	results, err := gpu.Download[shaders.EnvelopeResult](d.backend.GPU(), d.Tables[movedTable], len(d.rest))
	if err != nil {
		return nil, err
	}
	out := make([]Shaded, len(results))
	return out, apps.OnEach(ctx, len(out), func(v int) {
		if p := mgl32.Vec4(results[v].Moved); p[3] < 0 { // ENVELOPE_UNSHADED
			out[v] = d.envelope.ShadeVertex(uint32(v))
		} else {
			out[v] = Shaded{Position: p.Vec3(), Level: int32(p[3])}
		}
	})
}

// Close frees the tables.
func (d *Device) Close() { d.Tables.Close() }
