package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// finding is one line of the doctor's report.
type finding struct {
	what     string
	ok       bool
	found    string
	remedy   string // how to get it
	optional bool   // rendering works without it
}

func newDoctor() *cobra.Command {
	return newCommand("doctor", noArguments, func(to streams, _ []string) error {
		missing := 0
		for _, f := range slices.Concat(examineVulkan(), examinePrograms(), []finding{examineDisplay()}) {
			mark := "ok     "
			switch {
			case f.ok:
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
		return nil
	})
}

// examineVulkan looks at everything in the order in which it is needed, as far as what
// comes before is there.
func examineVulkan() []finding {
	instance, err := gpu.NewInstance(gpu.Options{})
	loader := finding{what: "loader", ok: true, found: "libvulkan.so.1",
		remedy: "Debian, Ubuntu: apt install libvulkan1; Fedora: dnf install vulkan-loader; Arch: pacman -S vulkan-icd-loader"}
	driver := finding{what: "driver", remedy: "install your GPU's Vulkan driver, or Mesa's CPU driver: Debian, Ubuntu: apt install mesa-vulkan-drivers; Fedora: dnf install mesa-vulkan-drivers; Arch: pacman -S vulkan-swrast"}
	var noLoader *gpu.LoaderError
	switch {
	case errors.As(err, &noLoader):
		loader.ok, loader.found = false, noLoader.Cause.Error()
		return []finding{loader}
	case errors.Is(err, gpu.ErrNoValidation):
		return []finding{loader, {what: "validation", found: err.Error(), remedy: "unset " + gpu.ValidationVariable}}
	case err != nil:
		driver.found = err.Error()
		return append([]finding{loader, driver}, examineDrivers()...)
	}
	defer instance.Close() // what is opened below finds its driver loaded
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

// examineFeatures says what does not run, or runs slower, without a feature.
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
		remedy: "only developers need it: Debian, Ubuntu: apt install vulkan-validationlayers"}
	instance, err := gpu.NewInstance(gpu.Options{Validation: true})
	if err != nil {
		f.found = err.Error()
		return f
	}
	instance.Close()
	f.ok = true
	return f
}

// examinePrograms looks for the programs that read some files.
func examinePrograms() (findings []finding) {
	for _, p := range [][2]string{
		{"renderdoccmd", "needed for captures in .rdc files: Debian, Ubuntu: apt install renderdoccmd; others: renderdoc.org"},
		{"glslangValidator", "needed for vertex shaders in GLSL and those of OpenGL captures: Debian, Ubuntu: apt install glslang-tools"},
	} {
		path, err := exec.LookPath(p[0])
		findings = append(findings, finding{what: "program", ok: err == nil, optional: true, found: cmp.Or(path, p[0]), remedy: p[1]})
	}
	return findings
}

func examineDisplay() finding {
	for _, name := range []string{"DISPLAY", "WAYLAND_DISPLAY"} {
		if value := os.Getenv(name); value != "" {
			return finding{what: "display", ok: true, found: name + "=" + value}
		}
	}
	return finding{what: "display", optional: true, found: "neither DISPLAY nor WAYLAND_DISPLAY is set",
		remedy: "the viewer needs one; shadeonce render works without"}
}

// examineDrivers returns a finding for each driver that the loader looks for.
func examineDrivers() (findings []finding) {
	for _, file := range gpu.DriverFiles() {
		d := gpu.OpenDriver(file)
		f := finding{what: "ICD file", ok: len(d.Devices) > 0, optional: true, found: file, remedy: "it has no device on this machine"}
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
