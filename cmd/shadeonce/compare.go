package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

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
	by measure.Matching
	as cli.OutputFlags
}

func newCompare() *cobra.Command {
	var f compareFlags
	cmd := newCommand("compare", func(cmd *cobra.Command, args []string) error {
		if len(args) != 2 {
			return cli.Usagef("compare: takes two files, got %d", len(args))
		}
		return inputOnce(cmd, args)
	}, f.compare)
	f.by.Times = 10
	flags := cmd.Flags()
	flags.StringVar(&f.by.Match, "match", measure.ByName, "which rows match: name, those of equal file, order, strategy and the like; base, the same, whatever the folder of the file; position, those at the same place")
	flags.StringSliceVar(&f.by.Ignore, "ignore", nil, "`fields` that rows may differ in and still match, of "+strings.Join(measure.Ignorable(), ", "))
	flags.Var((*percent)(&f.by.Counts), "tolerance", "by how much counts may differ")
	flags.Var((*percent)(&f.by.Times), "time-tolerance", "by how much times may differ")
	f.as.Add(flags)
	f.as.AddFile(flags)
	cli.CompleteValues(cmd, map[string][]string{"match": measure.Matches, "ignore": measure.Ignorable()})
	return cmd
}

// percent is a flag's value in percent, with or without a percent sign.
type percent float64

func (p *percent) String() string { return fmt.Sprintf("%g%%", float64(*p)) }
func (*percent) Type() string     { return "percent" }

func (p *percent) Set(text string) error {
	x, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil || !(x >= 0) {
		return errors.New("want percent from 0 on, such as 2%")
	}
	*p = percent(x)
	return nil
}

func (f *compareFlags) compare(to streams, files []string) error {
	old, now := files[0], files[1]
	must.OK(cmp.Or(f.as.Check(), cli.Among("--match", measure.Matches, f.by.Match), cli.Among("--ignore", measure.Ignorable(), f.by.Ignore...)))
	before, after := readRows(old), readRows(now)
	if f.by.Match == measure.ByBase {
		for i, rows := range []measure.Rows{before, after} {
			if a, b := rows.SameBase(); b != "" {
				return cli.Usagef("%s has rows of %s and of %s, which --match base cannot tell apart", files[i], a, b)
			}
		}
	}
	changes := measure.Changes(before, after, f.by)
	table := func(w io.Writer, rows []measure.Change) error { return print.WriteChanges(w, rows, len(after)) }
	must.OK(cli.PrintRows(to.out, f.as, changes, table))
	first := func(verdict string) int {
		return slices.IndexFunc(changes, func(c measure.Change) bool { return c.Verdict == verdict })
	}
	if gone := first(measure.Gone); gone >= 0 { // the rows that are gone come last
		return cli.LimitError{Text: fmt.Sprintf("%s has no match for %s of %s: %s; see --match and --ignore", now, names.Count(len(changes)-gone, "row"), old, changes[gone].Row)}
	}
	if first(measure.Worse) >= 0 {
		return cli.LimitError{Text: fmt.Sprintf("%s is worse than %s", names.Printable(now), names.Printable(old))}
	}
	return nil
}

func readRows(path string) measure.Rows {
	read := func() ([]byte, error) { return os.ReadFile(path) }
	if path == cli.Standard {
		read = func() ([]byte, error) { return io.ReadAll(os.Stdin) }
	}
	data, err := read()
	if err != nil {
		must.Fail("%s: cannot read: %w", path, atomicfile.Cause(err))
	}
	rows, err := measure.ParseRows(data)
	must.OK(measure.About(path, err))
	return rows
}
