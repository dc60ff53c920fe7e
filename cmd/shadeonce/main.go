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

	"github.com/shadeonce/shadeonce/internal/manual"
	"github.com/shadeonce/shadeonce/internal/names"
)

// Exit statuses: other people's scripts tell bad input from bad usage.
const (
	exitFailure = 1
	exitUsage   = 2
)

// usageError is a command line that cannot work, whatever the files hold.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run executes one command line and returns its exit status. An error is one
// line on stderr; a stdout that cannot be written is one.
func run(args []string, stdout, stderr io.Writer) int {
	out := &stickyWriter{w: stdout}
	root := newRoot(out, stderr)
	root.SetArgs(args)
	err := root.Execute()
	if err == nil && out.err != nil {
		err = fmt.Errorf("standard output: %w", cause(out.err))
	}
	if err == nil {
		return 0
	}
	fmt.Fprintf(stderr, "shadeonce: %s\n", printable(err.Error()))
	var usage usageError
	var signal interrupted
	switch {
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &signal):
		return signal.status()
	}
	return exitFailure
}

func newRoot(stdout, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   "shadeonce",
		Short: "Streaming vertex reuse in compute shaders: analyse and render meshes",
		Long: "Finds repeated indices in compute shaders, shades each vertex (almost) once, and says\n" +
			"how often each was shaded: as a table, JSON or CSV (analyze) and as a picture (render).\n\n" +
			"FILE is an OBJ, PLY, STL, OFF, glTF or GLB mesh or a frame captured by RenderDoc (.zip.xml,\n" +
			".rdc, mesh .csv), also inside .gz or .zst, or asset:NAME for a scene that is built in:\n" + assetNames() + ".",
		Example: "  shadeonce analyze bunny.ply\n" +
			"  shadeonce render bunny.ply -o bunny.png\n" +
			"  shadeonce render asset:knot -o knot.png --view batches",
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version(),
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
	root.AddCommand(newAnalyze(), newBench(), newRender(), newConvert(), newReport(), newDevices(), newDoctor())
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
	return usageError{names.Unknown("command", name, have)}
}

// flagError is what is wrong with a flag; one that does not exist is told the
// nearest that does.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return usageError{err}
	}
	var have []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { have = append(have, f.Name) })
	if near := names.Nearest(unknown.GetSpecifiedName(), have); near != "" {
		return usagef("%w: did you mean --%s?", err, near)
	}
	return usageError{err}
}

// usageOnly makes what a command of cobra's own says about its arguments a
// usage error, below it too.
func usageOnly(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return usageError{err}
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
			return usagef("%s: no file given; asset:NAME names a built-in scene: %s", cmd.Name(), assetNames())
		case single && len(args) > 1:
			return usagef("%s: takes one file, got %d", cmd.Name(), len(args))
		}
		return nil
	}
}

func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s: takes no arguments, got %q", cmd.Name(), args[0])
	}
	return nil
}
