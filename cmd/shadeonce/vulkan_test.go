package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/cli"
)

// noDriver is an environment in which the Vulkan loader finds nothing.
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

// A failure is one line there too.
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
	requireFailure(t, cli.ExitFailure, "unknown asset", finish(t, process(t, noDriver, "analyze", "asset:foo")))
	r := finish(t, process(t, noDriver, "analyze", "asset:cube", "asset:foo"))
	require.Equal(t, cli.ExitFailure, r.status)
	require.Regexp(t, `^shadeonce: no GPU, ran on the CPU: .*\nshadeonce: unknown asset .*\n$`, r.errors)
}

func TestWithoutVulkanDoctor(t *testing.T) {
	r := finish(t, process(t, noDriver, "doctor"))
	require.Equal(t, cli.ExitFailure, r.status)
	require.Regexp(t, `(?m)^MISSING  driver `, r.out)
	require.Contains(t, r.out, "-> install your GPU's Vulkan driver, or Mesa's CPU driver: Debian, Ubuntu: apt install mesa-vulkan-drivers")
	require.Equal(t, "shadeonce: 1 of what the GPU backend needs is missing; --backend cpu works without\n", r.errors)
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

// TestSessionsOpenADevice of their own, as the program does, by each flag that names one.
func TestSessionsOpenADevice(t *testing.T) {
	for _, flags := range [][]string{{}, {"--backend", "gpu"}, {"--device", "0"}, onGPU()} {
		r := callRoot(newRoot(nil), append([]string{"analyze", "asset:cube", "--strategy", "warp", "--json"}, flags...)...)
		requireFine(t, r)
		require.Equal(t, "gpu", decode(t, r.out)[0]["backend"], flags)
	}
}

func TestDevices(t *testing.T) {
	r := call("devices", "--json")
	requireFine(t, r)
	var devices []device
	require.NoError(t, json.Unmarshal([]byte(r.out), &devices))
	require.NotEmpty(t, devices, "the tests need a Vulkan device; Mesa's CPU driver is enough")
	table := call("devices")
	requireFine(t, table)
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
	r := call("doctor")
	requireFine(t, r)
	for _, what := range []string{"loader", "driver", "device", "subgroup"} {
		require.Regexp(t, fmt.Sprintf(`(?m)^ok       %s +\S`, what), r.out)
	}
}
