package applications

import (
	"context"
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry/apps"
	"github.com/shadeonce/shadeonce/geometry/apps/envelope"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer/stream"
	"github.com/shadeonce/shadeonce/shaders"
)

// EnvelopeTables are what the envelope's shade function reads and writes, on a device.
type EnvelopeTables struct {
	Buffers stream.Tables

	backend  *gpu.Backend
	envelope *envelope.Envelope
	rest     []shaders.EnvelopeResult // every vertex at rest
}

const envelopeMoved = "EnvelopeMoved"

// NewEnvelopeTables uploads the tables of an envelope, with every vertex at rest.
func NewEnvelopeTables(b *gpu.Backend, e *envelope.Envelope) (*EnvelopeTables, error) {
	t := &EnvelopeTables{backend: b, envelope: e}
	vertices := make([]shaders.EnvelopeVertex, len(e.Positions)+1) // the last one has the end of Around
	t.rest = make([]shaders.EnvelopeResult, len(e.Positions))
	for v, p := range e.Positions {
		vertices[v] = shaders.EnvelopeVertex{Position: withWord(p, e.First[v]), Step: withWord(e.Steps[v], uint32(e.Caps[v]))}
		t.rest[v].Moved = p.Vec4(0)
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
	t.Buffers, err = stream.NewTables(b,
		stream.Table("EnvelopeVertices", vertices), stream.Table("EnvelopeTriangles", triangles),
		stream.Table("EnvelopeAround", e.Around), stream.Table("EnvelopeNodes", nodes), stream.Table(envelopeMoved, t.rest))
	if err != nil {
		return nil, err
	}
	return t, nil
}

// withWord is a vector's bits, and a word that shares its 16 bytes.
func withWord(v mgl32.Vec3, word uint32) [4]uint32 {
	return [4]uint32{math.Float32bits(v[0]), math.Float32bits(v[1]), math.Float32bits(v[2]), word}
}

// Reset puts every vertex to rest.
func (t *EnvelopeTables) Reset() error {
	return gpu.Upload(t.backend.GPU(), t.Buffers[envelopeMoved], t.rest)
}

// cpuRounds is how many rounds of loops Mesa's CPU driver runs before it ends an
// invocation without notice, less those of the strategy. The lanes of a subgroup have
// them together.
const cpuRounds = 60000

// Options are those of a stream that is shaded by the tables.
func (t *EnvelopeTables) Options(c reuse.Config, s renderer.Subgroups) stream.Options {
	o := stream.Options{Function: "envelope", Reuse: c, Subgroups: s, Spec: map[string]uint32{}}
	if info := t.backend.GPU().Info; info.Type == gpu.TypeCPU {
		o.Spec["ENVELOPE_ROUNDS"] = uint32(cpuRounds / info.Subgroup.Size)
	}
	return o
}

// Shaded downloads the vertices. Those that no triangle names rest. Those that a CPU
// driver could not finish are shaded here.
func (t *EnvelopeTables) Shaded(ctx context.Context) ([]envelope.Shaded, error) {
	results, err := gpu.Download[shaders.EnvelopeResult](t.backend.GPU(), t.Buffers[envelopeMoved], len(t.rest))
	if err != nil {
		return nil, err
	}
	out := make([]envelope.Shaded, len(results))
	return out, apps.OnAll(ctx, len(out), func(from, to int) {
		for v := from; v < to; v++ {
			if p := mgl32.Vec4(results[v].Moved); p[3] < 0 { // ENVELOPE_UNSHADED
				out[v] = t.envelope.ShadeVertex(uint32(v))
			} else {
				out[v] = envelope.Shaded{Position: p.Vec3(), Level: int32(p[3])}
			}
		}
	})
}

// Close frees the tables.
func (t *EnvelopeTables) Close() { t.Buffers.Close() }
