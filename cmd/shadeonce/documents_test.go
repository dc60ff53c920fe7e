package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
	"github.com/shadeonce/shadeonce/internal/cli"
)

// notRun is the number of blocks in the documents that are marked as never run.
const notRun = 15

var (
	fenced   = regexp.MustCompile("(?ms)((?:^<!-- [^\n]* -->\n)*)^```(\\w*)\n(.*?)^```$")
	leftOut  = regexp.MustCompile(`<!-- (?:not run|needs (\S+)): .* -->`)
	quoted   = regexp.MustCompile(`<!-- from (\S+) -->`)
	inline   = regexp.MustCompile("`shadeonce ([a-z][^`]+)`")
	longFlag = regexp.MustCompile(`\s--([a-z-]+)`)
	varies   = regexp.MustCompile(`<!-- varies: (.*) -->`)
	blanks   = regexp.MustCompile(` {2,}`)
	drivers  = regexp.MustCompile(`llvmpipe \(LLVM [^)]*\)|Mesa \d\S*`)
	commands = regexp.MustCompile(`^(.*?)( 2>/dev/null)?( [|>] .*?)?( +#.*)?$`)
)

// TestDocuments runs the commands of README.md and docs/*.md in a folder that newSamples fills.
// A fenced block without a language has lines "$ COMMAND", each with all that it prints below, or
// else one command per line, which must succeed, as must "- run: shadeonce" in YAML. Comments above
// a block:
//
//	<!-- from FILE -->          the block quotes lines of FILE
//	<!-- varies: REGEX -->      output that may differ, except in its (groups)
//	<!-- needs FILE: REASON --> not run where newSamples could not make the file
//	<!-- not run: REASON -->
//
// go test ./cmd/shadeonce -run TestDocuments -update writes the current output.
func TestDocuments(t *testing.T) {
	if os.Getenv("SHADEONCE_DEVICE") != "" || !regexp.MustCompile(`(?m)^0 +llvmpipe.* default$`).MatchString(fine(t, "devices").out) {
		t.Skip("documents show what Mesa's CPU driver prints")
	}
	root := shareddata.Tree(t)
	t.Chdir(newSamples(t, root))
	run, not, program := 0, "", newRoot(nil)
	program.InitDefaultCompletionCmd()
	for _, path := range append(must.Get(filepath.Glob(filepath.Join(root, "docs", "*.md"))), filepath.Join(root, "README.md")) {
		text := string(must.Get(os.ReadFile(path)))
		require.NotRegexp(t, "(?m)^(~~~| +```|```(sh|bash|shell|console|shellsession)$)", text, path)
		got := fenced.ReplaceAllStringFunc(text, func(block string) string {
			part := fenced.FindStringSubmatch(block)
			if why := leftOut.FindStringSubmatch(part[1]); why != nil && len(must.Get(filepath.Glob(why[1]))) == 0 {
				not += filepath.Base(path) + ": " + why[0] + "\n"
				return block
			}
			if from := quoted.FindStringSubmatch(part[1]); from != nil {
				source := string(must.Get(os.ReadFile(filepath.Join(root, from[1]))))
				require.Contains(t, source, part[3], path)
				require.True(t, part[2] == "go" || part[3] == source, "%s: %s is shown as a whole", path, from[1])
			}
			switch part[2] {
			case "yaml":
				for _, c := range regexp.MustCompile(`(?m)^ *- run: (shadeonce .*)$`).FindAllStringSubmatch(part[3], -1) {
					shell(t, c[1], true)
				}
			case "":
				run++
				now := repeated(t, part[1], part[3])
				assert.True(t, *update || now == part[3], "%s shows\n%s\nnow it is\n%s", path, part[3], now)
				return part[1] + "```\n" + now + "```"
			}
			return block
		})
		for _, span := range inline.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
			command, _, err := program.Find(strings.Fields(span[1]))
			require.NoError(t, err, span[0])
			for _, flag := range longFlag.FindAllStringSubmatch(span[1], -1) {
				assert.True(t, flag[1] == "help" || command.Flag(flag[1]) != nil, "%s: %s", path, span[0])
			}
		}
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(got), 0o666))
		}
	}
	t.Logf("%d blocks run; not run:\n%s", run, not)
	require.Equal(t, notRun, strings.Count(not, "<!-- not run"), "blocks that are not run:\n%s", not)
}

// repeated returns a block with the current output of its commands.
func repeated(t *testing.T, marks, block string) string {
	if !strings.HasPrefix(block, "$ ") {
		for line := range strings.Lines(block) {
			shell(t, strings.TrimSpace(line), true)
		}
		return block
	}
	bare := func(text string) string {
		text = drivers.ReplaceAllString(text, "#")
		for _, v := range varies.FindAllStringSubmatch(marks, -1) {
			text = blanks.ReplaceAllString(regexp.MustCompile("(?m)"+v[1]).ReplaceAllString(text, "$1#$2$3"), " ")
		}
		return text
	}
	var out strings.Builder
	for _, part := range strings.Split("\n"+block, "\n$ ")[1:] {
		command, shown, _ := strings.Cut(strings.TrimSuffix(part, "\n")+"\n", "\n")
		printed := shell(t, command, shown == "")
		if bare(printed) == bare(shown) {
			printed = shown
		}
		out.WriteString("$ " + command + "\n" + printed)
	}
	return out.String()
}

// shell runs a command line and returns its output. shadeonce runs in this process.
func shell(t *testing.T, line string, succeeds bool) string {
	part := commands.FindStringSubmatch(line)
	args := words.FindAllString(part[1], -1)
	if len(args) == 0 || args[0] != "shadeonce" {
		out, err := exec.Command("sh", "-c", line).CombinedOutput()
		require.NoError(t, err, "%s\n%s", line, out)
		return string(out)
	}
	var piped, all bytes.Buffer
	out := &all
	if part[3] != "" {
		out = &piped
	}
	errors := io.Writer(&all)
	if part[2] != "" {
		errors = io.Discard
	}
	open := devices.session
	if args[1] == "render" {
		open = nil // the command opens a device of its own, since it prints the device's memory
	}
	status := cli.Run(newRoot(open), args[1:], out, errors)
	require.False(t, succeeds && status != 0, "%s\n%s", line, all.String())
	if part[3] != "" {
		rest := exec.Command("sh", "-c", "cat"+part[3])
		rest.Stdin, rest.Stdout = &piped, &all
		require.NoError(t, rest.Run(), line)
	}
	return all.String()
}

// newSamples makes a folder with the files that the documents name.
func newSamples(t *testing.T, root string) string {
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	for name, order := range map[string]string{"bunny.ply": "original", "bunny.glb": "original", "meshes/bunny.ply": "original", "reordered/bunny.ply": "forsyth"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(in(name)), 0o777))
		fine(t, "convert", "asset:grid32", "-o", in(name), "--order", order)
	}
	for name, text := range map[string]string{"bad.obj": "v 0 0 0\nv 1 0 0\nf 1 2 7\n", "x.ply": "hello\n", "x.txt": "hello\n"} {
		require.NoError(t, os.WriteFile(in(name), []byte(text), 0o666))
	}
	for name, from := range map[string]string{"wind.vert": "examples/vertex-shaders/wind.vert", "shaders": "shaders", "examples": "examples"} {
		require.NoError(t, os.Symlink(filepath.Join(root, from), in(name)))
	}
	if packed, ok := shareddata.Find("captures", "stk_gl.geo.zip.xml.zst"); ok && !testing.Short() {
		require.NoError(t, os.WriteFile(in("frame.zip.xml"), shareddata.Unpacked(packed), 0o666))
		require.NoError(t, os.WriteFile(in("frame.zip"), must.Get(os.ReadFile(strings.TrimSuffix(packed, ".xml.zst"))), 0o666))
	}
	return folder
}
