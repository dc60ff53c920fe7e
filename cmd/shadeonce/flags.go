package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/geometry/reuse/model"
	"github.com/shadeonce/shadeonce/renderer"
)

// strategyFlags are the flags that every command with a strategy shares.
type strategyFlags struct {
	strategies []string
	optional   bool // none is a name, too
	orders     []string
	params     reuse.Params
	probes     int
	given      func(flag string) bool // whether the user named a flag
	subgroups  string
	backend    backendFlags
}

func (f *strategyFlags) add(flags *pflag.FlagSet, strategies ...string) {
	f.given = flags.Changed
	flags.StringSliceVar(&f.strategies, "strategy", strategies, "strategy `names`: all, or of "+strategyNames())
	flags.StringSliceVar(&f.orders, "order", []string{"original"}, "index order `names`: "+orderNames())
	flags.IntVar(&f.params.Lanes, "lanes", reuse.DefaultLanes, "lanes a subgroup: 4, 8, 16, 32 or 64")
	flags.IntVar(&f.params.Batch, "batch", 0, "indices a batch at most, a multiple of 3 (default: the strategy's own)")
	flags.StringVar(&f.params.Batching, "batching", "", "how the stream is cut: "+strings.Join(reuse.BatchingNames, ", ")+" (default: the strategy's own)")
	flags.IntVar(&f.params.Unique, "unique", 0, fmt.Sprintf("unique vertices a dynamic batch at most (default %d)", reuse.DefaultUnique))
	flags.IntVar(&f.params.Workgroup, "workgroup", 0, fmt.Sprintf("invocations a workgroup, where the strategy uses no lanes (default %d)", reuse.DefaultWorkgroup))
	flags.IntVar(&f.probes, "probes", 0, "solo probes before a subgroup cooperates, in phash (default: its own)")
	flags.StringVar(&f.subgroups, "subgroups", "auto", "how lanes run: "+strings.Join(renderer.SubgroupsNames, ", "))
	f.backend.add(flags)
}

func orderNames() string {
	return strings.Join(order.Names(), ", ") + "; with " + order.FetchSuffix + " vertices are renumbered too"
}

// completeValues completes the values of flags that take a name, of those that
// the command has.
func completeValues(cmd *cobra.Command) {
	for flag, names := range map[string][]string{
		"strategy": append([]string{"all"}, reuse.Names()...), "order": order.Names(), "batching": reuse.BatchingNames, "subgroups": renderer.SubgroupsNames,
		"backend": backendNames(), "view": renderer.ViewNames, "queue": renderer.QueueFormNames,
		"raster": rasterNames(), "load": loadNames(), "cull-faces": renderer.FaceCullingNames, "sort": drawOrderNames(), "model": slices.Concat([]string{none, model.AllVariants}, modelNames()),
	} {
		if cmd.Flags().Lookup(flag) != nil {
			_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
		}
	}
}

func strategyNames() string { return strings.Join(reuse.Names(), ", ") }

// configs resolves the strategies before any file is opened.
func (f *strategyFlags) configs() ([]reuse.Config, error) {
	for _, name := range f.orders {
		if _, err := order.Lookup(name); err != nil {
			return nil, usageError{err}
		}
	}
	if len(f.orders) == 0 {
		return nil, usagef("no order given: have %s", orderNames())
	}
	names := f.strategies
	if f.optional && slices.Equal(names, []string{none}) {
		names = nil
	} else if slices.Contains(names, "all") {
		names = reuse.Names()
	}
	params := f.params
	if f.given("probes") {
		params.Probes = &f.probes
	}
	if err := params.CheckGiven(f.given); err != nil {
		return nil, usageError{err}
	}
	var configs []reuse.Config
	for _, name := range names {
		p := params
		if len(names) > 1 {
			p = meaningful(name, p)
		}
		c, err := p.Resolve(name)
		if err != nil {
			return nil, usageError{err}
		}
		configs = append(configs, c)
	}
	if len(f.strategies) == 0 {
		return nil, usagef("no strategy given: have all, %s", strategyNames())
	}
	return configs, nil
}

// meaningful leaves out what the strategy of that name has no use for: with
// several strategies a parameter is for those that have it.
func meaningful(name string, p reuse.Params) reuse.Params {
	s, err := reuse.Lookup(name)
	if err != nil {
		return p // Resolve says so
	}
	if s.Probes == 0 {
		p.Probes = nil
	}
	batching := reuse.Batching(slices.Index(reuse.BatchingNames, p.Batching))
	if p.Batching != "" && batching >= 0 && !slices.Contains(s.Batchings, batching) {
		p.Batching = ""
	}
	if p.Batching == reuse.StaticBatching.String() || p.Batching == "" && s.Batchings[0] == reuse.StaticBatching {
		p.Unique = 0
	}
	if most := s.LargestBatch; most != nil && p.Batch > most(reuse.Config{Lanes: cmp.Or(p.Lanes, reuse.DefaultLanes)}) {
		p.Batch = 0
	}
	return p
}

// parseName is renderer.ParseName with a usage error.
func parseName[T ~uint32](what string, names []string, value string) (T, error) {
	v, err := renderer.ParseName[T](what, names, value)
	if err != nil {
		return v, usageError{err}
	}
	return v, nil
}
