package shadeonce_test

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/renderer"
)

func openGPU(t *testing.T) *shadeonce.Device {
	d := must.Get(shadeonce.OpenDevice(os.Getenv("SHADEONCE_DEVICE")))
	t.Cleanup(d.Close)
	return d
}

// TestDevicesAgree: both kinds of devices give the same counts and pictures.
func TestDevicesAgree(t *testing.T) {
	scene := must.Get(shadeonce.Open(t.Context(), "asset:sphere3"))
	for _, strategy := range []string{"claim", "multi"} {
		want := must.Get(shadeonce.Count(scene, strategy))
		for _, d := range []*shadeonce.Device{openGPU(t), must.Get(shadeonce.OpenDevice(shadeonce.CPU))} {
			require.NotEmpty(t, d.Name())
			got := must.Get(d.Count(scene, strategy))
			require.NoError(t, want.Equal(got))
			camera := must.Get(shadeonce.FitCamera(scene, 32, 32))
			picture := must.Get(d.Render(scene, shadeonce.Frame{Strategy: strategy, Width: 32, Height: 32, Camera: &camera}))
			require.NoError(t, want.Equal(picture.Counts))
			require.NotEqual(t, picture.RGBAAt(0, 0), picture.RGBAAt(16, 16), "the sphere is in the middle")
			got.PerVertex[7]++
			require.ErrorContains(t, want.Equal(got), "vertex 7 was shaded")
		}
	}
}

// TestOwnFunction compiles examples/function into strategies by the lines of docs/apps.md, runs the
// program's function, and compares the program's output with the page.
func TestOwnFunction(t *testing.T) {
	page := string(must.Get(os.ReadFile("docs/apps.md")))
	line := regexp.MustCompile(`(?m)^\$ glslangValidator (.*) -o nearest\.spv$`).FindStringSubmatch(page)
	require.NotNil(t, line)
	target := filepath.Join(t.TempDir(), "nearest.spv")
	out, err := exec.Command("glslangValidator", append(strings.Fields(line[1]), "-o", target)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	cmd := exec.Command("go", "run", "./examples/function", "claim", target)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err = cmd.Output()
	require.NoError(t, err, stderr.String())
	require.NotContains(t, stderr.String(), "VUID")
	require.Contains(t, page, string(out))
	spirv := must.Get(os.ReadFile(target))
	for strategy, says := range map[string]string{"hash": "compiled from another file", "nonsense": "nonsense"} {
		_, err = shadeonce.ReadFunction(strategy, spirv)
		require.ErrorContains(t, err, says)
	}
	badOwnFunctions(t, spirv)
}

// TestOrders runs examples/orders as in docs/go.md.
func TestOrders(t *testing.T) {
	knot := filepath.Join(t.TempDir(), "knot.obj")
	require.NoError(t, format.Save(t.Context(), knot, must.Get(shadeonce.Open(t.Context(), "asset:knot"))))
	out, err := exec.Command("go", "run", "./examples/orders", knot).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(must.Get(os.ReadFile("docs/go.md"))), "\n"+string(out)+"```")
}

// badOwnFunctions damages a function's SPIR-V, and gives it wrong tables.
func badOwnFunctions(t *testing.T, spirv []byte) {
	for _, damaged := range [][]byte{nil, spirv[:len(spirv)-2], spirv[:64], []byte("GLSL")} {
		_, err := shadeonce.ReadFunction("claim", damaged)
		require.Error(t, err)
	}
	_, err := shadeonce.ReadFunction("claim", spirv, spirv)
	require.Error(t, err, "two modules")
	f := must.Get(shadeonce.ReadFunction("claim", spirv))
	require.Len(t, f.Tables, 3)
	require.True(t, f.Tables[0].ReadOnly && f.Tables[2].WriteOnly)
	d := openGPU(t)
	points := make([][3]float32, 4)
	tables := []shadeonce.Table{shadeonce.Read("Points", points), shadeonce.Read("Stations", points), shadeonce.Write[uint32]("Nearest", 4)}
	good := shadeonce.Stage{Strategy: "claim", Function: f, Arguments: [4]uint32{1}, Tables: tables}
	s := shadeonce.Stream{Indices: []uint32{0, 1, 2}, IDs: 4}
	change := func(edit func(*shadeonce.Stage)) shadeonce.Stage {
		x := good
		edit(&x)
		return x
	}
	must.Get(d.Shade(t.Context(), s, good)).Close()
	held := shadeonce.Holding(d) // for later transfers
	for says, stage := range map[string]shadeonce.Stage{
		"no table Nearest":           change(func(x *shadeonce.Stage) { x.Tables = tables[:2] }),
		"needs a name of its own":    change(func(x *shadeonce.Stage) { x.Tables = append(tables[:3:3], tables[0]) }),
		"no shader of the plan":      change(func(x *shadeonce.Stage) { x.Tables = append(tables[:3:3], shadeonce.Read("Other", points)) }),
		"Nearest is to be read":      change(func(x *shadeonce.Stage) { x.Tables = append(tables[:2:2], shadeonce.Read("Nearest", points)) }),
		"Points is to be written":    change(func(x *shadeonce.Stage) { x.Tables = append(tables[1:3:3], shadeonce.Write[uint32]("Points", 12)) }),
		"Stations is empty":          change(func(x *shadeonce.Stage) { x.Tables = []shadeonce.Table{shadeonce.Read[uint32]("Stations", nil)} }),
		"not made of numbers":        change(func(x *shadeonce.Stage) { x.Tables = []shadeonce.Table{shadeonce.Read("Points", []string{"a"})} }),
		"-1 elements":                change(func(x *shadeonce.Stage) { x.Tables = []shadeonce.Table{shadeonce.Write[uint32]("Nearest", -1)} }),
		"compiled for claim":         change(func(x *shadeonce.Stage) { x.Strategy = "hash" }),
		"without a context or a fun": change(func(x *shadeonce.Stage) { x.Function = nil }),
		"Held is 8, and the shader's corners take results of 0 bytes": change(func(x *shadeonce.Stage) { x.Held = 8 }),
		"must be a multiple of 4":                                     change(func(x *shadeonce.Stage) { x.Held = -4 }),
		`"NONE" is no special`:                                        change(func(x *shadeonce.Stage) { x.Constants = map[string]uint32{"NONE": 1} }),
		`"BATCH" is no special`:                                       change(func(x *shadeonce.Stage) { x.Constants = map[string]uint32{"BATCH": 300000} }),
		`unknown strategy "auto"`:                                     change(func(x *shadeonce.Stage) { x.Strategy = "auto" }),
	} {
		_, err := d.Shade(t.Context(), s, stage)
		require.ErrorContains(t, err, says)
		require.Equal(t, held, shadeonce.Holding(d), "%s: the tables are freed", says)
	}
	for says, s := range map[string]shadeonce.Stream{
		"and there are 4 ids": {Indices: []uint32{0, 1, 4}, IDs: 4}, "a multiple of 3": {Indices: []uint32{0, 1, 2, 3}, IDs: 4}, "no indices": {IDs: 4}, "-1 ids": {IDs: -1},
	} {
		_, err := d.Shade(t.Context(), s, good)
		require.ErrorContains(t, err, says)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	_, err = d.Shade(ended, s, good)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, held, shadeonce.Holding(d), "the tables are freed")
	results := must.Get(d.Shade(context.Background(), s, good))
	defer results.Close()
	require.Equal(t, []uint32{1, 1, 1, 0}, results.Counts.PerVertex)
	_, err = shadeonce.Load[uint32](results, "Nearest", 5)
	require.Error(t, err)
	require.Equal(t, []uint32{0, 0, 0}, must.Get(shadeonce.Load[uint32](results, "Nearest", 3)))
}

// TestPicturesWithoutACamera: without a camera, Render fits the scene into a picture that is not
// square, with its textures.
func TestPicturesWithoutACamera(t *testing.T) {
	folder, pixels := t.TempDir(), image.NewRGBA(image.Rect(0, 0, 2, 2))
	var file bytes.Buffer
	require.NoError(t, png.Encode(&file, pixels))
	for name, text := range map[string]string{
		"a.png": file.String(), "a.mtl": "newmtl m\nmap_Kd a.png\n",
		"a.obj": "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl m\nf 1/1 2/2 3/3\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	s := must.Get(shadeonce.Open(t.Context(), filepath.Join(folder, "a.obj")))
	require.NotNil(t, s.Textures)
	d := must.Get(shadeonce.OpenDevice(shadeonce.CPU))
	defer d.Close()
	for _, size := range []image.Point{{64, 32}, {48, 32}, {32, 48}} {
		camera := must.Get(shadeonce.FitCamera(s, size.X, size.Y))
		require.Equal(t, renderer.FitCamera(s.Bounds(), float32(size.X)/float32(size.Y)), camera, size)
		own := must.Get(d.Render(s, shadeonce.Frame{Width: size.X, Height: size.Y}))
		require.Equal(t, must.Get(d.Render(s, shadeonce.Frame{Width: size.X, Height: size.Y, Camera: &camera})).Pix, own.Pix, size)
	}
}

// TestRefusals: errors say what is wrong, and what is allowed there.
func TestRefusals(t *testing.T) {
	scene := must.Get(shadeonce.Open(t.Context(), "asset:cube"))
	cpu := must.Get(shadeonce.OpenDevice(shadeonce.CPU))
	defer cpu.Close()
	render := func(f shadeonce.Frame) error { return second(cpu.Render(scene, f)) }
	const strategies = `: have naive, naive-index, multi, warp, hash, phash, sort, claim, meshlet`
	for want, err := range map[string]error{
		`unknown strategy "auto"` + strategies:                                              second(shadeonce.ReadFunction("auto", nil)),
		`shadeonce: unknown strategy "hardware"` + strategies:                               second(shadeonce.Count(scene, "hardware")),
		`shadeonce: unknown strategy "auto:streaming"` + strategies:                         second(cpu.Count(scene, "auto:streaming")),
		`shadeonce: unknown strategy "auto"` + strategies:                                   render(shadeonce.Frame{Strategy: "auto"}),
		"the camera is the zero value, which sees nothing: FitCamera makes one":             render(shadeonce.Frame{Camera: new(shadeonce.Camera)}),
		"gpu: the soft rasterizer runs on the cpu backend":                                  second(openGPU(t).NewRecorder(scene, shadeonce.Frame{Raster: "soft"}, nil)),
		"shadeonce: the device cpu has only the soft raster host: it excludes Raster mesh":  render(shadeonce.Frame{Raster: "mesh"}),
		"shadeonce: the device cpu has only the soft raster host: it excludes Raster fused": render(shadeonce.Frame{Strategy: "multi", Raster: "fused"}),
	} {
		require.EqualError(t, err, want)
	}
	r := must.Get(openGPU(t).NewRecorder(scene, shadeonce.Frame{}, nil))
	defer r.Close()
	require.ErrorContains(t, r.SetCamera(shadeonce.Camera{}), "FitCamera makes one")
	require.NoError(t, render(shadeonce.Frame{Raster: "soft"}))
	require.NoError(t, render(shadeonce.Frame{Raster: "auto"}))
}
