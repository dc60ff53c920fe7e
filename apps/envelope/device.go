package envelope

import (
	"context"
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/renderer/stream"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders"
)

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
	d := &Device{backend: b, envelope: e}
	vertices := make([]shaders.EnvelopeVertex, len(e.Positions)+1) // one more, with the end of Around
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

// cpuRounds is how many loop iterations Mesa's CPU driver executes before it silently ends an
// invocation, minus those of the strategy. The lanes of a subgroup share them.
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
func (d *Device) ShadeBy(ctx context.Context, o stream.Options) (m *Made, err error) {
	defer must.Catch(&err)
	must.OK(gpu.Upload(d.backend.GPU(), d.Tables[movedTable], d.rest))
	run := must.Get(stream.NewRun(d.backend, d.envelope.Stream(), d.Tables, o))
	defer run.Close()
	m = &Made{Cutting: run.Cutting}
	m.Took = must.Get(run.Time(ctx))
	if m.Stats, m.Counts, err = run.Counts(); err != nil {
		return nil, err
	}
	m.Vertices, err = d.shaded(ctx)
	return m, err
}

// shaded downloads the vertices. It shades on the host those that a CPU driver could not finish.
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
