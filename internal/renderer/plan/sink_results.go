package plan

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
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

// OwnFunction is a strategy's shader, compiled with a shade function from outside this module
// (docs/apps.md). Its interface comes from the SPIR-V.
type OwnFunction struct {
	Tables []shaders.Binding // the buffers that the function declares, which the caller provides

	strategy *reuse.Strategy
	shader   *shaders.Shader
	expand   *shaders.Shader // of a whole-draw strategy whose corners take results; else nil
	held     int             // bytes of a result, where a buffer holds results; else 0
}

// ReadFunction reads SPIR-V compiled from the strategy's file in shaders/geometry with FUNCTION=FUNCTION_OWN,
// with names kept. For a whole-draw strategy whose corners take results, pass a second module, compiled from
// the strategy's -expand file. It refuses modules of other strategies, or with other binding numbers than in
// shaders/include/interface.glsl. It does not validate the SPIR-V; use spirv-val.
func ReadFunction(s *reuse.Strategy, spirv ...[]byte) (_ *OwnFunction, err error) {
	defer must.Catch(&err)
	if s == nil {
		must.Fail("own function: no strategy")
	}
	if n := len(spirv); n == 0 || n > 2 || n == 2 && !expands(s) {
		must.Fail("own function: %d modules: one, and for a whole-draw strategy a second one to expand", n)
	}
	f := &OwnFunction{strategy: s}
	f.shader = f.read(s.Name, spirv[0])
	if len(spirv) == 2 {
		f.expand = f.read(s.Name+"-expand", spirv[1])
	}
	return f, nil
}

// read reads the module of a file in shaders/geometry.
func (f *OwnFunction) read(file string, spirv []byte) *shaders.Shader {
	defer must.Place("own function: %s", file)
	m := must.Get(module.Decode(must.Get(module.Words(spirv))))
	of := must.Get(m.Interface(constantNames()))
	if of.Stage != module.ComputeStage || of.LocalSizeSpec[0] != "WORKGROUP" || of.Push == nil || !slices.ContainsFunc(of.Push.Members, isChunkPush) {
		must.Fail("not compiled from a file of shaders/geometry")
	}
	if has, want := strategyPart(functions(m)), functionsOf(file); !maps.Equal(has, want) {
		must.Fail("compiled from another file than shaders/geometry/%s.comp: it has the functions %v", file, slices.Sorted(maps.Keys(has)))
	}
	sum := sha256.Sum256(spirv)
	s := &shaders.Shader{
		Name: "own/" + file + "-" + hex.EncodeToString(sum[:8]), Source: "geometry/" + file + ".comp", Stage: shaders.Compute, SPIRV: spirv,
		PushConstantSize: shaders.ChunkPushSize, LocalSize: of.LocalSize, LocalSizeSpec: of.LocalSizeSpec,
		Bindings: of.Descriptors, SpecConstants: of.SpecConstants, Capabilities: of.Capabilities, SPIRVHash: hex.EncodeToString(sum[:]),
	}
	template := shaders.Must("length/" + file)
	for i := range s.Bindings {
		f.bind(template, &s.Bindings[i])
	}
	for _, b := range template.Bindings {
		if planned(b.Name) && s.Binding(b.Name) == nil {
			must.Fail("no block %s", b.Name)
		}
	}
	return s
}

// bind checks a descriptor, and adds it to the tables if it belongs to the function.
func (f *OwnFunction) bind(template *shaders.Shader, d *shaders.Binding) {
	if d.Uniform || d.Set != 0 {
		must.Fail("block %s: only storage buffers of set 0 are supported", d.Name)
	}
	if !planned(d.Name) {
		if !slices.ContainsFunc(f.Tables, func(other shaders.Binding) bool { return other.Name == d.Name }) {
			f.Tables = append(f.Tables, *d)
		}
		return
	}
	if want := template.Binding(d.Name); want == nil || want.Binding != d.Binding {
		must.Fail("block %s has binding %d: names and numbers of shaders/include/interface.glsl are taken", d.Name, d.Binding)
	}
	if last := d.Type.Members[len(d.Type.Members)-1].Type; Block(d.Name) == scratchResults {
		f.held = last.Stride
	}
}

// planned reports whether the plan itself makes the buffer for a block of this name in a function's shader.
func planned(name string) bool {
	return slices.Contains([]Block{Indices, Batches, Counts, Meshlets, MeshletWords, scratchResults}, Block(name))
}

func isChunkPush(m module.Member) bool {
	return m.Type.Name == "ChunkPush" && m.Size == shaders.ChunkPushSize
}

// constantNames are the names of our specialization constants, by id.
var constantNames = sync.OnceValue(func() map[uint32]string {
	known := map[uint32]string{}
	for _, s := range shaders.All {
		for _, c := range s.SpecConstants {
			known[c.ID] = c.Name
		}
	}
	return known
})

// functions returns the names, without parameters, of a module's functions except those of the shade function (function_*).
func functions(m *module.Module) map[string]bool {
	list := map[string]bool{}
	for i := range m.Functions {
		name, _, _ := strings.Cut(m.Name(m.Functions[i].ID), "(")
		if !strings.HasPrefix(name, "function_") {
			list[name] = true
		}
	}
	return list
}

// strategyFunctions are the names of the functions in the modules compiled from shaders/geometry, by file, without those
// of the shade function.
var strategyFunctions = sync.OnceValue(func() map[string]map[string]bool {
	files := map[string]map[string]bool{}
	for _, s := range shaders.All {
		if file, found := strings.CutPrefix(s.Name, "length/"); found {
			files[file] = functions(must.Get(module.Decode(s.Words())))
		}
	}
	return files
})

func functionsOf(file string) map[string]bool {
	known := strategyFunctions()[file]
	if known == nil {
		must.Fail("no such file")
	}
	return known
}

// strategyPart returns those of the functions that some strategy's file defines: a caller's shader may have others too.
func strategyPart(list map[string]bool) map[string]bool {
	all := map[string]bool{}
	for _, file := range strategyFunctions() {
		maps.Copy(all, file)
	}
	list = maps.Clone(list)
	maps.DeleteFunc(list, func(name string, _ bool) bool { return !all[name] })
	return list
}

// expands reports whether a separate shader passes a strategy's results to corners.
func expands(s *reuse.Strategy) bool { return strategyFunctions()[s.Name+"-expand"] != nil }

// check returns an error if the function does not match the settings of f.
func (own *OwnFunction) check(f *Function) error {
	switch {
	case own.strategy != f.Reuse.Strategy:
		return fmt.Errorf("own function: compiled for %s, not for %s", own.strategy.Name, f.Reuse.Strategy.Name)
	case expands(own.strategy) && (own.expand != nil) != (f.Held > 0):
		return fmt.Errorf("own function: results of %d bytes: corners take them by a second module, compiled from %s-expand", f.Held, f.Reuse.Strategy.Name)
	case own.expand != nil && own.held != f.Held:
		return fmt.Errorf("own function: results of %d bytes, and the shader's have %d", f.Held, own.held)
	}
	return own.checkConstants(f.Spec)
}

// checkConstants returns an error for a constant that the function's own source does not declare: the strategy sets its own.
func (own *OwnFunction) checkConstants(spec map[string]uint32) error {
	ours := slices.Collect(maps.Values(constantNames()))
	may := slices.DeleteFunc(names.Of(own.shader.SpecConstants, func(c shaders.SpecConstant) string { return c.Name }), func(name string) bool { return slices.Contains(ours, name) })
	for _, name := range slices.Sorted(maps.Keys(spec)) {
		if !slices.Contains(may, name) {
			return fmt.Errorf("own function: %.40q is no specialization constant of the function's own source; it declares %s", name, cmp.Or(strings.Join(may, ", "), "none"))
		}
	}
	return nil
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
