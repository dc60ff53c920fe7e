package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOwnMeshesFirst: what was given leads, the paper follows; without any it is about the
// paper alone.
func TestOwnMeshesFirst(t *testing.T) {
	r := sample()
	page := pageOf(t, r)
	require.NotContains(t, page, "Your meshes")
	require.Contains(t, page, "<h1>The paper, measured again</h1>")

	r.Scenes[0].Given = true
	r.Reuse = append(r.Reuse, Reuse{Scene: "bun.ply", Order: "forsyth", Counter: "multi", Kind: Strategy, Stats: stats(69451, 34834, 35947)})
	page = pageOf(t, r)
	require.Contains(t, page, "<h1>Vertex reuse of bun.ply</h1>")
	own, meshes, pictures, paper, table := strings.Index(page, ">Your meshes<"), strings.Index(page, `<section id="meshes">`), strings.Index(page, `<section id="pictures">`),
		strings.Index(page, ">The paper, measured again<"), strings.Index(page, `<section id="reuse">`)
	require.Positive(t, own)
	require.IsIncreasing(t, []int{own, meshes, pictures, paper, table})
	require.Contains(t, page, "bun.ply (1\u202f113 of 35\u202f947 vertices)", "multi shades them")
	require.Contains(t, page, `<span style="--step: #29a338">1</span>`, "the colours' key")
	require.Contains(t, page, "prefers-color-scheme: dark")
}

func TestTitleNamesFewMeshes(t *testing.T) {
	few := &Report{Scenes: slices.Repeat([]Scene{{Name: "a", Given: true}}, 4)}
	require.Equal(t, "Vertex reuse of a, a, a, a", few.title())
	few.Scenes = append(few.Scenes, few.Scenes[0])
	require.Equal(t, "Vertex reuse of 5 meshes", few.title())
}

// TestNoTimesNoCPUTimes: a page without times does not speak of the CPU's.
func TestNoTimesNoCPUTimes(t *testing.T) {
	r := sample()
	require.Contains(t, pageOf(t, r), "All times on this page were measured on a CPU")
	r.Times, r.Applications = nil, nil
	require.NotContains(t, pageOf(t, r), "measured on a CPU")
	r.Draws = frameDraws("a")
	r.Draws[0].VertexNs = 1
	require.Contains(t, pageOf(t, r), "measured on a CPU", "times of draws are times, too")
}

func pageOf(t *testing.T, r *Report) string {
	files, err := r.Files()
	require.NoError(t, err)
	return string(files[0].Data)
}

// TestLinesThatCoincide are one line with all their names.
func TestLinesThatCoincide(t *testing.T) {
	a, b, c := series{Name: "a", X: []float64{1}, Y: []float64{2}}, series{Name: "b", X: []float64{1}, Y: []float64{3}}, series{Name: "c", X: []float64{1}, Y: []float64{2}}
	p := panel{Series: []series{a, b, c}}
	require.Equal(t, []string{"a, c", "b"}, distinct(p.merged().Series, func(s *series) string { return s.Name }))
	require.Equal(t, "a", p.Series[0].Name)
}
