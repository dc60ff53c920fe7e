package main

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/geometry/reuse/model"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/names"
	"github.com/shadeonce/shadeonce/internal/tables"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// analyzeFlags are those of the analyze command.
type analyzeFlags struct {
	cli.StrategyFlags
	shader   cli.ShaderFlags
	template bool // print a uniforms file
	memory   cli.MemoryFlags
	models   []string
	perDraw  bool
	sort     string
	maxIdeal float64
	limits   limitFlags
	as       cli.OutputFlags
}

// noMaxIdeal takes every draw: no reuse is above it.
const noMaxIdeal = 1.0

func newAnalyze(open cli.Opener) *cobra.Command {
	var f analyzeFlags
	f.Backend.Open = open
	cmd := &cobra.Command{
		Use:   "analyze FILE...",
		Short: "Print how often each strategy shades the vertices of meshes",
		Long: "Prints reuse (1 - invocations / indices), ideal (the reuse where each vertex is shaded\n" +
			"once), ACMR (invocations per triangle) and ATVR (invocations per referenced vertex) of\n" +
			"each strategy. With a GPU the counts are read back from it and compared with the CPU\n" +
			"reference, vertex by vertex; a difference is an error.\n\n" +
			"--model adds rows of what hardware of a published design would shade. A model is\n" +
			"written " + model.Help + ";\n" +
			"all is every model so. hardware is no model: the graphics pipeline of the device at hand\n" +
			"draws, and its invocations are counted.\n\n" +
			"--per-draw prints a row per draw: in a captured frame it finds the draws that waste most.\n\n" +
			"Counts do not depend on the vertex shader. --vertex-shader FILE checks that it can run on\n" +
			"the meshes; with --print-uniforms, which needs no mesh, it prints the file of values that\n" +
			"--uniforms takes.",
		Example: "  shadeonce analyze bunny.ply dragon.ply.zst\n" +
			"  shadeonce analyze bunny.ply --strategy warp --lanes 64 --batch 192\n" +
			"  shadeonce analyze asset:sphere6 --json\n" +
			"  shadeonce analyze bunny.ply --order original,forsyth --model lru:32,parallel:1024:dealt\n" +
			"  shadeonce analyze bunny.ply --strategy none --model all --csv\n" +
			"  shadeonce analyze frame.zip.xml --per-draw --strategy warp,hash --sort lost\n" +
			"  shadeonce analyze frame.zip.xml --max-ideal 0.4\n" +
			"  shadeonce analyze bunny.ply --vertex-shader wind.vert --print-uniforms > wind.yaml",
		Args: func(cmd *cobra.Command, paths []string) error {
			if f.template {
				return nil
			}
			return files(false)(cmd, paths)
		},
		RunE: func(cmd *cobra.Command, paths []string) error {
			if f.template {
				return f.printTemplate(cmd.OutOrStdout(), cmd.ErrOrStderr(), paths)
			}
			return f.analyze(cmd.OutOrStdout(), cmd.ErrOrStderr(), paths)
		},
	}
	f.add(cmd.Flags())
	cli.CompleteValues(cmd, map[string][]string{
		"sort": measure.DrawOrders(), "model": modelValues(), "fail-below": {"reuse="}, "fail-above": {"acmr=", "atvr="},
	})
	return cmd
}

func (f *analyzeFlags) add(flags *pflag.FlagSet) {
	f.NoneAllowed = true
	f.StrategyFlags.Add(flags, cli.All)
	flags.Lookup("strategy").Usage = "strategy `names`: all, none, or of " + cli.StrategyNames()
	f.shader.Add(flags)
	flags.BoolVar(&f.template, "print-uniforms", false, "print a YAML file of the values that --vertex-shader FILE reads, and count nothing")
	f.memory.AddDevice(flags)
	flags.BoolVar(&f.perDraw, "per-draw", false, "print a row per draw: those of captured frames are named by pass and event")
	flags.StringVar(&f.sort, "sort", measure.DrawOrders()[0], "with --per-draw: sort by "+strings.Join(measure.DrawOrders(), ", ")+" of the first strategy, the worst draw first")
	flags.Float64Var(&f.maxIdeal, "max-ideal", noMaxIdeal, "only draws whose ideal reuse is below a `bound`")
	flags.StringSliceVar(&f.models, "model", []string{cli.None}, "`models` of vertex caches to compare with: none, all, or of "+strings.Join(modelNames(), ", "))
	f.limits.add(flags)
	f.as.Add(flags)
	f.as.AddFile(flags)
}

// modelNames are the names that --model takes beside none and all.
func modelNames() []string { return append(model.Names(), measure.KindHardware) }

func modelValues() []string {
	return slices.Concat([]string{cli.None, model.AllVariants}, modelNames())
}

// wanted is what analyze is to count, in the order of its rows.
type wanted struct {
	configs []reuse.Config
	frame   renderer.Frame     // that strategies run in
	others  []*measure.Counter // models, and hardware last
	shader  cli.VertexShader   // that must be able to shade what is counted
}

// needs says whether anything of a kind is to be counted.
func (w *wanted) needs(kind string) bool {
	return kind == measure.KindStrategy && len(w.configs) > 0 ||
		slices.ContainsFunc(w.others, func(c *measure.Counter) bool { return c.Kind == kind })
}

func (w *wanted) needsBackend() bool {
	return w.needs(measure.KindStrategy) || w.needs(measure.KindHardware)
}

// timesDraws says whether the game's own vertex shaders are timed.
func (w *wanted) timesDraws(b plan.Backend) bool {
	return w.shader.Captured && len(w.configs) > 0 && b != nil && b.Name() != cli.CPU
}

// wanted checks all flags before any file is opened.
func (f *analyzeFlags) wanted() (w wanted, err error) {
	for _, list := range [][]string{f.Strategies, f.models} {
		if slices.Contains(list, cli.None) && len(list) > 1 {
			return w, cli.Usagef("%s excludes other names: got %s", cli.None, strings.Join(list, ","))
		}
	}
	if err := cmp.Or(f.as.Check(), f.shader.Check("")); err != nil {
		return w, err
	}
	if err := cmp.Or(f.memory.Apply(&w.frame), f.limits.read()); err != nil {
		return w, err
	}
	switch {
	case !slices.Contains(measure.DrawOrders(), f.sort):
		return w, cli.AsUsage(names.Unknown("--sort", f.sort, measure.DrawOrders()))
	case f.Given("sort") && !f.perDraw:
		return w, cli.Usagef("--sort sorts draws: it needs --per-draw")
	case !(f.maxIdeal >= -1 && f.maxIdeal <= noMaxIdeal):
		return w, cli.Usagef("--max-ideal %v: want a reuse, at most 1", f.maxIdeal)
	}
	if w.configs, err = f.Configs(); err != nil {
		return w, err
	}
	if w.others, err = f.modelCounters(); err != nil {
		return w, err
	}
	if len(w.configs)+len(w.others) == 0 {
		return w, cli.Usagef("nothing to analyze: --strategy %s with --model %s", strings.Join(f.Strategies, ","), strings.Join(f.models, ","))
	}
	w.frame.Subgroups, err = cli.ParseSubgroups(f.Subgroups)
	return w, err
}

// modelCounters are what --model asks for.
func (f *analyzeFlags) modelCounters() (list []*measure.Counter, err error) {
	hardware := false
	for _, text := range f.models {
		name, _, _ := strings.Cut(text, ":")
		switch {
		case text == cli.None:
			continue
		case text == measure.KindHardware:
			hardware = true
			continue
		case name != model.AllVariants && !slices.Contains(model.Names(), name):
			return nil, cli.AsUsage(names.Unknown("model", name, modelValues()))
		}
		configs, err := model.Parse(text)
		if err != nil {
			return nil, cli.AsUsage(err)
		}
		for _, m := range configs {
			list = append(list, measure.Model(m))
		}
	}
	if hardware {
		list = append(list, measure.Hardware())
	}
	return list, nil
}

// analyze prints the rows of the files that can be counted in all ways.
func (f *analyzeFlags) analyze(stdout, stderr io.Writer, paths []string) error {
	w, err := f.wanted()
	if err != nil {
		return err
	}
	_, f.Attributes = f.shader.Ours()
	if w.shader, err = f.shader.Open(stderr, ""); err != nil {
		return err
	}
	var rows []measure.Analysis
	var draws []measure.DrawAnalysis
	var notices []string
	var failed cli.Failures
	work := func(b plan.Backend) (err error) {
		notices, failed, err = f.count(b, stderr, w, paths, func(ctx context.Context, of measure.Subject, all []*measure.Counted) error {
			if f.perDraw {
				made := measure.AnalyzeDraws(of, all)
				if w.timesDraws(b) {
					timing := measure.Draws{Configs: w.configs, Shading: w.shader.Shading, Runs: measure.DrawRuns}
					if err := timing.Time(ctx, b, of, made); err != nil {
						return err
					}
				}
				measure.SortDraws(made, len(all), f.sort)
				draws = append(draws, made...)
				return nil
			}
			for _, c := range all {
				rows = append(rows, measure.Analyze(of, c))
			}
			return nil
		})
		return err
	}
	if w.needsBackend() {
		err = f.Backend.Session(stderr, work)
	} else if err = f.Backend.Check(); err == nil {
		err = work(nil)
	}
	if err != nil {
		return err
	}
	for _, notice := range notices {
		cli.Tell(stderr, notice)
	}
	var toLimit []limited
	if f.perDraw {
		err = cli.PrintRows(stdout, f.as, draws, tables.WriteDraws)
		for i := range draws {
			toLimit = append(toLimit, limitedDraw(&draws[i]))
		}
	} else {
		err = cli.PrintRows(stdout, f.as, rows, tables.WriteAnalyses)
		for i := range rows {
			toLimit = append(toLimit, limitedRow(&rows[i]))
		}
	}
	return cmp.Or(err, failed.Err(), f.limits.check(stderr, toLimit))
}

// count counts every file in every order. The backend is nil where nothing has to
// run. The notices are for the user, behind the rows.
func (f *analyzeFlags) count(b plan.Backend, stderr io.Writer, w wanted, paths []string, add func(context.Context, measure.Subject, []*measure.Counted) error) (notices []string, failed cli.Failures, err error) {
	if w.needs(measure.KindHardware) {
		if err := measure.CanCountHardware(b); err != nil {
			return nil, nil, err
		}
	}
	var counters []*measure.Counter
	if len(w.configs) > 0 {
		fit, notice, err := f.Runnable(b, w.frame, w.configs)
		if err != nil {
			return nil, nil, err
		}
		notices = append(notices, notice)
		for _, c := range fit {
			counter := measure.Strategy(c, w.frame)
			counter.GoOn = slices.Contains(f.Strategies, cli.All)
			counters = append(counters, counter)
		}
	}
	counters = append(counters, w.others...)
	left, failed, err := f.EachScene(stderr, "counting", paths, func(ctx context.Context, path, order string, scene *geometry.Scene) (err error) {
		of := measure.Subject{File: path, Order: order, Scene: scene}
		if _, err := w.shader.Shading(scene); err != nil {
			return err
		}
		if f.maxIdeal < noMaxIdeal {
			if of.Scene, of.Numbers, err = measure.Below(scene, f.maxIdeal); err != nil {
				return err
			}
		}
		all, said, err := measure.CountAll(ctx, b, of, counters)
		if err != nil {
			return err
		}
		notices = append(notices, said...)
		if hint := measure.CPUHint(b, of.Scene); hint != "" && len(w.configs) > 0 && !slices.Contains(notices, hint) {
			notices = append(notices, hint)
		}
		return add(ctx, of, all)
	})
	return append(notices, left...), failed, err
}
