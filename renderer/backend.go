package renderer

import (
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"
	"time"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
)

// Backend executes plans. It keeps what it made for the last plan, so that
// executing the same plan again costs no set-up.
type Backend interface {
	Name() string   // "gpu" or "cpu": the flag value
	Device() string // the device's own name
	Limits() Limits
	// Exec runs the plan for a camera and reads back what is wanted. Queues that
	// were too small are an *OverflowError.
	Exec(p *Plan, camera Camera, want Want) (*Output, error)
	Close()
}

// Want selects what Exec reads back.
type Want uint

// What can be read back.
const (
	WantColor Want = 1 << iota
	WantDepth
	WantCounts
	WantQueues
	WantBatches
	WantVisible
)

// Limits is what a plan must keep to.
type Limits struct {
	MaxBufferBytes int64 // of one buffer binding
	DeviceBytes    int64 // memory for everything; 0 when unknown
	MaxImageSide   int   // pixels
	MaxGroups      int   // workgroups in one dimension
	MaxWorkgroup   int   // invocations a workgroup
	SharedBytes    int   // shared memory a workgroup
	NativeLanes    []int // subgroup widths that native subgroups can be made to have

	Missing []string // SPIR-V capabilities that the device's shaders cannot have

	VertexCounters     bool // a graphics pipeline's vertex shaders may count in a buffer
	PipelineStatistics bool // a query counts a graphics pipeline's invocations
}

func (l Limits) native(lanes int) bool { return slices.Contains(l.NativeLanes, lanes) }

func (l Limits) nativeText() string {
	if len(l.NativeLanes) == 0 {
		return "no lanes that can be asked for"
	}
	return strings.Trim(fmt.Sprint(l.NativeLanes), "[]") + " lanes"
}

// CheckExec refuses what no backend can execute: it is every Exec's first step.
func (p *Plan) CheckExec(camera Camera, want Want) error {
	if want&WantCounts != 0 && p.Frame.NoCounts {
		return errors.New("renderer: counts are wanted of a frame that keeps none")
	}
	if want&WantQueues != 0 && p.Frame.Reuse.Strategy == nil {
		return errors.New("renderer: queues are wanted of a plan that fills none")
	}
	if want&WantVisible != 0 && p.Frame.Raster == HardwareRaster && !p.Frame.NoRaster {
		return errors.New("renderer: visible triangles are wanted of the hardware rasterizer, which does not keep them")
	}
	return camera.checkFor(float32(max(1, p.Frame.Width)) / float32(max(1, p.Frame.Height)))
}

// Output is what Exec read back.
type Output struct {
	Color   *image.RGBA // WantColor: opaque, linear values as stored
	Depth   []float32   // WantDepth: row by row, 1 where nothing was drawn
	Counts  []uint32    // WantCounts: as reuse.Analyze returns them
	Stats   reuse.Stats // WantCounts
	Queues  *Queues     // WantQueues: of the last chunk
	Timings []Timing    // one a pass name, in order of first use

	// Elapsed is the device's time from the beginning of the first pass to the end
	// of the last; 0 where it has no clock.
	Elapsed time.Duration

	// Cooperated is how many indices subgroups placed together, of a GPU and a
	// strategy that does so (phash); WantCounts.
	Cooperated int

	// Visible is, row by row, the number in the stream of the triangle that each
	// pixel shows plus 1, 0 where none is; WantVisible, not of HardwareRaster.
	Visible []uint32

	Culling Culling // WantCounts, of a frame that culls

	Batches []reuse.Batch // WantBatches: the batches of the plan, or what the device cut

	DeviceBytes int64 // memory that the backend has held at most, on the device and to reach it; 0 of a backend in Go

	PipelineStatistics // of a plan with passes of kind Direct
}

// Queues is the content of the queues after the last chunk's geometry.
type Queues struct {
	Positions  [][4]float32 // clip space
	Attributes [][2]uint32
	Triangles  [][2]uint32 // indexed form: packed slots, first vertex
	Corners    []uint32    // indexed form of whole draws, in place of Triangles: a vertex each
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

// OverflowError says that a queue was too small. It is data, not a failure:
// Render plans again with it.
type OverflowError struct {
	Stage string // the queue
	Need  int    // elements
	Have  int
}

func (e *OverflowError) Error() string {
	return fmt.Sprintf("renderer: %s overflowed: needs %d, has %d", e.Stage, e.Need, e.Have)
}

// maxReplans is how often a frame is planned again after an overflow.
const maxReplans = 3

// asider is a backend whose user has other things to do meanwhile.
type asider interface{ Aside(work func()) }

// Render plans a frame, executes it, and plans again with the need that the
// backend reported when a queue overflowed. The plan that worked is returned,
// to be executed for further cameras.
func Render(b Backend, f Frame, camera Camera, want Want) (*Output, *Plan, error) {
	for try := 0; ; try++ {
		var p *Plan
		var err error
		limits := b.Limits()
		plan := func() { p, err = NewPlan(f, limits) }
		if a, ok := b.(asider); ok {
			a.Aside(plan)
		} else {
			plan()
		}
		if err != nil {
			return nil, nil, err
		}
		out, err := b.Exec(p, camera, want)
		var overflow *OverflowError
		if !errors.As(err, &overflow) || try == maxReplans {
			return out, p, err
		}
		f = replan(p, overflow)
		if try == maxReplans-1 {
			f.VertexShare = 1 // the worst case always fits
		}
	}
}

// replan asks for the vertex share that the overflow showed to be needed, at
// the same budget: chunks become smaller.
func replan(p *Plan, e *OverflowError) Frame {
	f := p.Frame
	f.VertexShare = 1
	if e.Stage == VertexQueue && e.Have > 0 {
		// A tenth more than the need, since the next cut falls elsewhere.
		f.VertexShare = min(1, 1.1*p.vertexShare*float64(e.Need)/float64(e.Have))
	}
	return f
}

// The queues that can overflow.
const (
	VertexQueue   = "vertex queue"
	TriangleQueue = "triangle queue"
)

// CountStats is reuse.NewStats for backends, which know no strategies.
func CountStats(s *geometry.Scene, counts []uint32) reuse.Stats { return reuse.NewStats(s, counts) }
