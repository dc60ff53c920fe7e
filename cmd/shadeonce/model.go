package main

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/geometry/reuse/model"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/names"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// Kinds of rows: what the counts are from.
const (
	kindStrategy = "strategy"
	kindModel    = "model"
	kindHardware = hardwareModel
)

// modelBackend is what stands for the backend in a model's row: nothing ran.
const modelBackend = "model"

// analyzeFlags are those of the analyze command.
type analyzeFlags struct {
	cli.StrategyFlags
	drawFlags
	models []string
	memory cli.MemoryFlags
}

func (f *analyzeFlags) add(flags *pflag.FlagSet) {
	f.NoneAllowed = true
	f.StrategyFlags.Add(flags, "all")
	f.drawFlags.add(flags)
	f.memory.AddDevice(flags)
	flags.Lookup("strategy").Usage = "strategy `names`: all, none, or of " + cli.StrategyNames()
	flags.StringSliceVar(&f.models, "model", []string{cli.None}, "`models` of vertex caches to compare with: none, all, or of "+strings.Join(modelNames(), ", "))
}

// modelNames are the names that --model takes beside none and all.
func modelNames() []string { return append(model.Names(), hardwareModel) }

// wanted is what analyze is to count, in the order of its rows.
type wanted struct {
	configs  []reuse.Config
	models   []model.Config
	hardware bool
	sort     string // of draws
	numbers  []int  // of the draws in the file; nil where all are wanted
	device   int64  // bytes of device memory; 0 for what there is
}

// needsBackend says whether anything has to run.
func (w *wanted) needsBackend() bool { return len(w.configs) > 0 || w.hardware }

// wanted resolves strategies and models before any file is opened.
func (f *analyzeFlags) wanted() (w wanted, err error) {
	for _, list := range [][]string{f.Strategies, f.models} {
		if slices.Contains(list, cli.None) && len(list) > 1 {
			return w, cli.Usagef("%s excludes other names: got %s", cli.None, strings.Join(list, ","))
		}
	}
	var bounded renderer.Frame
	if err := f.memory.Apply(&bounded); err != nil {
		return w, err
	}
	w.sort, w.device = f.sort, bounded.DeviceBudget
	if err := f.drawFlags.check(f.Given); err != nil {
		return w, err
	}
	if w.configs, err = f.Configs(); err != nil {
		return w, err
	}
	for _, text := range f.models {
		switch text {
		case cli.None:
		case hardwareModel:
			w.hardware = true
		default:
			configs, err := parseModel(text)
			if err != nil {
				return w, cli.AsUsage(err)
			}
			w.models = append(w.models, configs...)
		}
	}
	if !w.needsBackend() && len(w.models) == 0 {
		return w, cli.Usagef("nothing to analyze: --strategy %s with --model %s", strings.Join(f.Strategies, ","), strings.Join(f.models, ","))
	}
	return w, nil
}

// parseModel is model.Parse, and knows that an unknown name may have been meant
// for one of ours.
func parseModel(text string) ([]model.Config, error) {
	name, _, _ := strings.Cut(text, ":")
	if _, err := model.Lookup(name); err != nil && name != model.AllVariants {
		return nil, names.Unknown("model", name, slices.Concat([]string{cli.None, model.AllVariants}, modelNames()))
	}
	return model.Parse(text)
}

// column is what one strategy or model does with a scene.
type column struct {
	strategy, kind string
	config         reuse.Config // of a strategy
	stats          reuse.Stats
	draws          []int // invocations a draw
}

// each counts a scene in all the ways that are wanted. The notices are for the
// user, once all has succeeded. b is nil where nothing has to run.
func (w *wanted) each(b plan.Backend, s *geometry.Scene, subgroups renderer.Subgroups, do func(c *column)) (notices []string, err error) {
	for _, c := range w.configs {
		frame := renderer.Frame{Scene: s, Reuse: c, Subgroups: subgroups, DeviceBudget: w.device, NoRaster: true}
		st, draws, err := analyzeOne(b, frame)
		if err != nil {
			return nil, about(c.String(), err)
		}
		do(&column{c.Strategy.Name, kindStrategy, c, st, draws})
	}
	for _, m := range w.models {
		st, sums := m.Model.Summarize(s, m.Params)
		do(&column{strategy: m.String(), kind: kindModel, stats: st, draws: shadedByDraw(sums)})
	}
	if w.hardware {
		counts, notice, err := countHardware(b, s)
		if err != nil {
			return nil, about(hardwareModel, err)
		}
		do(&column{strategy: hardwareModel, kind: kindHardware, stats: reuse.NewStats(s, counts), draws: perDraw(s, counts)})
		if notice != "" {
			notices = append(notices, notice)
		}
	}
	return notices, nil
}

// rows is a row a strategy or model.
func (w *wanted) rows(b plan.Backend, path, order string, s *geometry.Scene, subgroups renderer.Subgroups) (rows []analysis, notices []string, err error) {
	notices, err = w.each(b, s, subgroups, func(c *column) {
		if c.kind == kindStrategy {
			rows = append(rows, newAnalysis(path, order, c.config, b, c.stats))
			return
		}
		row := newCounted(path, order, c.kind, c.stats)
		row.Strategy, row.Backend = c.strategy, modelBackend
		if c.kind == kindHardware {
			row.Backend, row.Device = b.Name(), b.Device()
		}
		rows = append(rows, row)
	})
	return rows, notices, err
}

// footnotes say what the kinds of rows that there are rest on.
func footnotes(rows []analysis) string {
	var text strings.Builder
	first := func(kind string) *analysis {
		if i := slices.IndexFunc(rows, func(r analysis) bool { return r.Kind == kind }); i >= 0 {
			return &rows[i]
		}
		return nil
	}
	if r := first(kindStrategy); r != nil {
		verified := "CPU reference"
		if r.Backend != cli.CPU {
			verified = "the counts of every vertex equal the CPU reference"
		}
		text.WriteString(r.Device + ": " + verified + "\n")
	}
	if first(kindModel) != nil {
		text.WriteString("models, of which no device promises anything: shadeonce help analyze\n")
	}
	if r := first(kindHardware); r != nil {
		text.WriteString(hardwareModel + ": counted while the graphics pipeline of " + r.Device + " drew the same indices\n")
	}
	return text.String()
}
