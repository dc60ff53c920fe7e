package app

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/cli"
)

// bending writes a strip of triangles whose upper half a joint turns by half a turn in 2 s. A second animation,
// "lift", raises the joint by 1 in 4 s.
func bending(t *testing.T) string {
	t.Helper()
	var data []byte
	var views, accessors []string
	add := func(kind string, component, count int, values any) {
		at := len(data)
		data = must.Get(binary.Append(data, binary.LittleEndian, values))
		views = append(views, fmt.Sprintf(`{"buffer":0,"byteOffset":%d,"byteLength":%d}`, at, len(data)-at))
		accessors = append(accessors, fmt.Sprintf(`{"bufferView":%d,"componentType":%d,"type":%q,"count":%d}`, len(views)-1, component, kind, count))
	}
	const rows = 20
	var positions, weights []float32
	var joints, indices []uint16
	for r := range rows + 1 {
		y := float32(r) / rows
		for x := range 2 {
			positions, joints, weights = append(positions, float32(x)/2, y, 0), append(joints, 0, 1, 0, 0), append(weights, 1-y, y, 0, 0)
		}
		if at := uint16(2 * r); r < rows {
			indices = append(indices, at, at+1, at+2, at+2, at+1, at+3)
		}
	}
	add("VEC3", 5126, len(positions)/3, positions)
	add("VEC4", 5126, len(weights)/4, weights)
	add("VEC4", 5123, len(joints)/4, joints)
	add("SCALAR", 5123, len(indices), indices)
	add("SCALAR", 5126, 2, []float32{0, 2})
	add("VEC4", 5126, 2, []float32{0, 0, 0, 1, 0, 0, 1, 0})
	add("SCALAR", 5126, 2, []float32{0, 4})
	add("VEC3", 5126, 2, []float32{0, 0, 0, 0, 1, 0})
	file := filepath.Join(t.TempDir(), "bending.gltf")
	text := `{"asset":{"version":"2.0"},"buffers":[{"byteLength":` + fmt.Sprint(len(data)) + `,"uri":"data:application/octet-stream;base64,` + base64.StdEncoding.EncodeToString(data) +
		`"}],"bufferViews":[` + strings.Join(views, ",") + `],"accessors":[` + strings.Join(accessors, ",") + `],"skins":[{"joints":[1,2]}],"nodes":[{"mesh":0,"skin":0},{},{}],
		"meshes":[{"primitives":[{"attributes":{"POSITION":0,"WEIGHTS_0":1,"JOINTS_0":2},"indices":3}]}],
		"animations":[{"channels":[{"sampler":0,"target":{"node":2,"path":"rotation"}}],"samplers":[{"input":4,"output":5}]},
			{"name":"lift","channels":[{"sampler":0,"target":{"node":2,"path":"translation"}}],"samplers":[{"input":6,"output":7}]}]}`
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	return file
}

// TestAnimationsPlay: Space starts and stops a file's animation. Whenever it rests, both sides must equal
// the pose computed anew from the file. Posing does not change shading counts.
func TestAnimationsPlay(t *testing.T) {
	file := bending(t)
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--remember=false", "--size", "240x160", "--panels=false", file)
		s.Dismiss()
		stored, counts := s.look(), s.Shown.Left.Counts
		require.NotContains(t, stored.flags, "time")

		s.burst("space")
		s.pass(300 * time.Millisecond)
		s.burst("space")
		s.settle()
		require.InDelta(t, .3, s.Pose, .05)
		require.Equal(t, counts, s.Shown.Left.Counts)
		half := s.other(stored)
		presented, at := s.presented, s.Pose
		s.pass(time.Hour + 700*time.Millisecond)
		require.Equal(t, presented, s.presented, "it rests")
		s.burst("space")
		s.pass(100 * time.Millisecond)
		s.burst("space")
		s.settle()
		require.InDelta(t, at+.1, s.Pose, .05, "the rest is no part of it")
		s.Pose = 1.95
		s.burst("space")
		s.pass(100 * time.Millisecond)
		s.burst("space")
		s.settle()
		require.InDelta(t, .05, s.Pose, .05, "it begins again")

		s.Pose = 1
		s.settle()
		one := s.other(half)
		require.Equal(t, "1", one.flags["time"])
		s.key("o") // another order keeps the pose
		s.key("shift+o")
		s.same(one)
		s.key("c")
		require.Equal(t, s.Shown.Left.Scene.Positions, s.Shown.Right.Scene.Positions)
		s.Pose = 1.5
		s.settle()
		require.Equal(t, s.Shown.Left.Scene.Positions, s.Shown.Right.Scene.Positions)
		s.Pose = 1
		s.key("shift+c")
		s.key("c", "c", "F12")
		places := s.Shown.Left.Scene.Positions
		s.leave("")

		saved := must.Get(filepath.Glob("bending*.png"))
		require.Len(t, saved, 1)
		s.start("--remember=false", "--from", saved[0], "--size", "1000x200", "--panels")
		require.Equal(t, places, s.Shown.Left.Scene.Positions, "a saved picture remembers its pose")
		font := s.learn()
		s.resize(1390, 1380)
		s.onText(font, "as stored")
		require.EqualValues(t, cli.RestTime, s.Pose)
		s.leave("")
	})
}

// TestAnimationsAreChosen: the state, a flag and a saved picture choose among a file's animations. Figures of the
// survey, and shares of the picture, stay while one plays.
func TestAnimationsAreChosen(t *testing.T) {
	file := bending(t)
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--remember=false", "--size", "640x480", "--animation", "lift", "--time", "3", file)
		s.Dismiss()
		lifted := s.look()
		top := func() float32 { return s.Shown.Left.Scene.Positions[2*20][1] }
		require.InDelta(t, 1.75, top(), 1e-6)
		require.EqualValues(t, 4, s.Animation().Length())
		of := s.SurveyOf(&s.Shown.Left)
		require.Equal(t, float32(1), of.Scene.Positions[2*20][1], "surveys are of the shape as it is stored")
		_, known := s.Surveys.Get(of)
		require.True(t, known)
		require.NotNil(t, s.Shown.Left.Seen)
		s.key("F12")

		s.Clip = "0"
		s.settle()
		s.other(lifted)
		require.InDelta(t, 0, top(), 1e-6, "a quarter turn")
		s.Clip = "walk"
		s.settle()
		require.Contains(t, s.Notices.String(), `--animation "walk": the file has no such animation, only animation 0, lift`)
		s.Dismiss()
		require.Empty(t, s.Clip)
		require.InDelta(t, 0, top(), 1e-6, "the first one")

		s.Play = true
		for range 40 {
			s.once(50 * time.Millisecond)
			require.NotNil(t, s.Shown.Left.Seen)
			require.Equal(t, of, s.SurveyOf(&s.Shown.Left))
			_, known = s.Surveys.Get(of)
			require.True(t, known)
		}
		require.NotEqual(t, 3., s.Pose)
		s.Play = false
		s.settle()
		require.False(t, s.Shown.Left.Stale, "shares are counted once it rests")
		s.leave("the file has no such animation")
		s.start("--remember=false", "--from", must.Get(filepath.Glob("bending*.png"))[0], "--size", "640x480")
		require.InDelta(t, 1.75, top(), 1e-6)
		s.same(lifted)
		s.leave("")
	})
}
