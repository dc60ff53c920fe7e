package rules

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// withoutCgo runs the go command for a program without cgo, and so without Vulkan.
func withoutCgo(t *testing.T, root string, args ...string) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = root, append(cmd.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "CGO_ENABLED=0 go %v: %s", args, out)
}

// The stand-ins for Vulkan without cgo have everything that other packages use. Without -short the
// command is also built and run.
func TestWithoutVulkan(t *testing.T) {
	root, folder := projectRoot(t), t.TempDir()
	if testing.Short() {
		withoutCgo(t, root, "build", "-buildvcs=false", ".", "./apps/walk")
		return
	}
	program, picture := filepath.Join(folder, "shadeonce"), filepath.Join(folder, "a.png")
	withoutCgo(t, root, "build", "-buildvcs=false", "-o", program, "./cmd/shadeonce")
	run := func(args ...string) (string, error) {
		out, err := exec.Command(program, args...).CombinedOutput()
		return string(out), err
	}
	const why = "this program was built without Vulkan"
	for _, c := range []struct {
		args  []string
		fails bool
		want  string
	}{
		{[]string{"analyze", "asset:knot", "--strategy", "claim"}, false, "shadeonce: no GPU, ran on the CPU: " + why},
		{[]string{"analyze", "asset:knot", "--strategy", "claim", "--backend", "cpu"}, false, "asset:knot  original  claim"},
		{[]string{"render", "asset:knot", "--size", "64x64", "--backend", "cpu", "-o", picture}, false, "reuse 0.7500 of 0.8333 ideal"},
		{[]string{"render", "asset:knot", "--backend", "gpu", "-o", picture}, true, "shadeonce: " + why},
		{[]string{"render", "--help"}, false, "auto and cpu are the CPU; gpu fails, since " + why},
		{[]string{"devices"}, false, "shadeonce: no Vulkan device: " + why},
		{[]string{"doctor"}, true, "MISSING  Vulkan      " + why},
	} {
		out, err := run(c.args...)
		require.Equal(t, c.fails, err != nil, "%v: %s", c.args, out)
		require.Contains(t, out, c.want, "%v", c.args)
	}
	require.FileExists(t, picture)
	_, err := exec.LookPath("ldd")
	if err != nil {
		return
	}
	out, err := exec.Command("ldd", program).CombinedOutput()
	require.Error(t, err, "it needs libraries: %s", out)
}
