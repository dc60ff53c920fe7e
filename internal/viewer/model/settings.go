package model

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/renderer/shade"
	"github.com/shadeonce/shadeonce/renderer"
)

// Settings are the values that a plan depends on. Keys change them.
type Settings struct {
	Strategy  string
	Lanes     int
	Batch     int // indices per batch; 0 means the strategy's default
	Unique    int // vertices per dynamic batch; 0 means the strategy's default batches
	Queue     renderer.QueueForm
	View      renderer.View
	Subgroups renderer.Subgroups
	Raster    renderer.RasterHost
	Load      string        // as cli.ParseLoad takes it; empty is simple
	Shader    *shade.Shader // replaces Load; nil for a built-in vertex shader
	Shown     string        // name of the vertex shader's output that the varying view shows
	Palette   picture.Palette
	Look      renderer.Look
	Marks     cli.MarkFlags // used only for scenes of several draws
	Cull      Culling
	Budgets   Budgets
}

// Budgets bound a picture's memory in bytes; 0 is the default. They belong to the machine, so saved
// pictures do not hold them. They are not remembered either, since no panel would show them.
type Budgets struct{ Queue, Device int64 }

// Culling is 0 for no culling, else 1 plus the renderer.FaceCulling, which chooses the draws whose
// back faces are dropped.
type Culling uint32

// faces returns which draws' back faces a culling frame drops.
func (c Culling) faces() renderer.FaceCulling { return renderer.FaceCulling(max(c, 1) - 1) }

// drop sets which draws' back faces a culling frame drops. It does nothing if culling is off.
func (c *Culling) drop(faces renderer.FaceCulling) {
	if *c > 0 {
		*c = Culling(faces) + 1
	}
}

// apply sets the culling of a frame.
func (c Culling) apply(f *renderer.Frame) {
	if c > 0 {
		f.Cull, f.CullFaces = true, c.faces()
	}
}

// Frame returns the frame of a scene with the settings. A nil scene gives a frame without shading and marks.
func (s Settings) Frame(scene *geometry.Scene, width, height int) (f renderer.Frame, err error) {
	defer must.Catch(&err)
	config := must.Get(s.Config())
	shader, cycles := must.Get2(cli.ParseLoad(cmp.Or(s.Load, renderer.SimpleLoad)))
	f = renderer.Frame{
		Scene: scene, Reuse: config, Queue: s.Queue, View: s.View, Subgroups: s.Subgroups, Raster: s.Raster,
		VertexShader: shader, Load: cycles, Palette: s.Palette, Look: s.Look, Width: width, Height: height,
		QueueBudget: s.Budgets.Queue, DeviceBudget: s.Budgets.Device,
	}
	if scene != nil {
		f.Shading = must.Get(s.Shader.Shading(scene, s.Shown))
	}
	if scene != nil && len(scene.Draws) > 1 {
		f.Marks = must.Get(s.Marks.Marks(scene))
	}
	s.Cull.apply(&f)
	return f, nil
}

// ViewName returns the view as --view spells it.
func (s *Settings) ViewName() string {
	if s.View == renderer.Varying {
		return cli.VaryingView + s.Shown
	}
	return s.View.String()
}

// Ours returns the settings with the built-in vertex shader that Load names. It replaces the varying view, which built-in shaders lack, by the shaded view.
func (s Settings) Ours() Settings {
	if s.Shader, s.Shown = nil, ""; s.View == renderer.Varying {
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
	if reuse.IsAuto(s.Strategy) {
		p.Batch, p.Unique = 0, 0
	}
	if strategy, err := reuse.Lookup(s.Strategy); err == nil && !slices.Contains(strategy.Batchings, reuse.DynamicBatching) {
		p.Unique = 0
	}
	return p.Resolve(s.Strategy)
}

// settle finds settings that work. It tries the wanted ones, and then further values of k, the setting
// changed last, in steps of `step`. `notice` is the first error that `try` returned. If nothing
// works, settle returns `good`, the last working settings.
func settle(good, want Settings, k *Setting, step int, try func(Settings) error) (found Settings, notice error) {
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
			notice = fmt.Errorf("%s: %w", want.short(k), err)
		}
		if k != nil {
			want = k.Turned(want, step)
		}
	}
	return good, notice
}

// short describes the settings in messages: the setting changed last or, if `turned` is nil, the most important settings.
func (s Settings) short(turned *Setting) string {
	if turned != nil {
		var state State
		state.Want = s
		return turned.Name + " " + turned.Value(&state)
	}
	return fmt.Sprintf("%s, %d lanes, %s queue, %s view", s.Strategy, s.Lanes, s.Queue, s.ViewName())
}

// CompareMode is how the two sides of the window are compared.
type CompareMode int

const (
	CompareOff CompareMode = iota
	CompareSplit
	CompareDifference // shows how much more often the right side shades each vertex than the left
	CompareBefore     // the mesh as it is on the left, what an application made of it on the right
)

// CompareNames are the names of the modes, in their order.
var CompareNames = []string{"off", "split", "difference", "before and after"}

// CompareViews lists the modes that compare two strategies.
var CompareViews = CompareNames[CompareSplit:CompareBefore]

func (m CompareMode) String() string { return CompareNames[m] }

// OtherSide holds the settings that the right side has for itself. It shares the camera, the view and
// everything else with the left side.
type OtherSide struct {
	Strategy string
	Lanes    int
	Order    string
}

// Settings returns the right side's settings, given the left's. Batch limits are not copied, since
// they suit only the left strategy.
func (o OtherSide) Settings(left Settings) Settings {
	left.Strategy, left.Lanes, left.Batch, left.Unique = o.Strategy, o.Lanes, 0, 0
	return left
}

func (o OtherSide) String() string {
	return fmt.Sprintf("%s/%s/%d", o.Strategy, o.Order, o.Lanes)
}

// CompareForm describes the texts that ParseOther reads.
const CompareForm = "STRATEGY[/ORDER[/LANES]]"

// ParseOther parses the right side of a comparison. Missing parts are copied from the left.
func ParseOther(text string, left Settings, leftOrder string) (OtherSide, error) {
	o := OtherSide{Order: leftOrder, Lanes: left.Lanes}
	parts := strings.Split(text, "/")
	var err error
	if len(parts) > 2 {
		o.Lanes, err = strconv.Atoi(parts[2])
	}
	if err != nil || len(parts) > 3 {
		return o, fmt.Errorf("compare %q: want %s", text, CompareForm)
	}
	if o.Strategy = parts[0]; len(parts) > 1 && parts[1] != "" {
		o.Order = parts[1]
	}
	if _, err = order.Lookup(o.Order); err != nil {
		return o, err
	}
	config, err := reuse.Resolve(o.Strategy, o.Lanes, 0)
	o.Lanes = cmp.Or(config.Lanes, o.Lanes)
	return o, err
}
