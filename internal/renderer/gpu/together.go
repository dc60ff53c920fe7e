//go:build cgo

package gpu

import "fmt"

// step collects what the commands of a step use.
type step struct {
	record  int // the record being run
	buffers []stepUse
	images  []imageUse
}

type stepUse struct {
	bufferUse
	record int
}

// Together records commands that may run at the same time: one barrier, for all that the records
// use, comes before the first of them. Each record is run twice, and must record the same each
// time. It is an error if one record writes a resource that another uses.
func (c *Commands) Together(records ...func()) {
	if len(records) == 1 {
		records[0]()
		return
	}
	s := &step{}
	c.noting = s
	for i, record := range records {
		s.record = i
		record()
	}
	c.noting = nil
	for _, x := range s.buffers {
		c.useBuffer(x.buffer, x.use)
	}
	c.imageUses = append(c.imageUses, s.images...)
	c.settle()
	c.settled = true
	for _, record := range records {
		record()
	}
	c.settled = false
}

// noteStep adds the collected uses of a command to the step.
func (c *Commands) noteStep() {
	s := c.noting
	for _, x := range c.bufferUses {
		for _, y := range s.buffers {
			if y.buffer == x.buffer && y.record != s.record && (x.use.writes || y.use.writes) && !(x.use.atomic && y.use.atomic) && c.err == nil {
				c.err = fmt.Errorf("gpu: %s: records that may run at the same time use buffer %s, and one writes it", c.Name, x.buffer.Name)
			}
		}
		s.buffers = append(s.buffers, stepUse{x, s.record})
	}
	s.images = append(s.images, c.imageUses...)
	c.bufferUses, c.imageUses = c.bufferUses[:0], c.imageUses[:0]
}

// records reports whether commands reach the command buffer.
func (c *Commands) records() bool { return c.err == nil && c.noting == nil }
