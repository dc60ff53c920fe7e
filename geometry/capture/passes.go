package capture

import (
	"fmt"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture/internal/replay"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// Any pass of a frame can be the main one: the scene then has that pass's camera, and shows its
// draws only.

// passName returns the part of a draw's name that is its pass's: "pass 2 shadows".
func passName(draw string) string {
	name, _, _ := strings.Cut(draw, " / ")
	return name
}

// passes lists the frame's passes.
func (p *placer) passes() []geometry.Pass {
	list := make([]geometry.Pass, len(p.aspects))
	for i := range p.scene.Draws {
		pass := &list[p.states[i].Pass]
		pass.Name = passName(p.scene.Draws[i].Name)
		pass.Draws++
		pass.Triangles += int(p.scene.Draws[i].IndexCount / 3)
	}
	return list
}

// choose finds the pass that is wanted, by its name, the rest of the name after its number, or the
// number; -1 if none is.
func (p *placer) choose(list []geometry.Pass) int {
	if p.pass == "" {
		return -1
	}
	var names []string
	for i := range list {
		number, label, _ := strings.Cut(strings.TrimPrefix(list[i].Name, "pass "), " ")
		for _, name := range []string{list[i].Name, number, label} {
			if name != "" && strings.EqualFold(name, p.pass) {
				return i
			}
		}
		names = append(names, list[i].Name)
	}
	must.Fail("no pass %q: the frame has %s", p.pass, strings.Join(names[:min(len(names), 20)], ", "))
	return -1
}

// setPasses completes the list for a placed frame.
func (p *placer) setPasses(list []geometry.Pass, frame *replay.Frame) {
	c := p.scene.Capture
	for i := range c.Placings {
		if c.Placings[i].How != geometry.Hidden {
			list[p.states[i].Pass].Shown++
		}
	}
	list[frame.Main()].Camera = true
	c.Passes = list
}

// noCamera is the error for a pass that does not tell where its camera is.
func noCamera(pass geometry.Pass) error {
	return fmt.Errorf("%s: none of its %d draws tells where its camera is: no vertex shader that can be run is linear there", pass.Name, pass.Draws)
}
