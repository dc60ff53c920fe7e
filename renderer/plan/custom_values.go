package plan

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/bytesize"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders"
	"github.com/shadeonce/shadeonce/shaders/link"
	"github.com/shadeonce/shadeonce/shaders/module"
)

// copies are the copies of a program's block: one for each different content that draws have, or
// one per draw if a value in it depends on the draw.
type copies struct {
	program int
	block   *module.Block
	layout  *link.BlockLayout
	number  int // of the block in the program
	filled  []*geometry.Filled
	perDraw bool
	draws   []int       // by copy: the first draw that reads it
	slots   map[int]int // 1 + a copy's number, by Shading.Values or by draw
	heads   []uint32    // for images: where each begins in Values, in texels
}

// layOutValues gives the blocks their copies, and the draws' records their words. Blocks with
// values that depend on the camera come first, since they are written for each picture.
func (c *Custom) layOutValues(f *renderer.Frame) error {
	var list []*copies
	c.layout.Words = link.RecordSlots
	for i := range c.programs {
		p := &c.programs[i]
		p.Blocks = make([]link.BlockLayout, len(p.Vertex.Blocks))
		words := link.RecordSlots
		for k := range p.Vertex.Blocks {
			one, err := copiesOf(f, i, k)
			one.layout = &p.Blocks[k]
			switch {
			case err != nil:
			case one.block.Kind == module.FetchedImage:
				err = one.checkImages(f)
			case one.block.Open:
				err = c.addOpen(f, one)
			}
			if err != nil {
				return fmt.Errorf("vertex shader %s: %s %s: %w", f.Shading.Programs[i].Name, one.block.Kind, one.block.Name, err)
			}
			if len(one.draws) > 1 {
				one.layout.Slot = words
				words++
			}
			list = append(list, one)
		}
		c.layout.Words = max(c.layout.Words, words)
	}
	c.copies = list
	c.chooseUniforms()
	for _, following := range []bool{true, false} {
		for _, one := range list {
			switch {
			case len(one.filled) > 0 != following:
			case one.block.Kind == module.FetchedImage:
				c.copyImages(f, one)
			case !one.block.Open:
				c.copyBlock(f, one)
			}
		}
		if following {
			c.Values.Followed, c.Uniforms.Followed = len(c.Values.Bytes), len(c.Uniforms.Bytes)
		}
	}
	if len(c.Values.Bytes) > math.MaxUint32 {
		return errors.New("the values of all draws take more than 4 GiB")
	}
	return nil
}

// uniformBytes is the size that every device can bind as a uniform buffer.
const uniformBytes = 16 << 10

// chooseUniforms puts blocks that may be in a uniform buffer there, if all of them fit: GPUs read
// that faster, and the shaders' authors expect it.
func (c *Custom) chooseUniforms() {
	var fit []*copies
	bytes := 0
	for _, one := range c.copies {
		if link.InUniforms(c.programs[one.program].Vertex, one.block.Kind) {
			fit = append(fit, one)
			bytes += one.block.Stride()*len(one.draws) + one.block.Align
		}
	}
	if bytes > uniformBytes {
		return
	}
	for _, one := range fit {
		one.layout.Copies = max(1, len(one.draws))
	}
}

// copiesOf finds which copies of a block the draws need.
func copiesOf(f *renderer.Frame, program, number int) (*copies, error) {
	s := f.Shading
	block := &s.Programs[program].Vertex.Blocks[number]
	one := &copies{program: program, block: block, number: number, slots: map[int]int{}}
	for i := range s.Filled {
		x := &s.Filled[i]
		if x.Program != program || x.Block != one.number {
			continue
		}
		columns, rows := x.Columns, x.Rows
		if x.RowMajor {
			columns, rows = rows, columns
		}
		if end := x.Offset + (columns-1)*x.MatrixStride + 4*rows; columns < 1 || rows < 1 || end > block.Size || block.Open {
			return one, fmt.Errorf("%s would end at byte %d of %d", x.What, end, block.Size)
		}
		one.filled, one.perDraw = append(one.filled, x), one.perDraw || x.What.PerDraw()
	}
	for i := range s.Draws {
		if s.Draws[i].Program != program {
			continue
		}
		if key := one.key(f, i); one.slots[key] == 0 {
			one.draws = append(one.draws, i)
			one.slots[key] = len(one.draws)
		}
	}
	return one, nil
}

// key identifies the copy of a block that a draw reads.
func (one *copies) key(f *renderer.Frame, draw int) int {
	if one.perDraw {
		return draw
	}
	return f.Shading.Draws[draw].Values[one.number]
}

// copyBlock appends the copies of a block.
func (c *Custom) copyBlock(f *renderer.Frame, one *copies) {
	to, stride := &c.Values, one.block.Stride()
	if one.layout.Copies > 0 {
		to = &c.Uniforms
	}
	base := (len(to.Bytes) + one.block.Align - 1) / one.block.Align * one.block.Align
	to.Bytes = append(to.Bytes, make([]byte, base+stride*max(1, len(one.draws))-len(to.Bytes))...)
	for i, draw := range one.draws {
		at := base + i*stride
		copy(to.Bytes[at:at+one.block.Size], f.Shading.Values[f.Shading.Draws[draw].Values[one.number]])
		for _, x := range one.filled {
			to.places = append(to.places, place{x, at, draw})
		}
	}
	one.layout.Base = uint32(base)
}

// addOpen gives a block that ends in an array without a length its own buffer.
func (c *Custom) addOpen(f *renderer.Frame, one *copies) error {
	if len(one.draws) > 1 {
		return errors.New("it ends in an array without a length, and the draws have different contents of it")
	}
	one.layout.Elements = 1
	if len(one.draws) == 0 {
		return nil
	}
	content := f.Shading.Draws[one.draws[0]].Values[one.number]
	data := f.Shading.Values[content]
	if len(data) < max(one.block.Size, 4) {
		return fmt.Errorf("%s of values for %s", bytesize.Text(int64(len(data))), bytesize.Text(int64(max(one.block.Size, 4))))
	}
	if missing := one.block.Least() - len(data); missing > 0 { // indices are clamped to the array, which needs an element
		data, content = append(slices.Clip(data), make([]byte, missing)...), -1-len(c.open)
	}
	one.layout.Elements = one.block.Elements(len(data))
	i := slices.Index(c.opened, content) // programs that read the same contents share a buffer
	if i < 0 {
		if i = len(c.open); i == shaders.OpenBlocks {
			return fmt.Errorf("it ends in an array without a length, as %d others do", i)
		}
		c.open, c.opened = append(c.open, data), append(c.opened, content)
	}
	one.layout.Binding = shaders.OpenBinding + uint32(i)
	return nil
}

// makeRecords writes the draws' records.
func (c *Custom) makeRecords(f *renderer.Frame) {
	s := f.Shading
	c.layout.Clip = s.Captured != nil
	for i := range s.Draws {
		c.layout.Clip = c.layout.Clip || s.Draws[i].Program >= 0 && s.Draws[i].Clip != mgl32.Ident4()
	}
	c.Records = make([]uint32, c.layout.Words*len(s.Draws))
	for i := range s.Draws {
		d, record := &s.Draws[i], c.Records[i*c.layout.Words:][:c.layout.Words]
		record[link.RecordProgram] = uint32(d.Program)
		record[link.RecordBaseVertex], record[link.RecordBaseInstance] = uint32(d.BaseVertex), uint32(d.BaseInstance)
		record[link.RecordInstance], record[link.RecordDrawIndex] = uint32(d.Instance), uint32(d.DrawIndex)
		putWords(record[link.RecordClip:], &d.Clip)
	}
	for _, one := range c.copies {
		for i := range s.Draws {
			if s.Draws[i].Program == one.program && one.layout.Slot > 0 {
				slot := uint32(one.slots[one.key(f, i)] - 1)
				if one.heads != nil {
					slot = one.heads[slot]
				}
				c.Records[i*c.layout.Words+one.layout.Slot] = slot
			}
		}
	}
}

// Images that vertex shaders fetch texels from lie in Values, too, each once: draws may
// have different ones, of different sizes.

// imageAt returns the image at the beginning of contents; nil if they are shorter than its header
// says.
func imageAt(contents []byte) []byte {
	_, _, n, ok := module.ImageSize(contents)
	if !ok {
		return nil
	}
	return contents[:n:n]
}

// image returns the contents of an image that a draw reads.
func (one *copies) image(f *renderer.Frame, draw int) (number int, contents []byte) {
	number = f.Shading.Draws[draw].Values[one.number]
	return number, f.Shading.Values[number]
}

// checkImages returns an error for images that are shorter than their header says, since a device
// would read beyond them.
func (one *copies) checkImages(f *renderer.Frame) error {
	for _, draw := range one.draws {
		if _, contents := one.image(f, draw); imageAt(contents) == nil {
			return fmt.Errorf("its %d bytes are fewer than its size says", len(contents))
		}
	}
	return nil
}

// copyImages appends the images after all other copies.
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
