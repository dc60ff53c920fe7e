package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

func TestRepeatJSON(t *testing.T) {
	for host, on := range hosts {
		r := call(on("render", "asset:sphere3", "--size", "64x48", "--view", "shaded", "--queue", "expanded", "--repeat", "3", "--json")...)
		requireFine(t, r)
		rows := decode(t, r.out)
		var passes []string
		for _, row := range rows {
			require.Equal(t, host, row["backend"])
			require.Equal(t, "3", fmt.Sprint(row["runs"]))
			require.Equal(t, "asset:sphere3 original warp 32 96 expanded 1 shaded 64 48 1280", strings.Trim(fmt.Sprint(row["file"], " ",
				row["order"], " ", row["strategy"], " ", row["lanes"], " ", row["batch"], " ", row["queue"], " ", row["chunks"], " ",
				row["view"], " ", row["width"], " ", row["height"], " ", row["triangles"]), "[]"))
			require.NotEmpty(t, row["device"])
			require.NotEmpty(t, row["driver"])
			least, median, greatest := number(t, row["ms_min"]), number(t, row["ms_median"]), number(t, row["ms_max"])
			require.True(t, 0 <= least && least <= median && median <= greatest, "%v", row)
			passes = append(passes, fmt.Sprint(row["pass"]))
		}
		require.Subset(t, passes, []string{"clear", "geometry:warp", "queue:finish", "frame"})
		require.Equal(t, "frame", passes[len(passes)-1])
		last := rows[len(rows)-1]
		require.Positive(t, number(t, last["ms_min"]), "a frame takes time")
	}
}

func number(t testing.TB, value any) float64 {
	n, err := value.(interface{ Float64() (float64, error) }).Float64()
	require.NoError(t, err)
	return n
}

func TestRepeatCSVAndTable(t *testing.T) {
	args := []string{"render", "asset:cube", "--backend", "cpu", "--size", "32x32", "--repeat", "2"}
	r := call(append(args, "--csv")...)
	requireFine(t, r)
	records, err := csv.NewReader(strings.NewReader(r.out)).ReadAll()
	require.NoError(t, err)
	require.Equal(t, strings.Fields("schema file order strategy lanes native batching batch unique queue chunks view raster width height triangles "+
		"backend device driver subgroup pass ms_min ms_median ms_max runs load "+
		"cull cull_faces culled_frustum culled_back_face culled_zero_area culled_no_sample triangles_left vertices_placed attributes_shaded"), records[0])
	require.Greater(t, len(records), 2)

	table := call(args...)
	requireFine(t, table)
	require.Contains(t, table.out, "asset:cube: 2 frames of 32x32 after one to warm up, counts view, warp, static batches of 96, 32 lanes, indexed queue\n")
	require.Regexp(t, `(?m)^geometry:warp( +\d+\.\d{3}){3}$`, table.out)
	require.Regexp(t, `(?m)^\d+\.\d frames a second at the median$`, table.out)
}

// The picture is the same, and nothing but the timings is printed.
func TestRepeatWithAPicture(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.png")
	args := []string{"asset:cube", "--backend", "cpu", "--size", "32x32"}
	r := call(append([]string{"render", "-o", path, "--repeat", "2", "--json"}, args...)...)
	requireFine(t, r)
	decode(t, r.out)
	once, _ := draw(t, args...)
	require.Equal(t, once, readPicture(t, path))
}

func TestSpread(t *testing.T) {
	ms := func(values ...int) (times []time.Duration) {
		for _, v := range values {
			times = append(times, time.Duration(v)*time.Millisecond)
		}
		return times
	}
	for _, c := range []struct {
		times                   []time.Duration
		least, median, greatest float64
	}{
		{ms(7), 7, 7, 7},
		{ms(9, 1), 1, 5, 9},
		{ms(9, 1, 2), 1, 2, 9},
		{ms(4, 9, 1, 2), 1, 3, 9},
	} {
		least, median, greatest := spread(c.times)
		require.Equal(t, []float64{c.least, c.median, c.greatest}, []float64{least, median, greatest})
	}
}

// scripted returns one output after the other.
type scripted struct {
	plan.Backend
	outputs []*renderer.Output
	wants   []renderer.Want
}

func (s *scripted) Exec(_ *plan.Plan, _ renderer.Camera, want renderer.Want) (*renderer.Output, error) {
	s.wants = append(s.wants, want)
	if len(s.outputs) == 0 {
		return nil, errors.New("device lost")
	}
	out := s.outputs[0]
	s.outputs = s.outputs[1:]
	return out, nil
}

func TestMeasureGathersPassesByName(t *testing.T) {
	output := func(a, b time.Duration) *renderer.Output {
		return &renderer.Output{Timings: []renderer.Timing{{Pass: "a", Duration: a}, {Pass: "b", Duration: b}}}
	}
	s := &scripted{outputs: []*renderer.Output{output(1, 2), output(3, 4)}}
	got, err := measure(s, nil, renderer.Camera{}, 2)
	require.NoError(t, err)
	require.Len(t, got, 3)
	require.Equal(t, series{"a", []time.Duration{1, 3}}, got[0])
	require.Equal(t, series{"b", []time.Duration{2, 4}}, got[1])
	require.Equal(t, wholeFrame, got[2].pass)
	require.Len(t, got[2].times, 2)
	require.Equal(t, []renderer.Want{0, 0}, s.wants, "reading back is no part of a frame")
	_, err = measure(s, nil, renderer.Camera{}, 1)
	require.EqualError(t, err, "device lost")
}
