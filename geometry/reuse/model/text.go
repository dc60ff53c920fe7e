package model

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/internal/names"
)

// Config is a model with its parameters resolved.
type Config struct {
	Model  *Model
	Params Params
}

// String is the model's label.
func (c Config) String() string { return c.Model.Label(c.Params) }

// Help describes what Parse reads.
const Help = "NAME[:VALUE...]: a number is its entries, range or dealt its partition, KEY=NUMBER sets\n" +
	"entries, window, multiprocessors or inflight; NAME:all is it at every size of the tables"

// AllVariants behind a model's name, or in its place, asks for every variant.
const AllVariants = "all"

// keyed are the parameters that have a number, by the names that texts give
// them.
var keyed = []struct {
	name  string
	value func(p *Params) *int
}{
	{"entries", func(p *Params) *int { return &p.Entries }},
	{"window", func(p *Params) *int { return &p.Window }},
	{"multiprocessors", func(p *Params) *int { return &p.Multiprocessors }},
	{"inflight", func(p *Params) *int { return &p.InFlight }},
}

// Parse reads models as a user names them: "lru", "lru:32",
// "parallel:1024:dealt", "nv-96-32:window=96", "lru:all", "all". Most texts name
// one model.
func Parse(text string) ([]Config, error) {
	name, rest, given := strings.Cut(text, ":")
	if name == AllVariants && !given {
		var all []Config
		for _, m := range All {
			all = append(all, m.configs()...)
		}
		return all, nil
	}
	m, err := Lookup(name)
	if err != nil {
		return nil, err
	}
	if rest == AllVariants {
		return m.configs(), nil
	}
	var p Params
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
	return []Config{{m, p}}, nil
}

// configs are the model's variants.
func (m *Model) configs() []Config {
	list := make([]Config, len(m.Variants))
	for i, p := range m.Variants {
		list[i] = Config{m, p}
	}
	return list
}

var partitions = []string{string(PartitionRange), string(PartitionDealt)}

// set reads one parameter. A parameter is given once.
func (p *Params) set(word string) error {
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
		key, number = keyed[0].name, word
	}
	keys := make([]string, len(keyed))
	for i, k := range keyed {
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
