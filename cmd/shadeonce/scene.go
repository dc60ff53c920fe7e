package main

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// sceneFlags are the flags that render and bench share: how a scene is shaded and drawn.
type sceneFlags struct {
	cli.StrategyFlags
	cli.CullFlags
	subdivide cli.SubdivideFlags
	shader    cli.ShaderFlags
	queue     string
	memory    cli.MemoryFlags
	as        cli.OutputFlags
}

// add adds the flags. strategies is the default of --strategy; budget describes the default of
// --queue-budget.
func (f *sceneFlags) add(cmd *cobra.Command, open cli.Opener, strategies, budget string) {
	f.Backend.Open = open
	flags := cmd.Flags()
	f.StrategyFlags.Add(flags, strategies)
	f.CullFlags.Add(flags)
	f.subdivide.Add(flags)
	f.shader.Add(flags)
	flags.StringVar(&f.queue, "queue", "indexed", "queue form: "+strings.Join(renderer.QueueFormNames, ", "))
	f.memory.Add(flags, budget)
	f.as.Add(flags)
}

// read reads the flags into a frame.
func (f *sceneFlags) read(frame *renderer.Frame) error {
	return cmp.Or(
		cli.Read(&frame.Queue, cli.ParseQueue, f.queue),
		cli.Read(&frame.Subgroups, cli.ParseSubgroups, f.Subgroups),
		f.memory.Apply(frame),
		f.CullFlags.Apply(frame),
		f.subdivide.Check(),
	)
}

// modes maps each mode that flags ask for to the flag, since a frame without its scene does not
// show them.
func (f *sceneFlags) modes() map[*plan.Mode]string {
	given := f.subdivide.Modes()
	if _, foreign := f.shader.Ours(); foreign {
		given[plan.UserShader] = plan.UserShader.Flag + " " + f.shader.Name
	}
	if f.Backend.Backend == cli.CPU {
		given[plan.OnCPU] = plan.OnCPU.Flag
	}
	return given
}

// inRange returns an error for a number that is out of range.
func inRange(flag string, value, from, to int) error {
	if value < from || value > to {
		return cli.Usagef("--%s %d: must be %d to %d", flag, value, from, to)
	}
	return nil
}

// parseLoad parses one value of --load.
func parseLoad(name string) (load measure.Load, err error) {
	load.Name = name
	load.Shader, load.Cycles, err = cli.ParseLoad(name)
	return load, err
}
