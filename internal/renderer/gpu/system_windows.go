package gpu

import "golang.org/x/sys/windows/registry"

// Names of Vulkan's parts on this system, and how to install them.
const (
	LoaderLibrary = "vulkan-1.dll"
	LoaderRemedy  = "it comes with the driver of your GPU's maker; the Vulkan Runtime of vulkan.lunarg.com has it alone"
	DriverRemedy  = "install the driver of your GPU's maker"
	LayerRemedy   = "install the Vulkan SDK of vulkan.lunarg.com"
)

// systemDrivers lists the ICD files of the registry. Source: "Driver Discovery on Windows" in
// LoaderDriverInterface.md of Vulkan-Loader.
func systemDrivers() (places []string) {
	// Drivers installed without a device are registry values whose names are paths and whose data are 0.
	if key, err := registry.OpenKey(registry.LOCAL_MACHINE, `SOFTWARE\Khronos\Vulkan\Drivers`, registry.READ); err == nil {
		defer key.Close()
		files, _ := key.ReadValueNames(0)
		for _, file := range files {
			if off, _, err := key.GetIntegerValue(file); err == nil && off == 0 {
				places = append(places, file)
			}
		}
	}
	// Display adapters name their drivers in their own keys.
	const adapters = `SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318}`
	class, err := registry.OpenKey(registry.LOCAL_MACHINE, adapters, registry.READ)
	if err != nil {
		return places
	}
	defer class.Close()
	numbers, _ := class.ReadSubKeyNames(0)
	for _, number := range numbers {
		adapter, err := registry.OpenKey(class, number, registry.READ)
		if err != nil {
			continue
		}
		defer adapter.Close()
		files, _, _ := adapter.GetStringsValue("VulkanDriverName")
		file, _, _ := adapter.GetStringValue("VulkanDriverName") // a single one
		for _, file := range append(files, file) {
			if file != "" {
				places = append(places, file)
			}
		}
	}
	return places
}
