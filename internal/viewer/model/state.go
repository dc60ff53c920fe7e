package model

import (
	"cmp"
	"slices"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/apps/walk"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/load"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
	"github.com/shadeonce/shadeonce/renderer"
)

// State is the part of the viewer that input changes: what the user wants to see, and pending
// actions. It holds no window and no device.
type State struct {
	Wanted
	Manner
	Panels      bool // the panels are shown
	ShaderFlags cli.ShaderFlags
	Listed      Listed
	MeshShaders bool // the device supports mesh shaders

	Help       bool
	Quit       bool
	Fullscreen bool
	Drag       Drag
	Fly        Fly

	// Bookmarks are cameras in the form that cli.ParseCamera reads; "" for none.
	Bookmarks [4]string

	GoTo          bool // the panel that asks for a number is open
	TypePath      bool // the panel that asks for a path is open
	AllStrategies bool // the table of all strategies is open

	// Actions that the loop performs once.
	Shots     []Shot
	Skip      int  // number of files to step by
	Stop      bool // cancels loading, ordering or drawing
	Undo      int  // changes of settings to undo if below 0, to redo if above 0
	OpenFiles bool // opens the dialog that asks for files
	FindDraw  bool // moves the keyboard focus to the search of the list of draws
	BatchStep int  // number of the vertex's batches to step by
	DrawStep  int
}

// Choices are the settings that undo restores.
type Choices struct {
	Want       Settings
	IndexOrder string
	Compare    CompareMode
	Other      OtherSide // the right side
	Doing      results.Choice
	Alone      int    // 0 shows all draws; n+1 shows only the draws with number n
	Pass       string // pass of a captured frame, by its name or number; empty for the file's default
	AllEdges   bool   // all edges are drawn over the picture
}

// Manner holds settings that undo does not change.
type Manner struct {
	Transparent bool    // saved pictures have no background
	Divider     float64 // 0 at the left end of the window, 1 at the right
	Opacity     float64 // of envelopes, 0 to 1
	Play        bool    // the walk, or the file's animation, goes on by itself
	Speed       float64 // of the walk, in steps a second
	Guides      Guides
	Theme       Theme
	Coarse      bool // while the camera moves, pictures that take long have fewer pixels

	Subdivide cli.SubdivideFlags // subdivides every scene; the last level is computed while it is drawn
}

const maxSpeed = 30 // bounds the speed at which a walk is played, in steps a second

// Listed is the initial search and sort of the list of draws.
type Listed struct{ Search, Sort string }

// Shot is a requested screenshot.
type Shot struct{ Legend bool }

// plainStrategy is the default because it shows reuse on every device. Auto takes the fastest
// strategy, which on a CPU is often one without reuse.
const plainStrategy = "claim"

// WithoutReuse is the right side's strategy when the viewer starts for the first time, to show what reuse saves.
const WithoutReuse = "naive-index"

// Begin returns the state without any flags.
func Begin() (s State) {
	s.Want = Settings{Strategy: plainStrategy, Lanes: reuse.DefaultLanes, Load: renderer.SimpleLoad, Raster: renderer.AutoRaster}
	s.Want.Look.Light = renderer.FullLight // shows the shape; the legend shows how much light darkens colours
	s.IndexOrder, s.Doing, s.Panels = load.FileOrder, results.Default, true
	s.Pose = cli.RestTime
	s.Divider, s.Opacity, s.Speed, s.Coarse = .5, .45, 5, true
	s.Listed.Sort = inspect.LostColumn
	return s
}

// ReadFlags sets the state from the flags, and checks them.
func (s *State) ReadFlags(flags *pflag.FlagSet) (err error) {
	defer must.Catch(&err)
	*s = Begin()
	must.OK(cli.CheckFlags(flags))
	for _, k := range rows {
		if k.Flag != "" && k.value.set != nil {
			must.OK(k.value.set(s, flags.Lookup(k.Flag).Value.String()))
		}
	}
	must.OK(s.checkShading())
	must.OK(s.readComparison(flags))
	must.OK(s.checkApplication())
	must.OK(cli.CheckCamera(s.View, 1))
	camera, err := cli.ParseCamera("up="+s.Up.String()+","+s.View, geometry.Box{Max: mgl32.Vec3{1, 1, 1}}, 1)
	s.Up, s.Time = camera.Up, camera.Time
	return err
}

// checkShading refuses settings that exclude each other, and sets the lanes and load that the flags imply.
func (s *State) checkShading() error {
	w := &s.Want
	config, err := w.Config()
	switch {
	case err != nil:
		return err
	case w.Unique != 0 && config.Unique == 0:
		return cli.Usagef("--unique %d: %s has static batches", w.Unique, w.Strategy)
	}
	w.Lanes = cmp.Or(config.Lanes, reuse.DefaultLanes)
	shader := &s.ShaderFlags
	if ours, foreign := shader.Ours(); shader.Name != "" && !foreign {
		w.Load = (&renderer.Frame{VertexShader: ours}).LoadName()
	}
	return shader.Check()
}

// readComparison parses the flags of a comparison.
func (s *State) readComparison(flags *pflag.FlagSet) error {
	text := flags.Lookup("compare").Value.String()
	mode, err := cli.ParseName[uint32]("compare view", CompareViews, flags.Lookup("compare-view").Value.String())
	if err != nil {
		return err
	}
	// Without --compare, the key C compares with the next strategy.
	s.Other = OtherSide{Strategy: nextName(reuse.Choices(), s.Want.Strategy), Lanes: s.Want.Lanes, Order: s.IndexOrder}
	before := flags.Lookup("before").Value.String() == "true"
	switch {
	case before:
		s.Compare = CompareBefore
	case text != "":
		s.Compare = CompareSplit + CompareMode(mode)
		s.Other, err = ParseOther(text, s.Want, s.IndexOrder)
	}
	return err
}

func (s *State) checkApplication() error {
	frame := renderer.Frame{Queue: s.Want.Queue}
	s.Want.Cull.apply(&frame)
	var err error
	frame.VertexShader, frame.Load, err = cli.ParseLoad(cmp.Or(s.Want.Load, renderer.SimpleLoad))
	return cmp.Or(err, s.Subdivide.Check(), cli.Refuse(&frame, s.Subdivide.Modes()), s.Doing.Check())
}

// nextName returns the name that follows `name` in a list, wrapping around.
func nextName(names []string, name string) string {
	return names[(slices.Index(names, name)+1)%len(names)]
}

// ComparesSides reports whether the user compares two strategies or orders.
func (s *State) ComparesSides() bool { return !s.comparesNoSides() }

func (s *State) comparesNoSides() bool { return s.Compare == CompareOff || s.Compare == CompareBefore }

// SwapSides exchanges the sides. It drops batch limits, which only the left side has.
func (s *State) SwapSides() {
	if s.comparesNoSides() {
		return
	}
	left := OtherSide{Strategy: s.Want.Strategy, Lanes: s.Want.Lanes, Order: s.IndexOrder}
	s.Want, s.IndexOrder, s.Turned = s.Other.Settings(s.Want), s.Other.Order, nil
	s.Other = left
}

// ToggleBefore begins or ends the comparison of before and after. If no application is chosen, it
// chooses subdivision.
func (s *State) ToggleBefore() {
	if s.Compare == CompareBefore {
		s.Compare = CompareOff
		return
	}
	s.Compare = CompareBefore
	if s.Doing.App == results.None {
		s.Doing.App = results.Subdivide
	}
}

// StepApp adds to the levels of a subdivision, or to the steps of a walk. A walk cannot step back; it returns to its start instead.
func (s *State) StepApp(by int) {
	switch c := &s.Doing; {
	case c.App == results.Subdivide:
		c.Levels = min(max(c.Levels+by, 0), results.MaxLevels)
	case c.App == results.Walk && by < 0:
		c.Step = 0
	case c.App == results.Walk:
		c.Step = min(c.Step+by, walk.MaxSteps)
	}
}

// OnMesh reports whether an application works on the scene.
func (s *Choices) OnMesh() bool {
	return s.Doing.App == results.Subdivide || s.Doing.App == results.Envelope
}

// Choose restores earlier choices. A vertex shader that was recompiled since then stays.
func (s *State) Choose(c Choices) {
	if was, now := c.Want.Shader, s.Want.Shader; was != nil && now != nil && !now.Same(was) {
		c.Want.Shader = now
	}
	c.Doing.Step = s.Doing.Step // the walk's current step, like the camera, is not a setting
	s.Choices, s.Turned = c, nil
}

// ResetSettings copies all settings from another state, and shows all draws. Scene and camera stay.
func (s *State) ResetSettings(to *State) {
	s.Choices, s.Manner, s.Alone, s.Turned = to.Choices, to.Manner, 0, nil
}

// History holds earlier choices. Those from list[at] on were undone.
type History struct {
	list     []Choices
	at       int
	dragging bool // the last change was made by a drag that has not ended
}

const keptChoices = 200 // bounds the history

// Note records the choices before a change, and forgets undone ones. The walk's step alone is no change.
func (h *History) Note(before, now Choices) {
	if before.Doing.Step = now.Doing.Step; before == now {
		return
	}
	h.list = append(h.list[:h.at], before)
	h.list = slices.Delete(h.list, 0, max(0, len(h.list)-keptChoices))
	h.at = len(h.list)
}

// NoteDrag is Note for a drag of a slider, which counts as one change.
func (h *History) NoteDrag(before, now Choices, down bool) {
	if !h.dragging {
		h.Note(before, now)
	}
	h.dragging = down && (h.dragging || before != now)
}

// Back undoes a change: it returns the choices before the change and records the current ones. It
// returns false if there is nothing to undo.
func (h *History) Back(now Choices) (Choices, bool) {
	for h.at > 0 {
		h.at--
		before := h.list[h.at]
		before.Doing.Step = now.Doing.Step
		h.list[h.at] = now
		if before != now { // otherwise the change was reverted, since it could not be drawn
			return before, true
		}
	}
	return now, false
}

// Again redoes the change undone last: it returns the choices after the change and records the
// current ones. It returns false if there is nothing to redo.
func (h *History) Again(now Choices) (Choices, bool) {
	if h.at == len(h.list) {
		return now, false
	}
	next := h.list[h.at]
	h.list[h.at] = now
	h.at++
	return next, true
}
