package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/spf13/cobra"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/apps"
	"github.com/shadeonce/shadeonce/geometry/apps/subdivide"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/bytesize"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/progress"
)

// subdivideFlags are those of apps subdivide.
type subdivideFlags struct {
	appFlags
	levels int
	memory string
}

func newSubdivide() *cobra.Command {
	var f subdivideFlags
	cmd := &cobra.Command{
		Use:   "subdivide FILE -o OUT",
		Short: "Refine a mesh by Loop's scheme",
		Long: "Refines a triangle mesh by Loop's scheme: corners and edges are two index streams, so\n" +
			"that vertices and the points of edges are both made once a batch. OUT is written in the\n" +
			"format that its extension names:" + extensions() + ".",
		Example: "  shadeonce apps subdivide bunny.ply -o smooth.glb --levels 2\n" +
			"  shadeonce apps subdivide asset:sphere4 -o fine.ply --strategy all --order forsyth --check",
		Args: files(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			return cli.WithFaults(func() error { return f.run(cmd.OutOrStdout(), cmd.ErrOrStderr(), args[0]) })
		},
	}
	cmd.Flags().IntVar(&f.levels, "levels", 1, fmt.Sprintf("how often each triangle becomes four, 1 to %d", mostLevels))
	cmd.Flags().StringVar(&f.memory, "memory-budget", "", "memory for all: levels that need more are refused (default what the system has free)")
	f.add(cmd, "the mesh `file` to write")
	return cmd
}

const mostLevels = 12

// The paper's batches and workgroups, section 6.1.
var subdividePaper = map[string]reuse.Params{
	"naive": {Batch: 96}, "warp": {Batch: 96},
	"hash": {Batch: 192, Unique: 64, Workgroup: 64}, "phash": {Batch: 192, Unique: 64, Workgroup: 64},
	"sort": {Batch: 768, Unique: 256, Workgroup: 256},
}

func (f *subdivideFlags) run(stdout, stderr io.Writer, path string) error {
	configs, err := f.configs(subdividePaper)
	if err != nil {
		return err
	}
	if f.levels < 1 || f.levels > mostLevels {
		return cli.Usagef("--levels %d: must be 1 to %d", f.levels, mostLevels)
	}
	if _, err := f.budget(); err != nil {
		return err
	}
	if err := format.CanSave(f.output); err != nil {
		return err
	}
	var fine *apps.Mesh
	notices, err := f.EachScene([]string{path}, func(_, order string, scene *geometry.Scene) error {
		return withProgress(stderr, "subdividing", func(ctx context.Context) error {
			m, err := apps.NewMesh(progress.Part(ctx, 0, .1), scene)
			if err != nil {
				return err
			}
			if err := f.fits(m); err != nil {
				return err
			}
			m, err = f.refine(progress.Part(ctx, .1, 1), m, configs, path, order)
			if fine == nil {
				fine = m // of the first order
			}
			return err
		})
	})
	if err != nil {
		return err
	}
	if err := saveMeshes(f.output, []string{"subdivided"}, fine); err != nil {
		return err
	}
	for _, notice := range notices {
		cli.Tell(stderr, notice)
	}
	return f.print(stdout)
}

// fits refuses levels that take more memory than there is.
func (f *subdivideFlags) fits(m *apps.Mesh) error {
	need, triangles, err := subdivide.Memory(m, f.levels)
	if err != nil {
		return err
	}
	have, err := f.budget()
	if err == nil && have > 0 && need > have {
		err = fmt.Errorf("%d levels make %d triangles, which take about %s of memory: there is %s", f.levels, triangles, bytesize.Text(need), bytesize.Text(have))
	}
	return err
}

// budget is how many bytes may be taken; 0 where nobody says.
func (f *subdivideFlags) budget() (int64, error) {
	if f.memory != "" {
		return cli.ParseBytes("memory-budget", f.memory)
	}
	text, _ := os.ReadFile("/proc/meminfo") // there is none but on Linux
	for line := range strings.Lines(string(text)) {
		var kib int64
		if n, _ := fmt.Sscanf(line, "MemAvailable: %d kB", &kib); n == 1 {
			return kib << 10, nil
		}
	}
	return 0, nil
}

// refine refines a mesh level by level, by every strategy.
func (f *subdivideFlags) refine(ctx context.Context, m *apps.Mesh, configs []reuse.Config, path, order string) (*apps.Mesh, error) {
	share := 1 / float64(f.levels)
	for n := range f.levels {
		ctx := progress.Part(ctx, float64(n)*share, float64(n+1)*share)
		began := time.Now()
		level, err := subdivide.NewLevel(progress.Part(ctx, 0, .3), m)
		if err != nil {
			return nil, err
		}
		tables := measure.Milliseconds(time.Since(began))
		if m, err = level.Refine(progress.Part(ctx, .3, .5)); err != nil {
			return nil, err
		}
		hash := m.Sum()
		for _, c := range configs {
			began := time.Now()
			out, counts, err := level.RefineBy(progress.Silent(ctx), c)
			if err != nil {
				return nil, err
			}
			row := appRow{App: "subdivide", File: path, Order: order, Part: fmt.Sprintf("level %d", n+1), Edges: counts.Edges.Invocations, Tables: tables, Hash: hash}
			f.addRow(row, c, began, counts.Corners, counts.Edges)
			if f.check && out.Sum() != hash {
				return nil, fmt.Errorf("%s: level %d is not what shading everything once makes", c, n+1)
			}
		}
	}
	return m, nil
}

// saveMeshes writes meshes, which have the same number of names, as the draws of one file.
func saveMeshes(path string, names []string, meshes ...*apps.Mesh) error {
	colors := []mgl32.Vec4{geometry.DefaultColor, {.75, .35, .3, 1}}
	s := &geometry.Scene{Name: path}
	for i, m := range meshes {
		s.Draws = append(s.Draws, geometry.Draw{
			Name: names[i], FirstIndex: uint32(len(s.Indices)), IndexCount: uint32(len(m.Triangles)),
			VertexOffset: uint32(len(s.Positions)), VertexCount: uint32(len(m.Positions)),
			Transform: mgl32.Ident4(), Color: colors[i%len(colors)],
		})
		s.Indices, s.Positions = slices.Concat(s.Indices, m.Triangles), slices.Concat(s.Positions, m.Positions)
	}
	return cli.UntilInterrupted(func(ctx context.Context) error {
		if err := s.MakeNormals(ctx); err != nil {
			return err
		}
		return format.Save(ctx, path, s)
	})
}
