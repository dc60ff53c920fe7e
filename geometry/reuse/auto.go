package reuse

import "errors"

// Auto is the name by which Params.Resolve leaves the strategy to the plan of a frame
// (renderer/plan/auto.go).
const Auto = "auto"

// auto is the configuration of a strategy that is still to be picked.
func (p Params) auto() (Config, error) {
	if err := p.Check(); err != nil {
		return Config{}, err
	}
	if p.Batch != 0 || p.Batching != "" || p.Unique != 0 || p.Workgroup != 0 || p.Room != 0 || p.Probes != nil {
		return Config{}, errors.New("auto picks batches, workgroup and table with the strategy: name a strategy to set them")
	}
	c, err := Params{Lanes: p.Lanes, FitBatch: true}.Resolve(claim.Name)
	c.Auto = true
	return c, err
}
