package main

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
)

// convertFlags are those of the convert command.
type convertFlags struct {
	output, order string
	copies        int
}

func newConvert() *cobra.Command {
	var f convertFlags
	cmd := &cobra.Command{
		Use:   "convert FILE -o OUT",
		Short: "Write a mesh in another format, index order or number of copies",
		Long: "Writes a mesh in the format that the extension of OUT names:" + extensions() + ". GLB\n" +
			"keeps all that a scene holds, and a large one is not read into memory but mapped, so\n" +
			"that scenes larger than memory can be analysed. The others hold one instance after the\n" +
			"other in world space, and lose colours.\n\n" +
			"--copies N lays N instances out side by side. They share the mesh: a GLB of them is no\n" +
			"larger.",
		Example: "  shadeonce convert dragon.ply.zst -o dragon.glb --order forsyth\n" +
			"  shadeonce convert bunny.ply -o bunnies.glb --copies 1440\n" +
			"  shadeonce convert asset:terrain7072 -o terrain.glb",
		Args: files(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			return cli.WithFaults(func() error { return f.convert(cmd.ErrOrStderr(), args[0]) })
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "the `file` to write")
	flags.StringVar(&f.order, "order", "original", "index order `name`: "+cli.OrderNames())
	flags.IntVar(&f.copies, "copies", 1, "how many instances of the scene to lay out")
	cli.CompleteValues(cmd, nil)
	return cmd
}

// extensions are those of the formats that can be written.
func extensions() string {
	text := ""
	for _, w := range format.Writers() {
		text += " " + strings.Join(w.Extensions, " ")
	}
	return text
}

// convert finds what is wrong with the command line before it opens the file.
func (f *convertFlags) convert(stderr io.Writer, path string) error {
	if f.output == "" {
		return cli.Usagef("convert: no output: -o FILE, of a format that can be written:%s", extensions())
	}
	if _, err := order.Lookup(f.order); err != nil {
		return cli.AsUsage(err)
	}
	if f.copies < 1 {
		return cli.Usagef("--copies %d: want at least 1", f.copies)
	}
	if err := format.CanSave(f.output); err != nil {
		return err
	}
	m := cli.NewMeter(stderr)
	defer m.Wipe()
	scene, err := cli.OpenUntilInterrupted(m.Stage(0, .4, "reading %s", path), path)
	if err != nil {
		return err
	}
	defer scene.Release()
	ordered, err := order.Apply(m.Stage(.4, .9, "ordering %s by %s", path, f.order), scene, f.order)
	if err != nil {
		return err
	}
	all, err := ordered.Copies(f.copies)
	if err != nil {
		return measure.About(path, err)
	}
	m.Stage(.9, 1, "writing %s", f.output)
	if err := cli.UntilInterrupted(func(ctx context.Context) error { return format.Save(ctx, f.output, all) }); err != nil {
		return err
	}
	m.Wipe()
	cli.Tell(stderr, cli.LeftOut(path, scene))
	return nil
}
