package renderer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/shaders"
)

// Plan is a frame as plain data: buffers, and passes in the order in which they
// run. A backend records it once and executes it for many cameras.
type Plan struct {
	Frame   Frame
	Batches []reuse.Batch // nil where the device cuts them
	Chunks  []Chunk
	Buffers []Buffer
	Passes  []Pass

	VertexCapacity   int  // of the vertex queue, in vertices
	TriangleCapacity int  // of the triangle queue, in triangles
	Native           bool // lanes run on the device's own subgroups

	multiplier uint32 // of ids, for a strategy that has them mixed; else 0
	worst      []int  // vertices that the first i batches yield at most

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
	Picture                  // copy PictureColor and PictureDepth into the picture
)

func (k PassKind) String() string {
	return [...]string{"clear", "dispatch", "raster", "direct", "picture"}[k]
}

// Pass is one step of a frame. Timings carry its name; passes of one name add up.
type Pass struct {
	Name    string
	Kind    PassKind
	Shaders []string          // registry names: one compute shader, or vertex and fragment
	Spec    map[string]uint32 // specialization constants by name
	Push    shaders.ChunkPush
	Groups  [2]uint32 // workgroups
	Reads   []string  // buffers, by name
	Writes  []string
	First   bool // Raster: clear the picture before drawing

	// Indirect is a buffer that begins with the workgroups of a Dispatch, a
	// VkDispatchIndirectCommand; Groups is then what it needs at most.
	Indirect       string
	IndirectOffset int64 // bytes into that buffer

	Raster *shaders.RasterPush // of the compute rasterizer's dispatches, in place of Push
}

// newPlan is NewPlan, which only adds to what an error says.
func newPlan(f Frame, l Limits) (*Plan, error) {
	if err := f.check(l); err != nil {
		return nil, err
	}
	if f.QueueBudget == 0 {
		f.QueueBudget = DefaultQueueBudget
	}
	p := &Plan{
		Frame: f,
	}
	p.Native = p.runsNative(l)
	if err := p.checkWorkgroup(l); err != nil {
		return nil, err
	}
	if err := p.cutStream(l); err != nil {
		return nil, err
	}
	if choose := f.Reuse.Strategy.Multiplier; choose != nil {
		p.multiplier = choose(f.Scene, f.Reuse)
	}
	p.layOutBuffers(l)
	if err := p.checkSizes(l); err != nil {
		if f.Reuse.Strategy.WholeDraws {
			err = fmt.Errorf("%w; %s takes the whole scene at once", err, f.Reuse.Strategy.Name)
		}
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
func (p *Plan) listPasses(l Limits) {
	f := &p.Frame
	p.addBatching(l)
	p.Passes = append(p.Passes, Pass{Name: "clear", Kind: Clear, Writes: p.clearNames(l)})
	p.Passes = append(p.Passes, Pass{
		Name: "camera:clips", Kind: Dispatch, Shaders: []string{"camera/clips"}, Groups: groups((len(f.Scene.Draws)+63)/64, l),
		Reads: []string{"Draws", "Cameras"}, Writes: []string{"Clips"},
	})
	// The counts view colours a vertex by how often the whole scene shaded it, so
	// that with several chunks all are counted before the first is drawn.
	countFirst := f.View == Counts && !f.NoRaster && len(p.Chunks) > 1 && f.Shown == nil
	if countFirst {
		for i := range p.Chunks {
			p.addGeometry(i, true, false, l)
		}
	}
	for i := range p.Chunks {
		p.addGeometry(i, !countFirst && !f.NoCounts && f.Shown == nil, true, l)
		if f.NoRaster {
			continue
		}
		if f.Raster == ComputeRaster {
			p.addComputeRaster(i, l)
			continue
		}
		push := p.push(i)
		p.Passes = append(p.Passes, Pass{
			Name: "queue:finish", Kind: Dispatch, Shaders: []string{"queue/finish"}, Push: push, Groups: [2]uint32{1, 1},
			Reads: []string{"QueueStates"}, Writes: []string{"QueueStates"},
		}, Pass{
			Name: "raster:" + f.Raster.String(), Kind: Raster, Shaders: []string{"raster/queue", "raster/view"}, Push: push,
			Spec:  p.heatSpec(map[string]uint32{"VIEW": uint32(f.View), "QUEUE": uint32(f.Queue), "CORNERS": flag(f.Reuse.Strategy.WholeDraws)}),
			Reads: []string{"QueueStates", "VertexPositions", "VertexAttributes", "Triangles", "Counts", "Corners"},
			First: i == 0,
		})
	}
}

func (p *Plan) addGeometry(chunk int, count, write bool, l Limits) {
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
	p.Passes = append(p.Passes, Pass{
		Name: name, Kind: Dispatch, Shaders: []string{"geometry/" + f.Reuse.Strategy.Name}, Indirect: p.indirect(),
		Spec:   p.geometrySpec(subgroups, count, write),
		Push:   p.push(chunk),
		Groups: groups((p.Chunks[chunk].BatchCount+subgroups-1)/subgroups, l),
		Reads:  []string{"Positions", "Normals", "Indices", "Draws", "Batches", "Cameras", "Clips", "Skin", "Bones"},
		Writes: []string{"Counts", "VertexPositions", "VertexAttributes", "Triangles", "QueueStates"},
	})
}

// groups lays n workgroups out so that no dimension has too many.
func groups(n int, l Limits) [2]uint32 {
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
		"BATCH": uint32(r.Batch), "UNIQUE": uint32(r.Strategy.MaxUnique(r)), "TABLE": uint32(r.Table()), "KEEP": uint32(r.Keep),
		"VIEW": uint32(p.Frame.View), "QUEUE": uint32(p.Frame.Queue), "COUNT": flag(count), "WRITE": flag(write),
		"LOAD": uint32(p.Frame.Load), "PROBES": uint32(r.Probes),
	})
}

// subgroups is how many batches a workgroup takes: one subgroup's each where
// they are native, else one.
func (p *Plan) subgroups(l Limits) int {
	if !p.Native {
		return 1
	}
	fit := min(l.MaxWorkgroup, nativeWorkgroup) / p.Frame.Reuse.Lanes
	return max(1, min(fit, l.SharedBytes/p.sharedBytes()))
}

// sharedBytes is the shared memory that the strategy's shader takes for a batch.
func (p *Plan) sharedBytes() int {
	vertex := 0
	if p.Frame.Queue == Expanded {
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

// strategyText is the strategy with how its lanes run.
func (p *Plan) strategyText() string {
	if p.Frame.Reuse.Strategy == nil {
		return "direct" // the graphics pipeline's own reuse
	}
	if !p.Frame.Reuse.Strategy.UsesLanes {
		return p.Frame.Reuse.String()
	}
	return p.Frame.Reuse.String() + map[bool]string{true: ", native", false: ", virtual"}[p.Native]
}

// String prints the plan as `shadeonce render --plan` does.
func (p *Plan) String() string {
	var b strings.Builder
	f := &p.Frame
	fmt.Fprintf(&b, "frame  %s, %s, %s queue, %s view, %dx%d\n", f.Scene.Name, p.strategyText()+f.vertexText(), f.Queue, f.View, f.Width, f.Height)
	fmt.Fprintf(&b, "stream %d triangles in %d draws, %s, %d chunks\n", f.Scene.Triangles(), len(f.Scene.Draws), p.batchesText(), len(p.Chunks))
	for _, buf := range p.Buffers {
		fmt.Fprintf(&b, "buffer %-17s %12d bytes  %s  (from %s)\n", buf.Name, buf.Bytes, buf.Shape, buf.From)
	}
	for i := range p.Passes {
		pass := &p.Passes[i]
		fmt.Fprintf(&b, "pass   %-16s %-8s", pass.Name, pass.Kind)
		switch pass.Kind {
		case Clear:
			fmt.Fprintf(&b, " %s", strings.Join(pass.Writes, " "))
		case Dispatch:
			fmt.Fprintf(&b, " chunk %d, %dx%d workgroups", pass.Push.Chunk, pass.Groups[0], pass.Groups[1])
			if pass.Indirect != "" {
				fmt.Fprintf(&b, " at most, as %s says", pass.Indirect)
			}
		case Raster:
			fmt.Fprintf(&b, " chunk %d, at most %d triangles", pass.Push.Chunk, pass.Push.TriangleCount)
		case Direct:
			fmt.Fprintf(&b, " %d indexed draws", len(f.Scene.Draws))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
