package plan

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// configured is a frame without a scene or a picture.
func configured(t testing.TB, strategy string, p reuse.Params) renderer.Frame {
	c := must.Get(p.Resolve(strategy))
	return renderer.Frame{Reuse: c, NoRaster: true}
}

// without returns the strategies whose shaders do not declare a capability.
func without(t testing.TB, capability string) (names []string) {
	for _, name := range reuse.Names() {
		p := made(t)(New(frame(t, 1, name, 8), testLimits))
		needs := slices.ContainsFunc(programsOf(p), func(name string) bool { return shaders.Must(name).Needs(capability) })
		if !needs {
			names = append(names, name)
		}
	}
	return names
}

func TestADeviceWithoutBallotRunsTheOthers(t *testing.T) {
	require.Equal(t, reuse.Names(), Strategies(testLimits))
	l := testLimits
	l.NativeLanes = nil
	l.Missing = []string{"GroupNonUniformBallot", "GroupNonUniformShuffle", "Int64Atomics"}
	runs := Strategies(l)
	require.Equal(t, without(t, "GroupNonUniformBallot"), runs)
	for _, name := range []string{"naive", "naive-index", "hash", "sort"} {
		require.Contains(t, runs, name)
	}
	for _, name := range []string{"warp", "claim", "phash"} {
		require.NotContains(t, runs, name)
	}

	err := Fits(configured(t, "warp", reuse.Params{}), l)
	var lacking *CapabilityError
	require.ErrorAs(t, err, &lacking)
	require.Equal(t, []string{"GroupNonUniformBallot"}, lacking.Missing)
	require.Equal(t, runs, lacking.Runs)
	require.ErrorContains(t, err, "geometry/warp needs subgroup ballot (GroupNonUniformBallot), which the device lacks; it runs naive, naive-index, ")
	for _, name := range runs {
		require.NoError(t, Fits(configured(t, name, reuse.Params{}), l), name)
	}
	require.False(t, errors.As(Fits(configured(t, "hash", reuse.Params{}), l), &lacking))

	l.Multiprocessors = 100 // so that auto compares raster hosts
	picture := renderer.Frame{Reuse: configured(t, "naive", reuse.Params{}).Reuse, Width: 8, Height: 8, Raster: renderer.AutoRaster}
	require.NoError(t, Fits(picture, l), "without a scene")
}

// No strategy uses 64-bit atomics today: a device without them runs all.
func TestNoStrategyNeeds64BitAtomics(t *testing.T) {
	l := testLimits
	l.Missing = []string{"Int64", "Int64Atomics", "Int64ImageEXT"}
	require.Equal(t, reuse.Names(), Strategies(l))
}

func TestADeviceThatRunsNothingSaysSo(t *testing.T) {
	l := testLimits
	l.Missing = []string{"Shader"}
	require.Empty(t, Strategies(l))
	require.ErrorContains(t, Fits(configured(t, "hash", reuse.Params{}), l), "it runs none of the strategies")
}

func TestFitsNamesWhatWould(t *testing.T) {
	l := testLimits
	l.SharedBytes = 8 << 10
	for _, c := range []struct {
		strategy string
		p        reuse.Params
		queue    renderer.QueueForm
		want     string
	}{
		{"hash", reuse.Params{Unique: 1024}, renderer.Indexed, "hash, dynamic batches of 1023/1024 needs"},
		{"sort", reuse.Params{Batch: 3072}, renderer.Indexed, "batches of at most"},
		{"warp", reuse.Params{Lanes: 64, Batch: 3072}, renderer.Expanded, "batches of at most"},
	} {
		f := configured(t, c.strategy, c.p)
		f.Queue = c.queue
		err := Fits(f, l)
		require.ErrorContains(t, err, c.want)
		t.Log(err)
	}

	// The size that the error names fits, and the next larger does not.
	f := configured(t, "hash", reuse.Params{Unique: 1024, Room: 1})
	require.ErrorContains(t, Fits(f, l), ": at most 512 unique vertices per batch, or batches of at most 510 indices would fit")
	for unique, fits := range map[int]bool{512: true, 513: false} {
		f.Reuse.Unique = unique
		require.Equal(t, fits, Fits(f, l) == nil, "%d", unique)
	}
	for batch, fits := range map[int]bool{510: true, 513: false} {
		f.Reuse.Unique, f.Reuse.Batch = 1024, batch
		require.Equal(t, fits, Fits(f, l) == nil, "%d", batch)
	}

	l.MaxWorkgroup = 384
	require.EqualError(t, Fits(configured(t, "hash", reuse.Params{Workgroup: 512, Room: 1}), l),
		"workgroup of 512: the device allows powers of two from 32 to 256")
	l.MaxWorkgroup = 256
	require.NoError(t, Fits(configured(t, "hash", reuse.Params{Workgroup: 256, Room: 1}), l))
	l.MaxWorkgroup = 32
	require.EqualError(t, Fits(configured(t, "warp", reuse.Params{Lanes: 64}), l),
		"64 lanes: a workgroup of the device has at most 32 invocations")
	require.False(t, slices.Contains(Strategies(l), "hash"), "at its own size")
}

// TestNeedsAreThoseOfPlans: on devices with lower limits, a frame fits if and only if it can
// be planned, and a plan's shaders need nothing that the device lacks.
func TestNeedsAreThoseOfPlans(t *testing.T) {
	changes := []func(f *renderer.Frame){
		func(*renderer.Frame) {},
		func(f *renderer.Frame) { f.NoRaster = true },
		func(f *renderer.Frame) { f.Raster = renderer.ComputeRaster },
		func(f *renderer.Frame) { f.Raster, f.NarrowAtomics = renderer.ComputeRaster, true },
		func(f *renderer.Frame) { f.Raster, f.Width = renderer.FusedRaster, 3000 },
		func(f *renderer.Frame) { f.Raster = renderer.AutoRaster },
		func(f *renderer.Frame) { f.Raster, f.View = renderer.SoftRaster, renderer.Shaded },
		func(f *renderer.Frame) { f.Queue = renderer.Expanded },
		func(f *renderer.Frame) { f.Reuse.Batch = 1536 },
		func(f *renderer.Frame) { f.Raw, f.Reuse, f.View = true, reuse.Config{}, renderer.Shaded },
	}
	lesser := []func(l *renderer.Limits){
		func(*renderer.Limits) {},
		func(l *renderer.Limits) { l.Missing = []string{"Int64Atomics"} },
		func(l *renderer.Limits) { l.Missing = []string{"Int64", "Int64Atomics"} },
		func(l *renderer.Limits) { l.Missing, l.NativeLanes = []string{"GroupNonUniformBallot"}, nil },
		func(l *renderer.Limits) { l.Missing = []string{"GroupNonUniformShuffle"} },
		func(l *renderer.Limits) { l.Missing = []string{"Shader"} },
		func(l *renderer.Limits) { l.SharedBytes = 8 << 10 },
		func(l *renderer.Limits) { l.MaxWorkgroup = 128 },
		func(l *renderer.Limits) { l.MaxImageSide = 2048 },
	}
	lacks := func(p *Plan, l *renderer.Limits) (list []string) {
		for _, name := range programsOf(p) {
			list = append(list, missing(shaders.Must(name), l)...)
		}
		return list
	}
	refused := 0
	for _, name := range slices.Concat(reuse.Names(), []string{reuse.Auto}) {
		for _, change := range changes {
			for _, cull := range []bool{false, true} {
				f := frame(t, 20, "naive", 8)
				f.Reuse = configured(t, name, reuse.Params{}).Reuse
				change(&f)
				f.Cull = cull
				had, err := New(f, testLimits)
				if err != nil {
					continue // refused on every device
				}
				for _, less := range lesser {
					l := testLimits
					less(&l)
					p, err := New(f, l)
					if fits := Fits(f, l); fits != nil {
						refused++
						require.EqualError(t, err, fits.Error())
						if l.Missing != nil {
							require.NotEmpty(t, lacks(had, &l), "%s is refused for nothing: %v", had, fits)
						}
						continue
					}
					require.NoError(t, err)
					require.Empty(t, lacks(p, &l), p)
				}
			}
		}
	}
	require.Greater(t, refused, 100)
}

// programsOf returns the shaders of a plan's passes.
func programsOf(p *Plan) (names []string) {
	for i := range p.Passes {
		if pipeline := p.Passes[i].Pipeline(); pipeline != nil {
			names = append(names, pipeline.Shaders...)
		}
	}
	return names
}

// TestMeshShadersAreRefusedInOneLine: on a device without them or with too low limits, for a strategy without
// one, for the expanded queue, and for batches too large for a workgroup to output.
func TestMeshShadersAreRefusedInOneLine(t *testing.T) {
	l := testLimits
	f := frame(t, 1000, "claim", 8)
	f.Raster = renderer.MeshRaster
	l.Missing = []string{"MeshShadingEXT"}
	_, err := New(f, l)
	require.EqualError(t, err, "mesh/claim needs mesh shaders (MeshShadingEXT), which the device lacks; it runs --raster hardware")
	l = testLimits
	l.Mesh = renderer.MeshLimits{MaxGroups: 4, MaxTotal: 12, MaxWorkgroup: 64, SharedBytes: 28 << 10, OutputBytes: 32 << 10, Vertices: 256, Triangles: 256}
	p := made(t)(New(f, l))
	triangles := 0
	for i, c := range p.Chunks {
		op := p.Passes[len(p.Passes)-len(p.Chunks)+i].Op.(*Mesh)
		require.LessOrEqual(t, op.Groups[0]*op.Groups[1], uint32(l.Mesh.MaxTotal))
		require.EqualValues(t, c.BatchCount, op.Push.BatchCount)
		require.Equal(t, i == 0, op.First)
		triangles += c.TriangleCount
	}
	require.Len(t, p.Chunks, 4)
	require.Equal(t, 1000, triangles)
	for what, change := range map[string]func(){
		"workgroup of":                     func() { l.Mesh.MaxWorkgroup = 4 },
		"no mesh shader has strategy hash": func() { f.Reuse = frame(t, 1, "hash", 8).Reuse },
		"claim, 32 lanes, batch 384: a mesh shader takes batches of at most 255": func() { f.Reuse = frame(t, 1, "claim", 32).Reuse },
		"warp, 4 lanes, batch 195: a mesh shader takes batches of at most 189":   func() { f.Reuse = configured(t, "warp", reuse.Params{Lanes: 4, Batch: 195}).Reuse },
		"the device allows 128": func() { l.Mesh.Vertices = 128 },
		"of shared memory":      func() { l.Mesh.SharedBytes = 1 << 10 },
		"KiB of shared memory":  func() { f.Cull, f.Width, f.Height, l.Mesh.SharedBytes = true, 8, 8, 3<<10 }, // enough without culling
		"expanded":              func() { f.Queue = renderer.Expanded },
	} {
		was, had := f, l
		change()
		_, err := New(f, l)
		require.ErrorContains(t, err, what)
		f, l = was, had
	}
	f.Reuse = frame(t, 1, "claim", 32).Reuse
	f.Reuse.FitBatch = true
	p = made(t)(New(f, l))
	require.Equal(t, 255, p.Frame.Reuse.Batch)
}

// TestMatrixIsInTheDocs: the table in the design notes equals the matrix.
func TestMatrixIsInTheDocs(t *testing.T) {
	docs := must.Get(os.ReadFile("../../../docs/design/plan.md"))
	require.Contains(t, string(docs), exclusions())
}

// TestStreamsAreResolved: a plan that another package made has no plugs; they are resolved from its frame.
func TestStreamsAreResolved(t *testing.T) {
	p := &Plan{Frame: frame(t, 10, "claim", 8)}
	p.Frame.NoRaster = true
	require.Empty(t, p.Backend())
	require.NoError(t, p.CheckExec(renderer.FitCamera(p.Frame.Scene.Bounds(), 1), renderer.WantVisible))
}

// exclusions prints the matrix as a table in Markdown.
func exclusions() string {
	var b strings.Builder
	b.WriteString("| mode | excludes |\n| --- | --- |\n")
	var last *Mode
	for _, x := range Matrix {
		if x.Mode != last {
			if last != nil {
				b.WriteString(" |\n")
			}
			fmt.Fprintf(&b, "| %s | %s", x.Mode.text(), x.Other.text())
		} else {
			b.WriteString(", " + x.Other.text())
		}
		last = x.Mode
	}
	b.WriteString(" |\n")
	return b.String()
}

func (m *Mode) text() string {
	if m.Flag == "" {
		return m.Name
	}
	flag, _, _ := strings.Cut(m.Flag, " {")
	return fmt.Sprintf("%s (`%s`)", m.Name, flag)
}
