package oracle

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// TestReplayedFrames exports two shared captures with RenderDoc's own replay, and draws them from the game's view; it does
// the same with the frames read without a replay. The pictures must cover at least 99.8 % of the pixels that the replay
// covers. Compared with a replay whose fragment shaders discard nothing, and without the triangles that the game culls,
// 99.99 % of the pixels must agree in coverage and depth. SHADEONCE_PICTURES names a folder for the pairs of pictures.
func TestReplayedFrames(t *testing.T) {
	if testing.Short() {
		t.Skip("replays two frames, a minute or so each")
	}
	for _, c := range []struct {
		name             string
		opengl           bool
		draws, triangles int
	}{
		{"stk_vulkan_zengarden_frame100", false, 503, 124404},
		{"oa_frame210", true, 243, 16412},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := openReplay(t, c.name, c.opengl)
			glb := filepath.Join(t.TempDir(), "frame.glb")
			t.Logf("%s", r.python(t, shareddata.Tree(t, "tools", "renderdoc", "export.py"), r.rdc, "-o", glb))
			scene := must.Get(capture.Open(t.Context(), glb))
			require.Equal(t, c.triangles, scene.Triangles())
			require.Len(t, scene.Draws, c.draws)
			require.NotNil(t, scene.View())
			tellPlacing(t, scene)
			scenes := []*geometry.Scene{scene}
			if direct := requireSameOutputs(t, r.rdc, glb, scene); direct != nil {
				scenes = append(scenes, direct)
			}

			f := readExported(t, glb)
			want, whole := r.depth(t, f, ""), r.depth(t, f, "whole")
			for i, scene := range scenes {
				name := c.name + []string{"", "-direct"}[i]
				got := drawCaptured(t, scene, f.size())
				_, _, missed, _ := compareDepth(want, got, scene.View())
				t.Logf("%s, %v: of the pixels that the game covers, %.5f are covered", name, f.size(), 1-missed)
				keepPair(t, name, got, want, f.size())
				require.LessOrEqual(t, missed, .002)

				cullTriangles(t, scene, f)
				got = drawCaptured(t, scene, f.size())
				covered, agree, _, deep := compareDepth(whole, got, scene.View())
				t.Logf("without discarding, what is not culled: %d pixels covered, %.5f of them by both, %.5f at the same depth", covered, agree, deep)
				keepPair(t, name+"-whole", got, whole, f.size())
				require.Greater(t, covered, f.size().X*f.size().Y/10)
				require.GreaterOrEqual(t, agree, .9999)
				require.GreaterOrEqual(t, deep, .9999)
			}
		})
	}
}

// TestReplayedRefuses: an unreadable input, or a wrong argument, gives one line, and no output file.
func TestReplayedRefuses(t *testing.T) {
	folder := t.TempDir()
	r := &replayed{command: pythonWithRenderDoc(t)}
	text := filepath.Join(folder, "text.rdc")
	require.NoError(t, os.WriteFile(text, []byte("no capture"), 0o666))
	for _, c := range []struct {
		args []string
		code int
	}{
		{[]string{text}, 1}, {[]string{filepath.Join(folder, "none.rdc")}, 1}, {nil, 2}, {[]string{"-x"}, 2},
	} {
		args := append([]string{shareddata.Tree(t, "tools", "renderdoc", "export.py")}, c.args...)
		out, err := r.run(t, args...)
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit, "%v", c.args)
		require.Equal(t, c.code, exit.ExitCode(), "%s", out)
		require.Regexp(t, `^[^\n]+\n$`, string(out))
	}
	left := must.Get(os.ReadDir(folder))
	require.Len(t, left, 1)
}

// replayed is a capture that RenderDoc can replay on this machine.
type replayed struct {
	rdc     string
	command []string // command that runs a Python script with RenderDoc's module
}

// pythonWithRenderDoc returns a Python with RenderDoc's module, or skips the test.
func pythonWithRenderDoc(t *testing.T) []string {
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import renderdoc").Run() == nil {
			return []string{python}
		}
	}
	t.Skip("no Python with RenderDoc's module (Debian: python3-renderdoc)")
	return nil
}

func openReplay(t *testing.T, name string, opengl bool) *replayed {
	packed := shareddata.Path(t, "captures", name+".rdc.zst")
	r := &replayed{command: pythonWithRenderDoc(t), rdc: filepath.Join(t.TempDir(), "frame.rdc")}
	if opengl && os.Getenv("DISPLAY") == "" {
		if _, err := exec.LookPath("xvfb-run"); err != nil {
			t.Skip("OpenGL is replayed on a display: there is none, and no xvfb-run")
		}
		r.command = append([]string{"xvfb-run", "-a"}, r.command...)
	}
	require.NoError(t, os.WriteFile(r.rdc, shareddata.Unpacked(packed), 0o600))
	return r
}

func (r *replayed) python(t *testing.T, args ...string) string {
	out, err := r.run(t, args...)
	require.NoError(t, err, "%s", out)
	return string(out)
}

// run runs a Python script with arguments, and kills it if it hangs.
func (r *replayed) run(t *testing.T, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, r.command[0], append(slices.Clone(r.command[1:]), args...)...)
	cmd.WaitDelay = time.Second
	return cmd.CombinedOutput()
}

// depth returns the replay's depth buffer at the end of the frame's main pass, from the top row
// down.
func (r *replayed) depth(t *testing.T, f *exported, how string) []float32 {
	out := filepath.Join(t.TempDir(), "depth")
	args := []string{filepath.Join("testdata", "depth.py"), r.rdc, strconv.Itoa(f.last), strconv.FormatUint(f.main.Depth, 10), out}
	if how != "" {
		args = append(args, how)
	}
	var name string
	var size image.Point
	must.Get(fmt.Sscan(r.python(t, args...), &name, &size.X, &size.Y))
	require.Equal(t, f.size(), size)
	data := must.Get(os.ReadFile(out))
	require.Len(t, data, 4*size.X*size.Y)
	depth := make([]float32, size.X*size.Y)
	for i := range depth {
		word := binary.LittleEndian.Uint32(data[4*i:])
		at := i
		if f.API == "OpenGL" {
			at = (size.Y-1-i/size.X)*size.X + i%size.X
		}
		switch name {
		case "D32":
			depth[at] = math.Float32frombits(word)
		case "D24":
			depth[at] = float32(float64(word>>8) / 0xffffff)
		default:
			t.Fatal("depth as ", name)
		}
	}
	return depth
}

// exported is the script's report about a frame.
type exported struct {
	API    string
	Passes []exportedPass
	main   exportedPass // the pass with most triangles
	last   int          // its last event
	culls  []string     // by draw: which faces the game culls
}

type exportedPass struct {
	Width, Height int
	Depth         uint64
}

func (f *exported) size() image.Point { return image.Pt(f.main.Width, f.main.Height) }

func readExported(t *testing.T, glb string) *exported {
	data := must.Get(os.ReadFile(glb))
	var doc struct {
		Asset struct {
			Extras struct{ Shadeonce exported }
		}
		Accessors []struct{ Count int }
		Meshes    []struct {
			Primitives []struct {
				Indices int
				Extras  struct {
					Pass, Event int
					Culls       string
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal(data[20:20+binary.LittleEndian.Uint32(data[12:])], &doc))
	f := &doc.Asset.Extras.Shadeonce
	indices, last := make([]int, len(f.Passes)), make([]int, len(f.Passes))
	for _, m := range doc.Meshes {
		for _, p := range m.Primitives {
			indices[p.Extras.Pass] += doc.Accessors[p.Indices].Count
			last[p.Extras.Pass] = max(last[p.Extras.Pass], p.Extras.Event)
			f.culls = append(f.culls, p.Extras.Culls)
		}
	}
	main := slices.Index(indices, slices.Max(indices))
	f.main, f.last = f.Passes[main], last[main]
	return f
}

// cullTriangles removes the triangles that the game culls, since our rasterizers draw both sides.
func cullTriangles(t *testing.T, s *geometry.Scene, f *exported) {
	aspect := float32(f.main.Width) / float32(f.main.Height)
	camera := must.Get(cli.SceneCamera("", s.Bounds(), s.View(), aspect))
	view := camera.ViewProj(aspect)
	var indices []uint32
	for i := range s.Draws {
		d := &s.Draws[i]
		clip := view.Mul4(d.Transform)
		old := s.DrawIndices(i)
		d.FirstIndex = uint32(len(indices))
		for k := 0; k < len(old); k += 3 {
			var corner [3]mgl32.Vec3 // x, y, w: the sign of their determinant says which side is visible
			for c := range corner {
				p := clip.Mul4x1(s.Positions[d.VertexOffset+old[k+c]].Vec4(1))
				corner[c] = mgl32.Vec3{p[0], p[1], p[3]}
			}
			side := corner[0].Dot(corner[1].Cross(corner[2])) // y points down, so positive is clockwise
			if f.culls[i] == "" || f.culls[i] == "cw" && side <= 0 || f.culls[i] == "ccw" && side >= 0 {
				indices = append(indices, old[k:k+3]...)
			}
		}
		d.IndexCount = uint32(len(indices)) - d.FirstIndex
	}
	s.Indices = indices
}

func tellPlacing(t *testing.T, s *geometry.Scene) {
	count, worst := map[geometry.Placed]int{}, float32(0)
	for i := range s.Draws {
		p := s.Placing(i)
		count[p.How]++
		if p.How == geometry.Fitted {
			worst = max(worst, p.Residual)
		}
	}
	t.Logf("draws %v, largest residual of a fitted one %.2g, view %+v", count, worst, *s.View())
	require.Zero(t, count[geometry.AsFile])
	require.Greater(t, count[geometry.Fitted], len(s.Draws)/3)
}

func drawCaptured(t *testing.T, s *geometry.Scene, size image.Point) []float32 {
	b := soft.New()
	defer b.Close()
	c := resolve(t, "naive", 32, 0)
	camera := must.Get(cli.SceneCamera("", s.Bounds(), s.View(), float32(size.X)/float32(size.Y)))
	f := renderer.Frame{Scene: s, Reuse: c, View: renderer.Shaded, Raster: renderer.SoftRaster, Width: size.X, Height: size.Y}
	out, _ := render(t, b, f, camera, renderer.WantDepth)
	return out.Depth
}

// compareDepth compares pixels that the replay or the picture covers. It returns their number, the share that both cover,
// the share that only the replay covers, and the share of equal distances, within one percent.
func compareDepth(replay, picture []float32, v *geometry.View) (covered int, agree, missed, deep float64) {
	distance := func(d float32) float64 {
		near, far := float64(v.Near), float64(v.Far)
		return near * far / (far - float64(d)*(far-near))
	}
	both, lost, same := 0, 0, 0
	for i := range replay {
		if replay[i] == 1 && picture[i] == 1 {
			continue
		}
		covered++
		switch {
		case picture[i] == 1:
			lost++
		case replay[i] < 1:
			both++
			if p, q := distance(picture[i]), distance(replay[i]); math.Abs(p-q) <= .01*q {
				same++
			}
		}
	}
	n := float64(covered)
	return covered, float64(both) / n, float64(lost) / n, float64(same) / n
}

// keepPair writes the drawn and the replayed depth side by side if SHADEONCE_PICTURES is set:
// near white, far dark, nothing red.
func keepPair(t *testing.T, name string, got, want []float32, size image.Point) {
	folder := os.Getenv("SHADEONCE_PICTURES")
	if folder == "" {
		return
	}
	pair := image.NewRGBA(image.Rect(0, 0, 2*size.X, size.Y))
	for k, depth := range [][]float32{got, want} {
		for i, d := range depth {
			shade := color.RGBA{R: 255, A: 255}
			if d < 1 {
				g := uint8(255 * min(1, math.Sqrt(20*float64(1-d))))
				shade = color.RGBA{g, g, g, 255}
			}
			pair.SetRGBA(k*size.X+i%size.X, i/size.X, shade)
		}
	}
	file := must.Get(os.Create(filepath.Join(folder, name+".png")))
	require.NoError(t, png.Encode(file, pair))
	require.NoError(t, file.Close())
}
