package reuse

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/internal/names"
)

// ModelConfig is a model with its parameters resolved.
type ModelConfig struct {
	Model  *Model
	Params ModelParams
}

// String is the model's label.
func (c ModelConfig) String() string { return c.Model.Label(c.Params) }

// ModelHelp describes what ParseModel reads.
const ModelHelp = "NAME[:VALUE...]: a number is its entries, range or dealt its partition, KEY=NUMBER sets\n" +
	"entries, window, multiprocessors or inflight; NAME:all is it at every size of the tables"

// AllVariants behind a model's name, or in its place, asks for every variant.
const AllVariants = "all"

// modelKeys are the parameters that have a number, by the names that texts give
// them.
var modelKeys = []struct {
	name  string
	value func(p *ModelParams) *int
}{
	{"entries", func(p *ModelParams) *int { return &p.Entries }},
	{"window", func(p *ModelParams) *int { return &p.Window }},
	{"multiprocessors", func(p *ModelParams) *int { return &p.Multiprocessors }},
	{"inflight", func(p *ModelParams) *int { return &p.InFlight }},
}

// ParseModel reads models as a user names them: "lru", "lru:32",
// "parallel:1024:dealt", "nv-96-32:window=96", "lru:all", "all". Most texts name
// one model.
func ParseModel(text string) ([]ModelConfig, error) {
	name, rest, given := strings.Cut(text, ":")
	if name == AllVariants && !given {
		var all []ModelConfig
		for _, m := range Models {
			all = append(all, m.configs()...)
		}
		return all, nil
	}
	m, err := LookupModel(name)
	if err != nil {
		return nil, err
	}
	if rest == AllVariants {
		return m.configs(), nil
	}
	var p ModelParams
	if given {
		for word := range strings.SplitSeq(rest, ":") {
			if err := p.set(word); err != nil {
				return nil, fmt.Errorf("model %.60q: %w", text, err)
			}
		}
	}
	if p, err = m.Resolve(p); err != nil {
		return nil, err
	}
	return []ModelConfig{{m, p}}, nil
}

// configs are the model's variants.
func (m *Model) configs() []ModelConfig {
	list := make([]ModelConfig, len(m.Variants))
	for i, p := range m.Variants {
		list[i] = ModelConfig{m, p}
	}
	return list
}

var partitions = []string{string(PartitionRange), string(PartitionDealt)}

// set reads one parameter. A parameter is given once.
func (p *ModelParams) set(word string) error {
	key, number, named := strings.Cut(word, "=")
	if !named && slices.Contains(partitions, word) {
		key, number = "partition", word
	}
	if key == "partition" {
		switch {
		case !slices.Contains(partitions, number):
			return names.Unknown("partition", number, partitions)
		case p.Partition != "":
			return errors.New("its partition is given twice")
		}
		p.Partition = Partition(number)
		return nil
	}
	if !named {
		key, number = modelKeys[0].name, word
	}
	keys := make([]string, len(modelKeys))
	for i, k := range modelKeys {
		if keys[i] = k.name; k.name != key {
			continue
		}
		n, err := strconv.Atoi(number)
		switch value := k.value(p); {
		case err != nil && !named:
			return names.NotAmong("parameter", word, names.Nearest(word, partitions),
				"a number of entries, range, dealt, KEY=NUMBER")
		case err != nil || n < 1:
			return fmt.Errorf("%s %.20q: must be a number from 1", key, number)
		case *value != 0:
			return fmt.Errorf("its %s are given twice", key)
		default:
			*value = n
			return nil
		}
	}
	return names.Unknown("parameter", key, append(keys, "partition"))
}
