package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/shadeonce/shadeonce/geometry/apps/walk"
	"github.com/shadeonce/shadeonce/internal/applications"
	"github.com/shadeonce/shadeonce/internal/cli"
)

// walkFlags are the flags of apps walk.
type walkFlags struct {
	appFlags
	applications.Walk
}

func newWalk(open cli.Opener) *cobra.Command {
	var f walkFlags
	f.Backend.Open = open
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
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return f.session(cmd.ErrOrStderr(), &f.Run, func() error {
				if err := cli.WithProgress(cmd.ErrOrStderr(), "walking", func(ctx context.Context) error { return f.Do(ctx, f.output) }); err != nil {
					return err
				}
				for _, notice := range f.Notices() {
					cli.Tell(cmd.ErrOrStderr(), notice)
				}
				return cli.PrintRows(cmd.OutOrStdout(), f.as, f.Rows(), writeAppRows)
			})
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&f.Agents, "agents", 300000, fmt.Sprintf("how many agents, 1 to %d", walk.MaxAgents))
	flags.IntVar(&f.Grid, "grid", 256, fmt.Sprintf("cells a side of the grid, 1 to %d", walk.MaxGrid))
	flags.IntVar(&f.Steps, "steps", 10, fmt.Sprintf("how many steps, 1 to %d", applications.MaxSteps))
	flags.Uint32Var(&f.Seed, "seed", 1, "seed of all that is random")
	flags.IntSliceVar(&f.SortEvery, "sort", []int{0}, "take agents in the order of their cells, sorted anew after so many steps (0: never);\nseveral numbers, as in 0,1,5, walk anew with each")
	f.add(cmd, &f.Run, "the `folder` to write")
	_ = flags.MarkHidden("order") // agents have none
	return cmd
}

func (f *walkFlags) check() (err error) {
	auto := "naive-index" // few agents of a batch are in one cell
	if slices.ContainsFunc(f.SortEvery, func(every int) bool { return every > 0 }) {
		auto = "warp"
	}
	if err = f.configs(&f.Walk.Run, appSizes{auto, applications.WalkPaper, nil}); err != nil {
		return err
	}
	if f.Given("order") {
		return cli.Usagef("--order: agents have no order but --sort")
	}
	type size struct {
		name            string
		value, from, to int
	}
	sizes := []size{{"agents", f.Agents, 1, walk.MaxAgents}, {"grid", f.Grid, 1, walk.MaxGrid}, {"steps", f.Steps, 1, applications.MaxSteps}}
	for _, every := range f.SortEvery {
		sizes = append(sizes, size{"sort", every, 0, applications.MaxSteps})
	}
	for _, size := range sizes {
		if size.value < size.from || size.value > size.to {
			return cli.Usagef("--%s %d: must be %d to %d", size.name, size.value, size.from, size.to)
		}
	}
	return applications.CheckWalkFolder(f.output)
}
