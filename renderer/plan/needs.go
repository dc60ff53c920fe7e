package plan

import (
	"maps"
	"slices"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders"
)

// Need is what a strategy's shader takes of a device at the strategy's own sizes. The
// JSON names are those of `devices --json`.
type Need struct {
	Strategy     string            `json:"strategy"`
	Fused        bool              `json:"fused"`        // it draws, too; else it fills the indexed queue
	Constants    map[string]uint32 `json:"constants"`    // specialization constants of the search, but zeros; LANES is there where a subgroup takes a batch
	Batches      int               `json:"batches"`      // of a workgroup
	SharedBytes  int               `json:"shared_bytes"` // of a workgroup
	Capabilities []string          `json:"capabilities"` // SPIR-V's, that not every device has
}

// Needs are the needs of all strategies, whether the device meets them or not.
func Needs(l renderer.Limits) (list []Need) {
	for _, s := range reuse.Strategies {
		for _, fused := range []bool{false, true} {
			folder, held := "geometry/", 0
			if fused {
				folder, held = "fused/", placedBytes
			}
			c, err := reuse.Resolve(s.Name, 0, 0)
			shader, none := shaders.Find(folder + s.Name)
			if err != nil || none != nil {
				continue
			}
			k, _ := NewKernel(c, renderer.AutoSubgroups, held, fused, &l) // an error says that the device lacks something
			constants := k.Spec(uint32(c.Batch), k.Subgroups())
			maps.DeleteFunc(constants, func(_ string, value uint32) bool { return value == 0 })
			list = append(list, Need{
				Strategy: s.Name, Fused: fused, Constants: constants, Batches: k.Subgroups(), SharedBytes: k.Subgroups() * k.sharedBytes(),
				Capabilities: slices.DeleteFunc(slices.Clone(shader.Capabilities), func(name string) bool { return name == "Shader" || name == "GroupNonUniform" }),
			})
		}
	}
	return list
}
