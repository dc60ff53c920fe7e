package shade

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/spirv/link"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// The attribute names that stand for a scene's pools of positions and normals.
const (
	positionName = "position"
	normalName   = "normal"
)

// meanings maps the name of an input to the scene's attribute that it means. The names are as plainName
// returns them, without the number at their end. If the attribute ends in _, that number is appended to it.
var meanings = func() map[string]string {
	all := map[string]string{}
	for attribute, text := range map[string]string{
		positionName: "position positions pos vertex vertices vertexposition vertexpos vert p xyz coord localposition localpos modelposition objectposition svposition",
		normalName:   "normal normals norm nrm n vertexnormal localnormal",
		"TANGENT":    "tangent tangents tan tang vertextangent",
		"TEXCOORD_":  "texcoord texcoords texturecoord texturecoords texturecoordinate texcoordinate tex uv uvs uvcoord st vertexuv vertextexcoord",
		"COLOR_":     "color colors colour colours col rgb rgba vertexcolor vertexcolour vertcolor diffuse",
		"JOINTS_":    "joint joints jointindices jointids bone bones boneids boneid boneindices boneindex blendindices blendindex skinindex",
		"WEIGHTS_":   "weight weights jointweights jointweight boneweights boneweight blendweights blendweight skinweight",
	} {
		for _, name := range strings.Fields(text) {
			all[name] = attribute
		}
	}
	return all
}()

// byLocation lists the attributes that inputs without names read, by location.
var byLocation = []string{positionName, normalName, "TEXCOORD_0", "COLOR_0", "TANGENT", "JOINTS_0", "WEIGHTS_0"}

// input is an input of the shader, or what one location of a matrix or array input holds.
type input struct {
	name     string // empty if the module has none
	location uint32
	typeName string
	class    vertexformat.Class // of its numbers; 0 for a type that no attribute can have
}

func (in *input) String() string {
	return fmt.Sprintf("%s (%s, location %d)", cmp.Or(in.name, "an input"), in.typeName, in.location)
}

// meant returns the attribute that an input's name stands for, or "".
func meant(name string) string {
	plain := plainName(name)
	bare := strings.TrimRight(plain, "0123456789")
	attribute, ok := meanings[bare]
	if !ok {
		return ""
	}
	number, err := strconv.Atoi(plain[len(bare):])
	if err != nil {
		number = 0
	}
	switch {
	case strings.HasSuffix(attribute, "_"):
		return attribute + strconv.Itoa(number)
	case number > 0:
		return ""
	}
	return attribute
}

// readable is data of a scene that an input can read.
type readable struct {
	name      string
	attribute int // index into Scene.Attributes, or link.FromPositions or link.FromNormals
	format    vertexformat.Format
	missing   int // how many vertices of the pool have no value
}

// matcher finds a scene's data for the inputs of a shader.
type matcher struct {
	*uniforms
	scene *geometry.Scene
	have  []readable
	notes []string // what the user should know about inputs and the scene's data, one line each
}

func newMatcher(u *uniforms, scene *geometry.Scene) *matcher {
	m := &matcher{uniforms: u, scene: scene, have: []readable{{positionName, link.FromPositions, vertexformat.R32G32B32_SFLOAT, 0}}}
	if len(scene.Normals) > 0 {
		m.have = append(m.have, readable{normalName, link.FromNormals, vertexformat.R32G32B32_SFLOAT, 0})
	}
	for i, a := range scene.Attributes {
		m.have = append(m.have, readable{a.Name, i, a.Format, a.Missing})
	}
	return m
}

// find returns the scene's data of this exact name; nil if there is none.
func (m *matcher) find(name string) *readable {
	return m.first(func(r *readable) bool { return r.name == name })
}

// like returns the scene's attribute of this name, ignoring case, underscores and prefixes; nil if there is none.
func (m *matcher) like(name string) *readable {
	return m.first(func(r *readable) bool { return r.attribute >= 0 && plainName(r.name) == plainName(name) })
}

func (m *matcher) first(is func(*readable) bool) *readable {
	for i := range m.have {
		if is(&m.have[i]) {
			return &m.have[i]
		}
	}
	return nil
}

// names lists the scene's data.
func (m *matcher) names() []string {
	return names.Of(m.have, func(r readable) string { return r.name })
}

// offers lists the scene's data with the formats of attributes, for messages.
func (m *matcher) offers() string {
	list := m.names()
	for i, r := range m.have {
		if r.attribute >= 0 {
			list[i] += " (" + r.format.String() + ")"
		}
	}
	return strings.Join(list, ", ")
}

// match finds what every input reads. The uniforms file may name the scene's data, or give constants, for an input. For other
// inputs match looks for data by the input's name, or by the location of an input without a name. An input without data is an
// error if m.strict; else it reads 0, 0, 0, 1, as missing components do in Vulkan.
func (m *matcher) match(inputs []input) (list []link.Input, err error) {
	defer must.Catch(&err)
	explicit, constants := m.explicit(inputs)
	var lacks []string
	for i := range inputs {
		in := &inputs[i]
		if given := constants[in.location]; given != nil {
			list = append(list, m.constant(in, given))
			continue
		}
		from := cmp.Or(explicit[in.location], m.byName(in))
		if from == nil {
			lacks = append(lacks, in.String())
			list = append(list, m.constant(in, nil))
			continue
		}
		as, ok := from.format.As(in.class)
		if !ok {
			return nil, fmt.Errorf("%s cannot read %s, which is %s", in, from.name, from.format)
		}
		found := link.Input{Location: in.location, Attribute: from.attribute}
		if as != from.format {
			found.Format = as
		}
		list = append(list, found)
	}
	if len(lacks) > 0 {
		text := fmt.Sprintf("nothing in the mesh for %s; it has %s", strings.Join(lacks, ", "), m.offers())
		if m.strict {
			return nil, errors.New(text)
		}
		m.notes = append(m.notes, text+": read as 0, 0, 0, 1")
	}
	return list, nil
}

// constant makes an input that reads the same numbers for every vertex: those of the file's node n, or 0, 0, 0, 1 if n is nil.
func (m *matcher) constant(in *input, n *yaml.Node) link.Input {
	if in.class == 0 {
		must.Fail("%s: no constant of that type", in)
	}
	t := &module.Type{Kind: map[vertexformat.Class]module.Kind{vertexformat.Float: module.Float, vertexformat.Sint: module.Int, vertexformat.Uint: module.Uint}[in.class], Width: 32}
	format := vertexformat.Array(4, 32, map[module.Kind]string{module.Float: "SFLOAT", module.Int: "SINT", module.Uint: "UINT"}[t.Kind])
	c := link.Input{Location: in.location, Attribute: link.FromConstant, Format: format, Value: [4]uint32{3: 1}}
	if t.Kind == module.Float {
		c.Value[3] = math.Float32bits(1)
	}
	if n == nil {
		return c
	}
	numbers := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		numbers = n.Content
	}
	if len(numbers) == 0 || len(numbers) > len(c.Value) {
		m.fail(n, "%s: %d numbers, want 1 to 4", in, len(numbers))
	}
	for i, number := range numbers {
		bits, err := numberBits(t, number)
		if err != nil {
			m.fail(number, "%s: %.40q: want %w", in, number.Value, err)
		}
		c.Value[i] = uint32(bits)
	}
	return c
}

// lacks returns words for messages: how many of the vertices have no value in the file. It returns "" if all have one.
func (r *readable) lacks(vertices int) string {
	if r.missing == 0 {
		return ""
	}
	return fmt.Sprintf("; %d of %d vertices have none and read 0, 0, 0, 1", r.missing, vertices)
}

// byName finds data by an input's name, or by its location if it has no name; nil if there is none.
func (m *matcher) byName(in *input) *readable {
	if in.name != "" {
		return cmp.Or(m.find(meant(in.name)), m.like(in.name))
	}
	if int(in.location) >= len(byLocation) {
		return nil
	}
	return m.find(byLocation[in.location])
}

// explicit returns what the uniforms file says about inputs, by location. `all` has the data that it names for some
// of them; `constants` has the numbers that it gives for others.
func (m *matcher) explicit(inputs []input) (all map[uint32]*readable, constants map[uint32]*yaml.Node) {
	all, constants = map[uint32]*readable{}, map[uint32]*yaml.Node{}
	for _, e := range m.attributes {
		i := slices.IndexFunc(inputs, func(in input) bool { return in.name == e.name || strconv.Itoa(int(in.location)) == e.name })
		if i < 0 {
			have := names.Of(inputs, func(in input) string { return cmp.Or(in.name, strconv.Itoa(int(in.location))) })
			m.unknown(&m.notes, e.key, names.Unknown("input", e.name, have))
			continue
		}
		if e.node.Kind == yaml.SequenceNode || e.node.Tag == "!!int" || e.node.Tag == "!!float" {
			constants[inputs[i].location] = e.node
			continue
		}
		text := m.text(e)
		from := cmp.Or(m.find(text), m.like(text))
		if from == nil {
			m.fail(e.node, "%s: %w", m.scene.Name, names.Unknown("attribute", text, m.names()))
		}
		all[inputs[i].location] = from
	}
	return all, constants
}
