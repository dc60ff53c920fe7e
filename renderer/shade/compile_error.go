package shade

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/names"
)

// CompileError is what a compiler has against a file.
type CompileError struct {
	Lines []string // "file:line: message", one at least
}

// Error is the first line, and how many there are behind it.
func (e *CompileError) Error() string {
	if more := len(e.Lines) - 1; more > 0 {
		return fmt.Sprintf("%s; %s more", e.Lines[0], names.Count(more, "error"))
	}
	return e.Lines[0]
}

var (
	// The forms in which compilers place a message: glslangValidator's, dxc's and clang's,
	// slangc's.
	placed = []*regexp.Regexp{
		regexp.MustCompile(`^ERROR: (.+?):(\d+): (.*)$`),
		regexp.MustCompile(`^(.+?):(\d+):\d+: (?:fatal )?error: (.*)$`),
		regexp.MustCompile(`^(.+?)\((\d+)\): (?:fatal )?error(?: \d+)?: (.*)$`),
	}
	unplaced  = regexp.MustCompile(`^(?:ERROR|error(?:\[\w+\])?|fatal error): (.*)$`)
	placement = regexp.MustCompile(`^\s*(?:┌─|-->) (.+?):(\d+):\d+`) // of the unplaced message before: naga's, and newer slangc's
	noise     = regexp.MustCompile(`compilation terminated|compilation errors?\.|Could not parse|No code generated`)
	spaces    = regexp.MustCompile(`\s+`)
)

// compileError makes an error of what a compiler said.
func compileError(file, program, text string, err error) error {
	var found []string
	add := func(line string) {
		if line = names.Printable(spaces.ReplaceAllString(strings.TrimSpace(line), " ")); !slices.Contains(found, line) {
			found = append(found, line)
		}
	}
	pending := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if noise.MatchString(line) {
			continue
		}
		if m := placement.FindStringSubmatch(line); m != nil && pending != "" {
			add(m[1] + ":" + m[2] + ": " + pending)
			pending = ""
			continue
		}
		m := firstMatch(line)
		if m == nil && pending != "" {
			continue
		}
		if pending != "" {
			add(file + ": " + pending)
		}
		pending = ""
		switch {
		case m == nil:
		case len(m) == 2:
			pending = m[1]
		default:
			add(m[1] + ":" + m[2] + ": " + strings.TrimPrefix(m[3], "'' : "))
		}
	}
	if pending != "" {
		add(file + ": " + pending)
	}
	if len(found) == 0 {
		return fmt.Errorf("%s: %s: %w", file, program, err)
	}
	return &CompileError{found}
}

// firstMatch is the file, line and message of a line, or its message alone.
func firstMatch(line string) []string {
	for _, form := range append(placed, unplaced) {
		if m := form.FindStringSubmatch(line); m != nil {
			return m
		}
	}
	return nil
}
