package shade

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/shadeonce/shadeonce/internal/base/names"
)

// largestUniforms is the most bytes of a uniforms file.
const largestUniforms = 8 << 20

// Sections of a uniforms file besides values.
const (
	attributesSection     = "attributes"
	specializationSection = "specialization"
	wellKnownSection      = "wellKnown"
)

// uniforms is the content of a uniforms file. JSON is read as YAML, which contains it.
type uniforms struct {
	file           string // for messages; empty if there is no file
	values         []entry
	attributes     []entry
	specialization []entry
	wellKnown      []entry
}

// entry is a name and its value.
type entry struct {
	name string
	key  *yaml.Node
	node *yaml.Node
}

// at returns an error at a place in the file.
func (u *uniforms) at(n *yaml.Node, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return fmt.Errorf("%s:%d: %w", u.file, n.Line, err)
}

// readUniforms reads a file; "" means no file.
func readUniforms(file string) (*uniforms, error) {
	u := &uniforms{file: file}
	if file == "" {
		return u, nil
	}
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, cause(err))
	}
	if info.Size() > largestUniforms {
		return nil, fmt.Errorf("%s: %d bytes, at most %d are read", file, info.Size(), largestUniforms)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, cause(err))
	}
	return u, u.parse(data)
}

// yamlPlace matches the place in an error of the YAML library.
var yamlPlace = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// parse reads the sections; every other name is that of a value.
func (u *uniforms) parse(data []byte) error {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		m := yamlPlace.FindStringSubmatch(err.Error())
		if m == nil {
			return fmt.Errorf("%s: %w", u.file, err)
		}
		place := u.file
		if m[1] != "" {
			place += ":" + m[1]
		}
		return fmt.Errorf("%s: %s", place, names.Printable(strings.TrimPrefix(err.Error(), m[0])))
	}
	if document.Kind == 0 { // only comments
		return nil
	}
	all, err := u.entries(document.Content[0])
	if err != nil {
		return err
	}
	for _, e := range all {
		into := map[string]*[]entry{
			attributesSection: &u.attributes, specializationSection: &u.specialization, wellKnownSection: &u.wellKnown,
		}[e.name]
		if into == nil {
			u.values = append(u.values, e)
			continue
		}
		if *into, err = u.entries(e.node); err != nil {
			return err
		}
	}
	return nil
}

// entries returns the entries of a mapping, and an error if a name is repeated.
func (u *uniforms) entries(n *yaml.Node) (list []entry, err error) {
	if isNull(n) {
		return nil, nil
	}
	if n.Kind != yaml.MappingNode {
		return nil, u.at(n, "want names with values, as \"strength: 0.5\"")
	}
	lines := map[string]int{}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			return nil, u.at(key, "a name is expected, not a list")
		}
		if line := lines[key.Value]; line > 0 {
			return nil, u.at(key, "%.40q stands in line %d already", key.Value, line)
		}
		lines[key.Value] = key.Line
		if err := u.plain(value); err != nil {
			return nil, err
		}
		list = append(list, entry{key.Value, key, value})
	}
	return list, nil
}

// plain returns an error for anchors, which could make a small file huge.
func (u *uniforms) plain(n *yaml.Node) error {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		return u.at(n, "anchors and aliases are not read")
	}
	return nil
}

// text returns a scalar's text.
func (u *uniforms) text(e entry) (string, error) {
	if e.node.Kind != yaml.ScalarNode {
		return "", u.at(e.node, "%s: want a name", e.name)
	}
	return e.node.Value, nil
}

// isNull reports whether a node is empty.
func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }
