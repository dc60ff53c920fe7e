package main

import (
	"cmp"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/shadeonce/shadeonce/internal/base/atomicfile"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/measure/print"
)

// compareFlags are the flags of the compare command.
type compareFlags struct {
	percent float64
	as      cli.OutputFlags
}

func newCompare() *cobra.Command {
	var f compareFlags
	cmd := newCommand("compare", func(_ *cobra.Command, args []string) error {
		if len(args) != 2 {
			return cli.Usagef("compare: takes two files, got %d", len(args))
		}
		return nil
	}, f.compare)
	cmd.Flags().Float64Var(&f.percent, "time-tolerance", 10, "`percent` by which times may differ")
	f.as.Add(cmd.Flags())
	f.as.AddFile(cmd.Flags())
	return cmd
}

func (f *compareFlags) compare(to streams, files []string) error {
	old, now := files[0], files[1]
	must.OK(f.as.Check())
	if !(f.percent >= 0) {
		return cli.Usagef("--time-tolerance %g: want percent from 0 on", f.percent)
	}
	before, after := readRows(old), readRows(now)
	changes := measure.Changes(before, after, f.percent)
	table := func(w io.Writer, rows []measure.Change) error { return print.WriteChanges(w, rows, len(after)) }
	must.OK(cli.PrintRows(to.out, f.as, changes, table))
	if measure.AnyWorse(changes) {
		return cli.LimitError{Text: fmt.Sprintf("%s is worse than %s", names.Printable(now), names.Printable(old))}
	}
	return nil
}

func readRows(path string) measure.Rows {
	data, err := os.ReadFile(cmp.Or(map[string]string{cli.Standard: "/dev/stdin"}[path], path))
	if err != nil {
		must.Fail("%s: cannot read: %w", path, atomicfile.Cause(err))
	}
	rows, err := measure.ParseRows(data)
	must.OK(measure.About(path, err))
	return rows
}
