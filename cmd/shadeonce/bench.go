package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// benchFlags are those of the bench command.
type benchFlags struct {
	cli.StrategyFlags
	cli.CullFlags
	queue     string
	memory    cli.MemoryFlags
	loads     []string
	runs      int
	as        cli.OutputFlags
	benchstat bool
	frames    frameFlags
}

// warmUp is how long the strategies run before they are timed: a GPU that was
// idle needs a while to raise its clocks. Tests shorten it.
var warmUp = 700 * time.Millisecond

func newBench() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "bench FILE...",
		Short: "Time the geometry pass of strategies on the GPU",
		Long: "Times the geometry pass alone: no picture, no shading counts, 16 bytes a vertex. Each\n" +
			"strategy's counts are compared with the CPU reference before it is timed. Runs of all\n" +
			"strategies take turns, so that drift hits all alike. A load of N is a chain of N/4\n" +
			"dependent multiply-adds a shaded vertex, about N cycles; simple is none. Two loads are\n" +
			"real vertex shaders, which write 8 bytes of normal too: skin (four bones a vertex) and\n" +
			"displace (four octaves of noise along the normal, with its derivative).\n\n" +
			"--frame times whole frames of the shaded view in place of the geometry pass: each\n" +
			"strategy with each raster host, and hardware, the graphics pipeline alone on the raw\n" +
			"vertex and index buffers. Pictures are compared with the first one's before they are\n" +
			"timed. Rows are passes, frame (the device's time) and host (what the program waits for).\n\n" +
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
	f.StrategyFlags.Add(cmd.Flags(), "all")
	f.CullFlags.Add(cmd.Flags())
	flags := cmd.Flags()
	flags.StringVar(&f.queue, "queue", "indexed", "queue form: "+strings.Join(renderer.QueueFormNames, ", "))
	f.memory.Add(flags, "2GiB")
	flags.Lookup("queue-budget").Usage += " (with --frame: " + frameBudget + ")"
	flags.StringSliceVar(&f.loads, "load", []string{renderer.SimpleLoad}, "`loads`, what a shaded vertex costs: "+cli.LoadHelp())
	flags.IntVar(&f.runs, "runs", 25, "runs that are timed, after a warm-up")
	f.as.Add(flags)
	f.frames.add(flags)
	flags.BoolVar(&f.benchstat, "benchstat", false, "print Go benchmark lines, one a run, as benchstat reads them")
	cli.CompleteValues(cmd, nil)
	return cmd
}

func (f *benchFlags) bench(stdout, stderr io.Writer, paths []string) error {
	if err := f.frames.check(f.Given, f.Cull); err != nil {
		return err
	}
	if f.frames.on && !f.Given("queue-budget") {
		f.memory.Queue = frameBudget
	}
	frame, err := f.benchFrame()
	if err != nil {
		return err
	}
	if f.frames.on {
		return f.benchWholeFrames(stdout, stderr, paths, frame)
	}
	configs, err := f.Configs()
	if err != nil {
		return err
	}
	return f.benchGeometry(stdout, stderr, paths, frame, configs)
}

// benchFrame reads what every frame that is timed has, and checks the rest of
// the flags.
func (f *benchFlags) benchFrame() (frame renderer.Frame, err error) {
	frame = renderer.Frame{NoRaster: true, View: renderer.NoView}
	if frame.Queue, err = cli.ParseQueue(f.queue); err != nil {
		return frame, err
	}
	if frame.Subgroups, err = cli.ParseSubgroups(f.Subgroups); err != nil {
		return frame, err
	}
	if err = f.memory.Apply(&frame); err != nil {
		return frame, err
	}
	if err := f.setCulling(&frame); err != nil {
		return frame, err
	}
	if f.runs < 1 || f.runs > maxRepeat {
		return frame, runsError(f.runs)
	}
	if len(f.loads) == 0 {
		return frame, cli.Usagef("no --load given: want %s", cli.LoadHelp())
	}
	for _, load := range f.loads {
		if _, _, err := cli.ParseLoad(load); err != nil {
			return frame, err
		}
	}
	if err := f.checkFormat(); err != nil {
		return frame, err
	}
	if f.Backend.Backend == "auto" {
		f.Backend.Backend = "gpu" // the CPU's time says nothing of the strategies
	}
	return frame, nil
}

// benchGeometry times the geometry pass.
func (f *benchFlags) benchGeometry(stdout, stderr io.Writer, paths []string, frame renderer.Frame, configs []reuse.Config) error {
	var rows []benchRow
	notice := ""
	var left []string // of the files, what was left out
	err := f.Backend.Session(stderr, func(b plan.Backend) (err error) {
		if configs, notice, err = f.Runnable(b, frame, configs); err != nil {
			return err
		}
		bandwidth, err := copyBandwidth(b)
		if err != nil {
			return err
		}
		left, err = f.EachScene(paths, func(path, order string, scene *geometry.Scene) error {
			frame.Scene = scene
			made, err := f.benchScene(b, frame, configs)
			if err != nil {
				return err
			}
			for i := range made {
				made[i].File, made[i].Order = path, order
				if bandwidth > 0 {
					made[i].BandwidthShare = made[i].GBs * 1e9 / bandwidth
				}
			}
			rows = append(rows, made...)
			return nil
		})
		return err
	})
	if err != nil {
		return err
	}
	for _, line := range append(left, notice) {
		cli.Tell(stderr, line)
	}
	return f.print(stdout, rows)
}

func runsError(runs int) error { return cli.Usagef("--runs %d: want 1 to %d", runs, maxRepeat) }

// copyBandwidth is what a copy moves on a GPU, in bytes a second; 0 elsewhere.
func copyBandwidth(b plan.Backend) (float64, error) {
	g, ok := b.(*gpu.Backend)
	if !ok {
		return 0, nil
	}
	return g.CopyBandwidth()
}

// contestant is a strategy at one load, with the times it has so far.
type contestant struct {
	plan  *plan.Plan
	row   benchRow
	times []time.Duration
}

// benchScene verifies every strategy on a scene, and then times them.
func (f *benchFlags) benchScene(b plan.Backend, frame renderer.Frame, configs []reuse.Config) ([]benchRow, error) {
	rows := make([]benchRow, 0, len(configs)*len(f.loads))
	verified := make([]benchRow, len(configs))
	camera, err := f.viewOf(frame)
	if err != nil {
		return nil, err
	}
	for i, c := range configs {
		checked := renderer.Frame{Scene: frame.Scene, Reuse: c, Subgroups: frame.Subgroups, NoRaster: true}
		st, _, err := analyzeOne(b, checked)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c, err)
		}
		begin := time.Now()
		reuse.Batches(frame.Scene, c)
		culled, err := benchCulling(b, frame, c, camera)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c, err)
		}
		verified[i] = benchRow{
			culledRow:  culled,
			BatchingMs: milliseconds(time.Since(begin)), Triangles: st.Triangles, Invocations: st.Invocations, Reuse: st.Reuse(),
		}
	}
	if keeper, ok := b.(interface{ Keep(plans int) }); ok {
		keeper.Keep(len(configs))
	}
	for _, load := range f.loads {
		made, err := f.benchLoad(b, frame, camera, configs, load, verified)
		if err != nil {
			return nil, err
		}
		rows = append(rows, made...)
	}
	return rows, nil
}

// benchLoad times the strategies at one load, in turns. verified are their rows
// as far as no load changes them.
func (f *benchFlags) benchLoad(b plan.Backend, frame renderer.Frame, camera renderer.Camera, configs []reuse.Config, load string, verified []benchRow) ([]benchRow, error) {
	field := make([]*contestant, len(configs))
	for i, c := range configs {
		var err error
		if field[i], err = enter(b, frame, camera, c, load, verified[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", c, err)
		}
	}
	round := func(timed bool) error {
		for _, one := range field {
			out, err := b.Exec(one.plan, camera, 0)
			if err != nil {
				return fmt.Errorf("%s: %w", one.plan.Frame.Reuse, err)
			}
			if timed {
				one.times = append(one.times, passTime(out, "geometry:")+passTime(out, "cull:"))
			}
		}
		return nil
	}
	for begin := time.Now(); time.Since(begin) < warmUp; {
		if err := round(false); err != nil {
			return nil, err
		}
	}
	for range f.runs {
		if err := round(true); err != nil {
			return nil, err
		}
	}
	rows := make([]benchRow, len(field))
	for i, one := range field {
		r := one.row
		r.MsMin, r.MsMedian, r.MsMax = spread(one.times)
		r.Runs, r.Times = len(one.times), one.times
		r.TrianglesMsS = float64(r.Triangles) / r.MsMedian / 1e3
		if r.Cull {
			rows[i] = r // what culling must move depends on the picture
			continue
		}
		r.Bytes = one.plan.GeometryBytes(reuse.Stats{Invocations: r.Invocations})
		r.GBs = float64(r.Bytes) / r.MsMedian / 1e6
		rows[i] = r
	}
	return rows, nil
}

// enter plans a strategy at one load, and fills in what its row says beside the
// times.
func enter(b plan.Backend, frame renderer.Frame, camera renderer.Camera, c reuse.Config, load string, row benchRow) (*contestant, error) {
	var err error
	if frame.VertexShader, frame.Load, err = cli.ParseLoad(load); err != nil {
		return nil, err
	}
	frame.Reuse, frame.NoCounts = c, true
	_, p, err := plan.Render(b, frame, camera, 0)
	if err != nil {
		return nil, err
	}
	row.Schema, row.Load, row.Queue, row.Chunks = schemaVersion, load, frame.Queue.String(), len(p.Chunks)
	row.Strategy, row.Lanes, row.Native, row.Workgroup = c.Strategy.Name, c.Lanes, p.Native, c.Workgroup
	row.Batching, row.Batch, row.Unique = c.Batching.String(), c.Batch, c.Strategy.MaxUnique(c)
	row.deviceRow = newDeviceRow(b)
	return &contestant{plan: p, row: row}, nil
}

// passTime is the time of all passes whose name begins so.
func passTime(out *renderer.Output, prefix string) (sum time.Duration) {
	for _, t := range out.Timings {
		if strings.HasPrefix(t.Pass, prefix) {
			sum += t.Duration
		}
	}
	return sum
}
