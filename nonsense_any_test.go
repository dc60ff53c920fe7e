package shadeonce_test

import (
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce"
	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/apps/envelope"
	"github.com/shadeonce/shadeonce/apps/subdivide"
	"github.com/shadeonce/shadeonce/apps/walk"
	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// exportedFunctions are all functions of the public packages.
var exportedFunctions = []any{
	shadeonce.Adopt, shadeonce.Count, shadeonce.FitCamera, shadeonce.Load[uint32], shadeonce.NewScene, shadeonce.Open, shadeonce.OpenDevice,
	shadeonce.OpenShader, shadeonce.Orders, shadeonce.ReadFunction, shadeonce.Read[uint32], shadeonce.Reorder, shadeonce.Strategies, shadeonce.Write[uint32],
	apps.Fits, apps.GroupBy, apps.NewEdges, apps.NewMesh, apps.NextCorner, apps.OnAll, apps.OnEach, apps.PaperRun, apps.SceneOf, apps.Share, apps.Weld,
	envelope.CheckLevels, envelope.New, envelope.NewDevice, envelope.Paper, envelope.Sides,
	subdivide.FitsDrawn, subdivide.Memory, subdivide.NewDevice, subdivide.NewLevel, subdivide.NewScene, subdivide.Paper,
	walk.CheckFolder, walk.DensityColors, walk.DensityStep, walk.Fits, walk.New, walk.NewParts, walk.NewResident, walk.Occupied, walk.Paper, walk.PartOf,
	walk.ScaleEnd, walk.Sum, walk.Uniform,
	assets.AddTexCoords, assets.Check, assets.Make,
	geometry.BoxOf, geometry.Faults, geometry.FirstBad, geometry.IsFault, geometry.MatchVertices, geometry.MipLevels, geometry.Narrow, geometry.NewBacking,
	capture.Open, capture.Readers, capture.ReadersAlone, capture.ReadersCopying,
	format.CanSave, format.CleanName, format.Extension, format.GLBInvalid, format.GLBKeeps, format.Lacks, format.NewTextScanner, format.NewTextureReader, format.Open, format.Quote,
	format.Readers, format.Save, format.SaveAs, format.WriteGLB, format.Writers,
	order.Apply, order.Lookup, order.Names,
	reuse.Analyze, reuse.Batches, reuse.BatchesOf, reuse.CheckScene, reuse.Choices, reuse.CountOffsets, reuse.IsAuto, reuse.Lookup, reuse.MakeMeshlets,
	reuse.Names, reuse.NewCutter, reuse.NewStats, reuse.Resolve, reuse.SampleBatches, reuse.StatsOf, reuse.Summarize, reuse.Triples, reuse.VertexBatches,
	renderer.CapturedCamera, renderer.CheckHost, renderer.CountCamera, renderer.CountStats, renderer.DoesNotFit, renderer.FitCamera, renderer.NewCulling,
	renderer.ParseRange, renderer.PartOf, renderer.WrapDegrees,
	soft.Moved, soft.MovedCount, soft.New, soft.Placed,
	vertexformat.Array, vertexformat.ByName, vertexformat.ByNumber, vertexformat.Half,
}

// exportedValues returns a value of each type with methods: zero, or made by its constructor. Left out are the
// applications' types that need a device (envelope.Device, subdivide.Device, walk.Parts, walk.Resident), and those
// that a reader hands out (format.GLTF, format.Input) or makes (format.TextScanner).
func exportedValues(t *testing.T) []any {
	ctx, cube := t.Context(), must.Get(assets.Make("cube"))
	mesh := must.Get(apps.NewMesh(ctx, cube))
	moving := must.Get(walk.New(ctx, 9, 4, 1))
	return []any{
		mesh, must.Get(apps.NewEdges(ctx, mesh)), must.Get(envelope.New(ctx, mesh, envelope.Outer, 1)), must.Get(subdivide.NewLevel(ctx, mesh)), moving,
		moving.Tables, new(apps.Groups), new(apps.Pass[int]), new(apps.Run), new(envelope.Side), new(subdivide.Made), new(walk.ChiSquare), new(walk.StepTime),
		new(shadeonce.Counts), new(shadeonce.Device), new(shadeonce.Recorder), new(shadeonce.Results), new(assets.Asset), new(order.List), soft.New(), new(vertexformat.Format),
		new(envelope.Driver), new(subdivide.Driver), new(walk.Driver),
		new(geometry.Attribute), new(geometry.Box), new(geometry.Match), new(geometry.Placed), new(geometry.Scene), new(geometry.Shading), new(geometry.WellKnown),
		new(format.GLTFCopy), new(format.GLTFDraw), new(format.Error), new(format.Formats), new(format.GLTFList[int]), new(format.TextureReader),
		new(format.TextureImage), new(reuse.Batching), new(reuse.Cutter), new(reuse.Config), new(reuse.Params), new(reuse.Stats), new(reuse.Strategy),
		new(reuse.Stream), new(renderer.Camera), new(renderer.Cost), new(renderer.Culling), new(renderer.FaceCulling), new(renderer.OverflowError),
		new(renderer.Frame), new(renderer.Look), new(renderer.Light), new(renderer.Limits), new(renderer.Mark), new(renderer.Output), new(renderer.Queues),
		new(renderer.QueueForm), new(renderer.Range), new(renderer.RasterHost), new(renderer.Subgroups), new(renderer.UpAxis), new(renderer.VertexShader),
		new(renderer.View),
	}
}

// numbered are methods for inner loops that take indices like slices do: they may panic if an index is out of range.
var numbered = regexp.MustCompile(`(Edges\.Sharp|Groups\.Of|ShadeVertex|Level\.(Kind|Neighbours|ShadeEven|ShadeOdd)|Walk\.Draw|Attribute\.Element|Match\.\w+|Queues\.Corner|Shading\.Reads|` +
	`Scene\.(AppendWorld|DrawIndices|EachIndices|IndicesAt|PartAt|Number|Only|Vertex|ShadeDraws|Placing|PlaceShaded|ShaderOfDraw))$`)

// nonsense returns a random argument. A scene is always one that every function must refuse.
func nonsense(rng *rand.Rand, of reflect.Type) reflect.Value {
	var from []any
	switch reflect.Zero(of).Interface().(type) {
	case *geometry.Scene:
		from = []any{(*geometry.Scene)(nil), badScene}
	case []geometry.Draw:
		from = []any{badScene.Draws}
	case string:
		from = []any{"", "nonsense", "\x00/", "asset:", "claim"}
	}
	switch of {
	case reflect.TypeFor[context.Context]():
		stopped, stop := context.WithCancel(context.Background())
		stop()
		from = []any{context.Background(), stopped}
	case reflect.TypeFor[error]():
		from = []any{errors.New("nonsense")}
	case reflect.TypeFor[io.Reader]():
		from = []any{strings.NewReader("nonsense")}
	case reflect.TypeFor[io.Writer]():
		from = []any{io.Discard}
	}
	if from != nil {
		return reflect.ValueOf(from[rng.IntN(len(from))]).Convert(of)
	}
	v := reflect.New(of).Elem()
	some := rng.IntN(4) // 0 makes the zero value, which may be nil
	base := of
	if of.Kind() == reflect.Pointer {
		base = of.Elem()
	}
	if strings.Contains(base.PkgPath(), "/internal/") {
		return v // the zero value: programs cannot make values of internal types
	}
	switch k := of.Kind(); {
	case some == 0:
	case v.CanInt():
		v.SetInt([]int64{0, -1, 3, math.MinInt64}[some])
	case v.CanUint():
		v.SetUint([]uint64{0, 1, 3, math.MaxUint64}[some] & (1<<of.Bits() - 1))
	case v.CanFloat():
		v.SetFloat([]float64{0, -1, math.NaN(), math.Inf(1)}[some])
	case k == reflect.Bool:
		v.SetBool(true)
	case k == reflect.Pointer:
		v.Set(reflect.New(of.Elem()))
		v.Elem().Set(nonsense(rng, of.Elem()))
	case k == reflect.Slice:
		v.Set(reflect.MakeSlice(of, some, some))
		for i := range some {
			v.Index(i).Set(nonsense(rng, of.Elem()))
		}
	case k == reflect.Array:
		for i := range v.Len() {
			v.Index(i).Set(nonsense(rng, of.Elem()))
		}
	case k == reflect.Func:
		v.Set(reflect.MakeFunc(of, func([]reflect.Value) (out []reflect.Value) {
			for i := range of.NumOut() {
				out = append(out, reflect.Zero(of.Out(i)))
			}
			return out
		}))
	case k == reflect.Struct:
		for i := range v.NumField() {
			f := v.Field(i)
			if f.CanSet() && some > 1 && !f.CanInt() && !f.CanUint() {
				f.Set(nonsense(rng, f.Type()))
			} else if f.CanSet() && some > 1 && f.CanInt() {
				f.SetInt(int64(some - 3))
			}
		}
	}
	return v
}

var badScene = &geometry.Scene{
	Positions: make([]mgl32.Vec3, 3), Indices: []uint32{0, 1, 9, 2}, Draws: []geometry.Draw{{FirstIndex: 1, IndexCount: 4, VertexCount: math.MaxUint32}},
}

// TestAnyNonsense calls every function and method of the public packages with random arguments,
// most of them invalid. No call panics, and functions that take a scene return an error.
func TestAnyNonsense(t *testing.T) {
	listed := string(must.Get(os.ReadFile("internal/rules/exported.txt")))
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(28, 1))
	called := map[string]bool{"Device": true, "Parts": true, "Resident": true, "GLTF": true, "Input": true, "TextScanner": true}
	call := func(name string, f reflect.Value) {
		for range 24 {
			var args []reflect.Value
			scene := false
			for i := range f.Type().NumIn() {
				if in := f.Type().In(i); !f.Type().IsVariadic() || i+1 < f.Type().NumIn() {
					args = append(args, nonsense(rng, in))
					scene = scene || in == reflect.TypeFor[*geometry.Scene]() && name != "subdivide.FitsDrawn" // FitsDrawn needs only the scene's size
				}
			}
			func() {
				defer func() {
					if p := recover(); p != nil {
						t.Errorf("%s panics: %v; arguments %v", name, p, args)
					}
				}()
				out := f.Call(args)
				if n := len(out); scene && n > 0 && f.Type().Out(n-1) == reflect.TypeFor[error]() {
					require.False(t, out[n-1].IsNil(), "%s takes a scene that is none", name)
				}
			}()
		}
	}
	for _, f := range exportedFunctions {
		v := reflect.ValueOf(f)
		name := strings.TrimSuffix(path.Base(runtime.FuncForPC(v.Pointer()).Name()), "[...]")
		called[name] = true
		call(name, v)
	}
	for _, x := range exportedValues(t) {
		made := reflect.ValueOf(x).Elem()
		name, _, _ := strings.Cut(made.Type().Name(), "[")
		called[name] = true
		for i := range reflect.TypeOf(x).NumMethod() {
			p := reflect.New(made.Type()) // a copy for each method, since methods may change it
			p.Elem().Set(made)
			if method := name + "." + p.Type().Method(i).Name; !numbered.MatchString(method) {
				call(method, p.Method(i))
			}
		}
	}
	for _, f := range regexp.MustCompile(`(?m)^(\S+): func (?:\((?:\w+ )?\*?([A-Z]\w*).*?\) |([A-Z]\w*))`).FindAllStringSubmatch(listed, -1) {
		folder := path.Base(strings.Replace(f[1], ".", "shadeonce", 1))
		require.True(t, called[f[2]] || called[folder+"."+f[3]], "no call with nonsense of %s", f[0])
	}
}
