package cli

import (
	"strconv"

	"github.com/shadeonce/shadeonce/internal/manual"
	"github.com/shadeonce/shadeonce/renderer/gpu"
)

// ManualSections are what the manual pages of both programs say beside commands and
// flags.
func ManualSections() []manual.Section {
	return []manual.Section{
		{Title: "EXIT STATUS", Items: []manual.Item{
			{Term: "0", Text: "All went well."},
			{Term: strconv.Itoa(ExitFailure), Text: "Bad input, a missing device, counts that differ: a line on standard error names file, place and cause. " +
				"Of several files, those that could be read are printed."},
			{Term: strconv.Itoa(ExitUsage), Text: "Bad usage: a flag, name or size that cannot work."},
			{Term: strconv.Itoa(ExitLimit), Text: "All went well, and a limit of --fail-below or --fail-above is missed, or compare found something worse."},
			{Term: "128+N", Text: "Signal N ended the program: 130 is an interrupt (Ctrl-C)."},
		}},
		{Title: "ENVIRONMENT", Items: []manual.Item{
			{Term: gpu.ValidationVariable, Text: "1 is the same as --validation."},
			{Term: "VK_ICD_FILENAMES, VK_DRIVER_FILES", Text: "Which drivers the Vulkan loader knows."},
			{Term: "DISPLAY, WAYLAND_DISPLAY", Text: "The display that the viewer opens its window on."},
			{Term: "XDG_STATE_HOME", Text: "Where the viewer keeps its settings: shadeonce/viewer.json below it (~/.local/state)."},
			{Term: "TMPDIR", Text: "Where standard input is kept while it is read (/tmp)."},
		}},
	}
}
