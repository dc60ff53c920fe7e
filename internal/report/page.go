package report

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
)

//go:embed page.html
var pageText string

// absent lists the parts of the paper that a report does not have, and why.
var absent = []string{
	"Its captured games (am, as, dx, sg, sh, tr, tw) and the Witcher 3 picture: the captures are not public.",
	"Its times on a GTX 780 Ti and a GTX 980 Ti, and the averages over its 19 scenes: published as pictures without numbers. The mean over its table 2 stands in.",
}

// figures makes all figures; their plots are drawn later.
func (r *Report) figures() []figure {
	paper := []figure{r.tableReuse(), r.tableCache(), r.tableClaims(), r.tableTimes()}
	own := []figure{r.figureCalls(), r.figurePictures(), r.figureOrders()}
	for _, w := range sweeps {
		own = append(own, r.figureSweep(w))
	}
	for _, id := range []string{"subdivide", "envelope", "walk"} {
		paper = append(paper, r.tableApplication(id))
	}
	paper = append(paper, r.tableModels(), r.differenceFigure())
	list := append(paper[:4:4], append(own, paper[4:]...)...)
	if len(r.given()) > 0 { // the user's meshes first, then the paper's
		paper[0].Part = "The paper, measured again"
		if len(r.Draws) > 0 {
			own = append([]figure{r.tableDraws()}, own...)
		}
		list = append([]figure{r.tableMeshes()}, append(own, paper...)...)
		list[0].Part = "Your meshes"
	}
	for i := range list {
		list[i].Commands = r.commandsOf(list[i].ID)
		list[i].Sheet.sign(r.Run.Program)
	}
	return list
}

// page returns the HTML. The template escapes every name; SVG and the pictures' URIs are this
// program's own.
func (r *Report) page(figures []figure, files []File) ([]byte, error) {
	t, err := template.New("page").Funcs(template.FuncMap{
		"svg":     inlineSVG,
		"grouped": grouped,
		"key":     colourKey,
	}).Parse(pageText)
	if err != nil {
		return nil, fmt.Errorf("report: page: %w", err)
	}
	var b bytes.Buffer
	left := slices.Clone(absent)
	if !r.Hardware.Measured {
		left = append(left, "The OpenGL column of its reuse pictures: no graphics pipeline could be counted here.")
	}
	own := names.Of(files, func(f File) string { return f.Name })
	b.WriteString(pageMark + strings.Join(own, " ") + pageEnd)
	err = t.Execute(&b, struct {
		*Report
		Figures []figure
		Absent  []string
		Paper   string
		Title   string
		Timed   bool
		Verdict []Verdict
	}{r, figures, left, PaperTitle, r.title(), len(r.Times)+len(r.Applications) > 0 || r.timedDraws(), r.Verdicts()})
	if err != nil {
		return nil, fmt.Errorf("report: page: %w", err)
	}
	return b.Bytes(), nil
}

// title names the given meshes if they are few.
func (r *Report) title() string {
	const few = 4
	given := names.Of(r.given(), func(s *Scene) string { return s.Name })
	switch {
	case len(given) == 0:
		return "The paper, measured again"
	case len(given) > few:
		return fmt.Sprintf("Vertex reuse of %d meshes", len(given))
	}
	return "Vertex reuse of " + strings.Join(given, ", ")
}

// keyStep is a colour of the pictures, and how often its vertices were shaded.
type keyStep struct {
	Color template.CSS
	Label string
}

func colourKey() (steps []keyStep) {
	labels := picture.PaperPalette.Labels()
	for i, c := range picture.PaperPalette.Colors() {
		steps = append(steps, keyStep{template.CSS(fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)), labels[i]})
	}
	return steps
}

// inlineSVG returns the plot's element without the prolog of a file.
func inlineSVG(p plotted) template.HTML {
	if at := bytes.Index(p.SVG, []byte("<svg")); at >= 0 {
		return template.HTML(p.SVG[at:])
	}
	return ""
}

// heatmapScript is the component of web/src/component.js, as `make web` builds it: a script in the
// page, which loads nothing.
//
//go:embed heatmap.js
var heatmapScript string

// HeatmapStrategy counts the vertices of heatmaps.
const HeatmapStrategy = "claim"

// MostHeatmaps and HeatmapTriangles bound the heatmaps of a page, since a browser has 16 contexts of WebGL, and
// a mesh takes about 25 bytes a triangle in it.
const (
	MostHeatmaps     = 8
	HeatmapTriangles = 200_000
)

// Heatmap is a mesh that the reader of a page turns: world positions (3 numbers a vertex), indices, and how often each
// vertex is shaded in the file's order and in PaperOrder.
type Heatmap struct {
	Scene     string
	Positions []float32
	Indices   []uint32
	Counts    [2][]uint32
}

// Data are a Heatmap's lists for an attribute of HTML: little-endian, in base64. Counts are bytes, at
// most 255.
func (h *Heatmap) Data() (d struct{ Positions, Indices, Left, Right string }) {
	encoded := func(list any) string {
		return base64.StdEncoding.EncodeToString(must.Get(binary.Append(nil, binary.LittleEndian, list)))
	}
	counts := [2]string{}
	for i, list := range h.Counts {
		small := make([]byte, len(list))
		for v, n := range list {
			small[v] = byte(min(n, 255))
		}
		counts[i] = encoded(small)
	}
	d.Positions, d.Indices, d.Left, d.Right = encoded(h.Positions), encoded(h.Indices), counts[0], counts[1]
	return d
}

// HeatmapScript is the component; the page asks for it where it has heatmaps.
func (r *Report) HeatmapScript() template.JS { return template.JS(heatmapScript) }
