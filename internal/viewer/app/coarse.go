package app

import (
	"image"
	"time"

	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/renderer"
)

// A picture that takes longer than these has half or a quarter of the pixels a side while the camera
// moves.
const (
	halfFrom    = 50 * time.Millisecond
	quarterFrom = 4 * halfFrom
)

// coarseRest is how long the camera must rest until the whole picture is drawn.
const coarseRest = 150 * time.Millisecond

// coarse says how many pixels a picture has while the camera moves.
type coarse struct {
	camera  renderer.Camera // asked for last
	movedAt time.Time       // when that changed
	of      model.Look      // that the times are of, without a size
	whole   time.Duration   // that the last picture of all pixels took; 0 if that is unknown
	useless bool            // fewer pixels took as long
}

// follow notes that the camera moves.
func (c *coarse) follow(camera renderer.Camera, now time.Time) {
	if camera != c.camera {
		c.camera, c.movedAt = camera, now
	}
}

// note notes how long a picture took.
func (c *coarse) note(of model.Look, window image.Point, took time.Duration) {
	whole := of.Size == window
	if of.Size = (image.Point{}); of != c.of {
		c.of, c.whole, c.useless = of, 0, false
	}
	if whole {
		c.whole = took
	} else if took > c.whole*4/5 { // what takes the time is not the pixels
		c.useless = true
	}
}

// rest returns the time until the whole picture is drawn.
func (c *coarse) rest(now time.Time) time.Duration { return coarseRest - now.Sub(c.movedAt) }

// pixelsFor returns the size of the picture in a window. Benchmarks, saved pictures, and what is drawn over
// the picture by its depth take all pixels.
func (a *App) pixelsFor(window image.Point) image.Point {
	c := &a.coarse
	of := a.Shown.Left.Look
	of.Size = image.Point{}
	switch {
	case !a.Coarse, a.quota > 0, a.turn.frames > 0, len(a.Shots) > 0, a.AllEdges, a.Guides != 0, of != c.of, c.useless, c.rest(time.Now()) <= 0, c.whole <= halfFrom:
		return window
	case c.whole <= quarterFrom:
		return image.Pt((window.X+1)/2, (window.Y+1)/2)
	}
	return image.Pt((window.X+3)/4, (window.Y+3)/4)
}
