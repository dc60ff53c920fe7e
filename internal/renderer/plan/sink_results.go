package plan

import (
	"context"
	"maps"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// Function is a shade function of an application, with its settings. It runs once for each unique id of a
// batch, and stores its results itself: by id and, if Held is set, by corner of the stream (the sink results).
type Function struct {
	Name      string       // shaders/functions/NAME.glsl; with Shader, its name in passes and errors
	Shader    *OwnFunction // a caller's function; nil for one of this module
	Arguments [4]uint32    // push constants of the function
	Reuse     reuse.Config
	Subgroups renderer.Subgroups
	Held      int               // bytes of a result, if each corner of the stream gets a result; else 0
	Spec      map[string]uint32 // specialization constants that the function's own source declares
	NoCounts  bool              // whether not to count how often each id is shaded
	AddCounts bool              // whether to add to the counts in the caller's buffer
	Part      int               // most corners of a dispatch; 0 for no bound
}

// Cut is the table of batches of a stream.
type Cut struct {
	Table      []reuse.Batch  // batches of the stream; for a whole-draw strategy, the batches of its ids follow
	Stream     int            // number of batches of the stream
	Multiplier uint32         // factor that mixes ids, if the strategy chooses it from the stream; else 0
	Meshlets   reuse.Meshlets // one per batch of the stream, if the strategy has meshlets
}

// CutStream cuts a stream into batches.
func CutStream(s reuse.Stream, c reuse.Config) *Cut {
	one := streamScene(s)
	cut := &Cut{Table: reuse.Batches(one, c)}
	cut.Stream, cut.Meshlets = len(cut.Table), reuse.MakeMeshlets(context.Background(), one, c, cut.Table)
	if c.Strategy.WholeDraws {
		cut.Table = append(cut.Table, reuse.VertexBatches(one, c)...)
	}
	if choose := c.Strategy.Multiplier; choose != nil {
		cut.Multiplier = choose(reuse.SampleBatches(one, c), c)
	}
	return cut
}

// streamScene returns a scene whose only draw is the stream.
func streamScene(s reuse.Stream) *geometry.Scene {
	return &geometry.Scene{
		Name: s.Name, Indices: s.Indices,
		Draws: []geometry.Draw{{IndexCount: uint32(len(s.Indices)), VertexCount: uint32(s.IDs)}},
	}
}

// resultsSink leaves storing the results to the shade function.
type resultsSink struct{ queueSink }

var toResults = resultsSink{queueSink{kept{name: "results", turns: true}}}

// scratchResults holds results until the corners of the stream take them, for a whole-draw
// strategy.
const scratchResults Block = "ScratchResults"

// ByCaller is Buffer.From of a function's own blocks, whose buffers the caller provides.
const ByCaller = "caller"

// NewResults plans the shading of a stream. It returns an error for a strategy whose batches the
// device cannot process.
func NewResults(s reuse.Stream, cut *Cut, f Function, l renderer.Limits) (_ *Plan, err error) {
	defer must.Catch(&err)
	p := newPlanner(renderer.Frame{
		Scene: streamScene(s), Reuse: f.Reuse, Subgroups: f.Subgroups, NoRaster: true, NoCounts: f.NoCounts,
	}, l)
	p.plugs.sink = toResults
	p.plugs.shade = &functionShade{}
	p.Recipe = p.plugs.recipe()
	p.Batches, p.Meshlets, p.BatchCount, p.multiplier = cut.Table, cut.Meshlets, cut.Stream, cut.Multiplier
	name, whole := f.Reuse.Strategy.Name, f.Reuse.Strategy.WholeDraws
	needs := Needs{Kernel: newKernel(f.Reuse, f.Subgroups, f.Held, false, &p.limits)}
	must.OK(needs.function(&f))
	must.OK(needs.Check(&l))
	p.kernel, p.Native = *needs.Kernel, needs.Kernel.Native
	expands := whole && f.Held > 0
	p.resultBuffers(s, f, expands)
	if !f.NoCounts && !f.AddCounts {
		p.then(p.clear(target{}, Counts))
	}
	if whole {
		p.shadeBatches(&f, name, cut.Stream, len(cut.Table), 1)
	} else {
		p.shadeBatches(&f, name, 0, cut.Stream, p.kernel.Subgroups())
	}
	if expands {
		p.shadeBatches(&f, name+"-expand", 0, cut.Stream, 1) // corners take the results
	}
	return p.finish(), nil
}

func (p *planner) resultBuffers(s reuse.Stream, f Function, expands bool) {
	counted, held := s.IDs, 0
	if f.NoCounts {
		counted = 0
	}
	if expands {
		held = f.Held / 4 * s.IDs
	}
	p.add(Indices, ByScene, "stream", "uint id", len(s.Indices), 4)
	p.add(Batches, ByPlan, "stream", "Batch", len(p.Batches), shaders.BatchSize)
	p.add(Meshlets, ByPlan, "stream", "Meshlet", len(p.Meshlets.Table), shaders.MeshletSize)
	p.add(MeshletWords, ByPlan, "stream", "uint", len(p.Meshlets.Words), 4)
	p.add(Counts, ByPasses, "clear", "uint shadings", counted, 4)
	p.add(scratchResults, ByPasses, "strategy", "uint of a result", held, 4)
}

// shadeBatches adds passes that run a strategy's shader on batches `first` to end-1, with `each`
// batches per workgroup.
func (p *planner) shadeBatches(f *Function, file string, first, end, each int) {
	shader := f.kernel(file)
	if f.Shader != nil {
		p.own = append(p.own, shader)
	}
	spec := p.kernel.Spec(uint32(f.Reuse.Batch), p.kernel.Subgroups())
	spec["COUNT"] = flag(!f.NoCounts)
	maps.Copy(spec, f.Spec)
	uses := UsesOf(shader, func(b Block) BufferID {
		if !p.has(b) {
			p.add(b, ByNobody, ByCaller, "element", 0, 0)
		}
		return p.ids[b][0]
	})
	most := end - first
	if f.Part > 0 {
		most = max(1, f.Part/f.Reuse.Batch)
	}
	for ; first < end; first += most {
		count := min(most, end-first)
		p.then(step{{
			Name: f.Name + ":" + f.Reuse.Strategy.Name, Chunk: NoChunk, Uses: uses,
			Op: &Dispatch{
				Pipeline: Pipeline{[]string{shader.Name}, spec},
				Push:     shaders.ChunkPush{FirstBatch: uint32(first), BatchCount: uint32(count), Multiplier: p.multiplier, Arguments: f.Arguments},
				Groups:   p.groupsOf(count, each),
			},
		}})
	}
}

// UsesOf lists the uses of a shader's blocks. It calls `buffer` for the buffer of each block. The
// access is the one that the shader declares.
func UsesOf(shader *shaders.Shader, buffer func(Block) BufferID) (uses []Use) {
	for _, binding := range shader.Bindings {
		access := Write
		if binding.ReadOnly {
			access = Read
		}
		uses = append(uses, Use{Block(binding.Name), buffer(Block(binding.Name)), access})
	}
	return uses
}

// kernel returns the shader compiled from a strategy's file: the caller's, or NAME/FILE of this module.
func (f *Function) kernel(file string) *shaders.Shader {
	if f.Shader == nil {
		return must.Get(shaders.Find(f.Name + "/" + file))
	}
	if strings.HasSuffix(file, "-expand") {
		return f.Shader.expand
	}
	return f.Shader.shader
}
