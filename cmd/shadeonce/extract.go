package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shadeonce/shadeonce/geometry/capture"
	"github.com/shadeonce/shadeonce/internal/base/atomicfile"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/extract"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/report"
)

// extractFlags are the flags of the extract command.
type extractFlags struct {
	output string
	draw   int
	force  bool
}

func newExtract() *cobra.Command {
	var f extractFlags
	cmd := newCommand("extract", oneFile, f.extract)
	flags := cmd.Flags()
	flags.IntVar(&f.draw, "draw", -1, "the draw, by the `event` that analyze --per-draw lists")
	flags.StringVarP(&f.output, "output", "o", "", "the `folder` to write")
	flags.BoolVar(&f.force, "force", false, "replace a draw that was extracted before")
	cli.CompleteValues(cmd, nil)
	return cmd
}

func (f *extractFlags) extract(to streams, args []string) error {
	path := args[0]
	switch {
	case f.output == "":
		return cli.Usagef("extract: no output: -o FOLDER")
	case f.draw < 0:
		return cli.Usagef("extract: no draw: --draw EVENT, as analyze --per-draw lists them")
	}
	must.OK(extract.Check(f.output, f.force))
	m := cli.NewMeter(to.err)
	defer m.Wipe()
	scene := must.Get(cli.OpenUntilInterrupted(m.Stage(0, .9, "reading %s", path), path, capture.Readers().Attributes()))
	defer scene.Release()
	draw, err := extract.Take(scene, f.draw)
	must.OK(measure.About(path, err))
	must.OK(cli.UntilInterrupted(func(ctx context.Context) error { return draw.Write(ctx, f.output, f.force) }))
	m.Wipe()
	for _, note := range draw.Notes {
		cli.Tell(to.err, note)
	}
	file := func(name string) string { return filepath.Join(f.output, name) }
	command := func(name string, more ...string) string {
		all := []string{"shadeonce", name, file(extract.Mesh), "--vertex-shader", file(extract.Shader), "--uniforms", file(extract.Uniforms)}
		if draw.Entry != "" {
			all = append(all, "--entry", draw.Entry)
		}
		return report.Quote(append(all, more...)...)
	}
	size := "1280x720"
	if view := scene.View(); view != nil {
		size = fmt.Sprintf("%dx720", int(math.Round(float64(720*view.Aspect))))
	}
	written := names.Of(draw.Files, func(x atomicfile.Named) string { return x.Name })
	_, err = fmt.Fprintf(to.said, "%s: %s with %s of draw %d, %s\n\n%s\n%s\n", names.Printable(f.output), strings.Join(written, ", "),
		names.Count(draw.Scene.Triangles(), "triangle"), f.draw, names.Count(len(draw.Scene.Draws), "instance"),
		command("render", "--size", size, "-o", filepath.Clean(f.output)+".png"), command("bench", "--load", "simple"))
	return err
}
