package capture

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
)

// captureText is a frame of one draw of triangles, with its vertices in entry 0, and one draw of lines.
const captureText = `<?xml version="1.0"?>
<rdc>
	<header><driver id="2">OpenGL</driver></header>
	<chunks version="35">
		<chunk id="1" name="glBufferData"><ResourceId name="buffer">1</ResourceId><uint name="bytesize">36</uint><buffer name="data" byteLength="36">0</buffer></chunk>
		<chunk id="2" name="Internal::Beginning of Capture" />
		<chunk id="3" name="glVertexAttribPointer"><ResourceId name="buffer">1</ResourceId><uint name="index">0</uint><int name="size">3</int><enum name="type" string="GL_FLOAT">5126</enum><int name="stride">0</int><uint name="offset">0</uint></chunk>
		<chunk id="4" name="glEnableVertexAttribArray"><uint name="index">0</uint></chunk>
		<chunk id="5" name="glDrawArrays"><enum name="mode" string="GL_TRIANGLES">4</enum><int name="first">0</int><int name="count">3</int></chunk>
		<chunk id="6" name="glDrawArrays"><enum name="mode" string="GL_LINES">1</enum><int name="first">0</int><int name="count">3</int></chunk>
	</chunks>
</rdc>
`

func captureEntries(t testing.TB) []byte { return zipped(t, bytesOf(tetraPositions[:3])) }

// zipped returns a zip file of entries, which are named by their numbers.
func zipped(t testing.TB, entries ...[]byte) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i, data := range entries {
		must.Get(must.Get(w.Create(fmt.Sprintf("%06d", i))).Write(data))
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

func gzipped(t testing.TB, text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	must.Get(w.Write([]byte(text)))
	require.NoError(t, w.Close())
	return b.Bytes()
}

// writeFiles puts files into a new folder.
func writeFiles(t testing.TB, files map[string][]byte) string {
	folder := t.TempDir()
	for name, data := range files {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), data, 0o600))
	}
	return folder
}

func TestCaptureFiles(t *testing.T) {
	entries := captureEntries(t)
	folder := writeFiles(t, map[string][]byte{
		"a.zip": entries, "a.zip.xml": []byte(captureText), "a.zip.xml.gz": gzipped(t, captureText), "a.zip.xml.zst": must.Get(zstd.NewWriter(nil)).EncodeAll([]byte(captureText), nil),
		"b.zip.xml": []byte(captureText), "c": entries, "c.xml": []byte(captureText), "capture": []byte(captureText), "d.xml": []byte("<?xml version=\"1.0\"?><svg></svg>"),
		"e.zip.xml": []byte(strings.Replace(captureText, "glDrawArrays", "glDrawJunk", 1)), "e.zip": entries,
		"f.zip.xml": []byte(captureText[:900]), "f.zip": entries, "g.zip.xml": []byte(captureText), "g.zip": entries[:40],
		"h.zip.xml": []byte(captureText),
	})
	opened := []string{"a.zip.xml", "a.zip.xml.gz", "a.zip.xml.zst", "c.xml"}
	if runtime.GOOS != "windows" { // on Windows, making a link needs special rights
		elsewhere := writeFiles(t, map[string][]byte{"cache": entries})
		require.NoError(t, os.Symlink(filepath.Join(elsewhere, "cache"), filepath.Join(folder, "h.zip")))
		opened = append(opened, "h.zip.xml")
	}
	for _, name := range opened {
		s, err := Open(t.Context(), filepath.Join(folder, name))
		require.NoError(t, err, name)
		require.Equal(t, tetraPositions[:3], s.Positions, name)
		require.Equal(t, "pass 1 / event 3 glDrawArrays", s.Draws[0].Name)
		require.Equal(t, []string{
			"1 x glDrawArrays: no triangles (GL_LINES)",
			"counted, but not run by their shaders: 1 x glDrawArrays: the vertex shader of its program is not known",
		}, s.Skipped)
	}
	for name, cause := range map[string]string{
		"b.zip.xml": `needs the zip file beside it: "b.zip": no such file`, "capture": "the name must end in .zip.xml", "d.xml": "is not a RenderDoc capture",
		"e.zip.xml": "no draws that can be read: 1 x glDrawArrays: no triangles (GL_LINES); 1 x glDrawJunk: unknown kind of draw",
		"f.zip.xml": "the file ends early", "g.zip.xml": "g.zip is not a zip file",
	} {
		path := filepath.Join(folder, name)
		_, err := Open(t.Context(), path)
		requireClear(t, path, err)
		require.Contains(t, err.Error(), cause)
	}
}

// TestSharedCaptures opens real frames; the tests of package renderdoc check their draws.
func TestSharedCaptures(t *testing.T) {
	folder := shareddata.Path(t, "captures")
	for name, want := range map[string]string{
		"oa": "243 draws 16412 triangles", "stk_gl_abyss": "823 draws 1101994 triangles", "stk_gl_black_forest": "1877 draws 980750 triangles",
		"stk_vulkan_abyss": "317 draws 206940 triangles", "wz": "127 draws 38722 triangles",
	} {
		if testing.Short() && strings.HasPrefix(name, "stk_gl") {
			continue // these have a million triangles each
		}
		s, err := Open(t.Context(), filepath.Join(folder, name+".geo.zip.xml.zst"))
		require.NoError(t, err)
		require.Equal(t, want, fmt.Sprintf("%d draws %d triangles", len(s.Draws), s.Triangles()), name)
		require.NotContains(t, strings.Join(s.Skipped, "\n"), "image", "skinned draws fetch their bones from texel buffers")
	}
}

// fakeProgram installs a script as renderdoccmd.
func fakeProgram(t *testing.T, script string) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, rdcProgram), []byte("#!/bin/sh\n"+script), 0o700))
	t.Setenv("PATH", folder+":/usr/bin:/bin")
}

func TestRDC(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	folder := writeFiles(t, map[string][]byte{"x.zip.xml": []byte(captureText), "x.zip": captureEntries(t), "-a.rdc": []byte("RDOC and more"), "-a.rdc.gz": gzipped(t, "RDOC and more"), "named": []byte("RDOC")})
	path := filepath.Join(folder, "-a.rdc")
	t.Setenv("FROM", folder)

	// The program gets the arguments that RenderDoc expects, and its files are read and removed.
	fakeProgram(t, `[ "$1" = convert ] && [ "$2" = -f ] && grep -q ^RDOC "$3" && [ "$4" = -o ] && [ "$6 $7" = "-c zip.xml" ] || exit 9
cp "$FROM/x.zip.xml" "$5" && cp "$FROM/x.zip" "${5%.xml}"`)
	for _, name := range []string{"-a.rdc", "named", "-a.rdc.gz"} {
		s, err := Open(t.Context(), filepath.Join(folder, name))
		require.NoError(t, err)
		require.Len(t, s.Draws, 1)
		require.Equal(t, name, s.Name)
	}
	for script, cause := range map[string]string{
		"echo some words; echo \"on \x1b[1m lines\" >&2; exit 3":                                         `renderdoccmd failed (exit status 3): "some words on \x1b[1m lines"`,
		`echo "Couldn't load 'x.rdc' as 'rdc': File I/O failed: I/O error reading magic number"; exit 1`: `renderdoccmd failed (exit status 1): "File I/O failed: I/O error reading magic number"`,
		"exit 0":                           "renderdoccmd wrote nothing",
		`cp "$FROM/x.zip.xml" "$5"`:        `needs the zip file beside it: "frame.zip": no such file`,
		`echo '<junk>' > "$5"`:             "is not a RenderDoc capture",
		`mkdir "$5"`:                       "left nothing to read",
		`head -c 100000 /dev/zero; exit 1`: "renderdoccmd failed",
	} {
		fakeProgram(t, script)
		_, err := Open(t.Context(), path)
		requireClear(t, path, err)
		require.Contains(t, err.Error(), cause, script)
		require.Less(t, len(err.Error()), 600)
	}
	// After cancellation, the program and all that it has started are killed.
	fakeProgram(t, `sleep 100000 & echo $! > "$FROM/pid"; wait`)
	wanted, stop := context.WithCancelCause(t.Context())
	go func() {
		for !started(filepath.Join(folder, "pid")) {
			time.Sleep(time.Millisecond)
		}
		stop(errEnough)
	}()
	_, err := Open(wanted, path)
	require.ErrorIs(t, err, errEnough)
	pid := must.Get(os.ReadFile(filepath.Join(folder, "pid")))
	for ended := false; !ended; time.Sleep(time.Millisecond) { // the signal takes effect when the process is next scheduled
		stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat")
		ended = err != nil || bytes.Contains(stat, []byte(") Z "))
	}

	fakeProgram(t, "sleep 100000")
	_, err = rdcRead(t.Context(), &format.Input{Path: path, Size: 13}, 100*time.Millisecond)
	requireClear(t, path, err)
	require.Contains(t, err.Error(), "took longer than 100ms")
	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	require.Empty(t, left, "temporary files stay behind")

	t.Setenv("PATH", t.TempDir())
	_, err = Open(t.Context(), path)
	requireClear(t, path, err)
	require.Contains(t, err.Error(), "needs the program renderdoccmd, which is not installed (package renderdoccmd")
}

// started reports whether a program has completely written its process number.
func started(file string) bool {
	text, _ := os.ReadFile(file)
	return bytes.HasSuffix(text, []byte("\n"))
}

// BenchmarkSharedCapture opens three frames, among them that with the longest XML and that with the most triangles.
func BenchmarkSharedCapture(b *testing.B) {
	for _, name := range []string{"stk_gl_black_forest", "stk_gl_abyss", "stk_vulkan_ravenbridge_mansion"} {
		b.Run(name, func(b *testing.B) {
			path := shareddata.Path(b, "captures", name+".geo.zip.xml.zst")
			b.ReportAllocs()
			for b.Loop() {
				s, err := Open(b.Context(), path)
				require.NoError(b, err)
				b.ReportMetric(float64(s.Bytes()), "B/scene")
			}
		})
	}
}

// TestSharedRDC converts a real capture with the real program: the draws must be those of the XML
// beside it.
func TestSharedRDC(t *testing.T) {
	packed := shareddata.Path(t, "captures", "oa_frame210.rdc.zst")
	if _, err := exec.LookPath(rdcProgram); err != nil {
		t.Skip("no renderdoccmd here (Debian: renderdoccmd)")
	}
	want, err := Open(t.Context(), shareddata.Path(t, "captures", "oa.geo.zip.xml.zst"))
	require.NoError(t, err)
	data := shareddata.Unpacked(packed)
	path := filepath.Join(t.TempDir(), "frame 1.rdc")
	require.NoError(t, os.WriteFile(path, data, 0o666))
	got, err := Open(t.Context(), path)
	require.NoError(t, err)
	require.Equal(t, want.Draws, got.Draws)
	require.Equal(t, want.Indices, got.Indices)
	require.Equal(t, want.Positions, got.Positions)

	require.NoError(t, os.WriteFile(path, data[:len(data)/2], 0o666))
	_, err = Open(t.Context(), path)
	requireClear(t, path, err)
	require.ErrorContains(t, err, "renderdoccmd failed (exit status 1): ")
}
