package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/names"
	"github.com/shadeonce/shadeonce/internal/progress"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// appRow is one row: an application's shading by one strategy. The JSON names are a
// contract.
type appRow struct {
	Schema       int     `json:"schema"`
	App          string  `json:"app"`
	File         string  `json:"file"`
	Order        string  `json:"order"`
	Part         string  `json:"part"` // level 1, outer, 10 steps
	Strategy     string  `json:"strategy"`
	Lanes        int     `json:"lanes"`
	Batching     string  `json:"batching"`
	Batch        int     `json:"batch"`
	Unique       int     `json:"unique"` // most unique ids an iteration
	Backend      string  `json:"backend"`
	Device       string  `json:"device"`
	IDs          int     `json:"ids"`
	Referenced   int     `json:"referenced"`
	Indices      int     `json:"indices"`
	Invocations  int     `json:"invocations"`
	Edges        int     `json:"edge_invocations"` // of them; subdivide only
	Reuse        float64 `json:"reuse"`
	Ideal        float64 `json:"ideal"`
	Milliseconds float64 `json:"ms"`
	Tables       float64 `json:"tables_ms"`      // what the host took for what the shade function reads; not part of ms
	VsNaive      float64 `json:"vs_naive"`       // how many times as fast; 0 where naive was not run
	VsNaiveIndex float64 `json:"vs_naive_index"` // the same
	Hash         string  `json:"hash"`           // of the result
}

// appFlags are those that all applications have.
type appFlags struct {
	cli.StrategyFlags
	as     cli.OutputFlags
	output string
	paper  bool
	check  bool
	rows   []appRow
}

func newApps() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "apps",
		Short: "Run the paper's applications: subdivision, envelopes, random walk",
		Long: "Runs work that is not rendering on the same strategies: an index stream, and a shade\n" +
			"function that runs once for each unique id of a batch. Prints a row a strategy: how often\n" +
			"it ran, reuse (1 - invocations / indices), the ideal, its time and a hash of the result,\n" +
			"which no strategy changes.",
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newSubdivide(), newEnvelope(), newWalk())
	return cmd
}

// add adds the flags; what says what --output is.
func (f *appFlags) add(cmd *cobra.Command, what string) {
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", what)
	f.Add(flags, "hash")
	f.Shapes = true
	f.as.Add(flags)
	flags.BoolVar(&f.paper, "paper", false, "batches and workgroups as the paper has them for this application")
	flags.BoolVar(&f.check, "check", false, "compare each strategy's result with shading everything once; a difference is an error")
	cli.CompleteValues(cmd, nil)
}

// configs resolves the strategies; preset is the paper's parameters by strategy.
func (f *appFlags) configs(preset map[string]reuse.Params) ([]reuse.Config, error) {
	if f.output == "" {
		return nil, cli.Usagef("no output given: -o")
	}
	if err := f.as.Check(); err != nil {
		return nil, err
	}
	if err := f.Backend.Check(); err != nil {
		return nil, err
	}
	if f.Backend.Backend == cli.GPU || f.Backend.Device != "" || f.Backend.Validation {
		return nil, cli.Usagef("--backend %s: the applications run on the cpu only", cli.GPU)
	}
	configs, err := f.Configs()
	if err != nil || !f.paper {
		return configs, err
	}
	for _, name := range []string{"lanes", "batch", "batching", "unique", "workgroup"} {
		if f.Given(name) {
			return nil, cli.Usagef("--paper sets the batches: it excludes --%s", name)
		}
	}
	for i, c := range configs {
		if p, known := preset[c.Strategy.Name]; known {
			if configs[i], err = p.Resolve(c.Strategy.Name); err != nil {
				return nil, err
			}
		}
	}
	return configs, nil
}

// addRow adds a row for a result that took so long since began.
func (f *appFlags) addRow(row appRow, c reuse.Config, began time.Time, stats ...reuse.Stats) {
	backend := soft.New()
	row.Milliseconds = measure.Milliseconds(time.Since(began))
	row.Schema, row.Strategy, row.Lanes = measure.Schema, c.Strategy.Name, c.Lanes
	row.Batching, row.Batch, row.Unique = c.Batching.String(), c.Batch, c.Strategy.MaxUnique(c)
	row.Backend, row.Device = backend.Name(), backend.Device()
	var all reuse.Stats
	for _, st := range stats {
		all.Add(st, 1)
	}
	row.IDs, row.Referenced, row.Indices, row.Invocations = all.Vertices, all.Referenced, all.Indices, all.Invocations
	row.Reuse, row.Ideal = all.Reuse(), all.Ideal()
	f.rows = append(f.rows, row)
}

// print prints the rows, with how they compare with those of the same work that shade
// everything.
func (f *appFlags) print(w io.Writer) error {
	for i := range f.rows {
		row := &f.rows[i]
		for _, other := range f.rows {
			same := other.File == row.File && other.Order == row.Order && other.Part == row.Part
			switch {
			case !same || row.Milliseconds == 0:
			case other.Strategy == "naive":
				row.VsNaive = other.Milliseconds / row.Milliseconds
			case other.Strategy == "naive-index":
				row.VsNaiveIndex = other.Milliseconds / row.Milliseconds
			}
		}
	}
	return cli.PrintRows(w, f.as, f.rows, writeAppRows)
}

func writeAppRows(w io.Writer, rows []appRow) error {
	table := cli.NewTable(w, "llllrrrrrrrl", "file", "order", "part", "strategy", "batch", "invocations", "reuse", "ideal", "tables ms", "ms", "x naive", "hash")
	for _, r := range rows {
		batch, faster := fmt.Sprint(r.Batch), "-"
		if r.Batching == reuse.DynamicBatching.String() {
			batch += fmt.Sprintf("/%d", r.Unique)
		}
		if r.VsNaive > 0 {
			faster = fmt.Sprintf("%.2f", r.VsNaive)
		}
		table.Row(names.Printable(r.File), r.Order, r.Part, r.Strategy, batch, r.Invocations,
			fmt.Sprintf("%.4f", r.Reuse), fmt.Sprintf("%.4f", r.Ideal), fmt.Sprintf("%.2f", r.Tables), fmt.Sprintf("%.2f", r.Milliseconds), faster, r.Hash)
	}
	return table.Render(w, "\ntables ms: what the host took for what the shade function reads, once; ms: the shading\n")
}

// withProgress does work until it is interrupted, and on a terminal says how much of it is
// done and how long the rest will take.
func withProgress(stderr io.Writer, what string, work func(context.Context) error) error {
	say, wipe := cli.Progress(stderr)
	defer wipe()
	var lock sync.Mutex
	began := time.Now()
	next := began.Add(time.Second / 2)
	return cli.UntilInterrupted(func(ctx context.Context) error {
		return work(progress.With(ctx, func(done float64) {
			lock.Lock()
			defer lock.Unlock()
			if now := time.Now(); now.After(next) && done > 0 {
				next = now.Add(time.Second / 10)
				left := time.Duration(float64(now.Sub(began)) * (1 - done) / done)
				say("%s: %.0f %%, %s left", what, 100*done, left.Round(time.Second))
			}
		}))
	})
}
