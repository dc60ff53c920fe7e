package plan

import (
	"fmt"
	"html"
	"strings"
)

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

// Drawing returns the plan as an SVG picture: a column per step, whose passes may run at the same
// time, and a lane for each half of the queues. It ends after the given number of steps, unless
// that is 0.
func (p *Plan) Drawing(most int) string {
	var steps [][]*Pass
	for i := range p.Passes {
		if !p.Passes[i].Beside {
			steps = append(steps, nil)
		}
		steps[len(steps)-1] = append(steps[len(steps)-1], &p.Passes[i])
	}
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

// drawCell draws the part of a step in a lane.
func (p *Plan) drawCell(b *strings.Builder, step []*Pass, lane, x, y int) {
	var names []string
	color := "#e8e8e8"
	for _, pass := range step {
		if p.drawnLane(pass) != lane {
			continue
		}
		name := pass.Name
		switch op := pass.Op.(type) {
		case *Upload:
			name = fmt.Sprintf("%s, window %d", name, op.Window)
		case *Fetch:
			name = fmt.Sprintf("%s, window %d", name, op.Window)
		default:
			if pass.Chunk != NoChunk {
				name = fmt.Sprintf("%s %d", name, pass.Chunk)
				color = drawnColors[pass.Chunk%len(drawnColors)]
			}
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
	switch pass.Op.(type) {
	case *Upload, *Fetch:
		return 0
	}
	if pass.Chunk == NoChunk {
		return len(drawnLanes) - 1
	}
	return 1 + p.Half(pass.Chunk)
}
