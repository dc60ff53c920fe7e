package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
	optional bool   // rendering works without
}

func newDoctor() *cobra.Command {
	return newCommand("doctor", noArguments, func(to streams, _ []string) error {
		missing := 0
		for _, f := range examine() {
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

// examine looks at everything in the order in which it is needed, as far as what
// comes before is there.
func examine() []finding { return append(examineVulkan(), examineDisplay()) }

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
	defer instance.Close()
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

// examineFeatures says what does not run, or runs slower, for want of a feature.
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

func examineDisplay() finding {
	for _, name := range []string{"DISPLAY", "WAYLAND_DISPLAY"} {
		if value := os.Getenv(name); value != "" {
			return finding{what: "display", ok: true, found: name + "=" + value}
		}
	}
	return finding{what: "display", optional: true, found: "neither DISPLAY nor WAYLAND_DISPLAY is set",
		remedy: "the viewer needs one; shadeonce render works without"}
}

// The variables of the Vulkan loader that name drivers, the newer one first.
const (
	driverFiles  = "VK_DRIVER_FILES"
	icdFilenames = "VK_ICD_FILENAMES"
)

// examineDrivers has one finding for each driver that the loader looks for: its ICD file, its
// library and the devices that it has here.
func examineDrivers() (findings []finding) {
	for _, file := range icdFiles() {
		f := finding{what: "ICD file", optional: true, found: file}
		library, err := icdLibrary(file)
		if err == nil {
			f.found += " (" + library + ")"
			var devices []string
			if devices, err = devicesOf(file); len(devices) > 0 {
				f.ok = true
				f.found += ": " + strings.Join(devices, ", ")
			}
		}
		f.remedy = "it has no device on this machine"
		if err != nil {
			f.remedy += ": " + err.Error()
		}
		findings = append(findings, f)
	}
	return findings
}

// icdFiles lists the ICD files that the Vulkan loader reads, in its order. Source: "Driver
// Discovery on Linux" in LoaderDriverInterface.md of Vulkan-Loader.
func icdFiles() (files []string) {
	list := func(variable, otherwise string) []string {
		return filepath.SplitList(cmp.Or(os.Getenv(variable), otherwise))
	}
	places := list(driverFiles, os.Getenv(icdFilenames))
	if len(places) == 0 {
		places = list("VK_ADD_DRIVER_FILES", "")
		home := os.Getenv("HOME")
		for _, folder := range slices.Concat(
			list("XDG_CONFIG_HOME", filepath.Join(home, ".config")), list("XDG_CONFIG_DIRS", "/etc/xdg"), []string{"/usr/local/etc", "/etc"},
			list("XDG_DATA_HOME", filepath.Join(home, ".local", "share")), list("XDG_DATA_DIRS", "/usr/local/share:/usr/share"),
		) {
			if folder = filepath.Join(folder, "vulkan", "icd.d"); isFolder(folder) {
				places = append(places, folder)
			}
		}
	}
	for _, place := range places {
		found := []string{place}
		if isFolder(place) {
			found, _ = filepath.Glob(filepath.Join(place, "*.json"))
		}
		for _, file := range found {
			if !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
	}
	return files
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func icdLibrary(file string) (string, error) {
	var content struct {
		ICD struct {
			Library string `json:"library_path"`
		}
	}
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &content)
	}
	return content.ICD.Library, err
}

// devicesOf asks one driver for the names of its devices, through an instance that sees no
// other.
func devicesOf(file string) (devices []string, err error) {
	for _, variable := range []string{driverFiles, icdFilenames} {
		if before, had := os.LookupEnv(variable); had {
			defer os.Setenv(variable, before)
		} else {
			defer os.Unsetenv(variable)
		}
		os.Setenv(variable, file)
	}
	instance, err := gpu.NewInstance(gpu.Options{})
	if err != nil {
		return nil, err
	}
	defer instance.Close()
	infos, err := gpu.Devices(instance)
	for i := range infos {
		devices = append(devices, names.Printable(infos[i].Name))
	}
	return devices, err
}
