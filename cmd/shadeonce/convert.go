package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
)

// convertFlags are the flags of the convert command.
type convertFlags struct {
	output, order string
	copies        int
}

func newConvert() *cobra.Command {
	var f convertFlags
	cmd := newCommand("convert", oneFile, f.convert)
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "the `file` to write, or - for standard output, as GLB")
	flags.StringVar(&f.order, "order", "original", "index order `name`: "+cli.OrderNames())
	flags.IntVar(&f.copies, "copies", 1, "how many instances of the scene to lay out")
	cli.CompleteValues(cmd, nil)
	return cmd
}

// convert checks the whole command line before it opens the file.
func (f *convertFlags) convert(to streams, args []string) error {
	path := args[0]
	if f.output == "" {
		return cli.Usagef("convert: no output: -o FILE, of a format that can be written: %s", strings.Join(cli.Writable(), " "))
	}
	_, err := order.Lookup(f.order)
	must.OK(cli.AsUsage(err))
	if f.copies < 1 {
		return cli.Usagef("--copies %d: want at least 1", f.copies)
	}
	if f.output != cli.Standard {
		must.OK(cli.CheckMesh(f.output))
	}
	read, _ := os.Stat(path)
	if written, _ := os.Stat(f.output); os.SameFile(read, written) { // false if one of them does not exist
		return cli.Usagef("convert: -o %s is the file that is read: name another", f.output)
	}
	m := cli.NewMeter(to.err)
	defer m.Wipe()
	reorder := func(ctx context.Context, s *geometry.Scene) (*geometry.Scene, error) {
		return order.Apply(ctx, s, f.order)
	}
	var whole format.GLTFCopy
	ext := format.Extension(f.output)
	gltf := f.output == cli.Standard || ext == ".glb" || ext == ".gltf"
	if f.copies == 1 && gltf {
		whole.Reorder, whole.Text = reorder, ext == ".gltf"
		whole.Save = func(ctx context.Context, write func(io.Writer) error) error {
			if f.output == cli.Standard {
				return write(to.out)
			}
			return format.SaveAs(ctx, f.output, write)
		}
	}
	scene := must.Get(cli.OpenUntilInterrupted(m.Stage(0, .4, "reading %s", path), path, capture.ReadersCopying(&whole).Looks(whole.Save == nil)))
	defer scene.Release()
	if !gltf {
		scene = shown(scene)
	}
	if !whole.Saved {
		must.OK(cli.Guard(path, scene, func() error { return f.saveScene(m, to.out, path, scene, reorder) }))
	}
	m.Wipe()
	for _, notice := range append(f.lost(&whole, scene), whole.Notices...) {
		cli.Tell(to.err, f.output+": "+notice)
	}
	if !whole.Saved {
		cli.Tell(to.err, cli.LeftOut(path, scene))
	}
	if f.output == cli.Standard {
		return nil
	}
	_, err = fmt.Fprintf(to.said, "%s: %s, %s\n", names.Printable(f.output), names.Count(f.copies*len(scene.Draws), "draw"), names.Count(f.copies*scene.Triangles(), "triangle"))
	return err
}

// shown returns a captured frame without its hidden draws, which in world space are points at the origin. Beside counts them.
func shown(s *geometry.Scene) *geometry.Scene {
	var draws []int
	for i := range s.Draws {
		if s.Placing(i).How != geometry.Hidden {
			draws = append(draws, i)
		}
	}
	hidden := len(s.Draws) - len(draws)
	if hidden == 0 {
		return s
	}
	out := s.Only(draws)
	out.Beside = append(slices.Clip(s.Beside), fmt.Sprintf("draws that are not shown (%d)", hidden))
	return out
}

// saveScene writes the scene in the chosen order and number of copies. What a Scene does not hold is lost.
func (f *convertFlags) saveScene(m *cli.Meter, stdout io.Writer, path string, scene *geometry.Scene, reorder func(context.Context, *geometry.Scene) (*geometry.Scene, error)) (err error) {
	defer must.Catch(&err)
	ordered := must.Get(reorder(m.Stage(.4, .9, "ordering %s by %s", path, f.order), scene))
	all, err := ordered.Copies(f.copies)
	must.OK(measure.About(path, err))
	m.Stage(.9, 1, "writing %s", f.output)
	if f.output == cli.Standard {
		return format.WriteGLB(stdout, all)
	}
	return cli.UntilInterrupted(func(ctx context.Context) error { return format.Save(ctx, f.output, all) })
}

// lost returns notices about the written file: data that it lacks, files outside of its folder that it names, data that
// other programs may refuse, and draws merged into one mesh. It returns none for a copy of the whole file.
func (f *convertFlags) lost(whole *format.GLTFCopy, s *geometry.Scene) (notices []string) {
	if whole.Saved {
		return nil
	}
	out := f.output
	if out == cli.Standard {
		out = ".glb"
	}
	lacks, outside := format.Lacks(out, s)
	whole.Holds = slices.DeleteFunc(whole.Holds, func(what string) bool { return strings.HasPrefix(what, format.HoldsAttributes) }) // the scene has the attributes, so they are not lost
	if lost := slices.Concat(whole.Holds, s.Beside, lacks); len(lost) > 0 {
		notices = append(notices, "lost: "+strings.Join(lost, ", "))
	}
	if len(outside) > 0 {
		notices = append(notices, "names files outside of its folder: "+strings.Join(outside, ", "))
	}
	ext := format.Extension(out)
	if invalid := format.GLBInvalid(s); len(invalid) > 0 && (ext == ".glb" || ext == ".gltf") {
		notices = append(notices, "holds integers of 32 bits, which glTF does not allow in attributes and other programs may refuse: "+strings.Join(invalid, " "))
	}
	merges := []string{".ply", ".stl"}
	if draws := len(s.Draws) * f.copies; draws > 1 && slices.Contains(merges, ext) {
		notices = append(notices, names.Count(draws, "draw")+" merged into one mesh"+drawNames(s))
	}
	return notices
}

// drawNames lists the names of a scene's draws, or the first ones if there are many, after a colon.
func drawNames(s *geometry.Scene) string {
	const most = 12
	var list []string
	for i := range s.Draws {
		if name := s.Draws[i].Name; name != "" && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	switch {
	case len(list) == 0:
		return ""
	case len(list) > most:
		list = append(list[:most], fmt.Sprintf("and %d more", len(list)-most))
	}
	return ": " + strings.Join(list, ", ")
}
