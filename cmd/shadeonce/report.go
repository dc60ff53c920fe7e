package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/applications"
	"github.com/shadeonce/shadeonce/internal/built"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/measure/survey"
	"github.com/shadeonce/shadeonce/internal/names"
	"github.com/shadeonce/shadeonce/internal/report"
	"github.com/shadeonce/shadeonce/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// reportFlags are those of the report command.
type reportFlags struct {
	output  string
	quick   bool
	runs    int
	budget  time.Duration
	backend cli.BackendFlags
	builtIn []assets.Asset // that every report has; with --quick the sphere alone
}

func newReport(open cli.Opener, builtIn []assets.Asset) *cobra.Command {
	f := reportFlags{builtIn: builtIn}
	f.backend.Open = open
	cmd := &cobra.Command{
		Use:   "report -o FOLDER [FILE...]",
		Short: "Measure the paper's tables and figures again, as a page with plots and CSV",
		Long: "Writes a folder with index.html (which needs no network and no script), a CSV per figure,\n" +
			"and the plots and pictures: reuse per scene, times of the geometry pass on the device,\n" +
			"the call histogram, reuse pictures, and sweeps; ours beside the paper's where the scene\n" +
			"is the same. The built-in scenes are always in it, and the files given besides. The\n" +
			"Stanford bunny is recognised by its 35,947 vertices and 69,451 triangles.\n\n" +
			"--quick is for continuous integration: of the built-in scenes only sphere6, and fewer\n" +
			"orders, loads, runs and pictures. A folder that is there is replaced if it is empty or\n" +
			"an earlier report.",
		Example: "  shadeonce report -o report bunny.ply\n" +
			"  shadeonce report -o report --quick",
		RunE: func(cmd *cobra.Command, paths []string) error {
			if f.runs == 0 && cmd.Flags().Changed("runs") { // unsaid, 0 is the default
				return runsError(0)
			}
			return f.report(cmd.OutOrStdout(), cmd.ErrOrStderr(), commandLine(cmd.Flags(), paths), paths)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "the `folder` to write")
	flags.BoolVar(&f.quick, "quick", false, "a small report in little time")
	flags.IntVar(&f.runs, "runs", 0, "runs that are timed (default 25, on a CPU device 5, with --quick 3)")
	flags.DurationVar(&f.budget, "time-budget", 8*time.Minute, "how long timing may take (0s: times nothing); scenes that would take longer are named on the page")
	f.backend.Add(flags)
	cli.CompleteValues(cmd, nil)
	return cmd
}

// commandLine is the command as it was given, for a shell.
func commandLine(flags *pflag.FlagSet, paths []string) string {
	words := []string{"shadeonce", "report"}
	flags.Visit(func(f *pflag.Flag) { words = append(words, "--"+f.Name+"="+f.Value.String()) })
	return report.Quote(append(words, paths...)...)
}

func (f *reportFlags) check() error {
	switch {
	case f.output == "":
		return cli.Usagef("report: no output: -o report")
	case f.runs < 0 || f.runs > measure.MaxRuns:
		return runsError(f.runs)
	case f.budget < 0:
		return cli.Usagef("--time-budget %s: want a duration from 0s on", f.budget)
	}
	return f.backend.Check()
}

// report writes all of a report or nothing. A file that cannot be opened is left out of it.
func (f *reportFlags) report(stdout, stderr io.Writer, command string, paths []string) error {
	if err := f.check(); err != nil {
		return err
	}
	if err := checkFolder(f.output); err != nil {
		return err
	}
	given, err := givenFiles(paths)
	if err != nil {
		return err
	}
	var files []report.File
	var failed cli.Failures
	var made *report.Report
	err = f.backend.Session(stderr, func(b plan.Backend) error {
		m := cli.NewMeter(stderr)
		defer m.Wipe()
		var err error
		options := survey.Options{
			Run: f.run(command), Given: given, Quick: f.quick, Runs: f.runs, Budget: f.budget, Stage: m.Stage,
			Open: func(path string) (*geometry.Scene, error) {
				return cli.OpenUntilInterrupted(context.Background(), path)
			},
			OpenShaded: func(path string) (*geometry.Scene, error) {
				return cli.OpenAttributes(context.Background(), path)
			},
			Failed: func(err error) error { return failed.Add(err, len(given)) },
		}
		if device, ok := b.(*gpu.Backend); ok && f.budget > 0 {
			paper := applications.Paper{GPU: device}
			options.Applications = &survey.Applications{Subdivide: paper.Subdivide, Envelope: paper.Envelope, Walk: paper.Walk}
		}
		made, err = survey.Measure(b, f.scenes(given), options)
		if err != nil {
			return err
		}
		files, err = made.Files()
		return err
	})
	if err != nil {
		return err
	}
	if err := writeFolder(f.output, files); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s: %s, %s, %s and %s in %s, on %s\n",
		names.Printable(f.output), names.Count(len(made.Scenes), "scene"),
		names.Count(len(made.Reuse)+len(made.Lanes)+len(made.Batches)+len(made.Uniques), "count"),
		names.Count(len(made.Times), "time"), names.Count(len(made.Pictures), "picture"), names.Count(len(files), "file"), made.Run.Device)
	return cmp.Or(err, failed.Err())
}

// givenFiles are the files that paths name. They are opened more than once.
func givenFiles(paths []string) ([]string, error) {
	if slices.Contains(paths, cli.Standard) {
		return nil, cli.Usagef("report opens its files several times: it excludes %s", cli.Standard)
	}
	return cli.Files(paths)
}

// scenes are the files given, and the built-in ones, each by its number; none
// twice.
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

// run says where, when and how the report is made.
func (f *reportFlags) run(command string) report.Run {
	return report.Run{
		Command: command, Date: time.Now(), Program: built.By(),
		Host: fmt.Sprintf("%s/%s, %d cores, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version()),
	}
}
