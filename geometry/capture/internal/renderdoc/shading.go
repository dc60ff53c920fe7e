package renderdoc

import (
	"sort"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// shading is the vertex shader of a draw and what it reads, from the API's state when the draw is
// recorded.
type shading struct {
	stage  *stage
	inputs []vertexRead // ordered by location; draws share them
	values values
	at     int // the frame's clock
	target target

	// Set by resolve:
	texture *texture        // nil if textures are not read
	why     string          // why the shader cannot be run, or ""
	reads   []resolvedRead  // by input of the stage's program
	blocks  []resolvedBlock // by block of the program
}

// stage is a vertex shader. Each pipeline or program has one.
type stage struct {
	name    string
	why     string // why it cannot be run, or ""
	code    blob   // SPIR-V; if empty, source is used
	source  string // GLSL
	entry   string
	special []specialConstant
	data    blob // values of the specialization constants

	// Set if the API, not the shader, assigns locations by name:
	rename   func(name string) (location uint32, ok bool) // location of an input
	uniforms func(name string) (locations []int64)        // locations of a uniform's elements

	program  *program // see runner.reflect
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

// values tell where blocks of values are when a draw is recorded. If that is not known, they
// leave the shader out.
type values interface {
	// block returns where a block's bytes are. name is the block's name, for APIs that bind by
	// name.
	block(b *module.Block, name string, at int) extent

	// texels returns where the texels of an image are, and their format.
	texels(name string, at int) (extent, vertexformat.Format)

	// sampled returns what a fragment shader samples.
	sampled(s *module.Sample, at int) sampled
}

// laterStages are the stages that place triangles after the vertex shader, by their API names,
// with the reason why the shader is left out.
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

// timelines are values by key that change while a capture is read.
type timelines[K comparable, V any] map[K]*history[V]

// set sets the value of a key from now on.
func (t timelines[K, V]) set(f *frame, key K, value V) {
	must.OK(f.budget.Memory(slotBytes))
	if t[key] == nil {
		t[key] = &history[V]{}
	}
	t[key].set(f.clock, value)
}

func (t timelines[K, V]) get(key K, at int) V { return t[key].get(at) }

// history is a value that changes while a capture is read.
type history[T any] struct{ list []dated[T] }

type dated[T any] struct {
	at    int
	value T
}

// set sets the value from a time on. Times must not decrease.
func (h *history[T]) set(at int, value T) {
	if n := len(h.list); n > 0 && h.list[n-1].at == at {
		h.list[n-1].value = value
		return
	}
	h.list = append(h.list, dated[T]{at, value})
}

// get returns the value at a time, or zero if it was not set before.
func (h *history[T]) get(at int) (value T) {
	if h == nil {
		return value
	}
	i := sort.Search(len(h.list), func(i int) bool { return h.list[i].at > at })
	if i == 0 {
		return value
	}
	return h.list[i-1].value
}
