package renderer

import (
	"errors"
	"fmt"
	"image"
	"runtime/debug"
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/bytesize"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
)

// Want selects what Exec reads back.
type Want uint

// What can be read back.
const (
	WantColor Want = 1 << iota
	WantDepth
	WantCounts
	WantQueues
	WantVisible
)

// Limits are a device's capabilities; plans stay within them.
type Limits struct {
	MaxBufferBytes int64 // size of one buffer binding
	DeviceBytes    int64 // memory in total; 0 if unknown
	MaxImageSide   int   // pixels
	MaxIndex       int64 // largest index of an indexed draw; 0 means no bound
	MaxGroups      int   // workgroups in one dimension
	MaxWorkgroup   int   // invocations per workgroup
	SharedBytes    int   // shared memory per workgroup
	NativeLanes    []int // widths that native subgroups can have
	OneSubgroup    bool  // whether workgroups are limited to one native subgroup

	// Multiprocessors, or compute units, as reported by the driver or estimated from the device's
	// type; 0 for a CPU. Default batch sizes depend on it (reuse.Config.Fitted).
	Multiprocessors int

	Mesh MeshLimits // all 0 where there are no mesh shaders

	Missing []string // SPIR-V capabilities that the device lacks

	// Costs are the costs of a frame's parts as fitted to this device; nil uses the built-in ones,
	// measured on another device.
	Costs *Costs

	Shared             bool // whether the host can write and read the device's memory directly
	VertexCounters     bool // whether vertex shaders of a graphics pipeline may count in a buffer
	PipelineStatistics bool // whether a query counts a graphics pipeline's invocations
}

func (l Limits) Native(lanes int) bool { return slices.Contains(l.NativeLanes, lanes) }

// MeshLimits are the limits of mesh shaders, per workgroup except the first two.
type MeshLimits struct {
	MaxGroups    int   // workgroups in one dimension
	MaxTotal     int   // workgroups of a draw
	MaxWorkgroup int   // invocations
	SharedBytes  int   // shared memory
	OutputBytes  int   // memory for outputs
	Vertices     int   // output vertices
	Triangles    int   // output triangles
	Preferred    int   // largest number of invocations that the device prefers
	NativeLanes  []int // widths that native subgroups can have
}

// Output is what Exec has read back.
type Output struct {
	Color   *image.RGBA  // WantColor: opaque, linear values as stored
	Seen    picture.Seen // WantColor: what the pixels show
	Depth   []float32    // WantDepth: row by row, 1 where nothing was drawn
	Counts  []uint32     // WantCounts: as reuse.Analyze returns them
	Stats   reuse.Stats  // WantCounts; if the frame culls, of the surviving triangles
	Queues  *Queues      // WantQueues: of the last chunk
	Timings []Timing     // one per pass name, in order of first use

	// Elapsed is the device's time from the beginning of the first pass to the end of the last; 0
	// if the device has no clock. For soft it is the sum of the passes' times.
	Elapsed time.Duration

	// Cooperated is how many indices needed the second tier of strategy phash on a GPU: a lane found no
	// table entry alone, so that its whole subgroup searched. WantCounts.
	Cooperated int

	// Visible has for each pixel, row by row, 1 plus the stream position of the visible triangle,
	// or 0 for none; WantVisible. HardwareRaster and MeshRaster have none.
	Visible []uint32

	Culling Culling // WantCounts, for a frame that culls

	DeviceBytes int64 // peak memory of the backend, on the device and for transfers; 0 for soft

	PipelineStatistics // of a plan with passes of kind Direct
}

// Queues are the contents of the queues after the last chunk's geometry pass.
type Queues struct {
	Positions  [][4]float32 // clip space
	Attributes [][2]uint32
	Triangles  [][2]uint32 // indexed form: packed slots, first vertex
	Corners    []uint32    // the vertex at each corner, three per triangle; replaces Triangles for whole draws and the graphics pipeline
}

// Corner returns the index of the vertex at a triangle's corner, for queues of either form.
func (q *Queues) Corner(form QueueForm, triangle, corner int) int {
	if form == Expanded {
		return 3*triangle + corner
	}
	if q.Corners != nil {
		return int(q.Corners[3*triangle+corner])
	}
	record := q.Triangles[triangle]
	return int(record[1]) + int(record[0]>>(10*corner)&1023)
}

// Timing is the total time of all passes with one name.
type Timing struct {
	Pass     string
	Duration time.Duration
}

// AddTime adds `d` to the total time of the passes that are named `pass`.
func (o *Output) AddTime(pass string, d time.Duration) {
	for i := range o.Timings {
		if o.Timings[i].Pass == pass {
			o.Timings[i].Duration += d
			return
		}
	}
	o.Timings = append(o.Timings, Timing{Pass: pass, Duration: d})
}

// OverflowError says that a queue was too small. It is a result rather than a failure: plan.Render plans again with Need.
type OverflowError struct {
	Stage string // the queue
	Need  int    // number of elements
	Have  int
}

func (e *OverflowError) Error() string {
	return fmt.Sprintf("%s overflowed: needs %d, has %d", e.Stage, e.Need, e.Have)
}

// The queues that can overflow.
const (
	VertexQueue   = "vertex queue"
	TriangleQueue = "triangle queue"
)

// CountStats calls reuse.NewStats, for package gpu, which must not import package reuse.
func CountStats(s *geometry.Scene, counts []uint32) (reuse.Stats, error) {
	return reuse.NewStats(s, counts)
}

// PipelineStatistics are the counters of the device's own query for passes of kind Direct. They are
// zero without such passes, or if the device has no such query. Whether AssembledVertices counts
// repeated indices depends on the driver.
type PipelineStatistics struct {
	AssembledVertices   uint64 // by the input assembly
	AssembledPrimitives uint64
	VertexInvocations   uint64 // how often the vertex shader ran
	ClippedPrimitives   uint64 // primitives that reached the clipper; 0 if nothing is rasterized
}

// DoesNotFit reports whether an error means that the device's or the system's memory cannot hold what a
// frame needs. Such an error, or one that it wraps, has a method DoesNotFit.
func DoesNotFit(err error) bool {
	var large interface {
		error
		DoesNotFit()
	}
	return errors.As(err, &large)
}

// hostError says that the system has too little memory.
type hostError struct {
	need, have int64
	what       string
}

func (e *hostError) Error() string {
	need, have := bytesize.Texts(e.need, e.have)
	return fmt.Sprintf("%s need %s of memory, the system has %s free", e.what, need, have)
}

// DoesNotFit marks the error for the function DoesNotFit.
func (e *hostError) DoesNotFit() {}

// leastHostCheck is the least size for which CheckHost asks the system about free memory.
const leastHostCheck = 256 << 20

// CheckHost returns an error if `need` is at least leastHostCheck, and more bytes than the system has free.
// The system would otherwise end this program, or others. `what` names what needs them: a plural noun.
func CheckHost(need int64, what string) error {
	if need < leastHostCheck {
		return nil
	}
	if have := bytesize.FreeMemory(); have == 0 || need <= have {
		return nil
	}
	debug.FreeOSMemory() // returns unused memory to the system
	return checkHost(need, bytesize.FreeMemory(), what)
}

func checkHost(need, have int64, what string) error {
	if have > 0 && need > have {
		return &hostError{need, have, what}
	}
	return nil
}
