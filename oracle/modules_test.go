package oracle

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/cores"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/renderer/shade"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// modelled is a vertex shader of testdata/modules, and the formulas of its Position. A file has shaders
// of one language. It begins with a template, whose lines PART are replaced by the parts of a shader:
//
//	=== NAME
//	as OPTIONS, OPTIONS     makes one module for each list of options for the compiler, spirv-opt or the target
//	want X, Y, Z, W         formulas of the Position of draw n and vertex i at x, y, z, with texture coordinates u, v
//	near ERROR              formula of the error that Vulkan's precision allows; ulp is 2^-23 times the expected value
//	set LINE                a line of the shader's uniforms file
//	declarations
//	---                     separates parts; a source without it does not use the template
//	statements
type modelled struct {
	name, language string
	options        string // one of the lists after "as"; "plain" if there is none
	want           []ast.Expr
	near           ast.Expr // how far the device may be from want; nil means 0
	uniforms       string
	source         string
	shader         *shade.Shader
	err            error
}

// readModelled reads the shaders in a file, which begins with their template.
func readModelled(t *testing.T, file string) (list []modelled) {
	sections := strings.Split("\n"+string(must.Get(os.ReadFile(file))), "\n=== ")
	template := strings.Split(sections[0][1:]+"\n", "PART\n")
	language := strings.TrimSuffix(filepath.Base(file), ".txt")
	for _, section := range sections[1:] {
		m, options := modelled{language: language}, []string{"plain"}
		m.name, m.source, _ = strings.Cut(section, "\n")
		for more := true; more; {
			line, source, _ := strings.Cut(m.source, "\n")
			key, value, _ := strings.Cut(line, " ")
			switch key {
			case "as":
				options = strings.Split(value, ", ")
			case "want":
				m.want = must.Get(parser.ParseExpr("list(" + value + ")")).(*ast.CallExpr).Args
				require.Len(t, m.want, 4, "%s: %s", file, m.name)
			case "near":
				m.near = must.Get(parser.ParseExpr(value))
			case "set":
				m.uniforms += value + "\n"
			default:
				more = false
				continue
			}
			m.source = source
		}
		require.NotEmpty(t, m.want, "%s: %s", file, m.name)
		if parts := strings.Split("\n"+m.source, "\n---"); len(parts) > 1 {
			require.Len(t, parts, len(template)-1, "%s: %s", file, m.name)
			m.source = template[0]
			for k, part := range parts {
				m.source += strings.TrimPrefix(part, "\n") + "\n" + template[k+1]
			}
		}
		for _, m.options = range options {
			list = append(list, m)
		}
	}
	return list
}

const glslang = "glslangValidator"

// compiler returns the program that compiles the module.
func (m *modelled) compiler() string {
	return map[string]string{"glsl": glslang, "hlsl": glslang, "wgsl": "naga", "spvasm": "spirv-as"}[m.language]
}

func installed(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// compile compiles the module in the folder, into files of the given name, and opens it.
func (m *modelled) compile(t *testing.T, folder, name string) (*shade.Shader, error) {
	at := filepath.Join(folder, name)
	from, to, uniforms := at+"."+m.language, at+".spv", at+".yaml"
	if err := errors.Join(os.WriteFile(from, []byte(m.source), 0o600), os.WriteFile(uniforms, []byte(m.uniforms), 0o600)); err != nil {
		return nil, err
	}
	var own, passes []string
	environment := "vulkan1.1"
	for option := range strings.FieldsSeq(m.options) {
		switch {
		case option == "opened": // opens the source, as users do, instead of compiling it here
			return shade.Open(t.Context(), shade.Source{File: from, Uniforms: uniforms})
		case strings.HasPrefix(option, "vulkan"), strings.HasPrefix(option, "spv"):
			environment = option
		case option == "-O", option == "-Os", strings.HasPrefix(option, "--"):
			passes = append(passes, option)
		case option != "plain":
			own = append(own, option)
		}
	}
	switch m.language {
	case "hlsl":
		own = append(own, "-D", "-e", "main")
		fallthrough
	case "glsl":
		own = append(own, "-V", "-S", "vert", "--target-env", environment, "-o", to, from)
	case "wgsl":
		own = append(own, "--keep-coordinate-space", from, to)
	case "spvasm":
		own = append(own, "--target-env", environment, "-o", to, from)
	}
	commands := [][]string{append([]string{m.compiler()}, own...)}
	if passes != nil {
		commands = append(commands, append([]string{"spirv-opt", to, "-o", to}, passes...))
	}
	for _, c := range commands {
		if out, err := exec.CommandContext(t.Context(), c[0], c[1:]...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%q: %w\n%s", c, err, out)
		}
	}
	return shade.Open(t.Context(), shade.Source{File: to, Uniforms: uniforms})
}

// known maps the names in formulas to values.
type known map[string]float64

// functions are the functions that formulas can call.
var functions = map[string]func(a []float64) float64{
	"sin":   func(a []float64) float64 { return math.Sin(a[0]) },
	"cos":   func(a []float64) float64 { return math.Cos(a[0]) },
	"asin":  func(a []float64) float64 { return math.Asin(a[0]) },
	"acos":  func(a []float64) float64 { return math.Acos(a[0]) },
	"atan":  func(a []float64) float64 { return math.Atan(a[0]) },
	"exp":   func(a []float64) float64 { return math.Exp(a[0]) },
	"exp2":  func(a []float64) float64 { return math.Exp2(a[0]) },
	"log":   func(a []float64) float64 { return math.Log(a[0]) },
	"log2":  func(a []float64) float64 { return math.Log2(a[0]) },
	"floor": func(a []float64) float64 { return math.Floor(a[0]) },
	"trunc": func(a []float64) float64 { return math.Trunc(a[0]) },
	"mod":   func(a []float64) float64 { return a[0] - a[1]*math.Floor(a[0]/a[1]) },
	"abs":   func(a []float64) float64 { return math.Abs(a[0]) },
	"min":   func(a []float64) float64 { return slices.Min(a) },
	"max":   func(a []float64) float64 { return slices.Max(a) },
	"pow":   func(a []float64) float64 { return math.Pow(a[0], a[1]) },
	"atan2": func(a []float64) float64 { return math.Atan2(a[0], a[1]) },
	"pick":  func(a []float64) float64 { return map[bool]float64{true: a[1], false: a[2]}[a[0] != 0] },
}

// calculate returns the value of a formula in float64. Comparisons give 1 or 0; bit operations work
// on 32-bit integers.
func calculate(t *testing.T, e ast.Expr, v known) float64 {
	truth := map[bool]float64{true: 1}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return calculate(t, e.X, v)
	case *ast.BasicLit:
		if whole, err := strconv.ParseInt(e.Value, 0, 64); err == nil {
			return float64(whole)
		}
		return must.Get(strconv.ParseFloat(e.Value, 64))
	case *ast.Ident:
		value, ok := v[e.Name]
		require.True(t, ok, "formula: %s", e.Name)
		return value
	case *ast.UnaryExpr:
		switch x := calculate(t, e.X, v); e.Op {
		case token.SUB:
			return -x
		case token.XOR:
			return float64(^uint32(int64(x)))
		}
	case *ast.BinaryExpr:
		x, y := calculate(t, e.X, v), calculate(t, e.Y, v)
		a, b := uint32(int64(x)), uint32(int64(y))
		switch e.Op {
		case token.ADD:
			return x + y
		case token.SUB:
			return x - y
		case token.MUL:
			return x * y
		case token.QUO:
			return x / y
		case token.REM:
			return math.Mod(x, y)
		case token.AND:
			return float64(a & b)
		case token.OR:
			return float64(a | b)
		case token.XOR:
			return float64(a ^ b)
		case token.SHL:
			return float64(a << b)
		case token.SHR:
			return float64(a >> b)
		case token.LSS:
			return truth[x < y]
		case token.EQL:
			return truth[x == y]
		}
	case *ast.CallExpr:
		var args []float64
		for _, a := range e.Args {
			args = append(args, calculate(t, a, v))
		}
		name := e.Fun.(*ast.Ident).Name
		f := functions[name]
		require.NotNil(t, f, "formula: %s", name)
		return f(args)
	}
	require.Fail(t, "formula", "%T", e)
	return 0
}

// check compares the position of a vertex with the formulas.
func (m *modelled) check(t *testing.T, scene *geometry.Scene, draw, i int, got [4]float32, on string) bool {
	p := scene.Positions[i]
	v := known{"i": float64(i), "n": float64(draw), "x": float64(p[0]), "y": float64(p[1]), "z": float64(p[2]), "u": float64(i) + 1, "v": 2*float64(i) + 1, "pi": math.Pi}
	for k := range m.want {
		w := calculate(t, m.want[k], v)
		most := 0.0
		if m.near != nil {
			v["want"], v["ulp"] = w, math.Ldexp(math.Abs(w), -23)
			most = calculate(t, m.near, v)
		}
		if g := float64(got[k]); m.near == nil && got[k] != float32(w) || !(math.Abs(g-w) <= most) && m.near != nil {
			t.Errorf("%s (%s, %s) on %s: vertex %d, component %d is %v, not %v\n%s", m.name, m.language, m.options, on, i, k, got[k], w, m.source)
			return false
		}
	}
	return true
}

// modelledScene has the given number of draws of the same vertices, moved by 10, 20 and 30 along x, y and z.
// Coordinates are small whole numbers, so that floats are exact.
func modelledScene(draws int) *geometry.Scene {
	s := &geometry.Scene{Name: "modules"}
	var uv []byte
	for i := range uint32(6) {
		x := float32(i)
		s.Positions, s.Normals = append(s.Positions, mgl32.Vec3{x, 2*x - 3, x * x}), append(s.Normals, mgl32.Vec3{0, 0, 1})
		uv = appendFloats(uv, []float32{x + 1, 2*x + 1})
	}
	s.Indices = []uint32{0, 1, 2, 2, 1, 3, 4, 5, 3}
	s.Attributes = []geometry.Attribute{{Name: "TEXCOORD_0", Format: vertexformat.R32G32_SFLOAT, Data: uv}}
	for range draws {
		s.Draws = append(s.Draws, geometry.Draw{IndexCount: 9, VertexCount: 6, Transform: mgl32.Translate3D(10, 20, 30), Color: geometry.DefaultColor})
	}
	return s
}

// shadingOf returns a shading in which draw i uses module i.
func shadingOf(t *testing.T, scene *geometry.Scene, list []*modelled) *geometry.Shading {
	all := &geometry.Shading{Name: "modules"}
	for k, m := range list {
		one, err := m.shader.Shading(scene, "")
		require.NoError(t, err, "%s (%s, %s)", m.name, m.language, m.options)
		draw := one.Draws[k]
		draw.Program = k
		draw.Values = slices.Clone(draw.Values)
		for i := range draw.Values {
			draw.Values[i] += len(all.Values)
		}
		for _, filled := range one.Filled {
			filled.Program = k
			all.Filled = append(all.Filled, filled)
		}
		all.Programs, all.Values, all.Draws = append(all.Programs, one.Programs...), append(all.Values, one.Values...), append(all.Draws, draw)
	}
	return all
}

// together splits a list of modules into frames. A frame has no more modules than `most`, and no more blocks that end in a
// runtime array than mostOpen.
func together(list []*modelled, most int) (parts [][]*modelled) {
	const mostOpen = 8
	open := 0
	for _, m := range list {
		own := 0
		for _, b := range m.shader.Vertex.Blocks {
			if b.Open && b.Kind != module.FetchedImage {
				own++
			}
		}
		if n := len(parts); n == 0 || len(parts[n-1]) == most || open+own > mostOpen {
			parts, open = append(parts, nil), 0
		}
		open += own
		parts[len(parts)-1] = append(parts[len(parts)-1], m)
	}
	return parts
}

// TestModulesEqualTheirFormulas runs modules of several compilers on the CPU and on the device, many in one frame.
// With -short it compiles one in ten with glslangValidator, which takes 70 ms for each, and one in three with naga.
func TestModulesEqualTheirFormulas(t *testing.T) {
	const togetherMost = 64
	var all []modelled
	for _, file := range must.Get(filepath.Glob("testdata/modules/*.txt")) {
		list := readModelled(t, file)
		if compiler := list[0].compiler(); !installed(compiler) {
			t.Logf("%s: %s is not installed", file, compiler)
			continue
		}
		for i := range list {
			if !testing.Short() || i%map[string]int{glslang: 10, "naga": 3, "spirv-as": 1}[list[0].compiler()] == 0 {
				all = append(all, list[i])
			}
		}
	}
	folder, next := t.TempDir(), make(chan int, len(all))
	for i := range all {
		next <- i
	}
	close(next)
	cores.OnAll(len(all), func() {
		for i := range next {
			all[i].shader, all[i].err = all[i].compile(t, folder, "m"+strconv.Itoa(i))
		}
	})
	var compiled []*modelled
	for i := range all {
		if m := &all[i]; m.err != nil {
			t.Errorf("%s (%s, %s): %v\n%s", m.name, m.language, m.options, m.err, m.source)
		} else {
			compiled = append(compiled, m)
		}
	}
	t.Logf("%d modules", len(all))
	b, cpu := backends(t)
	for _, part := range together(compiled, togetherMost) {
		runModelled(t, part, cpu, b)
	}
}

// runModelled checks the positions and counts of modules in a frame.
func runModelled(t *testing.T, list []*modelled, on ...plan.Backend) {
	scene := modelledScene(len(list))
	camera := renderer.FitCamera(scene.Bounds(), 1)
	f := renderer.Frame{Scene: scene, Reuse: resolve(t, "claim", 8, 0), View: renderer.NoView, NoRaster: true, Width: 16, Height: 16}
	f.Shading = shadingOf(t, scene, list)
	_, counts := must.Get2(reuse.Analyze(scene, f.Reuse))
	for _, backend := range on {
		out, _ := render(t, backend, f, camera, renderer.WantQueues|renderer.WantCounts, list[0].name)
		require.Equal(t, counts, out.Counts, "%s: %s", backend.Info().Name, list[0].name)
		for draw, m := range list {
			for corner, i := range scene.Indices {
				at := out.Queues.Corner(f.Queue, 3*draw+corner/3, corner%3)
				if !m.check(t, scene, draw, int(i), out.Queues.Positions[at], backend.Info().Name) {
					break
				}
			}
		}
	}
}
