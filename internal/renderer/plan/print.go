package plan

import (
	"fmt"
	"html"
	"strings"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/renderer"
)

// strategyText describes the strategy and how its lanes run.
func (p *Plan) strategyText() string {
	if p.Frame.Reuse.Strategy == nil || !p.Frame.Reuse.Strategy.UsesLanes {
		return p.reuseText()
	}
	return p.reuseText() + map[bool]string{true: ", native", false: ", virtual"}[p.Native]
}

// String returns the plan as `shadeonce render --plan` prints it.
func (p *Plan) String() string {
	var b strings.Builder
	f := &p.Frame
	fmt.Fprintf(&b, "frame  %s, %s, %s queue, %s view, %dx%d\n", f.Scene.Name, p.strategyText()+f.VertexText(), f.Queue, f.View, f.Width, f.Height)
	fmt.Fprintf(&b, "stream %s in %s, %s, %s\n", names.Count(f.Scene.Triangles(), "triangle"), names.Count(len(f.Scene.Draws), "draw"),
		p.batchesText(), names.Count(len(p.Chunks), "chunk"))
	fmt.Fprintf(&b, "recipe %s\n", p.Recipe)
	b.WriteString(p.Choice.String())
	for _, buf := range p.Buffers {
		fmt.Fprintf(&b, "buffer %-17s %12d bytes  %s  (from %s)\n", buf.Name, buf.Bytes, buf.Shape, buf.From)
	}
	for i := range p.Passes {
		pass := &p.Passes[i]
		fmt.Fprintf(&b, "pass %s %-16s %-8s%s", map[bool]string{true: "+", false: " "}[pass.Beside], pass.Name, pass.Op.kind(), p.opText(pass))
		if pass.Once {
			b.WriteString(", the same for every camera")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (p *Plan) opText(pass *Pass) string {
	switch op := pass.Op.(type) {
	case *Clear:
		text := ""
		for _, u := range pass.Uses {
			text += " " + p.Buffers[u.Buffer].Name
		}
		return text
	case *Dispatch:
		text := fmt.Sprintf(" chunk %d, %dx%d workgroups", op.Push.Chunk, op.Groups[0], op.Groups[1])
		if op.Indirect != nil {
			text += fmt.Sprintf(" at most, as %s says", p.Buffers[op.Indirect.Buffer].Name)
		}
		return text
	case *Mesh:
		return fmt.Sprintf(" chunk %d, %dx%d workgroups", op.Push.Chunk, op.Groups[0], op.Groups[1])
	case *Draw:
		if op.Range[1] > 0 {
			return fmt.Sprintf(" chunk %d, triangles %d to %d", op.Push.Chunk, op.Range[0], op.Range[0]+op.Range[1]-1)
		}
		return fmt.Sprintf(" chunk %d, at most %s", op.Push.Chunk, names.Count(int(op.Push.TriangleCount), "triangle"))
	case windowed:
		return fmt.Sprintf(" window %d", op.of())
	case *Direct:
		return " " + names.Count(len(p.Frame.Scene.Draws), "indexed draw")
	}
	return ""
}

// batchesText states the number of batches, and of windows if the plan has any.
func (p *Plan) batchesText() string {
	text := fmt.Sprintf("%d batches", p.BatchCount)
	if p.BatchCount == 1 {
		text = "1 batch"
	}
	if p.FittedTo > 0 {
		text += fmt.Sprintf(" of at most %d indices, chosen for %s", p.Frame.Reuse.Batch, names.Count(p.FittedTo, "multiprocessor"))
	}
	return text + p.windowsText()
}

// Legend returns the legend of the plan's picture: the strategy, its statistics and the meaning of
// colours. seen counts what the pixels show; nil if unknown.
func (p *Plan) Legend(st reuse.Stats, seen *picture.Seen) picture.Panel {
	f := &p.Frame
	lines := []string{
		fmt.Sprintf("%s: %s", shorten(f.Scene.Name), p.reuseText()),
		fmt.Sprintf("reuse %.4f (ideal %.4f)  ACMR %.3f", st.Reuse(), st.Ideal(), st.ACMR()),
	}
	lines[1] += p.leftText(st.Triangles)
	if note := f.Scene.PlaceNote(f.Hides); note != "" {
		lines = append(lines, note)
	}
	legend := picture.Panel{Lines: lines}
	if dark := f.Look.Light.Darkest(); dark > 0 && (f.View == renderer.Counts || f.View == renderer.Batches) {
		legend.Darkest, legend.Lines = dark, append(lines, picture.LightLine)
	}
	switch f.View {
	case renderer.Counts:
		legend.Title = "Times each vertex was shaded"
		if legend.Keys = picture.ScaleKeys(f.Palette, nil); seen != nil {
			legend.Title += " (% of what is seen)"
			legend.Keys = picture.ScaleKeys(f.Palette, seen.Shares())
		}
	case renderer.Batches:
		legend.Title = fmt.Sprintf("Which of %d batches shaded each vertex", p.BatchCount)
		if p.BatchCount == 1 {
			legend.Title = "One batch shaded every vertex"
		}
		legend.Keys = picture.BatchKeys(p.BatchCount)
	case renderer.Normals:
		legend.Title, legend.Keys = "Which way each vertex's normal points", picture.NormalKeys()
	}
	return legend
}

// shorten cuts a long name to its last 40 characters. Names of a series of files differ at the end.
func shorten(name string) string {
	const most = 40
	runes := []rune(name)
	if len(runes) <= most {
		return name
	}
	return "..." + string(runes[len(runes)-most:])
}

// The dimensions of a drawing, in SVG's units.
const (
	drawnAcross = 11 // steps per line
	cellWidth   = 122
	lineHeight  = 14
	laneTitle   = 96
)

// drawnLanes are the lanes of a drawing, from top to bottom.
var drawnLanes = []string{"host", "first half", "second half", "whole frame"}

// drawnColors distinguish chunks from their neighbours.
var drawnColors = []string{"#cfe3f7", "#fbe0c3", "#d5ecd0"}

// Drawing returns the plan as an SVG picture. Each step, whose passes may run at the same time, is a column. The
// lanes are drawnLanes. The picture ends after `most` steps; if `most` is 0, after the last.
func (p *Plan) Drawing(most int) string {
	steps := Steps(p.Passes)
	if most > 0 && len(steps) > most {
		steps = steps[:most]
	}
	heights := make([]int, len(drawnLanes)) // of each lane, in lines of text
	for _, step := range steps {
		lines := make([]int, len(drawnLanes))
		for _, pass := range step {
			lines[p.drawnLane(pass)]++
		}
		for lane, n := range lines {
			if n > 0 {
				heights[lane] = max(heights[lane], n+1)
			}
		}
	}
	rowHeight := lineHeight
	for _, n := range heights {
		rowHeight += n * lineHeight
	}
	rows := (len(steps) + drawnAcross - 1) / drawnAcross
	var b strings.Builder
	width := laneTitle + min(len(steps), drawnAcross)*cellWidth
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="10">`+"\n", width, rows*rowHeight)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/>`+"\n", width, rows*rowHeight)
	for row := range rows {
		y := row * rowHeight
		for lane, n := range heights {
			if n > 0 {
				fmt.Fprintf(&b, `<text x="4" y="%d" fill="#555">%s</text>`+"\n", y+lineHeight, drawnLanes[lane])
			}
			for column := range min(drawnAcross, len(steps)-row*drawnAcross) {
				p.drawCell(&b, steps[row*drawnAcross+column], lane, laneTitle+column*cellWidth, y)
			}
			y += n * lineHeight
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// drawCell draws one cell of the SVG timeline: the names of a step's passes that belong to a lane. It draws
// nothing if there are none.
func (p *Plan) drawCell(b *strings.Builder, step []*Pass, lane, x, y int) {
	var names []string
	color := "#e8e8e8"
	for _, pass := range step {
		if p.drawnLane(pass) != lane {
			continue
		}
		name := pass.Name
		if op, ok := pass.Op.(windowed); ok {
			name = fmt.Sprintf("%s, window %d", name, op.of())
		} else if pass.Chunk != NoChunk {
			name = fmt.Sprintf("%s %d", name, pass.Chunk)
			color = drawnColors[pass.Chunk%len(drawnColors)]
		}
		names = append(names, name)
	}
	if names == nil {
		return
	}
	fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" rx="3" fill="%s" stroke="#888" stroke-width=".5"/>`+"\n",
		x, y+3, cellWidth-6, len(names)*lineHeight+4, color)
	for i, name := range names {
		fmt.Fprintf(b, `<text x="%d" y="%d">%s</text>`+"\n", x+4, y+lineHeight*(i+1), html.EscapeString(name))
	}
}

func (p *Plan) drawnLane(pass *Pass) int {
	if _, ok := pass.Op.(windowed); ok {
		return 0
	}
	if pass.Chunk == NoChunk {
		return len(drawnLanes) - 1
	}
	return 1 + p.Half(pass.Chunk)
}
