package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/apps/envelope"
	"github.com/shadeonce/shadeonce/apps/subdivide"
	"github.com/shadeonce/shadeonce/apps/walk"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/measure/print"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
)

func newApps(open cli.Opener) *cobra.Command {
	cmd := newCommand("apps", nil, nil)
	cmd.AddCommand(newSubdivide(open), newEnvelope(open), newWalk(open))
	return cmd
}

// appFlags are the flags of all applications.
type appFlags struct {
	cli.StrategyFlags
	as     cli.OutputFlags
	output string
	partly string // notice that names the flags that apply only to some of the chosen strategies; "" if none
	paper  bool
}

// add adds the flags to a command; --check sets run.Verify. `what` describes --output.
func (f *appFlags) add(cmd *cobra.Command, open cli.Opener, run *apps.Run, what string) *pflag.FlagSet {
	f.Backend.Open = open
	f.Formats = capture.Readers().Shapes()
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", what)
	f.Add(flags, "hash")
	f.as.Add(flags)
	flags.BoolVar(&f.paper, "paper", false, "batches and workgroups as the paper has them for this application")
	flags.BoolVar(&run.Verify, "check", false, "compare each strategy's result with shading everything once; a difference is an error")
	return flags
}

// choose sets the run's strategies from the flags. `auto` is the fastest streaming strategy, as
// measured on an H200. `paper` and `own` hold sizes by strategy: the paper's, which --paper selects, and the
// application's own. Without --paper the own ones apply, unless a flag sets a size.
func (f *appFlags) choose(run *apps.Run, auto string, paper, own map[string]reuse.Params) {
	if f.output == "" {
		must.OK(cli.Usagef("no output given: -o"))
	}
	must.OK(cmp.Or(f.as.Check(), f.Backend.Check()))
	configs := must.Get(f.Configs())
	f.partly = f.Partly(configs)
	switch {
	case f.paper:
		own = paper
	case slices.ContainsFunc([]string{"lanes", "batch", "batching", "unique", "workgroup", "table"}, f.Given):
		own = nil
	}
	must.OK(cmp.Or(run.Choose(configs, auto, own, f.paper), cli.Read(&run.Subgroups, cli.ParseSubgroups, f.Subgroups)))
}

// meshWork is an application that processes a mesh.
type meshWork interface {
	Do(context.Context, measure.Subject) error
	Save(ctx context.Context, path string) error
	Notices(path string) []string
	Rows() []apps.Row
}

// onMesh runs the work on a mesh, in every order, and saves and prints the results.
func (f *appFlags) onMesh(to streams, run *apps.Run, doing, path string, work meshWork) error {
	must.OK(cli.CheckMesh(f.output))
	return f.Backend.Session(to.err, func(b plan.Backend) (err error) {
		defer must.Catch(&err)
		run.On = b
		notices, _, err := f.EachScene(to.err, doing, []string{path}, func(_ context.Context, path, order string, s *geometry.Scene) error {
			return cli.WithProgress(to.err, doing, func(ctx context.Context) error {
				return work.Do(ctx, measure.Subject{File: path, Order: order, Scene: s})
			})
		})
		must.OK(err)
		must.OK(cli.UntilInterrupted(func(ctx context.Context) error { return work.Save(ctx, f.output) }))
		return f.print(to, b, append(notices, work.Notices(path)...), work.Rows())
	})
}

func (f *appFlags) print(to streams, on plan.Backend, notices []string, rows []apps.Row) error {
	for _, notice := range append(notices, softwareNote(on, f.as.JSON || f.as.CSV), f.partly) {
		cli.Tell(to.err, notice)
	}
	return cli.PrintRows(to.out, f.as, rows, print.WriteApplications)
}

// subdivideFlags are the flags of apps subdivide.
type subdivideFlags struct {
	appFlags
	subdivide.Driver
	memory string
}

func newSubdivide(open cli.Opener) *cobra.Command {
	var f subdivideFlags
	cmd := newCommand("apps-subdivide", oneFile, func(to streams, args []string) error {
		f.choose(&f.Run, "claim", subdivide.PaperSizes, subdivide.Sizes)
		if f.memory != "" {
			f.Memory = must.Get(cli.ParseBytes("memory-budget", f.memory))
		}
		must.OK(cli.InRange("levels", f.Levels, 1, subdivide.MaxLevels))
		return f.onMesh(to, &f.Run, "subdividing", args[0], &f.Driver)
	})
	flags := f.add(cmd, open, &f.Run, "the mesh `file` to write")
	flags.IntVar(&f.Levels, "levels", 1, fmt.Sprintf("how often each triangle becomes four, 1 to %d", subdivide.MaxLevels))
	flags.StringVar(&f.memory, "memory-budget", "", "memory for all: levels that need more are refused (default what the system has free)")
	cli.CompleteValues(cmd, nil)
	return cmd
}

// envelopeFlags are the flags of apps envelope.
type envelopeFlags struct {
	appFlags
	envelope.Driver
	side string
}

func newEnvelope(open cli.Opener) *cobra.Command {
	var f envelopeFlags
	cmd := newCommand("apps-envelope", oneFile, func(to streams, args []string) (err error) {
		f.choose(&f.Run, "hash", envelope.PaperSizes, envelope.Sizes)
		f.Sides, err = envelope.Sides(f.side)
		must.OK(cli.AsUsage(err))
		if !(f.Percent >= envelope.MinPercent && f.Percent <= envelope.MaxPercent) { // also rejects NaN
			return cli.Usagef("--percent %g: must be %g to %g", f.Percent, envelope.MinPercent, float64(envelope.MaxPercent))
		}
		switch ext := filepath.Ext(f.Levels); {
		case f.Levels == "":
		case ext == ".csv" || ext == ".json":
			must.OK(envelope.CheckLevels(f.Levels))
		default:
			return cli.Usagef("--levels-file %s: want a name that ends with .csv or .json", f.Levels)
		}
		return f.onMesh(to, &f.Run, "making the envelope", args[0], &f.Driver)
	})
	flags := f.add(cmd, open, &f.Run, "the mesh `file` to write")
	flags.Float64Var(&f.Percent, "percent", 2, "the distance in percent of the diagonal of the mesh's box")
	flags.StringVar(&f.side, "side", envelope.SideNames[0], "which envelope: "+strings.Join(envelope.SideNames, ", "))
	flags.StringVar(&f.Levels, "levels-file", "", "a .csv or .json `file` to write every vertex's level to")
	cli.CompleteValues(cmd, map[string][]string{"side": envelope.SideNames})
	return cmd
}

// walkFlags are the flags of apps walk.
type walkFlags struct {
	appFlags
	walk.Driver
}

const slowWalk = 3_000_000 // agents times steps that took two busy cores half a minute

func newWalk(open cli.Opener) *cobra.Command {
	var f walkFlags
	cmd := newCommand("apps-walk", noArguments, func(to streams, _ []string) error {
		f.check()
		return f.Backend.Session(to.err, func(b plan.Backend) error {
			f.On = b
			cli.Tell(to.err, f.slow())
			err := cli.WithProgress(to.err, "walking", func(ctx context.Context) error { return f.Do(ctx, f.output) })
			if err == nil {
				err = f.print(to, b, f.Notices(), f.Rows())
			}
			return err
		})
	})
	flags := f.add(cmd, open, &f.Run, "the `folder` to write")
	flags.IntVar(&f.Agents, "agents", 300000, fmt.Sprintf("how many agents, 1 to %d", walk.MaxAgents))
	flags.IntVar(&f.Grid, "grid", 256, fmt.Sprintf("cells a side of the grid, 1 to %d", walk.MaxGrid))
	flags.IntVar(&f.Steps, "steps", 10, fmt.Sprintf("how many steps, 1 to %d", walk.MaxSteps))
	flags.Uint32Var(&f.Seed, "seed", 1, "seed of all that is random")
	flags.IntSliceVar(&f.SortEvery, "sort", []int{0}, "take agents in the order of their cells, sorted anew after so many steps (0: never);\nseveral numbers, as in 0,1,5, walk anew with each")
	_ = flags.MarkHidden("order") // agents have no order
	cli.CompleteValues(cmd, nil)
	return cmd
}

// slow returns a warning that the walk takes long on a CPU, and suggests faster flags; "" if it is short, or runs on a GPU.
func (f *walkFlags) slow() string {
	if f.Agents*f.Steps < slowWalk || !measure.OnCPU(f.On) {
		return ""
	}
	return fmt.Sprintf("%s of %s on a CPU can take half a minute and more: try --agents 30000 --grid 64 --steps 2", names.Count(f.Steps, "step"), names.Count(f.Agents, "agent"))
}

func (f *walkFlags) check() {
	auto := "naive-index" // few agents of a batch share a cell, so reuse does not pay
	if slices.ContainsFunc(f.SortEvery, func(every int) bool { return every > 0 }) {
		auto = "warp"
	}
	f.choose(&f.Driver.Run, auto, walk.PaperSizes, nil)
	if f.Given("order") {
		must.OK(cli.Usagef("--order: agents have no order but --sort"))
	}
	must.OK(cmp.Or(cli.InRange("agents", f.Agents, 1, walk.MaxAgents), cli.InRange("grid", f.Grid, 1, walk.MaxGrid), cli.InRange("steps", f.Steps, 1, walk.MaxSteps)))
	for _, every := range f.SortEvery {
		must.OK(cli.InRange("sort", every, 0, walk.MaxSteps))
	}
	must.OK(walk.CheckFolder(f.output))
}
