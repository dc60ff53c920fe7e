package main

import (
	"fmt"
	"maps"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/internal/views"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/picture"
)

// stampFlags are the flags that a stamp may set. They say what is shown; none of them names
// a device or a file to be written.
var stampFlags = []string{
	"strategy", "lanes", "batch", "unique", "queue", "view", "subgroups", "raster", "load", "palette", "cull", "cull-faces", "order",
	"light", "smooth", "edges", "background", "hide", "isolate", "highlight",
	"compare", "compare-view", "divider", "panels", "transparent", "draw", "camera", "up", "size",
	"vertex-shader", "entry", "uniforms", "subdivide", "app", "levels", "drawn", "percent", "side", "agents", "grid", "seed", "sort-every", "step", "speed", "wireframe", "before", "opacity",
}

// flagValues returns the flags that lead to the state, without batch limits that are the
// strategy's own.
func (s *state) flagValues() map[string]string {
	values := map[string]string{
		"order": s.IndexOrder, "up": s.Up.String(), "divider": strconv.FormatFloat(s.divider, 'g', -1, 64),
		"panels": strconv.FormatBool(s.panels), "transparent": strconv.FormatBool(s.transparent),
		"strategy": s.Want.Strategy, "lanes": strconv.Itoa(s.Want.Lanes), "queue": s.Want.Queue.String(), "view": s.Want.ViewName(),
		"subgroups": s.Want.Subgroups.String(), "raster": s.Want.Raster.String(), "load": views.LoadKnob.Value(s.Want), "palette": s.Want.Palette.String(),
	}
	maps.Copy(values, cli.LookValues(s.Want.Look))
	values["cull"] = strconv.FormatBool(s.Want.Cull > 0)
	values["cull-faces"] = renderer.FaceCulling(max(s.Want.Cull, 1) - 1).String()
	sized := s.Want.Strategy != reuse.Auto // which picks batches too
	if sized && s.Want.Batch != 0 {
		values["batch"] = strconv.Itoa(s.Want.Batch)
	}
	if sized && s.Want.Unique != 0 {
		values["unique"] = strconv.Itoa(s.Want.Unique)
	}
	s.appFlagValues(values)
	if s.Compare != views.CompareOff && s.Compare != views.CompareBefore {
		values["compare"], values["compare-view"] = s.Other.String(), s.Compare.String()
	}
	return values
}

// stamp is that of the picture on the screen.
func (a *app) stamp() picture.Stamp {
	s := a.state
	s.Want, s.IndexOrder = a.Shown.Left.Settings, a.Shown.Left.Order
	if r := a.appShown(); r != nil {
		s.Doing = r.Choice
	}
	flags := s.flagValues()
	flags["draw"] = strconv.Itoa(a.Shown.Left.Alone - 1)
	if a.shownShader() != nil {
		e := a.shader.flags
		flags["vertex-shader"], flags["entry"], flags["uniforms"] = e.Name, e.Entry, e.Uniforms
	}
	if s.Want.Shader.Captured {
		flags["vertex-shader"] = cli.Captured
	}
	marks := s.Want.Marks // of this file's draws
	flags["hide"], flags["isolate"], flags["highlight"] = marks.Hide, marks.Isolate, marks.Highlight
	flags["camera"] = cli.CameraText(a.Shown.Left.Camera)
	units := a.units()
	flags["size"] = fmt.Sprintf("%dx%d", units.X, units.Y)
	return picture.Stamp{Version: picture.StampVersion, Files: a.files[a.at : a.at+1], Flags: flags}
}

// applyStamp sets the flags that the command line did not.
func applyStamp(s picture.Stamp, flags *pflag.FlagSet) error {
	for _, name := range stampFlags {
		value, there := s.Flags[name]
		other := map[string]string{"before": "compare", "compare": "before"}[name] // which it excludes
		if !there || flags.Changed(name) || other != "" && flags.Changed(other) {
			continue
		}
		// Not FlagSet.Set, which would count as given on the command line.
		if err := flags.Lookup(name).Value.Set(value); err != nil {
			return fmt.Errorf("settings: %s %q: %w", name, inspect.OneLine(value), err)
		}
	}
	return nil
}
