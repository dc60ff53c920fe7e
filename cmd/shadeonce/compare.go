package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/names"
	"github.com/shadeonce/shadeonce/internal/replace"
)

// compareFlags are those of the compare command.
type compareFlags struct {
	percent float64
	as      cli.OutputFlags
}

func newCompare() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare OLD.json NEW.json",
		Short: "Say what changed between two runs, and fail where it is for the worse",
		Long: "Compares rows that analyze, bench, render --repeat or apps printed with --json: what\n" +
			"changed, by how much, and whether it is better or worse. Rows are the same where file,\n" +
			"order, strategy, load and the like are. Counts must be equal; a time has changed where\n" +
			"its median differs by more than --time-tolerance. For times of several runs benchstat\n" +
			"knows more: bench --benchstat.\n\n" +
			fmt.Sprintf("The exit status is 0 where nothing is worse, and %d where something is, or where rows of\n", cli.ExitLimit) +
			"OLD.json are gone.",
		Example: "  shadeonce analyze --json -o new.json meshes && shadeonce compare old.json new.json\n" +
			"  shadeonce bench bunny.ply --json | shadeonce compare old.json - --time-tolerance 5",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return cli.Usagef("compare: takes two files, got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.compare(cmd.OutOrStdout(), args[0], args[1])
		},
	}
	cmd.Flags().Float64Var(&f.percent, "time-tolerance", 10, "`percent` by which times may differ")
	f.as.Add(cmd.Flags())
	f.as.AddFile(cmd.Flags())
	return cmd
}

func (f *compareFlags) compare(stdout io.Writer, old, now string) error {
	if err := f.as.Check(); err != nil {
		return err
	}
	if !(f.percent >= 0) {
		return cli.Usagef("--time-tolerance %g: want percent from 0 on", f.percent)
	}
	before, err := readRows(old)
	if err != nil {
		return err
	}
	after, err := readRows(now)
	if err != nil {
		return err
	}
	changes := measure.Changes(before, after, f.percent)
	table := func(w io.Writer, rows []measure.Change) error { return writeChanges(w, rows, len(after)) }
	err = cli.PrintRows(stdout, f.as, changes, table)
	if err == nil && measure.AnyWorse(changes) {
		err = cli.LimitError{Text: fmt.Sprintf("%s is worse than %s", names.Printable(now), names.Printable(old))}
	}
	return err
}

func readRows(path string) (measure.Rows, error) {
	data, err := os.ReadFile(cmp.Or(map[string]string{cli.Standard: "/dev/stdin"}[path], path))
	if err != nil {
		return nil, fmt.Errorf("%s: cannot read: %w", path, replace.Cause(err))
	}
	rows, err := measure.ParseRows(data)
	return rows, measure.About(path, err)
}

// shortNumber is a value with four places behind the point.
func shortNumber(text string) string {
	if number, err := strconv.ParseFloat(text, 64); err == nil && strings.Contains(text, ".") {
		return fmt.Sprintf("%.4f", number)
	}
	return names.Printable(text)
}

// writeChanges prints a line per change, and how many rows were compared.
func writeChanges(w io.Writer, changes []measure.Change, rows int) error {
	if len(changes) == 0 {
		_, err := fmt.Fprintf(w, "%s: no change\n", names.Count(rows, "row"))
		return err
	}
	table := cli.NewTable(w, "llrrrl", "row", "field", "old", "new", "change", "")
	count := map[string]int{}
	for _, c := range changes {
		count[c.Verdict]++
		by := ""
		if c.Percent != 0 {
			by = fmt.Sprintf("%+.2f%%", c.Percent)
		}
		table.Row(names.Printable(c.Row), c.Field, shortNumber(c.Old), shortNumber(c.New), by, c.Verdict)
	}
	return table.Render(w, "\n%s compared: %d worse, %d better, %d changed otherwise, %d gone, %d new\n",
		names.Count(rows, "row"), count[measure.Worse], count[measure.Better], count[measure.Changed], count[measure.Gone], count[measure.New])
}
