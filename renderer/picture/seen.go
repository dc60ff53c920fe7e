package picture

import (
	"fmt"
	"image"
)

// Seen counts what the pixels of a picture show.
type Seen struct {
	Pixels int    // of the whole picture
	Times  [6]int // in the counts view, by the step of the palette; in other views everything drawn is in Times[0]
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
	s.Pixels = len(img.Pix) / 4
	var steps [256]int
	for i := 3; i < len(img.Pix); i += 4 {
		steps[255-img.Pix[i]]++
		img.Pix[i] = 255
	}
	copy(s.Times[:], steps[1:])
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
