package renderdoc

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture/internal/replay"
	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// extent is the bytes [at, end) of a space. A space is a device memory (Vulkan) or a buffer (OpenGL),
// named by its resource number.
type extent struct {
	space   uint64
	at, end int64
}

func (e extent) size() int64 { return e.end - e.at }

// from returns the extent without its first n bytes; it is empty if the extent has no more than n, or if n is
// negative.
func (e extent) from(n int64) extent {
	if n < 0 || n > e.size() {
		return extent{e.space, e.end, e.end}
	}
	return extent{e.space, e.at + n, e.end}
}

// first returns the first n bytes of the extent, or all if it is shorter or n is negative.
func (e extent) first(n int64) extent {
	if n >= 0 && n < e.size() {
		e.end = e.at + n
	}
	return e
}

// blob is bytes in an entry of the zip file.
type blob struct {
	entry  int
	length int64
}

// The operations of a frame, in the order in which they happen.
type (
	// write writes a blob at the beginning of an extent.
	write struct {
		to   extent
		what blob
		call string // API call, for messages
	}
	// put writes bytes at the beginning of an extent.
	put struct {
		to    extent
		bytes []byte
	}
	// reserve replaces the contents of a space by `size` bytes of zeros.
	reserve struct {
		space uint64
		size  int64
	}
	// copying copies bytes between extents, as many as the shorter one has.
	copying struct{ from, to extent }
	// fill fills an extent with a repeated word of four bytes.
	fill struct {
		to   extent
		word uint32
	}
	// draw is one draw call, with all state that it depends on.
	draw struct {
		call      string // name of the API's function
		name      string
		with      string // end of the draw's full name, in parentheses: pipeline or program, and image
		event     int    // number of the draw's chunk in the frame; 0 if the frame had not begun
		topology  topology
		indices   extent
		width     int64 // bytes per index; 0 for a draw without indices
		restarts  bool  // whether index restartAt begins a new primitive
		restartAt uint32
		position  attribute
		calls     []arguments // empty if indirect is used
		indirect  *indirect
		shading   *shading
	}
	// arguments are the arguments of one draw of a call.
	arguments struct {
		count, instances uint32
		first            int64  // first index, or first vertex if there are no indices
		base             int64  // added to every index
		instance         uint32 // number of the first instance
	}
	// indirect says where a space holds arguments.
	indirect struct {
		from       extent
		draws      int64
		stride     int64
		count      extent // where the number of draws is, if the call reads it from a buffer
		whereCount bool
	}
	// attribute says where a draw's positions are: the position of vertex v is at from.at + v * stride.
	attribute struct {
		from   extent
		stride int64
		format components
	}
)

// topology is the kind of primitives that indices form.
type topology byte

const (
	list topology = iota
	strip
	fan
)

// topologyOf returns the topology with an API's name; draws of anything but triangles are left
// out.
func topologyOf(name string, known map[string]topology) topology {
	t, ok := known[name]
	if !ok {
		leaveOut("no triangles (%s)", name)
	}
	return t
}

// largest returns the largest index that `width` bytes can hold. This index begins a new primitive,
// unless the program sets another restart index.
func largest(width int64) uint32 { return uint32(uint64(1)<<(8*width) - 1) }

// frame is everything in a capture that matters for triangles.
type frame struct {
	ops     []any // operations, of the types above
	budget  *budget.Budget
	skipped map[string]int
	notes   []string
	event   int  // number of chunks since the frame began
	begun   bool // whether the frame has begun; earlier chunks are its initial state
	clock   int  // number of chunks of the file so far: the time at which timelines record values
	passes  int
	labels  map[uint64]string // names of objects

	images map[uint64]*storedImage // 2D images, by resource number

	unshaded map[string]int // number of the scene's draws whose shader is not known, by call and reason
}

func newFrame(b *budget.Budget) *frame {
	return &frame{budget: b, skipped: map[string]int{}, labels: map[uint64]string{}, images: map[uint64]*storedImage{}, unshaded: map[string]int{}}
}

// count counts a chunk, wanted or not.
func (f *frame) count(c *chunk) {
	f.clock++
	if string(c.name) == "Internal::Beginning of Capture" {
		f.begun, f.event = true, 0
	} else if f.begun {
		f.event++
	}
}

// opBytes is the memory of an operation in the list, including the list's growth. What it points
// to is charged with its chunk.
const opBytes = 32

func (f *frame) add(op any) {
	must.OK(f.budget.Memory(opBytes))
	f.ops = append(f.ops, op)
}

// skip counts a call that is left out, and why.
func (f *frame) skip(call, why string) { f.skipped[call+": "+why]++ }

// try runs `do`, which does the work for a call of the capture. If leaveOut ends `do`, the call is left out.
func (f *frame) try(call string, do func()) {
	if why := attempt(do); why != "" {
		f.skip(call, why)
	}
}

// leftOut is the reason why a call, or its shader, is left out.
type leftOut string

func (why leftOut) Error() string { return string(why) }

// leaveOut ends the function that attempt runs, and makes attempt return the reason.
func leaveOut(why string, args ...any) { must.OK(leftOut(fmt.Sprintf(why, args...))) }

// attempt calls `do`. If leaveOut ends `do`, attempt returns the reason; otherwise it returns "".
func attempt(do func()) (why string) {
	err := func() (err error) {
		defer must.Catch(&err)
		do()
		return nil
	}()
	if why, ok := err.(leftOut); ok {
		return string(why)
	}
	must.OK(err)
	return ""
}

// label records the name that a program gives an object.
func (f *frame) label(object, name elem) {
	if id := object.id(); id != 0 {
		f.labels[id] = name.label()
	}
}

// nameOf returns an object's label. An object without a label is named by its kind and RenderDoc's number for it.
func (f *frame) nameOf(kind string, id uint64) string {
	if label := f.labels[id]; label != "" {
		return label
	}
	return fmt.Sprintf("%s %d", kind, id)
}

// passName returns the latest pass's number, and the first label among the given objects, if any.
func (f *frame) passName(objects ...uint64) string {
	name := fmt.Sprintf("pass %d", f.passes)
	for _, o := range objects {
		if label := f.labels[o]; label != "" {
			return name + " " + label
		}
	}
	return name
}

// groups are the open debug groups, the innermost last.
type groups []string

func (g *groups) push(name elem) {
	const deepest = 64
	if len(*g) < deepest {
		*g = append(*g, name.label())
	}
}

func (g *groups) pop() {
	if n := len(*g); n > 0 {
		*g = (*g)[:n-1]
	}
}

// nameDraw names a draw by its pass, its groups within the pass, its event, its pipeline or program, and its
// image (0 for none). Pass and groups are cut to longestPath bytes.
func (f *frame) nameDraw(d *draw, pass string, in groups, kind string, id, image uint64) {
	const longestPath = 240
	path := pass
	for i := 0; i < len(in) && len(path) <= longestPath; i++ {
		path += " / " + in[i]
	}
	if len(path) > longestPath {
		path = strings.ToValidUTF8(path[:longestPath], "") + "..."
	}
	if id != 0 {
		d.shading.stage.name = f.nameOf(kind, id)
		d.with = " (" + d.shading.stage.name
		if image != 0 {
			d.with += ", " + f.nameOf("image", image)
		}
		d.with += ")"
	}
	d.event, d.name = f.event, fmt.Sprintf("%s / event %d %s", path, f.event, d.call)
	must.OK(f.budget.Memory(int64(len(d.name) + len(d.with))))
}

// Reasons why draws are left out, for both APIs.
const (
	noArguments    = "without its arguments"
	noAttributes   = "no positions, no vertex attributes at all"
	noVertexBuffer = "its vertex buffer is not known"
	noIndexBuffer  = "its index buffer is not known"
	perInstance    = "no position per vertex, only per instance"
	nothingToDraw  = "nothing to draw"
	tooManyIndices = "more indices than are supported"
)

// maxReasons bounds the number of lines in a report.
const maxReasons = 40

// report returns a line for each kind of call that was left out, with its reason and count.
func (f *frame) report() []string {
	lines := append(slices.Clone(f.notes), listed("", f.skipped)...)
	return append(lines, listed(geometry.FromShaders, f.unshaded)...)
}

// listed returns a line for each reason. Every line begins with `before`. Reasons beyond maxReasons share one line.
func listed(before string, counts map[string]int) (lines []string) {
	reasons := slices.Sorted(maps.Keys(counts))
	for i, reason := range reasons {
		if i == maxReasons {
			return append(lines, fmt.Sprintf("%sand %d more kinds of calls", before, len(reasons)-i))
		}
		lines = append(lines, fmt.Sprintf("%s%d x %s", before, counts[reason], reason))
	}
	return lines
}

// Frame is the result of reading a capture.
type Frame struct {
	*geometry.Scene
	Targets []replay.Target // by draw of the scene
	Aspects []float64       // by pass: the target's width divided by its height

	Textures []Texture // by draw of the scene; nil if they were not wanted, or there are none
	Images   []Image
	blobs    *blobs
}

// size is the width and height of a pass's target, taken from the largest extent of its draws'
// viewports.
type size struct{ width, height float64 }

// setTargets sets Targets and Aspects from the draws' API targets. A window maps to the whole target of the draw's pass.
func (f *Frame) setTargets(of []target) {
	numbers, sizes := map[int]int{}, []size{}
	for _, t := range of {
		n, known := numbers[t.pass]
		if !known {
			n = len(sizes)
			numbers[t.pass] = n
			sizes = append(sizes, size{})
		}
		v, s := t.viewport, &sizes[n]
		s.width, s.height = max(s.width, v.x, v.x+v.width), max(s.height, v.y, v.y+v.height)
	}
	for i, s := range sizes {
		if s.width <= 0 || s.height <= 0 {
			sizes[i] = size{1, 1}
		}
		f.Aspects = append(f.Aspects, sizes[i].width/sizes[i].height)
	}
	for _, t := range of {
		n := numbers[t.pass]
		f.Targets = append(f.Targets, replay.Target{Pass: n, Window: t.window(sizes[n]), DepthWrites: t.depthWrites, Culls: t.culls})
	}
}

// window returns the map from a draw's clip space to that of the whole target, in Vulkan's conventions.
func (t *target) window(s size) replay.Window {
	v := t.viewport
	if v.width == 0 || v.height == 0 {
		v = viewport{0, 0, s.width, s.height, 0, 1}
	}
	sx, ox := v.width/s.width, (2*v.x+v.width)/s.width-1
	sy, oy := v.height/s.height, (2*v.y+v.height)/s.height-1
	sz, oz := v.far-v.near, v.near
	if t.lowerLeft {
		sy, oy = -sy, -oy
		if !t.yUp {
			sy = -sy
		}
	}
	if t.fullDepth {
		sz, oz = sz/2, oz+sz/2
	}
	return replay.Window{sx, ox, sy, oy, sz, oz}
}
