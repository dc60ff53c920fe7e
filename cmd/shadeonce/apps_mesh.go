package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/apps/envelope"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/applications"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
)

// subdivideFlags are the flags of apps subdivide.
type subdivideFlags struct {
	appFlags
	applications.Subdivision
	memory string
}

func newSubdivide(open cli.Opener) *cobra.Command {
	var f subdivideFlags
	f.Backend.Open = open
	cmd := &cobra.Command{
		Use:   "subdivide FILE -o OUT",
		Short: "Refine a mesh by Loop's scheme",
		Long: "Refines a triangle mesh by Loop's scheme: corners and edges are two index streams, so\n" +
			"that vertices and the points of edges are both made once per batch. OUT is written in the\n" +
			"format that its extension names:" + extensions() + ".",
		Example: "  shadeonce apps subdivide bunny.ply -o smooth.glb --levels 2\n" +
			"  shadeonce apps subdivide asset:sphere4 -o fine.ply --strategy all --order forsyth --check",
		Args: files(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return f.session(cmd.ErrOrStderr(), &f.Run, func() error {
				return f.onMesh(cmd.OutOrStdout(), cmd.ErrOrStderr(), "subdividing", args[0], &f.Subdivision)
			})
		},
	}
	cmd.Flags().IntVar(&f.Levels, "levels", 1, fmt.Sprintf("how often each triangle becomes four, 1 to %d", applications.MaxLevels))
	cmd.Flags().StringVar(&f.memory, "memory-budget", "", "memory for all: levels that need more are refused (default what the system has free)")
	f.add(cmd, &f.Run, "the mesh `file` to write")
	return cmd
}

func (f *subdivideFlags) check() (err error) {
	if err = f.configs(&f.Subdivision.Run, appSizes{"claim", applications.SubdivisionPaper, applications.SubdivisionSizes}); err != nil {
		return err
	}
	if f.Levels < 1 || f.Levels > applications.MaxLevels {
		return cli.Usagef("--levels %d: must be 1 to %d", f.Levels, applications.MaxLevels)
	}
	if f.memory != "" {
		f.Memory, err = cli.ParseBytes("memory-budget", f.memory)
	}
	return err
}

// envelopeFlags are the flags of apps envelope.
type envelopeFlags struct {
	appFlags
	applications.Envelopes
	side string
}

func newEnvelope(open cli.Opener) *cobra.Command {
	var f envelopeFlags
	f.Backend.Open = open
	cmd := &cobra.Command{
		Use:   "envelope FILE -o OUT",
		Short: "Make the envelopes of a mesh that do not meet themselves",
		Long: "Moves every vertex outwards or inwards by up to a distance, as far as is certain not to\n" +
			"make the surface meet itself. How far is a level, 0 to 256. OUT is a mesh of the format\n" +
			"that its extension names:" + extensions() + "; both envelopes are two meshes in it.",
		Example: "  shadeonce apps envelope bunny.ply -o outer.glb\n" +
			"  shadeonce apps envelope bunny.ply -o both.glb --side both --percent 1 --levels levels.csv",
		Args: files(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return f.session(cmd.ErrOrStderr(), &f.Run, func() error {
				return f.onMesh(cmd.OutOrStdout(), cmd.ErrOrStderr(), "making the envelope", args[0], &f.Envelopes)
			})
		},
	}
	flags := cmd.Flags()
	flags.Float64Var(&f.Percent, "percent", 2, "the distance in percent of the diagonal of the mesh's box")
	flags.StringVar(&f.side, "side", applications.SideNames[0], "which envelope: "+strings.Join(applications.SideNames, ", "))
	flags.StringVar(&f.Levels, "levels", "", "a .csv or .json `file` to write every vertex's level to")
	f.add(cmd, &f.Run, "the mesh `file` to write")
	cli.CompleteValues(cmd, map[string][]string{"side": applications.SideNames})
	return cmd
}

func (f *envelopeFlags) check() (err error) {
	if err = f.configs(&f.Envelopes.Run, appSizes{"hash", applications.EnvelopePaper, applications.EnvelopeSizes}); err != nil {
		return err
	}
	if f.Sides, err = applications.Sides(f.side); err != nil {
		return cli.AsUsage(err)
	}
	if !(f.Percent >= envelope.MinPercent && f.Percent <= envelope.MaxPercent) { // NaN neither
		return cli.Usagef("--percent %g: must be %g to %g", f.Percent, envelope.MinPercent, float64(envelope.MaxPercent))
	}
	switch filepath.Ext(f.Levels) {
	case ".csv", ".json":
		return applications.CheckLevels(f.Levels)
	}
	if f.Levels != "" {
		return cli.Usagef("--levels %s: want a name that ends with .csv or .json", f.Levels)
	}
	return nil
}

// meshWork is an application on a mesh.
type meshWork interface {
	Do(context.Context, measure.Subject) error
	Save(ctx context.Context, path string) error
	Notices(path string) []string
	Rows() []applications.Row
}

// onMesh does the work on a mesh, in every order, and saves and prints what it made.
func (f *appFlags) onMesh(stdout, stderr io.Writer, doing, path string, work meshWork) error {
	if err := format.CanSave(f.output); err != nil {
		return err
	}
	notices, _, err := f.EachScene(stderr, doing, []string{path}, func(_ context.Context, path, order string, s *geometry.Scene) error {
		return cli.WithProgress(stderr, doing, func(ctx context.Context) error {
			return work.Do(ctx, measure.Subject{File: path, Order: order, Scene: s})
		})
	})
	if err != nil {
		return err
	}
	if err := cli.UntilInterrupted(func(ctx context.Context) error { return work.Save(ctx, f.output) }); err != nil {
		return err
	}
	for _, notice := range append(notices, work.Notices(path)...) {
		cli.Tell(stderr, notice)
	}
	return cli.PrintRows(stdout, f.as, work.Rows(), writeAppRows)
}
