package calibration

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// known are the costs of a device that does not exist.
var known = map[string]renderer.Cost{
	"geometry:hash":   {renderer.Launch: 4, renderer.Draws: 1, renderer.Triangle: 20, renderer.Shading: 7, renderer.Wait: .7, renderer.Work: 4},
	"geometry:multi":  {renderer.Launch: 6, renderer.Triangle: 11, renderer.Shading: 9, renderer.Work: 5},
	"raster:hardware": {renderer.Launch: 30, renderer.Pixels: 12, renderer.Triangle: 40, renderer.Shading: 3},
	"fused:hash":      {renderer.Launch: 50, renderer.Draws: 9, renderer.Pixels: 14, renderer.Triangle: 25, renderer.Sifted: 8, renderer.Shading: 5, renderer.Work: 6},
}

// rowsOf returns rows of frames on a device with these costs. Their times are off by a share,
// alternately up and down.
func rowsOf(costs map[string]renderer.Cost, off float64) (rows []Row) {
	for i := range 24 {
		millions, share := []float64{.01, .4, 1.5, 6}[i%4], []float64{.2, .5, 1}[i%3]
		x := renderer.Cost{renderer.Launch: 1, renderer.Draws: float64(i / 2 % 2), renderer.Triangle: millions, renderer.Shading: 3 * millions * share}
		if i%5 > 1 {
			x[renderer.Wait], x[renderer.Work] = float64(i%3), 3*millions*share
		}
		for _, parts := range [][]string{{"geometry:hash"}, {"geometry:multi"}, {"geometry:hash", "raster:hardware"}, {"geometry:multi", "raster:hardware"}, {"fused:hash"}} {
			x := x
			if parts[len(parts)-1][0] != 'g' {
				x[renderer.Pixels] = []float64{.2, 2}[i/3%2]
				if parts[0] == "fused:hash" && i%6 == 0 {
					x[renderer.Triangle], x[renderer.Sifted] = 0, millions
				}
			}
			r := Row{Frame: fmt.Sprint(i, ", ", strings.Join(parts, " ")), Parts: parts, Measures: x}
			for _, part := range parts {
				r.Micros += costs[part].Of(x)
			}
			off = -off
			r.Micros *= 1 + off
			rows = append(rows, r)
		}
	}
	return rows
}

func requireCosts(t *testing.T, want, got map[string]renderer.Cost, delta float64) {
	t.Helper()
	require.Len(t, got, len(want))
	for part, want := range want {
		got := got[part]
		require.InDeltaSlice(t, want[:], got[:], delta, part)
	}
}

// TestFit: exact times give the costs back. Times that are 3 % off give costs whose worst prediction is
// 2 to 8 % off. The fit is the same for the same rows, to the bit.
func TestFit(t *testing.T) {
	rows := rowsOf(known, 0)
	fitted := Fit(rows, nil)
	requireCosts(t, known, fitted, .05)
	_, off := WorstFit(rows, fitted)
	require.Less(t, off, 1e-4)

	rows = rowsOf(known, .03)
	fitted = Fit(rows, nil)
	part, off := WorstFit(rows, fitted)
	require.Less(t, off, .08, part)
	require.Greater(t, off, .02, part)
	require.Equal(t, fitted, Fit(rows, nil))
}

// TestWorstFit: costs that predict too little time are as far off as costs that predict too much.
func TestWorstFit(t *testing.T) {
	costs := map[string]renderer.Cost{"low": {renderer.Launch: 1}, "high": {renderer.Launch: 2}}
	x := renderer.Cost{renderer.Launch: 60}
	part, off := WorstFit([]Row{{"", []string{"low"}, x, 100}, {"", []string{"high"}, x, 100}}, costs)
	require.Equal(t, "low", part)
	require.InDelta(t, .4, off, 1e-12)
	part, _ = WorstFit([]Row{{"", []string{"low"}, x, 70}, {"", []string{"high"}, x, 100}}, costs)
	require.Equal(t, "high", part)
}

// TestFitIsNotNegative: if a frame takes less than its geometry stage alone, its raster host costs
// nothing, and if frames of more triangles take less, triangles cost nothing.
func TestFitIsNotNegative(t *testing.T) {
	x := renderer.Cost{renderer.Launch: 1, renderer.Triangle: 2}
	fitted := Fit([]Row{
		{"", []string{"geometry:hash"}, x, 100}, {"", []string{"geometry:hash"}, renderer.Cost{renderer.Launch: 1, renderer.Triangle: 8}, 50},
		{"", []string{"geometry:hash", "raster:hardware"}, x, 20},
	}, nil)
	for part, cost := range fitted {
		for _, term := range cost {
			require.GreaterOrEqual(t, term, 0., part)
		}
	}
	require.Zero(t, fitted["raster:hardware"])
	require.InDelta(t, 60, fitted["geometry:hash"][renderer.Launch], 1, "the least squares of relative errors without a slope")
	require.Zero(t, fitted["geometry:hash"][renderer.Triangle])
}

// TestFitToAnotherDevice: frames of the first device take 1 to 1.9 times what its costs say. The second device takes .8
// times as long for terms that do not grow with the scene, and 3 times for terms that do. The first's costs lack
// hash, which takes 1.5 times as long as claim.
func TestFitToAnotherDevice(t *testing.T) {
	first, want, frames := map[string]renderer.Cost{}, map[string]renderer.Cost{}, map[string]float64{}
	for part, c := range known {
		of := strings.Replace(part, ":hash", ":claim", 1)
		first[of] = c
		for k := range c {
			c[k] *= []float64{.8, 3}[min(1, factorOf[k])]
		}
		want[of] = c
		if part != of {
			for k := range c {
				c[k] *= 1.5
			}
			want[part] = c
		}
	}
	var rows []Row
	for i, r := range rowsOf(known, 0) {
		for _, strategy := range []string{":claim", ":hash"} {
			r, off := r, 1+.3*float64(i/5%4)
			r.Frame = strings.Replace(r.Frame, ":hash", strategy, 1)
			r.Parts = strings.Fields(strings.Replace(strings.Join(r.Parts, " "), ":hash", strategy, 1))
			said, takes := 0.0, 0.0
			for _, part := range r.Parts {
				said, takes = said+likeIn(first, part).Of(r.Measures), takes+want[part].Of(r.Measures)
			}
			if r.Micros = takes * off; strategy == ":claim" || likeName(r.Frame) == r.Frame {
				frames[r.Frame] = said * off
			}
			rows = append(rows, r)
		}
	}
	unknown := rows[0]
	unknown.Frame, unknown.Micros = "of a scene that the first did not draw", 1e6
	free := rows[0]
	free.Parts = []string{"geometry:of another strategy"}
	compared := Compared(append(rows, unknown, free), frames, first)
	require.Len(t, compared, len(rows))
	fitted := Fit(compared, first)
	requireCosts(t, want, fitted, .02)
	part, off := WorstFit(compared, fitted)
	require.Less(t, off, 1e-4, part)
}

// TestFramesOfAnH200: each frame in a GPU's calibration was timed on an H200, too, with claim in place of hash and phash.
func TestFramesOfAnH200(t *testing.T) {
	l, names := renderer.Limits{Multiprocessors: plan.GPUCosts.Multiprocessors}, map[string]bool{}
	for _, of := range gpuSubjects {
		for _, one := range of.frames(must.Get(assets.Make(of.asset)), gpuStrategies) {
			name := likeName(of.frame(one.frame.Load, plan.Parts(&one.frame, &l)))
			require.Positive(t, h200().Frames[name], name)
			names[name] = true
		}
	}
	require.Len(t, h200().Frames, len(names))
}
