// Package rules holds no code, only tests of the project's own shape: which
// room may import which (this file and graph_test.go), and the house rules that
// a machine can check (house_test.go). It knows rooms, files and text, not what the
// code does.
package rules

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// module is the beginning of our own packages' paths.
const module = "github.com/shadeonce/shadeonce"

// room is one folder and the rooms that its code may import. A package
// below a room's own internal/ counts as that room.
type room struct {
	path string
	may  []string
}

// everything means all rooms above in the table.
const everything = "*"

// rooms is the table of ARCHITECTURE.md. A package that is in none of them is
// an offence: a new room starts with a line here. Tests may import any room.
var rooms = []room{
	{"internal/base/buildinfo", nil},
	{"internal/base/names", nil},
	{"internal/viewer/layout", nil},
	{"internal/base/must", nil},
	{"internal/base/progress", nil},
	{"internal/base/atomicfile", nil},
	{"internal/base/exact", nil},
	{"internal/base/bytesize", nil},
	{"internal/base/budget", []string{"internal/base/bytesize"}},
	{"internal/base/cores", nil},
	{"internal/base/clock", nil},
	{"shaders/vertexformat", nil},
	{"internal/spirv/module", []string{"internal/base/must"}},
	{"internal/shaders", []string{"internal/spirv/module"}},
	{"internal/spirv/interpret", []string{"internal/base/cores", "internal/base/must", "internal/spirv/module", "shaders/vertexformat"}},
	{"internal/spirv/link", []string{"internal/base/must", "internal/spirv/module", "shaders/vertexformat"}},
	{"geometry", []string{"internal/base/cores", "internal/base/exact", "internal/base/must", "internal/base/progress", "internal/spirv/interpret", "internal/spirv/link", "internal/spirv/module", "shaders/vertexformat"}},
	{"assets", []string{"geometry", "internal/base/exact", "internal/base/names", "shaders/vertexformat"}},
	{"geometry/format", []string{"geometry", "shaders/vertexformat", "internal/base/budget", "internal/base/cores", "internal/base/exact", "internal/base/must", "internal/base/progress", "internal/base/atomicfile"}},
	{"geometry/order", []string{"geometry", "internal/base/must", "internal/base/names", "internal/base/progress"}},
	{"internal/simt", nil},
	{"internal/shape", []string{"geometry"}},
	{"geometry/reuse", []string{"internal/base/cores", "geometry", "internal/shape", "internal/simt", "internal/base/must", "internal/base/names"}},
	{"internal/model", []string{"geometry", "geometry/reuse", "internal/base/must", "internal/base/names", "internal/shape"}},
	{"geometry/capture", []string{"geometry", "geometry/format", "shaders/vertexformat", "internal/base/budget", "internal/base/cores", "internal/base/exact", "internal/base/must", "internal/base/progress", "internal/spirv/interpret", "internal/spirv/link", "internal/spirv/module"}},
	{"internal/renderer/picture", nil},
	{"renderer", []string{"geometry", "geometry/reuse", "internal/shaders", "internal/spirv/module", "internal/base/bytesize", "internal/base/names", "internal/renderer/picture", "internal/shape"}},
	{"internal/renderer/plan", []string{"geometry", "geometry/reuse", "internal/shaders", "internal/spirv/link", "internal/spirv/module", "renderer", "internal/renderer/picture", "internal/base/bytesize", "internal/base/clock", "internal/base/exact", "internal/base/must", "internal/base/names"}},
	{"internal/renderer/gpu", []string{"geometry", "shaders/vertexformat", "renderer", "internal/renderer/plan", "internal/renderer/picture", "internal/shaders", "internal/base/bytesize", "internal/base/atomicfile", "internal/base/cores", "internal/base/must"}}, // a Frame holds geometry's types
	{"internal/renderer/stream", []string{"geometry/reuse", "internal/base/clock", "internal/base/must", "renderer", "internal/renderer/gpu", "internal/renderer/plan"}},
	{"renderer/soft", []string{"internal/base/clock", "internal/base/cores", "internal/base/exact", "internal/base/must", "geometry", "renderer", "internal/renderer/plan", "internal/renderer/picture", "geometry/reuse", "internal/spirv/interpret", "internal/spirv/module"}},
	{"internal/renderer/present", []string{"internal/base/must", "internal/renderer/gpu"}},
	{"internal/renderer/shade", []string{"geometry", "internal/spirv/link", "shaders/vertexformat", "internal/base/must", "internal/base/names", "internal/spirv/module"}},
	{"", []string{"assets", "geometry", "geometry/capture", "geometry/order", "geometry/reuse", "internal/base/must", "renderer", "internal/renderer/gpu", "internal/renderer/plan", "internal/renderer/shade", "renderer/soft", "internal/renderer/stream"}}, // the facade
	{"internal/extract", []string{"geometry", "geometry/format", "internal/base/atomicfile", "internal/base/must", "internal/base/names", "internal/renderer/shade", "internal/spirv/link", "internal/spirv/module", "shaders/vertexformat"}},
	{"internal/viewer/inspect", []string{"internal/base/cores", "geometry", "geometry/reuse", "renderer", "internal/renderer/plan", "renderer/soft", "internal/renderer/picture", "internal/base/names"}},
	{"internal/measure", []string{everything}},
	{"internal/calibration", []string{"assets", "geometry", "geometry/order", "geometry/reuse", "internal/base/atomicfile", "internal/base/must", "internal/base/progress", "renderer", "internal/renderer/plan", "internal/shaders"}},
	{"internal/report", []string{"geometry/reuse", "internal/base/atomicfile", "internal/base/buildinfo", "internal/base/must", "internal/base/names", "internal/measure", "renderer", "internal/renderer/picture"}},
	{"internal/report/survey", []string{everything}},
	{"apps", []string{"geometry", "geometry/reuse", "internal/base/cores", "internal/base/exact", "internal/base/must", "internal/base/buildinfo", "internal/base/bytesize", "internal/base/progress", "internal/measure", "renderer", "internal/renderer/gpu", "internal/renderer/plan"}},
	{"apps/subdivide", []string{"geometry", "apps", "geometry/format", "geometry/reuse", "internal/base/bytesize", "internal/base/clock", "internal/base/exact", "internal/base/must", "internal/base/progress", "internal/measure", "renderer", "internal/renderer/gpu", "internal/renderer/plan", "internal/renderer/stream"}},
	{"apps/envelope", []string{"apps", "geometry", "geometry/format", "geometry/reuse", "internal/base/atomicfile", "internal/base/clock", "internal/base/exact", "internal/base/must", "internal/base/names", "internal/base/progress", "internal/measure", "renderer", "internal/renderer/gpu", "internal/renderer/plan", "internal/renderer/stream", "internal/shaders"}},
	{"apps/walk", []string{
		"apps", "geometry/reuse", "internal/base/atomicfile", "internal/base/clock", "internal/base/must", "internal/base/names", "internal/base/progress", "internal/measure", "renderer", "internal/renderer/gpu", "internal/renderer/picture", "internal/renderer/plan", "internal/renderer/stream", "internal/shaders",
	}},
	{"internal/viewer/results", []string{
		"geometry", "apps", "apps/envelope", "apps/subdivide", "apps/walk", "geometry/reuse",
		"internal/viewer/inspect", "internal/base/names", "internal/base/must", "internal/base/progress", "renderer", "internal/renderer/picture", "internal/shaders",
	}},
	{"internal/viewer/load", []string{"geometry", "geometry/order", "internal/base/progress"}},
	{"internal/cli", []string{everything}},
	{"internal/viewer/model", []string{"apps/envelope", "apps/walk", "geometry", "geometry/order", "geometry/reuse", "internal/base/must", "internal/base/progress", "internal/cli", "internal/viewer/inspect", "internal/viewer/load", "internal/viewer/results", "internal/renderer/shade", "renderer", "internal/renderer/gpu", "internal/renderer/picture", "internal/renderer/plan"}},
	{"internal/measure/print", []string{"geometry/reuse", "internal/cli", "internal/measure", "internal/base/names", "renderer"}},
	{"internal/viewer/app", []string{everything}},
	{"internal/viewer/panels", []string{everything}},
	{"cmd/viewer", []string{everything}},
	{"cmd/shadeonce", []string{everything}},
	{"examples/orders", []string{"geometry", "geometry/capture", "geometry/order", "geometry/reuse"}},
	{"examples/go", []string{""}},
	{"examples/function", []string{""}},
	{"web/session", []string{"assets", "geometry", "geometry/capture", "geometry/format", "geometry/order", "geometry/reuse", "internal/base/must", "internal/base/names", "internal/base/progress"}},
	{"web/prepared", []string{"internal/base/must", "internal/renderer/picture", "web/session"}},
	{"web/wasm", []string{"internal/base/must", "internal/base/progress", "web/session"}},
	{"tools/spirv", []string{"internal/base/atomicfile", "internal/base/must", "internal/spirv/link", "internal/spirv/module"}},
	{"tools/mutants", []string{"internal/base/must"}},
	{"tools/hostile", nil},
	{"internal/base/shareddata", []string{"internal/base/must"}},                          // for tests
	{"internal/indextest", []string{"geometry"}},                                          // for tests
	{"internal/spirv/spirvtest", []string{"internal/base/must", "internal/spirv/module"}}, // for tests
	{"internal/meshtest", []string{"assets", "geometry", "apps", "geometry/capture", "geometry/format", "geometry/order", "internal/base/must", "internal/base/shareddata"}},                                                   // for tests
	{"internal/viewer/viewtest", []string{"assets", "geometry", "geometry/format", "geometry/order", "geometry/reuse", "internal/base/must", "internal/base/progress", "renderer", "internal/renderer/plan", "renderer/soft"}}, // for tests
	{"internal/base/cputime", nil}, // for tests
	{"oracle", nil},                // only tests
	{"oracle/feedback", []string{"shaders/vertexformat", "internal/renderer/gpu"}}, // for tests
	{"oracle/cgal", nil},      // only tests
	{"oracle/embedding", nil}, // only tests
	{"oracle/web", nil},       // only tests
	{"oracle/gltf", nil},      // only tests
	{"internal/rules", nil},   // only tests
}

// reserved is a package, or all packages below a path, that only some rooms may
// import.
type reserved struct {
	path      string
	only      []string
	freeTests bool // tests of every room may import it
}

var reservations = []reserved{
	{path: "github.com/vulkan-go/vulkan", only: []string{"internal/renderer/gpu", "internal/renderer/present", "examples/go"}},
	{path: "github.com/go-gl/glfw", only: []string{"cmd/viewer"}},
	{path: "github.com/AllenDang/cimgui-go", only: []string{"internal/viewer/panels"}},
	{path: "github.com/inkyblackness/imgui-go", only: []string{"internal/viewer/panels"}},
	{path: "github.com/ncruces/zenity", only: []string{"internal/viewer/app"}},
	{path: "go.yaml.in/yaml", only: []string{"internal/report", "internal/renderer/shade"}},
	{path: "gonum.org/v1/plot", only: []string{"internal/report"}},
	{path: module + "/internal/cli", only: []string{"cmd/viewer", "internal/viewer/app", "internal/viewer/panels", "cmd/shadeonce", "internal/measure/print", "internal/viewer/model"}, freeTests: true},
	{path: "github.com/spf13/cobra/doc", only: []string{"internal/cli"}},
	{path: "github.com/stretchr/testify", freeTests: true},
	{path: "github.com/santhosh-tekuri/jsonschema", freeTests: true},
	{path: "github.com/jezek/xgb", freeTests: true}, // drops files on the viewer
	{path: "github.com/chromedp", freeTests: true},  // drives a browser
	{path: module + "/oracle/feedback", freeTests: true},
	{path: "C", only: []string{"internal/renderer/gpu", "oracle/feedback"}}, // cgo
}

// banned lists what a room must not reach, not even through others.
type banned struct{ room, path string }

var bans = []banned{
	{"cmd/shadeonce", "github.com/go-gl/glfw"},
	{"cmd/shadeonce", "github.com/AllenDang/cimgui-go"},
	{"cmd/shadeonce", "github.com/inkyblackness/imgui-go"},
	{"internal/report", "github.com/vulkan-go/vulkan"},
	{"internal/measure", module + "/internal/cli"}, // it knows no flags
	{"internal/report/survey", "github.com/vulkan-go/vulkan"},
	{"internal/report/survey", "github.com/spf13/pflag"},
	{"renderer", "github.com/vulkan-go/vulkan"},
	{"renderer/soft", "github.com/vulkan-go/vulkan"},
	{"internal/viewer/inspect", "github.com/vulkan-go/vulkan"},
	{"internal/viewer/inspect", "github.com/go-gl/glfw"},
	{"internal/viewer/inspect", "github.com/inkyblackness/imgui-go"},
	{"internal/viewer/results", "github.com/go-gl/glfw"},
	{"internal/viewer/results", "github.com/inkyblackness/imgui-go"},
	{"internal/viewer/model", "github.com/go-gl/glfw"},
	{"internal/viewer/model", "github.com/inkyblackness/imgui-go"},
	{"internal/viewer/app", "github.com/go-gl/glfw"},
	{"internal/viewer/app", "github.com/inkyblackness/imgui-go"},
	{"internal/viewer/panels", "github.com/go-gl/glfw"},
}

func TestImportRules(t *testing.T) {
	packages := listPackages(t)
	require.Greater(t, len(packages), 1)
	for _, o := range offences(packages) {
		t.Error(o)
	}
}

// TestImportRulesCatch tries the rules on invented imports.
func TestImportRulesCatch(t *testing.T) {
	const (
		vulkan  = "github.com/vulkan-go/vulkan"
		glfw    = "github.com/go-gl/glfw/v3.3/glfw"
		testify = "github.com/stretchr/testify/require"
	)
	own := func(path string) string { return module + "/" + path }
	for _, c := range []struct {
		name     string
		packages []listed
		want     []string
	}{
		{"allowed", []listed{
			{ImportPath: own("geometry/reuse"), Imports: []string{own("geometry"), own("internal/simt"), "fmt"}},
			{ImportPath: own("internal/renderer/gpu"), Imports: []string{own("renderer"), vulkan, "C"}, TestImports: []string{testify}},
			{ImportPath: own("cmd/viewer"), Imports: []string{own("internal/renderer/present"), glfw}},
		}, nil},
		{"upwards", []listed{{ImportPath: own("geometry"), Imports: []string{own("geometry/reuse")}}},
			[]string{"geometry imports geometry/reuse: it may import internal/base/cores, internal/base/exact, internal/base/must, internal/base/progress, internal/spirv/interpret, internal/spirv/link, internal/spirv/module, shaders/vertexformat"}},
		{"not in its list", []listed{{ImportPath: own("renderer/soft"), Imports: []string{own("internal/renderer/gpu")}}},
			[]string{"renderer/soft imports internal/renderer/gpu: it may import internal/base/clock, internal/base/cores, internal/base/exact, internal/base/must, geometry, renderer, internal/renderer/plan, internal/renderer/picture, geometry/reuse, internal/spirv/interpret, internal/spirv/module"}},
		{"everything is only what stands above", []listed{{ImportPath: own("cmd/viewer"), Imports: []string{own("cmd/shadeonce")}}},
			[]string{"cmd/viewer imports cmd/shadeonce: it may import what stands above it in the table"}},
		{"internal counts as its room", []listed{{ImportPath: own("geometry/internal/mesh"), Imports: []string{own("shaders")}}},
			[]string{"geometry/internal/mesh imports shaders: it may import internal/base/cores, internal/base/exact, internal/base/must, internal/base/progress, internal/spirv/interpret, internal/spirv/link, internal/spirv/module, shaders/vertexformat"}},
		{"a room imports its internal", []listed{{ImportPath: own("geometry"), Imports: []string{own("geometry/internal/mesh")}}}, nil},
		{"no room", []listed{{ImportPath: own("geometry/extra")}},
			[]string{"geometry/extra is in no room of the table in internal/rules/imports_test.go"}},
		{"into no room", []listed{{ImportPath: own("cmd/viewer"), Imports: []string{own("geometry/extra")}}},
			[]string{"cmd/viewer imports geometry/extra: it may import what stands above it in the table"}},
		{"tests import any room", []listed{{ImportPath: own("geometry"), XTestImports: []string{own("assets")}}}, nil},
		{"reserved", []listed{{ImportPath: own("renderer"), Imports: []string{vulkan}}},
			[]string{"renderer imports " + vulkan + ": only internal/renderer/gpu, internal/renderer/present, examples/go may",
				"renderer must never reach " + vulkan + ": renderer -> " + vulkan}},
		{"reserved in tests too", []listed{{ImportPath: own("renderer/soft"), TestImports: []string{vulkan}}},
			[]string{"renderer/soft (tests) imports " + vulkan + ": only internal/renderer/gpu, internal/renderer/present, examples/go may"}},
		{"a path that only begins alike", []listed{{ImportPath: own("renderer"), Imports: []string{vulkan + "x"}}}, nil},
		{"testify outside tests", []listed{{ImportPath: own("assets"), Imports: []string{testify}}},
			[]string{"assets imports " + testify + ": only tests may"}},
		{"test data outside tests", []listed{{ImportPath: own("cmd/viewer"), Imports: []string{own("internal/base/shareddata")}, TestImports: []string{own("internal/base/shareddata")}}},
			[]string{"cmd/viewer imports internal/base/shareddata: it may import what stands above it in the table"}},
		{"banned through others", []listed{
			{ImportPath: own("cmd/shadeonce"), Imports: []string{own("renderer"), "example.org/a"}},
			{ImportPath: "example.org/a", Imports: []string{"example.org/b"}},
			{ImportPath: "example.org/b", Imports: []string{glfw}},
		}, []string{"cmd/shadeonce must never reach github.com/go-gl/glfw: cmd/shadeonce -> example.org/a -> example.org/b -> " + glfw}},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, offences(c.packages))
		})
	}
}

// TestRoomsPointUp checks the order of the table: a room may import only rooms above
// it.
func TestRoomsPointUp(t *testing.T) {
	above := map[string]bool{}
	for _, r := range rooms {
		for _, m := range r.may {
			require.True(t, m == everything || above[m], "%s may import %s, which does not stand above it", r.path, m)
		}
		require.False(t, above[r.path], "%s stands twice in the table", r.path)
		above[r.path] = true
	}
	for _, r := range reservations {
		for _, o := range r.only {
			require.True(t, above[o], "%s is reserved for %s, which is no room", r.path, o)
		}
	}
	for _, b := range bans {
		require.True(t, above[b.room], "%s is banned from %s, which is no room", b.path, b.room)
	}
}
