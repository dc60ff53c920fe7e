package shade

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/shaders/link"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// The names of a scene's own pools, as attributes.
const (
	positionName = "position"
	normalName   = "normal"
)

// meanings maps the names of inputs that mean the same to the scene's attribute. The names are as
// plainName returns them, without a number at the end. If an entry ends in _, the number is
// appended.
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

// byLocation lists the attributes of inputs without names, by location.
var byLocation = []string{positionName, normalName, "TEXCOORD_0", "COLOR_0", "TANGENT", "JOINTS_0", "WEIGHTS_0"}

// input is an input of the shader, or a column of one that is a matrix.
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

// matcher finds a scene's data for the inputs of a shader.
type matcher struct {
	*uniforms
	scene *geometry.Scene
}

// find returns the number of the attribute of that name.
func (m *matcher) find(name string) (attribute int, ok bool) {
	switch {
	case name == positionName:
		return link.FromPositions, true
	case name == normalName && len(m.scene.Normals) > 0:
		return link.FromNormals, true
	}
	i := slices.IndexFunc(m.scene.Attributes, func(a geometry.Attribute) bool { return a.Name == name })
	return i, i >= 0
}

// like is find, but ignores case, underscores and prefixes.
func (m *matcher) like(name string) (attribute int, ok bool) {
	i := slices.IndexFunc(m.scene.Attributes, func(a geometry.Attribute) bool { return plainName(a.Name) == plainName(name) })
	return i, i >= 0
}

// has lists the scene's attributes.
func (m *matcher) has() (list []string) {
	list = []string{positionName}
	if len(m.scene.Normals) > 0 {
		list = append(list, normalName)
	}
	for _, a := range m.scene.Attributes {
		list = append(list, a.Name)
	}
	return list
}

// offers lists the scene's attributes with their formats, for messages.
func (m *matcher) offers() string {
	list := m.has()
	first := len(list) - len(m.scene.Attributes)
	for i, a := range m.scene.Attributes {
		list[first+i] += " (" + a.Format.String() + ")"
	}
	return strings.Join(list, ", ")
}

// match finds the data of every input. The file's entries take precedence over names, and names
// over locations.
func (m *matcher) match(inputs []input) (list []link.Input, err error) {
	explicit, err := m.explicit(inputs)
	if err != nil {
		return nil, err
	}
	var lacks []string
	for i := range inputs {
		in := &inputs[i]
		attribute, ok := explicit[in.location]
		if !ok {
			if attribute, ok = m.byName(in); !ok {
				lacks = append(lacks, in.String())
				continue
			}
		}
		format := vertexformat.R32G32B32_SFLOAT
		if attribute >= 0 {
			format = m.scene.Attributes[attribute].Format
		}
		as, ok := format.As(in.class)
		if !ok {
			return nil, fmt.Errorf("%s cannot read %s, which is %s", in, m.name(attribute), format)
		}
		found := link.Input{Location: in.location, Attribute: attribute}
		if as != format {
			found.Format = as
		}
		list = append(list, found)
	}
	if len(lacks) > 0 {
		return nil, fmt.Errorf("nothing in the mesh for %s; it has %s", strings.Join(lacks, ", "), m.offers())
	}
	return list, nil
}

// name returns an attribute's name.
func (m *matcher) name(attribute int) string {
	switch attribute {
	case link.FromPositions:
		return positionName
	case link.FromNormals:
		return normalName
	}
	return m.scene.Attributes[attribute].Name
}

// lacks says for how many vertices the file has no value of an attribute; empty if there are
// none.
func (m *matcher) lacks(attribute int) string {
	if attribute < 0 || m.scene.Attributes[attribute].Missing == 0 {
		return ""
	}
	return fmt.Sprintf("; %d of %d vertices have none and read 0, 0, 0, 1", m.scene.Attributes[attribute].Missing, len(m.scene.Positions))
}

// byName finds data by an input's name, or by its location if it has no name.
func (m *matcher) byName(in *input) (attribute int, ok bool) {
	if in.name == "" {
		if int(in.location) >= len(byLocation) {
			return 0, false
		}
		return m.find(byLocation[in.location])
	}
	if attribute, ok = m.find(meant(in.name)); ok {
		return attribute, true
	}
	return m.like(in.name)
}

// explicit returns the attributes that the uniforms file names, by location.
func (m *matcher) explicit(inputs []input) (map[uint32]int, error) {
	all := map[uint32]int{}
	for _, e := range m.attributes {
		i := slices.IndexFunc(inputs, func(in input) bool { return in.name == e.name || strconv.Itoa(int(in.location)) == e.name })
		if i < 0 {
			var have []string
			for _, in := range inputs {
				have = append(have, cmp.Or(in.name, strconv.Itoa(int(in.location))))
			}
			return nil, m.at(e.key, "%w", names.Unknown("input", e.name, have))
		}
		text, err := m.text(e)
		if err != nil {
			return nil, err
		}
		attribute, ok := m.find(text)
		if !ok {
			attribute, ok = m.like(text)
		}
		if !ok {
			return nil, m.at(e.node, "%s: %w", m.scene.Name, names.Unknown("attribute", text, m.has()))
		}
		all[inputs[i].location] = attribute
	}
	return all, nil
}
