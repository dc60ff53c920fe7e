package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/bytesize"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders"
)

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
	case strings.HasPrefix(e.Shader, "raster/"):
		runs = "--raster " + renderer.HardwareRaster.String()
	case strings.HasPrefix(e.Shader, "cull/"):
		runs = "frames without culling"
	}
	return fmt.Sprintf("renderer: %s needs %s, which the device lacks; it runs %s", e.Shader, capabilityText(e.Missing), runs)
}

// capabilityText names capabilities in words, and as SPIR-V does.
func capabilityText(names []string) string {
	words := map[string]string{"Int64": "64-bit integers", "Int64Atomics": "64-bit atomics", "GroupNonUniformBallot": "subgroup ballot", "GroupNonUniformShuffle": "subgroup shuffle"}
	list := slices.Clone(names)
	for i, name := range list {
		if text, ok := words[name]; ok {
			list[i] = text + " (" + name + ")"
		}
	}
	return strings.Join(list, ", ")
}

// Fits refuses what New would refuse for every scene, so that it is known
// before one is opened. The frame's own scene is not looked at.
func Fits(f renderer.Frame, l renderer.Limits) error {
	f.Scene, f.Shown = oneTriangle(), nil
	f.Reuse.FitBatch = false // one triangle would have the smallest batch
	_, err := New(f, l)
	return err
}

// Strategies are the names of those that run within the limits at their own
// sizes, in registry order.
func Strategies(l renderer.Limits) []string {
	var list []string
	for _, s := range reuse.Strategies {
		c, err := reuse.Resolve(s.Name, 0, 0)
		if err != nil {
			continue
		}
		if _, err := newPlan(renderer.Frame{Scene: oneTriangle(), Reuse: c, NoRaster: true}, l); err == nil {
			list = append(list, s.Name)
		}
	}
	return list
}

func oneTriangle() *geometry.Scene {
	return &geometry.Scene{
		Name: "triangle", Positions: make([]mgl32.Vec3, 3), Normals: make([]mgl32.Vec3, 3), Indices: []uint32{0, 1, 2},
		Draws: []geometry.Draw{{IndexCount: 3, VertexCount: 3, Transform: mgl32.Ident4(), Color: geometry.DefaultColor}},
	}
}

// checkShaders holds every shader of the plan against what the device lacks.
func (p *planner) checkShaders() error {
	l := &p.limits
	if len(l.Missing) == 0 {
		return nil
	}
	for i := range p.Passes {
		program := p.Passes[i].Program()
		if program == nil {
			continue
		}
		for _, name := range program.Shaders {
			s, err := shaders.Find(name)
			if err != nil {
				return fmt.Errorf("renderer: %w", err)
			}
			missing := slices.DeleteFunc(slices.Clone(s.Capabilities), func(c string) bool { return !slices.Contains(l.Missing, c) })
			if len(missing) > 0 {
				return &CapabilityError{Shader: name, Missing: missing}
			}
		}
	}
	return nil
}

// checkWorkgroup refuses a batch that no workgroup of the device can take, and
// names what it could.
func (p *planner) checkWorkgroup() error {
	r, l := p.Frame.Reuse, &p.limits
	if need := sharedBytes(&p.Frame, p.Native); need > l.SharedBytes {
		return fmt.Errorf("renderer: %s needs %s of shared memory, the device has %s%s",
			r, bytesize.Text(int64(need)), bytesize.Text(int64(l.SharedBytes)), p.fittingText())
	}
	n := r.Workgroup
	if r.Strategy.UsesLanes {
		n = r.Lanes
	}
	if n <= l.MaxWorkgroup {
		return nil
	}
	largest := 1
	for 2*largest <= l.MaxWorkgroup {
		largest *= 2
	}
	if r.Strategy.UsesLanes {
		return fmt.Errorf("renderer: %d lanes: a workgroup of the device has at most %d invocations", n, l.MaxWorkgroup)
	}
	return fmt.Errorf("renderer: workgroup of %d: the device allows powers of two from %d to %d", n, reuse.MinWorkgroup, largest)
}

// fittingText names, of each parameter that shared memory depends on, the
// largest value that fits where the others stay.
func (p *planner) fittingText() string {
	fits := func(c reuse.Config) bool {
		f := p.Frame
		f.Reuse = c
		return sharedBytes(&f, runsNative(&f, p.limits)) <= p.limits.SharedBytes
	}
	var list []string
	c := p.Frame.Reuse
	for c.Unique--; c.Unique >= 3; c.Unique-- {
		if fits(c) {
			list = append(list, fmt.Sprintf("at most %d unique vertices per batch", c.Unique))
			break
		}
	}
	c = p.Frame.Reuse
	for c.Batch -= 3; c.Batch >= 3; c.Batch -= 3 {
		if fits(c) {
			list = append(list, fmt.Sprintf("batches of at most %d indices", c.Batch))
			break
		}
	}
	c = p.Frame.Reuse
	for _, lanes := range slices.Backward(reuse.LaneCounts) {
		if c.Lanes = lanes; lanes < p.Frame.Reuse.Lanes && fits(c) {
			list = append(list, fmt.Sprintf("at most %d lanes", lanes))
			break
		}
	}
	if len(list) == 0 {
		return ""
	}
	return ": " + strings.Join(list, ", or ") + " would fit"
}
