package renderer

import (
	"fmt"
	"image"
	"slices"
	"strings"
	"time"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer/picture"
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

// Limits are what a device can do; plans stay within them.
type Limits struct {
	MaxBufferBytes int64 // of one buffer binding
	DeviceBytes    int64 // memory for everything; 0 when unknown
	MaxImageSide   int   // pixels
	MaxIndex       int64 // of an indexed draw; 0 where none is bound
	MaxGroups      int   // workgroups in one dimension
	MaxWorkgroup   int   // invocations per workgroup
	SharedBytes    int   // shared memory per workgroup
	NativeLanes    []int // subgroup widths that native subgroups can be made to have
	OneSubgroup    bool  // a workgroup may have one native subgroup only

	// Multiprocessors, or compute units, as the driver or the type of the device has
	// it; 0 for a CPU. Batches that nobody asked for follow from it (reuse.Config.Fitted).
	Multiprocessors int

	Missing []string // SPIR-V capabilities that the device's shaders cannot have

	VertexCounters     bool // a graphics pipeline's vertex shaders may count in a buffer
	PipelineStatistics bool // a query counts a graphics pipeline's invocations
}

func (l Limits) Native(lanes int) bool { return slices.Contains(l.NativeLanes, lanes) }

func (l Limits) nativeText() string {
	if len(l.NativeLanes) == 0 {
		return "no lanes that can be asked for"
	}
	return strings.Trim(fmt.Sprint(l.NativeLanes), "[]") + " lanes"
}

// Output is what Exec read back.
type Output struct {
	Color   *image.RGBA  // WantColor: opaque, linear values as stored
	Seen    picture.Seen // WantColor: what the pixels show
	Depth   []float32    // WantDepth: row by row, 1 where nothing was drawn
	Counts  []uint32     // WantCounts: as reuse.Analyze returns them
	Stats   reuse.Stats  // WantCounts; of a frame that culls, of the triangles that are left
	Queues  *Queues      // WantQueues: of the last chunk
	Timings []Timing     // one per pass name, in order of first use

	// Elapsed is the device's time from the beginning of the first pass to the end
	// of the last; 0 where it has no clock.
	Elapsed time.Duration

	// Cooperated is how many indices phash's subgroups placed together, on a GPU;
	// WantCounts.
	Cooperated int

	// Visible holds for each pixel, row by row, 1 plus the number in the stream of the
	// triangle that it shows, or 0 for none; WantVisible. HardwareRaster has none.
	Visible []uint32

	Culling Culling // WantCounts, of a frame that culls

	DeviceBytes int64 // peak memory of the backend, on the device and for transfers; 0 for soft

	PipelineStatistics // of a plan with passes of kind Direct
}

// Queues is the content of the queues after the last chunk's geometry.
type Queues struct {
	Positions  [][4]float32 // clip space
	Attributes [][2]uint32
	Triangles  [][2]uint32 // indexed form: packed slots, first vertex
	Corners    []uint32    // in place of Triangles for whole draws and the graphics pipeline: a vertex per corner
}

// Corner is the vertex of a triangle's corner in either form.
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

// Timing is the time that all passes of one name took.
type Timing struct {
	Pass     string
	Duration time.Duration
}

// AddTime adds a time to those of the passes of a name.
func (o *Output) AddTime(pass string, d time.Duration) {
	for i := range o.Timings {
		if o.Timings[i].Pass == pass {
			o.Timings[i].Duration += d
			return
		}
	}
	o.Timings = append(o.Timings, Timing{Pass: pass, Duration: d})
}

// OverflowError says that a queue was too small. It is data, not a failure:
// Render plans again with it.
type OverflowError struct {
	Stage string // the queue
	Need  int    // elements
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

// CountStats calls reuse.NewStats for backends, which must not import package reuse.
func CountStats(s *geometry.Scene, counts []uint32) reuse.Stats { return reuse.NewStats(s, counts) }

// PipelineStatistics are what the device's own query counted of the passes of
// kind Direct; zero where there are none, or where the device has no such query.
// Drivers may count assembled vertices with or without the repeated indices.
type PipelineStatistics struct {
	AssembledVertices   uint64 // input assembly
	AssembledPrimitives uint64
	VertexInvocations   uint64 // how often the vertex shader ran
	ClippedPrimitives   uint64 // primitives that reached the clipper; 0 where none is rasterized
}
