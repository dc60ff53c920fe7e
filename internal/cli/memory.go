package cli

import (
	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/renderer"
)

// MemoryFlags bound the memory that a frame takes. An empty text leaves the
// default.
type MemoryFlags struct {
	Queue, Device string
	queues        bool // there is a flag for them
	halves        int
}

// Add adds the bounds of the queues and of all device memory. queue is the
// default of --queue-budget.
func (f *MemoryFlags) Add(flags *pflag.FlagSet, queue string) {
	f.queues = true
	flags.StringVar(&f.Queue, "queue-budget", queue, "memory for the queues: a scene that needs more is drawn in chunks")
	flags.IntVar(&f.halves, "queue-halves", 2, "2: one half of the queues is filled while the other is drawn; 1: larger chunks, one after the other")
	f.AddDevice(flags)
}

// AddDevice adds the bound of all device memory only.
func (f *MemoryFlags) AddDevice(flags *pflag.FlagSet) {
	flags.StringVar(&f.Device, "device-budget", "", "device memory for all: a scene that needs more is uploaded in windows (default what the device has)")
}

// Apply sets the frame's bounds.
func (f *MemoryFlags) Apply(frame *renderer.Frame) (err error) {
	if f.queues {
		if f.halves != 1 && f.halves != 2 {
			return Usagef("--queue-halves %d: want 1 or 2", f.halves)
		}
		frame.OneHalf = f.halves == 1
		if frame.QueueBudget, err = ParseBytes("queue-budget", f.Queue); err != nil {
			return err
		}
	}
	if f.Device != "" {
		frame.DeviceBudget, err = ParseBytes("device-budget", f.Device)
	}
	return err
}
