package plan

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer"
)

// rod returns points along an axis, far longer than wide.
func rod(axis, n int) *geometry.Scene {
	s := &geometry.Scene{Name: "rod"}
	for i := range n {
		p := mgl32.Vec3{0.1 * float32(i%2), 0.1 * float32(i/2%2), 0.1 * float32(i/4%2)}
		p[axis] = 10 * float32(i) / float32(n-1)
		s.Positions = append(s.Positions, p)
	}
	return s
}

func TestSkinWeightsAreWhole(t *testing.T) {
	for axis := range 3 {
		before, used := [boneCount]int{}, map[uint32]bool{}
		for i, packed := range SkinData(rod(axis, 5000)) {
			weights, sum := [boneCount]int{}, 0
			for k := range 4 {
				bone, weight := packed[0]>>(8*k)&255, int(packed[1]>>(8*k)&255)
				require.Less(t, bone, uint32(boneCount))
				weights[bone] += weight
				sum += weight
				used[bone] = true
			}
			require.Equal(t, 255, sum)
			for bone := range weights {
				if change := weights[bone] - before[bone]; i > 0 && (change > 5 || change < -5) {
					require.Failf(t, "not smooth", "vertex %d jumps to bone %d", i, bone)
				}
			}
			before = weights
		}
		require.Len(t, used, boneCount, "all bones hold vertices")
	}
}

// TestBonesAreAChain: every bone's matrix is a rotation, and neighbours move the joint between them
// to the same place.
func TestBonesAreAChain(t *testing.T) {
	for axis := range 3 {
		s := rod(axis, 100)
		c := newChain(s)
		require.Equal(t, axis, c.axis)
		rows := BoneData(s)
		require.Len(t, rows, 3*boneCount)
		moved := func(bone int, p [3]float64) (q [3]float64) {
			for r := range q {
				row := rows[3*bone+r]
				q[r] = float64(row[0])*p[0] + float64(row[1])*p[1] + float64(row[2])*p[2] + float64(row[3])
			}
			return q
		}
		turns := 0
		for bone := range boneCount {
			m := mgl32.Mat3FromRows(mgl32.Vec4(rows[3*bone]).Vec3(), mgl32.Vec4(rows[3*bone+1]).Vec3(), mgl32.Vec4(rows[3*bone+2]).Vec3())
			for k, f := range m.Mul3(m.Transpose()).Sub(mgl32.Ident3()) {
				require.InDelta(t, 0, f, 1e-6, "bone %d is no rotation: element %d", bone, k)
			}
			require.InDelta(t, 1, m.Det(), 1e-6)
			if m.Trace() < 2.99 {
				turns++
			}
			if bone == 0 {
				continue
			}
			joint := c.center
			joint[axis] = c.start + float64(bone)*c.step
			a, b := moved(bone-1, joint), moved(bone, joint)
			for k := range a {
				require.InDelta(t, a[k], b[k], 1e-4, "joint %d comes apart", bone)
			}
		}
		require.Greater(t, turns, boneCount/2, "the pose is no pose")
	}
}

func TestVertexShadersOfAPoint(t *testing.T) {
	s := &geometry.Scene{Positions: []mgl32.Vec3{{3, 4, 5}, {3, 4, 5}}}
	for _, row := range BoneData(s) {
		for _, f := range row {
			require.False(t, math.IsNaN(float64(f)) || math.IsInf(float64(f), 0))
		}
	}
	require.Equal(t, SkinData(s)[0], SkinData(s)[1])
	cells, height := displacement(s)
	require.Equal(t, []float32{1, 0}, []float32{cells, height})
}

// TestDisplacementFitsTheScene: the cells per scene unit are a power of two, and 4 to 8 cells span a scene of
// any size. Far from the origin they are fewer, so that cell numbers fit 32 bits.
func TestDisplacementFitsTheScene(t *testing.T) {
	for _, scale := range []float32{1e-20, 1e-3, 0.1, 1, 7, 5000, 1e20} {
		for _, offset := range []float32{0, 1e3, 1e6} {
			s := rod(1, 10)
			for i := range s.Positions {
				s.Positions[i] = s.Positions[i].Mul(scale)
				s.Positions[i][0] += offset * scale
			}
			cells, height := displacement(s)
			fraction, _ := math.Frexp(float64(cells))
			require.Equal(t, 0.5, fraction, "%g is no power of two", cells)
			require.Less(t, float64(cells)*8*float64(offset+10)*float64(scale), float64(1<<31), "cells of the last octave")
			across := float64(cells) * 10 * float64(scale)
			require.LessOrEqual(t, across, 8.01)
			if offset <= 1e3 {
				require.Greater(t, across, 3.99)
			}
			require.InEpsilon(t, 10*scale/64, height, 1e-5)
		}
	}
}

func TestPlanOfVertexShaders(t *testing.T) {
	bytes := func(p *Plan, b Block) int64 { return p.Buffer(b).Bytes }
	for shader := range renderer.VertexShader(len(renderer.VertexShaderNames)) {
		f := frame(t, 100, "warp", 8)
		f.VertexShader, f.View, f.NoRaster = shader, renderer.NoView, true
		p := made(t)(New(f, testLimits))
		pass := p.Passes[2]
		require.Equal(t, shader.String(), p.ShadeKey(pass.Pipeline()))
		require.Equal(t, shader == renderer.Displace, spec(pass, "DISPLACE_HEIGHT") != 0)
		require.Contains(t, touching(p, pass, Read), "Skin")
		if shader == renderer.Skin {
			require.Equal(t, int64(102*8), bytes(p, "Skin"))
			require.Equal(t, int64(64*48), bytes(p, "Bones"))
		} else {
			require.Equal(t, int64(8+16), bytes(p, "Skin")+bytes(p, "Bones"), "one element each")
		}
		if shader == renderer.Transform {
			require.Zero(t, p.AttributeCount())
			require.NotContains(t, p.String(), shader.String())
		} else {
			require.Equal(t, int64(8*p.VertexCapacity), bytes(p, "VertexAttributes"), "normals are written without a view too")
			require.Contains(t, p.String(), "native, "+shader.String()+", ")
		}
	}
	f := frame(t, 100, "warp", 8)
	f.VertexShader = 3
	_, err := New(f, testLimits)
	require.EqualError(t, err, "vertex shader unknown(3)")
}
