package main

import (
	"cmp"
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/tables"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// benchFlags are those of the bench command.
type benchFlags struct {
	cli.StrategyFlags
	cli.CullFlags
	subdivide cli.SubdivideFlags
	shader    cli.ShaderFlags
	queue     string
	memory    cli.MemoryFlags
	loads     []string
	runs      int
	as        cli.OutputFlags
	benchstat bool
	frames    frameFlags
}

func newBench(open cli.Opener) *cobra.Command {
	var f benchFlags
	f.Backend.Open = open
	cmd := &cobra.Command{
		Use:   "bench FILE...",
		Short: "Time the geometry pass of strategies on the GPU",
		Long: "Times only the geometry pass: no picture, no shading counts, 16 bytes per vertex. Each\n" +
			"strategy's counts are compared with the CPU reference before it is timed. Runs of all\n" +
			"strategies take turns, so that drift affects all alike. A load of N is a chain of N/4\n" +
			"dependent multiply-adds per shaded vertex, about N cycles; simple is none. Two loads are\n" +
			"real vertex shaders, which write 8 bytes of normal too: skin (four bones per vertex) and\n" +
			"displace (four octaves of noise along the normal, with its derivative). --vertex-shader\n" +
			"times yours, on the mesh's own data, and beside it the loads that are named.\n\n" +
			"Several files end with means: per order, load and strategy the geometric mean of the\n" +
			"speed against the fastest form without reuse, and the file where it is least.\n\n" +
			"--frame times whole frames of the shaded view in place of the geometry pass: each\n" +
			"strategy with each raster host, and hardware, the graphics pipeline on the raw vertex\n" +
			"and index buffers. Pictures are compared with the first one's before they are timed.\n" +
			"Rows are passes, frame (the device's time) and host (what the program waits for).\n\n" +
			"auto is gpu here: the times of the CPU backend say nothing about a GPU, and need\n" +
			"--backend cpu. With --cull the passes of culling are timed too, for the picture that\n" +
			"--camera and --size would show.",
		Example: "  shadeonce bench asset:terrain1897 --order forsyth --load simple,1024\n" +
			"  shadeonce bench bunny.ply --strategy naive-index,hash --runs 50 --csv\n" +
			"  shadeonce bench bunny.ply --strategy hash --benchstat > new.txt && benchstat old.txt new.txt\n" +
			"  shadeonce bench --frame bunny.ply --strategy claim,multi,hardware --size 1280x720,3840x2160 --camera fit,near,far",
		Args: files(false),
		RunE: func(cmd *cobra.Command, paths []string) error {
			return f.bench(cmd.OutOrStdout(), cmd.ErrOrStderr(), paths)
		},
	}
	f.StrategyFlags.Add(cmd.Flags(), cli.All)
	f.CullFlags.Add(cmd.Flags())
	f.subdivide.Add(cmd.Flags())
	f.shader.Add(cmd.Flags())
	flags := cmd.Flags()
	flags.StringVar(&f.queue, "queue", "indexed", "queue form: "+strings.Join(renderer.QueueFormNames, ", "))
	f.memory.Add(flags, geometryBudget+"; with --frame "+cli.QueueBudgetDefault)
	flags.StringSliceVar(&f.loads, "load", []string{renderer.SimpleLoad}, "`loads`, what shading a vertex costs: "+cli.LoadHelp())
	flags.IntVar(&f.runs, "runs", 25, "runs that are timed, after a warm-up")
	f.as.Add(flags)
	f.as.AddFile(flags)
	f.frames.add(flags)
	flags.BoolVar(&f.benchstat, "benchstat", false, "print Go benchmark lines, one per run, as benchstat reads them")
	cli.CompleteValues(cmd, map[string][]string{"camera": {"fit", "near", "far"}})
	return cmd
}

func (f *benchFlags) bench(stdout, stderr io.Writer, paths []string) error {
	if err := cmp.Or(f.as.Check(), f.frames.check(f.Given, f.Cull)); err != nil {
		return err
	}
	if !f.frames.on && !f.Given("queue-budget") {
		f.memory.Queue = geometryBudget
	}
	frame, err := f.frame()
	if err != nil {
		return err
	}
	if f.frames.on {
		fs, err := f.wholeFrames(frame)
		if err != nil {
			return err
		}
		if fs.Shading, err = f.shading(stderr); err != nil {
			return err
		}
		fs.LeaveOut = f.leaveOut(stderr)
		rows, failed, err := timed(f, stderr, paths, fs.Frame, &fs.Configs, fs.Time)
		if err != nil {
			return err
		}
		return cmp.Or(cli.PrintRows(stdout, f.as, rows, tables.WriteFrameRows), failed.Err())
	}
	g, err := f.geometry(frame)
	if err != nil {
		return err
	}
	shading, err := f.shading(stderr)
	if err != nil {
		return err
	}
	if shading != nil {
		g.Loads = append(g.Loads, measure.Load{Name: filepath.Base(f.shader.Name), Shading: shading})
	}
	g.LeaveOut = f.leaveOut(stderr)
	rows, failed, err := timed(f, stderr, paths, g.Frame, &g.Configs, g.Time)
	if err != nil {
		return err
	}
	table := tables.WriteBench
	if f.benchstat {
		table = tables.WriteBenchstat
	} else {
		rows = append(rows, measure.Means(rows)...)
	}
	return cmp.Or(cli.PrintRows(stdout, f.as, rows, table), failed.Err())
}

// leaveOut tells what is left out of all strategies, since the device has no room for
// it; nil where strategies were named.
func (f *benchFlags) leaveOut(stderr io.Writer) func(notice string) {
	if !slices.Contains(f.Strategies, cli.All) {
		return nil
	}
	return func(notice string) { cli.Tell(stderr, notice) }
}

// timed times every file in every order. configs are cut down to those that the
// device can run in such frames.
func timed[T any](f *benchFlags, stderr io.Writer, paths []string, frame renderer.Frame, configs *[]reuse.Config,
	time func(context.Context, plan.Backend, measure.Subject) ([]T, error),
) (rows []T, failed cli.Failures, err error) {
	notice := ""
	var left []string // of the files, what was left out
	err = f.Backend.Session(stderr, func(b plan.Backend) (err error) {
		if len(*configs) > 0 {
			if *configs, notice, err = f.Runnable(b, frame, *configs); err != nil {
				return err
			}
		}
		left, failed, err = f.EachScene(stderr, "timing", paths, func(ctx context.Context, path, order string, scene *geometry.Scene) error {
			scene, err := f.subdivide.Apply(stderr, scene)
			if err != nil {
				return err
			}
			made, err := time(ctx, b, measure.Subject{File: path, Order: order, Scene: scene})
			rows = append(rows, made...)
			return err
		})
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	for _, line := range append(left, notice) {
		cli.Tell(stderr, line)
	}
	return rows, failed, nil
}

// frame reads what every frame that is timed has, and checks the flags that both
// kinds of bench share.
func (f *benchFlags) frame() (frame renderer.Frame, err error) {
	frame = measure.GeometryFrame()
	if err = cmp.Or(cli.Read(&frame.Queue, cli.ParseQueue, f.queue), cli.Read(&frame.Subgroups, cli.ParseSubgroups, f.Subgroups)); err != nil {
		return frame, err
	}
	if err = cmp.Or(f.memory.Apply(&frame), f.CullFlags.Apply(&frame)); err != nil {
		return frame, err
	}
	if f.runs < 1 || f.runs > measure.MaxRuns {
		return frame, runsError(f.runs)
	}
	if err = f.checkShader(); err != nil {
		return frame, err
	}
	if len(f.loads) == 0 && f.shader.Name == "" {
		return frame, cli.Usagef("no --load given: want %s", cli.LoadHelp())
	}
	switch {
	case f.benchstat && f.frames.on:
		return frame, cli.Usagef("--benchstat prints the geometry pass: it excludes --frame")
	case f.benchstat && (f.as.JSON || f.as.CSV):
		return frame, cli.Usagef("--benchstat excludes --json and --csv")
	}
	if f.Backend.Backend == cli.Auto {
		f.Backend.Backend = cli.GPU // the CPU's time says nothing about the strategies
	}
	return frame, nil
}

// geometry reads what times the geometry pass.
func (f *benchFlags) geometry(frame renderer.Frame) (g *measure.Geometry, err error) {
	g = &measure.Geometry{Frame: frame, Runs: f.runs, ShareOfCopy: true}
	for _, name := range f.loads {
		load := measure.Load{Name: name}
		if load.Shader, load.Cycles, err = cli.ParseLoad(name); err != nil {
			return nil, err
		}
		if err = f.subdivide.Check(false, load.Shader); err != nil {
			return nil, err
		}
		g.Loads = append(g.Loads, load)
	}
	if f.Cull {
		if len(f.frames.sizes) != 1 || len(f.frames.cameras) != 1 {
			return nil, cli.Usagef("bench --cull takes one --size and one --camera, got %d and %d", len(f.frames.sizes), len(f.frames.cameras))
		}
		culled, err := shot(f.frames.sizes[0], f.frames.cameras[0])
		if err != nil {
			return nil, err
		}
		g.Camera = culled.Camera
		g.Frame.Raster = renderer.ComputeRaster // nothing is drawn, but its grid is exactly known
		g.Frame.Width, g.Frame.Height = culled.Width, culled.Height
	}
	g.Configs, err = f.Configs()
	return g, err
}

func runsError(runs int) error { return cli.Usagef("--runs %d: want 1 to %d", runs, measure.MaxRuns) }
