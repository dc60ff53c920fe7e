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
	"github.com/shadeonce/shadeonce/internal/tables"
	"github.com/shadeonce/shadeonce/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

func newApps(open cli.Opener) *cobra.Command {
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
	cmd.AddCommand(newSubdivide(open), newEnvelope(open), newWalk(open))
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

// appSizes are the parameters of strategies, by name, that an application has of its own.
type appSizes struct {
	auto  string                  // the fastest of those that stream, as measured on an H200
	paper map[string]reuse.Params // with --paper
	own   map[string]reuse.Params // where no flag says otherwise
}

// configs resolves the strategies of a run.
func (f *appFlags) configs(run *applications.Run, sizes appSizes) error {
	if f.output == "" {
		return cli.Usagef("no output given: -o")
	}
	if err := f.as.Check(); err != nil {
		return err
	}
	if err := f.Backend.Check(); err != nil {
		return err
	}
	configs, err := f.Configs()
	if err != nil {
		return err
	}
	params := sizes.own
	if f.paper {
		params = sizes.paper
	}
	for _, name := range []string{"lanes", "batch", "batching", "unique", "workgroup", "table"} {
		if f.Given(name) && f.paper {
			return cli.Usagef("--paper sets the batches: it excludes --%s", name)
		} else if f.Given(name) {
			params = nil
		}
	}
	for i, c := range configs {
		name := c.Strategy.Name
		if c.Auto {
			name = sizes.auto
		}
		strategy, err := reuse.Lookup(name)
		if err != nil {
			return err
		}
		p, known := params[name]
		switch {
		case known && f.paper:
			p.Room = min(1, strategy.Room)
		case c.Auto && !known:
			p = reuse.Params{Lanes: c.Lanes, FitBatch: true}
		}
		if known || c.Auto {
			if configs[i], err = p.Resolve(name); err != nil {
				return err
			}
			configs[i].Auto = c.Auto
		}
	}
	run.Configs = configs
	return nil
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
		table.Row(names.Printable(r.File), r.Order, r.Part, tables.RanBy(r.Strategy, r.Auto), r.Sizes(), r.Invocations,
			fmt.Sprintf("%.4f", r.Reuse), fmt.Sprintf("%.4f", r.Ideal), fmt.Sprintf("%.2f", r.Tables), fmt.Sprintf("%.4f", r.Milliseconds), faster, r.Hash)
	}
	work := "the shading"
	if slices.ContainsFunc(rows, func(r applications.Row) bool { return r.Sorting > 0 }) {
		work += " and the sorting of agents (apart in --json: sort_ms)"
	}
	return table.Render(w, "\ntables ms: building the tables that the shade function reads, once; ms: %s\n", work)
}
