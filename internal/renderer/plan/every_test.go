package plan

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	goflag "flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/indextest"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// frameChanges lists, for each setting of a frame or its device, changes to values other than the default.
var frameChanges = [][]func(f *renderer.Frame, l *renderer.Limits){
	{func(f *renderer.Frame, _ *renderer.Limits) { f.Raster = renderer.ComputeRaster },
		func(f *renderer.Frame, _ *renderer.Limits) { f.Raster = renderer.FusedRaster },
		func(f *renderer.Frame, _ *renderer.Limits) { f.Raster = renderer.FusedRaster },
		func(f *renderer.Frame, _ *renderer.Limits) { f.Raster = renderer.MeshRaster },
		func(f *renderer.Frame, _ *renderer.Limits) { f.Raster = renderer.AutoRaster },
		func(f *renderer.Frame, _ *renderer.Limits) { f.NoRaster = true }},
	{func(f *renderer.Frame, _ *renderer.Limits) { f.View = renderer.Batches },
		func(f *renderer.Frame, _ *renderer.Limits) { f.View = renderer.Shaded },
		func(f *renderer.Frame, _ *renderer.Limits) { f.View = renderer.Normals }},
	{func(f *renderer.Frame, _ *renderer.Limits) { f.QueueBudget = 64 << 10 },
		func(f *renderer.Frame, _ *renderer.Limits) { f.QueueBudget, f.OneHalf = 50<<10, true }},
	{func(f *renderer.Frame, _ *renderer.Limits) { f.Cull = true },
		func(f *renderer.Frame, _ *renderer.Limits) { f.Cull, f.CullFaces = true, renderer.AllFaces }},
	{func(f *renderer.Frame, _ *renderer.Limits) { f.Load = 1024 },
		func(f *renderer.Frame, _ *renderer.Limits) { f.VertexShader = renderer.Skin },
		func(f *renderer.Frame, _ *renderer.Limits) { f.VertexShader = renderer.Displace }},
	{func(f *renderer.Frame, _ *renderer.Limits) { f.NarrowAtomics = true },
		func(_ *renderer.Frame, l *renderer.Limits) { l.Missing = []string{"Int64", "Int64Atomics"} }},
	{func(f *renderer.Frame, _ *renderer.Limits) { f.Queue = renderer.Expanded },
		func(f *renderer.Frame, _ *renderer.Limits) { f.NoCounts, f.View = true, renderer.Shaded },
		func(f *renderer.Frame, _ *renderer.Limits) { f.Shown = make([]uint32, f.Scene.DrawVertices()) }},
	{func(f *renderer.Frame, _ *renderer.Limits) { f.Slice = 700 },
		func(f *renderer.Frame, _ *renderer.Limits) { f.Subgroups = renderer.VirtualSubgroups },
		func(_ *renderer.Frame, l *renderer.Limits) { l.Multiprocessors = 4 },
		func(_ *renderer.Frame, l *renderer.Limits) { l.Shared = true }},
	{func(f *renderer.Frame, _ *renderer.Limits) { f.Width, f.Height = 1920, 1080 },
		func(f *renderer.Frame, _ *renderer.Limits) {
			f.Look, f.Palette = renderer.Look{Smooth: true, Edges: 2, Light: renderer.FullLight}, picture.Palette(1)
		},
		func(f *renderer.Frame, _ *renderer.Limits) {
			f.Marks = slices.Repeat([]renderer.Mark{renderer.Dimmed, renderer.Hidden}, len(f.Scene.Draws))[:len(f.Scene.Draws)]
		}},
}

// anyFrame chooses a frame's and a device's settings by a seed.
func anyFrame(t *testing.T, seed uint64) (renderer.Frame, renderer.Limits) {
	r := rand.New(rand.NewPCG(seed, 3))
	all := reuse.Names()
	c := must.Get(reuse.Resolve(all[seed%uint64(len(all))], []int{8, 32, 0, 8}[r.IntN(4)], []int{0, 0, 96}[r.IntN(3)]))
	f, l := renderer.Frame{Scene: strip(3000), Reuse: c, Width: 64, Height: 48}, testLimits
	switch r.IntN(5) {
	case 0, 1:
		f.Scene = indextest.ManyDraws(seed)
		f.Scene.Name = "many draws"
		for i := range f.Scene.Draws {
			f.Scene.Draws[i].OneSided, f.Scene.Draws[i].Color = i%2 == 0, geometry.DefaultColor
		}
		require.NoError(t, f.Scene.MakeNormals(t.Context()))
	case 2:
		withTexture(f.Scene)
	case 3:
		own := []string{"transform", "legacy", "clipped", "skin8", "drawid", "images", "functions"}
		foreign := customFrame(t, "city6", own[r.IntN(len(own))])
		f.Scene, f.Shading, f.View = foreign.Scene, foreign.Shading, renderer.Shaded
		varied(f.Shading, r)
	}
	l.Mesh = renderer.MeshLimits{MaxGroups: 65535, MaxTotal: 1 << 22, MaxWorkgroup: 256, SharedBytes: 28 << 10, OutputBytes: 32 << 10,
		Vertices: 256, Triangles: 256, Preferred: 128, NativeLanes: []int{8}}
	if l.Shared = seed%6 == 0; l.Shared { // so that some plans are lean
		f.Raster = []renderer.RasterHost{renderer.ComputeRaster, renderer.FusedRaster}[seed/6%2]
	}
	for _, values := range frameChanges {
		if r.IntN(4) == 0 {
			values[r.IntN(len(values))](&f, &l)
		}
	}
	if whole, err := New(f, l); err == nil && r.IntN(4) == 0 {
		f.DeviceBudget = whole.DeviceBytes() - 16<<10 // so that the scene comes in windows
	}
	return f, l
}

// withTexture gives a scene a material whose transparent texels are dropped.
func withTexture(s *geometry.Scene) {
	s.Attributes = []geometry.Attribute{{Name: "TEXCOORD_0", Format: vertexformat.R32G32_SFLOAT, Data: make([]byte, 8*len(s.Positions))}}
	s.Textures = &geometry.Textures{Sets: []int{0}, Texels: make([]uint32, 21), Materials: []geometry.Material{{
		Width: 4, Height: 4, Levels: 3, Wrap: [2]geometry.Wrap{1, 2}, Tint: mgl32.Vec3{255, 51, 102}, Cutoff: .5,
		Transform: [2]mgl32.Vec3{{1, 0, .25}, {0, 2, .5}},
	}}}
	s.Draws[0].Material = 1
}

// varied gives draws their own values and built-in variables, and takes the program from some. Some seeds also make the
// shading that of a captured frame, others make the camera fill blocks.
func varied(s *geometry.Shading, r *rand.Rand) {
	s.Values = append(s.Values, slices.Repeat([]byte{1, 2, 3, 4}, 256))
	for i := range s.Draws {
		d := &s.Draws[i]
		d.BaseVertex, d.BaseInstance, d.Instance, d.DrawIndex = int32(i), int32(2*i), int32(3*i), int32(4*i)
		for k := range d.Values {
			d.Values[k] = r.IntN(2)
		}
		if i%5 == 4 {
			d.Program, d.Why, d.Values = -1, "none", nil
		}
	}
	switch blocks := s.Programs[0].Vertex.Blocks; r.IntN(3) {
	case 0:
		matrix := mgl32.Perspective(.7, 1, 1, 9)
		s.Captured, s.Draws[1].Clip = &matrix, mgl32.Scale3D(1, -1, 1)
	case 1:
		for what := geometry.ModelMatrix; len(blocks) > 0 && what <= geometry.Viewport; what++ {
			if blocks[0].Size >= 64 {
				s.Filled = append(s.Filled, geometry.Filled{What: what, Columns: 3, Rows: 4, MatrixStride: 16})
			}
		}
	}
}

// facts describes a plan in the four parts that TestPlansStayAsTheyAre names.
func facts(p *Plan) (parts [4][]string) {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	stats := reuse.Stats{Indices: 3 * p.Frame.Scene.Triangles(), Triangles: p.Frame.Scene.Triangles(), Invocations: 777}
	add("bytes %d, geometry %d, batchless %q, backend %q, holds %q", p.DeviceBytes(), p.GeometryBytes(stats), p.Batchless(), p.Backend(), p.Holds())
	add("room for %d vertices and %d triangles, share %.4f, fitted to %d, native %t, halves %d, narrow %t, numbered %d, sole %t, lean %t, triangle lanes %d",
		p.VertexCapacity, p.TriangleCapacity, p.VertexShare, p.FittedTo, p.Native, p.Halves, p.Narrow, p.Numbered, p.Sole, p.Lean, p.TriangleLanes)
	add("gathered %t, %d batches, window bytes %d, fetched %d, cornered %t, attributes %d, counting %v, keeps visible %t, at once %d %d, short %v", p.Gathered,
		p.BatchCount, p.WindowBytes, p.FetchBytes, p.Cornered(), p.AttributeCount(), p.Counting(), p.KeepsVisible(), p.AtOnce(false), p.AtOnce(true), shortened(p))
	add("legend %q %q", p.Legend(stats, nil).Title, p.Legend(stats, nil).Lines)
	add("data %x", sha256.Sum256(fmt.Append(nil, p.Batches, p.Meshlets, DrawData(&p.Frame, p.Frame.Scene, p.Frame.Marks))))
	parts[0], lines = lines, nil
	camera := renderer.Camera{Azimuth: 30, Elevation: 20, FovY: 40, Distance: 5, Near: 1, Far: 9}
	for i := range p.Buffers {
		if data := p.ShadeData(p.Buffers[i].Block); data != nil {
			followed := slices.Clone(data)
			p.FollowShade(p.Buffers[i].Block, camera, followed)
			var moved []int // words that follow the camera: their last bits may differ between processors
			for at := 0; at+4 <= len(data); at += 4 {
				if !bytes.Equal(data[at:at+4], followed[at:at+4]) {
					moved = append(moved, at/4)
				}
			}
			add("%s %x %d", p.Buffers[i].Name, sha256.Sum256(data), moved)
		}
	}
	if s := p.Frame.Scene; s.Textures != nil {
		add("materials %+v", MaterialData(s))
	}
	for _, c := range p.Chunks {
		add("chunk %+v", c)
	}
	for _, w := range p.Windows {
		add("window of %d pieces from triangle %d and batch %d, chunks %d to %d: %x", len(w.Pieces), w.FirstTriangle, w.FirstBatch, w.FirstChunk, w.EndChunk,
			sha256.Sum256(fmt.Append(nil, w.Pieces)))
	}
	for _, b := range p.Buffers {
		add("buffer %+v", b)
	}
	parts[1], lines = lines, nil
	for i := range p.Passes {
		pass := &p.Passes[i]
		text := fmt.Sprintf("pass %s of chunk %d, beside %t, rare %t, once %t", pass.Name, pass.Chunk, pass.Beside, pass.Rare, pass.Once)
		for _, u := range slices.SortedFunc(slices.Values(pass.Uses), func(a, b Use) int { return cmp.Compare(a.Block, b.Block) }) {
			text += fmt.Sprintf(", %s=%s:%d", u.Block, p.Buffers[u.Buffer].Name, u.Access)
		}
		if op, ok := pass.Op.(*Dispatch); ok {
			add("%s; %v %+v %+v %+v %v %+v", text, op.Pipeline, op.Push, value(op.Raster), value(op.Sort), op.Groups, value(op.Indirect))
			continue
		}
		add("%s; %s %+v", text, pass.Op.kind(), pass.Op)
	}
	parts[2], parts[3] = lines, []string{p.String()}
	return parts
}

func value[T any](x *T) any {
	if x == nil {
		return nil
	}
	return *x
}

// planFacts is where the test writes the full texts behind its digests, so that two commits can be compared by diff.
var planFacts = goflag.String("facts", "", "a file for all that the plans of TestPlansStayAsTheyAre hold")

// TestPlansStayAsTheyAre: 300 frames that combine all strategies with a few changed settings are
// planned, or refused, as testdata/plans.txt says. The file has digests of sizes and texts, of chunks and
// buffers, of passes, and of what --plan prints. After an intended change, -update rewrites it.
func TestPlansStayAsTheyAre(t *testing.T) {
	var digests, all strings.Builder
	planned, lean := 0, 0
	for seed := range uint64(300) {
		f, l := anyFrame(t, seed)
		parts := [4][]string{}
		p, err := New(f, l)
		if err == nil {
			planned++
			if parts = facts(p); p.Lean {
				lean++
			}
		} else {
			parts[0] = []string{err.Error()}
		}
		fmt.Fprintf(&digests, "%d %s", seed, f.Reuse.Strategy.Name)
		for _, lines := range parts {
			text := strings.Join(lines, "\n")
			fmt.Fprintf(&digests, " %.4x", sha256.Sum256([]byte(text)))
			fmt.Fprintf(&all, "%d %s\n", seed, text)
		}
		digests.WriteByte('\n')
	}
	require.Greater(t, min(planned, 15*lean), 180)
	if *planFacts != "" {
		require.NoError(t, os.WriteFile(*planFacts, []byte(all.String()), 0o644))
	}
	const path = "testdata/plans.txt"
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(digests.String()), 0o644))
	}
	want := must.Get(os.ReadFile(path))
	require.Equal(t, string(want), digests.String(), "go test ./internal/renderer/plan -run TestPlansStayAsTheyAre -update; -facts shows what changed")
}

// shortened lists the passes of Short and Rest of a lean plan, each with its Beside; nil for other plans.
func shortened(p *Plan) (list []string) {
	if p.Lean {
		for _, pass := range slices.Concat(p.Short(), p.Rest()) {
			list = append(list, fmt.Sprint(pass.Name, pass.Beside))
		}
	}
	return list
}
