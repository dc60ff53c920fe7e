package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

var update = flag.Bool("update", false, "let the transcripts hold what is printed now")

// TestTranscripts repeats the command lines of testdata/*.txt, and compares all that they
// print, their exit status and the files that they leave. $W is the folder of a
// transcript's files, $CPU the name of the CPU, $GO that of its driver:
//
//	# a comment
//	> a.obj             a file, whose lines follow
//	~ \d+\.\d{3} ms     output that # replaces, except for (groups) at its ends
//	$ analyze $W/a.obj  a command line; 'quotes' hold blanks, $GPU is the flags of onGPU
//	$ cat a.csv         prints a file
//	| standard output
//	! standard error
//	? the status, unless it is 0
//	+ a file that is new or has changed; - one that is gone
//
// go test ./cmd/shadeonce -run TestTranscripts -update writes the lines below the commands.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	files := must.Get(filepath.Glob(filepath.Join("testdata", "*.txt")))
	require.NotEmpty(t, files)
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			want := must.Get(os.ReadFile(path))
			got := (&transcript{TB: t, folder: t.TempDir(), files: map[string][32]byte{}}).repeat(string(want))
			if *update {
				require.NoError(t, os.WriteFile(path, []byte(got), 0o666))
				return
			}
			require.Equal(t, string(want), got)
		})
	}
}

type transcript struct {
	testing.TB
	folder string
	files  map[string][32]byte // SHA-256 of each file in the folder at the last call of changes
	masks  []*regexp.Regexp
}

// repeat returns the transcript with the current output.
func (s *transcript) repeat(text string) string {
	var out strings.Builder
	made := "" // the file that the next lines are written to
	for line := range strings.Lines(text) {
		rest := strings.TrimSuffix(line[min(2, len(line)):], "\n")
		switch line[0] {
		case '|':
			if made == "" {
				continue
			}
			s.write(made, rest+"\n")
		case '!', '?', '+', '-':
			continue
		case '>':
			made = rest
			s.write(made, "")
		case '~':
			s.masks = append(s.masks, regexp.MustCompile("(?m)"+rest))
		case '$':
			made = ""
			line += s.run(rest)
		}
		out.WriteString(line)
	}
	return out.String()
}

// write appends to a file of the folder.
func (s *transcript) write(name, text string) {
	path := filepath.Join(s.folder, name)
	require.NoError(s, os.MkdirAll(filepath.Dir(path), 0o777))
	file := must.Get(os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666))
	must.Get(file.WriteString(text))
	require.NoError(s, file.Close())
	s.changes()
}

var words = regexp.MustCompile(`(?:'[^']*'|[^\s'])+`)

// run runs a command line, and returns its output, its status if it failed, and its changes to files.
func (s *transcript) run(command string) string {
	var args []string
	for _, word := range words.FindAllString(command, -1) {
		args = append(args, strings.NewReplacer("'", "", "$W", s.folder).Replace(word))
	}
	if last := len(args) - 1; args[last] == "$GPU" {
		args = onGPU(args[:last]...)
	}
	if args[0] == "cat" {
		data := must.Get(os.ReadFile(filepath.Join(s.folder, args[1])))
		return s.lines("| ", string(data))
	}
	r := call(args...)
	text := s.lines("| ", r.out) + s.lines("! ", r.errors)
	if r.status != 0 {
		text += fmt.Sprintf("? %d\n", r.status)
	}
	changes := s.changes()
	if r.status == cli.ExitUsage {
		requireFailure(s, cli.ExitUsage, "", r)
		require.Empty(s, changes, command)
	}
	return text + changes
}

// lines puts a mark before each line of a text. If names or times are replaced, the widths of columns are ignored.
func (s *transcript) lines(mark, text string) string {
	cpu := soft.New().Info()
	made := strings.NewReplacer(s.folder, "$W", strings.ReplaceAll(s.folder, `\`, `\\`), "$W", cpu.Device, "$CPU", cpu.Driver, "$GO").Replace(text)
	if runtime.GOOS == "windows" {
		made = fromWindows(made)
	}
	for _, mask := range s.masks {
		made = mask.ReplaceAllString(made, "$1#$2")
	}
	if made != text {
		made = regexp.MustCompile(`(\S) {2,}`).ReplaceAllString(made, "$1 ")
	}
	var out strings.Builder
	for line := range strings.Lines(made) {
		out.WriteString(strings.TrimRight(mark+line, " \n") + "\n")
	}
	return out.String()
}

var pathOfW, inFile = regexp.MustCompile(`\$W[^\s:,"]*`), regexp.MustCompile(`cannot write into folder \S+: it is a file\n`)

// fromWindows translates the output of Windows into that of other systems: slashes in paths, one text for the system
// errors 2 and 3, and the usual error for a path that leads through a file.
func fromWindows(text string) string {
	text = pathOfW.ReplaceAllStringFunc(text, filepath.ToSlash)
	text = inFile.ReplaceAllString(text, "cannot write: not a directory\n")
	return strings.NewReplacer(syscall.Errno(2).Error(), "no such file or directory", syscall.Errno(3).Error(), "no such file or directory").Replace(text)
}

// changes lists the files that are new, changed or gone since the last call.
func (s *transcript) changes() string {
	now := map[string][32]byte{}
	require.NoError(s, filepath.WalkDir(s.folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(s.folder, path)
		now[filepath.ToSlash(name)] = sha256.Sum256(data)
		return err
	}))
	var list []string
	for name, sum := range now {
		if s.files[name] != sum {
			list = append(list, "+ "+name+"\n")
		}
	}
	for name := range maps.Keys(s.files) {
		if _, left := now[name]; !left {
			list = append(list, "- "+name+"\n")
		}
	}
	s.files = now
	slices.Sort(list)
	return strings.Join(list, "")
}
