package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
)

// noDriver is an environment in which the Vulkan loader finds no driver.
var noDriver = []string{"VK_ICD_FILENAMES=/nonexistent", "VK_DRIVER_FILES=/nonexistent", "SHADEONCE_VALIDATION=0"}

func TestWithoutVulkanAutoFallsBack(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "x.png")
	r := finish(t, process(t, noDriver, "render", "asset:sphere3", "--size", "64x64", "-o", path))
	require.Equal(t, 0, r.status, r.errors)
	require.Regexp(t, `^shadeonce: no GPU, ran on the CPU: gpu: .*\n$`, r.errors)
	onCPU, _ := draw(t, "asset:sphere3", "--size", "64x64", "--backend", "cpu")
	require.Equal(t, onCPU, readPicture(t, path))

	r = finish(t, process(t, noDriver, "analyze", "asset:cube", "--json"))
	require.Equal(t, 0, r.status, r.errors)
	require.Equal(t, "cpu", decode(t, r.out)[0]["backend"])
}

// Without Vulkan, too, a failure is one line.
func TestWithoutVulkanFailuresAreOneLine(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "x.png")
	for _, args := range [][]string{
		{"render", "asset:cube", "-o", path, "--backend", "gpu"},
		{"render", "asset:cube", "-o", path, "--validation"},
		{"render", "asset:cube", "-o", path, "--device", "0"},
		{"analyze", "asset:cube", "--backend", "gpu"},
	} {
		requireFailure(t, cli.ExitFailure, "gpu: ", finish(t, process(t, noDriver, args...)))
		requireEmpty(t, folder)
	}
	requireFailure(t, cli.ExitFailure, "none.ply: no such file", finish(t, process(t, noDriver, "analyze", "none.ply")))
	requireFailure(t, cli.ExitUsage, "unknown asset", finish(t, process(t, noDriver, "analyze", "asset:foo")))
	r := finish(t, process(t, noDriver, "analyze", "asset:cube", "none.ply"))
	require.Equal(t, cli.ExitFailure, r.status)
	require.Regexp(t, `^shadeonce: no GPU, ran on the CPU: .*\nshadeonce: none.ply: no such file .*\n$`, r.errors)
}

func TestWithoutVulkanDoctor(t *testing.T) {
	r := finish(t, process(t, noDriver, "doctor"))
	require.Equal(t, cli.ExitFailure, r.status)
	require.Regexp(t, `(?m)^MISSING  driver `, r.out)
	require.Contains(t, r.out, "-> install your GPU's Vulkan driver, or Mesa's CPU driver: Debian, Ubuntu: apt install mesa-vulkan-drivers")
	require.Equal(t, "shadeonce: the GPU backend cannot run: it lacks 1 requirement; --backend cpu has none\n", r.errors)
}

func TestWithoutVulkanDevices(t *testing.T) {
	r := finish(t, process(t, noDriver, "devices", "--json"))
	require.Equal(t, 0, r.status)
	require.JSONEq(t, "[]", r.out)
	require.Regexp(t, `^shadeonce: no Vulkan device; shadeonce doctor says how to get one: gpu: .*\n$`, r.errors)
	r = finish(t, process(t, noDriver, "devices"))
	require.Equal(t, 0, r.status)
	require.Empty(t, r.out)
}

// TestSessionsOpenADevice: without flags, and with each flag that asks for a GPU, the session opens a device itself, as
// in the program.
func TestSessionsOpenADevice(t *testing.T) {
	for _, flags := range [][]string{{}, {"--backend", "gpu"}, {"--device", "0"}, onGPU()} {
		r := callRoot(newRoot(nil), append([]string{"analyze", "asset:cube", "--strategy", "warp", "--json"}, flags...)...)
		requireFine(t, r)
		require.Equal(t, "gpu", decode(t, r.out)[0]["backend"], flags)
	}
}

func TestDevices(t *testing.T) {
	devices := rowsAs[device](t, fine(t, "devices", "--json").out)
	require.NotEmpty(t, devices, "the tests need a Vulkan device; Mesa's CPU driver is enough")
	table := fine(t, "devices")
	defaults := 0
	for i, d := range devices {
		require.Equal(t, i, d.Index)
		require.NotEmpty(t, d.Name)
		require.Positive(t, d.Subgroup)
		require.Contains(t, table.out, d.Name)
		if d.Default {
			defaults++
		}
	}
	require.Equal(t, 1, defaults)
}

func TestDoctor(t *testing.T) {
	r := fine(t, "doctor")
	for _, what := range []string{"loader", "driver", "device", "subgroup"} {
		require.Regexp(t, fmt.Sprintf(`(?m)^ok       %s +\S`, what), r.out)
	}
	require.Regexp(t, `\neverything that the GPU backend needs is here.*\n$`, r.out)
}

// TestDoctorListsDrivers: doctor lists the driver files of a folder, among them a broken one and one that names a
// missing library, and the files of the drivers that the tests use.
func TestDoctorListsDrivers(t *testing.T) {
	var real []string
	for _, file := range gpu.DriverFiles() {
		if len(gpu.OpenDriver(file).Devices) > 0 {
			real = append(real, file)
		}
	}
	require.NotEmpty(t, real, "the tests need a Vulkan device")
	home := t.TempDir()
	folder := filepath.Join(home, "data", "vulkan", "icd.d")
	require.NoError(t, os.MkdirAll(folder, 0o777))
	for name, text := range map[string]string{"broken.json": "{", "gone.json": `{"ICD": {"library_path": "/none.so", "api_version": "1.1.0"}}`, "notes.txt": ""} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666))
	}
	for _, variable := range []string{"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "HOME", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME"} {
		t.Setenv(variable, "")
	}
	t.Setenv(gpu.ValidationVariable, "") // the folders below do not contain the validation layer
	t.Setenv("XDG_DATA_DIRS", filepath.Join(home, "none")+":"+filepath.Join(home, "data"))
	t.Setenv("VK_ADD_DRIVER_FILES", real[0])
	files := gpu.DriverFiles()
	require.Equal(t, real[0], files[0])
	require.Equal(t, []string{filepath.Join(folder, "broken.json"), filepath.Join(folder, "gone.json")}, files[len(files)-2:])

	t.Setenv("VK_ICD_FILENAMES", folder+":"+real[0])
	require.Equal(t, append(files[len(files)-2:], real[0]), gpu.DriverFiles())
	findings := examineDrivers()
	require.Len(t, findings, 3)
	for i, want := range []finding{
		{ok: false, found: `broken\.json$`, remedy: ": unexpected end of JSON input"},
		{ok: false, found: `gone\.json \(/none\.so\)$`, remedy: ": gpu: vkCreateInstance"},
		{ok: true, found: `\.json \(.*libvulkan_?.*\.so.*\): .+`},
	} {
		require.Equal(t, want.ok, findings[i].ok, "%+v", findings[i])
		require.True(t, findings[i].optional)
		require.Regexp(t, want.found, findings[i].found)
		if !want.ok {
			require.Regexp(t, want.remedy, findings[i].remedy)
		}
	}
	require.Equal(t, folder+":"+real[0], os.Getenv("VK_ICD_FILENAMES"), "what OpenDriver sets does not stay")
}
