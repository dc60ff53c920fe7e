package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
)

// Manual pages are generated from the commands and flags, so that they agree with the program.

// section is a part that all pages have.
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
	header := &doc.GenManHeader{Section: "1", Source: "shadeonce", Manual: "User Commands"}
	if err := doc.GenMan(root, header, &page); err != nil {
		return fmt.Errorf("manual pages: %w", err)
	}
	name := strings.ReplaceAll(root.CommandPath(), " ", "-") + ".1"
	if err := os.WriteFile(filepath.Join(folder, name), withSections(page.Bytes(), sections), 0o666); err != nil {
		return fmt.Errorf("manual pages: %w", err)
	}
	return nil
}

// unquoted hides a value's type, since cobra quotes the defaults of strings.
type unquoted struct{ pflag.Value }

func (unquoted) Type() string { return "unquoted" }

// plainFlag makes a page show a flag as --help does: --name=placeholder, and a default that is not
// empty or zero after the explanation.
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

// escape keeps text from being read as commands of roff.
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
