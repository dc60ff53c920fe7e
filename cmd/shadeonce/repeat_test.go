package main

import (
	"encoding/csv"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
		"backend device driver subgroup pass ms_min ms_median ms_max runs load vertex_shader vertex_shader_hash "+
		"cull cull_faces culled_frustum culled_back_face culled_zero_area culled_no_sample triangles_left vertices_placed attributes_shaded picked reason raster_reason version commit"), records[0])
	require.Greater(t, len(records), 2)

	table := call(args...)
	requireFine(t, table)
	require.Contains(t, table.out, "asset:cube: 2 frames of 32x32 after one to warm up, counts view, warp, static batches of 96, 32 lanes, indexed queue\n")
	require.Regexp(t, `(?m)^geometry:warp( +\d+\.\d{3}){3}$`, table.out)
	require.Regexp(t, `(?m)^\d+\.\d frames per second at the median$`, table.out)
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
