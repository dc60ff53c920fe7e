package main

import (
	"fmt"
	"os"

	"github.com/olekukonko/tablewriter"
	"github.com/spf13/cobra"

	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/gpu"
)

// device is one row of `devices --json`. The JSON names are a contract.
type device struct {
	Schema             int      `json:"schema"`
	Index              int      `json:"index"`
	Name               string   `json:"name"`
	Type               string   `json:"type"`
	Driver             string   `json:"driver"`
	API                string   `json:"api"`
	Default            bool     `json:"default"`
	Unusable           string   `json:"unusable,omitempty"`
	Subgroup           int      `json:"subgroup"`
	SubgroupMin        int      `json:"subgroup_min"`
	SubgroupMax        int      `json:"subgroup_max"`
	SubgroupOperations string   `json:"subgroup_operations"`
	SharedBytes        int      `json:"shared_bytes"`
	StorageBufferBytes int64    `json:"storage_buffer_bytes"`
	MemoryBytes        int64    `json:"memory_bytes"`
	Features           []string `json:"features"`
}

func newDevices() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "devices",
		Short: "List the Vulkan devices and what strategies can use of them",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			rows, err := listDevices()
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(os.Stdout, rows)
			}
			return printDevices(rows)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	return cmd
}

func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s: takes no arguments, got %q", cmd.Name(), args[0])
	}
	return nil
}

func listDevices() ([]device, error) {
	instance, err := gpu.NewInstance(gpu.Options{})
	if err != nil {
		return nil, err
	}
	defer instance.Close()
	infos, err := gpu.Devices(instance)
	if err != nil {
		return nil, err
	}
	chosen, err := gpu.Choose(infos, "")
	if len(infos) == 0 {
		return nil, err
	}
	rows := make([]device, len(infos))
	for i := range infos {
		rows[i] = newDevice(i, &infos[i], i == chosen)
	}
	return rows, nil
}

func newDevice(i int, info *gpu.DeviceInfo, isDefault bool) device {
	d := device{
		Schema: schemaVersion, Index: i, Name: info.Name, Type: info.Type.String(),
		Driver: fmt.Sprintf("%s %s", info.DriverName, info.DriverInfo), API: info.API, Default: isDefault,
		Subgroup: info.Subgroup.Size, SubgroupMin: info.Subgroup.Min, SubgroupMax: info.Subgroup.Max,
		SubgroupOperations: info.Subgroup.Ops.String(), SharedBytes: info.Limits.SharedMemoryBytes,
		StorageBufferBytes: info.Limits.StorageBufferBytes, MemoryBytes: info.Memory(), Features: info.Features.Names(),
	}
	if err := info.Unusable(); err != nil {
		d.Unusable = err.Error()
	}
	return d
}

func printDevices(rows []device) error {
	table := tablewriter.NewTable(os.Stdout)
	table.Header("device", "name", "type", "driver", "Vulkan", "subgroup", "shared", "binding", "memory", "")
	for _, d := range rows {
		lanes := fmt.Sprint(d.Subgroup)
		if d.SubgroupMin != d.SubgroupMax {
			lanes = fmt.Sprintf("%d (%d to %d)", d.Subgroup, d.SubgroupMin, d.SubgroupMax)
		}
		note := d.Unusable
		if d.Default {
			note = "default"
		}
		err := table.Append(d.Index, d.Name, d.Type, d.Driver, d.API, lanes, renderer.Size(int64(d.SharedBytes)),
			renderer.Size(d.StorageBufferBytes), renderer.Size(d.MemoryBytes), note)
		if err != nil {
			return err
		}
	}
	return table.Render()
}
