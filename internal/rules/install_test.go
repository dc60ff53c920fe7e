package rules

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// installed lists the files of `make install` under PREFIX, without the manual pages of commands.
var installed = []string{
	"bin/shadeonce",
	"bin/shadeonce-viewer",
	"share/applications/shadeonce-viewer.desktop",
	"share/bash-completion/completions/shadeonce",
	"share/bash-completion/completions/shadeonce-viewer",
	"share/fish/vendor_completions.d/shadeonce-viewer.fish",
	"share/fish/vendor_completions.d/shadeonce.fish",
	"share/icons/hicolor/scalable/apps/shadeonce-viewer.svg",
	"share/man/man1/shadeonce-viewer.1",
	"share/man/man1/shadeonce.1",
	"share/mime/packages/shadeonce.xml",
	"share/zsh/site-functions/_shadeonce",
	"share/zsh/site-functions/_shadeonce-viewer",
}

func TestInstall(t *testing.T) {
	root := projectRoot(t)
	bin := t.TempDir()
	build := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", bin+"/", "./cmd/shadeonce", "./cmd/viewer")
	build.Dir = root
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)

	staged := t.TempDir()
	// Even if root's umask hides new files, everybody can read the installed ones.
	output(t, root, "bash", "-c", `umask 077; make install DESTDIR="$1" PREFIX=/opt/s BIN="$2"`, "install", staged, bin)
	prefix := filepath.Join(staged, "opt/s")
	want := slices.Clone(installed)
	for _, c := range commands(t, bin) {
		want = append(want, "share/man/man1/shadeonce-"+c+".1")
	}
	for _, shell := range []string{"bash", "fish", "powershell", "zsh"} {
		want = append(want, "share/man/man1/shadeonce-completion-"+shell+".1")
	}
	for _, app := range []string{"subdivide", "envelope", "walk"} {
		want = append(want, "share/man/man1/shadeonce-apps-"+app+".1")
	}
	require.ElementsMatch(t, want, filesBelow(t, prefix))
	require.Len(t, filesBelow(t, staged), len(want), "something lies outside of PREFIX")

	t.Run("pages and shells", func(t *testing.T) { checkWritten(t, prefix) })
	t.Run("desktop", func(t *testing.T) { checkDesktop(t, prefix) })
	t.Run("types", func(t *testing.T) { checkTypes(t, prefix) })

	kept := filepath.Join(prefix, "share/man/man1/other.1")
	require.NoError(t, os.WriteFile(kept, nil, 0o644))
	output(t, root, "make", "uninstall", "DESTDIR="+staged, "PREFIX=/opt/s")
	require.Equal(t, []string{"share/man/man1/other.1"}, filesBelow(t, prefix))
}

func TestInstallRefuses(t *testing.T) {
	root := projectRoot(t)
	staged := t.TempDir()
	for _, c := range []struct{ setting, want string }{
		{"BIN=" + t.TempDir(), "run make build first"},
		{"PREFIX=opt", "PREFIX must begin with /: opt"},
	} {
		make := exec.Command("make", "install", "DESTDIR="+staged, c.setting)
		make.Dir = root
		out, err := make.CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(out), c.want)
		require.Empty(t, filesBelow(t, staged))
	}
}

// checkWritten checks names and modes of the installed files, and their syntax with the programs
// that read them, if those are installed.
func checkWritten(t *testing.T, prefix string) {
	for _, folder := range []string{"", "bin", "share", "share/man/man1", "share/icons/hicolor/scalable/apps"} {
		info := must.Get(os.Stat(filepath.Join(prefix, folder)))
		require.Equal(t, fs.FileMode(0o755), info.Mode().Perm(), folder)
	}
	for _, name := range filesBelow(t, prefix) {
		path := filepath.Join(prefix, name)
		info := must.Get(os.Stat(path))
		mode := fs.FileMode(0o644)
		if strings.HasPrefix(name, "bin/") {
			mode = 0o755
		}
		require.Equal(t, mode, info.Mode().Perm(), name)
		require.NotZero(t, info.Size(), name)
		switch {
		case strings.Contains(name, "bash-completion"):
			readable(t, "bash", "-n", path)
		case strings.Contains(name, "/zsh/"):
			readable(t, "zsh", "-n", path)
		case strings.Contains(name, "/fish/"):
			readable(t, "fish", "-n", path)
		case strings.Contains(name, "/man1/"):
			readable(t, "mandoc", "-Tlint", "-Werror", path)
		}
	}
	for _, name := range []string{
		"share/bash-completion/completions/shadeonce-viewer", "share/zsh/site-functions/_shadeonce-viewer",
		"share/fish/vendor_completions.d/shadeonce-viewer.fish", "share/man/man1/shadeonce-viewer.1",
	} {
		require.Contains(t, text(t, prefix, name), "shadeonce-viewer", "%s is about another name", name)
	}
	require.Contains(t, text(t, prefix, "share/man/man1/shadeonce-viewer.1"), "--compare-view")
}

// checkDesktop checks that the desktop entry names installed files.
func checkDesktop(t *testing.T, prefix string) {
	name := "share/applications/shadeonce-viewer.desktop"
	entry := text(t, prefix, name)
	require.Contains(t, entry, "\nExec=shadeonce-viewer --desktop %F\n")
	require.Contains(t, entry, "\nIcon=shadeonce-viewer\n")
	require.Contains(t, entry, "\nStartupWMClass=shadeonce-viewer\n")
	types := regexp.MustCompile(`(?m)^MimeType=(.*);$`).FindStringSubmatch(entry)
	require.Len(t, types, 2)
	var defined []string
	for _, found := range regexp.MustCompile(`<mime-type type="(.*)">`).FindAllStringSubmatch(text(t, prefix, "share/mime/packages/shadeonce.xml"), -1) {
		defined = append(defined, found[1])
	}
	require.ElementsMatch(t, defined, strings.Split(types[1], ";"))
	readable(t, "desktop-file-validate", filepath.Join(prefix, name))
}

// checkTypes compiles the MIME types, and checks that they do not claim the names of
// other types' files.
func checkTypes(t *testing.T, prefix string) {
	if !readable(t, "update-mime-database", filepath.Join(prefix, "share/mime")) {
		return
	}
	patterns := text(t, prefix, "share/mime/globs")
	for _, line := range []string{
		"model/obj:*.obj", "model/x-ply:*.ply", "model/stl:*.stl", "model/x-off:*.off", "model/gltf+json:*.gltf",
		"model/gltf-binary:*.glb", "application/x-renderdoc-capture:*.rdc", "application/x-renderdoc-capture+xml:*.zip.xml",
		"application/x-shadeonce-draws:*.draws", "application/x-shadeonce-gzip:*.zip.xml.gz", "application/x-shadeonce-zstd:*.zip.xml.zst", "application/x-shadeonce-zstd:*.draws.zst",
	} {
		require.Contains(t, patterns, line+"\n")
	}
	for _, others := range []string{":*.xml\n", ":*.zip\n", ":*.csv\n", ":*.gz\n", ":*.zst\n"} {
		require.NotContains(t, patterns, others)
	}
	// The compiler's output would otherwise count as files not removed.
	made := must.Get(filepath.Glob(filepath.Join(prefix, "share/mime/*")))
	for _, path := range made {
		if filepath.Base(path) != "packages" {
			require.NoError(t, os.RemoveAll(path))
		}
	}
}

// readable runs a program that must succeed, and reports whether it ran. If it is not
// installed, a subtest with its name is skipped.
func readable(t *testing.T, name string, args ...string) (ran bool) {
	t.Run(name, func(t *testing.T) {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed", name)
		}
		output(t, "", name, args...)
		ran = true
	})
	return ran
}

// commands lists the commands of shadeonce's help, except help itself.
func commands(t *testing.T, bin string) []string {
	help := output(t, "", filepath.Join(bin, "shadeonce"), "--help")
	_, list, found := strings.Cut(help, "Available Commands:\n")
	require.True(t, found, help)
	list, _, _ = strings.Cut(list, "\n\n")
	var names []string
	for line := range strings.Lines(list) {
		if name := strings.Fields(line)[0]; name != "help" {
			names = append(names, name)
		}
	}
	require.Contains(t, names, "analyze")
	return names
}

func output(t *testing.T, folder, name string, args ...string) string {
	cmd := exec.Command(name, args...)
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s %s: %s", name, strings.Join(args, " "), out)
	return string(out)
}

func text(t *testing.T, prefix, name string) string {
	content := must.Get(os.ReadFile(filepath.Join(prefix, name)))
	return string(content)
}

// filesBelow lists every file below a folder, relative to it.
func filesBelow(t *testing.T, folder string) []string {
	var names []string
	require.NoError(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var name string
			name, err = filepath.Rel(folder, path)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	}))
	return names
}
