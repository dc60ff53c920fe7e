package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/calibration"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// The values of --backend. GPU and CPU are the backends' own names.
const (
	Auto = "auto"
	GPU  = "gpu"
	CPU  = "cpu" // needs no Vulkan
)

var backendNames = []string{Auto, GPU, CPU}

// AddDevice adds --device.
func AddDevice(flags *pflag.FlagSet, device *string) {
	flags.StringVar(device, "device", "", "Vulkan device: its number or part of its `name`, as shadeonce devices lists them")
}

// BackendFlags choose where a plan runs.
type BackendFlags struct {
	Backend    string
	Device     string
	Validation bool
	Open       Opener // opens the GPU; nil opens a device for one session
}

// Opener opens a backend on a GPU for a session. done ends the session: the backend may live on
// and keeps only the validation layer's messages.
type Opener func(gpu.BackendOptions) (b *gpu.Backend, done func(), err error)

func openGPU(o gpu.BackendOptions) (*gpu.Backend, func(), error) {
	b, err := gpu.OpenBackend(o)
	if err != nil {
		return nil, nil, err
	}
	return b, b.Close, nil
}

// Add adds the flags.
func (f *BackendFlags) Add(flags *pflag.FlagSet) {
	help := "where to run: auto (gpu where Vulkan has a device, else cpu), gpu, cpu"
	if gpu.Absent != nil {
		help = "where to run: auto and cpu are the CPU; gpu fails, since " + gpu.Absent.Error()
	}
	flags.StringVar(&f.Backend, "backend", Auto, help)
	AddDevice(flags, &f.Device)
	flags.BoolVar(&f.Validation, "validation", false, "run under Vulkan's validation layer, whose messages are errors (as "+gpu.ValidationVariable+"=1)")
}

// Check returns an error for an unknown backend.
func (f *BackendFlags) Check() error { return Among("backend", backendNames, f.Backend) }

// pipelineBytes has room for the pipelines of all strategies and loads of bench, so that they are
// not compiled anew for every file.
const pipelineBytes = 1 << 30

// start opens the backend. auto falls back to the CPU, unless another flag needs Vulkan; notice
// says why it did, or why a calibration was ignored.
func (f *BackendFlags) start() (b plan.Backend, done func(), notice string, err error) {
	onCPU := soft.New()
	if f.Backend == CPU {
		return onCPU, onCPU.Close, "", nil
	}
	open := f.Open
	if open == nil {
		open = openGPU
	}
	onGPU, done, err := open(gpu.BackendOptions{Device: f.Device, Validation: f.Validation, PipelineBytes: pipelineBytes})
	if err == nil {
		return onGPU, done, calibration.Use(onGPU), nil
	}
	if f.Backend == GPU || f.Device != "" || f.Validation {
		return nil, nil, "", err
	}
	return onCPU, onCPU.Close, fmt.Sprintf("no GPU, ran on the CPU: %v", err), nil
}

// Session opens the backend, does the work and closes the backend. Any message of the validation
// layer is an error, including a leak found at the end. The notice of a fallback is printed last
// and only on success, so that a failure is one line.
func (f *BackendFlags) Session(stderr io.Writer, work func(plan.Backend) error) error {
	if err := f.Check(); err != nil {
		return err
	}
	b, done, notice, err := f.start()
	if err != nil {
		return err
	}
	err = work(b)
	done()
	if err == nil {
		err = validationError(b)
	}
	if err == nil {
		Tell(stderr, notice)
	}
	return err
}

// Calibrate calibrates the backend's device until the user interrupts the program, and says so.
func Calibrate(stderr io.Writer, b plan.Backend) (rows []calibration.Row, err error) {
	begin, meter := time.Now(), NewMeter(stderr)
	err = untilInterrupted(meter.Stage(0, 1, "calibrating %s", b.Info().Device), func(ctx context.Context) (err error) {
		rows, err = calibration.Run(ctx, b, plan.Options{})
		return err
	})
	meter.Wipe()
	if err == nil {
		Tell(stderr, fmt.Sprintf("calibrated %s in %.1f s; auto chooses by %s from now on", b.Info().Device, time.Since(begin).Seconds(), calibration.Path(b.Info())))
	}
	return rows, err
}

// validationError returns an error if the validation layer reported anything.
func validationError(b plan.Backend) error {
	list := b.Info().Messages
	if list == nil {
		return nil
	}
	if messages := list(); len(messages) > 0 {
		return fmt.Errorf("the validation layer reported %s, the first: %s", names.Count(len(messages), "message"), messages[0])
	}
	return nil
}
