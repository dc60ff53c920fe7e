package plan

import (
	"fmt"

	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders/module"
)

// Images that vertex shaders fetch texels from lie in Values, too, each once: draws may
// have different ones, of different sizes.

// imageAt is the image that contents begin with; nil where they are not as long as its head
// says.
func imageAt(contents []byte) []byte {
	_, _, n, ok := module.ImageSize(contents)
	if !ok {
		return nil
	}
	return contents[:n:n]
}

// image is the contents of an image that a draw reads.
func (one *copies) image(f *renderer.Frame, draw int) (number int, contents []byte) {
	number = f.Shading.Draws[draw].Values[one.number]
	return number, f.Shading.Values[number]
}

// checkImages refuses images that are not as long as they say: a device reads where they say.
func (one *copies) checkImages(f *renderer.Frame) error {
	for _, draw := range one.draws {
		if _, contents := one.image(f, draw); imageAt(contents) == nil {
			return fmt.Errorf("its %d bytes are fewer than its size says", len(contents))
		}
	}
	return nil
}

// copyImages puts images behind all other copies.
func (c *Custom) copyImages(f *renderer.Frame, one *copies) {
	for _, draw := range one.draws {
		number, contents := one.image(f, draw)
		head, known := c.images[number]
		if !known {
			padding := -len(c.Values.Bytes) & (module.TexelBytes - 1)
			c.Values.Bytes = append(c.Values.Bytes, make([]byte, padding)...)
			head = uint32(len(c.Values.Bytes) / module.TexelBytes)
			c.Values.Bytes = append(c.Values.Bytes, imageAt(contents)...)
			c.images[number] = head
		}
		one.heads = append(one.heads, head)
	}
	if len(one.heads) > 0 {
		one.layout.Base = one.heads[0] * module.TexelBytes
	}
}
