package main

import (
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
	if r.Backend == cpuBackend {
		return "CPU"
	}
	return "GPU"
}
