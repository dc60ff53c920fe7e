package calibration

import (
	"math"
	"strings"

	"github.com/shadeonce/shadeonce/renderer"
)

// Row is the time of a frame, of which Fit makes costs.
type Row struct {
	Parts    []string      // of the frame (plan.PartsOf)
	Measures renderer.Cost // properties of the frame (plan.Measures)
	Micros   float64
}

// Fit returns the costs of all parts that rows name, with the least squares of relative errors and
// no negative term. A part that is never alone, as a raster host, is what frames take beyond
// their other part.
func Fit(rows []Row) map[string]renderer.Cost {
	costs, byPart := map[string]renderer.Cost{}, map[string][]Row{}
	for parts := 1; parts <= 2; parts++ {
		clear(byPart)
		for _, r := range rows {
			if len(r.Parts) == parts {
				part := r.Parts[parts-1]
				byPart[part] = append(byPart[part], r)
			}
		}
		for part, of := range byPart {
			costs[part] = fitPart(of, costs)
		}
	}
	return costs
}

// fitPart fits the last part of rows. Coordinate descent finds the least squares with terms that
// are not negative: it changes one term at a time.
func fitPart(rows []Row, known map[string]renderer.Cost) (c renderer.Cost) {
	const rounds = 20000
	type weighted struct {
		x    renderer.Cost // relative to the time
		left float64       // what the terms do not explain yet
	}
	list := make([]weighted, len(rows))
	var squares renderer.Cost
	for i, r := range rows {
		list[i].left = 1
		if len(r.Parts) > 1 {
			list[i].left -= known[r.Parts[0]].Of(r.Measures) / r.Micros
		}
		for k, x := range r.Measures {
			list[i].x[k] = x / r.Micros
			squares[k] += list[i].x[k] * list[i].x[k]
		}
	}
	for range rounds {
		changed := 0.0
		for k := range c {
			if squares[k] == 0 {
				continue
			}
			gradient := 0.0
			for i := range list {
				gradient += list[i].x[k] * list[i].left
			}
			step := max(-c[k], gradient/squares[k])
			c[k] += step
			for i := range list {
				list[i].left -= step * list[i].x[k]
			}
			changed = max(changed, math.Abs(step)*math.Sqrt(squares[k]/float64(len(list))))
		}
		if changed < 1e-7 {
			break
		}
	}
	return c
}

// WorstFit returns the part whose rows the costs tell worst, and by which share of their time.
func WorstFit(rows []Row, costs map[string]renderer.Cost) (part string, off float64) {
	for _, r := range rows {
		sum := 0.0
		for _, p := range r.Parts {
			sum += costs[p].Of(r.Measures)
		}
		if d := math.Abs(sum/r.Micros - 1); d > off {
			part, off = strings.Join(r.Parts, " "), d
		}
	}
	return part, off
}
