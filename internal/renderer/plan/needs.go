package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// Needs is what a frame requires of a device, independent of the scene. Its plugs add to it before
// anything is planned.
type Needs struct {
	Kernel  *Kernel           // the strategy's shader: its shared memory and invocations; nil without a strategy
	Mesh    *meshNeeds        // nil without a mesh shader
	Picture *[2]int           // pixels; nil if the frame neither draws nor culls
	Shaders []string          // names of shaders whose capabilities include all that the frame's passes need
	own     []*shaders.Shader // shaders of a caller's function
}

// function adds the shaders of an application's shade function. It returns an error if a caller's shader does not
// match the function's settings.
func (n *Needs) function(f *Function) error {
	if f.Shader == nil {
		n.Shaders = append(n.Shaders, f.Name+"/"+f.Reuse.Strategy.Name)
		return nil
	}
	if n.own = append(n.own, f.Shader.shader); f.Shader.expand != nil {
		n.own = append(n.own, f.Shader.expand)
	}
	return f.Shader.check(f)
}

func (x plugs) needs(f *renderer.Frame, l *renderer.Limits) (n Needs) {
	x.sink.needs(f, l, &n)
	x.raster.needs(f, l, &n)
	return n
}

// strategy sets the kernel of a frame's strategy, and adds the strategy's shader in a folder such as geometry/.
func (n *Needs) strategy(f *renderer.Frame, l *renderer.Limits, folder string, held int, drawn bool) {
	n.Kernel, n.Shaders = newKernel(f.Reuse, f.Subgroups, held, drawn, l), append(n.Shaders, folder+f.Reuse.Strategy.Name)
}

// Check returns an error if a device with these limits lacks anything that is needed.
func (n Needs) Check(l *renderer.Limits) error {
	if p := n.Picture; p != nil && (min(p[0], p[1]) < 1 || max(p[0], p[1]) > l.MaxImageSide) {
		return fmt.Errorf("picture of %dx%d: each side must be 1 to %d", p[0], p[1], l.MaxImageSide)
	}
	list := n.own
	for _, name := range n.Shaders {
		s, err := shaders.Find(name)
		if err != nil {
			return err
		}
		list = append(list, s)
	}
	for _, s := range list {
		if missing := missing(s, l); len(missing) > 0 {
			return &CapabilityError{s.Name, missing, Strategies(*l)}
		}
	}
	if n.Mesh != nil {
		if err := n.Mesh.check(&l.Mesh); err != nil {
			return err
		}
	}
	if n.Kernel != nil {
		return n.Kernel.check()
	}
	return nil
}

// missing returns the capabilities of a shader that a device lacks.
func missing(s *shaders.Shader, l *renderer.Limits) []string {
	return slices.DeleteFunc(slices.Clone(s.Capabilities), func(c string) bool { return !slices.Contains(l.Missing, c) })
}

// Fits returns the errors of New that do not depend on the scene, so that a command can report them
// before it opens one. The frame's scene may be nil.
func Fits(f renderer.Frame, l renderer.Limits) error {
	if err := check(&f, &l); err != nil {
		return err
	}
	f.Scene = cmp.Or(f.Scene, &geometry.Scene{}) // auto asks how many triangles it has
	f = candidatesFor(f, l)[0].frame
	return resolve(&f).needs(&f, &l).Check(&l)
}

// Strategies returns the names of the strategies that run within the limits at their default
// sizes, in registry order.
func Strategies(l renderer.Limits) (list []string) {
	for _, n := range stages(&l, renderer.Frame{NoRaster: true}) {
		if n.Kernel.check() == nil && len(missing(shaders.Must(n.Shaders[0]), &l)) == 0 {
			list = append(list, n.Kernel.Reuse.Strategy.Name)
		}
	}
	return list
}

// stages returns the needs of the geometry stage for each strategy at its default sizes, in each of
// the frames that allow the strategy.
func stages(l *renderer.Limits, frames ...renderer.Frame) (list []Needs) {
	for _, s := range reuse.Strategies {
		for _, f := range frames {
			var err error
			if f.Reuse, err = reuse.Resolve(s.Name, 0, 0); cmp.Or(err, excluded(&f)) == nil {
				list = append(list, resolve(&f).needs(&f, l))
			}
		}
	}
	return list
}

// Stage is what a strategy's shader requires of a device at the strategy's default sizes. The
// JSON names are those of `devices --json`.
type Stage struct {
	Strategy     string            `json:"strategy"`
	Fused        bool              `json:"fused"`        // whether it also draws; otherwise it fills the indexed queue
	Constants    map[string]uint32 `json:"constants"`    // the strategy's specialization constants that are not 0; LANES is among them if a subgroup takes a batch
	Batches      int               `json:"batches"`      // per workgroup
	SharedBytes  int               `json:"shared_bytes"` // per workgroup
	Capabilities []string          `json:"capabilities"` // SPIR-V capabilities that not every device has
}

// Stages returns the stages of all strategies, whether or not the device has what they need.
func Stages(l renderer.Limits) (list []Stage) {
	for _, n := range stages(&l, renderer.Frame{NoRaster: true}, renderer.Frame{Raster: renderer.FusedRaster}) {
		if slices.Contains(n.Shaders, placedShader) {
			continue // places and draws in two passes, of which other renderers have none
		}
		k := n.Kernel
		constants := k.Spec(uint32(k.Reuse.Batch), k.Subgroups())
		maps.DeleteFunc(constants, func(_ string, value uint32) bool { return value == 0 })
		list = append(list, Stage{
			Strategy: k.Reuse.Strategy.Name, Fused: k.Drawn, Constants: constants, Batches: k.Subgroups(), SharedBytes: k.Subgroups() * k.sharedBytes(),
			Capabilities: slices.DeleteFunc(slices.Clone(shaders.Must(n.Shaders[0]).Capabilities), func(name string) bool { return name == "Shader" || name == "GroupNonUniform" }),
		})
	}
	return list
}

// CapabilityError says that a device cannot run a shader of a plan.
type CapabilityError struct {
	Shader  string
	Missing []string // SPIR-V capabilities
	Runs    []string // the strategies that the device can run
}

func (e *CapabilityError) Error() string {
	runs := "none of the strategies"
	if len(e.Runs) > 0 {
		runs = strings.Join(e.Runs, ", ")
	}
	switch {
	case (strings.HasPrefix(e.Shader, "fused/") || e.Shader == placedShader) && !slices.Contains(e.Missing, "Int64"):
		runs = "--raster " + renderer.ComputeRaster.String()
	case strings.HasPrefix(e.Shader, "fused/"), strings.HasPrefix(e.Shader, "raster/"), strings.HasPrefix(e.Shader, "mesh/"):
		runs = "--raster " + renderer.HardwareRaster.String()
	case strings.HasPrefix(e.Shader, "cull/"):
		runs = "frames without culling"
	}
	return fmt.Sprintf("%s needs %s, which the device lacks; it runs %s", e.Shader, capabilityText(e.Missing), runs)
}

// capabilityText names capabilities as SPIR-V does, and those that it knows also in words.
func capabilityText(names []string) string {
	return strings.NewReplacer(
		"Int64Atomics", "64-bit atomics (Int64Atomics)", "Int64", "64-bit integers (Int64)",
		"GroupNonUniformBallot", "subgroup ballot (GroupNonUniformBallot)", "GroupNonUniformShuffle", "subgroup shuffle (GroupNonUniformShuffle)",
		"ClipDistance", "clip distances (ClipDistance)", "CullDistance", "cull distances (CullDistance)", "MeshShadingEXT", "mesh shaders (MeshShadingEXT)",
	).Replace(strings.Join(names, ", "))
}
