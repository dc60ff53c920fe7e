package main

import (
	"runtime"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// deviceRow is what rows say of what they were made on. The JSON names are a
// contract.
type deviceRow struct {
	Backend  string `json:"backend"`
	Device   string `json:"device"`
	Driver   string `json:"driver"`
	Subgroup int    `json:"subgroup"`
}

func newDeviceRow(b plan.Backend) deviceRow {
	r := deviceRow{Backend: b.Name(), Device: b.Device()}
	r.Driver, r.Subgroup = driver(b)
	return r
}

// clock says whose milliseconds a row has.
func (r *deviceRow) clock() string {
	if r.Backend == cli.CPU {
		return "CPU"
	}
	return "GPU"
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
