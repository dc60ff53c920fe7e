package gpu

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
)

// Driver is a Vulkan driver that an ICD file names.
type Driver struct {
	Library string
	Devices []string // by name, on this machine
	Err     error    // why there are none, if the loader reports it
}

// The variables of the Vulkan loader that name drivers, the newer one first.
var driverVariables = []string{"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}

// DriverFiles lists the ICD files that the Vulkan loader reads, in its order. Source: "Driver
// Discovery on Linux" in LoaderDriverInterface.md of Vulkan-Loader.
func DriverFiles() (files []string) {
	list := func(variable, otherwise string) []string {
		return filepath.SplitList(cmp.Or(os.Getenv(variable), otherwise))
	}
	places := list(driverVariables[0], os.Getenv(driverVariables[1]))
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

// OpenDriver asks one driver for its devices, through an instance that sees no other. It
// changes the environment for a while.
func OpenDriver(file string) Driver {
	var d Driver
	var content struct {
		ICD struct {
			Library string `json:"library_path"`
		}
	}
	data, err := os.ReadFile(file)
	if d.Err = cmp.Or(err, json.Unmarshal(data, &content)); d.Err != nil {
		return d
	}
	d.Library = content.ICD.Library
	for _, variable := range driverVariables {
		if before, had := os.LookupEnv(variable); had {
			defer os.Setenv(variable, before)
		} else {
			defer os.Unsetenv(variable)
		}
		os.Setenv(variable, file)
	}
	infos, err := ListDevices()
	for i := range infos {
		d.Devices = append(d.Devices, infos[i].Name)
	}
	d.Err = err
	return d
}
