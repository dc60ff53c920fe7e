package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/measure/print"
	"github.com/shadeonce/shadeonce/internal/model"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/renderer/shade"
	"github.com/shadeonce/shadeonce/renderer"
)

// analyzeFlags are the flags of the analyze command.
type analyzeFlags struct {
	cli.StrategyFlags
	shader       cli.ShaderFlags
	template     bool // print a uniforms file
	passes       bool // list passes
	memory       cli.MemoryFlags
	models       []string
	perDraw      bool
	sort         string
	maxIdeal     float64
	below, above []string // limits as the user writes them, such as reuse=0.7
	as           cli.OutputFlags
}

const noMaxIdeal = 1.0 // accepts every draw, since reuse is at most 1

func newAnalyze(open cli.Opener) *cobra.Command {
	var f analyzeFlags
	f.Backend.Open = open
	cmd := newCommand("analyze", nil, f.analyze)
	f.add(cmd.Flags())
	cmd.Args = func(cmd *cobra.Command, paths []string) error {
		if f.template {
			return nil
		}
		return files(cmd, paths)
	}
	cli.CompleteValues(cmd, map[string][]string{
		"sort": measure.DrawOrders(), "model": slices.Concat([]string{cli.None, model.AllVariants}, measure.ModelNames()),
		"fail-below": {"reuse="}, "fail-above": {"acmr=", "atvr="},
	})
	return cmd
}

func (f *analyzeFlags) add(flags *pflag.FlagSet) {
	f.NoneAllowed, f.Besides = true, []string{cli.All, cli.None}
	f.OwnBatches = true // rows must not depend on the device
	f.StrategyFlags.Add(flags, cli.All)
	flags.Lookup("strategy").Usage = "strategy `names`: all, none, or of " + cli.StrategyNames()
	flags.Lookup("batch").Usage = "most indices per batch, a multiple of 3 (default: the strategy's own; render and bench fit it to scene and device)"
	f.shader.Add(flags)
	flags.BoolVar(&f.template, "print-uniforms", false, "print a YAML file of the values that --vertex-shader FILE reads, and count nothing")
	flags.BoolVar(&f.passes, "passes", false, "list the passes of a captured frame, which render --pass takes, and count nothing")
	f.memory.AddDevice(flags)
	flags.BoolVar(&f.perDraw, "per-draw", false, "print a row per draw: those of captured frames are named by pass and event")
	flags.StringVar(&f.sort, "sort", measure.DrawOrders()[0], "sort draws by "+strings.Join(measure.DrawOrders(), ", ")+" of the first strategy, the worst draw first;\nsaved: time or instructions of a game's own shaders where they are known, else shader runs")
	flags.Float64Var(&f.maxIdeal, "max-ideal", noMaxIdeal, "only draws whose ideal reuse is below a `bound`")
	flags.StringSliceVar(&f.models, "model", []string{cli.None}, "`models` of vertex caches to compare with: none, all, or of "+strings.Join(measure.ModelNames(), ", "))
	inAny := fmt.Sprintf(" in any row; the exit status is then %d", cli.ExitLimit)
	flags.StringSliceVar(&f.below, "fail-below", nil, "`limit` such as reuse=0.7: fail where reuse is below it"+inAny)
	flags.StringSliceVar(&f.above, "fail-above", nil, "`limits` such as acmr=0.8,atvr=1.3: fail where ACMR or ATVR is above it"+inAny)
	f.as.Add(flags)
	f.as.AddFile(flags)
}

// wanted says what to count, in the order of the rows, and which limits the rows must keep.
type wanted struct {
	configs  []reuse.Config
	frame    renderer.Frame     // the frame for the strategies
	others   []*measure.Counter // models; hardware comes last
	hardware bool
	shader   *shade.Shader // nil, or a vertex shader that must be able to shade the counted scenes
	limits   []measure.Limit
}

// wanted reads and checks all flags, before any file is opened.
func (f *analyzeFlags) wanted() (w wanted) {
	for _, list := range [][]string{f.Strategies, f.models} {
		if slices.Contains(list, cli.None) && len(list) > 1 {
			must.OK(cli.Usagef("%s excludes other names: got %s", cli.None, strings.Join(list, ",")))
		}
	}
	must.OK(cmp.Or(f.as.Check(), f.shader.Check(), f.memory.Apply(&w.frame), cli.Among("--sort", measure.DrawOrders(), f.sort)))
	var err error
	w.limits, err = measure.ParseLimits(f.below, f.above)
	must.OK(cli.AsUsage(err))
	if !(f.maxIdeal >= -1 && f.maxIdeal <= noMaxIdeal) {
		must.OK(cli.Usagef("--max-ideal %v: want a number from -1 to 1", f.maxIdeal))
	}
	w.configs = must.Get(f.Configs())
	if !slices.Equal(f.models, []string{cli.None}) {
		w.others, err = measure.ParseModels(f.models)
		must.OK(cli.AsUsage(err))
	}
	w.hardware = slices.Contains(f.models, measure.KindHardware)
	if len(w.configs)+len(w.others) == 0 {
		must.OK(cli.Usagef("nothing to analyze: --strategy %s with --model %s", strings.Join(f.Strategies, ","), strings.Join(f.models, ",")))
	}
	w.frame.Subgroups = must.Get(cli.ParseSubgroups(f.Subgroups))
	return w
}

// analyze prints the rows of the files that can be counted. By --print-uniforms it prints a uniforms file instead, by
// --passes a list of passes.
func (f *analyzeFlags) analyze(to streams, paths []string) (err error) {
	switch {
	case f.template:
		return f.printTemplate(to, paths)
	case f.passes:
		return f.printPasses(to, paths)
	}
	w := f.wanted()
	f.Formats = f.shader.Readers()
	w.shader = must.Get(f.shader.Open(to.err))
	var rows []measure.Analysis
	var draws []measure.DrawAnalysis
	var notices []string
	var failed cli.Failures
	work := func(b plan.Backend) (err error) {
		notices, failed, err = f.count(b, to.err, w, paths, func(ctx context.Context, of measure.Subject, all []*measure.Counted) {
			if f.perDraw {
				draws = append(draws, f.analyzeDraws(ctx, b, w, of, all)...)
				return
			}
			for _, c := range all {
				rows = append(rows, measure.Analyze(of, c))
			}
		})
		return err
	}
	if len(w.configs) > 0 || w.hardware {
		err = f.Backend.Session(to.err, work)
	} else if err = f.Backend.Check(); err == nil {
		err = work(nil)
	}
	must.OK(err)
	for _, notice := range notices {
		cli.Tell(to.err, notice)
	}
	var missed []string
	if f.perDraw {
		if f.sort == measure.BySaved && !slices.ContainsFunc(draws, func(r measure.DrawAnalysis) bool { return r.Steps > 0 }) {
			cli.Tell(to.err, "--sort saved: no game's own vertex shaders are known: the draws are sorted by indices that needed no shader run")
		}
		err = cli.PrintRows(to.out, f.as, draws, print.WriteDraws)
		missed = measure.Missed(draws, w.limits, (*measure.DrawAnalysis).Counts)
	} else {
		err = cli.PrintRows(to.out, f.as, rows, print.WriteAnalyses)
		missed = measure.Missed(rows, w.limits, (*measure.Analysis).Counts)
	}
	return cmp.Or(err, withLimits(failed, missed).Err())
}

// analyzeDraws makes the rows of --per-draw. They have times if a device runs the vertex shaders
// of the captured game.
func (f *analyzeFlags) analyzeDraws(ctx context.Context, b plan.Backend, w wanted, of measure.Subject, all []*measure.Counted) []measure.DrawAnalysis {
	rows := measure.AnalyzeDraws(of, all)
	if w.shader == shade.Captured && len(w.configs) > 0 && b.Info().Name != cli.CPU {
		timing := measure.Draws{Configs: w.configs, Runs: measure.DrawRuns}
		must.OK(timing.Time(ctx, b, of, rows))
	}
	measure.SortDraws(rows, len(all), f.sort)
	return rows
}

// withLimits appends the first missed limits to the failures. If there are failures, the run did not succeed, and
// they decide the exit status.
func withLimits(failed cli.Failures, missed []string) cli.Failures {
	const most = 20
	if len(missed) == 0 {
		return failed
	}
	limit := func(text string) error { return cli.LimitError{Text: text} }
	if len(failed) > 0 {
		limit = errors.New
	}
	for _, line := range missed[:min(most, len(missed))] {
		failed = append(failed, limit(line))
	}
	last := names.Count(len(missed), "limit") + " missed"
	if len(missed) > most {
		last += fmt.Sprintf(", of which the first %d are named", most)
	}
	return append(failed, limit(last))
}

// count counts every file in every order, and calls `add` with the results. b may be nil if no
// counter needs it. The caller prints the notices after the rows.
func (f *analyzeFlags) count(b plan.Backend, stderr io.Writer, w wanted, paths []string, add func(context.Context, measure.Subject, []*measure.Counted)) (notices []string, failed cli.Failures, err error) {
	defer must.Catch(&err)
	if w.hardware {
		must.OK(measure.CanCountHardware(b))
	}
	var counters []*measure.Counter
	if len(w.configs) > 0 {
		fit, notice, err := f.Runnable(b, w.frame, w.configs)
		must.OK(err)
		notices = append(notices, notice)
		for _, c := range fit {
			counter := measure.Strategy(c, w.frame)
			counter.GoOn = slices.Contains(f.Strategies, cli.All)
			counters = append(counters, counter)
		}
	}
	counters = append(counters, w.others...)
	left, failed, err := f.EachScene(stderr, "counting", paths, func(ctx context.Context, path, order string, scene *geometry.Scene) (err error) {
		defer must.Catch(&err)
		of := measure.Subject{File: path, Order: order, Scene: scene}
		cli.TellNotes(stderr, must.Get(w.shader.Shading(scene, "")))
		if f.maxIdeal < noMaxIdeal {
			of.Scene, of.Numbers, err = measure.Below(scene, f.maxIdeal)
			must.OK(err)
		}
		if measure.OnCPU(b) && b.Info().Name != cli.CPU && len(w.configs) > 0 && order == f.Orders[0] {
			cli.Tell(stderr, measure.SlowHint(of.Scene, "confirming", "--backend cpu only counts, and --strategy NAME takes one strategy"))
		}
		all, said, err := measure.CountAll(ctx, b, of, counters)
		must.OK(err)
		notices = append(notices, said...)
		add(ctx, of, all)
		return nil
	})
	return append(notices, left...), failed, err
}

// printTemplate prints a uniforms file for the vertex shader, and for a mesh if one is named.
func (f *analyzeFlags) printTemplate(to streams, paths []string) error {
	must.OK(f.shader.Check())
	if len(paths) > 1 {
		return cli.Usagef("--print-uniforms takes one mesh at most, got %d", len(paths))
	}
	var scene *geometry.Scene
	if len(paths) == 1 {
		scene = must.Get(cli.OpenUntilInterrupted(context.Background(), paths[0], f.shader.Readers()))
	}
	_, err := io.WriteString(to.out, must.Get(f.shader.Template(to.err, scene)))
	return err
}

// printPasses lists the passes of a captured frame: the values that render --pass takes.
func (f *analyzeFlags) printPasses(to streams, paths []string) error {
	must.OK(f.as.Check())
	if len(paths) != 1 {
		return cli.Usagef("--passes takes one captured frame, got %d files", len(paths))
	}
	scene := must.Get(cli.OpenUntilInterrupted(context.Background(), paths[0], f.shader.Readers()))
	defer scene.Release()
	if scene.Capture == nil || len(scene.Capture.Passes) == 0 {
		return measure.About(paths[0], fmt.Errorf("no passes to draw: the file does not say where draws stand in a picture, as a captured frame with its vertex shaders does"))
	}
	return cli.PrintRows(to.out, f.as, scene.Capture.Passes, writePasses)
}

func writePasses(w io.Writer, passes []geometry.Pass) error {
	table := cli.NewTable("lrrrl", "pass", "draws", "triangles", "shown", "")
	for _, p := range passes {
		camera := ""
		if p.Camera {
			camera = "whose camera is the scene's"
		}
		table.Row(names.Printable(p.Name), p.Draws, p.Triangles, p.Shown, camera)
	}
	return table.Render(w, "\nshown: draws that a picture shows without --pass; instances count as draws\n")
}
