package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// Values of --strategy besides the strategies' names.
const (
	All  = "all"
	None = "none" // no strategy; valid if NoneAllowed is set
)

const ownOrder = "original" // the order that leaves a file's triangles as they are

// StrategyFlags choose strategies, index orders and a backend.
type StrategyFlags struct {
	Strategies  []string
	NoneAllowed bool
	Besides     []string // values of --strategy that name no strategy, for error messages; nil means All
	OwnBatches  bool     // keep the strategies' default batches, rather than fit them to scene and device
	Orders      []string
	Formats     format.Formats // formats for EachScene; nil means capture.Readers
	Subgroups   string
	Backend     BackendFlags
	Given       func(flag string) bool // reports whether the user gave a flag

	params reuse.Params
	probes int
}

// Add adds the flags; strategies is the default of --strategy.
func (f *StrategyFlags) Add(flags *pflag.FlagSet, strategies ...string) {
	f.Given = flags.Changed
	flags.StringSliceVar(&f.Strategies, "strategy", strategies, "strategy `names`: all, or of "+StrategyNames())
	flags.StringSliceVar(&f.Orders, "order", []string{ownOrder}, "index order `names`: "+OrderNames())
	flags.IntVar(&f.params.Lanes, "lanes", reuse.DefaultLanes, "lanes per subgroup: 4, 8, 16, 32 or 64")
	flags.IntVar(&f.params.Batch, "batch", 0, "most indices per batch, a multiple of 3 (default: the strategy's own, fitted to scene and device)")
	flags.StringVar(&f.params.Batching, "batching", "", "how the stream is cut: "+strings.Join(reuse.BatchingNames, ", ")+" (default: the strategy's own, or as --unique needs it)")
	flags.IntVar(&f.params.Unique, "unique", 0, fmt.Sprintf("most unique vertices per batch, which makes batches dynamic (default %d where they are)", reuse.DefaultUnique))
	flags.IntVar(&f.params.Workgroup, "workgroup", 0, "invocations per workgroup, where the strategy uses no lanes (default: the strategy's own)")
	flags.IntVar(&f.params.Room, "table", 0, "entries of the hash table per vertex that a batch may have, where the strategy has one: 1 is the paper's (default: the strategy's own)")
	flags.IntVar(&f.probes, "probes", 0, "solo probes before a subgroup cooperates, in phash (default: its own)")
	flags.StringVar(&f.Subgroups, "subgroups", "auto", "how lanes run: "+strings.Join(renderer.SubgroupsNames, ", "))
	f.Backend.Add(flags)
}

// StrategyNames lists the strategies and auto, which picks one.
func StrategyNames() string { return strings.Join(reuse.Choices(), ", ") }

// OrderNames lists the index orders.
func OrderNames() string {
	return strings.Join(order.Names(), ", ") + "; with " + order.FetchSuffix + " vertices are renumbered too"
}

// Configs resolves the strategies before any file is opened.
func (f *StrategyFlags) Configs() (configs []reuse.Config, err error) {
	defer must.Catch(&err)
	for _, name := range f.Orders {
		_, err := order.Lookup(name)
		must.OK(AsUsage(err))
	}
	switch {
	case len(f.Orders) == 0:
		return nil, Usagef("no order given: have %s", OrderNames())
	case len(f.Strategies) == 0:
		return nil, Usagef("no strategy given: have %s, or all", StrategyNames())
	}
	wanted := f.Strategies
	if f.NoneAllowed && slices.Equal(wanted, []string{None}) {
		wanted = nil
	} else if slices.Contains(wanted, All) {
		wanted = reuse.Names()
		wanted = append(wanted, slices.DeleteFunc(slices.Clone(f.Strategies), func(name string) bool { return !reuse.IsAuto(name) })...)
	}
	params := f.params
	params.FitBatch = !f.OwnBatches
	if f.Given("probes") {
		params.Probes = &f.probes
	}
	must.OK(AsUsage(params.CheckGiven(f.Given)))
	for _, name := range wanted {
		if have := reuse.Choices(); !slices.Contains(have, name) {
			if f.Besides == nil {
				have = append(have, All)
			}
			return nil, AsUsage(names.Unknown("strategy", name, append(have, f.Besides...)))
		}
		p := params
		if len(wanted) > 1 {
			p = meaningful(name, p)
		}
		c, err := p.Resolve(name)
		must.OK(AsUsage(err))
		configs = append(configs, c)
	}
	unused := slices.DeleteFunc(f.partial(configs), func(p partial) bool { return p.of != nil })
	for _, name := range []string{"lanes", "subgroups"} { // where only some strategies use lanes, tables show which: that needs no notice
		if f.Given(name) && !slices.ContainsFunc(configs, func(c reuse.Config) bool { return c.Strategy.UsesLanes }) {
			unused = append(unused, partial{flag: "--" + name})
		}
	}
	switch {
	case len(unused) > 0 && len(configs) == 0:
		return nil, Usagef("%s needs a strategy", unused[0].flag)
	case len(unused) > 0:
		return nil, Usagef("%s applies to none of %s", unused[0].flag, strings.Join(wanted, ", "))
	}
	return configs, nil
}

// partial is a flag that applies to some of several strategies.
type partial struct {
	flag string   // as the user wrote it: --NAME VALUE
	of   []string // names of the strategies to which it applies
}

// partial lists the given flags that do not apply to all of the configurations, or all if there are none.
func (f *StrategyFlags) partial(configs []reuse.Config) (list []partial) {
	for _, p := range []struct {
		name string
		set  any
		of   func(*reuse.Config) any
	}{
		{"batch", f.params.Batch, func(c *reuse.Config) any { return c.Batch }},
		{"batching", f.params.Batching, func(c *reuse.Config) any { return c.Batching.String() }},
		{"unique", f.params.Unique, func(c *reuse.Config) any { return c.Unique }},
		{"workgroup", f.params.Workgroup, func(c *reuse.Config) any { return c.Workgroup }},
		{"table", f.params.Room, func(c *reuse.Config) any { return c.Room }},
		{"probes", f.probes, func(c *reuse.Config) any {
			if c.Strategy.Probes == 0 {
				return nil
			}
			return c.Probes
		}},
	} {
		flag, others := partial{flag: fmt.Sprintf("--%s %v", p.name, p.set)}, 0
		for i := range configs {
			switch c := &configs[i]; {
			case c.Auto:
			case p.of(c) == p.set:
				flag.of = append(flag.of, c.Strategy.Name)
			default:
				others++
			}
		}
		if f.Given(p.name) && (others > 0 || len(configs) == 0) {
			list = append(list, flag)
		}
	}
	return list
}

// Partly names the flags that apply only to some of the strategies, for a notice.
func (f *StrategyFlags) Partly(configs []reuse.Config) string {
	return strings.Join(names.Of(f.partial(configs), func(p partial) string { return p.flag + " applies to " + strings.Join(p.of, ", ") }), "; ")
}

// meaningful drops parameters that a strategy lacks: if several strategies are named, a parameter
// applies to those that have it.
func meaningful(name string, p reuse.Params) reuse.Params {
	if reuse.IsAuto(name) {
		return reuse.Params{Lanes: p.Lanes}
	}
	s, err := reuse.Lookup(name)
	if err != nil {
		return p // Resolve returns the error
	}
	if s.Probes == 0 {
		p.Probes = nil
	}
	if s.Room == 0 {
		p.Room = 0
	}
	batching := reuse.Batching(slices.Index(reuse.BatchingNames, p.Batching))
	if p.Batching != "" && batching >= 0 && !slices.Contains(s.Batchings, batching) {
		p.Batching = ""
	}
	if p.Batching == reuse.StaticBatching.String() || !slices.Contains(s.Batchings, reuse.DynamicBatching) || p.Unique > s.LargestUnique() {
		p.Unique = 0
	}
	if most := s.LargestBatch; most != nil && p.Batch > most(reuse.Config{Lanes: cmp.Or(p.Lanes, reuse.DefaultLanes)}) {
		p.Batch = 0
	}
	return p
}

// Runnable checks that the device can run the configurations, before any file is opened. If "all" was
// named, it returns the configurations that the device can run; `notice` names the others, and the
// flags that apply only to some strategies. A strategy that the user named must fit.
func (f *StrategyFlags) Runnable(b plan.Backend, frame renderer.Frame, configs []reuse.Config) (fit []reuse.Config, notice string, err error) {
	limits := b.Limits()
	frame.NoRaster, frame.Width, frame.Height = true, 1, 1 // strategies do not depend on the picture's size
	var runs, left []string
	all := slices.Contains(f.Strategies, All)
	if all {
		runs = plan.Strategies(limits)
	}
	for _, c := range configs {
		if all && !c.Auto && !slices.Contains(runs, c.Strategy.Name) {
			left = append(left, c.Strategy.Name)
			continue
		}
		frame.Reuse = c
		if err := plan.Fits(frame, limits); err != nil {
			return nil, "", UsageError{fmt.Errorf("%s: %w", b.Info().Device, err)}
		}
		fit = append(fit, c)
	}
	if all && len(fit) == 0 {
		return nil, "", errors.New(b.Info().Device + " can run none of the strategies")
	}
	notice = f.Partly(configs)
	if len(left) > 0 {
		notice = strings.TrimPrefix(fmt.Sprintf("%s; %s cannot run %s: left out", notice, b.Info().Device, strings.Join(left, ", ")), "; ")
	}
	return fit, notice, nil
}

// EachScene opens the files and calls `do` for each in every requested order. Errors name the file
// and the order. A file that fails does not stop the others: `failed` holds such errors. If `err` is
// set, there are no results. `notices` name the parts of files that were not read. On a terminal it
// shows progress; `doing` names the work of `do`, which may report its progress to the context.
func (f *StrategyFlags) EachScene(stderr io.Writer, doing string, paths []string, do Work) (notices []string, failed Failures, err error) {
	if paths, err = Files(paths); err != nil {
		return nil, nil, err
	}
	m := NewMeter(stderr)
	defer m.Wipe()
	share := 1 / float64(len(paths))
	for i, path := range paths {
		stage := func(from, to float64, format string, args ...any) context.Context {
			return m.Stage(share*(float64(i)+from), share*(float64(i)+to), format, args...)
		}
		notice, err := f.eachOrder(stage, doing, path, do)
		if err != nil {
			err = failed.Add(err, len(paths))
		}
		if err != nil {
			return nil, nil, err
		}
		if notice != "" && !slices.Contains(notices, notice) {
			notices = append(notices, notice)
		}
	}
	return notices, failed, nil
}

// Work is what EachScene calls for the scene of the file at `path`, in the index order named
// `order`.
type Work func(ctx context.Context, path, order string, s *geometry.Scene) error

// eachOrder opens a file and calls `do` in every order. It returns LeftOut's notice.
func (f *StrategyFlags) eachOrder(stage func(from, to float64, format string, args ...any) context.Context, doing, path string, do Work) (notice string, err error) {
	defer must.Catch(&err)
	const read, sorted = .1, .4 // estimated shares: of reading in the total time, and of sorting in the time of an order
	formats := f.Formats
	if formats == nil {
		formats = capture.Readers()
	}
	scene := must.Get(OpenUntilInterrupted(stage(0, read, "reading %s", path), path, formats))
	each := (1 - read) / float64(len(f.Orders))
	for i, name := range f.Orders {
		from, ordered := read+each*float64(i), sorted*each
		if name == ownOrder {
			ordered = 0
		}
		var s *geometry.Scene
		must.OK(Guard(path, scene, func() (err error) {
			s, err = order.Apply(stage(from, from+ordered, "ordering %s by %s", path, name), scene, name)
			return err
		}))
		ctx := stage(from+ordered, from+each, "%s %s", doing, path)
		if err := s.Guard(func() error { return do(ctx, path, name, s) }); err != nil {
			return "", fmt.Errorf("%s: order %s: %w", path, name, err)
		}
	}
	return LeftOut(path, scene), nil
}

// LeftOut names the parts of a file that its scene lacks; "" if none.
func LeftOut(path string, s *geometry.Scene) string {
	if text := s.LeftOut(); text != "" {
		return path + ": " + text
	}
	return ""
}
