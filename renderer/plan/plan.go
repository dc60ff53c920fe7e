// Package plan turns a renderer.Frame into a Plan: plain data that says which passes
// run over which buffers, in order. A Backend executes it.
//
// A plan can be printed, tested and compared before any device is touched. The
// package knows no Vulkan and no files.
package plan

import (
	"errors"
	"fmt"
	"slices"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders"
)

// Plan is a frame as plain data: buffers, and passes in the order in which they
// run. A backend records it once and executes it for many cameras.
type Plan struct {
	Frame   renderer.Frame
	Batches []reuse.Batch // nil where windows have theirs
	Chunks  []Chunk
	Windows []Window // where the device does not hold the whole scene
	Buffers []Buffer
	Passes  []Pass

	VertexCapacity   int  // of the vertex queue, in vertices
	TriangleCapacity int  // of the triangle queue, in triangles
	Native           bool // lanes run on the device's own subgroups
	Halves           int  // 2 where one half of the queues is filled while the other is drawn, else 1

	multiplier uint32 // of ids, for a strategy that has them mixed; else 0
	worst      []int  // vertices that the first i batches yield at most

	chunkBudget int64   // bytes of a chunk's queues
	vertexShare float64 // of the worst case, that the vertex queue holds

	Gathered   bool // windows have pools of their own
	windowMost windowUse
	reserve    int64 // bytes that windows leave free
	batchCount int   // of all windows

	uploads int // while passes are listed

	cells, height float32 // what displacement found, once a pass needed it
}

// Chunk is the part of the stream that one pass through the queues takes.
type Chunk struct {
	FirstBatch, BatchCount       int
	FirstTriangle, TriangleCount int
	WorstVertices                int // what the vertex queue needs at most
}

// Buffer is a named buffer, device-local on a GPU.
type Buffer struct {
	Name  string // the shaders' block name
	Shape string // what an element is and how many: for people
	Bytes int64
	From  string // who writes it: "scene", "frame" or a pass
}

// PassKind is what a pass does.
type PassKind int

// The kinds of passes.
const (
	Clear    PassKind = iota // fill Writes with zeros
	Dispatch                 // run a compute shader
	Raster                   // draw the queue into the picture
	Direct                   // draw the scene itself, one indexed draw a draw
	Upload                   // fill the buffers of a window, from the host
	Fetch                    // add a window's counts to the scene's, on the host
)

func (k PassKind) String() string {
	return [...]string{"clear", "dispatch", "raster", "direct", "upload", "fetch"}[k]
}

// Pass is one step of a frame. Timings carry its name; passes of one name add up.
type Pass struct {
	Name    string
	Kind    PassKind
	Beside  bool              // may run at the same time as the pass before: a step has several
	Once    bool              // leaves the same for every camera: a backend may keep what it left
	Shaders []string          // registry names: one compute shader, or vertex and fragment
	Spec    map[string]uint32 // specialization constants by name
	Push    shaders.ChunkPush
	Groups  [2]uint32 // workgroups
	Reads   []string  // buffers, by name
	Writes  []string
	Updates []string          // by atomics alone whose order does not matter: passes of one step may share them
	Bind    map[string]string // buffers by the shaders' block name, where it is not their own
	First   bool              // Raster: clear the picture before drawing
	Range   [2]int            // Raster: first and count of the queue's triangles, where it does not draw what the queue's state says

	// Indirect is a buffer that begins with the workgroups of a Dispatch, a
	// VkDispatchIndirectCommand; Groups is then what it needs at most.
	Indirect       string
	IndirectOffset int64 // bytes into that buffer

	Window  int  // of Upload and Fetch: into Plan.Windows
	Slot    int  // of Upload and Fetch: which copy of the window's buffers
	Counted bool // Upload: with the scene's counts so far

	Raster *shaders.RasterPush // of the compute rasterizer's dispatches, in place of Push
}

// newPlan is NewPlan, which only adds to what an error says. What the device
// cannot hold is planned again in windows.
func newPlan(f renderer.Frame, l renderer.Limits) (*Plan, error) {
	if f.Raw {
		return rawPlan(f, l)
	}
	if err := f.Check(l); err != nil {
		return nil, err
	}
	if f.QueueBudget == 0 {
		f.QueueBudget = renderer.DefaultQueueBudget
	}
	p, err := planFrame(f, l, (*Plan).cutStream, 0)
	var large *sizeError
	if !errors.As(err, &large) {
		return p, err
	}
	if why := canWindow(&f); why != "" {
		return nil, fmt.Errorf("%w; %s", err, why)
	}
	whole, reserve := err, int64(0)
	for range 8 {
		p, err = planFrame(f, l, (*Plan).cutWindows, reserve)
		if !errors.As(err, &large) || large.excess == 0 {
			break
		}
		reserve += 2*large.excess + 4<<10 // what is cut anew need not be as small as hoped
	}
	if fits := errors.As(err, &large) && large.excess == 0; err != nil && !fits && f.DeviceBudget == 0 {
		// What it would need says more than how windows would not do.
		return nil, whole
	}
	return p, err
}

func planFrame(f renderer.Frame, l renderer.Limits, cut func(*Plan, renderer.Limits) error, reserve int64) (*Plan, error) {
	p := &Plan{Frame: f, Halves: 1, vertexShare: 1, reserve: reserve}
	p.Native = p.runsNative(l)
	if err := p.checkWorkgroup(l); err != nil {
		return nil, err
	}
	if err := cut(p, l); err != nil {
		return nil, err
	}
	if choose := f.Reuse.Strategy.Multiplier; choose != nil {
		p.multiplier = choose(reuse.SampleBatches(p.sample(), f.Reuse), f.Reuse)
	}
	p.layOutBuffers(l)
	p.doubleBuffers()
	p.doubleWindows()
	if err := p.checkSizes(l); err != nil {
		return nil, err
	}
	if err := p.checkRaster(l); err != nil {
		return nil, err
	}
	p.listPasses(l)
	if err := p.checkShaders(l); err != nil {
		return nil, err
	}
	return p, nil
}

// listPasses is the whole frame on one screen.
func (p *Plan) listPasses(l renderer.Limits) {
	f := &p.Frame
	// The counts view colours a vertex by how often the whole scene shaded it, so
	// that with several chunks all are counted before the first is drawn.
	countFirst := f.View == renderer.Counts && !f.NoRaster && len(p.Chunks) > 1 && f.Shown == nil
	once := countFirst && !f.Cull && !p.Windowed()
	p.Passes = append(p.Passes, Pass{Name: "clear", Kind: Clear, Writes: p.clearNames(once, l)})
	if !p.Windowed() {
		p.addClips(l)
	}
	if once {
		p.countOnce(l)
	} else if countFirst {
		for w := range max(1, len(p.Windows)) {
			entered := p.enter(w, false, l)
			first, end := p.chunksOf(w)
			for i := first; i < end; i++ {
				from := len(p.Passes)
				p.countChunk(i, l)
				p.bindHalf(i, p.Passes[from:])
			}
			p.leave(w, entered, true)
		}
	}
	for w := range max(1, len(p.Windows)) {
		entered := p.enter(w, countFirst || f.Shown != nil, l)
		start := len(p.Passes)
		first, end := p.chunksOf(w)
		chunks := make([]chunkPasses, end-first)
		for i := range chunks {
			c := &chunks[i]
			c.geometry = len(p.Passes)
			p.addGeometry(first+i, p.countsInGeometry(countFirst), true, l)
			p.addCulling(first+i, countFirst, l)
			c.raster = len(p.Passes)
			p.addRaster(first+i, l)
			c.end = len(p.Passes)
			p.bindHalf(first+i, p.Passes[c.geometry:c.end])
		}
		p.overlap(start, chunks)
		p.leave(w, entered, !countFirst && !f.NoCounts && f.Shown == nil)
	}
}

// addRaster draws a chunk.
func (p *Plan) addRaster(chunk int, l renderer.Limits) {
	f := &p.Frame
	if f.NoRaster {
		return
	}
	if f.Raster == renderer.ComputeRaster {
		p.addComputeRaster(chunk, l)
		return
	}
	if p.drawSlices() {
		return
	}
	push := p.push(chunk)
	p.Passes = append(p.Passes, Pass{
		Name: "queue:finish", Kind: Dispatch, Shaders: []string{"queue/finish"}, Push: push, Groups: [2]uint32{1, 1},
		Reads: []string{"QueueStates"}, Writes: []string{"QueueStates"},
	}, p.rasterPass(chunk))
}

// rasterPass draws what a chunk left in the queues by the graphics pipeline.
func (p *Plan) rasterPass(chunk int) Pass {
	f := &p.Frame
	return Pass{
		Name: "raster:" + f.Raster.String(), Kind: Raster, Shaders: []string{"raster/queue", "raster/view"}, Push: p.push(chunk),
		Spec:  p.heatSpec(map[string]uint32{"VIEW": uint32(f.View), "QUEUE": uint32(f.Queue), "CORNERS": flag(f.Reuse.Strategy.WholeDraws)}),
		Reads: []string{"QueueStates", "VertexPositions", "VertexAttributes", "Triangles", "Counts", "Corners"},
		First: chunk == 0,
	}
}

func (p *Plan) addGeometry(chunk int, count, write bool, l renderer.Limits) {
	f := &p.Frame
	if f.Reuse.Strategy.WholeDraws {
		p.addWholeDraws(count, l)
		return
	}
	name := "geometry:" + f.Reuse.Strategy.Name
	if !write {
		name = "count:" + f.Reuse.Strategy.Name
	}
	subgroups := p.subgroups(l)
	for _, push := range p.slices(chunk) {
		p.Passes = append(p.Passes, Pass{
			Name: name, Kind: Dispatch, Shaders: []string{"geometry/" + f.Reuse.Strategy.Name},
			Spec:   p.geometrySpec(subgroups, count, write),
			Push:   push,
			Groups: groups((int(push.BatchCount)+subgroups-1)/subgroups, l),
			Reads:  []string{"Positions", "Normals", "Indices", "Draws", "Batches", "Cameras", "Clips", "Skin", "Bones"},
			Writes: []string{"Counts", "VertexPositions", "VertexAttributes", "Triangles", "QueueStates"},
		})
	}
}

// groups lays n workgroups out so that no dimension has too many.
func groups(n int, l renderer.Limits) [2]uint32 {
	wide := min(n, l.MaxGroups)
	return [2]uint32{uint32(wide), uint32((n + wide - 1) / wide)}
}

// geometrySpec is the specialization of a geometry pass: every constant that
// some strategy has.
func (p *Plan) geometrySpec(subgroups int, count, write bool) map[string]uint32 {
	r := p.Frame.Reuse
	workgroup := r.Workgroup
	if r.Strategy.UsesLanes {
		workgroup = subgroups * r.Lanes
	}
	return p.vertexSpec(map[string]uint32{
		"LANES": uint32(r.Lanes), "NATIVE": flag(p.Native), "WORKGROUP": uint32(workgroup),
		"BATCH": p.largestBatch(), "UNIQUE": uint32(r.Strategy.MaxUnique(r)), "TABLE": uint32(r.Table()),
		"VIEW": uint32(p.Frame.View), "QUEUE": uint32(p.Frame.Queue), "COUNT": flag(count), "WRITE": flag(write), "CULL": flag(p.Frame.Cull),
		"LOAD": uint32(p.Frame.Load), "PROBES": uint32(r.Probes),
	})
}

// subgroups is how many batches a workgroup takes: one subgroup's each where
// they are native, else one.
func (p *Plan) subgroups(l renderer.Limits) int {
	if !p.Native {
		return 1
	}
	fit := min(l.MaxWorkgroup, nativeWorkgroup) / p.Frame.Reuse.Lanes
	return max(1, min(fit, l.SharedBytes/p.sharedBytes()))
}

// sharedBytes is the shared memory that the strategy's shader takes for a batch.
func (p *Plan) sharedBytes() int {
	vertex := 0
	if p.Frame.Queue == renderer.Expanded {
		vertex = positionBytes + attributeBytes
	}
	return max(1, p.Frame.Reuse.Strategy.SharedBytes(p.Frame.Reuse, !p.Native, vertex))
}

// nativeWorkgroup is the invocations of a workgroup that holds several native
// subgroups: enough that a multiprocessor's limit on workgroups does not bind.
const nativeWorkgroup = 128

func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

func (p *Plan) push(chunk int) shaders.ChunkPush {
	c := p.Chunks[chunk]
	return shaders.ChunkPush{
		Chunk: uint32(chunk), FirstBatch: uint32(c.FirstBatch), BatchCount: uint32(c.BatchCount),
		FirstTriangle: uint32(c.FirstTriangle), TriangleCount: uint32(c.TriangleCount),
		TriangleCapacity: uint32(p.TriangleCapacity), VertexCapacity: uint32(p.VertexCapacity), Multiplier: p.multiplier,
		BatchNumber: p.batchNumber(chunk), VertexPlaces: uint32(p.places()),
	}
}

// Buffer finds a buffer by name.
func (p *Plan) Buffer(name string) *Buffer {
	i := slices.IndexFunc(p.Buffers, func(b Buffer) bool { return b.Name == name })
	if i < 0 {
		return nil
	}
	return &p.Buffers[i]
}
