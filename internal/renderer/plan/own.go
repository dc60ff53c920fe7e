package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// OwnFunction is a strategy's shader, compiled with a shade function that is not of this module
// (docs/apps.md). Its interface comes from the SPIR-V.
type OwnFunction struct {
	Tables []shaders.Binding // the buffers that the function declares, which the caller provides

	strategy *reuse.Strategy
	shader   *shaders.Shader
	expand   *shaders.Shader // of a whole-draw strategy whose corners take results; else nil
	held     int             // bytes of a result, where a buffer holds results; else 0
}

// ReadFunction reads SPIR-V that a compiler made of the strategy's file in shaders/geometry with
// FUNCTION=FUNCTION_OWN, with names kept. For a whole-draw strategy whose corners take results, a
// second module is that of the strategy's -expand file. It refuses modules of other strategies, or
// with other numbers than shaders/include/interface.glsl has. That the SPIR-V is valid is left to
// spirv-val.
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
		Capabilities: of.Capabilities, SPIRVHash: hex.EncodeToString(sum[:]),
	}
	kinds := map[module.Kind]shaders.ScalarType{module.Bool: shaders.Bool, module.Int: shaders.Int, module.Uint: shaders.Uint, module.Float: shaders.Float}
	for _, c := range of.SpecConstants {
		s.SpecConstants = append(s.SpecConstants, shaders.SpecConstant{ID: c.ID, Name: c.Name, Type: kinds[c.Kind]})
	}
	template := shaders.Must("length/" + file)
	for i := range of.Descriptors {
		f.bind(s, template, &of.Descriptors[i])
	}
	for _, b := range template.Bindings {
		if planned(b.Name) && s.Binding(b.Name) == nil {
			must.Fail("no block %s", b.Name)
		}
	}
	return s
}

// bind adds a descriptor to a shader, and to the tables if it is the function's.
func (f *OwnFunction) bind(s, template *shaders.Shader, d *module.Descriptor) {
	b := shaders.Binding{Set: d.Set, Binding: d.Binding, Name: d.Name, Kind: shaders.StorageBuffer, ReadOnly: d.ReadOnly, WriteOnly: d.WriteOnly}
	if d.Uniform || d.Set != 0 {
		must.Fail("block %s: only storage buffers of set 0 are supported", d.Name)
	}
	s.Bindings = append(s.Bindings, b)
	if !planned(d.Name) {
		if !slices.ContainsFunc(f.Tables, func(other shaders.Binding) bool { return other.Name == b.Name }) {
			f.Tables = append(f.Tables, b)
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

// planned reports whether a plan makes a function's block.
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

// functions returns the names of a module's functions without their parameters.
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

// strategyFunctions are the functions of our files, by file.
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

// strategyPart returns the functions that some strategy has: a caller's may call others.
func strategyPart(list map[string]bool) map[string]bool {
	all := map[string]bool{}
	for _, file := range strategyFunctions() {
		maps.Copy(all, file)
	}
	list = maps.Clone(list)
	maps.DeleteFunc(list, func(name string, _ bool) bool { return !all[name] })
	return list
}

// expands reports whether corners take a strategy's results by a shader of its own.
func expands(s *reuse.Strategy) bool { return strategyFunctions()[s.Name+"-expand"] != nil }

// check returns an error if the function does not suit the settings of f.
func (own *OwnFunction) check(f *Function) error {
	switch {
	case own.strategy != f.Reuse.Strategy:
		return fmt.Errorf("own function: compiled for %s, not for %s", own.strategy.Name, f.Reuse.Strategy.Name)
	case expands(own.strategy) && (own.expand != nil) != (f.Held > 0):
		return fmt.Errorf("own function: results of %d bytes: corners take them by a second module, compiled from %s-expand", f.Held, f.Reuse.Strategy.Name)
	case own.expand != nil && own.held != f.Held:
		return fmt.Errorf("own function: results of %d bytes, and the shader's have %d", f.Held, own.held)
	}
	return nil
}

// kernel returns the shader of a strategy's file: the caller's, or that of the function's name.
func (f *Function) kernel(file string) *shaders.Shader {
	if f.Shader == nil {
		return must.Get(shaders.Find(f.Name + "/" + file))
	}
	if strings.HasSuffix(file, "-expand") {
		return f.Shader.expand
	}
	return f.Shader.shader
}
