package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/picture"
)

// settings are what the keys change and a new plan follows from.
type settings struct {
	strategy  string
	lanes     int
	batch     int // indices; 0 is the strategy's own
	unique    int // vertices per dynamic batch; 0 is batches as the strategy cuts them by default
	queue     renderer.QueueForm
	view      renderer.View
	subgroups renderer.Subgroups
	raster    renderer.RasterHost
	load      string // as cli.ParseLoad takes it; empty is simple
	palette   picture.Palette
	cull      culling
	budgets   budgets
}

// budgets bound what a picture takes, in bytes; 0 is the default. They belong to the
// machine and not to the picture: saved pictures do not hold them, and they are not
// remembered, since no panel would show that they are.
type budgets struct{ queue, device int64 }

// culling says whether a frame culls, and of which draws it then drops back faces: 0 for
// no culling, else a renderer.FaceCulling plus 1.
type culling uint32

// cullingNames are the names of its values.
var cullingNames = append([]string{"off"}, renderer.FaceCullingNames...)

// frame is a scene drawn with the settings.
func (s settings) frame(scene *geometry.Scene, width, height int) (renderer.Frame, error) {
	config, err := s.config()
	if err != nil {
		return renderer.Frame{}, err
	}
	shader, cycles, err := cli.ParseLoad(cmp.Or(s.load, renderer.SimpleLoad))
	if err != nil {
		return renderer.Frame{}, err
	}
	f := renderer.Frame{
		Scene: scene, Reuse: config, Queue: s.queue, View: s.view, Subgroups: s.subgroups, Raster: s.raster,
		VertexShader: shader, Load: cycles, Palette: s.palette, Width: width, Height: height,
		QueueBudget: s.budgets.queue, DeviceBudget: s.budgets.device,
	}
	if s.cull > 0 {
		f.Cull, f.CullFaces = true, renderer.FaceCulling(s.cull-1)
	}
	return f, nil
}

// config returns the strategy with its sizes. Strategies without dynamic batches ignore
// the limit of unique vertices.
func (s settings) config() (reuse.Config, error) {
	p := reuse.Params{Lanes: s.lanes, Batch: s.batch, Unique: s.unique, FitBatch: true}
	if err := p.Check(); err != nil {
		return reuse.Config{}, err
	}
	if s.strategy == reuse.Auto {
		p.Batch, p.Unique = 0, 0
	}
	if strategy, err := reuse.Lookup(s.strategy); err == nil && !slices.Contains(strategy.Batchings, reuse.DynamicBatching) {
		p.Unique = 0
	}
	return p.Resolve(s.strategy)
}

// knob is a setting with the values that it takes, in the order in which keys
// step through them.
type knob struct {
	name   string
	values []string
	get    func(*settings) string
	set    func(*settings, int) // to the value of that index
}

func (k *knob) value(s settings) string { return k.get(&s) }

// turned returns the settings with the knob moved on by step values. After the last value
// comes the first.
func (k *knob) turned(s settings, step int) settings {
	n := len(k.values)
	at := slices.Index(k.values, k.get(&s))
	k.set(&s, ((at+step)%n+n)%n)
	return s
}

// enumKnob is the knob of a setting whose values are numbered as their names are.
func enumKnob[T ~uint32](name string, values []string, of func(*settings) *T) knob {
	return knob{name, values, func(s *settings) string { return values[*of(s)] }, func(s *settings, i int) { *of(s) = T(i) }}
}

// The knobs.
var (
	strategyKnob = knob{
		"strategy", reuse.Choices(),
		func(s *settings) string { return s.strategy },
		func(s *settings, i int) { s.strategy = reuse.Choices()[i] },
	}
	viewKnob  = enumKnob("view", renderer.ViewNames, func(s *settings) *renderer.View { return &s.view })
	lanesKnob = knob{
		"lanes", laneNames(),
		func(s *settings) string { return strconv.Itoa(s.lanes) },
		func(s *settings, i int) { s.lanes = reuse.LaneCounts[i] },
	}
	queueKnob     = enumKnob("queue form", renderer.QueueFormNames, func(s *settings) *renderer.QueueForm { return &s.queue })
	subgroupsKnob = enumKnob("subgroups", renderer.SubgroupsNames, func(s *settings) *renderer.Subgroups { return &s.subgroups })
	rasterKnob    = knob{
		"raster host", []string{renderer.AutoRaster.String(), renderer.HardwareRaster.String(), renderer.ComputeRaster.String(), renderer.FusedRaster.String()},
		func(s *settings) string { return s.raster.String() },
		func(s *settings, i int) { s.raster = deviceRasters[i] },
	}
	loadKnob = knob{
		"load", loadNames(),
		func(s *settings) string { return cmp.Or(s.load, renderer.SimpleLoad) },
		func(s *settings, i int) { s.load = loadNames()[i] },
	}
	paletteKnob = enumKnob("colour map", picture.CountPaletteNames, func(s *settings) *picture.Palette { return &s.palette })
	cullKnob    = enumKnob("culling", cullingNames, func(s *settings) *culling { return &s.cull }) // and whose back faces
)

// knobs are all of them, in the order in which panels and pictures list them.
var knobs = []*knob{&strategyKnob, &lanesKnob, &queueKnob, &subgroupsKnob, &loadKnob, &rasterKnob, &cullKnob, &viewKnob, &paletteKnob}

// deviceRasters are the raster hosts that draw on the device.
var deviceRasters = [...]renderer.RasterHost{renderer.AutoRaster, renderer.HardwareRaster, renderer.ComputeRaster, renderer.FusedRaster}

// loadNames are the loads to step through: simple, the paper's cycles, and the real vertex
// shaders.
func loadNames() []string {
	return append([]string{renderer.SimpleLoad, "256", "512", "1024", "4096"}, renderer.VertexShaderNames[renderer.Transform+1:]...)
}

func laneNames() []string {
	names := make([]string, len(reuse.LaneCounts))
	for i, n := range reuse.LaneCounts {
		names[i] = strconv.Itoa(n)
	}
	return names
}

// settle finds settings that work. It tries the wanted ones first, and then those that the
// knob turned last reaches in the same direction. notice is the first error of try, for the
// user. Where nothing works settle returns good, the settings that worked before.
func settle(good, want settings, k *knob, step int, try func(settings) error) (found settings, notice error) {
	tries := 1
	if k != nil {
		tries = len(k.values)
	}
	for range tries {
		if want == good && notice != nil {
			break
		}
		err := try(want)
		if err == nil {
			return want, notice
		}
		if notice == nil {
			notice = fmt.Errorf("%s: %w", want.short(), err)
		}
		if k != nil {
			want = k.turned(want, step)
		}
	}
	return good, notice
}

// short names the settings in messages.
func (s settings) short() string {
	return fmt.Sprintf("%s, %d lanes, %s queue, %s view", s.strategy, s.lanes, s.queue, s.view)
}
