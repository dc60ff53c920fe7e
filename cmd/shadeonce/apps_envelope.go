package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/apps"
	"github.com/shadeonce/shadeonce/geometry/apps/envelope"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/names"
	"github.com/shadeonce/shadeonce/internal/progress"
	"github.com/shadeonce/shadeonce/internal/replace"
)

// envelopeFlags are those of apps envelope.
type envelopeFlags struct {
	appFlags
	percent float64
	side    string
	levels  string
}

const bothSides = "both"

var sideNames = []string{envelope.Outer.String(), envelope.Inner.String(), bothSides}

func newEnvelope() *cobra.Command {
	var f envelopeFlags
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
			return cli.WithFaults(func() error { return f.run(cmd.OutOrStdout(), cmd.ErrOrStderr(), args[0]) })
		},
	}
	flags := cmd.Flags()
	flags.Float64Var(&f.percent, "percent", 2, "the distance in percent of the diagonal of the mesh's box")
	flags.StringVar(&f.side, "side", sideNames[0], "which envelope: "+strings.Join(sideNames, ", "))
	flags.StringVar(&f.levels, "levels", "", "a .csv or .json `file` to write every vertex's level to")
	f.add(cmd, "the mesh `file` to write")
	cli.CompleteValues(cmd, map[string][]string{"side": sideNames})
	return cmd
}

// The paper's batches and workgroups, section 6.2.
var envelopePaper = map[string]reuse.Params{
	"naive": {Batch: 96}, "warp": {Batch: 96},
	"hash": {Batch: 576, Unique: 128, Workgroup: 128}, "phash": {Batch: 768, Unique: 128, Workgroup: 128},
	"sort": {Batch: 768, Unique: 128, Workgroup: 128},
}

// sides are those of --side.
func (f *envelopeFlags) sides() ([]envelope.Side, error) {
	switch f.side {
	case sideNames[envelope.Outer]:
		return []envelope.Side{envelope.Outer}, nil
	case sideNames[envelope.Inner]:
		return []envelope.Side{envelope.Inner}, nil
	case bothSides:
		return []envelope.Side{envelope.Outer, envelope.Inner}, nil
	}
	return nil, cli.AsUsage(names.Unknown("side", f.side, sideNames))
}

func (f *envelopeFlags) run(stdout, stderr io.Writer, path string) error {
	configs, err := f.configs(envelopePaper)
	if err != nil {
		return err
	}
	sides, err := f.sides()
	if err != nil {
		return err
	}
	if !(f.percent >= envelope.MinPercent && f.percent <= envelope.MaxPercent) {
		return cli.Usagef("--percent %g: must be %g to %g", f.percent, envelope.MinPercent, float64(envelope.MaxPercent))
	}
	if err := f.checkPlaces(); err != nil {
		return err
	}
	var meshes []*apps.Mesh
	var shaded [][]envelope.Shaded
	var drawn []string
	notices, err := f.EachScene([]string{path}, func(_, order string, scene *geometry.Scene) error {
		return withProgress(stderr, "making the envelope", func(ctx context.Context) error {
			m, err := apps.NewMesh(progress.Part(ctx, 0, .1), scene)
			if err != nil {
				return err
			}
			for i, side := range sides {
				ctx := progress.Part(ctx, .1+.9*float64(i)/float64(len(sides)), .1+.9*float64(i+1)/float64(len(sides)))
				e, out, err := f.envelope(ctx, m, side, configs, path, order)
				if err != nil {
					return err
				}
				if len(shaded) < len(sides) { // of the first order
					meshes, shaded, drawn = append(meshes, e.Result(out)), append(shaded, out), append(drawn, side.String())
				}
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	if err := saveMeshes(f.output, drawn, meshes...); err != nil {
		return err
	}
	if err := f.writeLevels(drawn, shaded); err != nil {
		return err
	}
	for _, notice := range append(notices, atRest(path, drawn, meshes, shaded)...) {
		cli.Tell(stderr, notice)
	}
	return f.print(stdout)
}

func (f *envelopeFlags) checkPlaces() error {
	if err := format.CanSave(f.output); err != nil || f.levels == "" {
		return err
	}
	switch filepath.Ext(f.levels) {
	case ".csv":
		return replace.CheckFile(f.levels, "table of levels", "vertex,")
	case ".json":
		return replace.CheckFile(f.levels, "list of levels", "[")
	}
	return cli.Usagef("--levels %s: want a name that ends with .csv or .json", f.levels)
}

// envelope makes one envelope, by every strategy.
func (f *envelopeFlags) envelope(ctx context.Context, m *apps.Mesh, side envelope.Side, configs []reuse.Config, path, order string) (*envelope.Envelope, []envelope.Shaded, error) {
	began := time.Now()
	e, err := envelope.New(progress.Part(ctx, 0, .1), m, side, f.percent)
	if err != nil {
		return nil, nil, err
	}
	tables := measure.Milliseconds(time.Since(began))
	share := 1 / float64(len(configs)+1)
	out, err := e.Shade(progress.Part(ctx, .1, .1+.9*share))
	if err != nil {
		return nil, nil, err
	}
	for i, c := range configs {
		began := time.Now()
		got, st, _, err := e.Run(progress.Part(ctx, .1+.9*share*float64(i+1), .1+.9*share*float64(i+2)), c)
		if err != nil {
			return nil, nil, err
		}
		row := appRow{App: "envelope", File: path, Order: order, Part: side.String(), Tables: tables, Hash: fmt.Sprintf("%016x", e.Sum(got))}
		f.addRow(row, c, began, st)
		if f.check && !sameWhereNamed(e, got, out) {
			return nil, nil, fmt.Errorf("%s: the %s envelope is not what shading everything once makes", c, side)
		}
	}
	return e, out, nil
}

// sameWhereNamed compares the vertices that triangles name: a strategy may shade others.
func sameWhereNamed(e *envelope.Envelope, a, b []envelope.Shaded) bool {
	for _, v := range e.Mesh.Triangles {
		if a[v] != b[v] {
			return false
		}
	}
	return true
}

// atRest says what of a mesh could not move.
func atRest(path string, drawn []string, meshes []*apps.Mesh, shaded [][]envelope.Shaded) (notices []string) {
	for i, m := range meshes {
		named := slices.Compact(slices.Sorted(slices.Values(m.Triangles)))
		still := 0
		for _, v := range named {
			if shaded[i][v].Level == 0 {
				still++
			}
		}
		if still > 0 {
			notices = append(notices, fmt.Sprintf("%s: %d of %d vertices of the %s envelope stay where they are: the mesh meets itself there, or nearly", path, still, len(named), drawn[i]))
		}
	}
	return notices
}

// writeLevels writes every vertex's level on each side.
func (f *envelopeFlags) writeLevels(sides []string, shaded [][]envelope.Shaded) error {
	if f.levels == "" {
		return nil
	}
	var data bytes.Buffer
	if filepath.Ext(f.levels) == ".json" {
		rows := make([]map[string]int, len(shaded[0]))
		for v := range rows {
			rows[v] = map[string]int{"vertex": v}
			for i, side := range sides {
				rows[v][side] = int(shaded[i][v].Level)
			}
		}
		if err := cli.WriteJSON(&data, rows); err != nil {
			return err
		}
		return writePicture(f.levels, data.Bytes())
	}
	out := csv.NewWriter(&data)
	_ = out.Write(append([]string{"vertex"}, sides...)) // to memory
	for v := range shaded[0] {
		record := []string{strconv.Itoa(v)}
		for i := range sides {
			record = append(record, strconv.Itoa(int(shaded[i][v].Level)))
		}
		_ = out.Write(record)
	}
	out.Flush()
	return writePicture(f.levels, data.Bytes())
}
