package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// frameFlags are those of bench --frame.
type frameFlags struct {
	on      bool
	rasters []string
	sizes   []string
	cameras []string
	share   float64
}

// frameBudget is --queue-budget of whole frames unless said otherwise: what a
// pipeline has. The geometry pass alone is measured with all of it at once.
const frameBudget = "64MiB"

func (f *frameFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.on, "frame", false, "time whole frames: strategies with each raster host, and hardware, the graphics pipeline alone")
	flags.StringSliceVar(&f.rasters, "raster", nil, "with --frame: raster hosts (default compute,hardware; soft on the cpu)")
	flags.StringSliceVar(&f.sizes, "size", []string{"1280x720"}, "with --frame: picture sizes in pixels; with --cull: the size of the picture that is culled for")
	flags.StringArrayVar(&f.cameras, "camera", []string{"fit"},
		fmt.Sprintf("with --frame and --cull: fit, near (%gx as close), far (%d pixels high) or a camera as render takes it; may be repeated", nearZoom, farPixels))
	flags.Float64Var(&f.share, "hardware-share", 0.995, "with --frame: share of pixels in which pictures of the hardware rasterizer must equal the first; the others must lie at edges; 0 takes any picture")
}

// check refuses flags of whole frames where there are none.
func (f *frameFlags) check(given func(flag string) bool, cull bool) error {
	for _, flag := range []string{"raster", "size", "camera", "hardware-share"} {
		if given(flag) && !f.on && !(cull && (flag == "size" || flag == "camera")) {
			if flag == "size" || flag == "camera" {
				return cli.Usagef("--%s is for whole frames and for culling: it needs --frame or --cull", flag)
			}
			return cli.Usagef("--%s is for whole frames: it needs --frame", flag)
		}
	}
	return nil
}

// The named cameras.
const (
	nearZoom  = 2.0 // the scene overfills the view
	farPixels = 36  // about the height of the scene's picture
)

// frameCamera reads one value of --camera for a picture.
func frameCamera(text string, box geometry.Box, width, height int) (renderer.Camera, error) {
	words := strings.Split(text, ",")
	for i, word := range words {
		switch word {
		case "fit":
			words[i] = ""
		case "near":
			words[i] = fmt.Sprintf("zoom=%g", nearZoom)
		case "far":
			words[i] = fmt.Sprintf("zoom=%g", min(1, farPixels/float32(height)))
		}
	}
	return cli.ParseCamera(strings.Join(words, ","), box, float32(width)/float32(height))
}

// expandCameras splits a list of named cameras, which words of one camera cannot be.
func expandCameras(cameras []string) (list []string) {
	named := func(word string) bool { return word == "fit" || word == "near" || word == "far" }
	for _, text := range cameras {
		words := strings.Split(text, ",")
		if slices.ContainsFunc(words, func(w string) bool { return !named(w) }) {
			list = append(list, text)
			continue
		}
		list = append(list, words...)
	}
	return list
}

// frameShot is a picture to be drawn by all.
type frameShot struct {
	camera        string
	width, height int
}

// frameBench is what bench --frame was asked for, once it is checked.
type frameBench struct {
	*benchFlags
	frame   renderer.Frame // without scene, strategy, raster host and size
	configs []reuse.Config
	raw     bool // the graphics pipeline alone competes too
	rasters []renderer.RasterHost
	shots   []frameShot
}

// checkFrames reads the flags of bench --frame, before any file is opened.
func (f *benchFlags) checkFrames(frame renderer.Frame) (*frameBench, error) {
	fb := &frameBench{benchFlags: f, frame: frame}
	fb.frame.NoRaster, fb.frame.NoCounts, fb.frame.View = false, true, renderer.Shaded
	var err error
	if len(f.loads) != 1 {
		return nil, cli.Usagef("bench --frame takes one --load, got %d", len(f.loads))
	}
	if fb.frame.VertexShader, fb.frame.Load, err = cli.ParseLoad(f.loads[0]); err != nil {
		return nil, err
	}
	onCPU := f.Backend.Backend == cli.CPU
	simple := fb.frame.VertexShader == renderer.Transform && fb.frame.Load == 0
	switch named := slices.Contains(f.Strategies, renderer.HardwareStrategy); {
	case named && onCPU:
		return nil, cli.Usagef("--strategy %s excludes --backend %s", renderer.HardwareStrategy, cli.CPU)
	case named && !simple:
		return nil, cli.Usagef("--strategy %s has no vertex shader but the one that only transforms: it excludes --load %s", renderer.HardwareStrategy, f.loads[0])
	default:
		fb.raw = named || slices.Contains(f.Strategies, "all") && simple && !onCPU
	}
	if err := fb.readRasters(onCPU); err != nil {
		return nil, err
	}
	if !(f.frames.share >= 0 && f.frames.share <= 1) {
		return nil, cli.Usagef("--hardware-share %g: want 0 to 1", f.frames.share)
	}
	return fb, fb.readShots()
}

func (fb *frameBench) readRasters(onCPU bool) error {
	rasters := fb.frames.rasters
	if len(rasters) == 0 {
		rasters = []string{renderer.ComputeRaster.String(), renderer.HardwareRaster.String()}
		if onCPU {
			rasters = []string{renderer.SoftRaster.String()}
		}
	}
	for _, name := range rasters {
		r, err := cli.ParseRaster(name)
		if err != nil {
			return err
		}
		if (r == renderer.SoftRaster) != onCPU {
			return cli.Usagef("--raster %s excludes --backend %s", name, fb.Backend.Backend)
		}
		fb.rasters = append(fb.rasters, r)
	}
	return nil
}

func (fb *frameBench) readShots() error {
	if len(fb.frames.sizes) == 0 || len(fb.frames.cameras) == 0 {
		return cli.Usagef("bench --frame needs a --size and a --camera")
	}
	for _, size := range fb.frames.sizes {
		width, height, err := cli.ParseSize(size)
		if err != nil {
			return err
		}
		for _, text := range expandCameras(fb.frames.cameras) {
			if _, err := frameCamera(text, geometry.Box{Max: mgl32.Vec3{1, 1, 1}}, width, height); err != nil {
				return cli.Usagef("%w; or fit, near, far", err)
			}
			fb.shots = append(fb.shots, frameShot{text, width, height})
		}
	}
	return nil
}

// finalist is a whole frame with the times it has so far.
type finalist struct {
	plan  *plan.Plan
	whole *plan.Plan // the same, timed as a whole
	equal float64    // share of the pixels that equal the first finalist's
	runs  []*renderer.Output
	frame []time.Duration // of the whole, on the device
	host  []time.Duration // what the program waited for
}

func (c *finalist) name() string {
	return c.plan.Frame.StrategyName() + "/" + c.plan.Frame.Raster.String()
}

// benchFrames verifies all finalists on a scene for each shot, and times them.
func (fb *frameBench) benchFrames(b plan.Backend, path, order string, scene *geometry.Scene) ([]frameRow, error) {
	var rows []frameRow
	var field []*finalist
	for i, shot := range fb.shots {
		camera, err := frameCamera(shot.camera, scene.Bounds(), shot.width, shot.height)
		if err != nil {
			return nil, err
		}
		// Shots of one size share the plans.
		if i == 0 || shot.width != fb.shots[i-1].width || shot.height != fb.shots[i-1].height {
			if field, err = fb.enter(b, scene, camera, shot); err != nil {
				return nil, err
			}
		}
		if err := fb.compare(b, field, camera); err != nil {
			return nil, fmt.Errorf("%dx%d, camera %s: %w", shot.width, shot.height, shot.camera, err)
		}
		if err := fb.race(b, field, camera); err != nil {
			return nil, err
		}
		for _, one := range field {
			rows = append(rows, newFrameRows(path, order, b, shot, fb.frame.QueueBudget, one)...)
		}
	}
	return rows, nil
}

// enter plans every finalist at a size.
func (fb *frameBench) enter(b plan.Backend, scene *geometry.Scene, camera renderer.Camera, shot frameShot) ([]*finalist, error) {
	frame := fb.frame
	frame.Scene, frame.Width, frame.Height = scene, shot.width, shot.height
	var frames []renderer.Frame
	for _, c := range fb.configs {
		for _, r := range fb.rasters {
			f := frame
			f.Reuse, f.Raster = c, r
			frames = append(frames, f)
		}
	}
	if fb.raw {
		f := frame
		f.Raw, f.Raster = true, renderer.HardwareRaster
		frames = append(frames, f)
	}
	if keeper, ok := b.(interface{ Keep(plans int) }); ok {
		keeper.Keep(2 * len(frames))
	}
	field := make([]*finalist, len(frames))
	for i, f := range frames {
		_, p, err := plan.Render(b, f, camera, 0)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", f.StrategyName(), f.Raster, err)
		}
		whole := p.Frame // as it was planned in the end
		whole.TimeWhole = true
		one := &finalist{plan: p}
		if one.whole, err = plan.New(whole, b.Limits()); err != nil {
			return nil, err
		}
		field[i] = one
	}
	return field, nil
}

// race times the finalists, in turns.
func (fb *frameBench) race(b plan.Backend, field []*finalist, camera renderer.Camera) error {
	round := func(timed bool) error {
		for _, one := range field {
			out, err := b.Exec(one.plan, camera, 0)
			if err != nil {
				return fmt.Errorf("%s: %w", one.name(), err)
			}
			start := time.Now()
			whole, err := b.Exec(one.whole, camera, 0)
			if err != nil {
				return fmt.Errorf("%s: %w", one.name(), err)
			}
			if timed {
				one.host = append(one.host, time.Since(start))
				one.frame = append(one.frame, whole.Elapsed)
				one.runs = append(one.runs, out)
			}
		}
		return nil
	}
	for _, one := range field {
		one.runs, one.frame, one.host = nil, nil, nil
	}
	for begin := time.Now(); time.Since(begin) < warmUp; {
		if err := round(false); err != nil {
			return err
		}
	}
	for range fb.runs {
		if err := round(true); err != nil {
			return err
		}
	}
	return nil
}

// benchWholeFrames is bench --frame.
func (f *benchFlags) benchWholeFrames(stdout, stderr io.Writer, paths []string, frame renderer.Frame) error {
	fb, err := f.checkFrames(frame)
	if err != nil {
		return err
	}
	if fb.configs, err = fb.strategyConfigs(); err != nil {
		return err
	}
	var rows []frameRow
	notice := ""
	var left []string // of the files, what was left out
	err = f.Backend.Session(stderr, func(b plan.Backend) error {
		if len(fb.configs) > 0 {
			if fb.configs, notice, err = f.Runnable(b, fb.frame, fb.configs); err != nil {
				return err
			}
		}
		left, err = f.EachScene(paths, func(path, order string, scene *geometry.Scene) error {
			made, err := fb.benchFrames(b, path, order, scene)
			rows = append(rows, made...)
			return err
		})
		return err
	})
	if err != nil {
		return err
	}
	for _, line := range append(left, notice) {
		cli.Tell(stderr, line)
	}
	return cli.PrintRows(stdout, f.as, rows, writeFrameRows)
}

// strategyConfigs resolves the strategies beside hardware.
func (fb *frameBench) strategyConfigs() ([]reuse.Config, error) {
	f := fb.StrategyFlags
	if fb.raw {
		f.Strategies = slices.DeleteFunc(slices.Clone(f.Strategies), func(name string) bool { return name == renderer.HardwareStrategy })
		if len(f.Strategies) == 0 {
			f.Strategies, f.NoneAllowed = []string{cli.None}, true
		}
	}
	return f.Configs()
}
