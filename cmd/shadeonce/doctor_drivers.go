package main

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/internal/names"
	"github.com/shadeonce/shadeonce/renderer/gpu"
)

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
