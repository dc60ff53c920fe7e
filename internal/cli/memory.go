package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/internal/bytesize"
	"github.com/shadeonce/shadeonce/renderer"
)

// MemoryFlags bound the memory that a frame takes. An empty text leaves the
// default.
type MemoryFlags struct {
	Queue, Device string
	flags         *pflag.FlagSet // with one for the queues; nil without
	halves        int
}

// QueueBudgetHelp is what --queue-budget is, QueueBudgetDefault what it is where it is
// not given.
const QueueBudgetHelp = "memory for the queues: a scene that needs more is drawn in chunks"

var QueueBudgetDefault = fmt.Sprintf("a sixteenth of the device's, %s to %s", plainBytes(renderer.LeastQueueBudget), plainBytes(renderer.MostQueueBudget))

// plainBytes is a byte count as flags take it.
func plainBytes(n int64) string { return strings.ReplaceAll(bytesize.Text(n), " ", "") }

// Add adds the bounds of the queues and of all device memory. without says what
// --queue-budget is where it is not given.
func (f *MemoryFlags) Add(flags *pflag.FlagSet, without string) {
	f.flags = flags
	flags.StringVar(&f.Queue, "queue-budget", "", fmt.Sprintf("%s (default %s)", QueueBudgetHelp, without))
	flags.IntVar(&f.halves, "queue-halves", 2, "2: one half of the queues is filled while the other is drawn; 1: larger chunks, one after the other")
	f.AddDevice(flags)
}

// AddDevice adds the bound of all device memory only.
func (f *MemoryFlags) AddDevice(flags *pflag.FlagSet) {
	flags.StringVar(&f.Device, "device-budget", "", "device memory for all: a scene that needs more is uploaded in windows (default what the device has)")
}

// Apply sets the frame's bounds.
func (f *MemoryFlags) Apply(frame *renderer.Frame) (err error) {
	if f.flags != nil {
		if f.halves != 1 && f.halves != 2 {
			return Usagef("--queue-halves %d: want 1 or 2", f.halves)
		}
		frame.OneHalf = f.halves == 1
		if f.Queue != "" || f.flags.Changed("queue-budget") {
			if frame.QueueBudget, err = ParseBytes("queue-budget", f.Queue); err != nil {
				return err
			}
		}
	}
	if f.Device != "" {
		frame.DeviceBudget, err = ParseBytes("device-budget", f.Device)
	}
	return err
}
