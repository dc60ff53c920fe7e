package renderdoc

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/cores"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// shading is the vertex shader of a draw and what it reads, from the API's state when the draw is
// recorded.
type shading struct {
	stage  *stage
	inputs []vertexRead // what is bound to the vertex input, ordered by location; draws may share the list
	values values
	at     int // frame.clock when the draw is recorded
	target target

	// Set by resolve:
	texture *texture        // nil if textures are not read
	why     string          // why the shader cannot be run, or ""
	reads   []resolvedRead  // what the shader reads, by input of the stage's program
	blocks  []resolvedBlock // what the blocks read, by block of the program
}

// targetState is the state, common to both APIs, from which a draw's target is made.
type targetState struct {
	viewport              viewport
	depthTest, depthWrite bool
	cull, front           string // enumerations by the API's names
	colorless             bool   // whether no colours are written, as in a depth prepass
}

// target is a replay.Target in the API's terms.
type target struct {
	pass        int
	viewport    viewport
	depthWrites bool
	culls       string
	lowerLeft   bool // whether the viewport's y points up
	yUp         bool // whether clip space's y points up; read only if lowerLeft
	fullDepth   bool // whether clip space has depths -w to w
	colorless   bool
}

type viewport struct{ x, y, width, height, near, far float64 }

func readViewport(e elem) viewport {
	n := func(name string) float64 { return e.get(name).float() }
	return viewport{n("x"), n("y"), n("width"), n("height"), n("minDepth"), n("maxDepth")}
}

// culled returns which triangles are not drawn, by their winding on the target.
func culled(front, back, frontIsCCW bool) string {
	switch {
	case front && back:
		return "both"
	case !front && !back:
		return ""
	case front == frontIsCCW:
		return "ccw"
	}
	return "cw"
}

// stage is a vertex shader. Each pipeline or program has one.
type stage struct {
	name    string // name of its pipeline or program; set when a draw uses it
	why     string // why the shader cannot be run, or ""
	code    blob   // code as SPIR-V; if empty, source is used
	source  string // source as GLSL
	entry   string
	special []specialConstant
	data    blob // where the values of the specialization constants are

	// Set if the API, not the shader, assigns locations by name:
	rename   func(name string) (location uint32, ok bool) // location of an input
	uniforms func(name string) (locations []int64)        // locations of a uniform's elements

	program  *program // what runner.reflect finds; nil before
	fragment fragmentStage
}

type specialConstant struct {
	id           uint32
	offset, size int64
}

// vertexRead is what is bound to a location of the vertex input.
type vertexRead struct {
	location uint32
	from     extent
	stride   int64
	format   vertexformat.Format
	name     string // name of the format, for messages
	divisor  int64  // instances that share an element; 0 if there is one element per vertex
	constant []byte // one element for all vertices, if no buffer is bound
}

// values finds where the values of blocks are when a draw is recorded. If that is not known, the shader is left out.
type values interface {
	// block returns where a block's bytes are at time `at` (frame.clock). `name` is the block's name, for
	// APIs that bind by name.
	block(b *module.Block, name string, at int) extent

	// texels returns where the texels of a texel buffer are, and their format.
	texels(name string, at int) (extent, vertexformat.Format)

	// sampled returns the image and sampler that a shader samples.
	sampled(s *module.Sample, at int) sampled
}

// laterStages lists the stages that place triangles after the vertex shader, by their API names. Each has the
// reason to give when the vertex shader is left out.
var laterStages = map[string]string{
	"VK_SHADER_STAGE_GEOMETRY_BIT": geometryPlaces, "VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT": tessellationPlaces,
	"GL_GEOMETRY_SHADER": geometryPlaces, "GL_TESS_EVALUATION_SHADER": tessellationPlaces,
}

const (
	geometryPlaces     = "a geometry shader places the triangles"
	tessellationPlaces = "a tessellation shader places the triangles"
)

// The memory of a draw's shading, of one of its inputs, and of a value with its time.
const (
	shadingBytes = 512
	inputBytes   = 128
	slotBytes    = 160
)

// timelines holds, by key, the values that change while a capture is read, each with its time (frame.clock).
type timelines[K comparable, V any] map[K][]dated[V]

type dated[T any] struct {
	at    int
	value T
}

// set sets the value of a key from now on.
func (t timelines[K, V]) set(f *frame, key K, value V) {
	must.OK(f.budget.Memory(slotBytes))
	list := t[key]
	if n := len(list); n > 0 && list[n-1].at == f.clock {
		list[n-1].value = value
		return
	}
	t[key] = append(list, dated[V]{f.clock, value})
}

// get returns the value at a time, or zero if it was not set before.
func (t timelines[K, V]) get(key K, at int) (value V) {
	list := t[key]
	if i := sort.Search(len(list), func(i int) bool { return list[i].at > at }); i > 0 {
		value = list[i-1].value
	}
	return value
}

// resolvedRead is the data that an input of a shader reads.
type resolvedRead struct {
	*vertexRead
	input  uint32 // location in the module
	format vertexformat.Format
}

// resolvedBlock is the location of a block's values.
type resolvedBlock struct {
	extent
	texels vertexformat.Format // format of the texels of a texel buffer
	image  sampled             // a 2D image; its id is 0 if the block is something else
}

// resolve finds what each draw's shader reads. Only then is it known which bytes of the capture
// matter.
func (r *runner) resolve() {
	r.compileAll()
	for _, op := range r.f.ops {
		d, ok := op.(*draw)
		if !ok {
			continue
		}
		s := d.shading
		p := r.reflect(s.stage)
		n := int64(len(p.inputs) + len(p.blocks))
		r.work(8 * budget.Call * (1 + n))
		must.OK(r.budget.Memory(inputBytes * (1 + n)))
		if s.why = p.why; s.why == "" {
			s.why = attempt(func() { s.bind(p) })
		}
		if r.textures {
			s.texture = r.textureOf(s)
		}
	}
}

// compiled is a compiler's result for a source.
type compiled struct {
	code []uint32
	err  error
}

// compileAll compiles the sources of all draws, several at a time.
func (r *runner) compileAll() {
	var jobs sync.WaitGroup
	free := make(chan struct{}, cores.Count())
	begin := func(stage, source string) {
		key := [2]string{stage, source}
		if source == "" || r.compiled[key] != nil {
			return
		}
		c := &compiled{err: errors.New("its shader is GLSL, and no compiler is there")}
		r.compiled[key] = c
		if r.compile == nil {
			return
		}
		must.OK(r.budget.Work(glslSteps))
		jobs.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			c.code, c.err = r.compile(r.ctx, stage, source)
		})
	}
	for _, op := range r.f.ops {
		if d, ok := op.(*draw); ok && d.shading.stage.why == "" {
			begin("vert", d.shading.stage.source)
			if r.textures {
				begin("frag", d.shading.stage.fragment.source)
			}
		}
	}
	jobs.Wait()
}

// bind finds what is bound to the inputs and blocks of a shader.
func (s *shading) bind(p *program) {
	for _, in := range p.inputs {
		read := in.find(s.inputs)
		switch {
		case read == nil:
			leaveOut("its shader reads %s at location %d, which no attribute gives", in.name, in.bound)
		case !read.format.Known():
			leaveOut("its shader reads an attribute of format %s", read.name)
		case read.constant == nil && (read.from.space == 0 || read.stride < 0 || read.stride > maxStride):
			leaveOut("no buffer is bound for %s at location %d", in.name, in.bound)
		}
		format, ok := read.format.As(in.class)
		if !ok && read.constant != nil {
			read, format = read.whole(in.class)
		} else if !ok {
			leaveOut("its shader reads format %s as other numbers", read.name)
		}
		s.reads = append(s.reads, resolvedRead{read, in.location, format})
	}
	why := attempt(func() {
		for i := range p.blocks {
			s.blocks = append(s.blocks, p.blocks[i].find(s))
		}
	})
	if why != "" {
		leaveOut("its shader reads values: %s", why)
	}
}

// find returns what is bound to an input of the shader; nil if nothing is.
func (in programInput) find(reads []vertexRead) *vertexRead {
	if in.bound == noLocation {
		return &vertexRead{location: noLocation, format: vertexformat.R32G32B32A32_SFLOAT, constant: make([]byte, 16)}
	}
	i, ok := slices.BinarySearchFunc(reads, in.bound, func(r vertexRead, location uint32) int { return cmp.Compare(r.location, location) })
	if !ok {
		return nil
	}
	return &reads[i]
}

// whole converts a constant of floats to one of integers, and returns the new format.
func (r *vertexRead) whole(class vertexformat.Class) (*vertexRead, vertexformat.Format) {
	out := *r
	out.constant = nil
	for at := 0; at+4 <= len(r.constant); at += 4 {
		v := math.Float32frombits(binary.LittleEndian.Uint32(r.constant[at:]))
		out.constant = binary.LittleEndian.AppendUint32(out.constant, uint32(int64(v)))
	}
	kind := "SINT"
	if class == vertexformat.Uint {
		kind = "UINT"
	}
	return &out, vertexformat.Array(len(r.constant)/4, 32, kind)
}

// find returns where a block's values are when a draw is recorded.
func (b *programBlock) find(d *shading) (where resolvedBlock) {
	if b.Kind == module.FetchedImage && b.Type.Members[0].Name == "width" {
		from := module.Resource{Name: b.name, Set: b.Set, Binding: b.Binding, Element: b.Element}
		where.image = d.values.sampled(&module.Sample{Image: from, Sampler: from}, d.at)
		switch s := where.image.sampler; {
		case !b.Filtered():
			where.image.sampler = sampler{}
		case !s.known:
			leaveOut("image %s: its sampler is not known", b.name)
		case s.wrap[0] != s.wrap[1] || s.wrap[0] == geometry.Mirror:
			leaveOut("image %s: it is mirrored, or wrapped differently in width and height", b.name)
		}
		return where
	}
	if b.Kind == module.FetchedImage {
		if where.extent, where.texels = d.values.texels(b.name, d.at); where.texels.Class() != b.class {
			leaveOut("the texels of %s are of format %s, which it reads as other numbers", b.name, where.texels)
		}
		return where
	}
	if b.Gathered {
		leaveOut("%s is an array of blocks whose index is not constant", b.name)
	}
	where.extent = d.values.block(b.Block, b.name, d.at)
	if !b.Open && b.leaves == nil {
		where.extent = where.first(b.size)
	}
	if where.size() > maxValues {
		leaveOut("more than %d bytes", maxValues)
	}
	return where
}

// shading adds the bytes that the shader of a draw reads, if it can be run.
func (n needs) shading(s *shading) {
	if s.why != "" {
		return
	}
	for _, r := range s.reads {
		if r.constant == nil {
			n.add(r.from)
		}
	}
	for _, b := range s.blocks {
		if b.image.id == 0 {
			n.add(b.extent)
		}
	}
}
