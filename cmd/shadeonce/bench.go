package main

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/calibration"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/measure/print"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// benchFlags are the flags of the bench command.
type benchFlags struct {
	sceneFlags
	loads     []string
	runs      int
	benchstat bool
	frames    frameFlags
}

// geometryBudget is the default of --queue-budget without --frame: the geometry pass
// is measured in one chunk.
const geometryBudget = "2GiB"

func newBench(open cli.Opener) *cobra.Command {
	return new(benchFlags).command(open)
}

func (f *benchFlags) command(open cli.Opener) *cobra.Command {
	cmd := newCommand("bench", files, f.bench)
	f.add(cmd, open, cli.All, geometryBudget+"; with --frame "+cli.QueueBudgetDefault)
	flags := cmd.Flags()
	flags.StringSliceVar(&f.loads, "load", []string{renderer.SimpleLoad}, "`loads`, what shading a vertex costs: "+cli.LoadHelp())
	flags.IntVar(&f.runs, "runs", 25, "runs that are timed, after a warm-up")
	f.as.AddFile(flags)
	f.frames.add(flags)
	flags.BoolVar(&f.benchstat, "benchstat", false, "print Go benchmark lines, one per run, as benchstat reads them")
	cli.CompleteValues(cmd, map[string][]string{"camera": {"fit", "near", "far"}})
	return cmd
}

func (f *benchFlags) bench(to streams, paths []string) error {
	must.OK(f.as.Check())
	if !f.frames.on && !f.Given("queue-budget") {
		f.memory.Queue = geometryBudget
	}
	frame := f.frame()
	var leaveOut func(notice string) // with all strategies: leaves out those that the device has no room for
	if slices.Contains(f.Strategies, cli.All) {
		leaveOut = func(notice string) { cli.Tell(to.err, notice) }
	}
	if f.frames.on {
		fs := f.wholeFrames(frame)
		fs.Foreign = must.Get(f.shader.Open(to.err))
		fs.LeaveOut = leaveOut
		return timed(f, to, paths, fs.Frame, &fs.Configs, fs.Time, nil, print.WriteFrameRows)
	}
	g := f.geometry(frame)
	shader := must.Get(f.shader.Open(to.err))
	if shader != nil {
		g.Loads = append(g.Loads, measure.Load{Name: shader.Name(), Foreign: shader})
	}
	g.LeaveOut = leaveOut
	if f.benchstat {
		return timed(f, to, paths, g.Frame, &g.Configs, g.Time, nil, print.WriteBenchstat)
	}
	return timed(f, to, paths, g.Frame, &g.Configs, g.Time, measure.Means, print.WriteBench)
}

// timed times every file in every order, and prints the rows and the means, if any. It reduces
// configs to those that the device can run in such frames.
func timed[T any](f *benchFlags, to streams, paths []string, frame renderer.Frame, configs *[]reuse.Config,
	time func(context.Context, plan.Backend, measure.Subject) ([]T, error), means func([]T) []T, table func(io.Writer, []T) error,
) error {
	notice := ""
	var rows []T
	var left []string // parts of the files that were not read
	var failed cli.Failures
	f.Formats = f.shader.Readers()
	err := f.Backend.Session(to.err, func(b plan.Backend) (err error) {
		defer must.Catch(&err)
		if len(*configs) > 0 {
			*configs, notice, err = f.Runnable(b, frame, *configs)
			must.OK(err)
		}
		if f.chooses() && calibration.Wanted(b) {
			if _, err := cli.Calibrate(to.err, b); calibration.Wanted(b) {
				return err
			} else if err != nil {
				cli.Tell(to.err, err.Error()) // it is not kept
			}
		}
		left, failed, err = f.EachScene(to.err, "timing", paths, func(ctx context.Context, path, order string, scene *geometry.Scene) error {
			scene, err := f.subdivide.Apply(to.err, scene)
			if err != nil {
				return err
			}
			made, err := time(ctx, b, measure.Subject{File: path, Order: order, Scene: scene})
			rows = append(rows, made...)
			return err
		})
		return err
	})
	must.OK(err)
	for _, line := range append(left, notice) {
		cli.Tell(to.err, line)
	}
	if means != nil {
		rows = append(rows, means(rows)...)
	}
	return cmp.Or(cli.PrintRows(to.out, f.as, rows, table), failed.Err())
}

// chooses reports whether auto is among what is timed.
func (f *benchFlags) chooses() bool {
	return slices.ContainsFunc(f.Strategies, reuse.IsAuto) || f.frames.on && slices.Contains(f.frames.rasters, renderer.AutoRaster.String())
}

// frame reads the flags that apply to every timed frame, and checks those that both kinds of
// bench share.
func (f *benchFlags) frame() renderer.Frame {
	frame := measure.GeometryFrame()
	must.OK(cmp.Or(f.read(&frame), checkRuns("runs", f.runs, 1, ""), f.takeShader(), cli.Refuse(&frame, f.modes())))
	switch {
	case len(f.loads) == 0 && f.shader.Name == "":
		must.OK(cli.Usagef("no --load given: want %s", cli.LoadHelp()))
	case f.benchstat && (f.as.JSON || f.as.CSV): // also if the file's name asks for it
		must.OK(cli.Usagef("--benchstat excludes --json and --csv"))
	}
	if f.Backend.Backend == cli.Auto {
		f.Backend.Backend = cli.GPU // CPU times say nothing about the strategies
	}
	return frame
}

// takeShader checks --vertex-shader, and copies what it says of the loads.
func (f *benchFlags) takeShader() error {
	if err := f.shader.Check(); err != nil || f.shader.Name == "" {
		return err
	}
	if !f.Given("load") {
		f.loads = nil
	} else if f.frames.on {
		return cli.Usagef("bench --frame takes one vertex shader: --vertex-shader excludes --load")
	}
	if _, foreign := f.shader.Ours(); !foreign {
		f.loads = append(f.loads, strings.Replace(f.shader.Name, renderer.Transform.String(), renderer.SimpleLoad, 1))
	}
	return nil
}

// geometry reads the flags that time the geometry pass.
func (f *benchFlags) geometry(frame renderer.Frame) *measure.Geometry {
	g := &measure.Geometry{Frame: frame, Runs: f.runs, ShareOfCopy: true}
	for _, name := range f.loads {
		load := must.Get(parseLoad(name))
		asked := frame
		asked.VertexShader, asked.Load = load.Shader, load.Cycles
		must.OK(cli.Refuse(&asked, f.modes()))
		g.Loads = append(g.Loads, load)
	}
	if len(f.frames.rasters) > 0 {
		g.Frame.Raster = renderer.MeshRaster // without --frame no other is allowed
		must.OK(cli.Refuse(&g.Frame, f.modes()))
	}
	if f.Cull {
		if len(f.frames.sizes) != 1 || len(f.frames.cameras) != 1 {
			must.OK(cli.Usagef("bench --cull takes one --size and one --camera, got %d and %d", len(f.frames.sizes), len(f.frames.cameras)))
		}
		culled := shot(f.frames.sizes[0], f.frames.cameras[0])
		g.Camera = culled.Camera
		g.Frame.Raster = renderer.ComputeRaster // nothing is drawn, but its launch size is exactly known
		g.Frame.Width, g.Frame.Height = culled.Width, culled.Height
	}
	g.Configs = must.Get(f.Configs())
	return g
}
