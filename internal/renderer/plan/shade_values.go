package plan

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/bytesize"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/internal/spirv/link"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/renderer"
)

// copies are the copies of a program's block: one for each of the different contents that the draws
// give it, or one per draw if a value in the block depends on the draw.
type copies struct {
	program int
	block   *module.Block
	layout  *link.BlockLayout
	number  int // of the block in the program
	filled  []*geometry.Filled
	perDraw bool
	draws   []int       // by copy: the first draw that reads it
	slots   map[int]int // 1 + a copy's number, by index in Shading.Values or, if perDraw, by draw
	heads   []uint32    // for images: where each begins in Values, in texels
}

// layOutValues lays out the copies of blocks, and the words of the draws' records. Blocks with
// camera-dependent values come first, since they are written for each picture.
func (m *moduleShade) layOutValues() error {
	s := m.frame.Shading
	var list []*copies
	m.layout.Words = link.RecordSlots
	for i := range m.programs {
		p := &m.programs[i]
		p.Blocks = make([]link.BlockLayout, len(p.Vertex.Blocks))
		words := link.RecordSlots
		for k := range p.Vertex.Blocks {
			one, err := copiesOf(s, i, k)
			one.layout = &p.Blocks[k]
			switch {
			case err != nil:
			case one.block.Kind == module.FetchedImage:
				err = one.checkImages(s)
			case one.block.Open:
				err = m.addOpen(one)
			}
			if err != nil {
				return fmt.Errorf("vertex shader %s: %s %s: %w", p.Name, one.block.Kind, one.block.Name, err)
			}
			if len(one.draws) > 1 {
				one.layout.Slot = words
				words++
			}
			list = append(list, one)
		}
		m.layout.Words = max(m.layout.Words, words)
	}
	m.copies = list
	m.chooseUniforms()
	for _, following := range []bool{true, false} {
		for _, one := range list {
			switch {
			case len(one.filled) > 0 != following:
			case one.block.Kind == module.FetchedImage:
				m.copyImages(one)
			case !one.block.Open:
				m.copyBlock(one)
			}
		}
		if following {
			m.values.followed, m.uniforms.followed = len(m.values.bytes), len(m.uniforms.bytes)
		}
	}
	if len(m.values.bytes) > math.MaxUint32 {
		return errors.New("the values of all draws take more than 4 GiB")
	}
	return nil
}

// uniformBytes is the size of the largest uniform buffer that every device can bind.
const uniformBytes = 16 << 10

// chooseUniforms decides which blocks go to the uniform buffer: all that may, if they fit together, else
// none. GPUs read uniform buffers faster, and the shaders' authors expect their use.
func (m *moduleShade) chooseUniforms() {
	var fit []*copies
	bytes := 0
	for _, one := range m.copies {
		if link.InUniforms(m.programs[one.program].Vertex, one.block.Kind) {
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
func copiesOf(s *geometry.Shading, program, number int) (*copies, error) {
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
		if key := one.key(s, i); one.slots[key] == 0 {
			one.draws = append(one.draws, i)
			one.slots[key] = len(one.draws)
		}
	}
	return one, nil
}

// key identifies the copy of a block that a draw reads.
func (one *copies) key(s *geometry.Shading, draw int) int {
	if one.perDraw {
		return draw
	}
	return s.Draws[draw].Values[one.number]
}

// copyBlock appends the copies of a block.
func (m *moduleShade) copyBlock(one *copies) {
	to, stride := &m.values, one.block.Stride()
	if one.layout.Copies > 0 {
		to = &m.uniforms
	}
	base := (len(to.bytes) + one.block.Align - 1) / one.block.Align * one.block.Align
	to.bytes = append(to.bytes, make([]byte, base+stride*max(1, len(one.draws))-len(to.bytes))...)
	for i, draw := range one.draws {
		at := base + i*stride
		_, values := one.contents(m.frame.Shading, draw)
		copy(to.bytes[at:at+one.block.Size], values)
		for _, x := range one.filled {
			to.places = append(to.places, place{x, at, draw})
		}
	}
	one.layout.Base = uint32(base)
}

// addOpen gives a block that ends in a runtime array a buffer, which blocks with the same contents share.
func (m *moduleShade) addOpen(one *copies) error {
	if len(one.draws) > 1 {
		return errors.New("it ends in a runtime array, and the draws have different contents of it")
	}
	one.layout.Elements = 1
	if len(one.draws) == 0 {
		return nil
	}
	number, data := one.contents(m.frame.Shading, one.draws[0])
	if len(data) < max(one.block.Size, 4) {
		return fmt.Errorf("%s of values for %s", bytesize.Text(int64(len(data))), bytesize.Text(int64(max(one.block.Size, 4))))
	}
	if missing := one.block.Least() - len(data); missing > 0 { // indices are clamped to the array, which needs an element
		data, number = append(slices.Clip(data), make([]byte, missing)...), -1-len(m.open)
	}
	one.layout.Elements = one.block.Elements(len(data))
	i := slices.Index(m.opened, number) // programs that read the same contents share a buffer
	if i < 0 {
		if i = len(m.open); i == shaders.OpenBlocks {
			return fmt.Errorf("it ends in a runtime array, as %d others do", i)
		}
		m.open, m.opened = append(m.open, data), append(m.opened, number)
	}
	one.layout.Binding = shaders.OpenBinding + uint32(i)
	return nil
}

func (m *moduleShade) makeRecords() {
	s, offsets := m.frame.Shading, reuse.CountOffsets(m.frame.Scene)
	m.layout.Clip = s.Captured != nil
	m.records.bytes = make([]byte, 4*m.layout.Words*len(s.Draws))
	for i := range s.Draws {
		d, record := &s.Draws[i], m.records.bytes[4*i*m.layout.Words:]
		set := func(word int, value uint32) { binary.LittleEndian.PutUint32(record[4*word:], value) }
		m.layout.Clip = m.layout.Clip || d.Program >= 0 && d.Clip != mgl32.Ident4()
		set(link.RecordProgram, uint32(d.Program))
		set(link.RecordBaseVertex, uint32(d.BaseVertex))
		set(link.RecordBaseInstance, uint32(d.BaseInstance))
		set(link.RecordInstance, uint32(d.Instance))
		set(link.RecordDrawIndex, uint32(d.DrawIndex))
		set(link.RecordDistances, offsets[i]*uint32(m.layout.Distances.Total()))
		put(recordClip, record, &d.Clip)
		if s.Captured != nil {
			m.records.places = append(m.records.places, place{recordClip, 4 * i * m.layout.Words, i})
			m.records.followed = len(m.records.bytes)
		}
		for _, one := range m.copies {
			if d.Program != one.program || one.layout.Slot == 0 {
				continue
			}
			slot := uint32(one.slots[one.key(s, i)] - 1)
			if one.heads != nil {
				slot = one.heads[slot]
			}
			set(one.layout.Slot, slot)
		}
	}
}

// Images from which vertex shaders fetch texels are stored in Values too. Draws may read different
// images, of different sizes. An image that several draws read is stored once.

// imageAt returns the image at the beginning of contents; nil if they are shorter than its header
// says.
func imageAt(contents []byte) []byte {
	_, _, n, ok := module.ImageSize(contents)
	if !ok {
		return nil
	}
	return contents[:n:n]
}

// contents returns the contents of the block for a draw. `number` is their index in Shading.Values.
func (one *copies) contents(s *geometry.Shading, draw int) (number int, contents []byte) {
	number = s.Draws[draw].Values[one.number]
	return number, s.Values[number]
}

// checkImages returns an error for images that are shorter than their header says, since a device
// would read beyond them.
func (one *copies) checkImages(s *geometry.Shading) error {
	for _, draw := range one.draws {
		if _, contents := one.contents(s, draw); imageAt(contents) == nil {
			return fmt.Errorf("its %d bytes are fewer than its size says", len(contents))
		}
	}
	return nil
}

// copyImages appends to Values the images that draws read, each once.
func (m *moduleShade) copyImages(one *copies) {
	for _, draw := range one.draws {
		number, contents := one.contents(m.frame.Shading, draw)
		head, known := m.images[number]
		if !known {
			padding := -len(m.values.bytes) & (module.TexelBytes - 1)
			m.values.bytes = append(m.values.bytes, make([]byte, padding)...)
			head = uint32(len(m.values.bytes) / module.TexelBytes)
			m.values.bytes = append(m.values.bytes, imageAt(contents)...)
			m.images[number] = head
		}
		one.heads = append(one.heads, head)
	}
	if len(one.heads) > 0 {
		one.layout.Base = one.heads[0] * module.TexelBytes
	}
}

// known holds the well-known values of a camera.
type known struct {
	camera         renderer.Camera
	width, height  int
	view           mgl32.Mat4 // world to eye
	projection     mgl32.Mat4 // eye to clip
	viewProjection mgl32.Mat4 // as for our own vertex shaders
}

func newKnown(c renderer.Camera, width, height int) *known {
	aspect := float32(width) / float32(height)
	k := &known{camera: c, width: width, height: height, viewProjection: c.ViewProj(aspect)}
	k.view, k.projection = c.View(), c.Projection(aspect)
	return k
}

// value returns a well-known value, column by column, for a draw's transform.
func (k *known) value(w geometry.WellKnown, model *mgl32.Mat4) mgl32.Mat4 {
	switch w {
	case geometry.ModelMatrix:
		return *model
	case geometry.ViewMatrix:
		return k.view
	case geometry.ProjectionMatrix:
		return k.projection
	case geometry.ViewProjectionMatrix:
		return k.viewProjection
	case geometry.ModelViewMatrix:
		return product(&k.view, model)
	case geometry.ModelViewProjectionMatrix:
		return JoinCamera(&k.viewProjection, model)
	case geometry.NormalMatrix:
		m := product(&k.view, model)
		return normalMatrix(&m)
	case geometry.ModelNormalMatrix:
		return normalMatrix(model)
	case geometry.CameraPosition:
		return column(k.camera.Eye().Vec4(1))
	case geometry.ViewDirection:
		return column(k.camera.Forward().Vec4(0))
	case geometry.Time:
		return mgl32.Mat4{k.camera.Time}
	case geometry.Viewport:
		return mgl32.Mat4{float32(k.width), float32(k.height), 1 / float32(k.width), 1 / float32(k.height)}
	}
	m := k.value(w-geometry.InverseModelMatrix+geometry.ModelMatrix, model)
	return geometry.Narrow(wide(&m).Inv())
}

func column(v mgl32.Vec4) (m mgl32.Mat4) {
	copy(m[:], v[:])
	return m
}

func wide(m *mgl32.Mat4) (d mgl64.Mat4) {
	for i, x := range m {
		d[i] = float64(x)
	}
	return d
}

func product(a, b *mgl32.Mat4) mgl32.Mat4 { return geometry.Narrow(wide(a).Mul4(wide(b))) }

// normalMatrix returns the inverse transpose of a matrix's linear part, or zero if the matrix is
// singular.
func normalMatrix(m *mgl32.Mat4) mgl32.Mat4 {
	n := wide(m).Mat3().Inv().Transpose()
	return geometry.Narrow(n.Mat4())
}

// put writes a value at its place in a copy of the block.
func put(f *geometry.Filled, block []byte, value *mgl32.Mat4) {
	columns, rows := f.What.Shape()
	for c := range min(columns, f.Columns) {
		for r := range min(rows, f.Rows) {
			at := f.Offset + c*f.MatrixStride + 4*r
			if f.RowMajor {
				at = f.Offset + r*f.MatrixStride + 4*c
			}
			binary.LittleEndian.PutUint32(block[at:], math.Float32bits(value[4*c+r]))
		}
	}
}
