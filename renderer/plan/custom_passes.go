package plan

import (
	"fmt"
	"slices"

	"github.com/shadeonce/shadeonce/renderer"
)

// makeCustom lays out what the vertex shaders of a frame's own read, where it has any.
func (p *planner) makeCustom() (err error) {
	if p.Frame.Shading != nil {
		p.Custom, err = newCustom(&p.Frame, p.kernel.Drawn)
		p.plugs.shade = p.Custom
	}
	return err
}

// customBuffers adds what the vertex shaders of a frame's own read.
func (p *planner) customBuffers() {
	c, f := p.Custom, &p.Frame
	if c == nil {
		return
	}
	records := ByPlan
	if f.Shading.Captured != nil {
		records = ByCamera
	}
	p.add(AttributeWords, ByPlan, "scene", "uint attribute", c.attributeBytes(f.Scene)/4+1, 4)
	p.add(Shadings, records, "frame", "uint record", len(c.Records), 4)
	p.contentBuffer(Values, &c.Values)
	p.contentBuffer(Uniforms, &c.Uniforms).Usage = Uniform
	for i, data := range c.open {
		p.add(openBlock(i), ByPlan, "scene", "uint of a block", (len(data)+3)/4, 4)
	}
}

func (p *planner) contentBuffer(b Block, c *content) *Buffer {
	filled := ByPlan
	if c.Followed > 0 {
		filled = ByCamera
	}
	buffer := p.add(b, filled, "frame", "uint4 of blocks", (len(c.Bytes)+15)/16, 16)
	buffer.Followed = int64(c.Followed)
	return buffer
}

// unshaded says whether a draw of a frame with vertex shaders of its own is only
// transformed: no program shades it, or it is not seen.
func unshaded(f *renderer.Frame, draw int) bool {
	return f.Shading != nil && (f.Shading.Draws[draw].Program < 0 || f.Marks != nil && f.Marks[draw] == renderer.Hidden)
}

func (p *planner) someUnshaded() bool {
	for i := range p.Frame.Shading.Draws {
		if unshaded(&p.Frame, i) {
			return true
		}
	}
	return false
}

// CustomData is what the host fills a buffer of a frame's own vertex shaders with; nil
// where it is none of these, or nothing is in it.
func (p *Plan) CustomData(b Block) []byte {
	switch c := p.Custom; {
	case c == nil:
		return nil
	case b == AttributeWords:
		return c.attributeData(p.Frame.Scene)
	case b == Values:
		return c.Values.Bytes
	case b == Uniforms:
		return c.Uniforms.Bytes
	default:
		for i := range c.open {
			if b == openBlock(i) {
				return c.open[i]
			}
		}
		return nil
	}
}

// checkCustom joins the frame's vertex shaders with one of its passes, so that what
// cannot be joined, or what the device lacks, is found before anything is drawn.
func (p *planner) checkCustom() error {
	if p.Custom == nil {
		return nil
	}
	for i := range p.Passes {
		program := p.Passes[i].Program()
		if program == nil || !slices.ContainsFunc(p.Passes[i].Uses, func(u Use) bool { return u.Block == Shadings }) {
			continue
		}
		s, err := p.Shader(program.Shaders[0])
		if err != nil {
			return err
		}
		if missing := missing(s, &p.limits); len(missing) > 0 {
			return fmt.Errorf("vertex shader %s needs %s, which the device lacks", p.Frame.Shading.Name, capabilityText(missing))
		}
		return nil
	}
	return nil
}
