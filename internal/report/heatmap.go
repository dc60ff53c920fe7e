package report

import (
	_ "embed"
	"encoding/base64"
	"encoding/binary"
	"html/template"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

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
