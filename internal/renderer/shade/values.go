package shade

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// unknownName is the error for a name that matches no member.
type unknownName struct{ error }

// lookUp finds the member that an entry names. If there is none it adds a note and returns nil.
func (u *uniforms) lookUp(blocks []*member, e entry) *member {
	m, err := lookUp(blocks, e.name)
	if unknown := (unknownName{}); errors.As(err, &unknown) {
		u.unknown(&u.notes, e.key, err)
	} else if err != nil {
		u.fail(e.key, "%w", err)
	}
	return m
}

// lookUp finds a member by its path, whose beginning may be left out: "color" means Scene.light.color
// unless a shorter path ends in it too. Several paths of equal length that end in it are an error.
func lookUp(blocks []*member, name string) (*member, error) {
	path, ok := parsePath(name)
	if !ok {
		return nil, fmt.Errorf("%.60q is no name of a member: want one as light.color or bones[2]", name)
	}
	switch found := matches(blocks, path); {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, fmt.Errorf("%q is in several places: %s", name, strings.Join(names.Of(found, (*member).path), ", "))
	case len(blocks) == 0:
		return nil, unknownName{fmt.Errorf("%q: the shader reads no blocks of values", name)}
	}
	var have []string // all members that can have their own value
	for _, b := range blocks {
		b.leaves(func(m *member) { have = append(have, m.shortest(blocks)) })
	}
	full := append(names.Of(blocks, (*member).path), have...)
	return nil, unknownName{names.NotAmong("member", name, names.Nearest(name, full), strings.Join(have, ", "))}
}

// matches returns the members whose paths end in a path and are the shortest that do.
func matches(blocks []*member, path []selector) (found []*member) {
	if m := findIn(blocks, path); m != nil {
		return []*member{m}
	}
	for holders := blocks; len(holders) > 0 && len(found) == 0; {
		var next []*member
		for _, h := range holders {
			if m := h.find(path); m != nil {
				found = append(found, m)
			}
			next = append(next, h.members()...)
		}
		holders = next
	}
	return found
}

// filling is a member that the frame fills in.
type filling struct {
	*member
	what       geometry.WellKnown
	transposed bool // whether the file asks for the transpose, besides what the language asks for
}

// suits reports whether a member can hold a well-known value, or part of it.
func (m *member) suits(what geometry.WellKnown) bool {
	if t := m.Scalar(); !m.isNumbers() || t.Kind != module.Float || t.Width != 32 {
		return false
	}
	columns, rows := m.shape()
	switch c, r := what.Shape(); {
	case c > 1:
		return columns >= 3 && rows >= 3
	case r > 1:
		return m.Kind == module.Vector
	}
	return m.Kind == module.Float
}

// shapeText describes the type that a member needs to hold a well-known value.
func shapeText(what geometry.WellKnown) string {
	switch columns, rows := what.Shape(); {
	case columns > 1:
		return "a matrix of floats with 3 columns and rows at least"
	case rows > 1:
		return "a vector of floats"
	}
	return "a float"
}

// fillings lists the members that the frame fills in: those that the file's section wellKnown lists, and those
// that have a well-known name and no value in the file.
func fillings(blocks []*member, p *packer) (list []filling) {
	for _, e := range p.wellKnown {
		text := p.text(e)
		m := p.lookUp(blocks, e)
		if m == nil {
			continue
		}
		what, transposed, err := parseWellKnown(text)
		if err != nil {
			p.fail(e.node, "%w", err)
		}
		if !m.suits(what) {
			p.fail(e.node, "%s is %s: %s needs %s", m.short(), m.Type, what, shapeText(what))
		}
		if p.has(m) {
			p.fail(e.key, "%s has a value too", m.short())
		}
		list = append(list, filling{m, what, transposed})
	}
	for _, b := range blocks {
		b.leaves(func(m *member) {
			named := slices.ContainsFunc(list, func(f filling) bool { return f.block == m.block && f.offset == m.offset })
			if m.isArray() || named || p.has(m) {
				return
			}
			holder := ""
			if m.parent != nil { // a block of WGSL may itself be a matrix or a number
				holder = m.parent.name
			}
			if what, ok := wellKnown(holder, m.name); ok && m.suits(what) {
				list = append(list, filling{m, what, false})
			}
		})
	}
	return list
}

// has reports whether the file gives at least one number of a member; false for arrays and structs.
func (p *packer) has(m *member) bool {
	return m.isNumbers() && slices.ContainsFunc(m.places(), func(at int) bool { return p.gave(m.block, at) })
}

// gave reports whether the file gives the number that begins at a byte of a block.
func (p *packer) gave(block, at int) bool { return at < len(p.given[block]) && p.given[block][at] > 0 }

// filled converts the filling to the form that a frame takes.
func (f *filling) filled() geometry.Filled {
	columns, rows := f.shape()
	to := geometry.Filled{
		Block: f.block, Offset: f.offset, What: f.what,
		Columns: columns, Rows: rows, MatrixStride: f.matrixStride, RowMajor: f.byRows(),
	}
	if f.Kind == module.Matrix && f.transposed {
		to.Columns, to.Rows, to.RowMajor = to.Rows, to.Columns, !to.RowMajor
	}
	return to
}

// fills returns a member's filling; nil if the frame does not fill it in.
func (s *Shader) fills(m *member) *filling {
	i := slices.IndexFunc(s.filled, func(f filling) bool { return f.block == m.block && f.offset == m.offset })
	if i < 0 {
		return nil
	}
	return &s.filled[i]
}

// guess fills in modelViewProjection if the shader has only one matrix of 3x3 or more outside arrays, and that is 4x4
// and has no value. It then adds a note. With Strict it guesses nothing. lacks lists the members without a value; guess
// returns those that still have none.
func (s *Shader) guess(lacks []*member) []*member {
	const what = geometry.ModelViewProjectionMatrix
	var fits []*member
	for _, b := range s.blocks {
		b.leaves(func(m *member) {
			if !b.image && !m.isArray() && m.suits(what) {
				fits = append(fits, m)
			}
		})
	}
	if s.Strict || len(fits) != 1 {
		return lacks
	}
	if columns, rows := fits[0].shape(); columns != 4 || rows != 4 {
		return lacks
	}
	at := slices.IndexFunc(lacks, func(m *member) bool { return m.block == fits[0].block && m.offset == fits[0].offset })
	if at < 0 {
		return lacks
	}
	s.filled = append(s.filled, filling{fits[0], what, false})
	s.Notes = append(s.Notes, fmt.Sprintf("%s: %s, its only matrix, is taken for %s; wellKnown in the uniforms file says otherwise", s.File, fits[0].short(), what))
	return slices.Delete(lacks, at, at+1)
}

// missing lists the members that the shader reads and that get no value. For an array it lists the
// first missing element; if no element has a value, and they are no structs, it lists the whole array.
func (s *Shader) missing() (list []*member) {
	r := reads(s.Vertex)
	for _, b := range s.blocks {
		list = append(list, s.lacks(b, r)...)
	}
	return list
}

func (s *Shader) lacks(m *member, reads []read) (list []*member) {
	switch {
	case !overlaps(reads, s.Vertex.Blocks[m.block].ID, m.steps):
		return nil
	case m.Kind == module.RuntimeArray && m.offset+m.Stride > len(s.bytes[m.block]):
		return []*member{m}
	case m.isArray():
		count := m.Count
		if m.Kind == module.RuntimeArray {
			count = (len(s.bytes[m.block]) - m.offset) / m.Stride
		}
		for i := range count {
			if first := s.lacks(m.at(i), reads); len(first) > 0 {
				given := s.given[m.block][m.offset:min(m.offset+count*m.Stride, len(s.given[m.block]))]
				if i == 0 && m.at(0).Kind != module.Struct && !slices.ContainsFunc(given, func(line int32) bool { return line > 0 }) {
					return []*member{m}
				}
				return first
			}
		}
		return nil
	case m.Kind == module.Struct:
		for _, x := range m.members() {
			list = append(list, s.lacks(x, reads)...)
		}
		return list
	}
	without := func(at int) bool { return !s.gave(m.block, at) }
	if s.fills(m) != nil || !slices.ContainsFunc(m.places(), without) {
		return nil
	}
	return []*member{m}
}

// largestUniforms bounds the bytes of a uniforms file.
const largestUniforms = 8 << 20

// Sections of a uniforms file besides values.
const (
	attributesSection     = "attributes"
	specializationSection = "specialization"
	wellKnownSection      = "wellKnown"
	capturedSection       = "captured"
)

// uniforms is the content of a uniforms file. JSON is read as YAML, which includes it.
type uniforms struct {
	file           string // for messages; empty if there is no file
	values         []entry
	attributes     []entry
	specialization []entry
	wellKnown      []entry
	captured       []entry

	strict bool // names that the shader does not have are errors
	notes  []string
}

// entry is a name of the file, with the YAML nodes of the name and of its value.
type entry struct {
	name string
	key  *yaml.Node
	node *yaml.Node
}

// fail ends the reading with an error that names the file and the line of a node.
func (u *uniforms) fail(n *yaml.Node, format string, args ...any) {
	must.Fail("%s:%d: %w", u.file, n.Line, fmt.Errorf(format, args...))
}

// unknown notes a name that the shader does not have. It is an error only with strict, since optimizers drop
// unused members.
func (u *uniforms) unknown(notes *[]string, n *yaml.Node, err error) {
	if u.strict {
		u.fail(n, "%w", err)
	}
	*notes = append(*notes, fmt.Sprintf("%s:%d: %v: left out", u.file, n.Line, err))
}

// readUniforms reads a file; "" means no file.
func readUniforms(file string, strict bool) *uniforms {
	u := &uniforms{file: file, strict: strict}
	if file != "" {
		u.parse(readFile(file, file, largestUniforms))
	}
	return u
}

// yamlPlace matches the place in an error of the YAML library. It is often that of the line before, or of the
// beginning of what has an error.
var yamlPlace = regexp.MustCompile(`^yaml: (?:line \d+: )?`)

// parse reads the file's sections. Every other name at the top level is a member's, with its value.
func (u *uniforms) parse(data []byte) {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		lines := bytes.SplitAfter(data, []byte("\n"))
		said := yamlPlace.ReplaceAllString(err.Error(), "")
		first := sort.Search(len(lines)-1, func(i int) bool { // the fewest lines with the same error
			err := yaml.Unmarshal(bytes.Join(lines[:i+1], nil), new(yaml.Node))
			return err != nil && yamlPlace.ReplaceAllString(err.Error(), "") == said
		})
		must.Fail("%s:%d: %s", u.file, first+1, names.Printable(said))
	}
	if document.Kind == 0 { // the file is empty or has only comments
		return
	}
	for _, e := range u.entries(document.Content[0]) {
		into := map[string]*[]entry{
			attributesSection: &u.attributes, specializationSection: &u.specialization, wellKnownSection: &u.wellKnown,
			capturedSection: &u.captured,
		}[e.name]
		if into == nil {
			u.values = append(u.values, e)
		} else {
			*into = u.entries(e.node)
		}
	}
}

// entries returns the entries of a mapping; it fails if a name is repeated.
func (u *uniforms) entries(n *yaml.Node) (list []entry) {
	if isNull(n) {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		u.fail(n, "want names with values, as \"strength: 0.5\"")
	}
	lines := map[string]int{}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			u.fail(key, "a name is expected, not a list")
		}
		if line := lines[key.Value]; line > 0 {
			u.fail(key, "%.40q is already in line %d", key.Value, line)
		}
		lines[key.Value] = key.Line
		u.plain(value)
		list = append(list, entry{key.Value, key, value})
	}
	return list
}

// plain fails for anchors and aliases, with which a small file could expand to a huge one.
func (u *uniforms) plain(n *yaml.Node) {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		u.fail(n, "anchors and aliases are not supported")
	}
}

// text returns a scalar's text.
func (u *uniforms) text(e entry) string {
	if e.node.Kind != yaml.ScalarNode {
		u.fail(e.node, "%s: want a name", e.name)
	}
	return e.node.Value
}

// isNull reports whether a node is empty.
func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }
