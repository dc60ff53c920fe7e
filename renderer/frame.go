// Package renderer defines a frame: its settings (Frame), the Camera, the Limits of
// the device that draws it, and the Output that is read back.
//
// It plans nothing (internal/renderer/plan does), knows no Vulkan and no files.
package renderer

import (
	"errors"
	"fmt"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/shape"
)

// QueueForm is the form of the queues between the geometry stage and the rasterizer. The values
// equal the shaders' QUEUE_*.
type QueueForm uint32

// The queue forms.
const (
	Indexed  QueueForm = iota // each unique vertex once, and a record of 8 bytes per triangle
	Expanded                  // three vertices per triangle, the paper's form
)

// View is what a picture shows. The values equal the shaders' VIEW_*.
type View uint32

// The views.
const (
	Counts  View = iota // how often each vertex was shaded
	Batches             // which batch shaded each vertex
	Shaded              // the draws' colours under a headlight
	Normals             // the normal in world space as red, green and blue, each -1 to 1
	NoView              // no colours: only clip positions and a VertexShader's normals are written, for measuring; requires NoRaster
	Varying             // the output Shading.Shown as red, green and blue, each 0 to 1
)

// Subgroups says which subgroups a strategy's lanes run on.
type Subgroups uint32

// The ways to run lanes.
const (
	AutoSubgroups    Subgroups = iota // native if the device's subgroups can have the strategy's number of lanes, else virtual
	NativeSubgroups                   // the device's subgroups; an error if they cannot have that number
	VirtualSubgroups                  // emulated in shared memory, on any device
)

// RasterHost says who turns the queue into pixels.
type RasterHost uint32

// The raster hosts.
const (
	HardwareRaster RasterHost = iota // the graphics pipeline
	SoftRaster                       // Go, on the CPU
	ComputeRaster                    // compute shaders; every pixel shows the same triangle as with soft
	FusedRaster                      // the picture of ComputeRaster; the geometry pass draws small triangles itself, without vertex queues
	MeshRaster                       // the graphics pipeline after a mesh shader, without queues; the picture of HardwareRaster
	AutoRaster                       // the plan chooses by device and scene; never SoftRaster
)

// Names of the values, in the order of the constants, for flags, tables and titles. ViewNames lacks NoView and Varying.
var (
	QueueFormNames  = []string{"indexed", "expanded"}
	ViewNames       = []string{"counts", "batches", "shaded", "normals"}
	SubgroupsNames  = []string{"auto", "native", "virtual"}
	RasterHostNames = []string{"hardware", "soft", "compute", "fused", "mesh", "auto"}
)

func (q QueueForm) String() string { return nameOf(QueueFormNames, uint32(q)) }
func (v View) String() string {
	switch v {
	case NoView:
		return "none"
	case Varying:
		return "varying"
	}
	return nameOf(ViewNames, uint32(v))
}

// Interpolates reports whether the view shows the normal or an output of a vertex shader as red, green and blue (the shaders'
// VIEW_SHOWN). It is interpolated over a triangle, except for an output that is flat in all programs that have it.
func (v View) Interpolates() bool   { return v == Varying || v == Normals }
func (s Subgroups) String() string  { return nameOf(SubgroupsNames, uint32(s)) }
func (r RasterHost) String() string { return nameOf(RasterHostNames, uint32(r)) }

func nameOf(names []string, i uint32) string {
	if int(i) < len(names) {
		return names[i]
	}
	return fmt.Sprintf("unknown(%d)", i)
}

// Frame is everything that determines a plan, except the device's Limits. The camera is not in it, since a
// plan is recorded once and executed for many cameras.
type Frame struct {
	Scene       *geometry.Scene // validated, with normals
	Reuse       reuse.Config
	Queue       QueueForm
	View        View
	Palette     picture.Palette // of the counts view
	Look        Look
	Marks       []Mark // by draw; nil shows all draws normally
	Raster      RasterHost
	Subgroups   Subgroups
	Width       int   // pixels
	Height      int   // pixels
	QueueBudget int64 // bytes for the queues, both halves together; 0 means Limits.QueueBudget, or less if memory is short

	// OneHalf gives the whole queue budget to one chunk at a time. Chunks are larger, but each is
	// filled only after the previous one is drawn.
	OneHalf bool

	// Slice roughly bounds the triangles of one geometry pass; a pass of the graphics pipeline
	// takes twice as many. Between short passes, a device that runs one thing at a time can do
	// other work. Culling, the compute rasterizer and the geometry passes of whole-draw strategies
	// ignore Slice. 0 means no bound.
	Slice int

	// DeviceBudget bounds the device memory, in bytes: a scene that needs more is uploaded in
	// windows. 0 means all that the device has.
	DeviceBudget int64

	// VertexShare is the size of the vertex queue as a share of the worst case; 0 lets the planner
	// choose. After an overflow the planner raises it.
	VertexShare float64

	// Load is extra work per shaded vertex, in cycles: Load/4 dependent multiply-adds.
	Load int

	VertexShader VertexShader // runs for each shaded vertex, in addition to Load

	// Shading replaces VertexShader by the user's or a capture's vertex shaders. Draws without a
	// program are only transformed. Nil means none.
	Shading *geometry.Shading

	// NarrowAtomics limits the compute rasterizer to 32-bit atomics, as on devices without 64-bit
	// ones.
	NarrowAtomics bool

	// Raw leaves the whole frame to the graphics pipeline, which draws the scene's pools without a
	// compute stage and without a strategy (internal/renderer/plan/sink_none.go).
	Raw bool

	// Cull drops invisible triangles before attributes are shaded. Shading counts then say
	// how often a vertex's attributes were shaded. CullFaces says which draws lose their back faces.
	Cull      bool
	CullFaces FaceCulling

	// TimeWhole measures only Output.Elapsed. Timestamps between passes would keep the passes
	// from overlapping.
	TimeWhole bool

	NoCounts bool // keep no shading counts, for timing; the counts view needs them
	NoRaster bool // run only the geometry stage

	// Shown are counts that the counts view shows instead of the frame's own, in the layout of
	// reuse.Analyze. Nil shows the frame's own. They may change between frames; gpu.Backend.Reshow
	// then uploads them for a kept plan.
	Shown []uint32

	// ShownByShape says that draws of one shape share counts in Shown, whose layout is then that of shape.Offsets.
	ShownByShape bool
}

// Bounds of the default queue budget, in bytes.
const (
	LeastQueueBudget = 64 << 20
	MostQueueBudget  = 512 << 20
)

// QueueBudget returns the default queue budget, from LeastQueueBudget to MostQueueBudget: a sixteenth of the device's memory,
// rounded down to a power of two, so that small changes in other programs' memory do not change it. On an H200
// a chunk costs about as much time as 400,000 triangles: larger queues make that cost small, and
// use their memory only if a scene fills them.
func (l Limits) QueueBudget() int64 {
	budget := int64(MostQueueBudget)
	for budget > max(LeastQueueBudget, l.DeviceBytes/16) {
		budget /= 2
	}
	return budget
}

// MaxImageSide bounds the picture's width and height; backends may have smaller limits.
const MaxImageSide = 16384

// MaxLoad bounds Frame.Load: drivers treat longer work as a hang.
const MaxLoad = 1 << 20

// Check returns an error for settings that are out of range. Package plan checks which settings exclude each other.
func (f *Frame) Check() error {
	switch {
	case f.Load < 0 || f.Load > MaxLoad:
		return fmt.Errorf("load of %d cycles: must be 0 to %d", f.Load, MaxLoad)
	case int(f.VertexShader) >= len(VertexShaderNames):
		return fmt.Errorf("vertex shader %s", f.VertexShader)
	case int(f.Palette) >= len(picture.PaletteNames):
		return fmt.Errorf("palette %s", f.Palette)
	case int(f.CullFaces) >= len(FaceCullingNames):
		return fmt.Errorf("back faces of %s: have %s", f.CullFaces, strings.Join(FaceCullingNames, ", "))
	case f.DeviceBudget < 0:
		return fmt.Errorf("device budget of %d bytes: must not be negative", f.DeviceBudget)
	case f.QueueBudget < 0:
		return fmt.Errorf("queue budget of %d bytes: must not be negative", f.QueueBudget)
	case f.Slice < 0:
		return fmt.Errorf("slices of %d triangles: must not be negative", f.Slice)
	}
	return f.Look.check()
}

// CheckScene returns an error if the scene is missing, if the data given with it do not match it, or if the strategy's
// configuration is invalid.
func (f *Frame) CheckScene() error {
	switch {
	case f.Scene == nil:
		return errors.New("frame without a scene")
	case len(f.Scene.Normals) != len(f.Scene.Positions):
		return fmt.Errorf("scene with %d normals for %d vertices", len(f.Scene.Normals), len(f.Scene.Positions))
	case f.Shown != nil && len(f.Shown) != f.countTotal():
		return fmt.Errorf("%d counts to show for %d vertices", len(f.Shown), f.countTotal())
	case f.ShownByShape && f.Shown == nil:
		return errors.New("counts by shape need counts to show, and a strategy that does not take whole draws")
	case f.Marks != nil && len(f.Marks) != len(f.Scene.Draws):
		return fmt.Errorf("%d draws are marked, the scene has %d", len(f.Marks), len(f.Scene.Draws))
	}
	if f.Reuse.Strategy != nil {
		if err := f.Reuse.Check(); err != nil {
			return err
		}
	}
	return f.checkShading()
}

// Hides reports whether a mark hides a draw.
func (f *Frame) Hides(draw int) bool { return f.Marks != nil && f.Marks[draw] == Hidden }

// CountOffsets returns the index of each draw's first count. s is the frame's scene or a window of it.
func (f *Frame) CountOffsets(s *geometry.Scene) []uint32 {
	if f.ShownByShape {
		offsets, _ := shape.Offsets(s)
		return offsets
	}
	return reuse.CountOffsets(s)
}

// countTotal returns how many counts Shown must have.
func (f *Frame) countTotal() int {
	if f.ShownByShape {
		_, total := shape.Offsets(f.Scene)
		return total
	}
	return f.Scene.DrawVertices()
}

// StrategyName returns the strategy's name, or the name of the pipeline that replaces it.
func (f *Frame) StrategyName() string {
	switch {
	case f.Raw:
		return HardwareStrategy
	case f.Reuse.Strategy == nil:
		return "direct" // the graphics pipeline's own reuse, counted
	}
	return f.Reuse.Name()
}

// HardwareStrategy is the strategy name of Raw frames.
const HardwareStrategy = "hardware"
