package main

import (
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// cpuBackend is the name of the backend that needs no Vulkan.
const cpuBackend = "cpu"

// backendFlags choose where a plan runs.
type backendFlags struct {
	backend    string
	device     string
	validation bool
}

func (f *backendFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.backend, "backend", "auto", "where to run: auto (a GPU where Vulkan has a device, else cpu), gpu, cpu")
	flags.StringVar(&f.device, "device", "", "Vulkan device: its number or part of its name, as shadeonce devices lists them")
	flags.BoolVar(&f.validation, "validation", false, "run under Vulkan's validation layer (or set SHADEONCE_VALIDATION=1)")
}

// preferCPU turns auto into cpu, and refuses gpu: for --raster soft.
func (f *backendFlags) preferCPU() error {
	if f.backend == "gpu" {
		return usagef("--raster soft runs on the cpu: it excludes --backend gpu")
	}
	f.backend = cpuBackend
	return nil
}

// open starts the backend. auto falls back to the CPU and says why.
func (f *backendFlags) open() (renderer.Backend, error) {
	switch f.backend {
	case cpuBackend:
		return soft.New(), nil
	case "gpu", "auto":
	default:
		return nil, usagef("unknown backend %q: have auto, gpu, cpu", f.backend)
	}
	b, err := gpu.OpenBackend(gpu.BackendOptions{Device: f.device, Validation: f.validation})
	if err == nil {
		return b, nil
	}
	if f.backend == "gpu" || f.device != "" {
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "shadeonce: no GPU, running on the CPU: %v\n", err)
	return soft.New(), nil
}
