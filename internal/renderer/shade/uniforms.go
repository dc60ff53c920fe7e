package shade

import (
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
)

// largestUniforms is the most bytes of a uniforms file.
const largestUniforms = 8 << 20

// Sections of a uniforms file besides values.
const (
	attributesSection     = "attributes"
	specializationSection = "specialization"
	wellKnownSection      = "wellKnown"
	capturedSection       = "captured"
)

// uniforms is the content of a uniforms file. JSON is read as YAML, which contains it.
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

// entry is a name and its value.
type entry struct {
	name string
	key  *yaml.Node
	node *yaml.Node
}

// fail ends the reading with an error at a place in the file.
func (u *uniforms) fail(n *yaml.Node, format string, args ...any) {
	must.Fail("%s:%d: %w", u.file, n.Line, fmt.Errorf(format, args...))
}

// unknown adds a note of a name that the shader does not have, since optimizers drop what is not
// used.
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

// yamlPlace matches the place in an error of the YAML library.
var yamlPlace = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// parse reads the sections; every other name is that of a value.
func (u *uniforms) parse(data []byte) {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		m := yamlPlace.FindStringSubmatch(err.Error())
		if m == nil {
			must.Fail("%s: %w", u.file, err)
		}
		place := u.file
		if m[1] != "" {
			place += ":" + m[1]
		}
		must.Fail("%s: %s", place, names.Printable(strings.TrimPrefix(err.Error(), m[0])))
	}
	if document.Kind == 0 { // only comments
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

// plain fails for anchors, which could make a small file huge.
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
