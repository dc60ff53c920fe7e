package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"runtime"
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
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
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
	Strategies         []string     `json:"strategies"` // strategies that run on the device at their own sizes
	Needs              []plan.Stage `json:"needs"`      // what each strategy requires
	buildinfo.Program
}

func newDevices(open cli.Opener) *cobra.Command {
	var asJSON, calibrate bool
	on := cli.BackendFlags{Backend: cli.GPU, Open: open}
	cmd := newCommand("devices", noArguments, func(to streams, _ []string) error {
		if calibrate {
			return on.Session(to.err, func(b plan.Backend) error { return writeCosts(to, b) })
		}
		rows, none := listDevices()
		if none != nil {
			text := "no Vulkan device; shadeonce doctor says how to get one: " + none.Error()
			if gpu.Absent != nil {
				text = "no Vulkan device: " + none.Error()
			}
			cli.Tell(to.err, text)
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

// writeCosts calibrates a device and prints the fitted costs of each part of a frame.
func writeCosts(to streams, b plan.Backend) error {
	rows, err := cli.Calibrate(to.err, b)
	must.OK(err)
	costs := b.Limits().Costs
	table := cli.NewTable("l"+strings.Repeat("r", renderer.CostTerms), append([]string{"us"}, renderer.CostTermNames[:]...)...)
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

// listDevices lists the devices. If there are none, the error `none` says why.
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

// noVulkan reports whether an error means that the loader or a driver is missing, rather than that Vulkan failed.
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
	d.Needs, d.Strategies = plan.Stages(info.PlanLimits()), []string{}
	if err := info.Unusable(); err != nil {
		d.Unusable = err.Error()
	} else {
		d.Strategies = append(d.Strategies, plan.Strategies(info.PlanLimits())...)
	}
	return d
}

// strategiesText returns "all", "none", or the names of the strategies that run.
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
	table := cli.NewTable("rlllrrrrrll", "", "name", "type", "driver", "Vulkan", "subgroup", "shared", "binding", "memory", "strategies", "")
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

// finding is one line of the doctor's report.
type finding struct {
	what     string
	ok       bool
	found    string
	remedy   string // how to get the missing part
	optional bool   // rendering works without it
}

func newDoctor() *cobra.Command {
	return newCommand("doctor", noArguments, func(to streams, _ []string) error {
		missing := 0
		for _, f := range slices.Concat(examineVulkan(), examinePrograms(), []finding{examineDisplay()}) {
			mark := "ok     "
			switch {
			case f.ok:
			case f.what == icdFile:
				mark = "unused "
			case f.optional:
				mark = "absent "
			default:
				mark = "MISSING"
				missing++
			}
			fmt.Fprintf(to.out, "%s  %-11s %s\n", mark, f.what, names.Printable(f.found))
			if !f.ok {
				fmt.Fprintf(to.out, "%21s-> %s\n", "", f.remedy)
			}
		}
		if missing > 0 {
			return fmt.Errorf("the GPU backend cannot run: it lacks %s; --backend cpu has none", names.Count(missing, "requirement"))
		}
		fmt.Fprintln(to.out, "everything that the GPU backend needs is here; what is absent is needed only for what its line says")
		return nil
	})
}

// examineVulkan examines everything that Vulkan needs, in order, until a part is missing.
func examineVulkan() []finding {
	instance, err := gpu.NewInstance(gpu.Options{})
	loader := finding{what: "loader", ok: true, found: gpu.LoaderLibrary, remedy: gpu.LoaderRemedy}
	driver := finding{what: "driver", remedy: gpu.DriverRemedy}
	var noLoader *gpu.LoaderError
	switch {
	case gpu.Absent != nil:
		return []finding{{what: "Vulkan", found: gpu.Absent.Error(), remedy: "--backend cpu runs; a program built with cgo has Vulkan"}}
	case errors.As(err, &noLoader):
		loader.ok, loader.found = false, noLoader.Cause.Error()
		return []finding{loader}
	case errors.Is(err, gpu.ErrNoValidation):
		return []finding{loader, {what: "validation", found: err.Error(), remedy: "unset " + gpu.ValidationVariable}}
	case err != nil:
		driver.found = err.Error()
		return append([]finding{loader, driver}, examineDrivers()...)
	}
	defer instance.Close() // keeps the driver loaded for the instances opened below
	infos, err := gpu.Devices(instance)
	switch {
	case err != nil:
		driver.found = err.Error()
	case len(infos) == 0:
		driver.found = "the loader finds no device"
	default:
		driver.ok, driver.found = true, names.Count(len(infos), "device")
	}
	findings := append([]finding{loader, driver}, examineDrivers()...)
	if !driver.ok {
		return findings
	}
	chosen, err := gpu.Choose(infos, "")
	if err != nil {
		findings = append(findings, finding{what: "device", found: err.Error(), remedy: "a driver for Vulkan 1.1 or later"})
	} else {
		findings = append(findings, examineDevice(&infos[chosen])...)
	}
	return append(findings, examineValidation())
}

func examineDevice(info *gpu.DeviceInfo) []finding {
	runs := plan.Strategies(info.PlanLimits())
	return []finding{
		{what: "device", ok: true, found: fmt.Sprintf("%s (%s), %s %s, Vulkan %s", info.Name, info.Type, info.DriverName, info.DriverInfo, info.API)},
		{
			what: "subgroup", ok: len(runs) == len(reuse.Strategies), optional: len(runs) > 0,
			found:  fmt.Sprintf("%d lanes: %s", info.Subgroup.Size, info.Subgroup.Ops),
			remedy: "strategies that run here: " + cmp.Or(strings.Join(runs, ", "), "none") + "; the others need ballot, shuffle or more shared memory",
		},
		examineFeatures(info.Features),
	}
}

// examineFeatures lists the features that the device has. For each one that it lacks, it says what does not run, or runs slower.
func examineFeatures(f gpu.Features) finding {
	var lacks []string
	for _, l := range []struct {
		has         bool
		consequence string
	}{
		{f.Int64, "no 64-bit integers: no --raster compute and no --cull; --raster hardware draws"},
		{f.Int64Atomics || !f.Int64, "no 64-bit atomics: --raster compute takes 32-bit ones, in one pass more"},
		{f.VertexStores, "no stores from vertex shaders: no --strategy hardware in the counts view"},
		{f.SubgroupSizeControl, "no choice of the subgroup's size: other lane counts run in shared memory"},
	} {
		if !l.has {
			lacks = append(lacks, l.consequence)
		}
	}
	return finding{
		what: "features", ok: len(lacks) == 0, optional: true,
		found:  "has " + strings.Join(f.Names(), " "),
		remedy: strings.Join(lacks, "; "),
	}
}

func examineValidation() finding {
	f := finding{what: "validation", optional: true, found: "VK_LAYER_KHRONOS_validation",
		remedy: "only developers need it: " + gpu.LayerRemedy}
	instance, err := gpu.NewInstance(gpu.Options{Validation: true})
	if f.ok = err == nil; f.ok {
		instance.Close()
	} else {
		f.found = err.Error()
	}
	return f
}

// examinePrograms looks for the external programs that some file formats need.
func examinePrograms() (findings []finding) {
	for _, p := range [][2]string{
		{"renderdoccmd", "needed for captures in .rdc files: Debian, Ubuntu: apt install renderdoccmd; others: it comes with RenderDoc, renderdoc.org"},
		{"glslangValidator", "needed for vertex shaders in GLSL and those of OpenGL captures: Debian, Ubuntu: apt install glslang-tools; others: it comes with the Vulkan SDK, vulkan.lunarg.com"},
	} {
		path, err := exec.LookPath(p[0])
		findings = append(findings, finding{what: "program", ok: err == nil, optional: true, found: cmp.Or(path, p[0]), remedy: p[1]})
	}
	return findings
}

func examineDisplay() finding {
	f := finding{what: "display", optional: true, found: "neither DISPLAY nor WAYLAND_DISPLAY is set", remedy: "the viewer needs one; shadeonce render works without"}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		f.ok, f.found = true, "the desktop"
	}
	for _, name := range []string{"WAYLAND_DISPLAY", "DISPLAY"} {
		if value := os.Getenv(name); value != "" {
			f.ok, f.found = true, name+"="+value
		}
	}
	return f
}

const icdFile = "ICD file" // an ICD file without its device is no fault: Mesa installs drivers of all GPUs

// examineDrivers returns a finding for each driver that the loader looks for.
func examineDrivers() (findings []finding) {
	for _, file := range gpu.DriverFiles() {
		d := gpu.OpenDriver(file)
		f := finding{what: icdFile, ok: len(d.Devices) > 0, optional: true, found: file, remedy: "it has no device on this machine"}
		if d.Library != "" {
			f.found += " (" + d.Library + ")"
		}
		if f.ok {
			f.found += ": " + strings.Join(d.Devices, ", ")
		}
		if d.Err != nil {
			f.remedy += ": " + d.Err.Error()
		}
		findings = append(findings, f)
	}
	return findings
}
