package shade

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

var version = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*version[ \t]+(\d+)[ \t]*(\w*)[^\n]*\n?`)

// The oldest versions of GLSL and of its ES form that glslangValidator compiles to SPIR-V, and
// what stands for older ones.
const (
	oldest, oldestES = 140, 310
	legacy           = "#version 450\n#define attribute in\n#define varying out\n#define texture2D texture\n"
)

// compileOpenGL compiles a text of GLSL as OpenGL and WebGL take it: uniforms outside of blocks,
// without bindings and locations, of versions that are older than SPIR-V; includes need no
// extension. Uniforms become members of a block.
func (t *task) compileOpenGL(ctx context.Context, c *compiler, path string) (text string, err error) {
	name := t.file
	source := readFile(name, name, largestSource)
	head, rest := legacy, source
	if at := version.FindSubmatchIndex(source); at != nil {
		rest = source[at[1]:]
		number, _ := strconv.Atoi(string(source[at[2]:at[3]]))
		switch es := string(source[at[4]:at[5]]) == "es"; {
		case es:
			head = fmt.Sprintf("#version %d es\n", max(number, oldestES))
		case number >= oldest:
			head = string(source[at[0]:at[1]])
		}
	}
	line := 1 + bytes.Count(source[:len(source)-len(rest)], []byte("\n"))
	head = fmt.Sprintf("%s#extension GL_GOOGLE_include_directive : enable\n#line %d\n", head, line)
	must.OK(os.WriteFile(path, append([]byte(head), rest...), 0o600))
	relaxed := *t
	relaxed.file, relaxed.opengl = path, true
	text, err = run(ctx, nil, c.program, c.args(&relaxed)...)
	return strings.ReplaceAll(text, path, name), err
}
