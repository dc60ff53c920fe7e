package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
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
	case strings.HasPrefix(e.Shader, "fused/") && !slices.Contains(e.Missing, "Int64"):
		runs = "--raster " + renderer.ComputeRaster.String()
	case strings.HasPrefix(e.Shader, "fused/"), strings.HasPrefix(e.Shader, "raster/"):
		runs = "--raster " + renderer.HardwareRaster.String()
	case strings.HasPrefix(e.Shader, "cull/"):
		runs = "frames without culling"
	}
	return fmt.Sprintf("%s needs %s, which the device lacks; it runs %s", e.Shader, capabilityText(e.Missing), runs)
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
	f.Scene, f.Shown, f.Marks = oneTriangle(), nil, nil
	if f.Shading = nil; f.View == renderer.Varying {
		f.View = renderer.Shaded
	}
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
				return err
			}
			if err := CheckCapabilities(s, l); err != nil {
				return err
			}
		}
	}
	return nil
}

// CheckCapabilities refuses a shader that the device cannot run.
func CheckCapabilities(s *shaders.Shader, l *renderer.Limits) error {
	missing := slices.DeleteFunc(slices.Clone(s.Capabilities), func(c string) bool { return !slices.Contains(l.Missing, c) })
	if len(missing) > 0 {
		return &CapabilityError{Shader: s.Name, Missing: missing}
	}
	return nil
}
