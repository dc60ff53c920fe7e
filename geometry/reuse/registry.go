package reuse

import "github.com/shadeonce/shadeonce/internal/names"

// Strategies is the registry. To add a strategy, write its shader, its reference and a
// line here: flags, tests, benchmark rows and help follow.
var Strategies = []*Strategy{
	&naive,
	&naiveIndex,
	&multi,
	&warp,
	&hash,
	&phash,
	&sorting,
	&claim,
	&meshlet,
}

// Names lists the registered strategies in registry order.
func Names() []string {
	list := make([]string, len(Strategies))
	for i, s := range Strategies {
		list[i] = s.Name
	}
	return list
}

// Choices are the names of the strategies, and Auto.
func Choices() []string { return append(Names(), Auto) }

// Lookup finds a strategy by name.
func Lookup(name string) (*Strategy, error) {
	for _, s := range Strategies {
		if s.Name == name {
			return s, nil
		}
	}
	return nil, names.Unknown("strategy", name, Choices())
}
