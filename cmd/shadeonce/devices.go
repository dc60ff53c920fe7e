package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/buildinfo"
	"github.com/shadeonce/shadeonce/internal/base/bytesize"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/calibration"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// device is one row of `devices --json`. The JSON names are a contract.
type device struct {
	Schema             int          `json:"schema"`
	Index              int          `json:"index"`
	Name               string       `json:"name"`
	Type               string       `json:"type"`
	Driver             string       `json:"driver"`
	API                string       `json:"api"`
	Default            bool         `json:"default"`
	Unusable           string       `json:"unusable,omitempty"`
	Subgroup           int          `json:"subgroup"`
	SubgroupMin        int          `json:"subgroup_min"`
	SubgroupMax        int          `json:"subgroup_max"`
	SubgroupOperations string       `json:"subgroup_operations"`
	SharedBytes        int          `json:"shared_bytes"`
	StorageBufferBytes int64        `json:"storage_buffer_bytes"`
	MemoryBytes        int64        `json:"memory_bytes"`
	Multiprocessors    int          `json:"multiprocessors"`      // the number for which batches are chosen; 0 on a CPU
	MultiprocessorsBy  string       `json:"multiprocessors_from"` // source: driver, type (of the device), or empty
	Features           []string     `json:"features"`
	Strategies         []string     `json:"strategies"` // those that run there at their own sizes
	Needs              []plan.Stage `json:"needs"`      // by all strategies
	buildinfo.Program
}

func newDevices(open cli.Opener) *cobra.Command {
	var asJSON, calibrate bool
	on := cli.BackendFlags{Backend: cli.GPU, Open: open}
	cmd := newCommand("devices", noArguments, func(to streams, _ []string) error {
		switch {
		case calibrate && asJSON:
			return cli.Usagef("--calibrate excludes --json")
		case calibrate:
			return on.Session(to.err, func(b plan.Backend) error { return writeCosts(to, b) })
		case on.Device != "":
			return cli.Usagef("--device needs --calibrate")
		}
		rows, none := listDevices()
		if none != nil {
			cli.Tell(to.err, "no Vulkan device; shadeonce doctor says how to get one: "+none.Error())
		}
		if asJSON {
			return cli.WriteJSON(to.out, rows)
		}
		return writeDevices(to.out, rows)
	})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	cmd.Flags().BoolVar(&calibrate, "calibrate", false, "time frames on a device, by which auto then chooses there; a file in the cache folder keeps that")
	cli.AddDevice(cmd.Flags(), &on.Device)
	return cmd
}

// writeCosts calibrates a device and prints what its parts cost.
func writeCosts(to streams, b plan.Backend) error {
	rows, err := cli.Calibrate(to.err, b)
	must.OK(err)
	costs := b.Limits().Costs
	table := cli.NewTable(to.out, "lrrrrrrrr", "us", "launch", "draws", "Mpixel", "Mtriangle", "sifted", "Mvertex", "wait", "work")
	for _, part := range slices.Sorted(maps.Keys(costs.Parts)) {
		line := []any{part}
		for _, term := range costs.Parts[part] {
			line = append(line, fmt.Sprintf("%.4g", term))
		}
		table.Row(line...)
	}
	part, off := calibration.WorstFit(rows, costs.Parts)
	return table.Render(to.out, "fitted to %s; the worst fit is that of %s, %.0f %% off\n", names.Count(len(rows), "frame"), part, 100*off)
}

// listDevices lists the devices; none says why there are none.
func listDevices() (rows []device, none error) {
	infos, err := gpu.ListDevices()
	if noVulkan(err) {
		return nil, err
	}
	must.OK(err)
	chosen, err := gpu.Choose(infos, "")
	if len(infos) == 0 {
		return nil, err
	}
	for i := range infos {
		rows = append(rows, newDevice(i, &infos[i], i == chosen))
	}
	return rows, nil
}

// noVulkan reports whether an error means that there is no loader or driver, not a failure.
func noVulkan(err error) bool {
	var loader *gpu.LoaderError
	var call *gpu.CallError
	return errors.As(err, &loader) || errors.As(err, &call) && call.Call == "vkCreateInstance"
}

func newDevice(i int, info *gpu.DeviceInfo, isDefault bool) device {
	d := device{
		Schema: measure.Schema, Index: i, Name: info.Name, Type: info.Type.String(),
		Driver: fmt.Sprintf("%s %s", info.DriverName, info.DriverInfo), API: info.API, Default: isDefault,
		Subgroup: info.Subgroup.Size, SubgroupMin: info.Subgroup.Min, SubgroupMax: info.Subgroup.Max,
		SubgroupOperations: info.Subgroup.Ops.String(), SharedBytes: info.Limits.SharedMemoryBytes,
		StorageBufferBytes: info.Limits.StorageBufferBytes, MemoryBytes: info.Memory(), Features: info.Features.Names(),
		Multiprocessors: info.Multiprocessors(), Program: buildinfo.By(),
	}
	switch {
	case d.Multiprocessors == 0:
	case info.Limits.Multiprocessors > 0:
		d.MultiprocessorsBy = "driver"
	default:
		d.MultiprocessorsBy = "type"
	}
	d.Needs = plan.Stages(info.PlanLimits())
	if err := info.Unusable(); err != nil {
		d.Unusable, d.Strategies = err.Error(), []string{}
		return d
	}
	d.Strategies = append([]string{}, plan.Strategies(info.PlanLimits())...)
	return d
}

// strategiesText returns "all", or the names of those that run.
func (d *device) strategiesText() string {
	switch len(d.Strategies) {
	case 0:
		return "none"
	case len(reuse.Strategies):
		return "all"
	}
	return strings.Join(d.Strategies, ", ")
}

func writeDevices(w io.Writer, rows []device) error {
	if len(rows) == 0 {
		return nil
	}
	table := cli.NewTable(w, "rlllrrrrrll", "", "name", "type", "driver", "Vulkan", "subgroup", "shared", "binding", "memory", "strategies", "")
	for _, d := range rows {
		lanes := fmt.Sprint(d.Subgroup)
		if d.SubgroupMin != d.SubgroupMax {
			lanes = fmt.Sprintf("%d (%d to %d)", d.Subgroup, d.SubgroupMin, d.SubgroupMax)
		}
		note := d.Unusable
		if d.Default {
			note = "default"
		}
		table.Row(fmt.Sprint(d.Index), names.Printable(d.Name), d.Type, names.Printable(d.Driver), d.API, lanes, bytesize.Text(int64(d.SharedBytes)),
			bytesize.Text(d.StorageBufferBytes), bytesize.Text(d.MemoryBytes), d.strategiesText(), names.Printable(note))
	}
	return table.Render(w, "")
}
