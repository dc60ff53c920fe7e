package measure

import (
	"fmt"
	"strconv"
	"time"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/buildinfo"
	"github.com/shadeonce/shadeonce/renderer"
)

// Programs rely on the JSON names of the rows' fields, and on their order. CSV has the same columns in the same order.

// Source holds the first fields of a row: the schema, and the scene that was measured.
type Source struct {
	Schema int    `json:"schema"`
	File   string `json:"file"`
	Order  string `json:"order"`
}

// Batches holds the fields of a row about how the strategy cuts the stream.
type Batches struct {
	Batching string `json:"batching"`
	Batch    int    `json:"batch"`
	Unique   int    `json:"unique"` // most unique vertices per iteration
}

// Sizes are all sizes of the strategy that was timed.
type Sizes struct {
	Lanes     int  `json:"lanes"`
	Native    bool `json:"native"` // whether lanes ran on the device's own subgroups
	Workgroup int  `json:"workgroup"`
	Batches
	Table int    `json:"table"` // entries of the table in shared memory; 0 for a strategy without one
	Queue string `json:"queue"`
}

// On holds the fields of a row about the backend and device that made it.
type On struct {
	Backend  string `json:"backend"`
	Device   string `json:"device"`
	Driver   string `json:"driver"`
	Subgroup int    `json:"subgroup"`
	Software bool   `json:"-"` // whether the device is a CPU with a Vulkan driver
}

// Shader holds the fields of a row about the vertex shader.
type Shader struct {
	VertexShader string `json:"vertex_shader"`      // name of our own shader, a user's file without its folder, or "captured"
	ShaderHash   string `json:"vertex_shader_hash"` // of a user's or a capture's SPIR-V: the first 12 digits of its SHA-256; else empty
}

// Auto is the strategy that auto chose for a row, and why; empty in other rows.
type Auto struct {
	Picked string `json:"picked"`
	Reason string `json:"reason"`
}

// Spread is the least, median and greatest time of some runs.
type Spread struct {
	MsMin    float64 `json:"ms_min"`
	MsMedian float64 `json:"ms_median"`
	MsMax    float64 `json:"ms_max"`
	Runs     int     `json:"runs"`
}

// Culled is the part of a row about culling; zero without culling.
type Culled struct {
	Cull             bool   `json:"cull"`
	CullFaces        string `json:"cull_faces"`
	CulledFrustum    int    `json:"culled_frustum"` // triangles, each counted at the first test that culls it
	CulledBackFace   int    `json:"culled_back_face"`
	CulledZeroArea   int    `json:"culled_zero_area"`
	CulledNoSample   int    `json:"culled_no_sample"`
	TrianglesLeft    int    `json:"triangles_left"`
	VerticesPlaced   int    `json:"vertices_placed"`
	AttributesShaded int    `json:"attributes_shaded"`
}

// Analysis is a row of analyze: a file with one strategy or model.
type Analysis struct {
	Source
	Strategy string `json:"strategy"`
	Lanes    int    `json:"lanes"`
	Batches
	Backend     string  `json:"backend"`
	Device      string  `json:"device"`
	Draws       int     `json:"draws"`
	Vertices    int     `json:"vertices"`
	Referenced  int     `json:"referenced"`
	Triangles   int     `json:"triangles"`
	Indices     int     `json:"indices"`
	Invocations int     `json:"invocations"`
	Reuse       float64 `json:"reuse"`
	Ideal       float64 `json:"ideal"`
	ACMR        float64 `json:"acmr"`
	ATVR        float64 `json:"atvr"`
	Utilization float64 `json:"lane_utilization"`
	Histogram   []int   `json:"histogram"` // [i]: referenced vertices shaded i times
	Kind        string  `json:"kind"`      // strategy, model or hardware
	Auto
	buildinfo.Program
}

// DrawAnalysis is a row of analyze --per-draw: a draw, with all its instances, and one strategy
// or model.
type DrawAnalysis struct {
	Source
	Draw        int     `json:"draw"` // its event in a captured frame; in other files its position, from 0
	Name        string  `json:"name"`
	Instances   int     `json:"instances"`
	Triangles   int     `json:"triangles"` // this and all counts below are sums over the instances
	Indices     int     `json:"indices"`
	Referenced  int     `json:"referenced"`
	Ideal       float64 `json:"ideal"`
	Strategy    string  `json:"strategy"`
	Kind        string  `json:"kind"`
	Lanes       int     `json:"lanes"`
	Batch       int     `json:"batch"`
	Invocations int     `json:"invocations"`
	Lost        int     `json:"lost"` // invocations beyond one per referenced vertex
	Reuse       float64 `json:"reuse"`
	Placed      string  `json:"placed"`   // for a replayed frame: fitted, captured or hidden; else empty
	Residual    float64 `json:"residual"` // error of the transform found, relative to the length of the shader's output; the largest of all instances
	Shader      string  `json:"shader"`   // the draw's vertex shader, for a frame that was opened with its shaders; else empty
	Steps       float64 `json:"steps"`    // instructions of the game's vertex shader per vertex; 0 if not known
	Saved       float64 `json:"saved"`    // instructions saved, compared with a shader run per index
	DrawTimes
	Auto
	buildinfo.Program
}

// DrawTimes are the times of a draw of a captured frame with the game's own vertex shader. All
// draws of a shader are timed together, since one alone is too short, and each draw gets its
// share: by indices without reuse, by invocations with it. All are 0 if nothing was timed.
type DrawTimes struct {
	VertexNs float64 `json:"vertex_ns"` // geometry pass without reuse, per index
	SimpleNs float64 `json:"simple_ns"` // VertexNs with a vertex shader that only transforms
	NaiveUs  float64 `json:"naive_us"`  // the draw without reuse
	Us       float64 `json:"us"`        // the draw with the strategy
}

// GeometryRow is a row of bench: the geometry pass of a strategy at one load, for a file or, in
// rows of KindMean, over all files (Means).
type GeometryRow struct {
	Source
	Strategy string `json:"strategy"`
	Sizes
	Chunks int    `json:"chunks"`
	Load   string `json:"load"`
	Shader
	On
	Triangles    int     `json:"triangles"`
	Invocations  int     `json:"invocations"`
	Reuse        float64 `json:"reuse"`
	BatchingMs   float64 `json:"batching_ms"` // CPU time of cutting the batches and, for meshlet, of making the meshlets, once per scene
	MsMedian     float64 `json:"ms_median"`   // GPU time of the geometry pass
	MsMin        float64 `json:"ms_min"`
	MsMax        float64 `json:"ms_max"`
	Runs         int     `json:"runs"`
	TrianglesMsS float64 `json:"mtriangles_s"` // million triangles per second at the median

	Bytes          int64   `json:"bytes"`           // bytes that the pass must move at least
	GBs            float64 `json:"gb_s"`            // Bytes per second at the median, in 1e9 bytes
	BandwidthShare float64 `json:"bandwidth_share"` // relative to a copy's bandwidth on this device; 0 if none was measured
	Culled

	Kind       string  `json:"kind"`        // KindTime or KindMean
	Speed      float64 `json:"speed"`       // relative to the fastest strategy without reuse: 2 is twice as fast; 0 if none was timed
	Files      int     `json:"files"`       // 1, or the number of files in a mean
	WorstFile  string  `json:"worst_file"`  // in a mean: the file with the least speed
	WorstSpeed float64 `json:"worst_speed"` // in a mean: the speed of WorstFile
	Auto
	buildinfo.Program

	Times []time.Duration `json:"-"` // of every run, in order
}

// Values of FrameRow.Pass and Timing.Pass that name no pass.
const (
	WholeFrame = "frame" // for bench the device's time of the whole frame, for render the time that the program waits
	HostTime   = "host"  // the time that the program waits: for the camera, submission and execution, not for reading back the picture
)

// FrameRow is a row of bench --frame.
type FrameRow struct {
	Source
	Draws     int    `json:"draws"`
	Triangles int    `json:"triangles"`
	Width     int    `json:"width"`
	Height    int    `json:"height"`
	Camera    string `json:"camera"`
	Strategy  string `json:"strategy"` // or hardware: the graphics pipeline alone
	Raster    string `json:"raster"`
	Pass      string `json:"pass"` // a pass's name; WholeFrame: from the first to the last pass, on the device, without timing passes; or HostTime
	Spread
	Equal float64 `json:"equal"` // share of the pixels that equal the first frame's
	Sizes
	QueueBudget int64  `json:"queue_budget"` // bytes
	Chunks      int    `json:"chunks"`
	Load        string `json:"load"`
	Shader
	BatchingMs float64 `json:"batching_ms"` // as in GeometryRow; 0 for the graphics pipeline alone
	On
	Auto
	RasterReason string `json:"raster_reason"` // why auto chose the raster host; empty if the user named it
	buildinfo.Program
}

// Timing is a row of render --repeat: a pass, or the frame.
type Timing struct {
	Source
	Strategy string `json:"strategy"`
	Lanes    int    `json:"lanes"`
	Native   bool   `json:"native"`
	Batches
	Queue     string `json:"queue"`
	Chunks    int    `json:"chunks"`
	View      string `json:"view"`
	Raster    string `json:"raster"`
	Width     int    `json:"width"`
	Height    int    `json:"height"`
	Triangles int    `json:"triangles"`
	On
	Pass string `json:"pass"`
	Spread
	Load string `json:"load"` // as in --load
	Shader
	Culled
	Auto
	RasterReason string `json:"raster_reason"` // as in FrameRow
	buildinfo.Program
}

// ApplicationRow has the counts and times of one strategy in one part of an application's work.
type ApplicationRow struct {
	Schema   int    `json:"schema"`
	App      string `json:"app"`
	File     string `json:"file"`
	Order    string `json:"order"`
	Part     string `json:"part"` // such as "level 1", "outer" or "10 steps"
	Strategy string `json:"strategy"`
	Lanes    int    `json:"lanes"`
	Batches
	On
	IDs          int     `json:"ids"`
	Referenced   int     `json:"referenced"`
	Indices      int     `json:"indices"`
	Invocations  int     `json:"invocations"`
	Edges        int     `json:"edge_invocations"` // the part of Invocations that shaded edges; subdivide only
	Reuse        float64 `json:"reuse"`
	Ideal        float64 `json:"ideal"`
	Milliseconds float64 `json:"ms"`
	Tables       float64 `json:"tables_ms"`      // time to build the tables that the shade function reads; not part of ms
	Cutting      float64 `json:"cut_ms"`         // time to cut the batches on the host, for a GPU; not part of ms
	Sorting      float64 `json:"sort_ms"`        // time to sort agents; part of ms; walk only
	VsNaive      float64 `json:"vs_naive"`       // naive's time divided by this one; 0 if naive was not run
	VsNaiveIndex float64 `json:"vs_naive_index"` // naive-index's time divided by this one; 0 if naive-index was not run
	Hash         string  `json:"hash"`           // of the result
	Auto
	buildinfo.Program
}

// source returns the fields that all rows of a subject begin with: schema, file and order.
func (of *Subject) source() Source { return Source{Schema, of.File, of.Order} }

// BatchesOf says how a strategy cuts the stream; empty for the graphics pipeline alone.
func BatchesOf(c reuse.Config) Batches {
	if c.Strategy == nil {
		return Batches{}
	}
	return Batches{c.Batching.String(), c.Batch, c.Strategy.MaxUnique(c)}
}

func sizesOf(f *renderer.Frame, native bool) Sizes {
	c := f.Reuse
	if c.Strategy == nil {
		return Sizes{}
	}
	return Sizes{c.Lanes, native, c.Workgroup, BatchesOf(c), c.Table(), f.Queue.String()}
}

func culledOf(f *renderer.Frame, c renderer.Culling) (r Culled) {
	if f.Cull {
		r = Culled{true, f.CullFaces.String(), c.Frustum, c.BackFace, c.ZeroArea, c.NoSample, c.Survived, c.Positioned, c.Shaded}
	}
	return r
}

func (r Culled) String() string {
	return fmt.Sprintf("culled: %s", renderer.Culling{
		Frustum: r.CulledFrustum, BackFace: r.CulledBackFace, ZeroArea: r.CulledZeroArea, NoSample: r.CulledNoSample,
		Survived: r.TrianglesLeft, Positioned: r.VerticesPlaced, Shaded: r.AttributesShaded,
	})
}

// Words formats the bounds of a batch, and the lanes or else the workgroup size.
func (s *Sizes) Words() string {
	text := fmt.Sprintf("%s, %d indices", s.Batching, s.Batch)
	switch {
	case s.Lanes > 0 && s.Native:
		return text + fmt.Sprintf(", %d lanes native", s.Lanes)
	case s.Lanes > 0:
		return text + fmt.Sprintf(", %d lanes virtual", s.Lanes)
	case s.Batching == reuse.DynamicBatching.String():
		text += fmt.Sprintf(" / %d vertices", s.Unique)
	}
	return text + fmt.Sprintf(", workgroup %d", s.Workgroup)
}

// Bounds formats the largest number of indices of a batch and, for dynamic batches, of unique
// ids.
func (b *Batches) Bounds() string {
	if b.Batching == reuse.DynamicBatching.String() {
		return fmt.Sprintf("%d/%d", b.Batch, b.Unique)
	}
	return strconv.Itoa(b.Batch)
}
