package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	pixels "image/draw"
	"image/png"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/atomicfile"
	"github.com/shadeonce/shadeonce/internal/base/bytesize"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/measure/print"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/renderer/shade"
	"github.com/shadeonce/shadeonce/renderer"
)

// renderFlags are the flags of the render command.
type renderFlags struct {
	sceneFlags
	cli.LookFlags
	cli.MarkFlags
	output, view, size, raster, camera, load, palette, pass string
	plan, noLegend                                          bool
	time                                                    float32 // seconds into the file's animation; cli.RestTime for the stored shape
	animation                                               string
	repeat                                                  int
	side                                                    int // samples along each side of a pixel
}

func newRender(open cli.Opener) *cobra.Command {
	var f renderFlags
	cmd := newCommand("render", oneFile, f.render)
	f.sceneFlags.add(cmd, open, "claim", cli.QueueBudgetDefault)
	f.Besides = []string{renderer.HardwareStrategy}
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
	flags.Float32Var(&f.time, "time", cli.RestTime, cli.TimeHelp)
	flags.StringVar(&f.animation, "animation", "", cli.AnimationHelp)
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
		cli.CheckTime(f.time), f.read(&frame), f.LookFlags.Apply(&frame), cli.Read(&load, parseLoad, f.load),
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

// checkOutput returns an error for a file that cannot be written, or whose name has the ending of
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

// rendering draws a file's picture in memory, in the frame that the flags ask for.
type rendering struct {
	*renderFlags
	path        string
	frame       renderer.Frame
	camera      renderer.Camera
	text, image bytes.Buffer
	note        string // about the timings
}

// render draws a file's picture. It writes the picture and the text only after everything has succeeded.
func (f *renderFlags) render(to streams, args []string) error {
	r := rendering{renderFlags: f, path: args[0]}
	r.frame = f.frame()
	must.OK(cmp.Or(cli.CheckPass(r.path, f.pass), cli.CheckCamera(f.camera, r.aspect()), f.checkOutput()))
	shader := must.Get(f.shader.Open(to.err))
	m := cli.NewMeter(to.err)
	defer m.Wipe()
	readers := f.shader.Readers().Textures().Animated().Pass(f.pass)
	scene := must.Get(cli.OpenUntilInterrupted(m.Stage(0, .3, "reading %s", r.path), r.path, readers))
	scene = must.Get(cli.Posed(r.path, scene, f.time, f.animation))
	return cli.Guard(r.path, scene, func() (err error) {
		defer must.Catch(&err)
		r.place(m, to, scene, shader)
		err = f.Backend.Session(to.err, func(b plan.Backend) (err error) {
			defer must.Catch(&err)
			must.OK(r.suit(b))
			if r.plan {
				return measure.About(r.path, r.drawPlan(b))
			}
			return measure.About(r.path, r.draw(m.Stage(.4, 1, "drawing %s", r.path), b))
		})
		m.Wipe()
		must.OK(cmp.Or(err, scene.Changed())) // report a changed scene file before anything is written
		return r.write(to, scene)
	})
}

func (r *rendering) aspect() float32 { return float32(r.frame.Width) / float32(r.frame.Height) }

// place sets the frame's scene with its shading and marks, and the camera.
func (r *rendering) place(m *cli.Meter, to streams, scene *geometry.Scene, shader *shade.Shader) {
	scene = must.Get(order.Apply(m.Stage(.3, .4, "ordering %s by %s", r.path, r.Orders[0]), scene, r.Orders[0]))
	var err error
	r.frame.Scene, err = r.subdivide.Apply(to.err, scene)
	must.OK(measure.About(r.path, err))
	shading, err := shader.Shading(r.frame.Scene, cli.ShownOf(r.view))
	must.OK(measure.About(r.path, err))
	cli.TellNotes(to.err, shading)
	r.frame.Shading = shading
	r.frame.Marks = must.Get(r.Marks(r.frame.Scene))
	r.camera, err = cli.SceneCamera(r.renderFlags.camera, cli.SeenBounds(r.frame.Scene, r.frame.Marks), r.frame.Scene.View(), r.aspect())
	must.OK(measure.About(r.path, err))
}

// write writes the picture, and prints the text: to standard error if the picture goes to
// standard output.
func (r *rendering) write(to streams, scene *geometry.Scene) (err error) {
	says := to.said
	if r.plan || r.repeat > 0 {
		says = to.out
	}
	switch {
	case r.image.Len() == 0:
	case r.output == cli.Standard:
		says = to.err
		_, err = to.out.Write(r.image.Bytes())
	default:
		err = cli.UntilInterrupted(func(ctx context.Context) error { return atomicfile.Output(ctx, r.output, r.image.Bytes()) })
	}
	if err != nil {
		return err
	}
	cli.Tell(to.err, cli.LeftOut(r.path, scene))
	cli.Tell(to.err, r.note)
	_, err = says.Write(r.text.Bytes())
	return err
}

// suit fits the frame to a backend, or returns an error if the backend cannot draw it.
func (r *rendering) suit(b plan.Backend) error {
	onCPU := b.Info().Name == cli.CPU
	if r.frame.Raw {
		if onCPU {
			return fmt.Errorf("--strategy %s needs Vulkan: the %s backend has no graphics pipeline", renderer.HardwareStrategy, cli.CPU)
		}
		return nil
	}
	if onCPU {
		r.frame.Raster = renderer.SoftRaster
	}
	_, _, err := r.Runnable(b, r.frame, []reuse.Config{r.frame.Reuse})
	return err
}

// drawPlan prints the plans of the picture and, on request, draws the last one.
func (r *rendering) drawPlan(b plan.Backend) error {
	plans, err := measure.Plans(b, r.frame, r.camera)
	for i, p := range plans {
		if i > 0 {
			r.text.WriteByte('\n')
		}
		fmt.Fprint(&r.text, p)
	}
	if err == nil && r.output != "" && r.output != cli.Standard {
		r.image.WriteString(plans[len(plans)-1].Drawing(0))
	}
	return err
}

// draw draws the frame, repeatedly if it is timed.
func (r *rendering) draw(ctx context.Context, b plan.Backend) (err error) {
	defer must.Catch(&err)
	want := renderer.WantColor | renderer.WantCounts
	var counted *reuse.Stats // nil for a raw frame that the device cannot count
	if r.frame.Raw {
		want = renderer.WantColor
		counted = must.Get(showHardware(b, &r.frame))
	}
	if r.Transparent {
		want |= renderer.WantDepth
	}
	render := plan.Render
	if r.repeat == 0 && measure.ByShape(&r.frame) {
		render, want = measure.RenderByShape, want&^renderer.WantCounts
	}
	b.Set(plan.Options{Progress: func(done float64) error { progress.Tell(ctx, done); return context.Cause(ctx) }})
	out, p, err := render(b, r.frame, r.camera, want)
	b.Set(plan.Options{})
	must.OK(err)
	if !r.frame.Raw {
		counted = &out.Stats
	}
	legendless := false
	if r.output != "" {
		var img pixels.Image
		img, legendless = r.picture(p, out, counted)
		must.OK(png.Encode(&r.image, img))
	}
	if r.repeat == 0 {
		r.say(b, p, out, counted, legendless)
		return nil
	}
	of := measure.Subject{File: r.path, Order: r.Orders[0], Scene: r.frame.Scene}
	rows := must.Get(measure.Repeat(ctx, b, of, p, r.camera, out.Culling, r.repeat))
	r.note = softwareNote(b, r.as.JSON || r.as.CSV)
	return cli.PrintRows(&r.text, r.as, rows, print.WriteTimings)
}

// showHardware counts how often the graphics pipeline shades each vertex. The counts view of a raw frame
// needs these counts; for other views stats is nil if the device cannot count.
func showHardware(b plan.Backend, frame *renderer.Frame) (stats *reuse.Stats, err error) {
	counts, _, err := measure.CountHardware(b, frame.Scene)
	switch shown := frame.View == renderer.Counts; {
	case err != nil && !shown:
		return nil, nil // other views do not need the counts
	case err != nil:
		return nil, err
	case shown:
		frame.Shown = counts
	}
	st, err := reuse.NewStats(frame.Scene, counts)
	return &st, err
}

// picture returns the picture to write: one pixel per square of samples, without background or
// legend if the flags say so. legendless reports that the legend did not fit.
func (r *rendering) picture(p *plan.Plan, out *renderer.Output, counted *reuse.Stats) (img pixels.Image, legendless bool) {
	img = out.Color
	if r.Transparent || r.side > 1 {
		samples := &image.NRGBA{Pix: out.Color.Pix, Stride: out.Color.Stride, Rect: out.Color.Rect} // opaque pixels are equal with straight and with premultiplied alpha
		if r.Transparent {
			picture.CutOut(samples, out.Color, out.Depth, samples.Rect)
		}
		img = picture.Shrink(samples, r.side)
	}
	return img, counted != nil && !r.noLegend && !picture.DrawLegend(img, r.frame.Look.BackgroundColor(), p.Legend(*counted, &out.Seen))
}

// say prints what was drawn. `counted` is nil if nothing could be counted.
func (r *rendering) say(b plan.Backend, p *plan.Plan, out *renderer.Output, counted *reuse.Stats, legendless bool) {
	frame, text := &r.frame, &r.text
	size := fmt.Sprintf("%dx%d", frame.Width/r.side, frame.Height/r.side)
	fmt.Fprintf(text, "%s: %s, %s of %s, %s on %s\n", names.Printable(r.output), size, frame.View, frame.Scene.Name, p.Frame.StrategyName(), b.Info().Device)
	fmt.Fprint(text, p.Choice)
	switch {
	case out.Culling != (renderer.Culling{}):
		fmt.Fprintf(text, "culled: %s\n", out.Culling)
	case counted != nil:
		fmt.Fprintf(text, "reuse %.4f of %.4f ideal, %s for %s\n", counted.Reuse(), counted.Ideal(),
			names.Count(counted.Invocations, "invocation"), names.Count(counted.Triangles, "triangle"))
	}
	if frame.View == renderer.Counts {
		fmt.Fprintln(text, seenText(&out.Seen, frame.Palette, map[bool]string{true: "pixel", false: "sample"}[r.side == 1]))
	}
	if note := frame.Scene.PlaceNote(frame.Hides); note != "" {
		fmt.Fprintln(text, names.Printable(note))
	}
	if legendless {
		fmt.Fprintf(text, "no legend: %s pixels are too few\n", size)
	}
	if out.DeviceBytes > 0 {
		fmt.Fprintf(text, "device memory %s at most, %s, %s\n", bytesize.Text(out.DeviceBytes), names.Count(len(p.Chunks), "chunk"), p.Holds())
	}
	if p.Meshlets.Table != nil {
		fmt.Fprintf(text, "batches listed beforehand, on the host, in %.3f ms\n", measure.Milliseconds(p.Batching))
	}
	if len(out.Timings) > 0 {
		fmt.Fprintln(text, "times of a first frame, which may compile shaders; --repeat N times those after it:")
	}
	for _, t := range out.Timings {
		fmt.Fprintf(text, "  %-18s %9.3f ms\n", t.Pass, t.Duration.Seconds()*1e3)
	}
}

// seenText describes the counts that the pixels or samples of a counts view show.
func seenText(s *picture.Seen, p picture.Palette, what string) string {
	var parts []string
	labels := p.Labels()
	for i, share := range s.Shares() {
		if s.Times[i] > 0 {
			parts = append(parts, strings.Replace(labels[i]+"x ", "+x", "x+", 1)+share)
		}
	}
	if parts == nil {
		return "seen: nothing"
	}
	return fmt.Sprintf("seen: %s of %s", strings.Join(parts, ", "), names.Count(s.Drawn(), what))
}
