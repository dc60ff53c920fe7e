package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/picture"
)

// stampFlags are the flags that a stamp may set. They say what is shown; none of them names
// a device or a file to be written.
var stampFlags = []string{
	"strategy", "lanes", "batch", "unique", "queue", "view", "subgroups", "raster", "load", "palette", "cull", "cull-faces", "order",
	"compare", "compare-view", "divider", "panels", "transparent", "draw", "camera", "size",
	"subdivide", "app", "levels", "drawn", "percent", "side", "agents", "grid", "seed", "sort-every", "step", "speed", "wireframe", "before", "opacity",
}

// flagValues returns the flags that lead to the state, without batch limits that are the
// strategy's own.
func (s *state) flagValues() map[string]string {
	values := map[string]string{
		"order": s.indexOrder, "divider": strconv.FormatFloat(s.divider, 'g', -1, 64),
		"panels": strconv.FormatBool(s.panels), "transparent": strconv.FormatBool(s.transparent),
		"strategy": s.want.strategy, "lanes": strconv.Itoa(s.want.lanes), "queue": s.want.queue.String(), "view": s.want.view.String(),
		"subgroups": s.want.subgroups.String(), "raster": s.want.raster.String(), "load": loadKnob.value(s.want), "palette": s.want.palette.String(),
	}
	values["cull"] = strconv.FormatBool(s.want.cull > 0)
	values["cull-faces"] = renderer.FaceCulling(max(s.want.cull, 1) - 1).String()
	sized := s.want.strategy != reuse.Auto // which picks batches too
	if sized && s.want.batch != 0 {
		values["batch"] = strconv.Itoa(s.want.batch)
	}
	if sized && s.want.unique != 0 {
		values["unique"] = strconv.Itoa(s.want.unique)
	}
	s.appFlagValues(values)
	if s.compare != compareOff && s.compare != compareBefore {
		values["compare"], values["compare-view"] = s.other.String(), s.compare.String()
	}
	return values
}

// stamp is that of the picture on the screen.
func (a *app) stamp() picture.Stamp {
	s := a.state
	s.want, s.indexOrder = a.shown.left.settings, a.shown.left.order
	if r := a.appShown(); r != nil {
		s.doing = r.Choice
	}
	flags := s.flagValues()
	flags["draw"] = strconv.Itoa(a.shown.left.alone - 1)
	flags["camera"] = cli.CameraText(a.shown.left.camera)
	width, height := a.screen.window.GetSize()
	flags["size"] = fmt.Sprintf("%dx%d", width, height)
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
