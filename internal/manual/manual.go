// Package manual writes a program's manual pages from its commands and flags, so that
// pages and program agree.
//
// It knows cobra's commands and flags, not what they do.
package manual

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// AddFlag gives a program's root command the hidden flag --man FOLDER, with which the
// program calls Write and does nothing else.
func AddFlag(root *cobra.Command) {
	var folder string
	root.Flags().StringVar(&folder, "man", "", "write the manual pages into a `folder`, and exit")
	run := root.RunE
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if folder == "" {
			return run(cmd, args)
		}
		return Write(root, folder)
	}
	root.Flags().Lookup("man").Hidden = true
}

// Write makes a page of section 1 for root and for each command below it, in a
// folder that exists. Their date is the environment's SOURCE_DATE_EPOCH, and
// today without it.
func Write(root *cobra.Command, folder string) error {
	root.DisableAutoGenTag = true
	header := &doc.GenManHeader{Section: "1", Source: "shadeonce", Manual: "User Commands"}
	if err := doc.GenManTree(root, header, folder); err != nil {
		return fmt.Errorf("manual pages: %w", err)
	}
	return nil
}
