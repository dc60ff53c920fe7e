package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

func TestRenderCulls(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "x.png")
	r := fine(t, onGPU("render", "asset:sphere4", "-o", picture, "--cull", "--cull-faces", "all", "--raster", "compute")...)
	require.Contains(t, r.out, "culled: 0 triangles beyond the view, ")
	require.Contains(t, r.out, "cull:triangles")
	require.NotContains(t, r.out, "ideal")

	rows := decode(t, call("render", "asset:sphere4", "--repeat", "1", "--json", "--cull", "--cull-faces", "all").out)
	require.NotEmpty(t, rows)
	sum := 0
	for _, name := range []string{"culled_frustum", "culled_back_face", "culled_zero_area", "culled_no_sample", "triangles_left"} {
		var n int
		must.Get(fmt.Sscan(fmt.Sprint(rows[0][name]), &n))
		sum += n
	}
	require.Equal(t, 5120, sum)
	require.Equal(t, true, rows[0]["cull"])
	require.Equal(t, "all", rows[0]["cull_faces"])
	r = fine(t, "render", "asset:sphere4", "--repeat", "1", "--json")
	rows = decode(t, r.out)
	require.Equal(t, fine(t, "bench", "asset:cube", "--strategy", "naive", "--runs", "1", "--json").errors, r.errors, "the notice where the device is a CPU")
	require.Equal(t, false, rows[0]["cull"])
	require.Equal(t, "0", fmt.Sprint(rows[0]["triangles_left"]))

	fine(t, "render", "asset:sphere4", "-o", picture, "--cull", "--backend", "cpu")
	table := fine(t, "render", "asset:cube", "--repeat", "1", "--cull")
	require.Contains(t, table.out, "\nculled: ")
}

// recording is a backend that records the passes that it executes.
type recording struct {
	plan.Backend
	plans  int
	passes []string
}

func (r *recording) Exec(p *plan.Plan, camera renderer.Camera, want renderer.Want) (*renderer.Output, error) {
	r.plans++
	for i := range p.Passes {
		r.passes = append(r.passes, p.Passes[i].Name)
	}
	return r.Backend.Exec(p, camera, want)
}

// TestPlanIsWhatRuns: --plan prints exactly the passes that run, even if a second plan counts instances.
func TestPlanIsWhatRuns(t *testing.T) {
	t.Parallel()
	c := must.Get(reuse.Resolve(reuse.Auto, 0, 0))
	for _, x := range []struct {
		asset  string
		copies int
		budget int64
		plans  int
	}{{"cube", 1, 0, 1}, {"terrain48", 1, 32 << 10, 1}, {"sphere4", 1700, 0, 2}} {
		s := must.Get(must.Get(assets.Make(x.asset)).Copies(x.copies))
		b := &recording{Backend: soft.New()}
		r := rendering{renderFlags: &renderFlags{side: 1}, path: x.asset, frame: renderer.Frame{
			Scene: s, Reuse: c, Raster: renderer.SoftRaster, Width: 64, Height: 36, QueueBudget: x.budget,
		}}
		r.camera = renderer.FitCamera(s.Bounds(), r.aspect())
		r.camera.Zoom(20, s.Bounds())
		require.NoError(t, r.drawPlan(b))
		require.Zero(t, b.plans)
		printed := r.text.String()
		require.NoError(t, r.draw(t.Context(), b))
		require.Equal(t, x.plans, b.plans, x.asset)
		require.Equal(t, x.plans, strings.Count(printed, "\nrecipe "))
		var names []string
		for _, pass := range regexp.MustCompile(`(?m)^pass [ +] (\S+)`).FindAllStringSubmatch(printed, -1) {
			names = append(names, pass[1])
		}
		require.Equal(t, b.passes, names, x.asset)
	}
}

func TestBenchCulls(t *testing.T) {
	rows := decode(t, fine(t, "bench", "asset:sphere4", "--strategy", "warp,multi", "--load", "simple,256", "--cull", "--cull-faces", "all", "--camera", "zoom=0.01", "--runs", "2", "--json").out)
	require.Len(t, rows, 4)
	for _, row := range rows {
		require.Equal(t, true, row["cull"])
		require.NotEqual(t, "0", fmt.Sprint(row["culled_back_face"]))
		require.NotEqual(t, "0", fmt.Sprint(row["culled_no_sample"]), "it is far away")
		require.NotEqual(t, "0", fmt.Sprint(row["ms_median"]))
		require.Equal(t, "0", fmt.Sprint(row["bytes"]), "it depends on the picture")
	}
	table := fine(t, "bench", "asset:cube", "--strategy", "warp", "--cull", "--runs", "1")
	require.Contains(t, table.out, "asset:cube, warp, milliseconds with culling; culled: ")
}

var reuseLine = regexp.MustCompile(`(?m)^reuse .*$`)

// TestRenderSubdivided: subdividing while drawing gives the same shading counts as subdividing and storing
// first, with both backends.
func TestRenderSubdivided(t *testing.T) {
	folder := t.TempDir()
	stored, out := filepath.Join(folder, "fine.ply"), filepath.Join(folder, "out.png")
	fine(t, "apps", "subdivide", "asset:knot8", "-o", stored, "--levels", "2", "--backend", "cpu", "--order", "forsyth")
	var lines []string
	for _, args := range [][]string{
		{stored, "--backend", "cpu"},
		{"asset:knot8", "--subdivide", "2", "--order", "forsyth", "--backend", "cpu"},
		{"asset:knot8", "--subdivide", "2", "--order", "forsyth"},
	} {
		r := fine(t, append([]string{"render", "--strategy", "hash", "-o", out, "--size", "64x64"}, args...)...)
		lines = append(lines, reuseLine.FindString(r.out))
	}
	require.Regexp(t, `^reuse 0\.\d+ of 0\.8333 ideal, \d+ invocations for 32768 triangles$`, lines[0])
	require.Equal(t, []string{lines[0], lines[0], lines[0]}, lines)
	r := fine(t, "render", "asset:knot8", "--subdivide", "1", "--plan")
	require.Contains(t, r.out, "frame  knot8, subdivided once, claim")
	require.Contains(t, r.out, "stream 8192 triangles in 1 draw")
	require.Contains(t, r.out, "buffer Indices                  24576 bytes  6144 x uint  (from scene)")
}

func TestBenchSubdivided(t *testing.T) {
	for _, args := range [][]string{{"--frame", "--strategy", "all", "--raster", "compute", "--size", "64x64"}, {"--strategy", "claim,multi", "--backend", "cpu"}} {
		if testing.Short() && args[0] == "--frame" {
			continue // this would compile every strategy and rasterizer
		}
		r := fine(t, append([]string{"bench", "asset:knot8", "--subdivide", "1", "--runs", "1"}, args...)...)
		require.Contains(t, r.out, "claim")
		require.NotContains(t, r.out, "fit     hardware")
	}
}

func TestRepeatJSON(t *testing.T) {
	for host, on := range hosts {
		rows := decode(t, fine(t, on("render", "asset:sphere3", "--size", "64x48", "--view", "shaded", "--queue", "expanded", "--repeat", "3", "--json")...).out)
		var passes []string
		for _, row := range rows {
			require.Equal(t, host, row["backend"])
			require.Equal(t, "3", fmt.Sprint(row["runs"]))
			require.Equal(t, "asset:sphere3 original claim 32 384 expanded 1 shaded 64 48 1280", strings.Trim(fmt.Sprint(row["file"], " ",
				row["order"], " ", row["strategy"], " ", row["lanes"], " ", row["batch"], " ", row["queue"], " ", row["chunks"], " ",
				row["view"], " ", row["width"], " ", row["height"], " ", row["triangles"]), "[]"))
			require.NotEmpty(t, row["device"])
			require.NotEmpty(t, row["driver"])
			least, median, greatest := number(t, row["ms_min"]), number(t, row["ms_median"]), number(t, row["ms_max"])
			require.True(t, 0 <= least && least <= median && median <= greatest, "%v", row)
			passes = append(passes, fmt.Sprint(row["pass"]))
		}
		require.Subset(t, passes, []string{"clear", "geometry:claim", "queue:finish", "frame"})
		require.Equal(t, "frame", passes[len(passes)-1])
		last := rows[len(rows)-1]
		require.Positive(t, number(t, last["ms_min"]), "a frame takes time")
	}
}

func number(t testing.TB, value any) float64 {
	n := must.Get(value.(interface{ Float64() (float64, error) }).Float64())
	return n
}

// With --repeat and -o the picture is the same as without --repeat, and only timings are printed in addition.
func TestRepeatWithAPicture(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.png")
	args := []string{"asset:cube", "--backend", "cpu", "--size", "32x32"}
	r := fine(t, append([]string{"render", "-o", path, "--repeat", "2", "--json"}, args...)...)
	decode(t, r.out)
	once, _ := draw(t, args...)
	require.Equal(t, once, readPicture(t, path))
}

// invocations matches the number of invocations in the output of render.
var invocations = regexp.MustCompile(`\d+ invocations`)

// TestRenderLoad: skin and displace change the picture; other strategies and queue forms draw the same with them. Loads
// in cycles do not change the picture, and skin does not change the counts.
func TestRenderLoad(t *testing.T) {
	for host, on := range hosts {
		picture := func(flags ...string) any {
			img, _ := draw(t, on(append([]string{"asset:knot16", "--size", "96x96", "--no-legend", "--view", "shaded"}, flags...)...)...)
			return img
		}
		simple := picture()
		require.Equal(t, simple, picture("--load", "simple"), host)
		require.Equal(t, simple, picture("--load", "64"), host)
		skin, displaced := picture("--load", "skin"), picture("--load", "displace")
		require.NotEqual(t, simple, skin, host)
		require.NotEqual(t, simple, displaced, host)
		require.NotEqual(t, skin, displaced, host)
		require.Equal(t, skin, picture("--load", "skin", "--strategy", "hash"), host)
		require.Equal(t, displaced, picture("--load", "displace", "--queue", "expanded"), host)
		_, text := draw(t, on("asset:sphere3", "--size", "64x64")...)
		_, skinned := draw(t, on("asset:sphere3", "--size", "64x64", "--load", "skin")...)
		require.Equal(t, invocations.FindString(text), invocations.FindString(skinned), host)
	}
}

func TestBenchLoads(t *testing.T) {
	rows := decode(t, fine(t, "bench", "asset:sphere3", "--strategy", "naive-index,hash", "--load", "simple,skin,displace", "--runs", "1", "--json").out)
	require.Len(t, rows, 6)
	for i, row := range rows {
		require.Equal(t, []string{"simple", "skin", "displace"}[i/2], row["load"])
		require.Equal(t, rows[i%2]["invocations"], row["invocations"])
		require.NotEqual(t, "0", row["ms_median"])
	}
}
