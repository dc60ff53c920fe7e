// Command shadeonce analyses and renders meshes without a display: how often
// each strategy shades each vertex, as a table, JSON or CSV, and as a picture.
//
// It never imports a window library.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
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

func main() { os.Exit(run(os.Args[1:])) }

// run executes one command line and returns its exit status. An error is one
// line on standard error.
func run(args []string) int {
	root := newRoot()
	root.SetArgs(args)
	err := root.Execute()
	if err == nil {
		return 0
	}
	fmt.Fprintf(os.Stderr, "shadeonce: %v\n", err)
	var usage usageError
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailure
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "shadeonce",
		Short:         "Streaming vertex reuse in compute shaders: analyse and render meshes",
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version(),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("unknown command %q: see shadeonce --help", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(newAnalyze(), newRender(), newDevices(), newDoctor())
	return root
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
