package capture

import (
	"bytes"
	"context"
	"encoding/xml"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
)

var update = flag.Bool("update", false, "write testdata")

// twoPasses is a frame with two cameras: the first sees two draws, the second sees one of their meshes.
func twoPasses() []byte {
	m := newFrameMaker()
	place := mgl32.Translate3D(1, 2, -3)
	m.draw("", m.clip(place, 0))
	m.draw("", m.clip(mgl32.Translate3D(3, 2, -2), 0))
	m.viewProj = mgl32.Mat4FromRows(mgl32.Vec4{1, 0, 0, 0}, mgl32.Vec4{0, -1, 0, 0}, mgl32.Vec4{0, 0, .5, .5}, mgl32.Vec4{0, 0, 0, 1}).
		Mul4(mgl32.Perspective(mgl32.DegToRad(30), 1, .5, 200)).Mul4(mgl32.Translate3D(-2, -3, -20))
	m.draw("", m.clip(place, 0))
	text := strings.Replace(m.frame(), `"height":90}`, `"height":90},{"name":"pass 2 shadows","width":50,"height":50}`, 1)
	last := strings.LastIndex(text, `"extras":{"pass":0`)
	text = text[:last] + strings.Replace(text[last:], `"pass":0`, `"pass":1`, 1)
	text = strings.Replace(text, `"pass 1 / event 2"`, `"pass 2 shadows / event 2"`, 1)
	return glbOf(text, m.bin)
}

// TestPassOfAFrame: a pass, found by name or number, sets the camera and hides the draws of other passes.
func TestPassOfAFrame(t *testing.T) {
	data := twoPasses()
	const kept = "testdata/passes.glb" // the viewer's tests open it
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(kept, data, 0o644))
	}
	require.True(t, bytes.Equal(must.Get(os.ReadFile(kept)), data), "%s: go test -update", kept)
	open := func(pass string) (*geometry.Scene, error) {
		in := &format.Input{Reader: bytes.NewReader(data), Path: "a.glb", Size: int64(len(data))}
		return format.Formats{glbReader()}.Pass(pass)[0].Read(context.Background(), in)
	}
	hidden := func(s *geometry.Scene) (list []bool) {
		for _, p := range s.Capture.Placings {
			list = append(list, p.How == geometry.Hidden)
		}
		return list
	}
	s, err := open("")
	require.NoError(t, err)
	require.InDelta(t, 60, s.View().FovY, .1)
	first, second := geometry.Pass{Name: "pass 1", Draws: 2, Triangles: 24, Shown: 2, Camera: true}, geometry.Pass{Name: "pass 2 shadows", Draws: 1, Triangles: 12}
	require.Equal(t, []geometry.Pass{first, second}, s.Capture.Passes)
	require.Equal(t, []bool{false, false, true}, hidden(s), "its mesh is drawn twice in the other pass: nothing says where it belongs")
	for _, name := range []string{"2", "Shadows", "pass 2 shadows"} {
		s, err = open(name)
		require.NoError(t, err)
		require.InDelta(t, 30, s.View().FovY, .1)
		require.InDelta(t, 1, s.View().Aspect, 1e-6)
		require.Equal(t, []bool{true, true, false}, hidden(s))
		require.True(t, s.Capture.Passes[1].Camera)
		require.Contains(t, s.Skipped, geometry.FromPicture+"2 x draw: of other passes")
	}
	_, err = open("3")
	require.ErrorContains(t, err, `no pass "3": the frame has pass 1, pass 2 shadows`)
}

// TestNoPassOfAMesh: only captured frames have passes.
func TestNoPassOfAMesh(t *testing.T) {
	for _, r := range Readers().Pass("2") {
		if r.Name != "obj" {
			continue
		}
		data := []byte("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
		_, err := r.Read(context.Background(), &format.Input{Reader: bytes.NewReader(data), Path: "a.obj", Size: int64(len(data))})
		require.ErrorContains(t, err, `it has no pass "2"`)
	}
}

// TestDesktopsKnowEveryFormat: the installed MIME types have each extension that can be read, uncompressed and compressed,
// and no other. They leave out .csv, and have .zip.xml in place of .xml.
func TestDesktopsKnowEveryFormat(t *testing.T) {
	text := must.Get(os.ReadFile(shareddata.Tree(t, "share", "mime", "packages", "shadeonce.xml")))
	var types struct {
		Type []struct {
			Name string `xml:"type,attr"`
			Glob []struct {
				Pattern string `xml:"pattern,attr"`
			} `xml:"glob"`
		} `xml:"mime-type"`
	}
	require.NoError(t, xml.Unmarshal(text, &types))
	listed := map[string]string{}
	for _, mime := range types.Type {
		for _, g := range mime.Glob {
			require.Empty(t, listed[g.Pattern], "%s is of two types", g.Pattern)
			listed[g.Pattern] = mime.Name
		}
	}
	want := map[string]bool{}
	for _, r := range Readers() {
		for _, ext := range r.Extensions {
			switch ext {
			case ".csv": // most tables are not meshes
				continue
			case ".xml": // most XML files are not frames
				ext = ".zip.xml"
			}
			want["*"+ext] = true
			for _, p := range []string{".gz", ".zst"} {
				want["*"+ext+p] = true
			}
		}
	}
	for pattern := range want {
		require.NotEmpty(t, listed[pattern], "no type has %s", pattern)
	}
	for pattern := range listed {
		require.True(t, want[pattern], "%s is not read", pattern)
	}
}
