package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
)

// orders are the index orders that --order takes.
var orders = []string{"original"}

// strategyFlags are the flags that every command with a strategy shares.
type strategyFlags struct {
	strategies []string
	orders     []string
	lanes      int
	batch      int
	subgroups  string
	backend    backendFlags
}

func (f *strategyFlags) add(flags *pflag.FlagSet, strategies ...string) {
	flags.StringSliceVar(&f.strategies, "strategy", strategies, "strategy `names`: all, or of "+strategyNames())
	flags.StringSliceVar(&f.orders, "order", orders[:1], "index order `names`: "+strings.Join(orders, ", "))
	flags.IntVar(&f.lanes, "lanes", reuse.DefaultLanes, "lanes a subgroup: 4, 8, 16, 32 or 64")
	flags.IntVar(&f.batch, "batch", 0, "indices a batch, a multiple of 3 (default: the strategy's own)")
	flags.StringVar(&f.subgroups, "subgroups", "auto", "how lanes run: "+strings.Join(renderer.SubgroupsNames, ", "))
	f.backend.add(flags)
}

// completeValues completes the values of flags that take a name, of those that
// the command has.
func completeValues(cmd *cobra.Command) {
	for flag, names := range map[string][]string{
		"strategy": append([]string{"all"}, reuse.Names()...), "order": orders, "subgroups": renderer.SubgroupsNames,
		"backend": {"auto", "gpu", cpuBackend}, "view": renderer.ViewNames, "queue": renderer.QueueFormNames,
		"raster": renderer.RasterHostNames,
	} {
		if cmd.Flags().Lookup(flag) != nil {
			_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
		}
	}
}

func strategyNames() string { return strings.Join(reuse.Names(), ", ") }

// configs resolves the strategies before any file is opened.
func (f *strategyFlags) configs() ([]reuse.Config, error) {
	for _, o := range f.orders {
		if !slices.Contains(orders, o) {
			return nil, usagef("unknown order %q: have %s", o, strings.Join(orders, ", "))
		}
	}
	if len(f.orders) == 0 {
		return nil, usagef("no order given: have %s", strings.Join(orders, ", "))
	}
	names := f.strategies
	if slices.Contains(names, "all") {
		names = reuse.Names()
	}
	var configs []reuse.Config
	for _, name := range names {
		c, err := reuse.Resolve(name, f.lanes, f.batch)
		if err != nil {
			return nil, usageError{err}
		}
		configs = append(configs, c)
	}
	if len(configs) == 0 {
		return nil, usagef("no strategy given: have all, %s", strategyNames())
	}
	return configs, nil
}

// parseName is renderer.ParseName with a usage error.
func parseName[T ~uint32](what string, names []string, value string) (T, error) {
	v, err := renderer.ParseName[T](what, names, value)
	if err != nil {
		return v, usageError{err}
	}
	return v, nil
}

// parseSize reads the WIDTHxHEIGHT of --size, in pixels.
func parseSize(text string) (width, height int, err error) {
	w, h, ok := strings.Cut(text, "x")
	width, errW := strconv.Atoi(w)
	height, errH := strconv.Atoi(h)
	if !ok || errW != nil || errH != nil || width < 1 || height < 1 || width > renderer.MaxImageSide || height > renderer.MaxImageSide {
		return 0, 0, usagef("--size %q: want WIDTHxHEIGHT, each 1 to %d pixels", text, renderer.MaxImageSide)
	}
	return width, height, nil
}

// parseBytes reads the byte count of --queue-budget: 1000, 64MiB, 1GiB.
func parseBytes(text string) (int64, error) {
	units := []struct {
		suffix string
		scale  int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"", 1}}
	for _, u := range units {
		number, ok := strings.CutSuffix(text, u.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil || n < 1 || n > (1<<62)/u.scale {
			break
		}
		return n * u.scale, nil
	}
	return 0, usagef("--queue-budget %q: want bytes, or a whole number with KiB, MiB or GiB", text)
}
