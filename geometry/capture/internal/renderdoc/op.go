package renderdoc

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/internal/budget"
	"github.com/shadeonce/shadeonce/internal/must"
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
	// draw is one draw call, with all the state that its triangles depend on.
	draw struct {
		call     string // the API's function
		name     string
		topology topology
		restart  bool // whether index restartAt begins a new primitive
		indices  extent
		width    int64 // bytes an index; 0 where there are none
		at       uint32
		position attribute
		calls    []arguments // or else indirect
		indirect *indirect
		shading  *shading // nil where shaders are not wanted
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
	notTriangles
)

// frame is what a capture does, as far as it matters for triangles.
type frame struct {
	ops     []any // of the types above
	budget  *budget.Budget
	skipped map[string]int
	notes   []string
	event   int  // chunks since the frame began
	begun   bool // the frame has begun: what came before is what it found
	shaders bool // vertex shaders are wanted
	clock   int  // chunks of the file, for what has a history

	unshaded map[string]int // draws of the scene whose shader is not known, by call and reason
}

func newFrame(b *budget.Budget) *frame {
	return &frame{budget: b, skipped: map[string]int{}, unshaded: map[string]int{}}
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

func (f *frame) note(line string) {
	if !slices.Contains(f.notes, line) {
		f.notes = append(f.notes, line)
	}
}

// drawName names a draw by its pass, the groups within that, and its event. Beyond
// longestPath bytes pass and groups are cut.
func (f *frame) drawName(pass string, groups []string, call string) string {
	const longestPath = 240
	path := pass
	for i := 0; i < len(groups) && len(path) <= longestPath; i++ {
		path += " / " + groups[i]
	}
	if len(path) > longestPath {
		path = strings.ToValidUTF8(path[:longestPath], "") + "..."
	}
	must.OK(f.budget.Memory(int64(len(path))))
	return fmt.Sprintf("%s / event %d %s", path, f.event, call)
}

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

// baseName is an OpenGL function's name without what marks its origin, and of
// the forms with and without "Named" and "VertexArray" that without.
func baseName(name []byte) string {
	s := string(name)
	for _, suffix := range []string{"ARB", "EXT", "OES", "KHR", "NV"} {
		s = strings.TrimSuffix(s, suffix)
	}
	return strings.Replace(s, "glNamed", "gl", 1)
}
