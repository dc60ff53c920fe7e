//go:build !windows

package gpu

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
)

// Names of Vulkan's parts on this system, and how to install them.
const (
	LoaderLibrary = "libvulkan.so.1" // libvulkan.so exists only in development packages
	LoaderRemedy  = "Debian, Ubuntu: apt install libvulkan1; Fedora: dnf install vulkan-loader; Arch: pacman -S vulkan-icd-loader"
	DriverRemedy  = "install your GPU's Vulkan driver, or Mesa's CPU driver: Debian, Ubuntu: apt install mesa-vulkan-drivers; Fedora: dnf install mesa-vulkan-drivers; Arch: pacman -S vulkan-swrast"
	LayerRemedy   = "Debian, Ubuntu: apt install vulkan-validationlayers"
)

// systemDrivers lists the folders in which the system keeps ICD files; they need not exist. Source:
// "Driver Discovery on Linux" in LoaderDriverInterface.md of Vulkan-Loader.
func systemDrivers() (places []string) {
	list := func(variable, otherwise string) []string {
		return filepath.SplitList(cmp.Or(os.Getenv(variable), otherwise))
	}
	home := os.Getenv("HOME")
	for _, folder := range slices.Concat(
		list("XDG_CONFIG_HOME", filepath.Join(home, ".config")), list("XDG_CONFIG_DIRS", "/etc/xdg"), []string{"/usr/local/etc", "/etc"},
		list("XDG_DATA_HOME", filepath.Join(home, ".local", "share")), list("XDG_DATA_DIRS", "/usr/local/share:/usr/share"),
	) {
		places = append(places, filepath.Join(folder, "vulkan", "icd.d"))
	}
	return places
}
