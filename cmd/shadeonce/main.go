// Command shadeonce analyses and renders meshes without a display: how often
// each strategy shades each vertex, as a table, JSON or CSV, and as a picture.
//
// It never imports a window library.
package main

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/internal/built"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/manual"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run executes one command line and returns its exit status.
func run(args []string, stdout, stderr io.Writer) int {
	return cli.Run(newRoot(nil), args, stdout, stderr)
}

// newRoot makes the commands. open opens their GPU; nil opens a device for each session.
func newRoot(open cli.Opener) *cobra.Command {
	root := &cobra.Command{
		Use:   "shadeonce",
		Short: "Streaming vertex reuse in compute shaders: analyse and render meshes",
		Long: "Finds repeated indices in compute shaders, shades each vertex (almost) once, and says\n" +
			"how often each was shaded: as a table, JSON or CSV (analyze) and as a picture (render).\n\n" +
			"FILE is an OBJ, PLY, STL, OFF, glTF or GLB mesh or a frame captured by RenderDoc (.zip.xml,\n" +
			".rdc, mesh .csv), also inside .gz or .zst, or asset:NAME for a scene that is built in:\n" + cli.AssetNames() + ".",
		Example: "  shadeonce analyze bunny.ply\n" +
			"  shadeonce render bunny.ply -o bunny.png\n" +
			"  shadeonce render asset:knot -o knot.png --view batches",
		Version: built.By().String(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.AddCommand(newAnalyze(open), newBench(open), newRender(open), newCompare(), newConvert(), newApps(open), newReport(open, assets.All), newDevices(), newDoctor())
	manual.AddFlag(root, cli.ManualSections()...)
	return root
}

// files requires at least one file argument, and exactly one when single.
func files(single bool) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return cli.Usagef("%s: no file given; asset:NAME names a built-in scene: %s", cmd.Name(), cli.AssetNames())
		case single && len(args) > 1:
			return cli.Usagef("%s: takes one file, got %d", cmd.Name(), len(args))
		}
		return nil
	}
}

func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return cli.Usagef("%s: takes no arguments, got %q", cmd.Name(), args[0])
	}
	return nil
}
