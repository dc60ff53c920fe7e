package main

import (
	"errors"
	"fmt"
	"io"
	"os"

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
	Histogram   []int   `json:"histogram"`
}

func newAnalyze() *cobra.Command {
	var f strategyFlags
	var asJSON, asCSV bool
	cmd := &cobra.Command{
		Use:   "analyze FILE...",
		Short: "Print how often each strategy shades the vertices of meshes",
		Long: "Prints reuse (1 - invocations / indices), ACMR (invocations a triangle) and ATVR\n" +
			"(invocations a referenced vertex) of each strategy. With a GPU the counts are read\n" +
			"back from it and compared with the CPU reference, vertex by vertex; a difference\n" +
			"is an error.",
		Args: files(false),
		RunE: func(_ *cobra.Command, paths []string) error {
			if asJSON && asCSV {
				return usagef("--json and --csv exclude each other")
			}
			rows, err := analyzeAll(&f, paths)
			if err != nil {
				return err
			}
			return printAnalyses(os.Stdout, rows, asJSON, asCSV)
		},
	}
	f.add(cmd.Flags(), "all")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	cmd.Flags().BoolVar(&asCSV, "csv", false, "print CSV")
	return cmd
}

// analyzeAll runs every strategy over every file. Nothing is printed unless all
// succeed.
func analyzeAll(f *strategyFlags, paths []string) ([]analysis, error) {
	configs, err := f.configs()
	if err != nil {
		return nil, err
	}
	subgroups, err := parseName[renderer.Subgroups]("subgroups", renderer.SubgroupsNames, f.subgroups)
	if err != nil {
		return nil, err
	}
	backend, err := f.backend.open()
	if err != nil {
		return nil, err
	}
	defer backend.Close()
	var rows []analysis
	for _, path := range paths {
		scene, err := openScene(path)
		if err != nil {
			return nil, err
		}
		for _, c := range configs {
			st, err := analyzeOne(backend, scene, c, subgroups)
			if err != nil {
				return nil, fmt.Errorf("%s: %s with %d lanes: %w", path, c.Strategy.Name, c.Lanes, err)
			}
			rows = append(rows, newAnalysis(path, c, backend, st))
		}
	}
	return rows, nil
}

// analyzeOne computes the reference, and has the backend confirm its counts.
func analyzeOne(b renderer.Backend, s *geometry.Scene, c reuse.Config, subgroups renderer.Subgroups) (reuse.Stats, error) {
	want, counts := reuse.Analyze(s, c)
	if b.Name() == cpuBackend {
		return want, nil
	}
	f := renderer.Frame{Scene: s, Reuse: c, Subgroups: subgroups, NoRaster: true}
	out, _, err := renderer.Render(b, f, renderer.FitCamera(s.Bounds(), 1), renderer.WantCounts)
	if err != nil {
		return want, err
	}
	return want, compareCounts(out.Counts, counts)
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

func newAnalysis(path string, c reuse.Config, b renderer.Backend, st reuse.Stats) analysis {
	return analysis{
		Schema: schemaVersion, File: path, Order: orders[0], Strategy: c.Strategy.Name, Lanes: c.Lanes, Batch: c.Batch,
		Unique: c.Strategy.MaxUnique(c), Backend: b.Name(), Device: b.Device(),
		Draws: st.Draws, Vertices: st.Vertices, Referenced: st.Referenced, Triangles: st.Triangles, Indices: st.Indices,
		Invocations: st.Invocations, Reuse: st.Reuse(), Ideal: st.Ideal(), ACMR: st.ACMR(), ATVR: st.ATVR(),
		Utilization: st.LaneUtilization(), Histogram: st.Histogram,
	}
}

func printAnalyses(w io.Writer, rows []analysis, asJSON, asCSV bool) error {
	var err error
	switch {
	case asJSON:
		err = writeJSON(w, rows)
	case asCSV:
		err = writeCSV(w, rows)
	default:
		err = writeTable(w, rows)
	}
	if err != nil {
		return errors.Join(errors.New("standard output"), err)
	}
	return nil
}
