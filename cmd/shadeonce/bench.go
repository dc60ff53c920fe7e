package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/calibration"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/measure/print"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// benchFlags are the flags of the bench command.
type benchFlags struct {
	sceneFlags
	loads     []string
	runs      int
	benchstat bool
	frames    frameFlags
}

// geometryBudget is the default of --queue-budget without --frame. It is large, so that the
// geometry pass is measured in one chunk.
const geometryBudget = "2GiB"

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
	var leaveOut func(notice string) // set with --strategy all: reports strategies left out since the device has no room for them
	if slices.Contains(f.Strategies, cli.All) {
		leaveOut = func(notice string) { cli.Tell(to.err, notice) }
	}
	shaded := func(shading *geometry.Shading) {
		if f.shader.Opened != nil { // only for a shader from a file: a game's own shaders lack no values
			cli.TellNotes(to.err, shading)
		}
	}
	if f.frames.on {
		fs := f.wholeFrames(frame)
		fs.Foreign = must.Get(f.shader.Open(to.err))
		fs.LeaveOut, fs.Shaded = leaveOut, shaded
		return timed(f, to, paths, fs.Frame, &fs.Configs, fs.Time, nil, print.WriteFrameRows)
	}
	g := f.geometry(frame)
	shader := must.Get(f.shader.Open(to.err))
	if shader != nil {
		g.Loads = append(g.Loads, measure.Load{Name: shader.Name(), Foreign: shader})
	}
	g.LeaveOut, g.Shaded = leaveOut, shaded
	if f.benchstat {
		return timed(f, to, paths, g.Frame, &g.Configs, g.Time, nil, print.WriteBenchstat)
	}
	return timed(f, to, paths, g.Frame, &g.Configs, g.Time, measure.Means, print.WriteBench)
}

// timed times every file in every order, and prints the rows and, unless `means` is nil, their means. It
// reduces `configs` to those that the device can run in such frames.
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
		auto := slices.ContainsFunc(f.Strategies, reuse.IsAuto) || f.frames.on && slices.Contains(f.frames.rasters, renderer.AutoRaster.String())
		if auto && calibration.Wanted(b) {
			if _, err := cli.Calibrate(to.err, b); calibration.Wanted(b) {
				return err
			} else if err != nil {
				cli.Tell(to.err, err.Error()) // the calibration holds for this run, but could not be saved
			}
		}
		left, failed, err = f.EachScene(to.err, "timing", paths, func(ctx context.Context, path, order string, scene *geometry.Scene) error {
			scene, err := f.subdivide.Apply(to.err, scene)
			if err != nil {
				return err
			}
			if measure.OnCPU(b) && order == f.Orders[0] {
				cli.Tell(to.err, measure.SlowHint(scene, "timing", "--strategy NAME times one strategy, and --runs N fewer runs"))
			}
			made, err := time(ctx, b, measure.Subject{File: path, Order: order, Scene: scene})
			rows = append(rows, made...)
			return err
		})
		left = append(left, softwareNote(b, f.as.JSON || f.as.CSV || f.benchstat))
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

// softwareNote returns a notice that the times of a CPU device say nothing about a GPU. It is "" for other backends and,
// without `data`, for tables, which say so themselves.
func softwareNote(b plan.Backend, data bool) string {
	if info := b.Info(); data && info.Software {
		return info.Device + " is a CPU: its times say nothing about a GPU"
	}
	return ""
}

// frame reads the flags that apply with and without --frame, checks them, and returns the frame that they ask for. It
// makes the GPU the default backend.
func (f *benchFlags) frame() renderer.Frame {
	frame := measure.GeometryFrame()
	must.OK(cmp.Or(f.read(&frame), cli.InRange("runs", f.runs, 1, measure.MaxRuns), f.takeShader(), cli.Refuse(&frame, f.modes())))
	switch {
	case len(f.loads) == 0 && f.shader.Name == "":
		must.OK(cli.Usagef("no --load given: want %s", cli.LoadHelp()))
	case f.benchstat && (f.as.JSON || f.as.CSV): // --json and --csv may also follow from a file's name
		must.OK(cli.Usagef("--benchstat excludes --json and --csv"))
	case !f.frames.on && slices.Contains(f.Strategies, renderer.HardwareStrategy):
		must.OK(cli.Usagef("hardware (--strategy) needs --frame"))
	}
	if f.Backend.Backend == cli.Auto {
		f.Backend.Backend = cli.GPU // times of a CPU say nothing about strategies for GPUs
	}
	return frame
}

// takeShader checks --vertex-shader. A shader replaces the default loads; a built-in shader becomes a load.
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

// geometry reads the flags for timing the geometry pass.
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
		g.Frame.Raster = renderer.MeshRaster // without --frame, --raster takes no other value
		must.OK(cli.Refuse(&g.Frame, f.modes()))
	}
	if f.Cull {
		if len(f.frames.sizes) != 1 || len(f.frames.cameras) != 1 {
			must.OK(cli.Usagef("bench --cull takes one --size and one --camera, got %d and %d", len(f.frames.sizes), len(f.frames.cameras)))
		}
		culled := shot(f.frames.sizes[0], f.frames.cameras[0])
		g.Camera = culled.Camera
		g.Frame.Raster = renderer.ComputeRaster // nothing is drawn; the launch size of compute rasterization is known exactly
		g.Frame.Width, g.Frame.Height = culled.Width, culled.Height
	}
	g.Configs = must.Get(f.Configs())
	return g
}

// sceneFlags are the flags that render and bench share: how a scene is shaded and drawn.
type sceneFlags struct {
	cli.StrategyFlags
	cli.CullFlags
	subdivide cli.SubdivideFlags
	shader    cli.ShaderFlags
	queue     string
	memory    cli.MemoryFlags
	as        cli.OutputFlags
}

// add adds the flags. `strategies` is the default of --strategy; `budget` describes the default of
// --queue-budget.
func (f *sceneFlags) add(cmd *cobra.Command, open cli.Opener, strategies, budget string) {
	f.Backend.Open = open
	flags := cmd.Flags()
	f.StrategyFlags.Add(flags, strategies)
	f.CullFlags.Add(flags)
	f.subdivide.Add(flags)
	f.shader.Add(flags)
	flags.StringVar(&f.queue, "queue", "indexed", "queue form: "+strings.Join(renderer.QueueFormNames, ", "))
	f.memory.Add(flags, budget)
	f.as.Add(flags)
}

// read reads the flags into a frame.
func (f *sceneFlags) read(frame *renderer.Frame) error {
	return cmp.Or(
		cli.Read(&frame.Queue, cli.ParseQueue, f.queue),
		cli.Read(&frame.Subgroups, cli.ParseSubgroups, f.Subgroups),
		f.memory.Apply(frame),
		f.CullFlags.Apply(frame),
		f.subdivide.Check(),
	)
}

// modes returns the modes that flags turn on, each with its flag. It lists only modes that a frame does not show before it has its scene.
func (f *sceneFlags) modes() map[*plan.Mode]string {
	given := f.subdivide.Modes()
	if _, foreign := f.shader.Ours(); foreign {
		given[plan.UserShader] = plan.UserShader.Flag + " " + f.shader.Name
	}
	if f.Backend.Backend == cli.CPU {
		given[plan.OnCPU] = plan.OnCPU.Flag
	}
	return given
}

// parseLoad parses one value of --load.
func parseLoad(name string) (load measure.Load, err error) {
	load.Name = name
	load.Shader, load.Cycles, err = cli.ParseLoad(name)
	return load, err
}

// frameFlags are the flags of bench --frame.
type frameFlags struct {
	on                      bool
	rasters, sizes, cameras []string
	share                   float64
}

// The named cameras.
const (
	nearZoom  = 2.0 // the scene is larger than the view
	farPixels = 36  // approximate height of the scene in the picture
)

func (f *frameFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.on, "frame", false, "time whole frames: strategies with the hosts of --raster, and hardware, the graphics pipeline alone")
	flags.StringSliceVar(&f.rasters, "raster", nil, "raster hosts (default compute,fused,hardware; soft on the cpu); without --frame mesh, whose shader is then timed without a rasterizer")
	flags.StringSliceVar(&f.sizes, "size", []string{"1280x720"}, "picture sizes in pixels; with --cull the size of the picture that is culled for")
	flags.StringArrayVar(&f.cameras, "camera", []string{"fit"},
		fmt.Sprintf("fit, near (%gx as close), far (%d pixels high) or a camera as render takes it; may be repeated", nearZoom, farPixels))
	flags.Float64Var(&f.share, "hardware-share", 0.995, "share of pixels in which pictures of the hardware rasterizer must equal the first; the others must lie at edges; 0 takes any picture")
}

// frameCamera returns a value of --camera as render takes it, for a picture of a height.
func frameCamera(text string, height int) string {
	words := strings.Split(text, ",")
	for i, word := range words {
		if zoom := map[string]float32{"fit": 1, "near": nearZoom, "far": min(1, farPixels/float32(height))}[word]; zoom > 0 {
			words[i] = fmt.Sprintf("zoom=%g", zoom)
		}
	}
	return strings.Join(words, ",")
}

// expandCameras splits a list of named cameras. A single camera given by numbers stays whole.
func expandCameras(cameras []string) (list []string) {
	named := func(word string) bool { return word == "fit" || word == "near" || word == "far" }
	for _, text := range cameras {
		words := strings.Split(text, ",")
		if slices.ContainsFunc(words, func(w string) bool { return !named(w) }) {
			words = []string{text}
		}
		list = append(list, words...)
	}
	return list
}

// shot parses a value of --size and one of --camera, and checks them before any scene is read.
func shot(size, camera string) measure.Shot {
	width, height, err := cli.ParseSize(size)
	must.OK(err)
	text, aspect := frameCamera(camera, height), float32(width)/float32(height)
	if err := cli.CheckCamera(text, aspect); err != nil {
		must.OK(cli.Usagef("%w; or fit, near, far", err))
	}
	return measure.Shot{Name: camera, Width: width, Height: height, Camera: func(f *renderer.Frame) (renderer.Camera, error) {
		return cli.SceneCamera(text, f.Scene.Bounds(), f.Scene.View(), aspect)
	}}
}

// wholeFrames reads the flags of bench --frame.
func (f *benchFlags) wholeFrames(common renderer.Frame) *measure.Frames {
	fs := &measure.Frames{Frame: common, Runs: f.runs, Share: f.frames.share}
	fs.Frame.NoRaster, fs.Frame.NoCounts, fs.Frame.View = false, true, renderer.Shaded
	if _, foreign := f.shader.Ours(); !foreign {
		if len(f.loads) != 1 {
			must.OK(cli.Usagef("bench --frame takes one --load, got %d", len(f.loads)))
		}
		load := must.Get(parseLoad(f.loads[0]))
		fs.Frame.VertexShader, fs.Frame.Load = load.Shader, load.Cycles
	}
	onCPU := f.Backend.Backend == cli.CPU
	simple := fs.Frame.VertexShader == renderer.Transform && fs.Frame.Load == 0
	named := slices.Contains(f.Strategies, renderer.HardwareStrategy)
	asked := fs.Frame
	asked.Raw = named
	must.OK(cli.Refuse(&asked, f.modes()))
	switch {
	case !(f.frames.share >= 0 && f.frames.share <= 1):
		must.OK(cli.Usagef("--hardware-share %g: want 0 to 1", f.frames.share))
	case len(f.frames.sizes) == 0 || len(f.frames.cameras) == 0:
		must.OK(cli.Usagef("bench --frame needs a --size and a --camera"))
	}
	fs.Rasters, fs.Fitting = f.readRasters(onCPU), len(f.frames.rasters) == 0
	for _, size := range f.frames.sizes {
		for _, camera := range expandCameras(f.frames.cameras) {
			fs.Shots = append(fs.Shots, shot(size, camera))
		}
	}
	alone := named || slices.Contains(f.Strategies, cli.All) && simple && !onCPU && f.subdivide.Levels == 0
	strategies := f.StrategyFlags
	strategies.Besides = []string{cli.All, renderer.HardwareStrategy}
	if fs.Raw = alone; alone { // the graphics pipeline alone needs no other strategy
		strategies.Strategies = slices.DeleteFunc(slices.Clone(f.Strategies), func(name string) bool { return name == renderer.HardwareStrategy })
		if len(strategies.Strategies) == 0 {
			strategies.Strategies, strategies.NoneAllowed = []string{cli.None}, true
		}
	}
	fs.Configs = must.Get(strategies.Configs())
	return fs
}

func (f *benchFlags) readRasters(onCPU bool) (list []renderer.RasterHost) {
	names := f.frames.rasters
	if len(names) == 0 {
		names = map[bool][]string{true: {"soft"}, false: {"compute", "fused", "hardware"}}[onCPU]
	}
	for _, name := range names {
		r := must.Get(cli.ParseRaster(name))
		if (r == renderer.SoftRaster) != onCPU {
			must.OK(cli.Usagef("--raster %s excludes --backend %s", name, f.Backend.Backend))
		}
		list = append(list, r)
	}
	return list
}
