package main

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shadeonce/shadeonce/internal/base/atomicfile"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// renderFlags are the flags of the render command. render_scene.go draws with them and says what
// was drawn.
type renderFlags struct {
	sceneFlags
	cli.LookFlags
	cli.MarkFlags
	output, view, size, raster, camera, load, palette, pass string
	plan, noLegend                                          bool
	repeat                                                  int
	side                                                    int // side of a pixel's square of samples
}

func newRender(open cli.Opener) *cobra.Command {
	var f renderFlags
	cmd := newCommand("render", oneFile, f.render)
	f.sceneFlags.add(cmd, open, "warp", cli.QueueBudgetDefault)
	flags := cmd.Flags()
	f.LookFlags.Add(flags)
	f.MarkFlags.Add(flags)
	flags.StringVarP(&f.output, "output", "o", "", "the PNG `file` to write, or - for standard output; with --plan an SVG")
	flags.StringVar(&f.view, "view", "counts", cli.ViewHelp())
	flags.StringVar(&f.palette, "palette", "paper", "colour map of the counts: "+strings.Join(picture.CountPaletteNames, ", "))
	flags.StringVar(&f.size, "size", "1280x720", "picture size in pixels")
	flags.StringVar(&f.raster, "raster", renderer.AutoRaster.String(), "who rasterizes: "+strings.Join(renderer.RasterHostNames, ", "))
	flags.StringVar(&f.load, "load", renderer.SimpleLoad, "the vertex shader: "+cli.LoadHelp())
	flags.StringVar(&f.camera, "camera", "", cli.CameraHelp)
	flags.StringVar(&f.pass, "pass", "", cli.PassHelp)
	flags.BoolVar(&f.plan, "plan", false, "print the plan and draw no picture; -o out.svg draws the plan itself")
	flags.BoolVar(&f.noLegend, "no-legend", false, "leave the legend out of the picture")
	flags.IntVar(&f.repeat, "repeat", 0, "draw so many `frames` and print their timings")
	for flag, usage := range map[string]string{
		"strategy": "strategy `name`: " + cli.StrategyNames() + "; or hardware: the graphics pipeline alone, without compute",
		"json":     "print the timings as one JSON array",
		"csv":      "print the timings as CSV, its columns named as the JSON's fields",
	} {
		flags.Lookup(flag).Usage = usage
	}
	cli.CompleteValues(cmd, nil)
	return cmd
}

// frame turns the flags into a frame without its scene. --strategy hardware names no strategy:
// the graphics pipeline draws the scene's own buffers.
func (f *renderFlags) frame() (frame renderer.Frame) {
	raw := slices.Equal(f.Strategies, []string{renderer.HardwareStrategy})
	if frame.Raw = raw; raw {
		f.Strategies, f.NoneAllowed = []string{cli.None}, true
	}
	configs := must.Get(f.Configs())
	switch {
	case len(f.Orders) != 1 || len(configs) != 1 && !raw:
		must.OK(cli.Usagef("render takes one strategy and one order, got %d and %d", len(configs), len(f.Orders)))
	case !raw:
		frame.Reuse = configs[0]
	}
	var load measure.Load
	must.OK(cmp.Or(
		cli.Read(&frame.View, cli.ParseShown, f.view),
		cli.Read(&frame.Palette, cli.ParsePalette, f.palette),
		cli.Read(&frame.Raster, cli.ParseRaster, f.raster),
		f.read(&frame), f.LookFlags.Apply(&frame), cli.Read(&load, parseLoad, f.load),
		f.shader.Check(), f.as.Check(), cli.InRange("repeat", f.repeat, 0, measure.MaxRuns),
	))
	frame.VertexShader, frame.Load = load.Shader, load.Cycles
	given := f.modes()
	if ours, _ := f.shader.Ours(); ours != renderer.Transform {
		frame.VertexShader, given[plan.OurShader] = ours, "--vertex-shader "+f.shader.Name
	}
	must.OK(cli.Refuse(&frame, given))
	if f.output == "" && !f.plan && f.repeat == 0 {
		must.OK(cli.Usagef("render: no output: -o out.png"))
	}
	if frame.Raster == renderer.SoftRaster {
		f.Backend.Backend = cli.CPU
	}
	var err error
	frame.Width, frame.Height, err = cli.ParseSize(f.size)
	must.OK(err)
	f.side = must.Get(f.Sampled(&frame))
	must.OK(f.Backend.Check())
	return frame
}

// checkOutput returns an error for a file that cannot be written, or whose name is that of
// another kind of file.
func (f *renderFlags) checkOutput() error {
	if f.output == "" || f.output == cli.Standard {
		return nil
	}
	kind, signature, ext := "PNG", "\x89PNG\r\n\x1a\n", ".png"
	if f.plan {
		kind, signature, ext = "SVG", "<svg ", ".svg"
	}
	if has := strings.ToLower(filepath.Ext(f.output)); has != "" && has != ext {
		return cli.Usagef("-o %s: the output is %s: want a name that ends in %s", f.output, kind, ext)
	}
	return atomicfile.CheckFile(f.output, kind, signature)
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

// add adds the flags. strategies is the default of --strategy; budget describes the default of
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

// modes maps each mode that flags ask for to the flag, since a frame without its scene does not
// show them.
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
