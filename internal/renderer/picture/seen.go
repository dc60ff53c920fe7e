package picture

import (
	"fmt"
	"image"
	"slices"
)

// Seen counts what the pixels of a picture show.
type Seen struct {
	Pixels  int      // of the whole picture
	Times   [6]int   // in the counts view, by the step of the palette; in other views everything drawn is in Times[0]
	columns [][6]int // Times of each column of pixels, from the left
}

// Between counts only the columns from left to right of the picture.
func (s *Seen) Between(left, right int) *Seen {
	left = min(max(left, 0), len(s.columns))
	part := Seen{columns: s.columns[left:min(max(right, left), len(s.columns))]}
	part.Pixels = s.Pixels / max(len(s.columns), 1) * len(part.columns)
	part.add()
	return &part
}

// add adds up the columns.
func (s *Seen) add() {
	for i := range s.columns {
		for step, n := range s.columns[i] {
			s.Times[step] += n
		}
	}
}

// Drawn returns how many pixels show a triangle.
func (s *Seen) Drawn() (n int) {
	for _, k := range s.Times {
		n += k
	}
	return n
}

// TakeSeen counts what the pixels of a picture show, which renderers store in alpha as 255 minus
// the step of the palette, and makes the picture opaque.
func TakeSeen(img *image.RGBA) (s Seen) {
	s.Pixels, s.columns = len(img.Pix)/4, make([][6]int, img.Rect.Dx())
	for row := range slices.Chunk(img.Pix, max(img.Stride, 1)) {
		for x := range s.columns {
			a := &row[4*x+3]
			if step := 254 - int(*a); step >= 0 && step < len(s.Times) {
				s.columns[x][step]++
			}
			*a = 255
		}
	}
	s.add()
	return s
}

// Shares returns the percentage of the drawn pixels that show each step, or "-" if nothing is
// drawn.
func (s *Seen) Shares() []string {
	shares := make([]string, len(s.Times))
	for i, n := range s.Times {
		if shares[i] = "-"; s.Drawn() > 0 {
			shares[i] = percent(n, s.Drawn())
		}
	}
	return shares
}

// percent formats a share so that 0 % and 100 % mean exactly none and all.
func percent(n, of int) string {
	switch share := 100 * float64(n) / float64(of); {
	case n == 0:
		return "0 %"
	case n == of:
		return "100 %"
	case share < 0.1:
		return "<0.1 %"
	case share > 99.9:
		return ">99.9 %"
	default:
		return fmt.Sprintf("%.1f %%", share)
	}
}
