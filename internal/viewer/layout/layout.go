// Package layout places the panels of a window and finds the room left for the scene. It knows only
// rectangles.
package layout

import (
	"cmp"
	"image"
	"math"
	"slices"
)

// Place is the wanted position and size of a panel, in pixels of a display of ordinary density. The position
// is stored as distances from the nearer edges, so that a panel stays in its corner when the window is resized.
type Place struct {
	X, Y          float64 // distances between the panel and the edges that it keeps to
	Width, Height float64
	Right, Bottom bool // the place is measured from the right or lower edge, not the left or upper
}

// PlaceOf returns the place of a rectangle in a window. scale is the display's density; 1 is ordinary.
func PlaceOf(r image.Rectangle, window image.Point, scale float64) Place {
	p := Place{X: float64(r.Min.X), Y: float64(r.Min.Y), Width: float64(r.Dx()), Height: float64(r.Dy())}
	if right := window.X - r.Max.X; right < r.Min.X {
		p.X, p.Right = float64(right), true
	}
	if below := window.Y - r.Max.Y; below < r.Min.Y {
		p.Y, p.Bottom = float64(below), true
	}
	p.X, p.Y, p.Width, p.Height = p.X/scale, p.Y/scale, p.Width/scale, p.Height/scale
	return p
}

// In returns the place's rectangle in a window. It may reach beyond the window.
func (p Place) In(window image.Point, scale float64) image.Rectangle {
	pixels := func(x float64) int { return int(math.Round(min(max(x*scale, -1e6), 1e6))) }
	at := image.Pt(pixels(p.X), pixels(p.Y))
	size := image.Pt(max(pixels(p.Width), 1), max(pixels(p.Height), 1))
	if p.Right {
		at.X = window.X - at.X - size.X
	}
	if p.Bottom {
		at.Y = window.Y - at.Y - size.Y
	}
	return image.Rectangle{Min: at, Max: at.Add(size)}
}

// Arrange moves and shrinks panels, the most important first, so that they lie inside the window
// and overlap neither each other nor the taken rectangles. A panel becomes empty if less room than
// `least` remains for it; the first panel always gets a place.
func Arrange(window image.Point, taken, wanted []image.Rectangle, least image.Point) []image.Rectangle {
	taken = slices.Clone(taken)
	placed := make([]image.Rectangle, len(wanted))
	for i, w := range wanted {
		small := image.Pt(min(least.X, w.Dx()), min(least.Y, w.Dy()))
		best, bestCost := image.Rectangle{}, math.MaxInt
		for _, room := range gaps(window, taken) {
			if room.Dx() < small.X || room.Dy() < small.Y {
				continue
			}
			r := into(w, room)
			lost := w.Dx()*w.Dy() - r.Dx()*r.Dy()
			d := r.Min.Sub(w.Min)
			if c := 16*lost + (d.X*d.X+d.Y*d.Y)*4; c < bestCost {
				best, bestCost = r, c
			}
		}
		if best.Empty() && i == 0 {
			best = into(w, image.Rectangle{Max: window})
		}
		if placed[i] = best; !best.Empty() {
			taken = append(taken, best)
		}
	}
	return placed
}

// into moves a rectangle into another, and shrinks it if it is larger.
func into(r, room image.Rectangle) image.Rectangle {
	size := image.Pt(min(r.Dx(), room.Dx()), min(r.Dy(), room.Dy()))
	at := image.Pt(min(max(r.Min.X, room.Min.X), room.Max.X-size.X), min(max(r.Min.Y, room.Min.Y), room.Max.Y-size.Y))
	return image.Rectangle{Min: at, Max: at.Add(size)}
}

// Free returns the part of a window left for the scene: the empty rectangle with the largest product of
// area and shorter side, so that narrow ones count less. If this has less than a quarter of the window's
// width or height, it returns the whole window.
func Free(window image.Point, taken []image.Rectangle) image.Rectangle {
	best := slices.MaxFunc(append(gaps(window, taken), image.Rectangle{}), func(a, b image.Rectangle) int {
		return cmp.Compare(a.Dx()*a.Dy()*min(a.Dx(), a.Dy()), b.Dx()*b.Dy()*min(b.Dx(), b.Dy()))
	})
	if 4*best.Dx() < window.X || 4*best.Dy() < window.Y {
		return image.Rectangle{Max: window}
	}
	return best
}

// Strip finds room for a line of text at the upper edge of a window, or at the lower edge if the line has more
// room there, beside the taken rectangles. If less than `least` is free there, it also looks right below and above these.
// The result is as high as the line and as wide as the room. If that is not a quarter of the window's width, the result is
// the whole upper edge.
func Strip(window image.Point, taken []image.Rectangle, line image.Point, least int) image.Rectangle {
	tops := []int{0, window.Y - line.Y}
	for _, t := range taken {
		tops = append(tops, t.Max.Y, t.Min.Y-line.Y)
	}
	slices.Sort(tops[2:])
	var best image.Rectangle
	for k, top := range tops {
		edge := image.Rect(0, top, window.X, top+line.Y)
		if k > 1 && (best.Dx() >= least || top < 0 || edge.Max.Y > window.Y) {
			continue
		}
		xs := []int{0, window.X}
		for _, t := range taken {
			if t.Overlaps(edge) {
				xs = append(xs, t.Min.X, t.Max.X)
			}
		}
		slices.Sort(xs)
		for i, x := range xs[1:] {
			r := image.Rect(xs[i], top, x, edge.Max.Y)
			if !slices.ContainsFunc(taken, r.Overlaps) && min(r.Dx(), line.X) > min(best.Dx(), line.X) {
				best = r
			}
		}
	}
	if 4*best.Dx() < window.X {
		return image.Rect(0, 0, window.X, line.Y)
	}
	return best
}

// gaps returns all empty rectangles whose sides lie on edges of the window or of taken rectangles.
func gaps(window image.Point, taken []image.Rectangle) (list []image.Rectangle) {
	xs, ys := []int{0, window.X}, []int{0, window.Y}
	whole := image.Rectangle{Max: window}
	for _, t := range taken {
		if t = t.Intersect(whole); !t.Empty() {
			xs, ys = append(xs, t.Min.X, t.Max.X), append(ys, t.Min.Y, t.Max.Y)
		}
	}
	slices.Sort(xs)
	slices.Sort(ys)
	xs, ys = slices.Compact(xs), slices.Compact(ys)
	for i, x := range xs {
		for _, right := range xs[i+1:] {
			for j, y := range ys {
				for _, below := range ys[j+1:] {
					r := image.Rect(x, y, right, below)
					if !slices.ContainsFunc(taken, r.Overlaps) {
						list = append(list, r)
					}
				}
			}
		}
	}
	return list
}
