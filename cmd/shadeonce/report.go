package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/apps/envelope"
	"github.com/shadeonce/shadeonce/apps/subdivide"
	"github.com/shadeonce/shadeonce/apps/walk"
	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture"
	"github.com/shadeonce/shadeonce/internal/base/buildinfo"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/report"
	"github.com/shadeonce/shadeonce/internal/report/survey"
)

// reportFlags are the flags of the report command.
type reportFlags struct {
	output  string
	quick   bool
	exact   bool // --deterministic: the report has the same bytes everywhere
	runs    int
	budget  time.Duration
	backend cli.BackendFlags
	builtIn []assets.Asset // scenes of every report; with --quick only the sphere
	flags   *pflag.FlagSet
}

func newReport(open cli.Opener, builtIn []assets.Asset) *cobra.Command {
	f := reportFlags{builtIn: builtIn}
	f.backend.Open = open
	cmd := newCommand("report", func(_ *cobra.Command, args []string) error { return cli.CheckAssets(args) }, f.report)
	f.flags = cmd.Flags()
	f.flags.StringVarP(&f.output, "output", "o", "", "the `folder` to write")
	f.flags.BoolVar(&f.quick, "quick", false, "a small report in little time")
	f.flags.BoolVar(&f.exact, "deterministic", false, "write the same bytes for the same files, whatever the machine, the folder and the time: counts and pictures of the CPU, no times")
	f.flags.IntVar(&f.runs, "runs", 0, "runs that are timed (default 25, on a CPU device 5, with --quick 3)")
	f.flags.DurationVar(&f.budget, "time-budget", 8*time.Minute, "how long timing may take (0s: times nothing); scenes that would take longer are named on the page")
	f.backend.Add(f.flags)
	cli.CompleteValues(cmd, nil)
	return cmd
}

func (f *reportFlags) check() {
	switch {
	case f.output == "":
		must.OK(cli.Usagef("report: no output: -o report"))
	case f.budget < 0:
		must.OK(cli.Usagef("--time-budget %s: want a duration of at least 0s", f.budget))
	}
	if f.flags.Changed("runs") { // if not given, the default is 0
		must.OK(cli.InRange("runs", f.runs, 1, measure.MaxRuns))
	}
	must.OK(f.backend.Check())
}

// report writes a whole report or nothing. A file that cannot be opened is left out.
func (f *reportFlags) report(to streams, paths []string) error {
	f.check()
	must.OK(report.CheckFolder(f.output))
	if slices.Contains(paths, cli.Standard) {
		return cli.Usagef("report opens its files several times: it excludes %s", cli.Standard)
	}
	given := must.Get(cli.Files(paths))
	run := report.Run{
		Command: f.command(paths), Date: time.Now(), Program: buildinfo.By(),
		Host: fmt.Sprintf("%s/%s, %d cores, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version()),
	}
	shown := func(path string) string { return path }
	if f.exact {
		shown = fromCommonFolder(given)
		run = report.Run{Command: f.command(names.Of(given, shown)), Program: run.Program, Deterministic: true}
		f.backend.Backend = cli.CPU
	}
	for _, flag := range []string{"backend", "device"} {
		if f.exact && flag == "backend" || f.flags.Changed(flag) {
			run.Flags += " --" + flag + " " + report.Quote(f.flags.Lookup(flag).Value.String())
		}
	}
	var files []report.File
	var failed cli.Failures
	var made *report.Report
	must.OK(f.backend.Session(to.err, func(b plan.Backend) (err error) {
		defer must.Catch(&err)
		m := cli.NewMeter(to.err)
		defer m.Wipe()
		options := survey.Options{
			Run: run, Given: given, Shown: shown, Quick: f.quick, Runs: f.runs, Budget: f.budget, Stage: m.Stage,
			Open: func(path string) (*geometry.Scene, error) {
				return cli.OpenUntilInterrupted(context.Background(), path, capture.Readers())
			},
			OpenShaded: func(path string) (*geometry.Scene, error) {
				return cli.OpenUntilInterrupted(context.Background(), path, capture.Readers().Attributes())
			},
			Hint:   func(hint string) { cli.Tell(to.err, hint) },
			Failed: func(err error) error { return failed.Add(err, len(given)) },
		}
		if device, ok := b.(*gpu.Backend); ok && f.budget > 0 {
			options.Applications = &survey.Applications{
				Subdivide: func(ctx context.Context, of measure.Subject) ([]apps.Row, error) {
					return subdivide.Paper(ctx, device, of)
				},
				Envelope: func(ctx context.Context, of measure.Subject) ([]apps.Row, error) {
					return envelope.Paper(ctx, device, of)
				},
				Walk: func(ctx context.Context) ([]apps.Row, error) { return walk.Paper(ctx, device) },
			}
		}
		made = must.Get(survey.Measure(b, f.scenes(given), options))
		files, err = made.Files()
		return err
	}))
	must.OK(cli.UntilInterrupted(func(ctx context.Context) error { return report.WriteFolder(ctx, f.output, files) }))
	for i, s := range made.Scenes { // the page may name files without their folder; commands to run here must not
		if at := slices.IndexFunc(given, func(path string) bool { return s.Given && names.Printable(shown(path)) == s.Path }); at >= 0 {
			made.Scenes[i].Path = names.Printable(given[at])
		}
	}
	for _, v := range made.Verdicts() {
		fmt.Fprintln(to.said, names.Printable(strings.TrimSpace(v.Text+" "+v.Command)))
	}
	_, err := fmt.Fprintf(to.said, "%s: %s, %s, %s and %s in %s, on %s\n",
		names.Printable(f.output), names.Count(len(made.Scenes), "scene"),
		names.Count(len(made.Reuse)+len(made.Lanes)+len(made.Batches)+len(made.Uniques), "count"),
		names.Count(len(made.Times), "time"), names.Count(len(made.Pictures), "picture"), names.Count(len(files), "file"), made.Run.Device)
	return cmp.Or(err, failed.Err())
}

// command returns the command line for these files.
func (f *reportFlags) command(paths []string) string {
	args := []string{"shadeonce", "report"}
	f.flags.Visit(func(flag *pflag.Flag) {
		value := flag.Value.String()
		if flag.Name == "quiet" { // --quiet changes nothing in a report
			return
		}
		if f.exact && flag.Name == "output" {
			value = "report"
		}
		args = append(args, "--"+flag.Name+"="+value)
	})
	return report.Quote(append(args, paths...)...)
}

// fromCommonFolder returns a function that gives a file's path relative to the deepest folder that
// holds all files. It returns names of built-in scenes unchanged.
func fromCommonFolder(paths []string) func(string) string {
	whole := map[string]string{}
	common := ""
	for _, path := range paths {
		if strings.HasPrefix(path, cli.AssetPrefix) {
			continue
		}
		absolute := must.Get(filepath.Abs(path))
		whole[path] = absolute
		common = cmp.Or(common, filepath.Dir(absolute))
		for below := common + "/"; common != "/" && !strings.HasPrefix(absolute, below); below = common + "/" {
			common = filepath.Dir(common)
		}
	}
	return func(path string) string {
		return strings.TrimPrefix(strings.TrimPrefix(cmp.Or(whole[path], path), common), "/")
	}
}

// scenes lists the given files and the built-in scenes without repetition.
func (f *reportFlags) scenes(paths []string) (all []string) {
	paths = slices.Clip(paths)
	for _, a := range f.builtIn {
		path := cli.AssetPrefix + a.Name
		if a.Hi > 0 {
			path += fmt.Sprint(a.Default)
		}
		if !f.quick || a.Name == "sphere" {
			paths = append(paths, path)
		}
	}
	for _, path := range paths {
		if !slices.Contains(all, path) {
			all = append(all, path)
		}
	}
	return all
}
