package plan

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/internal/spirv/link"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/renderer"
)

// moduleShade shades with vertex shaders that a user or a capture provides (renderer.Frame.Shading).
// Package link joins them with the passes that shade, in place of ours. Buffers hold what they read:
// their attributes, a record per draw, and the values of their blocks.
type moduleShade struct {
	frame *renderer.Frame

	joinKey    string
	programs   []link.Program
	layout     link.Layout
	attributes []packed
	copies     []*copies
	records    content        // of Shadings; package link defines a draw's record
	values     content        // copies of blocks
	uniforms   content        // copies that are in a uniform buffer
	images     map[int]uint32 // by index in Shading.Values: where an image's contents begin in the buffer Values, in texels
	open       [][]byte       // contents of blocks that end in a runtime array
	opened     []int          // for each of open, its index in Shading.Values; negative if open has a longer copy
}

// packed is an attribute stored in AttributeWords.
type packed struct {
	attribute int // index in Scene.Attributes
	first     int // byte at which it begins
}

func (m *moduleShade) layOut(precise bool) error {
	f, s := m.frame, m.frame.Shading
	*m = moduleShade{frame: f, layout: link.Layout{Precise: precise, Shown: s.Shown}, images: map[int]uint32{}}
	if f.View == renderer.Varying {
		m.layout.Scale, m.layout.Offset = f.Look.Range.Map()
	}
	m.layout.Distances = f.Distances()
	for _, p := range s.Programs {
		if p.Counter() != 0 {
			m.layout.LoopEnds = loopEndsBinding
		}
		p.Inputs = slices.Clone(p.Inputs)
		for i := range p.Inputs {
			m.layOutInput(&p.Inputs[i])
		}
		m.programs = append(m.programs, p)
	}
	if err := m.checkShown(); err != nil {
		return fmt.Errorf("vertex shader %s: %w", s.Name, err)
	}
	if err := m.layOutValues(); err != nil {
		return err
	}
	m.makeRecords()
	m.joinKey = m.hash()
	return nil
}

// checkShown returns an error if no program has the output that the frame shows. If only some have
// it, the draws of the others are shown black.
func (m *moduleShade) checkShown() error {
	var have []string
	found := false
	for _, p := range m.programs {
		_, ok := p.Vertex.Part(m.layout.Shown)
		found = found || ok
		for _, o := range p.Vertex.Showable() {
			if !slices.Contains(have, o.Name) {
				have = append(have, o.Name)
			}
		}
	}
	switch output := m.layout.Shown; {
	case output == "" || found:
		return nil
	case len(have) == 0:
		return fmt.Errorf("no output %q: only positions are put out", output)
	default:
		return names.Unknown("output", output, have)
	}
}

// shownFlatly reports whether the varying view does not interpolate, because the output is flat in
// all programs that have it.
func shownFlatly(f *renderer.Frame) bool {
	if f.View != renderer.Varying || f.Shading == nil {
		return false
	}
	flat := false
	for _, p := range f.Shading.Programs {
		if part, ok := p.Vertex.Part(f.Shading.Shown); ok {
			if flat = part.FlatlyShown(); !flat {
				return false
			}
		}
	}
	return flat
}

// layOutInput sets where an input finds its attribute, and in which format. An attribute that no earlier input reads is added
// at the end of the packed ones.
func (m *moduleShade) layOutInput(in *link.Input) {
	if in.Attribute < 0 {
		return
	}
	i := slices.IndexFunc(m.attributes, func(p packed) bool { return p.attribute == in.Attribute })
	if i < 0 {
		i = len(m.attributes)
		m.attributes = append(m.attributes, packed{in.Attribute, m.attributeBytes()})
	}
	a := &m.frame.Scene.Attributes[in.Attribute]
	in.Format, in.FirstByte, in.PerDraw = cmp.Or(in.Format, a.Format), uint32(m.attributes[i].first), a.PerDraw
}

// vertexBytes returns the least number of bytes per vertex that any of the programs reads. It counts
// data once even if several inputs read it.
func (m *moduleShade) vertexBytes(*Plan) int64 {
	least := int64(math.MaxInt64)
	for _, p := range m.programs {
		bytes, seen := int64(0), map[link.Input]bool{}
		for _, in := range p.Inputs {
			in.Location = 0
			switch {
			case seen[in] || in.PerDraw:
			case in.Attribute >= 0:
				bytes += int64(in.Format.Size())
			default:
				bytes += vectorBytes
			}
			seen[in] = true
		}
		least = min(least, bytes)
	}
	return least
}

// attributeBytes returns the total bytes of the packed attributes, in whole words.
func (m *moduleShade) attributeBytes() int {
	if len(m.attributes) == 0 {
		return 0
	}
	last := m.attributes[len(m.attributes)-1]
	return (last.first + len(m.frame.Scene.Attributes[last.attribute].Data) + 3) &^ 3
}

// attributeData returns the contents of AttributeWords: the attributes one after another, and one
// more word, since unaligned elements are read as whole words.
func (m *moduleShade) attributeData() []byte {
	data := make([]byte, m.attributeBytes()+4)
	for _, p := range m.attributes {
		copy(data[p.first:], m.frame.Scene.Attributes[p.attribute].Data)
	}
	return data
}

func (m *moduleShade) buffers(p *planner) {
	p.add(AttributeWords, ByPlan, "scene", "uint attribute", m.attributeBytes()/4+1, 4)
	m.contentBuffer(p, Shadings, "uint record", 4)
	m.contentBuffer(p, Values, "uint4 of blocks", 16)
	m.contentBuffer(p, Uniforms, "uint4 of blocks", 16).Usage = Uniform
	if m.layout.LoopEnds != 0 {
		p.add(LoopEnds, ByPlan, "frame", "uint program", 1, 4)
	}
	for i, data := range m.open {
		p.add(openBlock(i), ByPlan, "scene", "uint of a block", (len(data)+3)/4, 4)
	}
}

func (m *moduleShade) contentBuffer(p *planner, b Block, shape string, size int) *Buffer {
	c, filled := m.content(b), ByPlan
	if c.followed > 0 {
		filled = ByCamera
	}
	buffer := p.add(b, filled, "frame", shape, (len(c.bytes)+size-1)/size, size)
	buffer.Followed = int64(c.followed)
	return buffer
}

// hash returns equal values if programs and layouts are equal; the joined modules are then equal too.
func (m *moduleShade) hash() string {
	h := sha256.New()
	fmt.Fprintln(h, m.layout)
	for _, p := range m.programs {
		fmt.Fprintf(h, "%v %v %v %#v %v\n", p.Vertex.Module.Code, p.Vertex.Entry.Name, p.Vertex.Given, p.Inputs, p.Blocks) // %#v: an input's String leaves out where it lies
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (*moduleShade) String() string { return "module" }
func (m *moduleShade) key() string  { return m.joinKey }

func (m *moduleShade) outputs() uint32 {
	if slices.ContainsFunc(m.frame.Shading.Programs, func(p link.Program) bool { return len(p.Vertex.Outputs) > 0 }) {
		return shaders.OutputsShown
	}
	return shaders.OutputsNone
}

// spec adds the constant that says whether some draws are only transformed (unshaded).
func (m *moduleShade) spec(spec map[string]uint32) {
	some := false
	for i := range m.frame.Shading.Draws {
		some = some || unshaded(m.frame, i)
	}
	spec["UNSHADED"] = flag(some)
}

// unshaded reports whether a draw is only transformed although the frame has vertex shaders: no
// program shades it, or it is hidden.
func unshaded(f *renderer.Frame, draw int) bool {
	return f.Shading != nil && (f.Shading.Draws[draw].Program < 0 || f.Hides(draw))
}

// raw returns the variant of a graphics shader that fetches the inputs of a user's vertex shaders from buffers.
func (*moduleShade) raw(shader string) string { return shader + "-fetched" }

func (m *moduleShade) join(s *shaders.Shader) (*shaders.Shader, error) {
	layout := m.layout
	if m.stores(s) {
		layout.Stored = distancesBinding()
	}
	joined, err := join(s, m.programs, layout)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.frame.Shading.Name, err)
	}
	joined.Bindings = m.bindings(s)
	return joined, nil
}

func (m *moduleShade) bindings(s *shaders.Shader) []shaders.Binding {
	list := slices.DeleteFunc(slices.Clone(s.Bindings), func(b shaders.Binding) bool { return slices.Contains(ourBlocks, Block(b.Name)) })
	list = append(list, s.Open...)
	for i := range m.open {
		list = append(list, shaders.Binding{
			Binding: shaders.OpenBinding + uint32(i), Name: string(openBlock(i)), ReadOnly: true,
		})
	}
	if m.stores(s) {
		list = slices.DeleteFunc(list, func(b shaders.Binding) bool { return b.Name == string(Distances) })
		list = append(list, shaders.Binding{Binding: distancesBinding(), Name: string(Distances)})
	}
	if m.layout.LoopEnds != 0 {
		list = append(list, shaders.Binding{Binding: m.layout.LoopEnds, Name: string(LoopEnds)})
	}
	return list
}

// stores reports whether a shader stores the distances that vertex shaders write, as geometry
// passes do. Shaders that shade a vertex again do not need them, or pass them to the pipeline.
func (m *moduleShade) stores(s *shaders.Shader) bool {
	geometry := strings.HasPrefix(s.Name, "geometry/") || strings.HasPrefix(s.Name, "fused/")
	return geometry && m.layout.Distances.Total() > 0
}

func distancesBinding() uint32 {
	return shaders.Must("raster/small").Binding(string(Distances)).Binding
}

// loopEndsBinding follows the bindings of blocks that end in a runtime array.
const loopEndsBinding = shaders.OpenBinding + shaders.OpenBlocks

// LoopsEnded returns the error for the contents of the buffer LoopEnds; nil for 0.
func (p *Plan) LoopsEnded(program uint32) error {
	if program == 0 {
		return nil
	}
	of := &p.Frame.Shading.Programs[program-1]
	return fmt.Errorf("vertex shader %s: %w", of.Name, module.LoopError{Limit: of.Vertex.Module.Loops.Limit})
}

func (m *moduleShade) reads(s *shaders.Shader, reads []Block) []Block {
	reads = except(reads, ourBlocks...)
	for i := range s.Open {
		reads = append(reads, Block(s.Open[i].Name))
	}
	for i := range m.open {
		reads = append(reads, openBlock(i))
	}
	return reads
}

// join returns a shader joined with vertex shaders.
func join(s *shaders.Shader, programs []link.Program, l link.Layout) (*shaders.Shader, error) {
	words, capabilities, err := link.Join(s.Words(), programs, l)
	if err != nil {
		return nil, err
	}
	joined := *s
	joined.SPIRV, joined.Capabilities = module.Bytes(words), nil
	for _, c := range capabilities {
		joined.Capabilities = append(joined.Capabilities, c.String())
	}
	return &joined, nil
}
