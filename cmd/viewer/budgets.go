package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/internal/bytesize"
	"github.com/shadeonce/shadeonce/renderer"
)

// budgets bound what a picture takes, in bytes; 0 is the default. They belong to
// the machine, not to the picture: saved pictures do not hold them, and they are
// not remembered, since no panel would show that they are.
type budgets struct{ queue, device int64 }

// budgetExamples are what a shell offers to complete.
var budgetExamples = []string{"16MiB", "64MiB", "256MiB", "1GiB"}

// budgetFlags are the budgets as text.
type budgetFlags struct{ queue, device string }

func (f *budgetFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.queue, "queue-budget", "", fmt.Sprintf("memory for the queues: a scene that needs more is drawn in chunks (default %s)",
		strings.ReplaceAll(bytesize.Text(renderer.DefaultQueueBudget), " ", "")))
	flags.StringVar(&f.device, "device-budget", "", "device memory for a picture, of which a comparison has two: a scene that needs more is uploaded in windows (default what the device has)")
}

func (f *budgetFlags) budgets() (b budgets, err error) {
	for _, budget := range []struct {
		flag, text string
		bytes      *int64
	}{{"queue-budget", f.queue, &b.queue}, {"device-budget", f.device, &b.device}} {
		if budget.text == "" {
			continue
		}
		if *budget.bytes, err = bytesize.Parse(budget.text); err != nil {
			return b, usagef("--%s %w", budget.flag, err)
		}
	}
	return b, nil
}
