package capture

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture/internal/replay"
	"github.com/shadeonce/shadeonce/geometry/format"
)

const someExtras = `{"shadeonce":{"version":1,"api":"Vulkan","passes":[{"name":"pass 1","width":160,"height":90}],"skipped":[{"what":"vkCmdDraw: 2D positions","count":7}]}}`

// frameCube is the corners of a cube, and frameIndices its twelve triangles.
var (
	frameCube    = []mgl32.Vec3{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}}
	frameIndices = []uint16{0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5}
)

// frameMaker makes a frame by hand: cubes seen by a game's camera from above.
type frameMaker struct {
	gltfMaker
	viewProj         mgl32.Mat4
	positions, index int
	meshes, nodes    []string
}

func newFrameMaker() *frameMaker {
	m := &frameMaker{}
	m.positions, m.index = m.accessor(frameCube, 5126, "VEC3", len(frameCube)), m.shorts(frameIndices...)
	// Vulkan: y down, z from 0 to w.
	vulkan := mgl32.Mat4FromRows(mgl32.Vec4{1, 0, 0, 0}, mgl32.Vec4{0, -1, 0, 0}, mgl32.Vec4{0, 0, .5, .5}, mgl32.Vec4{0, 0, 0, 1})
	view := mgl32.HomogRotate3DX(.4).Mul4(mgl32.Translate3D(-2, -5, -9))
	m.viewProj = vulkan.Mul4(mgl32.Perspective(mgl32.DegToRad(60), 16./9, .5, 200)).Mul4(view)
	return m
}

// clip returns an accessor of a vertex shader's outputs for the corners. bend makes them nonlinear.
func (m *frameMaker) clip(world mgl32.Mat4, bend float32) int {
	var out []float32
	for _, p := range frameCube {
		p[1] += bend * p[0] * p[2]
		c := m.viewProj.Mul4(world).Mul4x1(p.Vec4(1))
		out = append(out, c[:]...)
	}
	return m.clips(out...)
}

// draw adds a draw of instances, each with its clip positions.
func (m *frameMaker) draw(extras string, clips ...int) {
	var primitives []string
	for i, clip := range clips {
		primitives = append(primitives, fmt.Sprintf(`{"attributes":{"POSITION":%d,"_CLIP":%d},"indices":%d,"extras":{"pass":0,"instance":%d,"window":[1,0,1,0,1,0]%s}}`,
			m.positions, clip, m.index, i, extras))
	}
	m.nodes = append(m.nodes, fmt.Sprintf(`{"name":"pass 1 / event %d","mesh":%d}`, len(m.meshes), len(m.meshes)))
	m.meshes = append(m.meshes, `{"primitives":[`+strings.Join(primitives, ",")+`]}`)
}

func (m *frameMaker) frame() string {
	text := m.json(`"meshes":[` + strings.Join(m.meshes, ",") + `],"nodes":[` + strings.Join(m.nodes, ",") + `]`)
	return strings.Replace(text, `{"version":"2.0"}`, `{"version":"2.0","extras":`+someExtras+`}`, 1)
}

func (m *frameMaker) read(text string) (*geometry.Scene, error) {
	return load(glbReader(), "a.glb", glbOf(text, m.bin), false)
}

func someFrame() (m *frameMaker, worlds []mgl32.Mat4) {
	m = newFrameMaker()
	for i := range 4 {
		worlds = append(worlds, mgl32.Translate3D(float32(3*i-4), 0, float32(-2*i)).Mul4(mgl32.HomogRotate3DY(float32(i))))
	}
	m.draw("", m.clip(worlds[0], 0), m.clip(worlds[1], 0))
	m.draw(`,"culls":"cw"`, m.clip(worlds[2], 0))
	m.draw("", m.clip(worlds[3], .5))
	m.draw(`,"depthWrites":false`, m.clip(worlds[0], 0))
	return m, worlds
}

func TestFrameOfAReplay(t *testing.T) {
	m, worlds := someFrame()
	s, err := m.read(m.frame())
	require.NoError(t, err)
	require.NoError(t, s.Validate(t.Context()))
	require.Len(t, s.Draws, 5)
	require.Equal(t, "pass 1 / event 0", s.Draws[0].Name)
	require.Equal(t, s.Draws[0].Name, s.Draws[1].Name, "instances have one name")
	require.Equal(t, s.Draws[0].VertexOffset, s.Draws[1].VertexOffset, "and share vertices")
	require.Len(t, s.Positions, 16, "those of the bent draw are its own")
	require.Equal(t, []string{"7 x vkCmdDraw: 2D positions",
		"counted, but not drawn: 1 x draw: sky, glass and smoke"}, s.Skipped)
	for i, how := range []geometry.Placed{geometry.Fitted, geometry.Fitted, geometry.Fitted, geometry.Captured, geometry.Hidden} {
		require.Equal(t, how, s.Placing(i).How, "draw %d", i)
	}
	require.False(t, s.Draws[0].OneSided)
	require.True(t, s.Draws[2].OneSided)
	require.Less(t, s.Placing(0).Residual, float32(1e-5))
	require.Greater(t, s.Placing(3).Residual, float32(5e-3))

	require.NotNil(t, s.View())
	require.InDelta(t, 60, s.View().FovY, .01)
	require.InDelta(t, .4*180/math.Pi, s.View().Elevation, .1)
	// The scene differs from the game's world by a rigid motion, so distances are the same.
	at := func(draw, corner int) mgl32.Vec3 {
		d := &s.Draws[draw]
		return d.Transform.Mul4x1(s.Positions[d.VertexOffset+uint32(corner)].Vec4(1)).Vec3()
	}
	for a := range 4 {
		for b := range 4 {
			for corner := range 8 {
				bend := func(draw, corner int) mgl32.Vec3 {
					p := frameCube[corner]
					if draw == 3 {
						p[1] += .5 * p[0] * p[2]
					}
					return worlds[draw].Mul4x1(p.Vec4(1)).Vec3()
				}
				want := bend(a, corner).Sub(bend(b, 7-corner)).Len()
				require.InDelta(t, want, at(a, corner).Sub(at(b, 7-corner)).Len(), 2e-3, "draws %d and %d", a, b)
			}
		}
	}
}

func TestFrameShowsAPassWithoutDepth(t *testing.T) {
	m := newFrameMaker()
	for draws, extras := range []string{`,"depthWrites":false`, ""} { // first no triangle writes depth, then half of them
		m.draw(extras, m.clip(mgl32.Translate3D(float32(2*draws), 0, -3), 0))
		s, err := m.read(m.frame())
		require.NoError(t, err)
		for i := range s.Draws {
			require.Equal(t, geometry.Fitted, s.Placing(i).How)
		}
	}
}

// TestMeshesDifferInVerticesOrIndices: draws with other indices or other vertices are different meshes, so passes are
// not aligned by them.
func TestMeshesDifferInVerticesOrIndices(t *testing.T) {
	p := placer{scene: &geometry.Scene{}, work: func(int64) error { return nil }}
	for _, d := range []geometry.Draw{{IndexCount: 18}, {IndexCount: 18, FirstIndex: 18}, {IndexCount: 18, VertexOffset: 8}, {IndexCount: 18}} {
		p.scene.Draws = append(p.scene.Draws, d)
		p.states = append(p.states, drawState{unknown: true})
	}
	var meshes []int
	for _, d := range p.fit(t.Context()) {
		meshes = append(meshes, d.Mesh)
	}
	require.Equal(t, []int{0, 1, 2, 0}, meshes)
}

// TestExtrasOfOthers: files of other programs may have any extras; they are ignored.
func TestExtrasOfOthers(t *testing.T) {
	for _, extras := range []string{`7`, `"x"`, `[1]`, `{"shadeonce":7}`, `{"shadeonce":null}`} {
		m, _ := someFrame()
		s, err := m.read(strings.ReplaceAll(strings.Replace(m.frame(), someExtras, extras, 1), `"window":[1,0,1,0,1,0]`, `"window":"x"`))
		require.NoError(t, err, extras)
		require.Nil(t, s.View())
		require.Equal(t, geometry.AsFile, s.Placing(0).How)
	}
}

// requireBad requires an error about the given part of the document.
func requireBad(t *testing.T, err error, place, cause, what string) {
	requireClear(t, "a.glb", err)
	var bad *format.Error
	require.ErrorAs(t, err, &bad)
	require.Equal(t, place, bad.Place, what)
	require.Contains(t, bad.Cause, cause, what)
}

func TestFrameRefuses(t *testing.T) {
	for _, c := range []struct{ from, to, place, cause string }{
		{`"version":1`, `"version":2`, "frame", "version 2 of export.py's, only 1 is supported"},
		{`"version":1,`, ``, "frame", "version undefined of export.py's, only 1 is supported"},
		{`"width":160`, `"width":0`, "frame: pass 0", "draws into 0 x 90 pixels"},
		{`"width":160`, `"width":99999999`, "frame: pass 0", "draws into 99999999 x 90 pixels"},
		{`"pass":0`, `"pass":1`, "mesh 0 primitive 0", "pass is 1, but the frame has 1"},
		{`"pass":0`, `"pass":-1`, "mesh 0 primitive 0", "pass is -1, but the frame has 1"},
		{`"window":[1,0,1,0,1,0]`, `"window":[1]`, "mesh 0 primitive 0", "window has 1 numbers, not 6"},
		{`"window":[1,0,1,0,1,0]`, `"window":[1,0,1e9,0,1,0]`, "mesh 0 primitive 0", "window has the number 1e+09"},
		{`,"_CLIP":2`, ``, "mesh 0 primitive 0 _CLIP", "accessor is undefined, but the document has 7"},
		{`"_CLIP":2`, `"_CLIP":9`, "mesh 0 primitive 0 _CLIP", "accessor is 9, but the document has 7"},
		{`"_CLIP":2`, `"_CLIP":0`, "mesh 0 primitive 0 _CLIP", `"VEC3" of component type 5126 (sparse: false) is not allowed`},
		{`"type":"VEC4","count":8`, `"type":"VEC4","count":7`, "mesh 0 primitive 0", "7 clip positions for 8 positions"},
		{`"POSITION":0,`, ``, "mesh 0 primitive 0", "has clip positions and no positions"},
	} {
		m, _ := someFrame()
		text := m.frame()
		require.Contains(t, text, c.from)
		_, err := m.read(strings.Replace(text, c.from, c.to, 1))
		requireBad(t, err, c.place, c.cause, c.from+" -> "+c.to)
	}
	m, _ := someFrame()
	text := m.frame()
	for i := range 4 { // the first clip position is not finite
		copy(m.bin[len(m.bin)-128+4*i:], []byte{0, 0, 0x80, 0x7f})
	}
	_, err := m.read(text)
	require.ErrorContains(t, err, "is not finite")
}

// TestFrameOfTooMuchWork: a frame that uses one mesh so often that placing would take too long is refused.
func TestFrameOfTooMuchWork(t *testing.T) {
	m := newFrameMaker()
	const corners = 60000
	flat, clip := make([]float32, 3*corners), make([]float32, 4*corners)
	m.positions = m.floats(flat...)
	clips := make([]int, 200)
	for i := range clips {
		clips[i] = len(m.accessors)
	}
	m.clips(clip...)
	m.draw("", clips...)
	_, err := m.read(m.frame())
	require.NoError(t, err)
	for range 3 {
		m.draw("", clips...)
	}
	_, err = m.read(m.frame())
	requireBad(t, err, "frame", "takes more than 1979 million steps of work, too much for 1.687 MiB of file", "too much work")
}

// TestFrameFromNothing: clip positions that are all equal, zero or huge give a format.Error or a valid scene.
func TestFrameFromNothing(t *testing.T) {
	for _, value := range []float32{0, 1, -1, 1e-30, 1e30, math.MaxFloat32} {
		m := newFrameMaker()
		flat := make([]float32, 32)
		for i := range flat {
			flat[i] = value
		}
		m.draw("", m.clips(flat...))
		m.draw("", m.clip(mgl32.Translate3D(0, 0, -3), .5))
		s, err := m.read(m.frame())
		if err != nil {
			var bad *format.Error
			require.ErrorAs(t, err, &bad)
			continue
		}
		require.NoError(t, s.Validate(t.Context()), "%g", value)
	}
}

// TestSeenThrough: draws that write no depth are hidden where most triangles of their pass do, however few draws have them.
func TestSeenThrough(t *testing.T) {
	p := placer{states: []drawState{{Target: replay.Target{DepthWrites: true}}, {}, {}, {Target: replay.Target{DepthWrites: true}}, {}}}
	draws := []replay.Draw{{Pass: 0, Triangles: 100}, {Pass: 0, Triangles: 1}, {Pass: 0, Triangles: 1}, {Pass: 1, Triangles: 1}, {Pass: 1, Triangles: 100}}
	require.Equal(t, []bool{false, true, true, false, false}, p.seenThrough(draws))
}
