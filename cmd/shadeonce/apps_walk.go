package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/shadeonce/shadeonce/geometry/apps/walk"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/names"
	"github.com/shadeonce/shadeonce/internal/progress"
	"github.com/shadeonce/shadeonce/internal/replace"
)

// walkFlags are those of apps walk.
type walkFlags struct {
	appFlags
	agents, grid, steps, sort int
	seed                      uint32
	tables                    float64 // milliseconds for them, and to place the agents
}

func newWalk() *cobra.Command {
	var f walkFlags
	cmd := &cobra.Command{
		Use:   "walk -o FOLDER",
		Short: "Walk agents at random over a grid",
		Long: "Moves agents over a grid, each by one of the eight likeliest of the 796 jumps within 16\n" +
			"cells. The agents' cells are the index stream; the jumps from a cell are found once for\n" +
			"all its agents of a batch. FOLDER gets density-NN.csv and .png of every step, density.gif\n" +
			"of all, and walk.json.",
		Example: "  shadeonce apps walk -o walk\n" +
			"  shadeonce apps walk -o walk --agents 1000000 --grid 1024 --steps 100 --sort 5 --strategy warp,hash",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.OutOrStdout(), cmd.ErrOrStderr()) },
	}
	flags := cmd.Flags()
	flags.IntVar(&f.agents, "agents", 300000, fmt.Sprintf("how many agents, 1 to %d", walk.MaxAgents))
	flags.IntVar(&f.grid, "grid", 256, fmt.Sprintf("cells a side of the grid, 1 to %d", walk.MaxGrid))
	flags.IntVar(&f.steps, "steps", 10, fmt.Sprintf("how many steps, 1 to %d", mostSteps))
	flags.Uint32Var(&f.seed, "seed", 1, "of all that is drawn")
	flags.IntVar(&f.sort, "sort", 0, "take agents in the order of their cells, sorted anew after so many steps (0: never)")
	f.add(cmd, "the `folder` to write")
	_ = flags.MarkHidden("order") // agents have none
	return cmd
}

const mostSteps = 10000

// The paper's batches, section 6.3.
var walkPaper = map[string]reuse.Params{
	"naive": {Batch: 576}, "warp": {Batch: 576},
	"hash": {Batch: 1536}, "phash": {Batch: 1536}, "sort": {Batch: 1536},
}

// walkStep is an entry of walk.json.
type walkStep struct {
	Step      int     `json:"step"`
	Agents    int     `json:"agents"`
	Occupied  int     `json:"occupied"` // cells
	Most      uint32  `json:"most"`     // agents in a cell
	Ideal     float64 `json:"ideal"`
	ChiSquare float64 `json:"chi_square"` // of the start against equal chances, of a step against its likelihoods
	Expected  float64 `json:"expected"`
	Z         float64 `json:"z"` // standard deviations between them
	Hash      string  `json:"hash"`
}

func (f *walkFlags) checkFlags() error {
	if f.Given("order") {
		return cli.Usagef("--order: agents have no order but --sort")
	}
	for _, size := range []struct {
		name        string
		value, from int
		to          int
	}{{"agents", f.agents, 1, walk.MaxAgents}, {"grid", f.grid, 1, walk.MaxGrid}, {"steps", f.steps, 1, mostSteps}, {"sort", f.sort, 0, mostSteps}} {
		if size.value < size.from || size.value > size.to {
			return cli.Usagef("--%s %d: must be %d to %d", size.name, size.value, size.from, size.to)
		}
	}
	return checkWalkFolder(f.output)
}

// checkWalkFolder refuses a folder that holds anything else than an earlier walk.
func checkWalkFolder(path string) error {
	info, err := replace.Stat(path)
	if err != nil || info == nil {
		return err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return replace.Failed(path, err)
	}
	for _, e := range entries {
		if name := e.Name(); name != "walk.json" && !strings.HasPrefix(name, "density") {
			return fmt.Errorf("%s: not overwritten: it holds other files than a walk's, as %s", path, names.Printable(name))
		}
	}
	return nil
}

func (f *walkFlags) run(stdout, stderr io.Writer) error {
	configs, err := f.configs(walkPaper)
	if err != nil {
		return err
	}
	if err := f.checkFlags(); err != nil {
		return err
	}
	path, err := filepath.Abs(f.output)
	if err != nil {
		return replace.Failed(f.output, err)
	}
	if err := withProgress(stderr, "walking", func(ctx context.Context) error {
		began := time.Now()
		w, err := walk.New(progress.Part(ctx, 0, .05), f.agents, f.grid, f.seed)
		if err != nil {
			return err
		}
		f.tables = measure.Milliseconds(time.Since(began))
		start := *w
		share := .95 / float64(len(configs))
		for i, c := range configs {
			again, ctx := start, progress.Part(ctx, .05+float64(i)*share, .05+float64(i+1)*share)
			if i > 0 {
				if err = f.walk(ctx, &again, c, nil); err != nil {
					return err
				}
				continue
			}
			if err := replace.Folder(path, func(folder string) error {
				kept := walkFolder{path: folder, walk: &again, steps: f.steps}
				if err := f.walk(ctx, &again, c, kept.add); err != nil {
					return err
				}
				return kept.finish()
			}); err != nil {
				return replace.Failed(f.output, err)
			}
		}
		return nil
	}); err != nil {
		return err
	}
	if first := f.rows[0]; slices.ContainsFunc(f.rows, func(r appRow) bool { return r.Hash != first.Hash }) {
		return errors.New("the strategies did not move the agents alike")
	}
	return f.print(stdout)
}

// walk takes all steps by a strategy. seen, unless nil, sees the walk before and after
// each, with the agents of the step before.
func (f *walkFlags) walk(ctx context.Context, w *walk.Walk, c reuse.Config, seen func(ctx context.Context, before []uint32) error) error {
	var all reuse.Stats
	var took time.Duration
	for step := range f.steps {
		ctx := progress.Part(ctx, float64(step)/float64(f.steps), float64(step+1)/float64(f.steps))
		before := w.Agents
		if seen != nil && step == 0 {
			if err := seen(ctx, nil); err != nil {
				return err
			}
		}
		began := time.Now()
		if f.sort > 0 && step%f.sort == 0 {
			if err := w.Sort(progress.Silent(ctx)); err != nil {
				return err
			}
		}
		st, _, err := w.Advance(ctx, c)
		if err != nil {
			return err
		}
		took += time.Since(began)
		st.Histogram = nil
		all.Add(st, 1)
		if seen != nil {
			if err := seen(ctx, before); err != nil {
				return err
			}
		}
	}
	row := appRow{App: "walk", File: fmt.Sprintf("%d agents, %dx%d", f.agents, f.grid, f.grid), Part: fmt.Sprintf("%d steps", f.steps), Tables: f.tables, Hash: fmt.Sprintf("%016x", w.Sum())}
	f.addRow(row, c, time.Now().Add(-took), all)
	return nil
}

// logShare is where a number of agents stands between none and most, by its logarithm.
func logShare(n, most uint32) float64 {
	return math.Log1p(float64(n)) / math.Log1p(float64(max(most, 1)))
}
