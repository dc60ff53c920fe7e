//go:build !windows

package main

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/base/atomicfile"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/report"
)

func renderTo(path string, flags ...string) result {
	return call(append([]string{"render", "asset:cube", "--backend", "cpu", "--size", "32x32", "-o", path}, flags...)...)
}

func TestOutputThatCannotBeWritten(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	require.NoError(t, os.WriteFile(at("mesh.png"), []byte(oneTriangle), 0o666))
	require.NoError(t, os.WriteFile(at("locked.png"), nil, 0o444))
	require.NoError(t, os.Symlink(at("loop.png"), at("loop.png")))
	for _, c := range []struct{ name, path, want string }{
		{"a mesh", at("mesh.png"), "mesh.png: not overwritten: the file exists and holds no PNG"},
		{"a file that is read-only", at("locked.png"), "locked.png: cannot write: it is read-only"},
		{"a loop of links", at("loop.png"), "loop.png: cannot write: too many levels of symbolic links"},
		{"a long name", at(strings.Repeat("a", 300) + ".png"), "cannot write: file name too long"},
	} {
		t.Run(c.name, func(t *testing.T) {
			requireFailure(t, cli.ExitFailure, c.want, renderTo(c.path))
			requireEmpty(t, folder, "mesh.png", "locked.png", "loop.png")
			require.Equal(t, oneTriangle, string(must.Get(os.ReadFile(at("mesh.png")))))
		})
	}
}

func TestOutputFolderThatIsReadOnly(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.Chmod(folder, 0o555))
	if file, err := os.Create(filepath.Join(folder, "probe")); err == nil {
		file.Close()
		t.Skip("this user may write into folders that are read-only")
	}
	requireFailure(t, cli.ExitFailure, "x.png: cannot write: permission denied", renderTo(filepath.Join(folder, "x.png")))
	requireEmpty(t, folder)
}

// Failures at three points leave the old file in place.
func TestFailureLeavesTheOldPicture(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.png")
	requireFine(t, renderTo(path))
	old := must.Get(os.ReadFile(path))
	for _, flags := range [][]string{{"--queue-budget", "100"}, {"--view", "foo"}, {"--lanes", "5"}} {
		require.NotZero(t, renderTo(path, flags...).status)
		require.Equal(t, old, must.Get(os.ReadFile(path)))
	}
	requireFine(t, renderTo(path, "--view", "shaded"))
	require.NotEqual(t, old, must.Get(os.ReadFile(path)), "a picture is overwritten by the next")
	requireEmpty(t, filepath.Dir(path), "x.png")
}

func TestOutputKeepsModesAndLinks(t *testing.T) {
	folder := t.TempDir()
	path, link := filepath.Join(folder, "x.png"), filepath.Join(folder, "link.png")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.NoError(t, os.Symlink("x.png", link))
	requireFine(t, renderTo(link))
	info := must.Get(os.Lstat(link))
	require.Equal(t, fs.ModeSymlink, info.Mode().Type(), "the link is still one")
	info = must.Get(os.Stat(path))
	require.Equal(t, fs.FileMode(0o600), info.Mode())
	readPicture(t, path)

	fresh := filepath.Join(folder, "fresh.png")
	requireFine(t, renderTo(fresh))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "plain"), nil, 0o666))
	want := must.Get(os.Stat(filepath.Join(folder, "plain")))
	info = must.Get(os.Stat(fresh))
	require.Equal(t, want.Mode(), info.Mode(), "a new file has the modes that new files have")
}

func TestOutputToAPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o666))
	read := make(chan []byte)
	go func() {
		data, _ := os.ReadFile(pipe)
		read <- data
	}()
	requireFine(t, renderTo(pipe))
	require.True(t, bytes.HasPrefix(<-read, []byte(pngSignature)))
	require.Equal(t, fs.ModeNamedPipe, must.Get(os.Stat(pipe)).Mode().Type(), "not replaced by a file")
}

// A limit on file size stands in for a full disk.
func TestOutputOnAFullDisk(t *testing.T) {
	shell := must.Get(exec.LookPath("sh"))
	folder := t.TempDir()
	cmd := process(t, nil, "render", "asset:knot", "--backend", "cpu", "-o", filepath.Join(folder, "x.png"))
	cmd.Args = append([]string{"sh", "-c", `ulimit -f 8 && exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = shell
	requireFailure(t, cli.ExitFailure, "x.png: cannot write: file too large", finish(t, cmd))
	requireEmpty(t, folder)
}

// An interrupt while the mesh is read leaves no file. A later interrupt leaves the whole picture or none.
func TestInterruptLeavesNothingHalfWritten(t *testing.T) {
	for _, whole := range []bool{false, true} {
		folder := t.TempDir()
		path := filepath.Join(folder, "x.png")
		cmd := process(t, nil, "render", "-", "--backend", "cpu", "--size", "1024x1024", "-o", path)
		input := must.Get(cmd.StdinPipe())
		require.NoError(t, cmd.Start())
		_, err := io.WriteString(input, oneTriangle+strings.Repeat("# more than a pipe holds\n", 1<<16))
		require.NoError(t, err) // the program is reading the mesh
		if whole {
			require.NoError(t, input.Close())
		}
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		_ = cmd.Wait() // the picture may have been finished before the signal came
		if !whole {
			require.Equal(t, 130, cmd.ProcessState.ExitCode())
		}
		if _, err := os.Stat(path); err != nil {
			requireEmpty(t, folder)
			continue
		}
		require.True(t, whole)
		readPicture(t, path)
		requireEmpty(t, folder, "x.png")
	}
}

// TestInterrupt interrupts work that does not watch its context, and work on a device that cannot be
// cancelled. Both end with the signal's exit status and one line, and leave no file.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	pipe := filepath.Join(folder, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	begun := func() (bool, error) { // a walk under way has a temporary folder
		made, err := filepath.Glob(filepath.Join(folder, ".shadeonce-*"))
		return len(made) > 0, err
	}
	for _, c := range []struct {
		args  []string
		begun func() (bool, error)
	}{
		{[]string{"compare", pipe, pipe}, func() (bool, error) {
			w, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0) // fails until the program reads
			if err == nil {
				t.Cleanup(func() { w.Close() })
			}
			return err == nil, nil
		}},
		{onGPU("apps", "walk", "--quiet", "--steps", "10000", "-o", filepath.Join(folder, "walk")), begun},
	} {
		cmd := process(t, nil, c.args...)
		var said bytes.Buffer
		cmd.Stderr = &said
		require.NoError(t, cmd.Start())
		for {
			ready := must.Get(c.begun())
			if ready {
				break
			}
			time.Sleep(time.Millisecond)
		}
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		_ = cmd.Wait()
		require.Equal(t, 130, cmd.ProcessState.ExitCode(), said.String())
		require.Equal(t, "shadeonce: interrupted\n", said.String())
		requireEmpty(t, folder, "pipe")
	}
}

// An interrupt before any kind of output is written leaves no file. The work itself sends the signal, so the test
// does not depend on timing.
func TestInterruptInTheMiddle(t *testing.T) {
	folder := t.TempDir()
	cube := must.Get(assets.Make("cube"))
	interrupt := func(ctx context.Context) {
		require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGINT))
		<-ctx.Done()
	}
	writes := map[string]func(context.Context) error{
		"picture": func(ctx context.Context) error {
			return atomicfile.Output(ctx, filepath.Join(folder, "x.png"), []byte("x"))
		},
		"report": func(ctx context.Context) error {
			return report.WriteFolder(ctx, filepath.Join(folder, "x"), []report.File{{Name: "a", Data: []byte("a")}, {Name: "b"}})
		},
		"mesh": func(ctx context.Context) error {
			return format.Save(ctx, filepath.Join(folder, "x.glb"), cube)
		},
	}
	for name, write := range writes {
		err := cli.UntilInterrupted(func(ctx context.Context) error {
			interrupt(ctx)
			return write(ctx)
		})
		require.Equal(t, 130, cli.Status(err), name)
		requireEmpty(t, folder)
	}
	require.Equal(t, 130, cli.Status(cli.UntilInterrupted(func(ctx context.Context) error {
		interrupt(ctx)
		return nil
	})), "what was done in time is no reason to go on")
	require.NoError(t, cli.UntilInterrupted(func(context.Context) error { return nil }))
}
