package shade

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/names"
)

// CompileError holds a compiler's messages about a file.
type CompileError struct {
	Lines []string // "file:line: message", at least one
}

// Error returns the first line and the number of further lines.
func (e *CompileError) Error() string {
	if more := len(e.Lines) - 1; more > 0 {
		return fmt.Sprintf("%s; %s more", e.Lines[0], names.Count(more, "error"))
	}
	return e.Lines[0]
}

var (
	// The forms in which compilers print the place of a message: glslangValidator; dxc and clang;
	// slangc.
	placed = []*regexp.Regexp{
		regexp.MustCompile(`^ERROR: (.+?):(\d+): (.*)$`),
		regexp.MustCompile(`^(.+?):(\d+):\d+: (?:fatal )?error: (.*)$`),
		regexp.MustCompile(`^(.+?)\((\d+)\): (?:fatal )?error(?: \d+)?: (.*)$`),
	}
	unplaced  = regexp.MustCompile(`^(?:ERROR|error(?:\[\w+\])?|fatal error): (.*)$`)
	placement = regexp.MustCompile(`^\s*(?:┌─|-->) (.+?):(\d+):\d+`) // place of the message on the line before: naga and newer slangc
	noise     = regexp.MustCompile(`compilation terminated|compilation errors?\.|Could not parse|No code generated`)
	reason    = regexp.MustCompile(`^\s*= (.*)$`)   // why, on the lines below: naga
	escapes   = regexp.MustCompile(`\x1b\[[\d;]*m`) // of naga
	spaces    = regexp.MustCompile(`\s+`)
)

// compileError makes an error of a compiler's output.
func compileError(file, program, text string, err error) error {
	var found []string
	add := func(line string) {
		if line = names.Printable(spaces.ReplaceAllString(strings.TrimSpace(line), " ")); !slices.Contains(found, line) {
			found = append(found, line)
		}
	}
	pending := ""
	for line := range strings.Lines(escapes.ReplaceAllString(text, "")) {
		line = strings.TrimRight(line, "\r\n")
		if noise.MatchString(line) {
			continue
		}
		if m := placement.FindStringSubmatch(line); m != nil && pending != "" {
			add(m[1] + ":" + m[2] + ": " + pending)
			pending = ""
			continue
		}
		if m := reason.FindStringSubmatch(line); m != nil {
			if pending != "" {
				pending += ": " + m[1]
			} else if len(found) > 0 {
				found[len(found)-1] += ": " + names.Printable(m[1])
			}
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

// firstMatch splits a line into file, line and message; the message may be alone.
func firstMatch(line string) []string {
	for _, form := range append(placed, unplaced) {
		if m := form.FindStringSubmatch(line); m != nil {
			return m
		}
	}
	return nil
}
