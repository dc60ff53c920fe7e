package renderer

// Costs are the costs of a frame's parts on a device, from which plans choose a strategy and a
// raster host (plan.Choose). They are fitted to measured times.
type Costs struct {
	// Source names what was measured, for the reason of a choice.
	Source string `json:"-"`

	// Parts are by name: geometry:STRATEGY fills the queues, raster:HOST draws them, and
	// HOST:STRATEGY is a whole frame of a host that does both at once, such as fused.
	Parts map[string]Cost `json:"parts"`

	// Multiprocessors is the number of the measured device if plans for other devices use its costs
	// too: costs that grow with the scene are then scaled by it. 0 uses the costs unchanged.
	Multiprocessors int `json:"-"`
}

// Cost is a linear model of a time in microseconds: each term is multiplied by a property of the frame.
type Cost [CostTerms]float64

// The terms of a Cost.
const (
	Launch    = iota // for any scene
	Draws            // if there are several draws
	Box              // per 1,000 pixels that an invocation of the fused pass draws of the largest triangle's box, if there is one draw
	Pixels           // per million pixels
	Triangle         // per million triangles
	Sifted           // the same in a frame that sifts them
	Shading          // per million vertices shaded
	Wait             // per 1,000 cycles of a vertex and round of a batch, until the last vertex is shaded
	Work             // per 1,000 cycles of a vertex and million shading lanes, including idle ones on a GPU
	CostTerms = iota
)

// Of returns the expected time of a frame with these properties.
func (c Cost) Of(frame Cost) (micros float64) {
	for i := range c {
		micros += c[i] * frame[i]
	}
	return micros
}
