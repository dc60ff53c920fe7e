package capture

import (
	"cmp"
	"encoding/binary"
	"errors"
	"image"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture/internal/renderdoc"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/interpret"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// texturer gives the draws of a frame their base colour textures.
type texturer struct {
	*shaderRunner
	frame     *renderdoc.Frame
	all       *geometry.Textures
	sets      []*coordinates
	materials map[geometry.Material]uint32 // numbers of materials, from 1 on
	lost      map[string]int               // number of draws without a texture, by reason
	later     map[meshInPass]int           // by mesh: its first shown draw that writes colours
}

// meshInPass identifies a mesh in a pass, by its sizes and first corners. So copies of a mesh count as one.
type meshInPass struct {
	pass              int
	indices, vertices uint32
	first             [3]mgl32.Vec3 // positions of the first three corners
}

// coordinates are one set of texture coordinates for the whole pool.
type coordinates struct {
	data  [][2]uint32 // bits of u and v
	known []bool
}

// mostSets bounds the number of sets of texture coordinates of a scene. Each set covers the whole vertex pool.
const mostSets = 4

// applyTextures reads the textures of the shown draws. Texture coordinates are outputs of the
// vertex shaders, so they include everything that the game does to them.
func (r *shaderRunner) applyTextures(f *renderdoc.Frame) {
	t := &texturer{
		shaderRunner: r, frame: f, all: &geometry.Textures{}, materials: map[geometry.Material]uint32{}, lost: map[string]int{}, later: map[meshInPass]int{},
	}
	reader := format.NewTextureReader(r.in)
	images := make([]*format.TextureImage, len(f.Images))
	t.findColors()
	var draws []int
	for i := range f.Textures {
		of := &f.Textures[t.colors(i)]
		switch n := of.Image; {
		case !t.shown(i) || of.Colorless:
		case of.Why != "":
			t.lost[of.Why]++
		default:
			draws = append(draws, i)
			if images[n] == nil {
				images[n] = reader.Add(f.Images[n].Name, f.Images[n].Width, f.Images[n].Height, func() *image.NRGBA { return f.Pixels(n) })
			}
		}
	}
	t.all.Texels = reader.Read()
	for _, i := range draws {
		t.apply(i, images[f.Textures[t.colors(i)].Image])
	}
	reader.Notes = append(reader.Notes, drawNotes("textures: ", t.lost)...)
	t.scene.Skipped = append(t.scene.Skipped, reader.Notes...)
	if len(t.all.Materials) > 0 {
		t.finish()
	}
}

func (t *texturer) mesh(draw int) meshInPass {
	d := &t.scene.Draws[draw]
	m := meshInPass{pass: t.frame.Targets[draw].Pass, indices: d.IndexCount, vertices: d.VertexCount}
	for i := range m.first {
		m.first[i] = t.scene.Positions[d.VertexOffset+t.scene.Indices[int(d.FirstIndex)+i]]
	}
	return m
}

// findColors finds, for each mesh, the first draw that is shown and writes colours.
func (t *texturer) findColors() {
	for i := range t.frame.Textures {
		if _, known := t.later[t.mesh(i)]; !known && t.shown(i) && !t.frame.Textures[i].Colorless {
			t.later[t.mesh(i)] = i
		}
	}
}

// colors returns the draw whose texture a draw shows. It is the draw itself or, in a depth prepass,
// the draw that writes colours for the same triangles.
func (t *texturer) colors(draw int) int {
	if later, known := t.later[t.mesh(draw)]; known && t.frame.Textures[draw].Colorless {
		return later
	}
	return draw
}

// shown reports whether a draw is seen, and its vertex shader can be run.
func (t *texturer) shown(draw int) bool {
	c := t.scene.Capture
	return t.scene.Shading.Draws[draw].Program >= 0 && (c == nil || len(c.Placings) == 0 || c.Placings[draw].How != geometry.Hidden)
}

// apply gives a draw its texture, whose image has been read.
func (t *texturer) apply(draw int, image *format.TextureImage) {
	from := t.colors(draw)
	of := &t.frame.Textures[from]
	m := geometry.Material{
		Name: t.frame.Images[of.Image].Name, Wrap: of.Wrap, Nearest: of.Nearest, Tint: mgl32.Vec3{1, 1, 1}, Transform: [2]mgl32.Vec3{{1, 0, 0}, {0, 1, 0}},
	}
	if !image.Fill(&m) {
		return // the reader's note says why
	}
	if of.Discards && image.Masked(of.Cutoff > 0) {
		m.Cutoff = cmp.Or(of.Cutoff, .5)
	}
	values, err := t.coordinates(from)
	switch _, slow := errors.AsType[*tooSlow](err); {
	case t.ctx.Err() != nil || err != nil && !slow:
		must.OK(err)
	case err != nil:
		t.lost["to run its shader again "+err.Error()]++
		return
	}
	if m.Set = t.set(draw, values); m.Set < 0 {
		t.lost["draws that share its vertices have other texture coordinates"]++
		return
	}
	number, known := t.materials[m]
	if !known {
		t.all.Materials = append(t.all.Materials, m)
		number = uint32(len(t.all.Materials))
		t.materials[m] = number
	}
	t.scene.Draws[draw].Material = number
}

// coordinates returns the texture coordinates of a draw's vertices.
func (t *texturer) coordinates(draw int) (pairs [][2]uint32, err error) {
	of, n := &t.frame.Textures[draw], int64(t.scene.Draws[draw].VertexCount)
	must.OK(t.in.Budget().Memory(24 * n))
	defer t.in.Budget().Free(24 * n)
	values := make([][4]uint32, n)
	if _, err := t.run(draw, interpret.Shown{Name: of.Output, Values: values}); err != nil {
		return nil, err
	}
	pairs = make([][2]uint32, n)
	for i, v := range values {
		pairs[i] = [2]uint32{v[of.Components[0]&3], v[of.Components[1]&3]}
	}
	return pairs, nil
}

// set stores `pairs` as the texture coordinates of a draw's vertices, in the first set that has no other
// values for these vertices. It returns the set's number; -1 if that would take more than mostSets sets.
func (t *texturer) set(draw int, pairs [][2]uint32) int {
	first := int(t.scene.Draws[draw].VertexOffset)
	for n := range mostSets {
		if n == len(t.sets) {
			must.OK(t.in.Budget().Memory(2 * 9 * int64(len(t.scene.Positions)))) // twice, since finish copies them
			t.sets = append(t.sets, &coordinates{make([][2]uint32, len(t.scene.Positions)), make([]bool, len(t.scene.Positions))})
		}
		s := t.sets[n]
		fits := true
		for i, pair := range pairs {
			fits = fits && (!s.known[first+i] || s.data[first+i] == pair)
		}
		if fits {
			for i, pair := range pairs {
				s.data[first+i], s.known[first+i] = pair, true
			}
			return n
		}
	}
	return -1
}

// finish hands the textures to the scene.
func (t *texturer) finish() {
	for _, set := range t.sets {
		a := geometry.Attribute{Name: "texture coordinates", Format: vertexformat.R32G32_SFLOAT, Data: make([]byte, 0, 8*len(set.data))}
		for _, pair := range set.data {
			a.Data = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(a.Data, pair[0]), pair[1])
		}
		t.all.Sets = append(t.all.Sets, len(t.scene.Attributes))
		t.scene.Attributes = append(t.scene.Attributes, a)
	}
	t.scene.Textures = t.all
}

// onlyCoordinates removes the attributes of a scene that its textures do not need.
func onlyCoordinates(s *geometry.Scene) {
	var kept []geometry.Attribute
	if s.Textures != nil {
		for i, a := range s.Textures.Sets {
			kept = append(kept, s.Attributes[a])
			s.Textures.Sets[i] = i
		}
	}
	s.Attributes = kept
}
