package plan

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// OwnFunction is a strategy's shader, compiled with a shade function from outside this module
// (docs/apps.md). Its interface comes from the SPIR-V.
type OwnFunction struct {
	Tables []shaders.Binding // the buffers that the function declares, which the caller provides

	strategy *reuse.Strategy
	shader   *shaders.Shader
	expand   *shaders.Shader // of a whole-draw strategy whose corners take results; else nil
	corners  bool            // whether corners take results
	held     int             // bytes of a result that corners take; 0 if they take none
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
	if !f.corners {
		f.held = 0
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
	for i := range m.Functions {
		f.findResults(m, m.Functions[i])
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

// findResults finds the size of what the shade function returns, and whether corners take it: include/sink_results.glsl
// then calls function_corner, and not behind a condition that is false.
func (f *OwnFunction) findResults(m *module.Module, of module.Function) {
	if is(m, of.ID, "function_shade") {
		f.held = must.Get(m.PlainType(of.Body[0].At(0))).StorageSize()
	}
	runs := true
	for _, in := range of.Body {
		switch in.Op {
		case module.OpBranchConditional:
			runs = m.Definition(in.At(0)).Op != module.OpConstantFalse
		case module.OpFunctionCall:
			f.corners = f.corners || runs && is(m, in.At(2), "function_corner")
		}
	}
}

func is(m *module.Module, function uint32, name string) bool {
	return strings.HasPrefix(m.Name(function), name+"(")
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
	case own.held != f.Held:
		return fmt.Errorf("own function: Held is %d, and the shader's corners take results of %d bytes", f.Held, own.held)
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
