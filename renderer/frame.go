// Package renderer says what a frame is: a Frame of settings, the Camera that sees it,
// the Limits of the device that draws it, and the Output that is read back.
//
// It plans nothing (renderer/plan does), knows no Vulkan and no files.
package renderer

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer/picture"
)

// QueueForm is what the geometry stage leaves for the rasterizer. Values are
// the shaders' QUEUE_*.
type QueueForm uint32

// The queue forms.
const (
	Indexed  QueueForm = iota // unique vertices once, a record of 8 bytes a triangle
	Expanded                  // three vertices a triangle, the paper's form
)

// View is what a picture shows. Values are the shaders' VIEW_*.
type View uint32

// The views.
const (
	Counts  View = iota // how often each vertex was shaded
	Batches             // which batch shaded it
	Shaded              // the draws' colours under a headlight
	NoView              // none: clip positions, and what a VertexShader adds, for measuring; needs NoRaster
)

// Subgroups says how a strategy's lanes are run.
type Subgroups uint32

// The ways to run lanes.
const (
	AutoSubgroups    Subgroups = iota // native where the device's subgroup is as wide, else virtual
	NativeSubgroups                   // the device's own subgroups; an error where it has none as wide
	VirtualSubgroups                  // in shared memory, whatever the device has
)

// RasterHost is who turns the queue into pixels.
type RasterHost uint32

// The raster hosts.
const (
	HardwareRaster RasterHost = iota // the graphics pipeline
	SoftRaster                       // Go, on the CPU
	ComputeRaster                    // compute shaders: soft's rules, the same triangles in every pixel
)

// Names of the values, in value order: flags, tables and titles use them.
var (
	QueueFormNames  = []string{"indexed", "expanded"}
	ViewNames       = []string{"counts", "batches", "shaded"}
	SubgroupsNames  = []string{"auto", "native", "virtual"}
	RasterHostNames = []string{"hardware", "soft", "compute"}
)

func (q QueueForm) String() string { return nameOf(QueueFormNames, uint32(q)) }
func (v View) String() string {
	if v == NoView {
		return "none"
	}
	return nameOf(ViewNames, uint32(v))
}
func (s Subgroups) String() string { return nameOf(SubgroupsNames, uint32(s)) }

func (r RasterHost) String() string { return nameOf(RasterHostNames, uint32(r)) }

func nameOf(names []string, i uint32) string {
	if int(i) < len(names) {
		return names[i]
	}
	return fmt.Sprintf("unknown(%d)", i)
}

// Frame is everything that decides a plan. The camera is not in it: a plan is
// recorded once and executed for many cameras.
type Frame struct {
	Scene       *geometry.Scene // validated, with normals
	Reuse       reuse.Config
	Queue       QueueForm
	View        View
	Palette     picture.Palette // of the counts view
	Raster      RasterHost
	Subgroups   Subgroups
	Width       int   // pixels
	Height      int   // pixels
	QueueBudget int64 // bytes for the queues, both halves; 0 is DefaultQueueBudget

	// OneHalf gives the whole budget to one chunk at a time, which is drawn before the
	// next is filled: larger chunks, and none beside another.
	OneHalf bool

	// Slice bounds how many triangles a pass takes, about: for a device that runs one
	// thing at a time and has to serve a window too. Where the graphics pipeline draws,
	// chunks have at most twice as many; the geometry stage of a chunk is cut into passes of
	// as many, since a chunk costs the compute rasterizer a look at every tile. Culling, the compute
	// rasterizer and the geometry stage of whole draws are not cut. 0 is no bound.
	Slice int

	// DeviceBudget is the device memory that may be taken, in bytes: a scene that
	// needs more is taken in windows. 0 is what the device has.
	DeviceBudget int64

	// VertexShare caps the vertex queue to a share of what the worst case needs;
	// 0 lets the planner choose. Planning again after an overflow raises it.
	VertexShare float64

	// Load is extra work a shaded vertex, in cycles: Load/4 dependent multiply-adds.
	Load int

	VertexShader VertexShader // what a shaded vertex costs beside Load

	// NarrowAtomics keeps the compute rasterizer to 32-bit atomics, as where a
	// device has no others.
	NarrowAtomics bool

	// Raw leaves the whole frame to the graphics pipeline, which draws the scene's
	// pools without a compute stage and without a strategy (renderer/plan/raw.go).
	Raw bool

	// Cull drops triangles that would show nothing before attributes are shaded;
	// counts are then of attributes. CullFaces says whose back faces it drops.
	Cull      bool
	CullFaces FaceCulling

	// TimeWhole keeps Output.Elapsed and no times of passes: taking these parts what
	// would run at the same time.
	TimeWhole bool

	NoCounts bool // keep no shading counts: for timing; the counts view needs them
	NoRaster bool // run the geometry stage alone

	// Shown are counts that the counts view colours by in place of those that the
	// geometry stage would keep: what something else shaded, as reuse.Analyze lays
	// counts out. Nil for the frame's own. They may be written between frames; of a
	// plan that a device keeps, gpu.Backend.Reshow then takes them there.
	Shown []uint32
}

// DefaultQueueBudget is what the queues of a chunk may take unless said otherwise.
const DefaultQueueBudget = 64 << 20

// MaxImageSide bounds the picture where the backend has no smaller limit.
const MaxImageSide = 16384

// MaxLoad bounds Frame.Load: more would look like a hang to a driver.
const MaxLoad = 1 << 20

func (f *Frame) Check(l Limits) error {
	switch {
	case f.Scene == nil:
		return errors.New("renderer: frame without a scene")
	case len(f.Scene.Normals) != len(f.Scene.Positions):
		return fmt.Errorf("renderer: scene with %d normals for %d vertices", len(f.Scene.Normals), len(f.Scene.Positions))
	case !f.Raw && f.Scene.Triangles() == 0:
		return errors.New("renderer: scene without triangles")
	case f.Reuse.Strategy == nil && !f.Raw:
		return errors.New("renderer: frame without a strategy")
	case !f.NoRaster && (f.Width < 1 || f.Height < 1 || f.Width > l.MaxImageSide || f.Height > l.MaxImageSide):
		return fmt.Errorf("renderer: picture of %dx%d: each side must be 1 to %d", f.Width, f.Height, l.MaxImageSide)
	case f.View == Counts && f.NoCounts && !f.NoRaster:
		return errors.New("renderer: the counts view needs shading counts")
	case f.Shown != nil && len(f.Shown) != f.Scene.DrawVertices():
		return fmt.Errorf("renderer: %d counts to show for %d vertices", len(f.Shown), f.Scene.DrawVertices())
	case f.View == NoView && !f.NoRaster:
		return errors.New("renderer: nothing can be drawn without a view")
	case f.Load < 0 || f.Load > MaxLoad:
		return fmt.Errorf("renderer: load of %d cycles: must be 0 to %d", f.Load, MaxLoad)
	case int(f.VertexShader) >= len(VertexShaderNames):
		return fmt.Errorf("renderer: vertex shader %s", f.VertexShader)
	case int(f.Palette) >= len(picture.PaletteNames):
		return fmt.Errorf("renderer: palette %s", f.Palette)
	case f.DeviceBudget < 0:
		return fmt.Errorf("renderer: device budget of %d bytes", f.DeviceBudget)
	case f.QueueBudget < 0:
		return fmt.Errorf("renderer: queue budget of %d bytes", f.QueueBudget)
	case f.Slice < 0:
		return fmt.Errorf("renderer: slices of %d triangles", f.Slice)
	case f.Subgroups == NativeSubgroups && f.Reuse.Strategy.UsesLanes && !l.Native(f.Reuse.Lanes):
		return fmt.Errorf("renderer: %d lanes are not native here: the device's subgroups have %s", f.Reuse.Lanes, l.nativeText())
	}
	return f.checkCulling(l)
}

// StrategyName is the strategy's name, or what stands in its place.
func (f *Frame) StrategyName() string {
	switch {
	case f.Raw:
		return HardwareStrategy
	case f.Reuse.Strategy == nil:
		return "direct" // the graphics pipeline's own reuse, counted
	}
	return f.Reuse.Strategy.Name
}

// SimpleLoad is the load of a vertex shader that only transforms.
const SimpleLoad = "simple"

// LoadName is what shading a vertex costs: simple, cycles, or a vertex shader.
func (f *Frame) LoadName() string {
	switch {
	case f.VertexShader != Transform:
		return f.VertexShader.String()
	case f.Load > 0:
		return strconv.Itoa(f.Load)
	}
	return SimpleLoad
}

// HardwareStrategy names what a Raw frame has in place of a strategy.
const HardwareStrategy = "hardware"
