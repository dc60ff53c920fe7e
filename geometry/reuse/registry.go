package reuse

import (
	"errors"

	"github.com/shadeonce/shadeonce/internal/base/names"
)

// Strategies is the registry. To add a strategy, write its shader, its reference and a line here;
// flags, tests, benchmark rows and help follow.
var Strategies = []*Strategy{&naive, &naiveIndex, &multi, &warp, &hash, &phash, &sorting, &claim, &meshlet}

// Names lists the registered strategies in registry order.
func Names() []string { return names.Of(Strategies, func(s *Strategy) string { return s.Name }) }

// Choices returns the names of the strategies, and the names that let a plan choose the strategy.
func Choices() []string { return append(Names(), Auto, AutoStreaming) }

// Lookup finds a strategy by name; names that leave the choice to a plan are unknown to it.
func Lookup(name string) (*Strategy, error) {
	for _, s := range Strategies {
		if s.Name == name {
			return s, nil
		}
	}
	return nil, names.Unknown("strategy", name, Names())
}

// Auto as a name makes Params.Resolve leave the choice of strategy to the plan of a frame
// (internal/renderer/plan/auto.go). AutoStreaming restricts it to strategies that stream.
const (
	Auto          = "auto"
	AutoStreaming = "auto:streaming"
)

// IsAuto reports whether a name leaves the choice of strategy to the plan of a frame.
func IsAuto(name string) bool { return name == Auto || name == AutoStreaming }

// auto returns a configuration whose strategy is picked later. It fails if the parameters set more than the lanes.
func (p Params) auto(name string) (Config, error) {
	if err := p.Check(); err != nil {
		return Config{}, err
	}
	if p.Batch != 0 || p.Batching != "" || p.Unique != 0 || p.Workgroup != 0 || p.Room != 0 || p.Probes != nil {
		return Config{}, errors.New("auto picks batches, workgroup and table with the strategy: name a strategy to set them")
	}
	c, err := Params{Lanes: p.Lanes, FitBatch: true}.Resolve(claim.Name)
	c.Auto, c.Streaming = true, name == AutoStreaming
	return c, err
}
