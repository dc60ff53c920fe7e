package format

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// gltfMoving is a document with every kind of channel: a root moved by a spline, a joint that turns, a
// joint below it that grows in steps, a skinned mesh, and the same mesh on a separate node.
func gltfMoving(change func(m *gltfMaker)) string {
	var m gltfMaker
	m.floats(0, 0, 0, 1, 0, 1, 0, 1, 2, 1, 1, 0)                                                                                                     // accessor 0
	m.shorts(0, 1, 2, 2, 1, 3)                                                                                                                       // 1
	m.accessor(m.view([]uint8{0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, ""), gltfUnsignedByte, "VEC4", 4, "")                                 // 2, joints
	m.accessor(m.view([]float32{1, 0, 0, 0, .25, .75, 0, 0, .5, 0, 0, 0, 0, 0, 0, 0}, ""), gltfFloat, "VEC4", 4, "")                                 // 3, weights, whose sums are 1, 1, .5 and 0
	m.accessor(m.view([][16]float32{mgl32.Translate3D(0, -1, 0), mgl32.Scale3D(.5, .5, .5)}, ""), gltfFloat, "MAT4", 2, "")                          // 4
	m.accessor(m.view([]float32{0, 2}, ""), gltfFloat, "SCALAR", 2, "")                                                                              // 5, times
	m.accessor(m.view([]int16{0, 0, 0, 32767, 0, 0, 32767, 0}, ""), gltfShort, "VEC4", 2, `,"normalized":true`)                                      // 6, half a turn
	m.accessor(m.view([]float32{.5, 1}, ""), gltfFloat, "SCALAR", 2, "")                                                                             // 7, times
	m.floats(1, 1, 1, 2, 3, 4)                                                                                                                       // 8, scales
	m.floats(9, 9, 9, 0, 0, 0, 3, 0, 0, 0, 3, 0, 1, 2, 3, 9, 9, 9)                                                                                   // 9, a spline
	m.accessor(m.view([]float32{1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0}, ""), gltfFloat, "VEC4", 4, "")                                      // 10
	m.accessors = append(m.accessors, `{"componentType":5126,"type":"VEC3","count":1000000000}`, `{"componentType":5126,"type":"SCALAR","count":2}`) // 11, 12
	m.floats(4, 5, 6)                                                                                                                                // 13, of an instance
	if change != nil {
		change(&m)
	}
	return m.text(`"meshes":[{"primitives":[{"attributes":{"POSITION":0,"JOINTS_0":2,"WEIGHTS_0":3},"indices":1}]}],
		"skins":[{"joints":[3,1],"inverseBindMatrices":4}],
		"nodes":[{"children":[3],"translation":[7,7,7]},{"translation":[0,1,0]},{"mesh":0,"skin":0,"translation":[50,0,0]},{"children":[1,4],"translation":[2,0,0]},{"mesh":0,"translation":[0,0,5],"extensions":{"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":13}}}}],
		"scenes":[{"nodes":[2,0]}],
		"animations":[{"channels":[{"sampler":0,"target":{"node":3,"path":"rotation"}},
			{"sampler":2,"target":{"node":0,"path":"translation"}},{"sampler":0,"target":{"node":0,"path":"weights"}},{"sampler":1,"target":{"node":1,"path":"scale"}}],
			"samplers":[{"input":5,"output":6},{"input":7,"output":8,"interpolation":"STEP"},{"input":5,"output":9,"interpolation":"CUBICSPLINE"}]}]`)
}

// gltfReadMoving reads a document with its animations. If none could be read, it returns the reason as an error.
func gltfReadMoving(text string) (*geometry.Scene, error) {
	in := &Input{Reader: strings.NewReader(text), Path: "a.gltf", Size: int64(len(text)), Animated: true}
	s, err := gltfReader.Read(context.Background(), in)
	if err == nil && len(s.Animations) == 0 && len(s.Skipped) > 0 {
		return s, errors.New(s.LeftOut())
	}
	return s, err
}

// TestGLTFPoses: poses agree with matrices made by formula, in double precision: the spline as a Bézier
// curve, the turn by its angle.
func TestGLTFPoses(t *testing.T) {
	t.Parallel()
	text := gltfMoving(nil)
	scene := must.Get(gltfReadMoving(text))
	scene.MakeNormals(t.Context())
	rest := must.Get(gltfReadString(text, nil))
	require.Empty(t, rest.Animations, "nobody asked")
	require.Len(t, rest.Positions, 4)
	require.Len(t, scene.Positions, 8, "the skin moves vertices of its own")
	require.Equal(t, rest.Positions, scene.Positions[:4])
	require.EqualValues(t, 2, scene.Animations[0].Length(), "the last channel is shorter")
	renumbered := must.Get(order.Apply(t.Context(), scene, "random+fetch"))
	mix := func(a, b mgl64.Vec3, u float64) mgl64.Vec3 { return a.Mul(1 - u).Add(b.Mul(u)) }
	for _, seconds := range []float64{0, .25, .5, .999, 1, 1.5, 1.9375, 2.25, 5} {
		at := math.Mod(seconds, 2)
		u, curve := at/2, []mgl64.Vec3{{}, {2, 0, 0}, {1, 0, 3}, {1, 2, 3}} // the tangents are scaled for a span of 2 s
		for len(curve) > 1 {
			for i := range curve[:len(curve)-1] {
				curve[i] = mix(curve[i], curve[i+1], u)
			}
			curve = curve[:len(curve)-1]
		}
		root := mgl64.Translate3D(curve[0].Elem())
		first := root.Mul4(mgl64.Translate3D(2, 0, 0)).Mul4(mgl64.HomogRotate3DZ(math.Pi * u))
		second := first.Mul4(mgl64.Translate3D(0, 1, 0))
		if at >= 1 {
			second = second.Mul4(mgl64.Scale3D(2, 3, 4))
		}
		joints := []mgl64.Mat4{first.Mul4(mgl64.Translate3D(0, -1, 0)), second.Mul4(mgl64.Scale3D(.5, .5, .5))}
		blended := joints[0].Mul(.25).Add(joints[1].Mul(.75))
		matrices := []mgl64.Mat4{joints[0], blended, joints[1], mgl64.Ident4()}
		posed := must.Get(scene.Animations[0].Pose(scene, float32(seconds)))
		for v, m := range matrices {
			p, n := scene.Positions[v], scene.Normals[v]
			want := m.Mul4x1(mgl64.Vec4{float64(p[0]), float64(p[1]), float64(p[2]), 1})
			got := posed.Positions[v]
			require.InDeltaSlice(t, want[:3], []float64{float64(got[0]), float64(got[1]), float64(got[2])}, 1e-5, "vertex %d at %g s", v, seconds)
			normal := m.Mat3().Inv().Transpose().Mul3x1(mgl64.Vec3{float64(n[0]), float64(n[1]), float64(n[2])}).Normalize()
			got = posed.Normals[v]
			require.InDeltaSlice(t, normal[:], []float64{float64(got[0]), float64(got[1]), float64(got[2])}, 1e-5, "normal %d at %g s", v, seconds)
		}
		beside := first.Mul4(mgl64.Translate3D(4, 5, 11))
		for i, want := range []mgl64.Mat4{mgl64.Ident4(), beside} {
			for k, x := range posed.Draws[i].Transform {
				require.InDelta(t, want[k], x, 1e-5, "draw %d at %g s", i, seconds)
			}
		}
		require.Equal(t, scene.Positions[4:], posed.Positions[4:], "without the skin")
		require.Same(t, &scene.Indices[0], &posed.Indices[0])

		other := must.Get(renumbered.Animations[0].Pose(renumbered, float32(seconds)))
		for v, from := range renumbered.Origin {
			require.Equal(t, posed.Positions[from], other.Positions[v])
		}
	}
	require.Equal(t, rest.Positions, scene.Positions[:4], "the scene stays")
	require.Equal(t, float32(50), scene.Draws[0].Transform[12])
}

// gltfMorphing is a document with a mesh of six morph targets on two nodes: one target has normals, one is sparse, one
// packed and one empty. It has three animations: of one node's weights, of a spline, and a bad one.
func gltfMorphing() string {
	var m gltfMaker
	m.floats(0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0) // accessor 0
	m.shorts(3, 2, 1, 1, 2, 0)                   // 1
	m.floats(0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1) // 2, normals
	m.floats(0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4) // 3, a target
	m.floats(1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0) // 4, its normals
	m.accessors = append(m.accessors, fmt.Sprintf(`{"componentType":5126,"type":"VEC3","count":4,"sparse":{"count":1,"indices":{"bufferView":%d,"componentType":5123},"values":{"bufferView":%d}}}`,
		m.view([]uint16{2}, ""), m.view([]float32{5, 6, 7}, ""))) // 5
	m.accessor(m.view([]int8{127, 0, 0, 0, 0, -127, 0, 0, 127, 0, 0, 0, 0, 0, 0, 0}, `,"byteStride":4`), gltfByte, "VEC3", 4, `,"normalized":true`) // 6
	m.accessor(m.view([]float32{0, 2}, ""), gltfFloat, "SCALAR", 2, "")                                                                             // 7, times
	m.accessor(m.view([]uint8{0, 0, 0, 255, 0, 0, 255, 0, 51, 0, 255, 0}, ""), gltfUnsignedByte, "SCALAR", 12, `,"normalized":true`)                // 8, weights
	m.accessor(m.view(make([]float32, 36), ""), gltfFloat, "SCALAR", 36, "")                                                                        // 9, a spline
	m.accessor(m.view(make([]float32, 4), ""), gltfFloat, "SCALAR", 4, "")                                                                          // 10 to 12: not fit for targets
	m.floats(0, 0, 0, 0, float32(math.NaN()), 0, 0, 0, 0, 0, 0, 0)                                                                                  // 11
	m.floats(0, 0, 0, 0, 0, 0)                                                                                                                      // 12
	return m.text(`"meshes":[{"weights":[0.5,0,0,0,0,0],"primitives":[{"attributes":{"POSITION":0,"NORMAL":2},"indices":1,
		"targets":[{"POSITION":3,"NORMAL":4},{"POSITION":5},{"POSITION":6},{},{"POSITION":3},{"NORMAL":4}]}]}],
		"nodes":[{"mesh":0},{"mesh":0,"weights":[0,2,0,0,0,0],"translation":[9,0,0]}],"scenes":[{"nodes":[0,1]}],
		"animations":[{"name":"bend","channels":[{"sampler":0,"target":{"node":0,"path":"weights"}}],"samplers":[{"input":7,"output":8}]},
			{"channels":[{"sampler":0,"target":{"node":1,"path":"weights"}}],"samplers":[{"input":7,"output":9,"interpolation":"CUBICSPLINE"}]},
			{"channels":[{"sampler":7,"target":{"node":1,"path":"weights"}}],"samplers":[]}]`)
}

// TestGLTFMorphs: a node's weights move its own vertices only, in any index order. A bad animation leaves the others intact.
func TestGLTFMorphs(t *testing.T) {
	t.Parallel()
	scene := must.Get(gltfReadMoving(gltfMorphing()))
	require.Len(t, scene.Positions, 8, "nodes have vertices of their own")
	require.Len(t, scene.Animations, 2)
	require.Contains(t, scene.LeftOut(), "animation 2 channel 0: sampler is 7")
	require.Equal(t, "bend", scene.Animations[0].Name())
	require.Equal(t, "animation 1", scene.Animations[1].Name())
	alone := must.Get(gltfReadMoving(strings.Replace(gltfMorphing(), `"nodes":[0,1]`, `"nodes":[0]`, 1)))
	renumbered := must.Get(order.Apply(t.Context(), alone, "random+fetch"))
	require.False(t, slices.IsSorted(renumbered.Origin))
	base, unit := scene.Positions[:4], mgl32.Vec3{0, 0, 1}
	slant := func(x float32) mgl32.Vec3 { return mgl32.Vec3{x, 0, 1}.Normalize() }
	for _, c := range []struct {
		of      int
		seconds float32
		moved   [8]mgl32.Vec3
		normals [2]mgl32.Vec3 // normals of the nodes' vertices
	}{
		{0, 0, [8]mgl32.Vec3{6: {10, 12, 14}}, [2]mgl32.Vec3{unit, unit}},
		{0, 1, [8]mgl32.Vec3{{.1, 0, 1}, {0, -.1, 2}, {.1, 0, 3}, {0, 0, 4}, {}, {}, {10, 12, 14}, {}}, [2]mgl32.Vec3{slant(.5), unit}},
		{1, 1, [8]mgl32.Vec3{{0, 0, .5}, {0, 0, 1}, {0, 0, 1.5}, {0, 0, 2}}, [2]mgl32.Vec3{slant(.5), unit}},
	} {
		posed := must.Get(scene.Animations[c.of].Pose(scene, c.seconds))
		for v, moved := range c.moved {
			want := base[v%4].Add(moved)
			require.InDeltaSlice(t, want[:], posed.Positions[v][:], 1e-6, "vertex %d of %+v", v, c)
			require.InDeltaSlice(t, c.normals[v/4][:], posed.Normals[v][:], 1e-6, "normal %d of %+v", v, c)
		}
		other := must.Get(renumbered.Animations[c.of].Pose(renumbered, c.seconds))
		for v, from := range renumbered.Origin {
			require.Equal(t, posed.Positions[from], other.Positions[v])
		}
	}
	require.Equal(t, mgl32.Vec3{1, 1, 0}, scene.Positions[3], "the scene stays")
}

// TestGLTFShapesAtRest: without animations, meshes get the shape of their skins and weights at rest.
func TestGLTFShapesAtRest(t *testing.T) {
	t.Parallel()
	still := func(text string) string {
		kept, _, _ := strings.Cut(text, `,
		"animations"`)
		return kept + "}"
	}
	skinned := must.Get(gltfReadMoving(still(gltfMoving(nil))))
	require.Empty(t, skinned.Animations)
	stored := must.Get(gltfReadString(still(gltfMoving(nil)), nil))
	require.Equal(t, append([]mgl32.Vec3{{9, 6, 7}, {9.625, 7.5, 7.625}, {9, 8.5, 8}, {1, 1, 0}}, stored.Positions...), skinned.Positions)
	require.Equal(t, mgl32.Ident4(), skinned.Draws[0].Transform, "the node of a skinned mesh does not move it")
	require.Equal(t, mgl32.Translate3D(13, 12, 18), skinned.Draws[1].Transform)
	morphed := must.Get(gltfReadMoving(still(gltfMorphing())))
	require.Equal(t, []mgl32.Vec3{{0, 0, .5}, {1, 0, 1}, {0, 1, 1.5}, {1, 1, 2}, {0, 0, 0}, {1, 0, 0}, {10, 13, 14}, {1, 1, 0}}, morphed.Positions)
	require.Equal(t, mgl32.Vec3{.5, 0, 1}.Normalize(), morphed.Normals[0])
	require.Equal(t, mgl32.Vec3{0, 0, 1}, morphed.Normals[4])
	for _, c := range []struct{ ofMesh, ofNode, vertices int }{{0, 0, 4}, {3, 0, 8}, {0, 3, 8}} {
		weighed := strings.NewReplacer("0.5,0,", fmt.Sprintf("%d,0,", c.ofMesh), "[0,2,", fmt.Sprintf("[0,%d,", c.ofNode)).Replace(still(gltfMorphing()))
		s := must.Get(gltfReadMoving(weighed))
		require.Len(t, s.Positions, c.vertices, "nodes share vertices where no weight moves them")
	}
	bad, err := gltfReadMoving(strings.Replace(still(gltfMoving(nil)), `"joints":[3,1]`, `"joints":[3,9]`, 1))
	require.ErrorContains(t, err, "skin 0: joint is 9")
	require.Equal(t, stored.Positions, bad.Positions[:4])
}

// TestRotationsGoTheShorterWay: q and -q are the same rotation.
func TestRotationsGoTheShorterWay(t *testing.T) {
	t.Parallel()
	const half = math.Sqrt2 / 2
	for _, to := range []mgl32.Vec4{{0, 0, half, half}, {0, 0, -half, -half}} {
		c := channel{path: rotation, times: []float32{0, 1}, values: []mgl32.Vec4{{0, 0, 0, 1}, to}}
		got := c.at(1. / 3)
		require.InDeltaSlice(t, []float64{0, 0, math.Sin(math.Pi / 12), math.Cos(math.Pi / 12)}, []float64{float64(got[0]), float64(got[1]), float64(got[2]), float64(got[3])}, 1e-6)
	}
}

// TestGLTFPosesOfOthers: a primitive without weights keeps its stored shape in a pose. Poses of other scenes, and
// poses that are not finite, are errors.
func TestGLTFPosesOfOthers(t *testing.T) {
	t.Parallel()
	bare := must.Get(gltfReadMoving(strings.Replace(gltfMoving(nil), `,"WEIGHTS_0":3`, "", 1)))
	posed := must.Get(bare.Animations[0].Pose(bare, 1))
	require.Equal(t, bare.Positions, posed.Positions)
	still, err := gltfReadMoving(strings.Replace(gltfMoving(nil), `"animations"`, `"others"`, 1))
	require.NoError(t, err)
	require.Empty(t, still.Animations)
	_, err = bare.Animations[0].Pose(bare.Only([]int{0}), 1)
	require.EqualError(t, err, "the animation is another scene's")
	_, err = bare.Animations[0].Pose(still, 1)
	require.EqualError(t, err, "the animation is another scene's")
	far, err := gltfReadMoving(gltfMoving(func(m *gltfMaker) {
		m.accessors[8] = m.accessors[m.floats(1, 1, 1, 3e38, 3e38, 3e38)]
		m.accessors[9] = m.accessors[m.floats(0, 0, 0, 0, 0, 0, 3e38, 0, 0, 3e38, 0, 0, 3e38, 0, 0, 0, 0, 0)]
	}))
	require.NoError(t, err)
	_, err = far.Animations[0].Pose(far, 1.5)
	require.ErrorContains(t, err, "is not finite at 1.5 s")
}

// TestGLTFBadAnimations: each fault of a skin or animation gives one line that names its place.
func TestGLTFBadAnimations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ from, to, place, cause string }{
		{`"joints":[3,1]`, `"joints":[3,9]`, "skin 0", "joint is 9, but the document has 5 nodes"},
		{`"joints":[3,1]`, `"joints":[3,-1]`, "skin 0", "joint is -1"},
		{`"joints":[3,1]`, `"joints":[3]`, `draw "mesh 0"`, "vertex 1 names joint 1 of 1"},
		{`"joints":[3,1]`, `"joints":[3,1,1]`, "skin 0", "2 inverse bind matrices"},
		{`"inverseBindMatrices":4`, `"inverseBindMatrices":99`, "skin 0", "accessor is 99"},
		{`"inverseBindMatrices":4`, `"inverseBindMatrices":3`, "skin 0", `"VEC4" of component type 5126`},
		{`"skin":0`, `"skin":1`, "node 2", "skin is 1, but the document has 1"},
		{`"JOINTS_0":2`, `"JOINTS_0":10`, "", ""},
		{`"WEIGHTS_0":3`, `"WEIGHTS_0":0`, "mesh 0 primitive 0 WEIGHTS_0", `"VEC3" is not VEC4`},
		{`"sampler":1`, `"sampler":3`, "animation 0 channel 3", "sampler is 3, but the document has 3"},
		{`"node":1,"path":"scale"`, `"node":5,"path":"scale"`, "animation 0 channel 3", "node is 5"},
		{`"input":7`, `"input":-7`, "animation 0 channel 3 input", "accessor is -7"},
		{`"input":7`, `"input":6`, "animation 0 channel 3 input", `"VEC4" of component type 5122`},
		{`"input":7`, `"input":12`, "animation 0 channel 3 input", "time 1 is 0: times must increase"},
		{`"output":8`, `"output":9`, "animation 0 channel 3 output", "6 values for 2 times, not 2"},
		{`"output":9`, `"output":8`, "animation 0 channel 1 output", "2 values for 2 times, not 6"},
		{`"output":8`, `"output":6`, "animation 0 channel 3 output", `"VEC4"`},
		{`"output":8`, `"output":11`, "animation 0 channel 3 output", "needs more than"},
		{`"STEP"`, `"HOP"`, "animation 0 channel 3", `interpolation "HOP" is none of`},
		{`{"translation":[0,1,0]}`, `{"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}`, "animation 0 channel 3", "moves node 1, which has a matrix"},
		{`"weights":[0.5,`, `"weights":[`, "", "node 0: 5 weights for 6 morph targets"},
		{`"weights":[0,2,`, `"weights":[0,`, "", "node 1: 5 weights for 6 morph targets"},
		{`"weights":[0,2,`, `"weights":[0,1e300,`, "", "node 1: weight 1 is 1e+300"},
		{`{"POSITION":5}`, `{"POSITION":50}`, "", "mesh 0 primitive 0 target 1: accessor is 50"},
		{`{"POSITION":5}`, `{"POSITION":12}`, "", "mesh 0 primitive 0 target 1: 2 elements for 4 positions"},
		{`{"POSITION":6}`, `{"POSITION":10}`, "", `target 2: "SCALAR"`},
		{`{"POSITION":6}`, `{"POSITION":11}`, "", "target 2: element 1 is not finite"},
		{`"output":8}`, `"output":9}`, "", "animation 0 channel 0 output: 36 values for 2 times, not 12"},
		{`"output":8}`, `"output":4}`, "", `animation 0 channel 0 output: "VEC3"`},
		{`]}]}],`, `]},{"attributes":{"POSITION":0},"targets":[{}]}]}],`, "", "mesh 0 primitive 1: 1 morph targets, but primitive 0 has 6"},
	} {
		text := gltfMoving(nil)
		if c.place == "" && c.cause != "" {
			text = gltfMorphing()
		}
		changed := strings.Replace(text, c.from, c.to, 1)
		require.NotEqual(t, text, changed, c.from)
		s, err := gltfReadMoving(changed)
		if err == nil && len(s.Skipped) > 0 {
			err = errors.New(s.LeftOut())
		}
		if c.cause == "" {
			require.NoError(t, err, c.to)
			continue
		}
		require.ErrorContains(t, err, "left out: skins and animations: "+c.place, c.to)
		require.ErrorContains(t, err, c.cause, c.to)
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		accessor   int
		kind       string
		components int
		values     []float32
		cause      string
	}{
		{3, "VEC4", 4, []float32{1, 0, 0, 0, -1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, "weight of vertex 1 is -1"},
		{3, "VEC4", 4, []float32{1, 0, 0, 0, 1, 0, 0, 0, nan, 0, 0, 0, 1, 0, 0, 0}, "weight of vertex 2 is NaN"},
		{2, "VEC4", 4, []float32{-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "vertex 0 names joint -1 of 2"},
		{2, "VEC4", 4, []float32{nan, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "vertex 0 names joint NaN of 2"},
		{5, "SCALAR", 1, []float32{-1, 2}, "time 0 is -1"},
		{5, "SCALAR", 1, []float32{0, inf}, "element 1 is not finite"},
		{8, "VEC3", 3, []float32{1, 1, 1, 1, nan, 1}, "element 1 is not finite"},
		{4, "MAT4", 16, append(make([]float32, 31), inf), "skin 0: element 1 is not finite"},
	} {
		_, err := gltfReadMoving(gltfMoving(func(m *gltfMaker) {
			m.accessors[c.accessor] = m.accessors[m.accessor(m.view(c.values, ""), gltfFloat, c.kind, len(c.values)/c.components, "")]
		}))
		require.ErrorContains(t, err, c.cause, fmt.Sprint(c.accessor, c.values))
	}
}
