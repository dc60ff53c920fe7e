package model

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/renderer"
)

// TestDrawsHaveOneNumber: analyze --per-draw, the list of draws, --isolate and --draw give a draw
// the same number, in a made frame and in real ones.
func TestDrawsHaveOneNumber(t *testing.T) {
	made := openScene(t, madeFrame(t))
	var numbers []int
	for i := range made.Draws {
		numbers = append(numbers, made.Number(i))
	}
	require.Equal(t, []int{3, 5, 5, 6}, numbers, "event 4 draws lines, event 5 two instances")
	requireOneNumber(t, made)

	t.Run("real frames", func(t *testing.T) {
		files := must.Get(filepath.Glob(filepath.Join(shareddata.Path(t, "captures"), "*.geo.zip.xml.zst")))
		require.NotEmpty(t, files)
		if testing.Short() {
			files = files[:1]
		}
		for _, path := range files {
			requireOneNumber(t, openScene(t, path))
		}
	})
}

func openScene(t *testing.T, path string) *geometry.Scene {
	t.Helper()
	return must.Get(capture.Open(t.Context(), path))
}

func requireOneNumber(t *testing.T, s *geometry.Scene) {
	t.Helper()
	// Triangles by draw number.
	listed, analyzed := map[int]int{}, map[int]int{}
	names := map[int]string{}
	for _, r := range inspect.DrawRows(s, nil) {
		listed[r.Number] += r.Triangles
		names[r.Number] = r.Name
	}
	for _, r := range measure.AnalyzeDraws(measure.Subject{Scene: s}, []*measure.Counted{{Counter: &measure.Counter{}, Draws: make([]reuse.DrawSum, len(s.Draws))}}) {
		analyzed[r.Draw] += r.Triangles
		require.True(t, strings.HasPrefix(r.Name, names[r.Draw]) || strings.HasPrefix(names[r.Draw], r.Name), "%s and %s", r.Name, names[r.Draw])
	}
	require.Equal(t, listed, analyzed, s.Name)
	var v Views
	for n, triangles := range listed {
		require.Contains(t, names[n], fmt.Sprintf("/ event %d ", n), s.Name)
		alone := v.Part(s, n+1)
		require.Equal(t, triangles, alone.Triangles(), "%s: --draw %d", s.Name, n)
		h := Half{Look: Look{Whole: s, Alone: n + 1}}
		draws := must.Get(s.Numbered(n, n))
		for i := range alone.Draws {
			require.Equal(t, draws[i], h.DrawIndex(i))
			require.Equal(t, n, h.DrawNumber(i))
		}
		flags := cli.MarkFlags{Isolate: strconv.Itoa(n)}
		marks := must.Get(flags.Marks(s))
		for i, m := range marks {
			if m == renderer.Plain {
				triangles -= int(s.Draws[i].IndexCount) / 3
			}
		}
		if marks != nil { // marks are nil if all draws belong to one event
			require.Zero(t, triangles, "%s: --isolate %d", s.Name, n)
		}
	}
}

// madeFrame returns the path of a captured frame of four draws by three events.
func madeFrame(t *testing.T) string {
	t.Helper()
	const text = `<?xml version="1.0"?>
<rdc>
	<header><driver id="2">OpenGL</driver></header>
	<chunks version="35">
		<chunk id="1" name="glBufferData"><ResourceId name="buffer">1</ResourceId><uint name="bytesize">72</uint><buffer name="data" byteLength="72">0</buffer></chunk>
		<chunk id="2" name="Internal::Beginning of Capture" />
		<chunk id="3" name="glVertexAttribPointer"><ResourceId name="buffer">1</ResourceId><uint name="index">0</uint><int name="size">3</int><enum name="type" string="GL_FLOAT">5126</enum><int name="stride">0</int><uint name="offset">0</uint></chunk>
		<chunk id="4" name="glEnableVertexAttribArray"><uint name="index">0</uint></chunk>
		<chunk id="5" name="glDrawArrays"><enum name="mode" string="GL_TRIANGLES">4</enum><int name="first">0</int><int name="count">3</int></chunk>
		<chunk id="6" name="glDrawArrays"><enum name="mode" string="GL_LINES">1</enum><int name="first">0</int><int name="count">3</int></chunk>
		<chunk id="7" name="glDrawArraysInstanced"><enum name="mode" string="GL_TRIANGLES">4</enum><int name="first">3</int><int name="count">3</int><int name="instancecount">2</int></chunk>
		<chunk id="8" name="glDrawArrays"><enum name="mode" string="GL_TRIANGLES">4</enum><int name="first">0</int><int name="count">6</int></chunk>
	</chunks>
</rdc>
`
	triangle := "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x3f\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x3f\x00\x00\x00\x00"
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	e := must.Get(w.Create("000000"))
	must.Get(e.Write([]byte(triangle + triangle)))
	require.NoError(t, w.Close())
	path := filepath.Join(t.TempDir(), "made.zip.xml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	require.NoError(t, os.WriteFile(strings.TrimSuffix(path, ".xml"), b.Bytes(), 0o600))
	return path
}
