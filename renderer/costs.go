package renderer

// Costs are the costs of a frame's parts on a device, from which plans choose a strategy and a
// raster host (plan.Choose). They are fitted to measured times.
type Costs struct {
	// Source says by which device's times a choice is made, for the reasons of a Choice.
	Source string `json:"-"`

	// Parts holds the costs by the parts' names: geometry:STRATEGY fills the queues, raster:HOST draws them, fused:STRATEGY
	// is a whole fused frame, and together:STRATEGY one in which several invocations draw a triangle.
	Parts map[string]Cost `json:"parts"`

	// Multiprocessors is the measured device's number of multiprocessors if plans for other devices use its costs too:
	// costs that grow with the scene or picture are then scaled by the ratio of the numbers. 0 uses the costs unchanged.
	Multiprocessors int `json:"-"`
}

// Cost is a linear model of a time in microseconds: each term is multiplied by a property of the frame.
type Cost [CostTerms]float64

// The terms of a Cost.
const (
	Launch    = iota // once per frame
	Draws            // per million pixels of a frame of several draws
	Box              // in frames of one draw, per 1,000 pixels in the largest triangle's box, divided by the number of invocations that draw it in the fused pass
	Pixels           // per million pixels
	Triangle         // per million triangles, in frames that do not sift them (internal/renderer/plan/sink_fused.go)
	Sifted           // per million triangles, in frames that sift them
	Shading          // per million vertices shaded
	Wait             // per 1,000 cycles of shading a vertex, times a batch's rounds of shading: the wait for its last vertex
	Work             // per 1,000 cycles of shading a vertex, times millions of shading lanes, including idle ones on a GPU
	CostTerms = iota
)

// CostTermNames are the terms' names, as headings of a table. Each names the quantity that its cost is multiplied by.
var CostTermNames = [CostTerms]string{
	Launch: "launch", Draws: "draws", Box: "kpixel box", Pixels: "Mpixel", Triangle: "Mtriangle", Sifted: "sifted", Shading: "Mvertex", Wait: "wait", Work: "work",
}

// Of returns the expected time of a frame. `frame` holds the property that each term is multiplied by.
func (c Cost) Of(frame Cost) (micros float64) {
	for i := range c {
		micros += c[i] * frame[i]
	}
	return micros
}
