package plan

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders"
	"github.com/shadeonce/shadeonce/shaders/link"
	"github.com/shadeonce/shadeonce/shaders/module"
)

// This file plans frames with custom vertex shaders (renderer.Frame.Shading). Package link
// joins them with the passes that shade, in place of ours. They read three buffers: their
// attributes, a record per draw, and the values of their blocks.

// Custom holds a plan's custom vertex shaders and the initial contents of their buffers.
type Custom struct {
	Key      string   // plans with equal keys join the same modules
	Records  []uint32 // of Shadings; package link defines a draw's record
	Values   content  // copies of blocks
	Uniforms content  // copies that are in a uniform buffer

	name       string
	programs   []link.Program
	layout     link.Layout
	attributes []packed
	copies     []*copies
	images     map[int]uint32 // by Shading.Values: where contents of images begin in Values, in texels
	open       [][]byte       // contents of blocks that end in an array without a length
	opened     []int          // indices of these in Shading.Values
}

// packed is an attribute in AttributeWords.
type packed struct {
	attribute int // of the scene
	first     int // byte
}

// content is contiguous copies of blocks; those that depend on the camera come first.
type content struct {
	Bytes    []byte
	Followed int // bytes that depend on the camera
	places   []place
}

// place is where a well-known value is stored.
type place struct {
	filled *geometry.Filled
	at     int // byte at which the copy of its block begins
	draw   int
}

// newCustom lays out what the vertex shaders of a frame read. If several pipelines position a
// vertex, they must agree on its bits, so the shaders are precise.
func newCustom(f *renderer.Frame, precise bool) (*Custom, error) {
	c := &Custom{name: f.Shading.Name, layout: link.Layout{Precise: precise}, images: map[int]uint32{}}
	for i := range f.Shading.Programs {
		p := link.Program{Vertex: f.Shading.Programs[i].Vertex, Inputs: map[uint32]link.InputLayout{}, Shown: f.Shading.Shown}
		for _, in := range f.Shading.Programs[i].Inputs {
			p.Inputs[in.Location] = c.input(f.Scene, in)
		}
		c.programs = append(c.programs, p)
	}
	if err := c.checkShown(f.Shading.Shown); err != nil {
		return nil, fmt.Errorf("vertex shader %s: %w", f.Shading.Name, err)
	}
	if err := c.layOutValues(f); err != nil {
		return nil, err
	}
	c.makeRecords(f)
	c.Key = c.hash(f.Shading)
	return c, nil
}

// checkShown returns an error for an output that no program has. Draws whose program lacks an
// output that another has are shown black.
func (c *Custom) checkShown(output string) error {
	var have []string
	for _, p := range c.programs {
		for _, o := range p.Vertex.Outputs {
			if !slices.Contains(have, o.Name) {
				have = append(have, o.Name)
			}
		}
	}
	switch {
	case output == "" || slices.Contains(have, output):
		return nil
	case len(have) == 0:
		return fmt.Errorf("no output %q: only positions are put out", output)
	}
	return names.Unknown("output", output, have)
}

// input returns the layout of a program's input. It packs the attribute if it is new.
func (c *Custom) input(scene *geometry.Scene, in geometry.ShaderInput) link.InputLayout {
	switch in.Attribute {
	case geometry.FromPositions:
		return link.InputLayout{Source: link.Positions}
	case geometry.FromNormals:
		return link.InputLayout{Source: link.Normals}
	}
	i := slices.IndexFunc(c.attributes, func(p packed) bool { return p.attribute == in.Attribute })
	if i < 0 {
		i = len(c.attributes)
		c.attributes = append(c.attributes, packed{in.Attribute, c.attributeBytes(scene)})
	}
	a := &scene.Attributes[in.Attribute]
	return link.InputLayout{Source: link.Attributes, Format: cmp.Or(in.Format, a.Format), FirstByte: uint32(c.attributes[i].first), PerDraw: a.PerDraw}
}

// inputBytes returns the least number of bytes that a program reads per vertex.
func (c *Custom) inputBytes() int64 {
	least := int64(math.MaxInt64)
	for _, p := range c.programs {
		bytes, seen := int64(0), map[link.InputLayout]bool{}
		for _, in := range p.Inputs {
			switch {
			case seen[in] || in.PerDraw:
			case in.Source == link.Attributes:
				bytes += int64(in.Format.Size())
			default:
				bytes += 12 // a float3
			}
			seen[in] = true
		}
		least = min(least, bytes)
	}
	return least
}

// attributeBytes returns the total bytes of the packed attributes, in whole words.
func (c *Custom) attributeBytes(scene *geometry.Scene) int {
	if len(c.attributes) == 0 {
		return 0
	}
	last := c.attributes[len(c.attributes)-1]
	return (last.first + len(scene.Attributes[last.attribute].Data) + 3) &^ 3
}

// attributeData returns the buffer AttributeWords: the attributes one after another, and one more
// word, since unaligned elements are read as whole words.
func (c *Custom) attributeData(scene *geometry.Scene) []byte {
	data := make([]byte, c.attributeBytes(scene)+4)
	for _, p := range c.attributes {
		copy(data[p.first:], scene.Attributes[p.attribute].Data)
	}
	return data
}

// Follow writes the values that depend on the camera to the first bytes of the content's buffer.
func (c *content) Follow(f *renderer.Frame, camera renderer.Camera, values []byte) {
	k := newKnown(camera, max(f.Width, 1), max(f.Height, 1))
	same := map[geometry.WellKnown]mgl32.Mat4{} // of values that draws share
	copy(values, c.Bytes[:c.Followed])
	for _, p := range c.places {
		what := p.filled.What
		value, ok := same[what]
		if !ok {
			value = k.value(what, &f.Scene.Draws[p.draw].Transform)
			if !what.PerDraw() {
				same[what] = value
			}
		}
		put(p.filled, values[p.at:], &value)
	}
}

// FollowRecords writes the records. Their matrices take positions from the captured camera to
// another.
func (c *Custom) FollowRecords(f *renderer.Frame, camera renderer.Camera, records []uint32) {
	copy(records, c.Records)
	moved := captured(f, camera)
	for i := range f.Shading.Draws {
		clip := geometry.Narrow(moved.Mul4(wide(&f.Shading.Draws[i].Clip)))
		putWords(records[i*c.layout.Words+link.RecordClip:], &clip)
	}
}

// captured maps the captured camera's clip space to that of another camera. It is the identity if
// both are the same.
func captured(f *renderer.Frame, camera renderer.Camera) mgl64.Mat4 {
	aspect := float32(max(f.Width, 1)) / float32(max(f.Height, 1))
	if own := f.Scene.Capture; own != nil && own.View != nil {
		same := renderer.CapturedCamera(own.View, aspect)
		same.Time = camera.Time
		if camera == same && aspect == own.View.Aspect {
			return mgl64.Ident4()
		}
	}
	viewProjection := camera.ViewProj(aspect)
	return wide(&viewProjection).Mul4(wide(f.Shading.Captured).Inv())
}

func putWords(words []uint32, m *mgl32.Mat4) {
	for i, x := range m {
		words[i] = math.Float32bits(x)
	}
}

// hash is of what the joined modules depend on.
func (c *Custom) hash(s *geometry.Shading) string {
	h := sha256.New()
	fmt.Fprintln(h, c.layout, s.Shown)
	for _, p := range c.programs {
		fmt.Fprintf(h, "%v %v %v %#v %v\n", p.Vertex.Module.Code, p.Vertex.Entry.Name, p.Vertex.Given, p.Inputs, p.Blocks) // %#v: an input's String leaves out where it lies
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (*Custom) String() string { return "module" }

func (c *Custom) key() string { return c.Key }

func (c *Custom) outputs() uint32 {
	if slices.ContainsFunc(c.programs, func(p link.Program) bool { return len(p.Vertex.Outputs) > 0 }) {
		return shaders.OutputsShown
	}
	return shaders.OutputsNone
}

// raw returns the variant of a shader of the graphics pipeline that fetches what others read.
func (*Custom) raw(shader string) string { return shader + "-fetched" }

func (c *Custom) join(s *shaders.Shader) (*shaders.Shader, error) {
	joined, err := join(s, c.programs, c.layout)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.name, err)
	}
	joined.Bindings = c.bindings(s)
	joined.Capabilities, err = capabilities(joined.Words())
	return joined, err
}

// join returns a shader joined with vertex shaders.
func join(s *shaders.Shader, programs []link.Program, l link.Layout) (*shaders.Shader, error) {
	words, err := link.Join(s.Words(), programs, l)
	if err != nil {
		return nil, err
	}
	joined := *s
	joined.SPIRV = make([]byte, 0, 4*len(words))
	for _, w := range words {
		joined.SPIRV = binary.LittleEndian.AppendUint32(joined.SPIRV, w)
	}
	return &joined, nil
}

func (c *Custom) bindings(s *shaders.Shader) []shaders.Binding {
	list := slices.DeleteFunc(slices.Clone(s.Bindings), func(b shaders.Binding) bool { return slices.Contains(ourBlocks, Block(b.Name)) })
	list = append(list, s.Open...)
	for i := range c.open {
		list = append(list, shaders.Binding{
			Binding: shaders.OpenBinding + uint32(i), Name: string(openBlock(i)), Kind: shaders.StorageBuffer, Count: 1, ReadOnly: true,
		})
	}
	return list
}

func (c *Custom) reads(s *shaders.Shader, reads []Block) []Block {
	reads = except(reads, ourBlocks...)
	for i := range s.Open {
		reads = append(reads, Block(s.Open[i].Name))
	}
	for i := range c.open {
		reads = append(reads, openBlock(i))
	}
	return reads
}

// capabilities are the names of those that a module declares.
func capabilities(words []uint32) (names []string, err error) {
	m, err := module.Decode(words)
	if err != nil {
		return nil, err
	}
	for c := range m.Capabilities() {
		names = append(names, c.String())
	}
	return names, nil
}
