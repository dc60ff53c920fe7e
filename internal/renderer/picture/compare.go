// Package picture works on finished pictures: the palettes of counts, the legend, settings stored
// in PNG files, and the comparison of two pictures. Compare finds which pixels differ, and by how
// much. It separates differences near an edge, which two correct rasterizers may have, from
// differences elsewhere, which they may not.
//
// It knows nothing of scenes, plans or backends.
package picture

import (
	"errors"
	"fmt"
	"image"
	"math"
)

// DifferenceClass is what the comparison found at a pixel.
type DifferenceClass uint8

// The classes. Near an edge means within one pixel of it (the eight neighbours) in either
// picture.
const (
	Same         DifferenceClass = iota
	CoverageNear                 // drawn in one picture only, near an edge
	CoverageFar                  // drawn in one picture only, away from all edges
	ColorNear                    // drawn in both, in different colours, near an edge
	ColorFar                     // drawn in both, in different colours, away from all edges
	classCount
)

// CompareOptions tell Compare which pixels are drawn and where edges are. Without depths every
// pixel counts as drawn, and there are no edges.
type CompareOptions struct {
	// Depths, row by row; give both or neither. A depth below 1 means drawn. There is an edge
	// between neighbours if only one is drawn, or their depths differ by more than DepthStep.
	DepthA, DepthB []float32
	DepthStep      float32 // 0: depth makes no edges
}

// Comparison is the result of Compare.
type Comparison struct {
	Width, Height int
	Count         [classCount]int   // pixels by class
	Classes       []DifferenceClass // row by row
	MaxDifference int               // largest difference of a channel, 0..255
	Worst         image.Point       // the pixel with MaxDifference, from the pictures' upper left
	Drawn         int               // pixels drawn in either picture
	DrawnSame     int               // of these, equal in both

	a *image.RGBA
}

// Compare compares b with the reference a, channel by channel, including alpha. It returns an
// error if the pictures differ in size, have no pixels, or are the same object: comparing a
// picture with itself would always pass.
func Compare(a, b *image.RGBA, o CompareOptions) (*Comparison, error) {
	if err := check(a, b, &o); err != nil {
		return nil, err
	}
	r := &Comparison{Width: a.Rect.Dx(), Height: a.Rect.Dy(), a: a}
	r.Classes = make([]DifferenceClass, r.Width*r.Height)
	sides := [2]side{newSide(a, o.DepthA, o.DepthStep), newSide(b, o.DepthB, o.DepthStep)}
	for y := range r.Height {
		for x := range r.Width {
			r.compare(x, y, &sides)
		}
	}
	return r, nil
}

func check(a, b *image.RGBA, o *CompareOptions) error {
	if a == nil || b == nil {
		return errors.New("picture: a picture is missing")
	}
	if a.Rect.Dx() != b.Rect.Dx() || a.Rect.Dy() != b.Rect.Dy() {
		return fmt.Errorf("picture: sizes differ: %dx%d and %dx%d", a.Rect.Dx(), a.Rect.Dy(), b.Rect.Dx(), b.Rect.Dy())
	}
	if a.Rect.Empty() {
		return errors.New("picture: pictures without pixels")
	}
	if a == b || &a.Pix[0] == &b.Pix[0] {
		return errors.New("picture: a picture is compared with itself")
	}
	n, depthsA, depthsB := a.Rect.Dx()*a.Rect.Dy(), len(o.DepthA), len(o.DepthB)
	if depthsA != depthsB || depthsA != 0 && depthsA != n {
		return fmt.Errorf("picture: depths of %d and %d pixels for pictures of %d", depthsA, depthsB, n)
	}
	if depthsA != 0 && &o.DepthA[0] == &o.DepthB[0] {
		return errors.New("picture: depths are compared with themselves")
	}
	return nil
}

func (r *Comparison) compare(x, y int, sides *[2]side) {
	difference := 0
	p, q := sides[0].pixel(x, y), sides[1].pixel(x, y)
	for i := range p {
		difference = max(difference, int(p[i])-int(q[i]), int(q[i])-int(p[i]))
	}
	if difference > r.MaxDifference {
		r.MaxDifference, r.Worst = difference, image.Pt(x, y)
	}
	drawnA, drawnB := sides[0].drawn(x, y), sides[1].drawn(x, y)
	class := Same
	if difference != 0 || drawnA != drawnB {
		near := sides[0].edge(x, y) || sides[1].edge(x, y)
		switch {
		case drawnA != drawnB && near:
			class = CoverageNear
		case drawnA != drawnB:
			class = CoverageFar
		case near:
			class = ColorNear
		default:
			class = ColorFar
		}
	}
	r.Classes[y*r.Width+x] = class
	r.Count[class]++
	if drawnA || drawnB {
		r.Drawn++
		if class == Same {
			r.DrawnSame++
		}
	}
}

// side is one of the two pictures with its depths.
type side struct {
	*image.RGBA
	width, height int
	depth         []float32
	depthStep     float32
}

func newSide(m *image.RGBA, depth []float32, depthStep float32) side {
	return side{m, m.Rect.Dx(), m.Rect.Dy(), depth, depthStep}
}

func (s *side) pixel(x, y int) []uint8 {
	i := y*s.Stride + 4*x
	return s.Pix[i : i+4]
}

func (s *side) drawn(x, y int) bool {
	return len(s.depth) == 0 || s.depth[y*s.width+x] < 1
}

// edge reports whether a coverage or depth edge is within one pixel: whether, among the pixel and its
// eight neighbours, any two differ in coverage, or by more than depthStep in depth.
func (s *side) edge(x, y int) bool {
	here := s.drawn(x, y)
	nearest, farthest := float32(math.Inf(1)), float32(math.Inf(-1))
	for v := max(y-1, 0); v <= min(y+1, s.height-1); v++ {
		for u := max(x-1, 0); u <= min(x+1, s.width-1); u++ {
			if s.drawn(u, v) != here {
				return true
			}
			if len(s.depth) != 0 {
				d := s.depth[v*s.width+u]
				nearest, farthest = min(nearest, d), max(farthest, d)
			}
		}
	}
	return s.depthStep > 0 && len(s.depth) != 0 && farthest-nearest > s.depthStep
}
