package geometry

import "github.com/go-gl/mathgl/mgl32"

// View is where a game saw a frame from. The camera is held level; angles are in
// degrees, lengths in scene units.
type View struct {
	Eye          mgl32.Vec3
	Azimuth      float32 // about +Y; 0 looks along -Z
	Elevation    float32 // by which it looks down
	Distance     float32 // from the eye to what is looked at
	FovY         float32 // vertical field of view
	Near, Far    float32 // distances of the clip planes
	Aspect       float32 // width by height
	Orthographic bool    // parallel projection of what FovY shows at Distance
}

// Placing says how a draw of a replayed frame came to where it stands.
type Placing struct {
	How Placed

	// Residual is how far outputs of the draw's vertex shader are from those of
	// its Transform, at most, in parts of an output's distance.
	Residual float32
}

// Placed is how.
type Placed uint8

// The ways to place a draw.
const (
	AsFile   Placed = iota // as the file says: no replayed frame
	Fitted                 // by the transform that its vertex shader is
	Captured               // its vertex shader is not linear: positions are those that it put out
	Hidden                 // writes no depth, is seen by another camera, or lies flat on the screen: in a point, counted and not seen
)

func (p Placed) String() string { return [...]string{"", "fitted", "captured", "hidden"}[p&3] }
