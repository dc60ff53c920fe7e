package main

import (
	"context"
	"fmt"
	"io"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
)

// printPasses lists the passes of a captured frame, which render --pass takes.
func (f *analyzeFlags) printPasses(to streams, paths []string) error {
	must.OK(f.as.Check())
	if len(paths) != 1 {
		return cli.Usagef("--passes takes one captured frame, got %d files", len(paths))
	}
	scene := must.Get(cli.OpenUntilInterrupted(context.Background(), paths[0], f.shader.Readers()))
	defer scene.Release()
	if scene.Capture == nil || len(scene.Capture.Passes) == 0 {
		return measure.About(paths[0], fmt.Errorf("no captured frame that tells where the draws of its passes stand"))
	}
	return cli.PrintRows(to.out, f.as, scene.Capture.Passes, writePasses)
}

func writePasses(w io.Writer, passes []geometry.Pass) error {
	table := cli.NewTable(w, "lrrrl", "pass", "draws", "triangles", "shown", "")
	for _, p := range passes {
		camera := ""
		if p.Camera {
			camera = "whose camera is the scene's"
		}
		table.Row(names.Printable(p.Name), p.Draws, p.Triangles, p.Shown, camera)
	}
	return table.Render(w, "\nshown: draws that a picture shows without --pass; instances count as draws\n")
}
