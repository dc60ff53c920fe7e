package interpret

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/vertexformat"
	"github.com/shadeonce/shadeonce/shaders/module"
)

// DrawOf is what a draw of a scene with Shading gives the vertex shader that shades it.
// Vertex i is what the index i of the draw names. Blocks that the scene has no contents
// for are empty. The scene has passed Validate, and the draw has a program.
func DrawOf(s *geometry.Scene, draw int, v *module.Vertex) *Draw {
	shaded := &s.Shading.Draws[draw]
	program := &s.Shading.Programs[shaded.Program]
	d := &Draw{
		BaseVertex: shaded.BaseVertex, BaseInstance: shaded.BaseInstance, Instance: shaded.Instance, DrawIndex: shaded.DrawIndex,
		Blocks: make([][]byte, len(v.Blocks)),
	}
	for _, in := range program.Inputs {
		d.Inputs = append(d.Inputs, input(s, draw, in))
	}
	for i, b := range v.Blocks {
		k := slices.Index(program.Blocks, geometry.ShaderBlock{Kind: geometry.BlockKind(b.Kind), Set: b.Set, Binding: b.Binding, Element: b.Element})
		if k >= 0 {
			d.Blocks[i] = s.Shading.Values[shaded.Values[k]]
		}
	}
	return d
}

func input(s *geometry.Scene, draw int, in geometry.ShaderInput) Input {
	d := &s.Draws[draw]
	if in.Attribute < 0 {
		pool := s.Positions
		if in.Attribute == geometry.FromNormals {
			pool = s.Normals
		}
		var data []byte
		if len(pool) > 0 {
			data = bytesOf(pool[d.VertexOffset:][:d.VertexCount])
		}
		return Input{in.Location, vertexformat.R32G32B32_SFLOAT, data, 12}
	}
	a := &s.Attributes[in.Attribute]
	size, format := a.Format.Size(), cmp.Or(in.Format, a.Format)
	if a.PerDraw {
		return Input{in.Location, format, a.Element(draw), 0}
	}
	return Input{in.Location, format, a.Data[int(d.VertexOffset)*size:][:int(d.VertexCount)*size], size}
}

func bytesOf(pool []mgl32.Vec3) []byte {
	data := make([]byte, 0, 12*len(pool))
	for _, v := range pool {
		for _, f := range v {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(f))
		}
	}
	return data
}

// Place shades the vertices of a draw of a scene with Shading. It returns their clip
// positions, by what indices of the draw name: y down, depth from 0 to w.
func (p *Program) Place(ctx context.Context, s *geometry.Scene, draw int, shown ...Shown) ([][4]float32, error) {
	positions := make([][4]float32, s.Draws[draw].VertexCount)
	if err := p.Run(ctx, DrawOf(s, draw, p.vertex), positions, shown...); err != nil {
		return nil, err
	}
	if clip := s.Shading.Draws[draw].Clip; clip != mgl32.Ident4() {
		for i, at := range positions {
			positions[i] = clip.Mul4x1(at)
		}
	}
	return positions, nil
}
