package views

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

// Settings are what the keys change and a new plan follows from.
type Settings struct {
	Strategy  string
	Lanes     int
	Batch     int // indices; 0 is the strategy's own
	Unique    int // vertices per dynamic batch; 0 is batches as the strategy cuts them by default
	Queue     renderer.QueueForm
	View      renderer.View
	Subgroups renderer.Subgroups
	Raster    renderer.RasterHost
	Load      string           // as cli.ParseLoad takes it; empty is simple
	Shader    cli.VertexShader // in place of Load, where it is not ours
	Palette   picture.Palette
	Look      renderer.Look
	Marks     cli.MarkFlags // of scenes of several draws
	Cull      Culling
	Budgets   Budgets
}

// Budgets bound what a picture takes, in bytes; 0 is the default. They belong to the
// machine and not to the picture: saved pictures do not hold them, and they are not
// remembered, since no panel would show that they are.
type Budgets struct{ Queue, Device int64 }

// Culling says whether a frame culls, and of which draws it then drops back faces: 0 for
// no culling, else a renderer.FaceCulling plus 1.
type Culling uint32

// cullingNames are the names of its values.
var cullingNames = append([]string{"off"}, renderer.FaceCullingNames...)

// Frame is a scene drawn with the settings.
func (s Settings) Frame(scene *geometry.Scene, width, height int) (renderer.Frame, error) {
	config, err := s.Config()
	if err != nil {
		return renderer.Frame{}, err
	}
	shader, cycles, err := cli.ParseLoad(cmp.Or(s.Load, renderer.SimpleLoad))
	if err != nil {
		return renderer.Frame{}, err
	}
	f := renderer.Frame{
		Scene: scene, Reuse: config, Queue: s.Queue, View: s.View, Subgroups: s.Subgroups, Raster: s.Raster,
		VertexShader: shader, Load: cycles, Palette: s.Palette, Look: s.Look, Width: width, Height: height,
		QueueBudget: s.Budgets.Queue, DeviceBudget: s.Budgets.Device,
	}
	if scene != nil {
		if f.Shading, err = s.Shader.Shading(scene); err != nil {
			return renderer.Frame{}, err
		}
	}
	if scene != nil && len(scene.Draws) > 1 {
		if f.Marks, err = s.Marks.Marks(len(scene.Draws)); err != nil {
			return renderer.Frame{}, err
		}
	}
	if s.Cull > 0 {
		f.Cull, f.CullFaces = true, renderer.FaceCulling(s.Cull-1)
	}
	return f, nil
}

// ViewName is the view as --view names it.
func (s *Settings) ViewName() string {
	if s.View == renderer.Varying {
		return cli.VaryingView + s.Shader.Shown
	}
	return s.View.String()
}

// Ours are the settings with the vertex shader that Load names, and a view that it has.
func (s Settings) Ours() Settings {
	if s.Shader = (cli.VertexShader{}); s.View == renderer.Varying {
		s.View = renderer.Shaded
	}
	return s
}

// Config returns the strategy with its sizes. Strategies without dynamic batches ignore
// the limit of unique vertices; auto picks all sizes.
func (s Settings) Config() (reuse.Config, error) {
	p := reuse.Params{Lanes: s.Lanes, Batch: s.Batch, Unique: s.Unique, FitBatch: true}
	if err := p.Check(); err != nil {
		return reuse.Config{}, err
	}
	if s.Strategy == reuse.Auto {
		p.Batch, p.Unique = 0, 0
	}
	if strategy, err := reuse.Lookup(s.Strategy); err == nil && !slices.Contains(strategy.Batchings, reuse.DynamicBatching) {
		p.Unique = 0
	}
	return p.Resolve(s.Strategy)
}

// Knob is a setting with the values that it takes, in the order in which keys
// step through them.
type Knob struct {
	Name   string
	Values []string
	get    func(*Settings) string
	Set    func(*Settings, int) // to the value of that index
}

func (k *Knob) Value(s Settings) string { return k.get(&s) }

// Turned returns the settings with the knob moved on by step values. After the last value
// comes the first.
func (k *Knob) Turned(s Settings, step int) Settings {
	n := len(k.Values)
	at := slices.Index(k.Values, k.get(&s))
	k.Set(&s, ((at+step)%n+n)%n)
	return s
}

// enumKnob is the knob of a setting whose values are numbered as their names are.
func enumKnob[T ~uint32](name string, values []string, of func(*Settings) *T) Knob {
	return Knob{name, values, func(s *Settings) string { return values[*of(s)] }, func(s *Settings, i int) { *of(s) = T(i) }}
}

// switchKnob is the knob of a setting that is off or on.
func switchKnob(name, off, on string, get func(*Settings) bool, set func(*Settings, bool)) Knob {
	return Knob{name, []string{off, on}, func(s *Settings) string {
		if get(s) {
			return on
		}
		return off
	}, func(s *Settings, i int) { set(s, i == 1) }}
}

// The knobs.
var (
	StrategyKnob = Knob{
		"strategy", reuse.Choices(),
		func(s *Settings) string { return s.Strategy },
		func(s *Settings, i int) { s.Strategy = reuse.Choices()[i] },
	}
	ViewKnob = Knob{
		"view", renderer.ViewNames,
		func(s *Settings) string { return s.ViewName() },
		func(s *Settings, i int) { s.View, s.Shader.Shown = renderer.View(i), "" },
	}
	LanesKnob = Knob{
		"lanes", laneNames(),
		func(s *Settings) string { return strconv.Itoa(s.Lanes) },
		func(s *Settings, i int) { s.Lanes = reuse.LaneCounts[i] },
	}
	QueueKnob     = enumKnob("queue form", renderer.QueueFormNames, func(s *Settings) *renderer.QueueForm { return &s.Queue })
	SubgroupsKnob = enumKnob("subgroups", renderer.SubgroupsNames, func(s *Settings) *renderer.Subgroups { return &s.Subgroups })
	RasterKnob    = Knob{
		"raster host", []string{renderer.AutoRaster.String(), renderer.HardwareRaster.String(), renderer.ComputeRaster.String(), renderer.FusedRaster.String()},
		func(s *Settings) string { return s.Raster.String() },
		func(s *Settings, i int) { s.Raster = deviceRasters[i] },
	}
	LoadKnob = Knob{
		"load", LoadNames(),
		func(s *Settings) string { return cmp.Or(s.Shader.Name(), s.Load, renderer.SimpleLoad) },
		func(s *Settings, i int) {
			*s = s.Ours()
			s.Load = LoadNames()[i]
		},
	}
	PaletteKnob = enumKnob("colour map", picture.CountPaletteNames, func(s *Settings) *picture.Palette { return &s.Palette })
	LightKnob   = enumKnob("light", renderer.LightNames, func(s *Settings) *renderer.Light { return &s.Look.Light })
	ColorsKnob  = switchKnob("colours", "nearest vertex", "mixed", func(s *Settings) bool { return s.Look.Smooth }, func(s *Settings, on bool) { s.Look.Smooth = on })
	EdgesKnob   = switchKnob("edges", "off", "on", func(s *Settings) bool { return s.Look.Edges > 0 }, func(s *Settings, on bool) {
		if s.Look.Edges = 0; on {
			s.Look.Edges = renderer.EdgeWidth
		}
	})
	CullKnob = enumKnob("culling", cullingNames, func(s *Settings) *Culling { return &s.Cull }) // and whose back faces
)

// Knobs are all of them, in the order in which panels and pictures list them.
var Knobs = []*Knob{&StrategyKnob, &LanesKnob, &QueueKnob, &SubgroupsKnob, &LoadKnob, &RasterKnob, &CullKnob, &ViewKnob, &PaletteKnob, &ColorsKnob, &LightKnob, &EdgesKnob}

// deviceRasters are the raster hosts that draw on the device.
var deviceRasters = [...]renderer.RasterHost{renderer.AutoRaster, renderer.HardwareRaster, renderer.ComputeRaster, renderer.FusedRaster}

// LoadOf is the load whose vertex shader is one of ours.
func LoadOf(shader renderer.VertexShader) string {
	return (&renderer.Frame{VertexShader: shader}).LoadName()
}

// LoadNames are the loads to step through: simple, the paper's cycles, and the real vertex
// shaders.
func LoadNames() []string {
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
func settle(good, want Settings, k *Knob, step int, try func(Settings) error) (found Settings, notice error) {
	tries := 1
	if k != nil {
		tries = len(k.Values)
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
			want = k.Turned(want, step)
		}
	}
	return good, notice
}

// short names the settings in messages.
func (s Settings) short() string {
	return fmt.Sprintf("%s, %d lanes, %s queue, %s view", s.Strategy, s.Lanes, s.Queue, s.ViewName())
}
