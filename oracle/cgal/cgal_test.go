// Package cgal compares two applications with CGAL, an independent library: subdivision with its Loop subdivision,
// envelopes with its exact tests for intersecting triangles. It has only tests, and two small C++ programs in testdata,
// which they compile.
//
// The tests take about a minute, and run if SHADEONCE_CGAL is set, as `make test-all` does. They are skipped if a C++
// compiler, or the headers of CGAL, GMP or MPFR are missing.
package cgal

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/apps"
)

// missing returns why the tests cannot run, or "".
var missing = sync.OnceValue(func() string {
	if os.Getenv("SHADEONCE_CGAL") == "" {
		return "SHADEONCE_CGAL is not set, as `make test-all` does"
	}
	if _, err := exec.LookPath(compiler()); err != nil {
		return "no C++ compiler: " + err.Error()
	}
	probe := exec.Command(compiler(), "-E", "-x", "c++", "-o", os.DevNull, "-")
	probe.Stdin = strings.NewReader("#include <CGAL/version.h>\n#include <gmp.h>\n#include <mpfr.h>\n")
	if probe.Run() != nil {
		return "no headers of CGAL, GMP and MPFR (Debian's libcgal-dev)"
	}
	return ""
})

func compiler() string {
	if name := os.Getenv("CXX"); name != "" {
		return name
	}
	return "c++"
}

// program compiles a program of testdata, and returns its path.
func program(t *testing.T, name string) string {
	t.Helper()
	if why := missing(); why != "" {
		t.Skip("cgal: skipped: " + why)
	}
	path := filepath.Join(t.TempDir(), name)
	// CGAL's interval arithmetic changes the rounding mode.
	output, err := exec.Command(compiler(), "-std=c++17", "-O1", "-frounding-math", "-DNDEBUG", "-o", path,
		filepath.Join("testdata", name+".cpp"), "-lmpfr", "-lgmp").CombinedOutput()
	require.NoError(t, err, "%s", output)
	return path
}

// run passes a mesh to a program, and returns what it writes.
func run(t *testing.T, m *apps.Mesh, path string, arguments ...string) []byte {
	var in, out, failure bytes.Buffer
	for _, part := range []any{uint32(len(m.Positions)), uint32(m.Faces()), m.Positions, m.Triangles} {
		require.NoError(t, binary.Write(&in, binary.LittleEndian, part))
	}
	cmd := exec.Command(path, arguments...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, &out, &failure
	require.NoError(t, cmd.Run(), "%s", failure.String())
	return out.Bytes()
}
