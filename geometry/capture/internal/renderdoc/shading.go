package renderdoc

import (
	"sort"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/shaders/module"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// shading is what the vertex shader of a draw is and reads, as the API's state has it
// when the draw is recorded.
type shading struct {
	stage  *stage
	inputs []vertexRead // by rising location; draws share them
	values values
	at     int // the frame's clock
	target target

	// What resolve finds:
	why    string          // the shader cannot be run, and why
	reads  []resolvedRead  // by input of the stage's program
	blocks []resolvedBlock // by block of it
}

// stage is a vertex shader. Pipelines and programs have one each.
type stage struct {
	name    string
	why     string // it cannot be run, and why
	code    blob   // SPIR-V, or else
	source  string // GLSL
	entry   string
	special []specialConstant
	data    blob // of the special constants

	// Where the API gives locations by name, and not the shader:
	rename   func(name string) (location uint32, ok bool) // of an input
	uniforms func(name string) (locations []int64)        // of a uniform's elements

	program *program // see runner.reflect
}

type specialConstant struct {
	id           uint32
	offset, size int64
}

// vertexRead is what is bound to a location of vertex input.
type vertexRead struct {
	location uint32
	from     extent
	stride   int64
	format   vertexformat.Format
	name     string // of the format, for messages
	divisor  int64  // instances that share an element; 0 where elements are vertices'
	constant []byte // one element for all vertices, where no buffer is bound
}

// values tell where blocks of values lie when a draw is recorded. Where that is not known,
// they leave the shader out.
type values interface {
	// block is where a block's bytes lie. name is the block's, for APIs that bind by it.
	block(b *module.Block, name string, at int) extent

	// texels is where the texels of an image lie that a shader fetches from, and in which
	// format.
	texels(name string, at int) (extent, vertexformat.Format)
}

// laterStages are the stages that place triangles behind a vertex shader, as the APIs name
// them, and why the shader is left out.
var laterStages = map[string]string{
	"VK_SHADER_STAGE_GEOMETRY_BIT": geometryPlaces, "VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT": tessellationPlaces,
	"GL_GEOMETRY_SHADER": geometryPlaces, "GL_TESS_EVALUATION_SHADER": tessellationPlaces,
}

const (
	geometryPlaces     = "a geometry shader places the triangles"
	tessellationPlaces = "a tessellation shader places the triangles"
)

// What a draw's shading takes of memory, one of its inputs, and a value with its time.
const (
	shadingBytes = 512
	inputBytes   = 128
	slotBytes    = 160
)

// timelines are values by key that change while a capture is read.
type timelines[K comparable, V any] map[K]*history[V]

// set gives the value of a key from now on.
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

// set gives the value from a time on. Times rise.
func (h *history[T]) set(at int, value T) {
	if n := len(h.list); n > 0 && h.list[n-1].at == at {
		h.list[n-1].value = value
		return
	}
	h.list = append(h.list, dated[T]{at, value})
}

// get is the value at a time; zero where it was not set before.
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
