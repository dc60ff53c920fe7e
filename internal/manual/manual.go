// Package manual writes a program's manual pages from its commands and flags, so that
// pages and program agree.
//
// It knows cobra's commands and flags, not what they do.
package manual

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
)

// Section is a part of every page that no command or flag says.
type Section struct {
	Title string // in capitals
	Items []Item
}

// Item is a term and what it means.
type Item struct{ Term, Text string }

// AddFlag gives a program's root command the hidden flag --man FOLDER, with which the
// program calls Write and does nothing else.
func AddFlag(root *cobra.Command, sections ...Section) {
	var folder string
	root.Flags().StringVar(&folder, "man", "", "write the manual pages into a `folder`, and exit")
	run := root.RunE
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if folder == "" {
			return run(cmd, args)
		}
		return Write(root, folder, sections...)
	}
	root.Flags().Lookup("man").Hidden = true
}

// Write makes a page of section 1 for root and for each command below it, in a
// folder that exists. Their date is the environment's SOURCE_DATE_EPOCH, and
// today without it. Flags and commands are of no use afterwards.
func Write(root *cobra.Command, folder string, sections ...Section) error {
	root.DisableAutoGenTag = true
	for _, below := range root.Commands() {
		if below.IsAvailableCommand() && !below.IsAdditionalHelpTopicCommand() {
			if err := Write(below, folder, sections...); err != nil {
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

// unquoted is a flag's value that cobra does not put into quotes, as it does with strings.
type unquoted struct{ pflag.Value }

func (unquoted) Type() string { return "unquoted" }

// plainFlag has a page show a flag as --help does: --name=placeholder, and the default,
// where it says something, behind the explanation.
func plainFlag(f *pflag.Flag) {
	name, usage := pflag.UnquoteUsage(f)
	switch f.DefValue {
	case "", "0", "0s", "false", "[]":
	default:
		usage += fmt.Sprintf(" (default %s)", f.DefValue)
	}
	f.Usage, f.Value, f.DefValue = usage, unquoted{f.Value}, name
}

// withSections adds sections to a page, before what to see also, and takes the values
// away from flags that need none.
func withSections(page []byte, sections []Section) []byte {
	const last = ".SH SEE ALSO\n"
	before, after, found := bytes.Cut(page, []byte(last))
	before = bytes.ReplaceAll(before, []byte("[=]"), nil)
	var text bytes.Buffer
	text.Write(before)
	for _, s := range sections {
		fmt.Fprintf(&text, ".SH %s\n", s.Title)
		for _, item := range s.Items {
			fmt.Fprintf(&text, ".TP\n\\fB%s\\fP\n%s\n", escape(item.Term), escape(item.Text))
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
