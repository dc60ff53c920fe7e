package soft

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/internal/spirv/interpret"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// randomVec returns a vector with components in -scale to scale.
func randomVec(r *rand.Rand, scale float32) mgl32.Vec3 {
	return mgl32.Vec3{scale * (2*r.Float32() - 1), scale * (2*r.Float32() - 1), scale * (2*r.Float32() - 1)}
}

func TestUnitLength(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	worst := 0.0
	for range 100000 {
		v := randomVec(r, float32(math.Exp2(float64(r.IntN(80)-40))))
		u := unit(&v)
		length := math.Sqrt(float64(u[0])*float64(u[0]) + float64(u[1])*float64(u[1]) + float64(u[2])*float64(u[2]))
		worst = max(worst, math.Abs(length-1))
	}
	require.Less(t, worst, 3e-7)
	require.Equal(t, mgl32.Vec3{}, unit(&mgl32.Vec3{}))
}

func TestPackSnorm16(t *testing.T) {
	for x, want := range map[float32]uint32{0: 0, 1: 32767, -1: 0x8001, 2: 32767, -2: 0x8001, 0.5: 16384, 1.4 / 32767: 1, -1.4 / 32767: 0xffff} {
		require.Equal(t, want, packSnorm16(x), x)
	}
	require.Zero(t, packSnorm16(float32(math.NaN())))
}

// TestSkinBlends compares the pose with the textbook's other form of skinning, in double precision: each
// bone moves the vertex, and the results are blended.
func TestSkinBlends(t *testing.T) {
	s := balls(9)
	k := newSkin(s)
	moved := 0.0
	for vertex, p := range s.Positions {
		var pos, normal [3]float64
		for i := range 4 {
			bone, weight := k.vertices[vertex][0]>>(8*i)&255, float64(k.vertices[vertex][1]>>(8*i)&255)/255
			for r := range 3 {
				row := k.bones[3*int(bone)+r]
				pos[r] += weight * float64(row[3])
				for c := range 3 {
					pos[r] += weight * float64(row[c]) * float64(p[c])
					normal[r] += weight * float64(row[c]) * float64(s.Normals[vertex][c])
				}
			}
		}
		gotPos, gotNormal := k.pose(uint32(vertex), &s.Positions[vertex], &s.Normals[vertex])
		for r := range 3 {
			require.InDelta(t, pos[r], gotPos[r], 1e-5)
			require.InDelta(t, normal[r], gotNormal[r], 1e-5)
		}
		moved = max(moved, float64(gotPos.Sub(p).Len()))
	}
	require.Greater(t, moved, 0.02, "the pose is no pose")
}

// TestNoiseDerivative compares the derivative with differences of the values.
func TestNoiseDerivative(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const step = 1.0 / 512
	low, high, sum := float32(1), float32(-1), 0.0
	for range 20000 {
		place, octave := randomVec(r, 30), uint32(r.IntN(displaceOctaves))
		derivative, value := displaceNoise(&place, octave)
		low, high, sum = min(low, value), max(high, value), sum+float64(value)
		for k := range 3 {
			ahead, behind := place, place
			ahead[k] += step
			behind[k] -= step
			_, a := displaceNoise(&ahead, octave)
			_, b := displaceNoise(&behind, octave)
			require.InDelta(t, (a-b)/(2*step), derivative[k], 2e-3, "octave %d at %v", octave, place)
		}
	}
	require.Less(t, low, float32(-0.85))
	require.Greater(t, high, float32(0.85))
	require.InDelta(t, 0, sum/20000, 0.05, "noise is even")
}

// TestDisplacedNormal compares the normal of a displaced plane with the cross product of differences of its positions.
func TestDisplacedNormal(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	d := displace{cells: 4, height: 1.0 / 32}
	up := mgl32.Vec3{0, 0, 1}
	tilted := 0
	for range 2000 {
		p := randomVec(r, 1)
		const step = 1.0 / 4096
		at := func(x, y float32) mgl32.Vec3 {
			q := mgl32.Vec3{p[0] + x, p[1] + y, p[2]}
			pos, _ := d.surface(&q, &up)
			return pos
		}
		want := at(step, 0).Sub(at(-step, 0)).Cross(at(0, step).Sub(at(0, -step))).Normalize()
		_, normal := d.surface(&p, &up)
		got := unit(&normal)
		require.Greater(t, got.Dot(want), float32(0.9995), "at %v: %v, the surface has %v", p, got, want)
		if got.Dot(up) < 0.95 {
			tilted++
		}
	}
	require.Greater(t, tilted, 300, "the surface is flat")
}

// TestVertexShadersOfEveryStrategy compares each strategy's positions and normals with naive's, corner by corner.
func TestVertexShadersOfEveryStrategy(t *testing.T) {
	s := balls(9)
	for _, shader := range []renderer.VertexShader{renderer.Skin, renderer.Displace} {
		f := frameOf(t, s, "naive", 32, renderer.NoView)
		f.VertexShader, f.NoRaster = shader, true
		want, _ := render(t, New(), f)
		f.VertexShader = renderer.Transform
		plain, _ := render(t, New(), f)
		require.NotEqual(t, plain.Queues.Positions, want.Queues.Positions)
		require.Zero(t, plain.Queues.Attributes[0], "transform leaves no normals")
		require.NotEqual(t, want.Queues.Attributes[0], want.Queues.Attributes[len(want.Queues.Attributes)/2])
		for _, name := range reuse.Names() {
			for queue := range renderer.QueueForm(len(renderer.QueueFormNames)) {
				f := frameOf(t, s, name, 8, renderer.NoView)
				f.VertexShader, f.NoRaster, f.Queue = shader, true, queue
				got, _ := render(t, New(), f)
				for k := range s.IndexStreamLen() {
					g, w := got.Queues.Corner(queue, k/3, k%3), want.Queues.Corner(renderer.Indexed, k/3, k%3)
					require.Equal(t, want.Queues.Positions[w], got.Queues.Positions[g], "%s, %s, corner %d", shader, name, k)
					require.Equal(t, want.Queues.Attributes[w], got.Queues.Attributes[g], "%s, %s, corner %d", shader, name, k)
				}
			}
		}
	}
}

// TestTwinsEqualTheirModules runs shaders/vertex/*.vert in the interpreter: positions and normals
// equal those of the Go functions, bit for bit.
func TestTwinsEqualTheirModules(t *testing.T) {
	scene := balls(5)
	clip := mgl32.Mat4{1.5, 0.25, -0.5, 0.125, 0, -1.25, 0.75, 0.3, 0.1, 0.2, 0.9, 1, 3, -2, 1, 7}
	spec := map[string]uint32{"DISPLACE_CELLS": math.Float32bits(4), "DISPLACE_HEIGHT": math.Float32bits(0.3)}
	skin, noise := newSkin(scene), newDisplace(spec)
	floats := vertexformat.R32G32B32_SFLOAT
	row := floats.Wide(4)
	inputs := []interpret.Input{
		{Location: 0, Format: floats, Data: littleEndian(t, scene.Positions), Stride: 12},
		{Location: 1, Format: floats, Data: littleEndian(t, scene.Normals), Stride: 12},
		{Location: 2, Format: floats.Wide(2) - 2, Data: littleEndian(t, skin.vertices), Stride: 8}, // R32G32_UINT
	}
	for column := range 4 {
		inputs = append(inputs, interpret.Input{Location: uint32(4 + column), Format: row, Data: littleEndian(t, clip[4*column:][:4])})
	}
	for number, name := range renderer.VertexShaderNames {
		compiled := must.Get(shaders.Find("vertex/" + name))
		v := must.Get(module.ReadVertex(compiled.Words(), "", map[uint32]uint32{13: spec["DISPLACE_CELLS"], 14: spec["DISPLACE_HEIGHT"]}))
		program := must.Get(interpret.New(v))
		d := &interpret.Draw{Inputs: inputs}
		for range v.Blocks {
			d.Blocks = append(d.Blocks, littleEndian(t, skin.bones))
		}
		positions, normals := make([][4]float32, len(scene.Positions)), make([][4]uint32, len(scene.Positions))
		var shown []interpret.Shown
		for _, out := range v.Outputs {
			shown = append(shown, interpret.Shown{Name: out.Name, Values: normals})
		}
		require.NoError(t, program.Run(t.Context(), d, positions, shown...))
		s := shader{vertex: renderer.VertexShader(number), skin: &skin, noise: noise}
		for i := range positions {
			pos, normal := s.move(uint32(i), &scene.Positions[i], &scene.Normals[i])
			want := plan.ExactTransform(&clip, &[4]float32{pos[0], pos[1], pos[2], 1})
			require.Equal(t, want, positions[i], "%s: vertex %d", name, i)
			for k := range normal {
				if len(shown) > 0 {
					require.Equal(t, math.Float32bits(normal[k]), normals[i][k], "%s: normal %d", name, i)
				}
			}
		}
	}
}

// TestMoved: Moved computes what the passes of a plan do, and ends when it is stopped.
func TestMoved(t *testing.T) {
	var stop atomic.Bool
	for number := range renderer.VertexShader(len(renderer.VertexShaderNames)) {
		f := frameOf(t, balls(5), "naive", 8, renderer.Shaded)
		f.VertexShader = number
		p := must.Get(plan.New(f, New().Limits()))
		s := shader{vertex: number, skin: new(newSkin(f.Scene))}
		for i := range p.Passes {
			if pipeline := p.Passes[i].Pipeline(); pipeline != nil && strings.HasPrefix(p.Passes[i].Name, "geometry") {
				s.noise = newDisplace(pipeline.Spec)
			}
		}
		moved := Placed(p, &stop).Positions
		require.Equal(t, number == renderer.Transform, slices.Equal(moved, f.Scene.Positions), number)
		for v, got := range moved {
			want, _ := s.move(uint32(v), &f.Scene.Positions[v], &f.Scene.Normals[v])
			require.Equal(t, want, got)
		}
		stop.Store(number == renderer.Skin)
		require.Equal(t, stop.Load(), Moved(p, &stop) == nil, number)
		stop.Store(false)
	}
	require.Nil(t, Moved(nil, &stop))
}

func littleEndian(t *testing.T, list any) []byte {
	data := must.Get(binary.Append(nil, binary.LittleEndian, list))
	return data
}

// TestWidened: outputs of integers or floats become four floats; missing components are 0, 0, 0, 1.
func TestWidened(t *testing.T) {
	minus5 := uint32(math.MaxUint32 - 4)
	for _, c := range []struct {
		of   module.Type
		bits [4]uint32
		want [4]float32
	}{
		{module.Type{Kind: module.Int, Width: 32}, [4]uint32{minus5}, [4]float32{-5, 0, 0, 1}},
		{module.Type{Kind: module.Uint, Width: 32}, [4]uint32{minus5}, [4]float32{float32(minus5), 0, 0, 1}},
		{module.Type{Kind: module.Float, Width: 32}, [4]uint32{math.Float32bits(-5)}, [4]float32{-5, 0, 0, 1}},
		{module.Type{Kind: module.Vector, Count: 4, Elem: &module.Type{Kind: module.Int, Width: 32}}, [4]uint32{1, minus5, 2, minus5}, [4]float32{1, -5, 2, -5}},
	} {
		require.Equal(t, c.want, widened(&c.of, c.bits))
	}
}

// TestCullDistances: a cull distance that is negative at all corners drops the triangle, a clip distance does not.
func TestCullDistances(t *testing.T) {
	for _, c := range []struct {
		distances [3][]float32 // a clip distance and two cull distances
		want      bool
	}{
		{[3][]float32{{-1, -1, 1}, {-1, -1, -1}, {-1, 1, -1}}, false},
		{[3][]float32{{1, 1, -1}, {1, -1, -1}, {1, -1, 0}}, false},
		{[3][]float32{{1, 0, -1}, {1, -1, 0}, {1, -1, -1}}, false},
		{[3][]float32{{1, 1, -1}, {1, 1, -1}, {1, 1, -1}}, true},
	} {
		require.Equal(t, c.want, (&textured{distances: c.distances, clips: 1}).culled(), c.distances)
	}
}
