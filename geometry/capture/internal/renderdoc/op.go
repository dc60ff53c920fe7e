package renderdoc

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// extent is bytes [at, end) of a space: of a device memory (Vulkan) or of a
// buffer (OpenGL), by its resource number.
type extent struct {
	space   uint64
	at, end int64
}

func (e extent) size() int64 { return e.end - e.at }

// from is the extent without its first n bytes; empty where it has no more.
func (e extent) from(n int64) extent {
	if n < 0 || n > e.size() {
		return extent{e.space, e.end, e.end}
	}
	return extent{e.space, e.at + n, e.end}
}

// first is the first n bytes of it, as far as it has them.
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

// The operations that a frame consists of, in the order in which they happen.
type (
	// write puts a blob at the beginning of an extent.
	write struct {
		to   extent
		what blob
		call string // for messages
	}
	// put puts bytes at the beginning of an extent.
	put struct {
		to    extent
		bytes []byte
	}
	// reserve makes a space hold zeros of that many bytes, and nothing else.
	reserve struct {
		space uint64
		size  int64
	}
	// copying copies as many bytes as both extents have.
	copying struct{ from, to extent }
	// fill repeats a word of four bytes.
	fill struct {
		to   extent
		word uint32
	}
	// draw is one draw call, with all the state that it depends on.
	draw struct {
		call      string // the API's function
		name      string
		topology  topology
		indices   extent
		width     int64 // bytes an index; 0 where there are none
		restarts  bool  // index restartAt begins a new primitive
		restartAt uint32
		position  attribute
		calls     []arguments // or else indirect
		indirect  *indirect
		shading   *shading
	}
	// arguments are what one draw of a call takes.
	arguments struct {
		count, instances uint32
		first            int64  // into the indices, or the first vertex where there are none
		base             int64  // added to every index
		instance         uint32 // the first
	}
	// indirect arguments lie in a space.
	indirect struct {
		from       extent
		draws      int64
		stride     int64
		count      extent // where the number of draws lies, if it does
		whereCount bool
	}
	// attribute is where the positions lie: vertex v's at from.at + v * stride.
	attribute struct {
		from   extent
		stride int64
		format components
	}
)

// topology is what indices make.
type topology byte

const (
	list topology = iota
	strip
	fan
)

// topologyOf is what an API names so; draws of other than triangles are left out.
func topologyOf(name string, known map[string]topology) topology {
	t, ok := known[name]
	if !ok {
		leaveOut("no triangles (%s)", name)
	}
	return t
}

// largest is the largest index of so many bytes, which begins a new primitive unless the
// program names another.
func largest(width int64) uint32 { return uint32(uint64(1)<<(8*width) - 1) }

// frame is what a capture does, as far as it matters for triangles.
type frame struct {
	ops     []any // of the types above
	budget  *budget.Budget
	skipped map[string]int
	notes   []string
	event   int  // chunks since the frame began
	begun   bool // the frame has begun: what came before is what it found
	clock   int  // chunks of the file, for what has a history
	passes  int
	labels  map[uint64]string // of objects

	unshaded map[string]int // draws of the scene whose shader is not known, by call and reason
}

func newFrame(b *budget.Budget) *frame {
	return &frame{budget: b, skipped: map[string]int{}, labels: map[uint64]string{}, unshaded: map[string]int{}}
}

// count takes note of a chunk, wanted or not.
func (f *frame) count(c *chunk) {
	f.clock++
	if string(c.name) == "Internal::Beginning of Capture" {
		f.begun, f.event = true, 0
	} else if f.begun {
		f.event++
	}
}

// opBytes is what an operation takes in the list, as it grows. What it points to is paid
// for with its chunk.
const opBytes = 32

func (f *frame) add(op any) {
	must.OK(f.budget.Memory(opBytes))
	f.ops = append(f.ops, op)
}

// skip counts a call that is left out, and why.
func (f *frame) skip(call, why string) { f.skipMany(1, call, why) }

func (f *frame) skipMany(n int, call, why string) { f.skipped[call+": "+why] += n }

// try does the work for a call, which is left out where leaveOut ends that.
func (f *frame) try(call string, do func()) {
	if why := attempt(do); why != "" {
		f.skip(call, why)
	}
}

// leftOut is why a call, or its shader, is left out.
type leftOut string

func (why leftOut) Error() string { return string(why) }

// leaveOut ends what attempt does.
func leaveOut(why string, args ...any) { must.OK(leftOut(fmt.Sprintf(why, args...))) }

// attempt does something, and returns why leaveOut has ended it; nothing where it is done.
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

// label takes note of the name that a program gives an object.
func (f *frame) label(object, name elem) {
	if id := object.id(); id != 0 {
		f.labels[id] = name.label()
	}
}

// passName names the latest pass by the first of some objects that has a label.
func (f *frame) passName(objects ...uint64) string {
	name := fmt.Sprintf("pass %d", f.passes)
	for _, o := range objects {
		if label := f.labels[o]; label != "" {
			return name + " " + label
		}
	}
	return name
}

// groups are the debug groups that calls are in, the innermost last.
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

// drawName names a draw by its pass, the groups within that, and its event. Beyond
// longestPath bytes pass and groups are cut.
func (f *frame) drawName(pass string, in groups, call string) string {
	const longestPath = 240
	path := pass
	for i := 0; i < len(in) && len(path) <= longestPath; i++ {
		path += " / " + in[i]
	}
	if len(path) > longestPath {
		path = strings.ToValidUTF8(path[:longestPath], "") + "..."
	}
	must.OK(f.budget.Memory(int64(len(path))))
	return fmt.Sprintf("%s / event %d %s", path, f.event, call)
}

// Why draws are left out, of either API.
const (
	noArguments    = "without its arguments"
	noAttributes   = "no positions, no vertex attributes at all"
	noVertexBuffer = "no vertex buffer that is known"
	noIndexBuffer  = "no index buffer that is known"
	perInstance    = "no position a vertex, only one an instance"
	nothingToDraw  = "nothing to draw"
	tooManyIndices = "more indices than are supported"
)

// maxReasons bounds the lines that report says it in.
const maxReasons = 40

// report is a line for all that was left out: calls by name and count.
func (f *frame) report() []string {
	lines := append(slices.Clone(f.notes), listed("", f.skipped)...)
	return append(lines, listed("from the shaders, not from the counts: ", f.unshaded)...)
}

// listed is a line for each of so many reasons.
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
