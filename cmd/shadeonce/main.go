// Command shadeonce analyses and renders meshes without a display: how often
// each strategy shades each vertex, as a table, JSON or CSV, and as a picture.
//
// It never imports a window library.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/manual"
	"github.com/shadeonce/shadeonce/internal/names"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run executes one command line and returns its exit status. An error is one
// line on stderr; so is a stdout that cannot be written.
func run(args []string, stdout, stderr io.Writer) int {
	out := &cli.Writer{To: stdout}
	root := newRoot(out, stderr)
	root.SetArgs(args)
	err := root.Execute()
	if err == nil && out.Err != nil {
		err = fmt.Errorf("standard output: %w", cli.Cause(out.Err))
	}
	if err != nil {
		fmt.Fprintf(stderr, "shadeonce: %s\n", cli.Printable(err.Error()))
	}
	return cli.Status(err)
}

func newRoot(stdout, stderr io.Writer) *cobra.Command {
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
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       cli.Version(),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(stdout) // ahead of the completion command, which keeps it
	root.SetErr(stderr)
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(newAnalyze(), newBench(), newRender(), newConvert(), newApps(), newReport(), newDevices(), newDoctor())
	manual.AddFlag(root)
	root.SetHelpCommand(newHelp())
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Short = "Print a script that completes commands in bash, zsh, fish or PowerShell"
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
			usageOnly(cmd)
		}
	}
	return root
}

// newHelp is cobra's help command, but a command that does not exist is an error.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Describe a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			topic, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(cmd.Root(), strings.Join(args, " "))
			}
			topic.InitDefaultHelpFlag()
			topic.InitDefaultVersionFlag()
			return topic.Help()
		},
	}
}

func unknownCommand(root *cobra.Command, name string) error {
	var have []string
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() {
			have = append(have, cmd.Name())
		}
	}
	return cli.AsUsage(names.Unknown("command", name, have))
}

// flagError is what is wrong with a flag; one that does not exist is told the
// nearest that does.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return cli.AsUsage(err)
	}
	var have []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { have = append(have, f.Name) })
	if near := names.Nearest(unknown.GetSpecifiedName(), have); near != "" {
		return cli.Usagef("%w: did you mean --%s?", err, near)
	}
	return cli.AsUsage(err)
}

// usageOnly makes what a command of cobra's own says about its arguments a
// usage error, below it too.
func usageOnly(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return cli.AsUsage(err)
			}
			return nil
		}
	}
	for _, below := range cmd.Commands() {
		usageOnly(below)
	}
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
