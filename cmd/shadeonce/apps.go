package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/applications"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/names"
	"github.com/shadeonce/shadeonce/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

func newApps() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "apps",
		Short: "Run the paper's applications: subdivision, envelopes, random walk",
		Long: "Runs work other than rendering on the same strategies: an index stream, and a shade\n" +
			"function that runs once for each unique id of a batch. Prints one row per strategy: how\n" +
			"often it ran, reuse (1 - invocations / indices), the ideal, its time and a hash of the\n" +
			"result, which no strategy changes. It runs on a GPU or, as\n" +
			"the reference, on the CPU.",
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newSubdivide(), newEnvelope(), newWalk())
	return cmd
}

// appFlags are the flags that all applications have.
type appFlags struct {
	cli.StrategyFlags
	as     cli.OutputFlags
	output string
	paper  bool
}

// add adds the flags to the command that sets up run. what describes --output.
func (f *appFlags) add(cmd *cobra.Command, run *applications.Run, what string) {
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", what)
	f.Add(flags, "hash")
	f.Shapes = true
	f.as.Add(flags)
	flags.BoolVar(&f.paper, "paper", false, "batches and workgroups as the paper has them for this application")
	flags.BoolVar(&run.Verify, "check", false, "compare each strategy's result with shading everything once; a difference is an error")
	cli.CompleteValues(cmd, nil)
}

// configs resolves the strategies. paper has the paper's parameters by strategy, own has
// those that the application takes where no flag says otherwise.
func (f *appFlags) configs(paper, own map[string]reuse.Params) ([]reuse.Config, error) {
	if f.output == "" {
		return nil, cli.Usagef("no output given: -o")
	}
	if err := f.as.Check(); err != nil {
		return nil, err
	}
	if err := f.Backend.Check(); err != nil {
		return nil, err
	}
	configs, err := f.Configs()
	if err != nil {
		return nil, err
	}
	sizes := own
	if f.paper {
		sizes = paper
	}
	for _, name := range []string{"lanes", "batch", "batching", "unique", "workgroup", "table"} {
		if f.Given(name) && f.paper {
			return nil, cli.Usagef("--paper sets the batches: it excludes --%s", name)
		} else if f.Given(name) {
			return configs, nil
		}
	}
	for i, c := range configs {
		if p, known := sizes[c.Strategy.Name]; known {
			if f.paper {
				p.Room = min(1, c.Strategy.Room)
			}
			if configs[i], err = p.Resolve(c.Strategy.Name); err != nil {
				return nil, err
			}
		}
	}
	return configs, nil
}

// session does the work with the backend that the flags choose.
func (f *appFlags) session(stderr io.Writer, run *applications.Run, work func() error) error {
	if err := cli.Read(&run.Subgroups, cli.ParseSubgroups, f.Subgroups); err != nil {
		return err
	}
	return f.Backend.Session(stderr, func(b plan.Backend) error {
		run.GPU, _ = b.(*gpu.Backend)
		return work()
	})
}

func writeAppRows(w io.Writer, rows []applications.Row) error {
	table := cli.NewTable(w, "llllrrrrrrrl", "file", "order", "part", "strategy", "batch", "invocations", "reuse", "ideal", "tables ms", "ms", "x naive", "hash")
	for _, r := range rows {
		faster := "-"
		if r.VsNaive > 0 {
			faster = fmt.Sprintf("%.2f", r.VsNaive)
		}
		table.Row(names.Printable(r.File), r.Order, r.Part, r.Strategy, r.Sizes(), r.Invocations,
			fmt.Sprintf("%.4f", r.Reuse), fmt.Sprintf("%.4f", r.Ideal), fmt.Sprintf("%.2f", r.Tables), fmt.Sprintf("%.4f", r.Milliseconds), faster, r.Hash)
	}
	work := "the shading"
	if slices.ContainsFunc(rows, func(r applications.Row) bool { return r.Sorting > 0 }) {
		work += " and the sorting of agents (apart in --json: sort_ms)"
	}
	return table.Render(w, "\ntables ms: building the tables that the shade function reads, once; ms: %s\n", work)
}
