package model

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/renderer/shade"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/internal/viewer/load"
	"github.com/shadeonce/shadeonce/internal/viewer/viewtest"
	"github.com/shadeonce/shadeonce/renderer"
)

// press presses a key by its name.
func press(t *testing.T, s *State, key string) {
	k, by := FindKey(key)
	require.NotNil(t, k, key)
	k.Press(s, by)
}

// TestEveryRowIsSound: every row has a unique key, a unique flag or a control, and the fields that these need.
func TestEveryRowIsSound(t *testing.T) {
	keys, flags, names := map[string]bool{}, map[string]bool{}, map[string]bool{}
	once := func(seen map[string]bool, what string) {
		require.False(t, seen[what], "%s has two rows", what)
		seen[what] = true
	}
	for _, k := range rows {
		require.NotEmpty(t, k.Key+k.Flag+k.Name)
		if k.Key != "" {
			require.NotEmpty(t, k.Effect+k.Name, k.Key)
			require.True(t, k.do != nil || k.value.get != nil, k.Key)
			for _, key := range strings.Split(k.Key, ", ") {
				once(keys, key)
				if k.Back {
					once(keys, "Shift+"+key)
				}
			}
		}
		if k.Flag != "" {
			once(flags, k.Flag)
			require.NotNil(t, k.value.get, k.Flag)
		}
		if k.Name != "" {
			once(names, k.Name)
			require.True(t, strings.HasSuffix(k.Tip, "."), "a sentence for %s: %s", k.Name, k.Tip)
		}
		for i, value := range k.Values { // the value chosen by its index is the one with this name
			if k.value.set == nil {
				continue
			}
			s := Begin()
			k.Choose(&s, i)
			require.Equal(t, value, k.Value(&s), k.Name)
		}
	}
	for _, key := range []string{"Shift+F12", "Y", "Ctrl+Shift+S", ""} {
		k, _ := FindKey(key)
		require.Nil(t, k, "modifiers count")
	}
}

// TestFlagsLeadBack: the flags of a state restore it, except for settings that are saved nowhere.
func TestFlagsLeadBack(t *testing.T) {
	flags := func() *pflag.FlagSet {
		f := pflag.NewFlagSet("viewer", pflag.ContinueOnError)
		AddFlags(f)
		new(cli.ShaderFlags).Add(f)
		new(cli.MarkFlags).Add(f)
		new(cli.SubdivideFlags).Add(f)
		return f
	}
	var s State
	require.NoError(t, s.ReadFlags(flags()))
	require.Equal(t, s.Flags(Always), func() map[string]string { b := Begin(); b.Other = s.Other; return b.Flags(Always) }())
	for _, flag := range []string{"batch", "unique", "animation", "time"} {
		require.NotContains(t, s.Flags(Pictures), flag, "what is not chosen")
	}
	var all []string
	for _, k := range rows { // each iteration changes its setting, if that has a list of values or is a switch
		other := s
		other.Camera = renderer.Camera{}
		switch {
		case k.Kept == Nowhere || k.Flag == "camera" || k.Flag == "up":
			continue
		case k.Values != nil && k.value.set != nil:
			k.Choose(&other, len(k.Values)-1)
		case k.isSwitch() && k.value.set != nil:
			require.NoError(t, k.value.set(&other, strconv.FormatBool(k.value.get(&s) != "true")), k.Flag)
		}
		values := other.Flags(Pictures)
		f := flags()
		require.NoError(t, ApplyFlags(values, Pictures, f))
		var back State
		require.NoError(t, back.ReadFlags(f), k.Flag)
		require.Equal(t, values, back.Flags(Pictures), k.Flag)
		all = append(all, k.Flag)
		require.False(t, f.Changed(k.Flag), "it counts as not given")
	}
	require.Greater(t, len(all), 40)
	s.Compare, s.Want.Strategy, s.Want.Batch, s.Want.Unique = CompareSplit, "warp", 96, 64
	values := s.Flags(Pictures)
	for _, flag := range []string{"compare", "compare-view", "batch", "unique", "draw", "camera", "hide"} {
		require.Contains(t, values, flag)
	}
	require.NotContains(t, s.Flags(OnKeep), "draw", "it belongs to the picture")
	require.NotContains(t, s.Flags(Always), "strategy", "it is explored")
	require.Contains(t, s.Flags(OnKeep), "strategy")
	require.Contains(t, s.Flags(Always), "palette", "a habit")
	// Every setting can be reset to another state's.
	plain := Begin()
	other := Begin()
	other.Manner, other.Choices, other.Turned = Manner{Divider: .1, Play: true}, Choices{Alone: 3}, ByFlag("view")
	other.ResetSettings(&plain)
	require.Equal(t, plain, other)
	ordered := flags()
	require.NoError(t, ordered.Set("order", "forsyth"))
	require.NoError(t, other.ReadFlags(ordered))
	require.Equal(t, "forsyth", other.Other.Order, "of both sides, unless --compare says otherwise")
	for _, args := range []string{"--divider=NaN", "--opacity=2", "--subdivide=99", "--speed=NaN", "--speed=0", "--speed=30.5", "--cull --queue=expanded"} {
		f := flags()
		require.NoError(t, f.Parse(strings.Fields(args)))
		require.Error(t, new(State).ReadFlags(f), args)
	}
	given := flags()
	require.NoError(t, given.Parse([]string{"--bookmarks=az=10;;el=3", "--animation=run", "--speed=30"}))
	require.NoError(t, other.ReadFlags(given))
	require.Equal(t, []any{[4]string{"az=10", "", "el=3"}, "run", 0.}, []any{other.Bookmarks, other.Clip, other.Pose}, "an animation begins at its start")
	for _, value := range []string{"0", "1"} { // the ends of their ranges
		f := flags()
		require.NoError(t, f.Set("divider", value))
		require.NoError(t, f.Set("opacity", value))
		require.NoError(t, new(State).ReadFlags(f), value)
	}
	f := flags()
	require.NoError(t, f.Set("view", "shaded"))
	require.NoError(t, f.Set("before", "true"))
	require.NoError(t, ApplyFlags(map[string]string{"view": "batches", "compare": "hash", "device-budget": "1", "search": "x"}, Pictures, f))
	for flag, want := range map[string]string{"view": "shaded", "compare": "", "device-budget": "", "search": ""} {
		require.Equal(t, want, f.Lookup(flag).Value.String(), "--%s: what was given stays, and what may not be set", flag)
	}
}

func TestKnobsTurnBothWaysThroughAllValues(t *testing.T) {
	list := slices.Concat(shadingRows, pictureRows)
	for i := range list {
		k := &list[i]
		if k.Values == nil || k.Name == "load" || k.do != nil { // simple and 0 cycles are the same load; edges and guides have a do of their own
			continue
		}
		for _, step := range []int{1, -1} {
			seen := map[string]bool{}
			s := start
			for range k.Values {
				s = k.Turned(s, step)
				seen[valueOf(k, s)] = true
			}
			require.Equal(t, start, s, "%s is back after all its values", k.Name)
			require.Len(t, seen, len(k.Values), k.Name)
		}
	}
	up := ByFlag("lanes").Turned(start, 1)
	require.Equal(t, 64, up.Lanes)
	require.Equal(t, 4, ByFlag("lanes").Turned(up, 1).Lanes)
	require.Equal(t, 16, ByFlag("lanes").Turned(start, -1).Lanes)
}

func TestSettingsAreTakenBack(t *testing.T) {
	var h History
	of := func(strategy string) Choices {
		c := Choices{}
		c.Want.Strategy = strategy
		return c
	}
	a, b, c := of("a"), of("b"), of("c")
	_, some := h.Back(a)
	require.False(t, some)
	h.Note(a, a)
	h.Note(a, b)
	h.Note(b, c)
	got, some := h.Back(c)
	require.True(t, some)
	require.Equal(t, b, got)
	got, _ = h.Back(b)
	require.Equal(t, a, got)
	_, some = h.Back(a)
	require.False(t, some)
	got, _ = h.Again(a)
	require.Equal(t, b, got)
	got, _ = h.Again(b)
	require.Equal(t, c, got)
	_, some = h.Again(c)
	require.False(t, some)

	got, _ = h.Back(c)
	require.Equal(t, b, got)
	h.Note(b, a) // what was undone is forgotten
	_, some = h.Again(a)
	require.False(t, some)
	// A change that could not be drawn was taken back at once: undo skips it.
	h.Note(a, c)
	got, _ = h.Back(a)
	require.Equal(t, b, got)
	got, _ = h.Back(b)
	require.Equal(t, a, got)
	// A drag is undone as one change.
	h = History{}
	h.NoteDrag(a, b, true)
	h.NoteDrag(b, c, true)
	h.NoteDrag(c, c, false)
	got, _ = h.Back(c)
	require.Equal(t, a, got)
	// A pause does not end it.
	h = History{}
	for _, step := range [][2]Choices{{a, b}, {b, b}, {b, c}} {
		h.NoteDrag(step[0], step[1], true)
	}
	got, _ = h.Back(c)
	require.Equal(t, a, got)
	// A drag begins with its first change, not when the button goes down.
	h = History{}
	h.NoteDrag(a, a, true)
	h.NoteDrag(a, b, true)
	h.NoteDrag(b, c, true)
	h.NoteDrag(c, c, false)
	h.NoteDrag(c, b, false)
	for _, want := range []Choices{c, a} {
		got, _ = h.Back(b)
		require.Equal(t, want, got)
	}
	// A shader that was recompiled meanwhile stays.
	code := func() *shade.Shader { return &shade.Shader{Vertex: &module.Vertex{Module: &module.Module{}}} }
	s, now := State{}, code()
	s.Want.Shader, s.Turned = now, ByFlag("view")
	s.Choose(Choices{Want: Settings{Shader: code()}})
	require.Same(t, now, s.Want.Shader)
	require.Nil(t, s.Turned, "a choice of the past is no turn of a setting")
	for range 2 * keptChoices {
		h.Note(a, b)
	}
	require.Len(t, h.list, keptChoices)
}

func TestSidesAreSwapped(t *testing.T) {
	s := newState(t, 1)
	before := *s
	s.SwapSides()
	require.Equal(t, before.Want, s.Want, "there is no other side")
	s.Compare, s.IndexOrder = CompareSplit, load.FileOrder
	s.Other = OtherSide{Strategy: "hash", Lanes: 16, Order: "forsyth"}
	s.SwapSides()
	require.Equal(t, "hash", s.Want.Strategy)
	require.Equal(t, 16, s.Want.Lanes)
	require.Equal(t, "forsyth", s.IndexOrder)
	require.Equal(t, OtherSide{Strategy: "warp", Lanes: 32, Order: load.FileOrder}, s.Other)
	s.SwapSides()
	require.Equal(t, "warp", s.Want.Strategy)
}

func TestParseOtherFillsInTheLeftSide(t *testing.T) {
	for text, want := range map[string]OtherSide{
		"hash":               {Strategy: "hash", Lanes: 32, Order: load.FileOrder},
		"hash/forsyth":       {Strategy: "hash", Lanes: 32, Order: "forsyth"},
		"warp//8":            {Strategy: "warp", Lanes: 8, Order: load.FileOrder},
		"claim/tipsify/64":   {Strategy: "claim", Lanes: 64, Order: "tipsify"},
		"warp/forsyth+fetch": {Strategy: "warp", Lanes: 32, Order: "forsyth+fetch"},
	} {
		got, err := ParseOther(text, start, load.FileOrder)
		require.NoError(t, err, text)
		require.Equal(t, want, got)
		require.Equal(t, want, must.Get(ParseOther(got.String(), start, load.FileOrder)))
	}
	for _, text := range []string{"", "x", "hash/x", "hash/forsyth/5", "hash/forsyth/x", "hash/forsyth/8/9"} {
		_, err := ParseOther(text, start, load.FileOrder)
		require.Error(t, err, text)
	}
}

func TestDraggingTheDividerLeavesTheCamera(t *testing.T) {
	s := newState(t, 1)
	home := s.Camera
	s.Drag.Kind, s.Drag.Button = DividerDrag, LeftButton
	s.MoveCursor(300, 300, 500)
	require.Equal(t, home, s.Camera)
	s.PressButton(LeftButton, false, false)
	require.Equal(t, NoDrag, s.Drag.Kind)
}

func TestOneDrawIsShownAlone(t *testing.T) {
	scene := viewtest.Scene(t, "city2")
	scene.Draws[1].IndexCount = 0
	var v Views
	require.Same(t, scene, v.Part(scene, 0))
	one := v.Part(scene, 3)
	require.Equal(t, scene.Draws[2:3], one.Draws)
	require.Same(t, one, v.Part(scene, 3), "kept, so that it is uploaded once")
	again := *scene
	require.NotSame(t, one, v.Part(&again, 3), "another scene's")
	require.Nil(t, v.Part(nil, 3))
	for alone := range 9 {
		v.Part(scene, alone)
	}
	require.Len(t, v.Singles, KeptSingles)
	require.NoError(t, CheckAlone(scene, 0))
	require.NoError(t, CheckAlone(scene, len(scene.Draws)))
	require.ErrorContains(t, CheckAlone(scene, len(scene.Draws)+1), "there are draws 0 to ")
	require.EqualError(t, CheckAlone(scene, 2), "draw 1 draws nothing")
}

// X draws all edges, or removes them if some are drawn. LargeEdges replaces all edges by those of large triangles, for large scenes.
func TestEdgesAreOneSetting(t *testing.T) {
	s, k := Begin(), Named("edges (X)")
	require.Equal(t, "off", k.Value(&s))
	press(t, &s, "X")
	require.Equal(t, "all", k.Value(&s))
	require.True(t, s.AllEdges)
	s.LargeEdges()
	require.Equal(t, "large", k.Value(&s))
	require.Equal(t, []string{"true", "false"}, []string{s.Flags(Pictures)["edges"], s.Flags(Pictures)["wireframe"]})
	press(t, &s, "X")
	require.Equal(t, "off", k.Value(&s))
	require.Zero(t, s.Want.Look.Edges)
	require.False(t, s.AllEdges)
	for g, want := range [][]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
		require.Equal(t, want, []bool{Guides(g).Box(), Guides(g).Grid()}, GuideNames[g])
	}
}
