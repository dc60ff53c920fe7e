package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image/png"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/bytesize"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/names"
	"github.com/shadeonce/shadeonce/internal/progress"
	"github.com/shadeonce/shadeonce/internal/replace"
	"github.com/shadeonce/shadeonce/internal/tables"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/picture"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// renderFlags are those of the render command.
type renderFlags struct {
	cli.StrategyFlags
	cli.CullFlags
	cli.LookFlags
	cli.MarkFlags
	subdivide                                       cli.SubdivideFlags
	shader                                          cli.ShaderFlags
	output, view, size, raster, camera, queue, load string
	palette                                         string
	rasterGiven, plan, noLegend                     bool
	side                                            int // of the square of samples that a pixel has
	memory                                          cli.MemoryFlags
	repeat                                          int
	as                                              cli.OutputFlags // of the timings
}

func newRender(open cli.Opener) *cobra.Command {
	var f renderFlags
	f.Backend.Open = open
	cmd := &cobra.Command{
		Use:   "render FILE -o out.png",
		Short: "Draw a mesh into a PNG, coloured by how often each vertex was shaded",
		Long: "Draws a mesh into a PNG. The views: counts (how often each vertex was shaded, green once\n" +
			"to dark red six times and more), batches (which batch shaded it), shaded (its colours\n" +
			"under a headlight). --repeat measures: it draws frames after a first that does not\n" +
			"count, and prints the milliseconds of each pass and of the frame.",
		Example: "  shadeonce render bunny.ply -o bunny.png\n" +
			"  shadeonce render bunny.ply -o back.png --view batches --camera back,el=15,zoom=1.5\n" +
			"  shadeonce render bunny.ply --repeat 100 --json\n" +
			"  shadeonce render asset:city --plan",
		Args: files(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.rasterGiven = cmd.Flags().Changed("raster")
			return f.render(cmd.OutOrStdout(), cmd.ErrOrStderr(), args[0])
		},
	}
	f.StrategyFlags.Add(cmd.Flags(), "warp")
	f.CullFlags.Add(cmd.Flags())
	f.LookFlags.Add(cmd.Flags())
	f.MarkFlags.Add(cmd.Flags())
	f.subdivide.Add(cmd.Flags())
	f.shader.Add(cmd.Flags())
	flags := cmd.Flags()
	flags.Lookup("strategy").Usage = "strategy `name`: " + cli.StrategyNames() + "; or hardware: the graphics pipeline alone, without compute"
	flags.StringVarP(&f.output, "output", "o", "", "the PNG `file` to write, or - for standard output; with --plan an SVG")
	flags.StringVar(&f.view, "view", "counts", cli.ViewHelp())
	flags.StringVar(&f.palette, "palette", "paper", "colour map of the counts: "+strings.Join(picture.CountPaletteNames, ", "))
	flags.StringVar(&f.size, "size", "1280x720", "picture size in pixels")
	flags.StringVar(&f.raster, "raster", renderer.AutoRaster.String(), "who rasterizes: "+strings.Join(renderer.RasterHostNames, ", "))
	flags.StringVar(&f.queue, "queue", "indexed", "queue form: "+strings.Join(renderer.QueueFormNames, ", "))
	flags.StringVar(&f.load, "load", renderer.SimpleLoad, "the vertex shader: "+cli.LoadHelp())
	flags.StringVar(&f.camera, "camera", "", cli.CameraHelp)
	f.memory.Add(flags, cli.QueueBudgetDefault)
	flags.BoolVar(&f.plan, "plan", false, "print the plan and draw no picture; -o out.svg draws the plan itself")
	flags.BoolVar(&f.noLegend, "no-legend", false, "leave the legend out of the picture")
	flags.IntVar(&f.repeat, "repeat", 0, "draw so many `frames` and print their timings")
	f.as.Add(flags)
	flags.Lookup("json").Usage = "with --repeat: print one JSON array"
	flags.Lookup("csv").Usage = "with --repeat: print CSV, its columns named as the JSON's fields"
	cli.CompleteValues(cmd, nil)
	return cmd
}

// check refuses flags that contradict each other.
func (f *renderFlags) check() error {
	if err := f.as.Check(); err != nil {
		return err
	}
	switch {
	case f.repeat < 0 || f.repeat > measure.MaxRuns:
		return cli.Usagef("--repeat %d: want 1 to %d frames", f.repeat, measure.MaxRuns)
	case (f.as.JSON || f.as.CSV) && f.repeat == 0:
		return cli.Usagef("render: --json and --csv print timings: they need --repeat")
	case f.plan && f.repeat > 0:
		return cli.Usagef("--plan draws nothing: it excludes --repeat")
	case f.repeat > 0 && f.Samples > 1:
		return cli.Usagef("--repeat times pictures of one sample per pixel: it excludes --samples")
	case f.output == "" && !f.plan && f.repeat == 0:
		return cli.Usagef("render: no output: -o out.png")
	case f.raster == renderer.SoftRaster.String():
		return f.Backend.PreferCPU()
	case f.rasterGiven && f.raster != renderer.AutoRaster.String() && f.Backend.Backend == cli.CPU:
		return cli.Usagef("--backend cpu has only the soft raster host: it excludes --raster %s", f.raster)
	}
	return f.Backend.Check()
}

// frame turns the flags into a frame without its scene.
func (f *renderFlags) frame() (frame renderer.Frame, err error) {
	if frame.Raw, err = f.takeRaw(); err != nil {
		return frame, err
	}
	configs, err := f.Configs()
	if err != nil {
		return frame, err
	}
	if (len(configs) != 1 && !frame.Raw) || len(f.Orders) != 1 {
		return frame, cli.Usagef("render takes one strategy and one order, got %d and %d", len(configs), len(f.Orders))
	}
	if !frame.Raw {
		frame.Reuse = configs[0]
	}
	if err = cmp.Or(
		cli.Read(&frame.View, cli.ParseShown, f.view),
		cli.Read(&frame.Palette, cli.ParsePalette, f.palette),
		cli.Read(&frame.Raster, cli.ParseRaster, f.raster),
		cli.Read(&frame.Queue, cli.ParseQueue, f.queue),
		cli.Read(&frame.Subgroups, cli.ParseSubgroups, f.Subgroups),
	); err != nil {
		return frame, err
	}
	if frame.Look, err = f.LookFlags.Read(); err != nil {
		return frame, err
	}
	if frame.VertexShader, frame.Load, err = cli.ParseLoad(f.load); err != nil {
		return frame, err
	}
	if err = f.checkShader(&frame); err != nil {
		return frame, err
	}
	if err = f.subdivide.Check(frame.Raw, frame.VertexShader); err != nil {
		return frame, err
	}
	if err = f.memory.Apply(&frame); err != nil {
		return frame, err
	}
	if frame.Width, frame.Height, err = cli.ParseSize(f.size); err != nil {
		return frame, err
	}
	if f.side, err = f.Sampled(&frame); err != nil {
		return frame, err
	}
	return frame, f.CullFlags.Apply(&frame)
}

// render writes nothing, neither file nor text, unless all of it succeeds.
func (f *renderFlags) render(stdout, stderr io.Writer, path string) error {
	frame, err := f.frame()
	if err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	aspect := float32(frame.Width) / float32(frame.Height)
	if err := cli.CheckCamera(f.camera, aspect); err != nil {
		return err
	}
	if err := f.checkOutput(); err != nil {
		return err
	}
	shader, err := f.shader.Open(stderr, f.view)
	if err != nil {
		return err
	}
	m := cli.NewMeter(stderr)
	defer m.Wipe()
	open := cli.OpenUntilInterrupted
	if _, foreign := f.shader.Ours(); foreign {
		open = cli.OpenAttributes
	}
	scene, err := open(m.Stage(0, .3, "reading %s", path), path)
	if err != nil {
		return err
	}
	return cli.Guard(path, scene, func() error { return f.renderScene(m, stdout, stderr, path, scene, frame, shader) })
}

// renderScene draws a scene in the frame that the flags ask for.
func (f *renderFlags) renderScene(m *cli.Meter, stdout, stderr io.Writer, path string, scene *geometry.Scene, frame renderer.Frame, shader cli.VertexShader) (err error) {
	aspect := float32(frame.Width) / float32(frame.Height)
	if frame.Scene, err = order.Apply(m.Stage(.3, .4, "ordering %s by %s", path, f.Orders[0]), scene, f.Orders[0]); err != nil {
		return err
	}
	if frame.Scene, err = f.subdivide.Apply(stderr, frame.Scene); err != nil {
		return measure.About(path, err)
	}
	if frame.Shading, err = shader.Shading(frame.Scene); err != nil {
		return measure.About(path, err)
	}
	if frame.Marks, err = f.Marks(len(frame.Scene.Draws)); err != nil {
		return err
	}
	camera, err := cli.SceneCamera(f.camera, cli.SeenBounds(frame.Scene, frame.Marks), frame.Scene.View(), aspect)
	if err != nil {
		return measure.About(path, err)
	}
	var text, image bytes.Buffer
	err = f.Backend.Session(stderr, func(b plan.Backend) error {
		if err := f.suit(b, &frame); err != nil {
			return err
		}
		if f.plan {
			if frame.Raw && frame.View == renderer.Counts {
				frame.Shown = make([]uint32, frame.Scene.DrawVertices()) // counted when it is drawn
			}
			if measure.ByShape(&frame) {
				_, counts := reuse.ShapeOffsets(frame.Scene)
				frame.Shown, frame.ShownByShape = make([]uint32, counts), true
			}
			p, err := plan.New(frame, b.Limits())
			if err != nil {
				return measure.About(path, err)
			}
			if f.drawsPlan() {
				image.WriteString(p.Drawing(0))
			}
			_, err = fmt.Fprint(&text, p)
			return err
		}
		return measure.About(path, f.draw(m.Stage(.4, 1, "drawing %s", path), b, frame, camera, path, &text, &image))
	})
	m.Wipe()
	if err == nil {
		err = scene.Changed() // before anything is written
	}
	if err != nil {
		return err
	}
	says := stdout
	switch {
	case image.Len() == 0:
	case f.output == cli.Standard:
		says = stderr
		_, err = stdout.Write(image.Bytes())
	default:
		err = writePicture(f.output, image.Bytes())
	}
	if err != nil {
		return err
	}
	cli.Tell(stderr, cli.LeftOut(path, scene))
	_, err = says.Write(text.Bytes())
	return err
}

// drawsPlan says whether the plan itself is drawn.
func (f *renderFlags) drawsPlan() bool { return f.plan && f.output != "" && f.output != cli.Standard }

// checkOutput refuses a file that cannot be written, or whose name says that it is of
// another kind.
func (f *renderFlags) checkOutput() error {
	if f.output == "" || f.output == cli.Standard {
		return nil
	}
	kind, signature, ext := "PNG", pngSignature, ".png"
	if f.plan {
		kind, signature, ext = "SVG", svgSignature, ".svg"
	}
	if err := replace.CheckFile(f.output, kind, signature); err != nil {
		return err
	}
	if has := strings.ToLower(filepath.Ext(f.output)); has != "" && has != ext {
		return cli.Usagef("-o %s: what is written is %s: want a name that ends in %s", f.output, kind, ext)
	}
	return nil
}

// suit checks that the backend can draw the frame.
func (f *renderFlags) suit(b plan.Backend, frame *renderer.Frame) error {
	if frame.Raw {
		if b.Name() == cli.CPU {
			return fmt.Errorf("--strategy %s needs Vulkan: the %s backend has no graphics pipeline", renderer.HardwareStrategy, b.Name())
		}
		return nil
	}
	if b.Name() == cli.CPU {
		frame.Raster = renderer.SoftRaster
	}
	_, _, err := f.Runnable(b, *frame, []reuse.Config{frame.Reuse})
	return err
}

// draw draws the frame, and again when it is to be measured.
func (f *renderFlags) draw(ctx context.Context, b plan.Backend, frame renderer.Frame, camera renderer.Camera, path string, text, image io.Writer) error {
	want := renderer.WantColor | renderer.WantCounts
	var counted *reuse.Stats // of a raw frame, where the device can count
	var err error
	if frame.Raw {
		want = renderer.WantColor
		if counted, err = showHardware(b, &frame); err != nil {
			return err
		}
	}
	if f.Transparent {
		want |= renderer.WantDepth
	}
	render := plan.Render
	if f.repeat == 0 && measure.ByShape(&frame) {
		render, want = measure.RenderByShape, want&^renderer.WantCounts
	}
	tell(b, func(done float64) { progress.Tell(ctx, done) })
	out, p, err := render(b, frame, camera, want)
	tell(b, nil)
	if err != nil {
		return err
	}
	if !frame.Raw {
		counted = &out.Stats
	}
	legendless := false
	if f.output != "" {
		var legend *picture.Panel
		if counted != nil {
			says := p.Legend(*counted, &out.Seen)
			legend = &says
		}
		img, without := f.picture(out, legend)
		legendless = without
		if err := png.Encode(image, img); err != nil {
			return err
		}
	}
	if f.repeat > 0 {
		of := measure.Subject{File: path, Order: f.Orders[0], Scene: frame.Scene}
		rows, err := measure.Repeat(ctx, b, of, p, camera, out.Culling, f.repeat)
		if err != nil {
			return err
		}
		return cli.PrintRows(text, f.as, rows, tables.WriteTimings)
	}
	fmt.Fprintf(text, "%s: %dx%d, %s of %s, %s on %s\n", names.Printable(f.output), frame.Width/f.side, frame.Height/f.side, frame.View, frame.Scene.Name, p.Frame.StrategyName(), b.Device())
	fmt.Fprint(text, p.Choice)
	switch {
	case frame.Cull:
		fmt.Fprintf(text, "culled: %s\n", out.Culling)
	case counted != nil:
		fmt.Fprintf(text, "reuse %.4f of %.4f ideal, %s for %s\n", counted.Reuse(), counted.Ideal(),
			names.Count(counted.Invocations, "invocation"), names.Count(counted.Triangles, "triangle"))
	}
	if frame.View == renderer.Counts {
		fmt.Fprintln(text, seenText(&out.Seen, frame.Palette, map[bool]string{true: "pixel", false: "sample"}[f.side == 1]))
	}
	if note := frame.Scene.PlaceNote(); note != "" {
		fmt.Fprintln(text, note)
	}
	if legendless {
		fmt.Fprintf(text, "no legend: %dx%d pixels are too few\n", frame.Width/f.side, frame.Height/f.side)
	}
	if out.DeviceBytes > 0 {
		fmt.Fprintf(text, "device memory %s at most, %s, %s\n", bytesize.Text(out.DeviceBytes), names.Count(len(p.Chunks), "chunk"), windowText(p))
	}
	if frame.Reuse.Strategy != nil && frame.Reuse.Strategy.Listed {
		fmt.Fprintf(text, "batches listed beforehand, on the host, in %.3f ms\n", measure.Milliseconds(p.Batching))
	}
	for _, t := range out.Timings {
		fmt.Fprintf(text, "  %-18s %9.3f ms\n", t.Pass, t.Duration.Seconds()*1e3)
	}
	return nil
}

// tell has a backend tell how far a frame is.
func tell(b plan.Backend, progress func(done float64)) {
	if t, ok := b.(interface{ Tell(func(done float64)) }); ok {
		t.Tell(progress)
	}
}

// windowText says how much of the scene the device holds.
func windowText(p *plan.Plan) string {
	switch {
	case !p.Windowed():
		return "the whole scene on the device"
	case p.Gathered:
		return "the scene in " + names.Count(len(p.Windows), "window")
	}
	return "the scene's draws in " + names.Count(len(p.Windows), "window")
}
