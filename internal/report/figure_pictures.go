package report

import (
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"
)

// shotRow is a row of pictures: one scene in one order.
type shotRow struct {
	Title string
	Shots []shot
}

// shot is a picture of the page.
type shot struct {
	File    string       // the large picture
	Source  template.URL // a data URI of a PNG that this program drew
	Alt     string
	Caption string
}

// fileName is the picture's file in the report's folder.
func (p *Picture) fileName(i int) string {
	return fmt.Sprintf("picture-%02d-%s-%s-%s.png", i+1, fileSafe(p.Scene), fileSafe(p.Order), fileSafe(strings.Join(p.Counters, "-")))
}

// figurePictures are the paper's reuse pictures.
func (r *Report) figurePictures() figure {
	f := figure{
		ID: "pictures", Title: "Reuse pictures", Source: "the teaser and the reuse visualization of the bunny",
		Text: []string{
			"Each vertex coloured by how often it was shaded: green once, over yellow, to dark red six times and more. The paper's columns are OpenGL, warp and the dynamic strategies. Strategies that shade alike draw the same picture, which is shown once. A click opens a picture large.",
		},
		Key: true, Where: r.where(),
		Sheet: sheet{Columns: []column{
			{"file", "the picture beside the page"}, {"scene", "the scene's name on this page"}, {"order", "index order"},
			{"counters", "strategies that draw it, or hardware"}, {"reuse", "1 − invocations ÷ indices"},
		}},
	}
	if r.Hardware.Measured {
		f.Text = append(f.Text, r.Hardware.Text+" That is what stands for the paper's OpenGL.")
	}
	titles := map[string]int{}
	for i := range r.Pictures {
		p := &r.Pictures[i]
		f.Sheet.add(p.fileName(i), p.Scene, p.Order, strings.Join(p.Counters, " "), p.Reuse)
		title := p.Scene + ", order " + p.Order
		at, ok := titles[title]
		if !ok {
			at = len(f.Shots)
			titles[title] = at
			f.Shots = append(f.Shots, shotRow{Title: title})
		}
		f.Shots[at].Shots = append(f.Shots[at].Shots, shot{
			File:    p.fileName(i),
			Source:  template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(p.PNG)),
			Alt:     p.Alt,
			Caption: fmt.Sprintf("%s: reuse %s", strings.Join(p.Counters, ", "), ratio(p.Reuse, 4)),
		})
	}
	return f
}
