package gpu

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/shaders"
)

// TestMain keeps an instance until the last test: NVIDIA's driver, which is unloaded with its
// last instance, cannot be reloaded many times in one process.
func TestMain(m *testing.M) {
	held, err := NewInstance(Options{})
	code := m.Run()
	if d := shared.device; d != nil {
		err := d.Close()
		shared.instance.Close()
		if said := shared.instance.Messages(); err != nil || len(said) > 0 {
			fmt.Println("closing the shared device:", err, said)
			code = 1
		}
	}
	if err == nil {
		held.Close()
	}
	os.Exit(code)
}

// validated is false if SHADEONCE_NO_VALIDATION is set: the machine has no validation layer.
func validated() bool { return os.Getenv("SHADEONCE_NO_VALIDATION") == "" }

// needValidation skips tests of the layer's messages.
func needValidation(t *testing.T) {
	t.Helper()
	if !validated() {
		t.Skip("SHADEONCE_NO_VALIDATION is set")
	}
}

// newInstance makes an instance, with core and synchronization validation if validated. Any message
// left at the end of the test fails it.
func newInstance(t *testing.T) *Instance {
	t.Helper()
	in, err := NewInstance(Options{AppName: t.Name(), Validation: validated()})
	require.NoError(t, err, "these tests need a Vulkan loader and the validation layer")
	t.Cleanup(func() {
		in.Close()
		require.Empty(t, in.Messages(), "validation")
	})
	return in
}

// shared is the device of newBackend, which compiles pipelines once for all tests.
var shared struct {
	instance *Instance
	device   *Device
	open     int // backends
}

// newBackend returns a backend on the shared device, whose Info tests must not change. Once all such
// backends are closed, the device must hold no memory.
func newBackend(t *testing.T) *Backend {
	t.Helper()
	x := &shared
	if x.device == nil {
		x.instance = must.Get(NewInstance(Options{AppName: "tests", Validation: validated()}))
		x.device = openOn(t, x.instance, OpenOptions{CacheDir: NoCache, PipelineBytes: 1 << 30})
	}
	b := NewBackend(x.device)
	x.open++
	t.Cleanup(func() {
		b.Close()
		if x.open--; x.open == 0 {
			closeRings(x.device)
			require.Zero(t, x.device.held+int64(x.device.allocations), "what backends held")
		}
		require.Empty(t, x.device.instance.Messages(), "validation")
	})
	return b
}

// openDevice opens the device in SHADEONCE_DEVICE, or the default one.
func openDevice(t *testing.T, o OpenOptions) *Device {
	t.Helper()
	if o.CacheDir == "" {
		o.CacheDir = NoCache
	}
	d := openOn(t, newInstance(t), o)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

func openOn(t *testing.T, in *Instance, o OpenOptions) *Device {
	t.Helper()
	d, err := openChosen(in, os.Getenv("SHADEONCE_DEVICE"), o)
	require.NoError(t, err, "these tests need a Vulkan device; Mesa's CPU driver (mesa-vulkan-drivers) will do")
	return d
}

// closing closes x at the end of the test, before the device.
func closing(t *testing.T, x interface{ Close() }) { t.Cleanup(x.Close) }

func testShader(t *testing.T, s shaders.Shader) *shaders.Shader {
	t.Helper()
	code := must.Get(os.ReadFile(filepath.Join("testdata", s.Name+".spv")))
	s.SPIRV = code
	return &s
}

func TestNewMesaHasOneSubgroupAWorkgroup(t *testing.T) {
	for _, c := range []struct {
		driver, version string
		want            bool
	}{{"llvmpipe", "Mesa 25.0.7-2~bpo12+1 (LLVM 15.0.6)", true}, {"llvmpipe", "Mesa 22.3.6 (LLVM 15.0.6)", false}, {"radv", "Mesa 25.0.7", false}, {"llvmpipe", "", false}} {
		info := DeviceInfo{DriverName: c.driver, DriverInfo: c.version}
		require.Equal(t, c.want, info.PlanLimits().OneSubgroup, "%s %s", c.driver, c.version)
	}
}

func TestInstanceSaysWhatItSpeaks(t *testing.T) {
	in := newInstance(t)
	require.Equal(t, validated(), in.Validation())
	require.Regexp(t, `^1\.[1-9]`, in.API())
	require.Empty(t, in.Messages())
}

func TestDevicesKnowTheirSubgroups(t *testing.T) {
	infos := must.Get(Devices(newInstance(t)))
	require.NotEmpty(t, infos, "no Vulkan device")
	for _, info := range infos {
		t.Logf("%s (%v) %s %s, Vulkan %s, subgroup %d in %d..%d %v, required in %#x, %v", info.Name, info.Type, info.DriverName,
			info.DriverInfo, info.API, info.Subgroup.Size, info.Subgroup.Min, info.Subgroup.Max, info.Subgroup.Ops, info.Subgroup.RequiredSizeStages, info.Features.Names())
		t.Logf("%+v heaps %+v", info.Limits, info.Heaps)
		require.NotEmpty(t, info.Name)
		require.Positive(t, info.Subgroup.Size)
		require.LessOrEqual(t, info.Subgroup.Min, info.Subgroup.Size)
		require.GreaterOrEqual(t, info.Subgroup.Max, info.Subgroup.Size)
		require.NotZero(t, info.Subgroup.Ops&OpBasic)
		require.Positive(t, info.Limits.StorageBufferBytes)
		require.Positive(t, info.Memory())
		require.Positive(t, info.Limits.WorkgroupCount[1])
	}
}

func TestFeatureNamesMatchFields(t *testing.T) {
	var f Features
	require.Len(t, featureNames, len(f.fields()))
	f = featuresFromBits(1<<1 | 1<<10)
	require.Equal(t, Features{Int64Atomics: true, FullSubgroups: true}, f)
	require.Equal(t, []string{"shaderBufferInt64Atomics", "computeFullSubgroups"}, f.Names())
}

func TestChoose(t *testing.T) {
	usable := func(name string, kind DeviceType) DeviceInfo {
		return DeviceInfo{Name: name, Type: kind, API: "1.3.0", apiWord: vk.MakeVersion(1, 3, 0), families: []queueFamily{{flags: 7}}}
	}
	old := usable("Old 1", TypeDiscrete)
	old.API, old.apiWord = "1.0.0", vk.MakeVersion(1, 0, 0)
	computeOnly := usable("Headless", TypeDiscrete)
	computeOnly.families[0].flags = 2
	infos := []DeviceInfo{
		usable("llvmpipe (LLVM 15)", TypeCPU), usable("Intel UHD", TypeIntegrated), old,
		usable("NVIDIA RTX 1", TypeDiscrete), usable("NVIDIA RTX 2", TypeDiscrete), computeOnly,
	}
	for _, c := range []struct {
		infos []DeviceInfo
		want  string
		index int
		err   string
	}{
		{infos, "", 3, ""},
		{infos[:2], "", 1, ""},
		{infos[:1], "", 0, ""},
		{infos, "0", 0, ""},
		{infos, "4", 4, ""},
		{infos, "1", 1, ""}, // the index, although names contain a 1 too
		{infos, "LLVMPIPE", 0, ""},
		{infos, "rtx 2", 4, ""},
		{infos, "nvidia", -1, `device "nvidia" is part of several names: want the number of one; there is 0: llvmpipe (LLVM 15) (cpu), 1: Intel UHD`},
		{infos, "6", -1, `no device "6"; there is 0: llvmpipe`},
		{infos[:1], "1", -1, `no device "1"; there is 0: llvmpipe (LLVM 15) (cpu)`}, // a number is never part of a name
		{infos[:1], "-1", -1, `no device "-1"`},
		{infos, "2", -1, "device 2 (Old 1) cannot be used: it supports Vulkan 1.0.0, but 1.1 is needed"},
		{infos, "headless", -1, "device 5 (Headless) cannot be used: no queue that draws and computes"},
		{infos[:2], "radeon", -1, `no device "radeon"; there is 0: llvmpipe (LLVM 15) (cpu), 1: Intel UHD (integrated)`},
		{infos[2:3], "", -1, "no device can be used; there is 0: Old 1 (discrete) unusable: it supports Vulkan 1.0.0"},
		{nil, "", -1, "no Vulkan device"},
	} {
		i, err := Choose(c.infos, c.want)
		require.Equal(t, c.index, i, "%q", c.want)
		if c.err == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, c.err)
		}
	}
}

func TestErrorsAreOneClearLine(t *testing.T) {
	for _, c := range []struct {
		err  error
		text string
	}{
		{check("vkCreateDevice", vk.ErrorOutOfDeviceMemory), "gpu: vkCreateDevice: out of device memory"},
		{check("vkQueueSubmit", vk.Result(-1234)), "gpu: vkQueueSubmit: result -1234"},
		{&MemoryError{Need: 3435973837, Have: 2 << 30}, "out of device memory: needs 3.2 GiB, the device has 2 GiB"},
		{&SizeError{What: "buffer Indices", Need: 200 << 20, Have: 128 << 20, Limit: "maxStorageBufferRange", Bytes: true},
			"buffer Indices needs 200 MiB, the device allows 128 MiB (maxStorageBufferRange)"},
		{&LoaderError{errors.New("libvulkan.so.1: cannot open")}, "no Vulkan loader: libvulkan.so.1: cannot open; install it (Debian, Ubuntu: apt install libvulkan1; Fedora: dnf install vulkan-loader; Arch: pacman -S vulkan-icd-loader)"},
	} {
		require.EqualError(t, c.err, c.text)
	}
	require.NoError(t, check("vkAcquireNextImageKHR", vk.Suboptimal))
	require.ErrorIs(t, check("vkWaitForFences", vk.ErrorDeviceLost), ErrDeviceLost)
	require.NotErrorIs(t, check("vkWaitForFences", vk.ErrorFragmentedPool), ErrDeviceLost)
}

// Each missing part of the machine gives one clear line. Each case is a separate process, since the
// loader reads its variables once.
func TestMissingPartsAreOneClearLine(t *testing.T) {
	if os.Getenv("SHADEONCE_TEST_MISSING") != "" {
		in, err := NewInstance(Options{})
		if err == nil {
			defer in.Close()
			var infos []DeviceInfo
			if infos, err = Devices(in); err == nil {
				_, err = Choose(infos, "")
			}
		}
		fmt.Printf("said: %v\n", err)
		return
	}
	for _, c := range []struct{ env, said string }{
		{"VK_ICD_FILENAMES=/nonexistent.json", `said: gpu: (vkCreateInstance: no driver|no Vulkan device).*mesa-vulkan-drivers.*\n`},
		{"VK_LAYER_PATH=/nonexistent", `said: the validation layer is not installed \(Debian, Ubuntu: apt install vulkan-validationlayers.*\n`},
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestMissingPartsAreOneClearLine$")
		cmd.Env = append(os.Environ(), "SHADEONCE_TEST_MISSING=1", c.env)
		if drivers, found := strings.CutPrefix(c.env, "VK_ICD_FILENAMES="); found {
			cmd.Env = append(cmd.Env, "VK_DRIVER_FILES="+drivers) // newer loaders prefer this variable
		}
		if strings.HasPrefix(c.env, "VK_LAYER_PATH") {
			cmd.Env = append(cmd.Env, ValidationVariable+"=1")
		}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Regexp(t, c.said, string(out), c.env)
	}

	loading.Lock()
	defer loading.Unlock()
	_, err := openLoader(nil, "libvulkan-is-not-here.so.1")
	var loader *LoaderError
	require.ErrorAs(t, err, &loader)
	require.Regexp(t, `^no Vulkan loader: libvulkan-is-not-here.so.1: .*; install it \(Debian`, err.Error())
}
