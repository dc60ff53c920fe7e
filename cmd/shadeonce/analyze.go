package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/geometry/reuse/model"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// schemaVersion grows when a field of the JSON changes its meaning.
const schemaVersion = 1

// analysis is one row: a file with one strategy, or one model that stands in its
// place. The JSON names are a contract.
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
	Kind        string  `json:"kind"`      // strategy, model or hardware
}

func newAnalyze() *cobra.Command {
	var f analyzeFlags
	var as cli.OutputFlags
	cmd := &cobra.Command{
		Use:   "analyze FILE...",
		Short: "Print how often each strategy shades the vertices of meshes",
		Long: "Prints reuse (1 - invocations / indices), ideal (the reuse where each vertex is shaded\n" +
			"once), ACMR (invocations a triangle) and ATVR (invocations a referenced vertex) of each\n" +
			"strategy. With a GPU the counts are read back from it and compared with the CPU\n" +
			"reference, vertex by vertex; a difference is an error.\n\n" +
			"--model adds rows of what hardware of a published design would shade. A model is\n" +
			"written " + model.Help + ";\n" +
			"all is every model so. hardware is no model: the graphics pipeline of the device at hand\n" +
			"draws, and is counted.\n\n" +
			"--per-draw prints a row a draw: of a captured frame it finds those that waste most.",
		Example: "  shadeonce analyze bunny.ply dragon.ply.zst\n" +
			"  shadeonce analyze bunny.ply --strategy warp --lanes 64 --batch 192\n" +
			"  shadeonce analyze asset:sphere6 --json\n" +
			"  shadeonce analyze bunny.ply --order original,forsyth --model lru:32,parallel:1024:dealt\n" +
			"  shadeonce analyze bunny.ply --strategy none --model all --csv\n" +
			"  shadeonce analyze frame.zip.xml --per-draw --strategy warp,hash --sort lost\n" +
			"  shadeonce analyze frame.zip.xml --max-ideal 0.4",
		Args: files(false),
		RunE: func(cmd *cobra.Command, paths []string) error {
			if err := as.Check(); err != nil {
				return err
			}
			if f.perDraw {
				return analyzeAndPrint(cmd, as, &f, paths, (*wanted).perDraw, writeDraws)
			}
			return analyzeAndPrint(cmd, as, &f, paths, (*wanted).rows, writeAnalyses)
		},
	}
	f.add(cmd.Flags())
	as.Add(cmd.Flags())
	cli.CompleteValues(cmd, map[string][]string{
		"sort": drawOrderNames(), "model": slices.Concat([]string{cli.None, model.AllVariants}, modelNames()),
	})
	return cmd
}

func analyzeAndPrint[T any](cmd *cobra.Command, as cli.OutputFlags, f *analyzeFlags, paths []string, count rowMaker[T], table func(io.Writer, []T) error) error {
	rows, err := analyzeAll(cmd.ErrOrStderr(), f, paths, count)
	if err != nil {
		return err
	}
	return cli.PrintRows(cmd.OutOrStdout(), as, rows, table)
}

// rowMaker makes the rows of one scene: a method of wanted.
type rowMaker[T any] func(w *wanted, b plan.Backend, path, order string, s *geometry.Scene, subgroups renderer.Subgroups) (rows []T, notices []string, err error)

// analyzeAll counts every file in all ways that are wanted. Nothing is printed
// unless all succeed.
func analyzeAll[T any](stderr io.Writer, f *analyzeFlags, paths []string, count rowMaker[T]) (rows []T, err error) {
	w, err := f.wanted()
	if err != nil {
		return nil, err
	}
	subgroups, err := cli.ParseSubgroups(f.Subgroups)
	if err != nil {
		return nil, err
	}
	var notices []string
	work := func(b plan.Backend) (err error) {
		rows, notices, err = analyzeWith(b, f, w, subgroups, paths, count)
		return err
	}
	if w.needsBackend() {
		err = f.Backend.Session(stderr, work)
	} else if err = f.Backend.Check(); err == nil {
		err = work(nil)
	}
	if err != nil {
		return nil, err
	}
	for _, notice := range notices {
		cli.Tell(stderr, notice)
	}
	return rows, nil
}

// analyzeWith is analyzeAll on an opened backend; nil where nothing has to run.
func analyzeWith[T any](b plan.Backend, f *analyzeFlags, w wanted, subgroups renderer.Subgroups, paths []string, count rowMaker[T]) (rows []T, notices []string, err error) {
	if w.hardware {
		if err := canCountHardware(b); err != nil {
			return nil, nil, err
		}
	}
	if len(w.configs) > 0 {
		var notice string
		if w.configs, notice, err = f.Runnable(b, renderer.Frame{Subgroups: subgroups}, w.configs); err != nil {
			return nil, nil, err
		}
		notices = append(notices, notice)
	}
	left, err := f.EachScene(paths, func(path, order string, scene *geometry.Scene) error {
		scene, w.numbers, err = f.choose(scene)
		if err != nil {
			return err
		}
		more, said, err := count(&w, b, path, order, scene, subgroups)
		rows, notices = append(rows, more...), append(notices, said...)
		return err
	})
	return rows, append(notices, left...), err
}

// analyzeOne computes the reference's statistics and what it did in each draw, and
// has the backend confirm the counts. Without one there is no need for all counts
// at once, and memory does not grow with the stream.
func analyzeOne(b plan.Backend, f renderer.Frame) (want reuse.Stats, draws []int, err error) {
	if b.Name() == cli.CPU {
		want, sums := reuse.Summarize(f.Scene, f.Reuse)
		return want, shadedByDraw(sums), nil
	}
	want, counts := reuse.Analyze(f.Scene, f.Reuse)
	draws = perDraw(f.Scene, counts)
	out, _, err := plan.Render(b, f, renderer.FitCamera(f.Scene.Bounds(), 1), renderer.WantCounts)
	if err != nil {
		return want, draws, err
	}
	return want, draws, compareCounts(out.Counts, counts)
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

func newAnalysis(path, order string, c reuse.Config, b plan.Backend, st reuse.Stats) analysis {
	a := newCounted(path, order, kindStrategy, st)
	a.Strategy, a.Lanes, a.Batching, a.Batch = c.Strategy.Name, c.Lanes, c.Batching.String(), c.Batch
	a.Unique, a.Backend, a.Device = c.Strategy.MaxUnique(c), b.Name(), b.Device()
	return a
}

// newCounted is a row as far as it follows from counts.
func newCounted(path, order, kind string, st reuse.Stats) analysis {
	return analysis{
		Schema: schemaVersion, File: path, Order: order, Kind: kind,
		Draws: st.Draws, Vertices: st.Vertices, Referenced: st.Referenced, Triangles: st.Triangles, Indices: st.Indices,
		Invocations: st.Invocations, Reuse: st.Reuse(), Ideal: st.Ideal(), ACMR: st.ACMR(), ATVR: st.ATVR(),
		Utilization: st.LaneUtilization(), Histogram: st.Histogram,
	}
}

// writeAnalyses prints rows for people; the histogram is 1 to 6 and more times,
// in percent of the referenced vertices.
func writeAnalyses(w io.Writer, rows []analysis) error {
	table := cli.NewTable(w, "lllrrrrrrrrrr", "file", "order", "strategy", "lanes", "batch", "triangles", "invocations",
		"ideal", "reuse", "ACMR", "ATVR", "used", " 1x  2x  3x  4x  5x 6x+")
	for _, r := range rows {
		lanes, batch, used := "-", "-", "-"
		if r.Lanes > 0 {
			lanes = strconv.Itoa(r.Lanes)
		}
		if r.Kind == kindStrategy {
			batch, used = strconv.Itoa(r.Batch), fmt.Sprintf("%.0f%%", 100*r.Utilization)
		}
		if r.Batching == reuse.DynamicBatching.String() {
			batch += fmt.Sprintf("/%d", r.Unique)
		}
		err := table.Append(cli.Printable(r.File), r.Order, r.Strategy, lanes, batch, r.Triangles, r.Invocations,
			fmt.Sprintf("%.4f", r.Ideal), fmt.Sprintf("%.4f", r.Reuse), fmt.Sprintf("%.3f", r.ACMR),
			fmt.Sprintf("%.3f", r.ATVR), used, histogramText(r))
		if err != nil {
			return err
		}
	}
	if err := table.Render(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nused: share of the lanes that shaded a vertex; 1x to 6x+: percent of the referenced vertices shaded so often\n%s", footnotes(rows))
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
