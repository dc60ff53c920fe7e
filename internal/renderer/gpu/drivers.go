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
	Devices []string // names of its devices on this machine
	Err     error    // why its devices could not be listed; nil if they were
}

// The environment variables of the Vulkan loader that name drivers, the newer one first.
var driverVariables = []string{"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}

// DriverFiles lists the ICD files that the Vulkan loader reads, in its order.
func DriverFiles() (files []string) {
	places := filepath.SplitList(cmp.Or(os.Getenv(driverVariables[0]), os.Getenv(driverVariables[1])))
	if len(places) == 0 {
		places = append(filepath.SplitList(os.Getenv("VK_ADD_DRIVER_FILES")), systemDrivers()...)
	}
	for _, place := range places {
		found := []string{place}
		switch info, err := os.Stat(place); {
		case err == nil && info.IsDir():
			found, _ = filepath.Glob(filepath.Join(place, "*.json"))
		case filepath.Base(place) == "icd.d": // a folder that need not exist
			found = nil
		}
		for _, file := range found {
			if !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
	}
	return files
}

// OpenDriver lists the devices of one driver, through an instance that sees no other. It changes
// the environment temporarily.
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
