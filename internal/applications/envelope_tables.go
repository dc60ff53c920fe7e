package applications

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry/apps/envelope"
	"github.com/shadeonce/shadeonce/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer/stream"
	"github.com/shadeonce/shadeonce/shaders"
)

// EnvelopeFunction is the name of the envelope's shade function.
const EnvelopeFunction = "envelope"

// EnvelopeTables are what the envelope's shade function reads and writes, on a device.
type EnvelopeTables struct {
	Buffers map[string]*gpu.Buffer // by the names of the function's blocks

	backend *gpu.Backend
	rest    []shaders.EnvelopeResult // every vertex at rest
}

const envelopeMoved = "EnvelopeMoved"

// NewEnvelopeTables uploads the tables of an envelope, with every vertex at rest.
func NewEnvelopeTables(b *gpu.Backend, e *envelope.Envelope) (*EnvelopeTables, error) {
	t := &EnvelopeTables{Buffers: map[string]*gpu.Buffer{}, backend: b}
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
	for _, err := range []error{
		addTable(t, b, "EnvelopeVertices", vertices), addTable(t, b, "EnvelopeTriangles", triangles),
		addTable(t, b, "EnvelopeAround", e.Around), addTable(t, b, "EnvelopeNodes", nodes), addTable(t, b, envelopeMoved, t.rest),
	} {
		if err != nil {
			t.Close()
			return nil, err
		}
	}
	return t, nil
}

// withWord is a vector's bits, and a word that shares its 16 bytes.
func withWord(v mgl32.Vec3, word uint32) [4]uint32 {
	return [4]uint32{math.Float32bits(v[0]), math.Float32bits(v[1]), math.Float32bits(v[2]), word}
}

func addTable[T any](t *EnvelopeTables, b *gpu.Backend, name string, data []T) (err error) {
	t.Buffers[name], err = stream.NewTable(b, name, data)
	return err
}

// Reset puts every vertex to rest.
func (t *EnvelopeTables) Reset() error {
	return gpu.Upload(t.backend.GPU(), t.Buffers[envelopeMoved], t.rest)
}

// Shaded downloads the vertices. Those that were not shaded rest.
func (t *EnvelopeTables) Shaded() ([]envelope.Shaded, error) {
	results, err := gpu.Download[shaders.EnvelopeResult](t.backend.GPU(), t.Buffers[envelopeMoved], len(t.rest))
	if err != nil {
		return nil, err
	}
	out := make([]envelope.Shaded, len(results))
	for v, r := range results {
		out[v] = envelope.Shaded{Position: mgl32.Vec3(r.Moved[:3]), Level: int32(r.Moved[3])}
	}
	return out, nil
}

// Close frees the tables.
func (t *EnvelopeTables) Close() {
	for _, b := range t.Buffers {
		b.Close()
	}
}
