package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/calibration"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
)

// pngSignature is the first bytes of a PNG file.
const pngSignature = "\x89PNG\r\n\x1a\n"

// runVariable makes the test binary run as the program, for tests that need a separate process:
// another environment, limits, signals.
const runVariable = "SHADEONCE_TEST_RUN"

func TestMain(m *testing.M) {
	measure.WarmUp = 0 // no test depends on how long anything took
	if os.Getenv(calibration.Variable) == "" {
		os.Setenv(calibration.Variable, calibration.Off) // choices must not depend on the user's cache
	}
	if os.Getenv(runVariable) == "1" {
		main()
	}
	if signal.Ignored(os.Interrupt) { // as under nohup; tests would wait for ever for interrupted programs
		signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	}
	status := m.Run()
	if left := devices.close(); len(left) > 0 {
		fmt.Fprintln(os.Stderr, "closing the shared devices, the validation layer reported:", left)
		status = 1
	}
	os.Exit(status)
}

// devices are the GPUs on which call runs command lines.
var devices = sharedDevices{open: map[string]*gpu.Backend{}}

// sharedDevices lends its devices to one session at a time. The pipelines stay, since compiling them is most of a
// command line's cost.
type sharedDevices struct {
	turn sync.Mutex
	open map[string]*gpu.Backend // by --device
}

func (s *sharedDevices) session(o gpu.BackendOptions) (b *gpu.Backend, done func(), err error) {
	s.turn.Lock()
	b = s.open[o.Device]
	if b != nil && len(b.Messages()) > 0 { // the session that caused the messages has reported them
		b.Close()
		b = nil
	}
	if b == nil {
		o.Validation = os.Getenv("SHADEONCE_NO_VALIDATION") == ""
		if b, err = gpu.OpenBackend(o); err != nil {
			s.turn.Unlock()
			return nil, nil, err
		}
		s.open[o.Device] = b
	}
	return b, func() { b.Reset(); s.turn.Unlock() }, nil
}

// close returns the validation layer's last messages.
func (s *sharedDevices) close() (messages []string) {
	for _, b := range s.open {
		b.Close()
		messages = append(messages, b.Messages()...)
	}
	return messages
}

// result is the outcome of a command line.
type result struct {
	status      int
	out, errors string
}

// call runs a command line on the shared devices.
func call(args ...string) result { return callRoot(newRoot(devices.session), args...) }

func callRoot(root *cobra.Command, args ...string) result {
	var out, errors bytes.Buffer
	status := cli.Run(root, args, &out, &errors)
	return result{status, out.String(), errors.String()}
}

// process returns the program as a separate process, with changes to the environment.
func process(t testing.TB, env []string, args ...string) *exec.Cmd {
	program := must.Get(os.Executable())
	cmd := exec.Command(program, args...)
	cmd.Env = append(append(os.Environ(), runVariable+"=1"), env...)
	return cmd
}

func finish(t testing.TB, cmd *exec.Cmd) result {
	var out, errors bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errors
	if err := cmd.Run(); err != nil {
		require.IsType(t, &exec.ExitError{}, err)
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), errors.String()}
}

// onGPU appends the flags that choose the device in SHADEONCE_DEVICE, or the default one, under
// validation: a validation message makes the command fail.
func onGPU(args ...string) []string {
	args = append(args, "--backend", "gpu")
	if device := os.Getenv("SHADEONCE_DEVICE"); device != "" {
		args = append(args, "--device", device)
	}
	if os.Getenv("SHADEONCE_NO_VALIDATION") == "" {
		args = append(args, "--validation")
	}
	return args
}

// onCPU matches the notice of bench and apps that the device is a CPU.
var onCPU = regexp.MustCompile(`^shadeonce: .* is a CPU: its times say nothing about a GPU\n`)

// fine is call for a command line that must succeed and print nothing on standard error except onCPU.
func fine(t testing.TB, args ...string) result {
	t.Helper()
	r := call(args...)
	requireFine(t, r)
	return r
}

// runs is call for a command line that must succeed, whatever it prints on standard error.
func runs(t testing.TB, args ...string) result {
	t.Helper()
	r := call(args...)
	require.Zero(t, r.status, r.errors)
	return r
}

func requireFine(t testing.TB, r result) {
	t.Helper()
	require.Equal(t, 0, r.status, r.errors)
	require.Empty(t, onCPU.ReplaceAllString(r.errors, ""))
}

// rowsAs reads rows that a command printed as JSON.
func rowsAs[T any](t testing.TB, text string) (rows []T) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(text), &rows))
	return rows
}

// requireFailure requires one line on standard error and no other output.
func requireFailure(t testing.TB, status int, want string, r result) {
	t.Helper()
	require.Equal(t, status, r.status, "standard error: %s", r.errors)
	require.Contains(t, r.errors, want)
	require.Empty(t, r.out)
	require.True(t, strings.HasPrefix(r.errors, "shadeonce: "), r.errors)
	require.Equal(t, 1, strings.Count(r.errors, "\n"), "one line, got %q", r.errors)
	require.True(t, strings.HasSuffix(r.errors, "\n"))
}

// requireEmpty requires that a folder has only the named files.
func requireEmpty(t testing.TB, folder string, but ...string) {
	t.Helper()
	require.ElementsMatch(t, but, names.Of(must.Get(os.ReadDir(folder)), fs.DirEntry.Name))
}

func writeFile(t testing.TB, name, text string) string {
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

const oneTriangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"

// TestBadInput uses files whose names or kinds a transcript cannot contain.
func TestBadInput(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	loop := filepath.Join(folder, "loop.ply")
	require.NoError(t, os.Symlink(loop, loop))
	for path, want := range map[string]string{
		loop: "loop.ply: too many levels of symbolic links",
		filepath.Join(folder, strings.Repeat("a/", 3000), "b.obj"): "file name too long",
		writeFile(t, "picture.obj", pngSignature+"\x00\x00"):       "picture.obj: is not an OBJ file",
		writeFile(t, "new\nline\x1b[31m.obj", "f 1 2 3\n"):         `new\nline\x1b[31m.obj: line 1: `,
	} {
		for _, command := range []string{"analyze --json", "analyze --csv", "render -o " + filepath.Join(folder, "x.png"), "report --quick -o " + filepath.Join(folder, "r")} {
			requireFailure(t, cli.ExitFailure, want, call(append(strings.Fields(command), "--backend", "cpu", path)...))
			requireEmpty(t, folder, "loop.ply")
		}
	}
}

// A scene so large that the camera's matrix may overflow is drawn, or refused with one line.
func TestSceneTooLargeForACamera(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := writeFile(t, "huge.off", "OFF\n3 1 0\n1e38 0 0\n-1e38 0 0\n0 3e38 0\n3 0 1 2\n")
	r := call("render", "--backend", "cpu", path, "-o", filepath.Join(folder, "x.png"))
	if r.status == 0 {
		requireFine(t, r)
		return
	}
	requireFailure(t, cli.ExitFailure, "huge.off: ", r)
	requireEmpty(t, folder)
}

func TestHelp(t *testing.T) {
	t.Parallel()
	root := fine(t)
	for _, name := range []string{"analyze", "render", "devices", "doctor"} {
		require.Contains(t, root.out, "\n  "+name+" ")
		byFlag, byCommand := call(name, "--help"), call("help", name)
		requireFine(t, byFlag)
		require.Equal(t, byFlag, byCommand)
		for line := range strings.Lines(byFlag.out) {
			require.LessOrEqual(t, len(line), 200, line)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		script := fine(t, "completion", shell)
		require.Contains(t, script.out, "shadeonce")
	}
}

// failingWriter accepts a number of bytes, and then fails.
type failingWriter struct{ room int }

func (f *failingWriter) Write(p []byte) (int, error) {
	if len(p) > f.room {
		return 0, fmt.Errorf("no room")
	}
	f.room -= len(p)
	return len(p), nil
}

func TestStandardOutputThatCannotBeWritten(t *testing.T) {
	for _, args := range [][]string{
		{}, {"--version"}, {"help", "render"}, {"completion", "bash"},
		{"analyze", "asset:cube", "--backend", "cpu"},
		{"analyze", "asset:cube", "--backend", "cpu", "--json"},
		{"analyze", "asset:cube", "--backend", "cpu", "--csv"},
		{"render", "asset:cube", "--backend", "cpu", "--plan"},
		{"render", "asset:cube", "--backend", "cpu", "--size", "32x32", "--repeat", "1"},
		{"devices"}, {"doctor"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			var errors bytes.Buffer
			status := cli.Run(newRoot(nil), args, &failingWriter{}, &errors)
			requireFailure(t, cli.ExitFailure, "standard output: no room", result{status, "", errors.String()})
			errors.Reset()
			status = cli.Run(newRoot(nil), args, &failingWriter{room: 5}, &errors)
			requireFailure(t, cli.ExitFailure, "standard output: no room", result{status, "", errors.String()})
		})
	}
}
