package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/renderer"
)

// frameFlags are the flags of bench --frame.
type frameFlags struct {
	on      bool
	rasters []string
	sizes   []string
	cameras []string
	share   float64
}

// The named cameras.
const (
	nearZoom  = 2.0 // the scene is larger than the view
	farPixels = 36  // approximate height of the scene in the picture
)

func (f *frameFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.on, "frame", false, "time whole frames: strategies with each raster host, and hardware, the graphics pipeline alone")
	flags.StringSliceVar(&f.rasters, "raster", nil, "raster hosts (default compute,hardware; soft on the cpu); without --frame mesh, whose shader is then timed without a rasterizer")
	flags.StringSliceVar(&f.sizes, "size", []string{"1280x720"}, "picture sizes in pixels; with --cull the size of the picture that is culled for")
	flags.StringArrayVar(&f.cameras, "camera", []string{"fit"},
		fmt.Sprintf("fit, near (%gx as close), far (%d pixels high) or a camera as render takes it; may be repeated", nearZoom, farPixels))
	flags.Float64Var(&f.share, "hardware-share", 0.995, "share of pixels in which pictures of the hardware rasterizer must equal the first; the others must lie at edges; 0 takes any picture")
}

// frameCamera parses one value of --camera for a picture.
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

// expandCameras splits a list of named cameras. A single camera given by numbers stays whole.
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

// shot parses one value of --size and one of --camera, and checks them before any scene is read.
func shot(size, camera string) measure.Shot {
	width, height, err := cli.ParseSize(size)
	must.OK(err)
	if _, err := frameCamera(camera, geometry.Box{Max: mgl32.Vec3{1, 1, 1}}, width, height); err != nil {
		must.OK(cli.Usagef("%w; or fit, near, far", err))
	}
	return measure.Shot{Name: camera, Width: width, Height: height, Camera: func(f *renderer.Frame) (renderer.Camera, error) {
		return frameCamera(camera, f.Scene.Bounds(), width, height)
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
	fs.Rasters = f.readRasters(onCPU)
	for _, size := range f.frames.sizes {
		for _, camera := range expandCameras(f.frames.cameras) {
			fs.Shots = append(fs.Shots, shot(size, camera))
		}
	}
	alone := named || slices.Contains(f.Strategies, cli.All) && simple && !onCPU && f.subdivide.Levels == 0
	strategies := f.StrategyFlags
	if fs.Raw = alone; alone { // then no strategy may be named
		strategies.Strategies = slices.DeleteFunc(slices.Clone(f.Strategies), func(name string) bool { return name == renderer.HardwareStrategy })
		if len(strategies.Strategies) == 0 {
			strategies.Strategies, strategies.NoneAllowed = []string{cli.None}, true
		}
	}
	fs.Configs = must.Get(strategies.Configs())
	return fs
}

func (f *benchFlags) readRasters(onCPU bool) (list []renderer.RasterHost) {
	switch {
	case len(f.frames.rasters) > 0:
	case onCPU:
		return []renderer.RasterHost{renderer.SoftRaster}
	default:
		return []renderer.RasterHost{renderer.ComputeRaster, renderer.HardwareRaster}
	}
	for _, name := range f.frames.rasters {
		r := must.Get(cli.ParseRaster(name))
		if (r == renderer.SoftRaster) != onCPU {
			must.OK(cli.Usagef("--raster %s excludes --backend %s", name, f.Backend.Backend))
		}
		list = append(list, r)
	}
	return list
}
