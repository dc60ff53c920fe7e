package soft

import (
	"runtime"
	"sync/atomic"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// movedGrain is how many vertices are moved between two checks of stop.
const movedGrain = 1 << 12

// Moved returns the positions of the scene's vertex pool after the plan's vertex shader, in model
// space and bit for bit: one per vertex, or the scene's own if nothing moves. It runs on all
// cores. It returns nil once stop is set.
func Moved(p *plan.Plan, stop *atomic.Bool) []mgl32.Vec3 {
	if p == nil || stop == nil || p.Frame.Scene == nil {
		return nil
	}
	scene := p.Frame.Scene
	s := shader{vertex: p.Frame.VertexShader}
	switch s.vertex {
	case renderer.Transform:
		return scene.Positions
	case renderer.Skin:
		k := newSkin(scene)
		s.skin = &k
	case renderer.Displace:
		for i := range p.Passes {
			if pipeline := p.Passes[i].Pipeline(); pipeline != nil && pipeline.Spec["DISPLACE_CELLS"] != 0 {
				s.noise = newDisplace(pipeline.Spec)
				break
			}
		}
	}
	moved := make([]mgl32.Vec3, len(scene.Positions))
	parallel((len(moved)+movedGrain-1)/movedGrain, runtime.GOMAXPROCS(0), func(part int) {
		if stop.Load() {
			return
		}
		for v := part * movedGrain; v < min((part+1)*movedGrain, len(moved)); v++ {
			moved[v], _ = s.move(uint32(v), &scene.Positions[v], &scene.Normals[v])
		}
	})
	if stop.Load() {
		return nil
	}
	return moved
}

// MovedCount returns how many vertices Placed computes: 0 if the scene has them as they are
// drawn. known is false if only a user's vertex shader determines where they are.
func MovedCount(f *renderer.Frame) (vertices int, known bool) {
	if f == nil || f.Scene == nil || placesElsewhere(f) {
		return 0, false
	}
	vertices = f.Scene.ComputedVertices()
	if f.VertexShader != renderer.Transform {
		vertices += len(f.Scene.Positions)
	}
	return vertices, true
}

// Placed returns the plan's scene as it is drawn: with its mesh stored, and its vertices moved by
// Moved. It returns nil once stop is set.
func Placed(p *plan.Plan, stop *atomic.Bool) *geometry.Scene {
	positions := Moved(p, stop)
	if positions == nil {
		return nil
	}
	scene := *p.Frame.Scene.Stored()
	if p.Frame.VertexShader != renderer.Transform {
		scene.Positions = positions
	}
	return &scene
}

// object returns where the vertex shader puts a vertex of the scene.
func (s *shader) object(vertex uint32) (pos, normal mgl32.Vec3) {
	pos, normal = s.scene.Vertex(vertex)
	return s.move(vertex, &pos, &normal) // computed meshes do not move
}

// move returns where the vertex shader puts a vertex of the pool, before transforming it.
func (s *shader) move(vertex uint32, posObject, normalObject *mgl32.Vec3) (pos, normal mgl32.Vec3) {
	switch s.vertex {
	case renderer.Skin:
		return s.skin.pose(vertex, posObject, normalObject)
	case renderer.Displace:
		return s.noise.surface(posObject, normalObject)
	}
	return *posObject, *normalObject
}
