// Command shadeonce analyses and renders meshes without a display. It reports how often
// each strategy shades each vertex, as a table, JSON or CSV, and as a picture.
//
// It never imports a window library. The text of each command's --help is a file in
// help/; each flag's text is next to its declaration.
package main

import (
	"embed"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/internal/base/buildinfo"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/model"
)

func main() {
	cli.EndOnSignal("shadeonce", os.Stderr)
	os.Exit(cli.Run(newRoot(nil), os.Args[1:], os.Stdout, os.Stderr))
}

// newRoot makes the commands. They open GPUs with `open`. If `open` is nil, each session opens a device of its own.
func newRoot(open cli.Opener) *cobra.Command {
	root := newCommand("shadeonce", nil, nil)
	root.Version = buildinfo.By().String()
	root.AddCommand(newAnalyze(open), new(benchFlags).command(open), newRender(open), newCompare(), newConvert(), newExtract(), newApps(open), newReport(open, assets.All), newDevices(open), newDoctor())
	cli.AddManual(root)
	return root
}

// streams are the outputs of a command: results, names of written files, and notices. With --quiet
// only results are printed.
type streams struct{ out, said, err io.Writer }

//go:embed help
var help embed.FS

// newCommand makes a command from help/NAME.txt: its usage, a short line, a text, and examples. If
// `run` is nil, the command prints its help.
func newCommand(name string, args cobra.PositionalArgs, run func(to streams, args []string) error) *cobra.Command {
	data, err := help.ReadFile("help/" + name + ".txt")
	if err != nil {
		panic(err) // the files are embedded: a wrong name fails every test
	}
	text := strings.NewReplacer("{assets}", cli.AssetNames(), "{formats}", strings.Join(cli.Writable(), " "), "{models}", model.Help, "{limit}", strconv.Itoa(cli.ExitLimit)).
		Replace(strings.TrimSuffix(string(data), "\n"))
	cmd := &cobra.Command{Args: args}
	cmd.Use, text, _ = strings.Cut(text, "\n")
	cmd.Short, text, _ = strings.Cut(text, "\n\n")
	cmd.Long, cmd.Example, _ = strings.Cut(text, "\n\nExamples:\n")
	if run == nil {
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		return cmd
	}
	quiet := cmd.Flags().BoolP("quiet", "q", false, "print only results and errors: no notices, no progress")
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		defer must.Catch(&err)
		must.OK(cli.CheckFlags(cmd.Flags()))
		to := streams{cmd.OutOrStdout(), cmd.OutOrStdout(), cmd.ErrOrStderr()}
		if *quiet {
			to.said, to.err = io.Discard, io.Discard
		}
		return run(to, args)
	}
	return cmd
}

// files requires at least one file argument.
func files(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cli.Usagef("%s: no file given; asset:NAME names a built-in scene: %s", cmd.Name(), cli.AssetNames())
	}
	if err := inputOnce(cmd, args); err != nil {
		return err
	}
	return cli.CheckAssets(args)
}

// inputOnce refuses standard input as two of a command's files: the first takes all of it.
func inputOnce(cmd *cobra.Command, files []string) error {
	if i := slices.Index(files, cli.Standard); i >= 0 && slices.Contains(files[i+1:], cli.Standard) {
		return cli.Usagef("%s: - is standard input, which can be read once", cmd.Name())
	}
	return nil
}

func oneFile(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return cli.Usagef("%s: takes one file, got %d", cmd.Name(), len(args))
	}
	return files(cmd, args)
}

func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return cli.Usagef("%s: takes no arguments, got %q", cmd.Name(), args[0])
	}
	return nil
}
