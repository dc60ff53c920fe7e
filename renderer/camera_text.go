package renderer

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl32"
)

// CameraText is what ParseCamera reads the same camera from, for the same box.
func CameraText(c Camera) string {
	number := func(f float32) string { return strconv.FormatFloat(float64(f), 'g', -1, 32) }
	words := []string{
		"az=" + number(c.Azimuth), "el=" + number(c.Elevation), "fov=" + number(c.FovY),
		"at=" + number(c.Target[0]) + ":" + number(c.Target[1]) + ":" + number(c.Target[2]),
		"distance=" + number(c.Distance),
	}
	if c.NearMost > 0 {
		words = append(words, "near="+number(c.NearMost))
	}
	if c.Orthographic {
		words = append(words, "ortho")
	}
	return strings.Join(words, ",")
}

// cameraPlace is where ParseCamera is told to put a camera in place of fitting it.
type cameraPlace struct {
	target   *mgl32.Vec3
	distance float32 // 0 for the fitted one
	nearMost float32 // 0 for no bound
}

// read takes a word, if it is one of a place.
func (p *cameraPlace) read(key, value string) (taken bool, err error) {
	switch key {
	case "at":
		parts := strings.Split(value, ":")
		if len(parts) != 3 {
			return true, fmt.Errorf("camera at %q: want X:Y:Z", value)
		}
		var at mgl32.Vec3
		for i, text := range parts {
			f, err := strconv.ParseFloat(text, 32)
			if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
				return true, fmt.Errorf("camera at %q: want X:Y:Z", value)
			}
			at[i] = float32(f)
		}
		p.target = &at
		return true, nil
	case "distance", "near":
		f, err := strconv.ParseFloat(value, 32)
		if err != nil || !(f > 0) || math.IsInf(f, 0) {
			return true, fmt.Errorf("camera %s %q: must be above 0", key, value)
		}
		if key == "near" {
			p.nearMost = float32(f)
		} else {
			p.distance = float32(f)
		}
		return true, nil
	}
	return false, nil
}

// put moves a fitted camera there.
func (p *cameraPlace) put(c *Camera) {
	if p.target != nil {
		c.Target = *p.target
	}
	if p.distance != 0 {
		c.Distance = p.distance
	}
	c.NearMost = p.nearMost
}
