package picture

import (
	"fmt"
	"image"
)

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
	if r.Count[CoverageFar] != 0 {
		at := r.first(CoverageFar)
		return fmt.Errorf("picture: coverage differs away from edges, first at %d,%d: %v", at.X, at.Y, r)
	}
	return nil
}

func (r *Comparison) first(c DifferenceClass) image.Point {
	for i, class := range r.Classes {
		if class == c {
			return image.Pt(i%r.Width, i/r.Width)
		}
	}
	return image.Point{}
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
