package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
)

// schemaVersion grows when a field of the JSON changes its meaning.
const schemaVersion = 1

// analysis is one row: a file with one strategy. The JSON names are a contract.
type analysis struct {
	Schema      int     `json:"schema"`
	File        string  `json:"file"`
	Order       string  `json:"order"`
	Strategy    string  `json:"strategy"`
	Lanes       int     `json:"lanes"`
	Batching    string  `json:"batching"`
	Batch       int     `json:"batch"`
	Unique      int     `json:"unique"` // most unique vertices an iteration
	Backend     string  `json:"backend"`
	Device      string  `json:"device"`
	Draws       int     `json:"draws"`
	Vertices    int     `json:"vertices"`
	Referenced  int     `json:"referenced"`
	Triangles   int     `json:"triangles"`
	Indices     int     `json:"indices"`
	Invocations int     `json:"invocations"`
	Reuse       float64 `json:"reuse"`
	Ideal       float64 `json:"ideal"`
	ACMR        float64 `json:"acmr"`
	ATVR        float64 `json:"atvr"`
	Utilization float64 `json:"lane_utilization"`
	Histogram   []int   `json:"histogram"` // [i]: referenced vertices shaded i times
}

func newAnalyze() *cobra.Command {
	var f strategyFlags
	var as outputFlags
	cmd := &cobra.Command{
		Use:   "analyze FILE...",
		Short: "Print how often each strategy shades the vertices of meshes",
		Long: "Prints reuse (1 - invocations / indices), ideal (the reuse where each vertex is shaded\n" +
			"once), ACMR (invocations a triangle) and ATVR (invocations a referenced vertex) of each\n" +
			"strategy. With a GPU the counts are read back from it and compared with the CPU\n" +
			"reference, vertex by vertex; a difference is an error.",
		Example: "  shadeonce analyze bunny.ply dragon.ply.zst\n" +
			"  shadeonce analyze bunny.ply --strategy warp --lanes 64 --batch 192\n" +
			"  shadeonce analyze asset:sphere6 --json",
		Args: files(false),
		RunE: func(cmd *cobra.Command, paths []string) error {
			if err := as.check(); err != nil {
				return err
			}
			rows, err := analyzeAll(cmd.ErrOrStderr(), &f, paths)
			if err != nil {
				return err
			}
			return printRows(cmd.OutOrStdout(), as, rows, writeAnalyses)
		},
	}
	f.add(cmd.Flags(), "all")
	as.add(cmd.Flags())
	completeValues(cmd)
	return cmd
}

// analyzeAll runs every strategy over every file. Nothing is printed unless all
// succeed.
func analyzeAll(stderr io.Writer, f *strategyFlags, paths []string) (rows []analysis, err error) {
	configs, err := f.configs()
	if err != nil {
		return nil, err
	}
	subgroups, err := parseName[renderer.Subgroups]("subgroups", renderer.SubgroupsNames, f.subgroups)
	if err != nil {
		return nil, err
	}
	err = f.backend.session(stderr, func(b renderer.Backend) error {
		return f.eachScene(paths, func(path, order string, scene *geometry.Scene) error {
			for _, c := range configs {
				frame := renderer.Frame{Scene: scene, Reuse: c, Subgroups: subgroups, BatchOn: f.batchOn(c), NoRaster: true}
				st, err := analyzeOne(b, frame)
				if err != nil {
					return fmt.Errorf("%s: %w", c, err)
				}
				rows = append(rows, newAnalysis(path, order, c, b, st))
			}
			return nil
		})
	})
	return rows, err
}

// wholeQueueBudget is what the queues may take where batches cut on the device
// make one chunk of the scene.
const wholeQueueBudget = 2 << 30

// analyzeOne computes the reference, and has the backend confirm its counts.
func analyzeOne(b renderer.Backend, f renderer.Frame) (reuse.Stats, error) {
	want, counts := reuse.Analyze(f.Scene, f.Reuse)
	if b.Name() == cpuBackend {
		return want, nil
	}
	read := renderer.WantCounts
	if f.BatchOn == renderer.BatchDevice {
		f.QueueBudget = wholeQueueBudget
		read |= renderer.WantBatches
	}
	out, _, err := renderer.Render(b, f, renderer.FitCamera(f.Scene.Bounds(), 1), read)
	if err != nil {
		return want, err
	}
	if f.BatchOn == renderer.BatchDevice {
		if err := compareBatches(out.Batches, reuse.Batches(f.Scene, f.Reuse)); err != nil {
			return want, err
		}
	}
	return want, compareCounts(out.Counts, counts)
}

// compareBatches holds what the device cut against what the host cuts.
func compareBatches(got, want []reuse.Batch) error {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Errorf("batch %d differs from the host's: the device cut %+v, the host cuts %+v", i, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("the device cut %d batches, the host cuts %d", len(got), len(want))
	}
	return nil
}

// compareCounts is the oracle's word: equal in every vertex, or an error that
// names the first that is not.
func compareCounts(got, want []uint32) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d counts came back for %d vertices", len(got), len(want))
	}
	differ, first := 0, -1
	for v := range want {
		if got[v] != want[v] {
			if first < 0 {
				first = v
			}
			differ++
		}
	}
	if differ == 0 {
		return nil
	}
	return fmt.Errorf("counts of %d vertices differ from the CPU reference: vertex %d was shaded %d times, the reference says %d",
		differ, first, got[first], want[first])
}

func newAnalysis(path, order string, c reuse.Config, b renderer.Backend, st reuse.Stats) analysis {
	return analysis{
		Schema: schemaVersion, File: path, Order: order, Strategy: c.Strategy.Name, Lanes: c.Lanes, Batching: c.Batching.String(), Batch: c.Batch,
		Unique: c.Strategy.MaxUnique(c), Backend: b.Name(), Device: b.Device(),
		Draws: st.Draws, Vertices: st.Vertices, Referenced: st.Referenced, Triangles: st.Triangles, Indices: st.Indices,
		Invocations: st.Invocations, Reuse: st.Reuse(), Ideal: st.Ideal(), ACMR: st.ACMR(), ATVR: st.ATVR(),
		Utilization: st.LaneUtilization(), Histogram: st.Histogram,
	}
}

// writeAnalyses prints rows for people; the histogram is 1 to 6 and more times,
// in percent of the referenced vertices.
func writeAnalyses(w io.Writer, rows []analysis) error {
	table := newTable(w, "lllrrrrrrrrrr", "file", "order", "strategy", "lanes", "batch", "triangles", "invocations",
		"ideal", "reuse", "ACMR", "ATVR", "used", " 1x  2x  3x  4x  5x 6x+")
	for _, r := range rows {
		lanes, batch := "-", strconv.Itoa(r.Batch)
		if r.Lanes > 0 {
			lanes = strconv.Itoa(r.Lanes)
		}
		if r.Batching == reuse.DynamicBatching.String() {
			batch += fmt.Sprintf("/%d", r.Unique)
		}
		err := table.Append(printable(r.File), r.Order, r.Strategy, lanes, batch, r.Triangles, r.Invocations,
			fmt.Sprintf("%.4f", r.Ideal), fmt.Sprintf("%.4f", r.Reuse), fmt.Sprintf("%.3f", r.ACMR),
			fmt.Sprintf("%.3f", r.ATVR), fmt.Sprintf("%.0f%%", 100*r.Utilization), histogramText(r))
		if err != nil {
			return err
		}
	}
	if err := table.Render(); err != nil {
		return err
	}
	verified := "CPU reference"
	if rows[0].Backend != cpuBackend {
		verified = "the counts of every vertex equal the CPU reference"
	}
	_, err := fmt.Fprintf(w, "\nused: share of the lanes that shaded a vertex; 1x to 6x+: percent of the referenced vertices shaded so often\n%s: %s\n",
		rows[0].Device, verified)
	return err
}

// histogramText is six columns of three digits.
func histogramText(r analysis) string {
	var share [6]float64
	for times, n := range r.Histogram {
		if times > 0 {
			share[min(times, len(share))-1] += 100 * float64(n) / float64(r.Referenced)
		}
	}
	var text string
	for _, s := range share {
		text += fmt.Sprintf("%4.0f", s)
	}
	return text[1:]
}
