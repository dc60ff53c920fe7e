package shadeonce_test

import (
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce"
	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// second drops the first of two results, since only the error matters.
func second[A any](_ A, err error) error      { return err }
func third[A, B any](_ A, _ B, e error) error { return e }

// TestNonsense calls what public packages export with nonsense: each call returns an error, none
// panics. Every function of the facade, of apps and of geometry/reuse that returns an error is here.
func TestNonsense(t *testing.T) {
	ctx, cpu, gone := t.Context(), must.Get(shadeonce.OpenDevice(shadeonce.CPU)), must.Get(shadeonce.OpenDevice(shadeonce.CPU))
	gone.Close()
	scene, draw := must.Get(assets.Make("cube")), geometry.Draw{IndexCount: 3, VertexCount: 3, Transform: mgl32.Ident4()}
	triangle := []uint32{0, 1, 2}
	with := func(d geometry.Draw, indices ...uint32) *geometry.Scene {
		return &geometry.Scene{Positions: make([]mgl32.Vec3, 3), Indices: indices, Draws: []geometry.Draw{d}}
	}
	edit := func(d geometry.Draw, edit func(*geometry.Draw)) geometry.Draw { edit(&d); return d }
	scenes := map[string]*geometry.Scene{
		"none": nil, "index": with(draw, 0, 1, 3), "range": with(edit(draw, func(d *geometry.Draw) { d.FirstIndex = math.MaxUint32 }), triangle...),
		"four": with(edit(draw, func(d *geometry.Draw) { d.IndexCount = 4 }), 0, 1, 2, 0), "many": with(edit(draw, func(d *geometry.Draw) { d.VertexCount = math.MaxUint32 }), triangle...),
	}
	claim := must.Get(reuse.Resolve("claim", 0, 0))
	configs := map[string]reuse.Config{"zero": {}}
	for name, change := range map[string]func(*reuse.Config){
		"batch": func(c *reuse.Config) { c.Batch = 100 }, "no batch": func(c *reuse.Config) { c.Batch = 0 }, "negative": func(c *reuse.Config) { c.Batch = -3 },
		"lanes": func(c *reuse.Config) { c.Lanes = 7 }, "no lanes": func(c *reuse.Config) { c.Lanes = 0 }, "batching": func(c *reuse.Config) { c.Batching = 9 },
		"unique": func(c *reuse.Config) { c.Batching, c.Unique = reuse.DynamicBatching, 1<<20 }, "huge": func(c *reuse.Config) { c.Batch = 3 << 20 },
	} {
		c := claim
		change(&c)
		configs[name] = c
	}
	shade := apps.Pass[int]{Shade: func(uint32) int { t.Error("shaded"); return 0 }}
	stream := reuse.Stream{Indices: triangle, IDs: 3}
	calls := map[string]func() error{
		"Open":          func() error { return second(shadeonce.Open(ctx, "asset:nonsense")) },
		"Open none":     func() error { return second(shadeonce.Open(ctx, "")) },
		"NewScene":      func() error { return second(shadeonce.NewScene(ctx, nil, triangle)) },
		"NewScene four": func() error { return second(shadeonce.NewScene(ctx, make([][3]float32, 3), []uint32{0, 1, 2, 0})) },
		"NewScene NaN": func() error {
			return second(shadeonce.NewScene(ctx, [][3]float32{{float32(math.NaN())}, {}, {}}, triangle))
		},
		"Reorder":       func() error { return second(shadeonce.Reorder(ctx, scene, "nonsense")) },
		"Count":         func() error { return second(shadeonce.Count(scene, "nonsense")) },
		"Count auto":    func() error { return second(shadeonce.Count(scene, "auto")) },
		"Equal":         func() error { return shadeonce.Counts{}.Equal(shadeonce.Counts{PerVertex: triangle}) },
		"OpenDevice":    func() error { return second(shadeonce.OpenDevice("no such device")) },
		"FitCamera":     func() error { return second(shadeonce.FitCamera(scene, 0, -1)) },
		"OpenShader":    func() error { return second(shadeonce.OpenShader(ctx, "nonsense.vert", "")) },
		"ReadFunction":  func() error { return second(shadeonce.ReadFunction("claim")) },
		"Render view":   func() error { return second(cpu.Render(scene, shadeonce.Frame{View: "nonsense"})) },
		"Render raster": func() error { return second(cpu.Render(scene, shadeonce.Frame{Raster: "nonsense"})) },
		"Render size":   func() error { return second(cpu.Render(scene, shadeonce.Frame{Width: -1, Height: 1 << 30})) },
		"Render width":  func() error { return second(cpu.Render(scene, shadeonce.Frame{Width: 100})) }, // no height
		"Render camera": func() error { return second(cpu.Render(scene, shadeonce.Frame{Camera: &shadeonce.Camera{}})) },
		"Render closed": func() error { return second(gone.Render(scene, shadeonce.Frame{})) },
		"Render nil":    func() error { return second((*shadeonce.Device)(nil).Render(scene, shadeonce.Frame{})) },
		"Device.Count":  func() error { return second(cpu.Count(scene, "")) },
		"Shade":         func() error { return second(cpu.Shade(ctx, stream, shadeonce.Stage{})) },
		"Shade nil":     func() error { return second((*shadeonce.Device)(nil).Shade(ctx, stream, shadeonce.Stage{})) },
		"NewRecorder":   func() error { return second(cpu.NewRecorder(scene, shadeonce.Frame{}, nil)) },
		"Record":        func() error { return new(shadeonce.Recorder).Record(nil) },
		"Overflow":      (*shadeonce.Recorder)(nil).Overflow,
		"SetCamera":     func() error { return new(shadeonce.Recorder).SetCamera(shadeonce.Camera{}) },
		"Load":          func() error { return second(shadeonce.Load[uint32](nil, "none", 1)) },
		"Load empty":    func() error { return second(shadeonce.Load[uint32](&shadeonce.Results{}, "none", -1)) },
		"Adopt":         func() error { return second(shadeonce.Adopt(shadeonce.Handles{})) },
		"Adopt family": func() error {
			return second(shadeonce.Adopt(shadeonce.Handles{Instance: unsafe.Pointer(t), Family: -1}))
		},
		"NewMesh": func() error {
			return second(apps.NewMesh(ctx, with(edit(draw, func(d *geometry.Draw) { d.VertexOffset = 9 }), triangle...)))
		},
		"NewEdges":           func() error { return second(apps.NewEdges(ctx, &apps.Mesh{Triangles: triangle})) },
		"NewEdges nil":       func() error { return second(apps.NewEdges(ctx, nil)) },
		"Weld":               func() error { return second(apps.Weld(ctx, make([]mgl32.Vec3, 3), []uint32{0, 1, 2, 0})) },
		"Weld id":            func() error { return second(apps.Weld(ctx, make([]mgl32.Vec3, 2), triangle)) },
		"SceneOf":            func() error { return second(apps.SceneOf(ctx, "none", nil)) },
		"SceneOf names":      func() error { return second(apps.SceneOf(ctx, "one", nil, &apps.Mesh{})) },
		"SceneOf nil":        func() error { return second(apps.SceneOf(ctx, "one", []string{"a"}, nil)) },
		"GroupBy":            func() error { return second(apps.GroupBy(ctx, 1, 0, func(int) (uint32, uint64) { return 0, 0 })) },
		"GroupBy n":          func() error { return second(apps.GroupBy(ctx, -1, 1, nil)) },
		"PaperRun":           func() error { return second(apps.PaperRun(nil, nil)) },
		"Choose":             func() error { return new(apps.Run).Choose([]reuse.Config{{}}, "", nil, false) },
		"Fits":               func() error { return apps.Fits(math.MaxInt64, 1, "work") },
		"Pass without Shade": func() error { return third(apps.Pass[int]{}.Run(ctx, stream, claim)) },
		"Pass id":            func() error { return third(shade.Run(ctx, reuse.Stream{Indices: triangle, IDs: 2}, claim)) },
		"Pass four":          func() error { return third(shade.Run(ctx, reuse.Stream{Indices: []uint32{0, 1, 2, 0}, IDs: 3}, claim)) },
		"Pass ids":           func() error { return third(shade.Run(ctx, reuse.Stream{Indices: triangle, IDs: -1}, claim)) },
		"Config.Count":       func() error { return third(claim.Count(triangle, 2)) },
		"StatsOf":            func() error { return second(reuse.StatsOf(triangle, make([]uint32, 2))) },
		"NewStats":           func() error { return second(reuse.NewStats(scene, triangle)) },
		"Stream.CheckSize":   func() error { return reuse.Stream{Indices: triangle[:2]}.CheckSize() },
		"Lookup":             func() error { return second(reuse.Lookup("nonsense")) },
		"Resolve":            func() error { return second(reuse.Resolve("claim", -1, 1)) },
		"Params.Check":       func() error { return reuse.Params{Unique: -1}.Check() },
		"Params.CheckGiven":  func() error { return reuse.Params{}.CheckGiven(func(string) bool { return true }) },
		"order.Apply":        func() error { return second(order.Apply(ctx, scene, "")) },
		"assets.Make":        func() error { return second(assets.Make("sphere99")) },
		"assets.Check":       func() error { return assets.Check("") },
		"format.Open":        func() error { return second(format.Open(ctx, "nonsense.obj")) },
		"format.CanSave":     func() error { return format.CanSave("nonsense") },
		"capture.Open":       func() error { return second(capture.Open(ctx, t.TempDir())) },
		"soft.Exec":          func() error { return second(soft.New().Exec(nil, renderer.Camera{}, 0)) },
	}
	for name, s := range scenes {
		calls["CheckScene "+name] = func() error { return reuse.CheckScene(s) }
		calls["Analyze scene "+name] = func() error { return third(reuse.Analyze(s, claim)) }
		calls["Summarize scene "+name] = func() error { return third(reuse.Summarize(s, claim)) }
		calls["NewStats scene "+name] = func() error { return second(reuse.NewStats(s, make([]uint32, 3))) }
		calls["CountStats scene "+name] = func() error { return second(renderer.CountStats(s, make([]uint32, 3))) }
		calls["Count scene "+name] = func() error { return second(shadeonce.Count(s, "claim")) }
		calls["Reorder scene "+name] = func() error { return second(shadeonce.Reorder(ctx, s, "forsyth")) }
		calls["Render scene "+name] = func() error { return second(cpu.Render(s, shadeonce.Frame{})) }
		calls["Device.Count scene "+name] = func() error { return second(cpu.Count(s, "claim")) }
		calls["FitCamera scene "+name] = func() error { return second(shadeonce.FitCamera(s, 1, 1)) }
		calls["NewMesh scene "+name] = func() error { return second(apps.NewMesh(ctx, s)) }
	}
	for name, c := range configs {
		calls["Config.Check "+name] = c.Check
		calls["Analyze "+name] = func() error { return third(reuse.Analyze(scene, c)) }
		calls["Summarize "+name] = func() error { return third(reuse.Summarize(scene, c)) }
		calls["Stream.Check, Pass "+name] = func() error { return third(shade.Run(ctx, stream, c)) }
		calls["Config.Count "+name] = func() error { return third(c.Count(triangle, 3)) }
		require.NotContains(t, c.String()+c.Name(), "PANIC")
		for range c.Batches(triangle) {
			t.Error("batches of", name)
		}
	}
	for name, call := range calls {
		require.NotPanics(t, func() { require.Error(t, call(), name) }, name)
	}
	quiet(t, scenes, configs)
	exportedAreCalled(t, calls)
}

// quiet calls the functions of geometry/reuse that return no error: given nonsense they find
// nothing, and do not panic.
func quiet(t *testing.T, scenes map[string]*geometry.Scene, configs map[string]reuse.Config) {
	scene, claim, listed := must.Get(assets.Make("cube")), must.Get(reuse.Resolve("claim", 0, 0)), must.Get(reuse.Resolve("meshlet", 0, 0))
	outside := []reuse.Batch{{FirstIndex: math.MaxUint32, IndexCount: math.MaxUint32, Draw: 9}, {IndexCount: 1}}
	both := func(s *geometry.Scene, c reuse.Config) {
		batches, _ := reuse.BatchesOf(s, c, 0, 1<<20)
		require.Empty(t, slices.Concat(batches, reuse.Batches(s, c), reuse.VertexBatches(s, c)))
		require.Empty(t, reuse.SampleBatches(s, c))
	}
	for name, s := range scenes {
		reuse.CountOffsets(s)
		if name != "index" { // a bad index is found only by functions that read indices
			both(s, claim)
		}
		require.Empty(t, reuse.MakeMeshlets(t.Context(), s, listed, outside).Table)
	}
	for _, c := range configs {
		both(scene, c)
		for range c.Run([]uint32{0, 1, 2}) {
			t.Error("iterations of", c)
		}
		c.Fitted(-1, -1)
		require.False(t, c.DrawsTogether(1, -1))
		c.Sifted()
		c.Table()
		c.VertexLaneSlots(outside[0])
		reuse.MakeMeshlets(t.Context(), scene, c, outside)
	}
	for _, cut := range []*reuse.Cutter{{}, reuse.NewCutter(nil, claim), reuse.NewCutter(scene, reuse.Config{})} {
		cut.Seek(-1)
		require.Empty(t, cut.Window(nil, -1))
		_, ok := cut.Next()
		require.False(t, ok)
	}
	var st reuse.Stats
	st.Culled(-1)
	st.Add(st, -1)
	for _, f := range []float64{st.ACMR(), st.ATVR(), st.Ideal(), st.Reuse(), st.LaneUtilization()} {
		require.False(t, f > 0, "of no indices")
	}
	require.Empty(t, new(reuse.Strategy).Variants())
	require.Empty(t, reuse.Triples(nil))
	require.False(t, reuse.IsAuto("nonsense"))
}

// exportedAreCalled requires a call of each function of geometry/reuse, the facade and apps that returns an error.
// TestAnyNonsense calls the others.
func exportedAreCalled(t *testing.T, calls map[string]func() error) {
	names := " " + strings.Join(slices.Collect(maps.Keys(calls)), " ")
	text := string(must.Get(os.ReadFile("internal/rules/exported.txt")))
	list := regexp.MustCompile(`(?m)^(?:\.|apps|geometry/reuse): func (?:\(\w* ?\*?(\w+)(?:\[\w+\])?\) )?(\w+)(?:\[.*?\])?\(.*[ ,(]error\)?$`).FindAllStringSubmatch(text, -1)
	require.Greater(t, len(list), 25)
	internal := map[string]bool{"OnAll": true, "OnEach": true} // their only error is the context's cause
	for _, f := range list {
		if !internal[f[2]] && !strings.Contains(names, " "+f[2]) && !strings.Contains(names, " "+f[1]+"."+f[2]) && !(f[1] == "Pass" && f[2] == "Run") {
			t.Errorf("no call with nonsense of %s.%s", f[1], f[2])
		}
	}
}

// FuzzCount: for any indices and sizes, Config.Count returns an error, or counts of at least one for
// each referenced vertex.
func FuzzCount(f *testing.F) {
	f.Add("claim", 32, 384, []byte{0, 1, 2}, 3)
	f.Add("hash", 0, 0, []byte{0, 1, 2, 9}, 3)
	f.Fuzz(func(t *testing.T, strategy string, lanes, batch int, ids []byte, vertices int) {
		s, err := reuse.Lookup(strategy)
		if err != nil {
			s = reuse.Strategies[len(ids)%len(reuse.Strategies)]
		}
		indices := make([]uint32, len(ids))
		for i, id := range ids {
			indices[i] = uint32(id)
		}
		c := reuse.Config{Strategy: s, Lanes: lanes, Batch: batch, Workgroup: lanes * 4}
		if resolved, err := reuse.Resolve(s.Name, lanes, batch); err == nil {
			c = resolved
		}
		if vertices > 1<<16 {
			return // a valid number, but counting so many vertices takes much memory
		}
		st, counts, err := c.Count(indices, vertices)
		if err != nil {
			return
		}
		for _, id := range indices {
			require.Positive(t, counts[id])
		}
		require.GreaterOrEqual(t, st.Invocations, st.Referenced)
	})
}
