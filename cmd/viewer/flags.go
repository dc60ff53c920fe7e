package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/internal/loading"
	"github.com/shadeonce/shadeonce/internal/names"
	"github.com/shadeonce/shadeonce/internal/views"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/picture"
)

// rawFlags are the flags before they are checked.
type rawFlags struct {
	plain                            options // that need no reading
	queue, view, subgroups           string
	raster, palette, cullFaces, size string
	queueBudget, deviceBudget        string
	compare, compareView, from       string
	panelsGiven, sizeGiven, cull     bool
	loadGiven                        bool
	draw                             int
	app                              string
	up                               string
	look                             cli.LookFlags
}

func (f *rawFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.plain.settings.Strategy, "strategy", reuse.Auto, "strategy to begin with: "+strings.Join(reuse.Choices(), ", "))
	flags.IntVar(&f.plain.settings.Lanes, "lanes", reuse.DefaultLanes, "lanes per subgroup: "+strings.Join(views.LanesKnob.Values, ", "))
	flags.IntVar(&f.plain.settings.Batch, "batch", 0, "indices per batch, a multiple of 3 (default: the strategy's own, fitted to scene and device)")
	flags.IntVar(&f.plain.settings.Unique, "unique", 0, "unique vertices per batch at most, which makes batches dynamic (default: static batches)")
	flags.StringVar(&f.plain.settings.Load, "load", renderer.SimpleLoad, fmt.Sprintf("what a shaded vertex costs: %s, or 0 to %d cycles", strings.Join(views.LoadNames(), ", "), renderer.MaxLoad))
	f.plain.shader.Add(flags)
	flags.StringVar(&f.raster, "raster", renderer.AutoRaster.String(), "who draws the triangles: "+strings.Join(views.RasterKnob.Values, ", "))
	flags.StringVar(&f.queueBudget, "queue-budget", "", fmt.Sprintf("%s (default %s)", cli.QueueBudgetHelp, cli.QueueBudgetDefault))
	flags.StringVar(&f.deviceBudget, "device-budget", "", "device memory for a picture, of which a comparison has two: a scene that needs more is uploaded in windows (default what the device has)")
	flags.BoolVar(&f.cull, "cull", false, "drop triangles that show nothing before attributes are shaded")
	flags.StringVar(&f.cullFaces, "cull-faces", renderer.FacesOfFile.String(), "with --cull, whose back faces are dropped: "+strings.Join(renderer.FaceCullingNames, ", "))
	flags.StringVar(&f.palette, "palette", "paper", "colour map of the counts: "+strings.Join(picture.CountPaletteNames, ", "))
	f.look.AddLook(flags)
	f.plain.settings.Marks.Add(flags)
	flags.BoolVar(&f.plain.panels, "panels", true, "show the panels")
	flags.StringVar(&f.compare, "compare", "", "compare with another strategy: `"+views.CompareForm+"`, where what is left out is that of the left side")
	flags.StringVar(&f.compareView, "compare-view", views.CompareSplit.String(), "how to compare: "+strings.Join(views.CompareViews, ", "))
	flags.Float64Var(&f.plain.divider, "divider", 0.5, "where the window is divided, 0 (left) to 1 (right)")
	flags.StringVar(&f.from, "from", "", "begin as a `picture` was made that this viewer saved; flags go first")
	flags.BoolVar(&f.plain.transparent, "transparent", false, "saved pictures have no background, and no panels")
	flags.IntVar(&f.draw, "draw", -1, "show one draw of the first file alone, by its `number`")
	flags.StringVar(&f.plain.draws.search, "search", "", "list only the draws of a captured frame that have a `text` in their name")
	flags.StringVar(&f.plain.draws.sort, "sort", inspect.LostColumn, "what the draws of a captured frame are sorted by in their list: "+strings.Join(inspect.DrawSorts(), ", "))
	f.addApp(flags)
	flags.IntVar(&f.plain.turntable, "turntable", 0, "save a turn about the scene as so many pictures, and exit")
	flags.BoolVar(&f.plain.watch, "watch", true, "reopen a file when it changes")
	flags.BoolVar(&f.plain.fly, "fly", false, "begin flying; "+flyHelp)
	flags.BoolVar(&f.plain.remember, "remember", true, "begin with the settings and the window that the viewer was left with, and keep them; flags go first")
	flags.BoolVar(&f.plain.desktop, "desktop", false, "show errors in a window, for menus, which have no terminal")
	flags.StringVar(&f.plain.indexOrder, "order", loading.FileOrder, "index order to begin with: "+strings.Join(order.Names(), ", ")+"; with "+order.FetchSuffix+" vertices are renumbered too")
	flags.StringVar(&f.queue, "queue", "indexed", "queue form: "+strings.Join(renderer.QueueFormNames, ", "))
	flags.StringVar(&f.view, "view", "counts", cli.ViewHelp())
	flags.StringVar(&f.subgroups, "subgroups", "auto", "how lanes run: "+strings.Join(renderer.SubgroupsNames, ", "))
	flags.StringVar(&f.plain.camera, "camera", "", cli.CameraHelp)
	flags.StringVar(&f.up, "up", renderer.UpY.String(), "axis of the scene that points up: "+strings.Join(renderer.UpAxisNames, ", "))
	cli.AddDevice(flags, &f.plain.device)
	flags.StringVar(&f.size, "size", standardSize, "window size (the default grows with the scale)")
	flags.Float64Var(&f.plain.scale, "scale", 0, fmt.Sprintf("enlarge text and panels by so much, %v to %v (default: as the display asks)", leastScale, mostScale))
	flags.BoolVar(&f.plain.validation, "validation", false, "run under Vulkan's validation layer (or set SHADEONCE_VALIDATION=1); any message makes the exit status 1")
	flags.IntVar(&f.plain.frames, "frames", 0, "draw so many frames while turning, print the time per frame, and exit; without panels, but where --panels is given")
}

// standardSize is that of windows which nobody gave another, at a scale of 1.
const standardSize = "1280x720"

// begin reads the command line, and adds the settings of a picture (--from) or those that
// the viewer was left with.
func (f *rawFlags) begin(flags *pflag.FlagSet, args []string) (options, error) {
	f.panelsGiven, f.sizeGiven, f.loadGiven = flags.Changed("panels"), flags.Changed("size"), flags.Changed("load")
	given := *f
	if f.from != "" {
		s, err := picture.ReadStamp(f.from)
		if err != nil {
			return options{}, err
		}
		if err := applyStamp(s, flags); err != nil {
			return options{}, fmt.Errorf("%s: %w", f.from, err)
		}
		if len(args) == 0 {
			args = s.Files
		}
		o, err := f.options(args)
		if err == nil {
			o.remember = false
			return o, nil
		}
		*f = given
		if _, own := f.options(args); own != nil {
			return o, cli.AsUsage(own)
		}
		return o, fmt.Errorf("%s: settings: %w", f.from, err)
	}
	if f.plain.remembers() {
		m, err := recall(memoryPath())
		if err == nil {
			err = applyStamp(m.Stamp, flags)
		}
		var o options
		if err == nil {
			o, err = f.options(args)
		}
		if err == nil {
			o.place, o.panelPlaces, o.recent = m.Window, m.Panels, m.Recent
			if plain, err := given.options(args); err == nil {
				o.fallback, o.plain = &plain.settings, &plain
			}
			return o, nil
		}
		*f = given // what was kept does not fit: the flags alone
	}
	o, err := f.options(args)
	return o, cli.AsUsage(err)
}

// options checks all that can be checked before a window is opened.
func (f *rawFlags) options(files []string) (o options, err error) {
	o = f.plain
	o.view = f.view
	o.files, o.alone, o.remember = files, f.draw+1, o.remembers()
	o.panels, o.watch = o.panels && (o.frames == 0 || f.panelsGiven), o.watch && o.frames == 0 && o.turntable == 0
	if len(files) == 0 {
		o.files = []string{defaultScene}
	}
	if _, err := order.Lookup(o.indexOrder); err != nil {
		return o, err
	}
	if err := f.settings(&o.settings); err != nil {
		return o, err
	}
	if err := f.comparison(&o); err != nil {
		return o, err
	}
	if err := f.application(&o); err != nil {
		return o, err
	}
	anyBox := geometry.Box{Max: mgl32.Vec3{1, 1, 1}}
	if _, err := cli.ParseUp(f.up); err != nil {
		return o, err
	}
	camera, err := cli.ParseCamera("up="+f.up+","+o.camera, anyBox, 1)
	if err != nil {
		return o, err
	}
	o.up, o.time = camera.Up, camera.Time
	if o.draws.column() < 0 {
		return o, names.Unknown("--sort", o.draws.sort, inspect.DrawSorts())
	}
	if f.draw < -1 || f.draw > math.MaxInt32 {
		return o, cli.Usagef("--draw %d: must be a draw's number, or -1 for all", f.draw)
	}
	if o.turntable < 0 || o.turntable > maxTurntable {
		return o, cli.Usagef("--turntable %d: must be 0 to %d", o.turntable, maxTurntable)
	}
	if o.scale != 0 && !(o.scale >= leastScale && o.scale <= mostScale) {
		return o, cli.Usagef("--scale %v: must be %v to %v", o.scale, leastScale, mostScale)
	}
	if o.frames < 0 {
		return o, cli.Usagef("--frames %d: must not be negative", o.frames)
	}
	o.grows = !f.sizeGiven && f.size == standardSize && o.frames == 0 && o.turntable == 0
	if o.width, o.height, err = cli.ParseSize(f.size); err != nil {
		return o, err
	}
	return o, nil
}

// settings reads the flags that panels change, too.
func (f *rawFlags) settings(s *views.Settings) error {
	config, err := s.Config()
	if err != nil {
		return err
	}
	if config.Auto && (s.Batch != 0 || s.Unique != 0) {
		return cli.Usagef("--strategy auto picks the batches: it excludes --batch and --unique")
	}
	if s.Unique != 0 && config.Unique == 0 {
		return cli.Usagef("--unique %d: %s has static batches", s.Unique, s.Strategy)
	}
	s.Lanes = cmp.Or(config.Lanes, reuse.DefaultLanes)
	for _, budget := range []struct {
		flag, text string
		bytes      *int64
	}{{"queue-budget", f.queueBudget, &s.Budgets.Queue}, {"device-budget", f.deviceBudget, &s.Budgets.Device}} {
		if budget.text == "" {
			continue
		}
		if *budget.bytes, err = cli.ParseBytes(budget.flag, budget.text); err != nil {
			return err
		}
	}
	if _, _, err := cli.ParseLoad(cmp.Or(s.Load, renderer.SimpleLoad)); err != nil {
		return err
	}
	if err := f.shader(s); err != nil {
		return err
	}
	var faces renderer.FaceCulling
	if err := cmp.Or(
		cli.Read(&s.Queue, cli.ParseQueue, f.queue),
		cli.Read(&s.View, cli.ParseShown, f.view),
		cli.Read(&s.Subgroups, cli.ParseSubgroups, f.subgroups),
		cli.Read(&faces, cli.ParseFaces, f.cullFaces),
		cli.Read(&s.Palette, cli.ParsePalette, f.palette),
		cli.Read(&s.Raster, cli.ParseRaster, f.raster),
	); err != nil {
		return err
	}
	if s.Look, err = f.look.Read(); err != nil {
		return err
	}
	if err := s.Marks.Check(); err != nil {
		return err
	}
	if f.cull {
		s.Cull = views.Culling(faces) + 1
	}
	if f.cull && s.Queue == renderer.Expanded {
		return cli.Usagef("--cull needs --queue indexed")
	}
	if s.Raster == renderer.SoftRaster {
		return cli.Usagef("--raster soft: shadeonce render draws on the CPU; the viewer takes %s", strings.Join(views.RasterKnob.Values, ", "))
	}
	return nil
}

// shader checks the flags of the vertex shader, which is in place of --load.
func (f *rawFlags) shader(s *views.Settings) error {
	shader := &f.plain.shader
	if err := shader.Check(f.view); err != nil || shader.Name == "" {
		return err
	}
	if f.loadGiven {
		return cli.Usagef("--vertex-shader %s says what a vertex costs: it excludes --load", shader.Name)
	}
	if ours, foreign := shader.Ours(); !foreign {
		s.Load = views.LoadOf(ours)
	}
	return nil
}

// comparison reads what is compared, and how.
func (f *rawFlags) comparison(o *options) error {
	mode, err := cli.ParseName[uint32]("compare view", views.CompareViews, f.compareView)
	if err != nil {
		return err
	}
	if !(o.divider >= 0 && o.divider <= 1) {
		return cli.Usagef("--divider %v: must be 0 to 1", o.divider)
	}
	// Unless --compare says otherwise, the key compares with the next strategy.
	o.other = views.OtherSide{Strategy: nextName(reuse.Choices(), o.settings.Strategy), Lanes: o.settings.Lanes, Order: o.indexOrder}
	if f.compare == "" {
		return nil
	}
	o.compare = views.CompareSplit + views.CompareMode(mode)
	o.other, err = views.ParseOther(f.compare, o.settings, o.indexOrder)
	return err
}

// nextName returns the name after another, and the first after the last.
func nextName(names []string, name string) string {
	return names[(slices.Index(names, name)+1)%len(names)]
}

func assetForms() string {
	forms := make([]string, len(assets.All))
	for i, a := range assets.All {
		forms[i] = a.Form()
	}
	return strings.Join(forms, ", ")
}
