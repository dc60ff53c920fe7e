package main

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/internal/names"
	"github.com/shadeonce/shadeonce/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// cpuBackend is the name of the backend that needs no Vulkan.
const cpuBackend = "cpu"

// backendNames are the values of --backend.
func backendNames() []string { return []string{"auto", "gpu", cpuBackend} }

// backendFlags choose where a plan runs.
type backendFlags struct {
	backend    string
	device     string
	validation bool
}

func (f *backendFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.backend, "backend", "auto", "where to run: auto (gpu where Vulkan has a device, else cpu), gpu, cpu")
	flags.StringVar(&f.device, "device", "", "Vulkan device: its number or part of its `name`, as shadeonce devices lists them")
	flags.BoolVar(&f.validation, "validation", false, "run under Vulkan's validation layer, whose messages are errors (as "+gpu.ValidationVariable+"=1)")
}

// check refuses what the backend's name contradicts.
func (f *backendFlags) check() error {
	switch f.backend {
	case "gpu", "auto":
		return nil
	case cpuBackend:
	default:
		return usageError{names.Unknown("backend", f.backend, backendNames())}
	}
	if f.device != "" {
		return usagef("--device names a Vulkan device: it excludes the cpu backend")
	}
	if f.validation {
		return usagef("--validation is for Vulkan: it excludes the cpu backend")
	}
	return nil
}

// preferCPU turns auto into cpu, and refuses gpu: for --raster soft.
func (f *backendFlags) preferCPU() error {
	if f.backend == "gpu" {
		return usagef("--raster soft runs on the cpu: it excludes --backend gpu")
	}
	f.backend = cpuBackend
	return f.check()
}

// open starts the backend. auto falls back to the CPU, and notice says why,
// unless what was asked for needs Vulkan.
func (f *backendFlags) open() (b plan.Backend, notice string, err error) {
	if f.backend == cpuBackend {
		return soft.New(), "", nil
	}
	onGPU, err := gpu.OpenBackend(gpu.BackendOptions{Device: f.device, Validation: f.validation})
	if err == nil {
		return onGPU, "", nil
	}
	if f.backend == "gpu" || f.device != "" || f.validation {
		return nil, "", err
	}
	return soft.New(), fmt.Sprintf("no GPU, ran on the CPU: %v", err), nil
}

// session opens the backend, does the work and closes it. What the validation
// layer reported, leaks at the end included, is an error. The notice of a
// fallback waits for the end, so that a failure is one line.
func (f *backendFlags) session(stderr io.Writer, work func(plan.Backend) error) error {
	if err := f.check(); err != nil {
		return err
	}
	b, notice, err := f.open()
	if err != nil {
		return err
	}
	err = work(b)
	b.Close()
	if err == nil {
		err = validationError(b)
	}
	if err == nil && notice != "" {
		fmt.Fprintf(stderr, "shadeonce: %s\n", printable(notice))
	}
	return err
}

// validationError is the first message of a backend that has some.
func validationError(b plan.Backend) error {
	v, ok := b.(interface{ Messages() []string })
	if !ok {
		return nil
	}
	if messages := v.Messages(); len(messages) > 0 {
		return fmt.Errorf("the validation layer reported %d messages, the first: %s", len(messages), messages[0])
	}
	return nil
}

// driver names what runs the device, and how wide its subgroups are (0 where it
// has none).
func driver(b plan.Backend) (name string, subgroup int) {
	g, ok := b.(*gpu.Backend)
	if !ok {
		return runtime.Version(), 0
	}
	info := g.Info()
	return info.DriverName + " " + info.DriverInfo, info.Subgroup.Size
}
