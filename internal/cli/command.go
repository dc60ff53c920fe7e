package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/atomicfile"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
)

// Run executes one command line and returns its exit status. It prints one line for an error, or
// one for each of several Failures. A stdout that cannot be written is an error too.
func Run(root *cobra.Command, args []string, stdout, stderr io.Writer) int {
	out := &writer{to: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	root.SetArgs(args)
	root.SetFlagErrorFunc(flagError)
	plainHelp(root)
	columns := 0
	if file, ok := stdout.(*os.File); ok {
		columns, _, _ = term.GetSize(int(file.Fd())) // 0 if it is no terminal
	}
	groupHelp(root, columns)
	root.SilenceErrors, root.SilenceUsage = true, true
	if root.HasSubCommands() {
		addHelp(root) // after SetOut: the completion command keeps the writer
	}
	var err error
	if lost := geometry.Faults(func() { err = root.Execute() }); lost != nil { // a mapped file was truncated outside of any Guard
		err = lost
	}
	if err == nil && out.err != nil {
		err = fmt.Errorf("standard output: %w", atomicfile.Cause(out.err))
	}
	lines := Failures{err}
	var signal interrupted
	if !errors.As(err, &lines) && errors.As(err, &signal) {
		lines[0] = signal // the line names the signal rather than how the work failed
	}
	for _, line := range lines {
		if line != nil {
			fmt.Fprintf(stderr, "%s: %s\n", root.Name(), names.Printable(line.Error()))
		}
	}
	return Status(err)
}

// plainHelp adds to each flag's help which flags it excludes and needs. It prints default lists as
// users write them, without pflag's brackets.
func plainHelp(cmd *cobra.Command) {
	ExplainFlags(cmd.Flags())
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if list, ok := f.Value.(pflag.SliceValue); ok && len(list.GetSlice()) > 0 {
			f.DefValue = strings.Join(list.GetSlice(), ",")
		}
	})
	for _, below := range cmd.Commands() {
		plainHelp(below)
	}
}

// flagGroups are the titled groups of flags in a command's help. Flags in no group come first.
var flagGroups = []struct{ title, flags string }{
	{"Strategies", "strategy model lanes batch batching unique workgroup table probes subgroups queue"},
	{"Scene", "order copies subdivide cull cull-faces"},
	{"Vertex shader", "load vertex-shader entry language define include loop-limit uniforms print-uniforms strict"},
	{"Picture", "size camera pass view palette range light smooth edges background transparent samples no-legend hide isolate highlight raster"},
	{"Device and memory", "backend device validation device-budget queue-budget queue-halves memory-budget"},
	{"Output", "output json csv benchstat levels-file quiet"},
}

// groupHelp lists flags by group in the help of all commands. It wraps the help at the given number
// of columns; 0 does not wrap.
func groupHelp(root *cobra.Command, columns int) {
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		cmd.SetUsageTemplate(strings.ReplaceAll(cmd.UsageTemplate(), ".LocalFlags.FlagUsages", strconv.Quote(grouped(cmd.LocalFlags(), columns))))
		help(cmd, args)
	})
}

func grouped(flags *pflag.FlagSet, columns int) (text string) {
	sets := make([]pflag.FlagSet, 1+len(flagGroups))
	flags.VisitAll(func(f *pflag.Flag) {
		at := slices.IndexFunc(flagGroups, func(g struct{ title, flags string }) bool { return slices.Contains(strings.Fields(g.flags), f.Name) })
		sets[1+at].AddFlag(f)
	})
	for i := range sets {
		if i > 0 && sets[i].HasAvailableFlags() {
			text += "\n" + flagGroups[i-1].title + ":\n"
		}
		text += sets[i].FlagUsagesWrapped(columns)
	}
	return text
}

// addHelp adds help and completion commands to a root command, and makes an unknown command a usage error.
func addHelp(root *cobra.Command) {
	for _, cmd := range append(root.Commands(), root) {
		if cmd.HasSubCommands() {
			cmd.Args = noCommand
		}
	}
	root.SetHelpCommand(newHelp())
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Short = "Print a script that completes commands in bash, zsh, fish or PowerShell"
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
			usageOnly(cmd)
		}
	}
}

// newHelp returns cobra's help command, changed so that an unknown command is an error.
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

// noCommand refuses arguments for a command that only has subcommands. If root's argument is a file, it suggests analyze.
func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	path := args[0]
	if _, err := os.Stat(path); !cmd.HasParent() && (err == nil || Openable(path) || strings.HasPrefix(path, AssetPrefix)) {
		return Usagef("%q is no command: did you mean %s analyze %s?", path, cmd.Name(), path)
	}
	return unknownCommand(cmd, path)
}

func unknownCommand(root *cobra.Command, name string) error {
	var have []string
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() {
			have = append(have, cmd.Name())
		}
	}
	return AsUsage(names.Unknown("command", name, have))
}

// flagError explains pflag's errors. For an unknown flag it suggests the nearest name.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var number *strconv.NumError
	switch {
	case cmd.HasSubCommands() && cmd.Flags().NArg() > 0: // the flags follow a command that does not exist
		return noCommand(cmd, cmd.Flags().Args())
	case errors.As(err, &invalid) && errors.As(err, &number):
		want := cmp.Or(map[string]string{"bool": "true or false", "float64": "a number"}[invalid.GetFlag().Value.Type()], "a whole number")
		if errors.Is(number.Err, strconv.ErrRange) {
			want += ", and this one is out of range"
		}
		return Usagef("%s", strings.Replace(err.Error(), number.Error(), "want "+want, 1))
	case !errors.As(err, &unknown):
		return AsUsage(err)
	}
	var have []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { have = append(have, f.Name) })
	if near := names.Nearest(unknown.GetSpecifiedName(), have); near != "" {
		return Usagef("%w: did you mean --%s?", err, near)
	}
	return AsUsage(err)
}

// usageOnly turns errors about the arguments of one of cobra's own commands, and of its
// subcommands, into usage errors.
func usageOnly(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error { return AsUsage(check(cmd, args)) }
	}
	for _, below := range cmd.Commands() {
		usageOnly(below)
	}
}

// writer keeps the first error of another writer and drops what is written after it, so that
// callers need not check each write.
type writer struct {
	to  io.Writer
	err error
}

func (w *writer) Write(p []byte) (int, error) {
	if w.err == nil {
		_, w.err = w.to.Write(p)
	}
	return len(p), nil
}

// Manual pages are generated from the commands and flags, so that they agree with the program.

// section is one of the sections that are added to every manual page.
type section struct {
	title string // in capitals
	items []item
}

// item is a term and its explanation.
type item struct{ term, text string }

// AddManual adds the hidden flag --man FOLDER to a root command: the program writes its manual
// pages and exits.
func AddManual(root *cobra.Command) {
	var folder string
	root.Flags().StringVar(&folder, "man", "", "write the manual pages into a `folder`, and exit")
	run := root.RunE
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if folder == "" {
			return run(cmd, args)
		}
		return writeManual(root, folder, manualSections())
	}
	root.Flags().Lookup("man").Hidden = true
}

// writeManual writes a page of section 1 for root and for each command below it into an existing
// folder. The date is SOURCE_DATE_EPOCH from the environment, or today. The commands cannot be
// run afterwards, since it changes their flags.
func writeManual(root *cobra.Command, folder string, sections []section) error {
	root.DisableAutoGenTag = true
	for _, below := range root.Commands() {
		if below.IsAvailableCommand() && !below.IsAdditionalHelpTopicCommand() {
			if err := writeManual(below, folder, sections); err != nil {
				return err
			}
		}
	}
	root.InitDefaultHelpFlag()
	root.Flags().VisitAll(plainFlag)
	var page bytes.Buffer
	err := doc.GenMan(root, &doc.GenManHeader{Section: "1", Source: "shadeonce", Manual: "User Commands"}, &page)
	if err == nil {
		name := strings.ReplaceAll(root.CommandPath(), " ", "-") + ".1"
		err = os.WriteFile(filepath.Join(folder, name), withSections(page.Bytes(), sections), 0o666)
	}
	if err != nil {
		return fmt.Errorf("manual pages: %w", err)
	}
	return nil
}

// unquoted hides a value's type, since cobra quotes the defaults of strings.
type unquoted struct{ pflag.Value }

func (unquoted) Type() string { return "unquoted" }

// plainFlag formats a flag in a page as --help does: --name=placeholder, and after the explanation the default, unless
// it is empty, zero or false.
func plainFlag(f *pflag.Flag) {
	name, usage := pflag.UnquoteUsage(f)
	switch f.DefValue {
	case "", "0", "0s", "false", "[]":
	default:
		usage += fmt.Sprintf(" (default %s)", f.DefValue)
	}
	f.Usage, f.Value, f.DefValue = usage, unquoted{f.Value}, name
}

// withSections adds sections to a page, before SEE ALSO, and removes the empty "[=]" that cobra
// prints after flags.
func withSections(page []byte, sections []section) []byte {
	const last = ".SH SEE ALSO\n"
	before, after, found := bytes.Cut(page, []byte(last))
	before = bytes.ReplaceAll(before, []byte("[=]"), nil)
	var text bytes.Buffer
	text.Write(before)
	for _, s := range sections {
		fmt.Fprintf(&text, ".SH %s\n", s.title)
		for _, i := range s.items {
			fmt.Fprintf(&text, ".TP\n\\fB%s\\fP\n%s\n", escape(i.term), escape(i.text))
		}
	}
	if found {
		text.WriteString(last)
	}
	return append(text.Bytes(), after...)
}

// escape escapes text that roff would read as commands.
func escape(text string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.").Replace(text)
}

// manualSections returns the sections that the pages of both programs share.
func manualSections() []section {
	return []section{
		{"EXIT STATUS", []item{
			{"0", "All went well."},
			{strconv.Itoa(ExitFailure), "Bad input, a missing device, counts that differ: a line on standard error names file, place and cause. " +
				"Of several files, those that could be read are printed."},
			{strconv.Itoa(ExitUsage), "Bad usage: a flag, name or size that cannot work; rows that compare finds no match for."},
			{strconv.Itoa(ExitLimit), "All went well, and a limit of --fail-below or --fail-above is missed, or compare found something worse."},
			{"128+N", "Signal N ended the program: 130 is an interrupt (Ctrl-C)."},
		}},
		{"ENVIRONMENT", []item{
			{gpu.ValidationVariable, "1 is the same as --validation."},
			{fileBudgetVariable, "How many times as much memory and work as its size allows a file may cost; 1 without it."},
			{"VK_ICD_FILENAMES, VK_DRIVER_FILES", "Which drivers the Vulkan loader knows."},
			{"DISPLAY, WAYLAND_DISPLAY", "The display that the viewer opens its window on."},
			{"XDG_STATE_HOME", "Where the viewer keeps its settings: shadeonce/viewer.json below it (~/.local/state)."},
			{"TMPDIR", "Where standard input is kept while it is read (/tmp)."},
		}},
	}
}
