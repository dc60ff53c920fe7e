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

// Between returns the counts of the columns `left` to right-1 only. Columns outside the picture are left out.
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

// TakeSeen counts what the pixels of a picture show, and makes the picture opaque. Renderers store what
// a pixel shows in its alpha: 255 minus the step of the palette, which is 1 to 6, or 255 for nothing.
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

// Pixels returns how many pixels were compared.
func (r *Comparison) Pixels() int { return r.Width * r.Height }

// Equal returns the fraction of identical pixels, 0 to 1.
func (r *Comparison) Equal() float64 { return float64(r.Count[Same]) / float64(r.Pixels()) }

// DrawnEqual returns the fraction of identical pixels among those drawn in either picture. It is
// 1 if nothing is drawn.
func (r *Comparison) DrawnEqual() float64 {
	if r.Drawn == 0 {
		return 1
	}
	return float64(r.DrawnSame) / float64(r.Drawn)
}

// Check returns an error if less than the given fraction of the pixels is equal, or if
// coverage differs away from edges.
func (r *Comparison) Check(equal float64) error {
	if !(r.Equal() >= equal) {
		return fmt.Errorf("picture: fewer than %.4g %% of pixels are equal: %v", 100*equal, r)
	}
	if i := slices.Index(r.Classes, CoverageFar); i >= 0 {
		return fmt.Errorf("picture: coverage differs away from edges, first at %d,%d: %v", i%r.Width, i/r.Width, r)
	}
	return nil
}

// String returns the result in one line.
func (r *Comparison) String() string {
	return fmt.Sprintf("%.4f %% of %d pixels equal (%.4f %% of %d drawn); coverage differs at %d near edges, %d elsewhere; "+
		"colour at %d near edges, %d elsewhere; by at most %d, at %d,%d",
		100*r.Equal(), r.Pixels(), 100*r.DrawnEqual(), r.Drawn, r.Count[CoverageNear], r.Count[CoverageFar],
		r.Count[ColorNear], r.Count[ColorFar], r.MaxDifference, r.Worst.X, r.Worst.Y)
}

// classColors mark differences: mild where rasterizers may differ, strong where they may not.
var classColors = [classCount][3]uint8{
	CoverageNear: {240, 220, 40},
	CoverageFar:  {255, 0, 0},
	ColorNear:    {40, 160, 255},
	ColorFar:     {255, 0, 255},
}

// Picture returns the reference picture, grey and dimmed, with differing pixels marked: coverage
// yellow near edges and red elsewhere, colour blue near edges and magenta elsewhere.
func (r *Comparison) Picture() *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, r.Width, r.Height))
	for i, class := range r.Classes {
		x, y := i%r.Width, i/r.Width
		to := out.Pix[4*i : 4*i+4]
		to[3] = 255
		if class != Same {
			copy(to, classColors[class][:])
			continue
		}
		from := r.a.Pix[y*r.a.Stride+4*x:]
		grey := (2*int(from[0]) + 5*int(from[1]) + int(from[2])) / 24
		to[0], to[1], to[2] = uint8(grey), uint8(grey), uint8(grey)
	}
	return out
}
