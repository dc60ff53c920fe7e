package main

import (
	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/internal/bytesize"
	"github.com/shadeonce/shadeonce/renderer"
)

// memoryFlags bound what a frame takes.
type memoryFlags struct {
	queue, device string
	queues        bool // there is a bound for the queues
	halves        int
}

// addQueue adds both bounds.
func (f *memoryFlags) addQueue(flags *pflag.FlagSet, queue string) {
	f.queues = true
	flags.StringVar(&f.queue, "queue-budget", queue, "memory for the queues: a scene that needs more is drawn in chunks")
	flags.IntVar(&f.halves, "queue-halves", 2, "2: one half of the queues is filled while the other is drawn; 1: larger chunks, one after the other")
	f.addDevice(flags)
}

func (f *memoryFlags) addDevice(flags *pflag.FlagSet) {
	flags.StringVar(&f.device, "device-budget", "", "device memory for all: a scene that needs more is uploaded in windows (default what the device has)")
}

func (f *memoryFlags) apply(frame *renderer.Frame) (err error) {
	if f.queues {
		if f.halves != 1 && f.halves != 2 {
			return usagef("--queue-halves %d: want 1 or 2", f.halves)
		}
		frame.OneHalf = f.halves == 1
		if frame.QueueBudget, err = parseBytes("queue-budget", f.queue); err != nil {
			return err
		}
	}
	if f.device != "" {
		frame.DeviceBudget, err = parseBytes("device-budget", f.device)
	}
	return err
}

// parseBytes reads the byte count of a flag.
func parseBytes(flag, text string) (int64, error) {
	n, err := bytesize.Parse(text)
	if err != nil {
		return 0, usagef("--%s %w", flag, err)
	}
	return n, nil
}
