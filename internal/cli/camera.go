package cli

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/names"
	"github.com/shadeonce/shadeonce/renderer"
)

// Captured is the word of CameraHelp for a replayed frame's own view.
const Captured = "captured"

// CameraHelp describes what ParseCamera reads.
const CameraHelp = `comma-separated: front, back, left, right, top, bottom, az=DEGREES, el=DEGREES, zoom=FACTOR, fov=DEGREES, ortho, at=X:Y:Z, distance=D, near=D; or captured`

var namedViews = map[string][2]float32{
	"front": {0, 0}, "back": {180, 0}, "left": {-90, 0}, "right": {90, 0}, "top": {0, 90}, "bottom": {0, -90},
}

// unknownWord is the error for what is no word of CameraHelp.
func unknownWord(word string) error {
	have := slices.Sorted(maps.Keys(namedViews))
	if near := names.Nearest(word, append(have, "ortho", Captured)); near != "" {
		return fmt.Errorf("camera %q: did you mean %s? want %s", word, near, CameraHelp)
	}
	return fmt.Errorf("camera %q: want %s", word, CameraHelp)
}

// ParseCamera adjusts the camera that fits the box by a text as in CameraHelp.
// "captured" adjusts nothing: SceneCamera handles it.
func ParseCamera(text string, box geometry.Box, aspect float32) (renderer.Camera, error) {
	if text == Captured {
		text = ""
	}
	c := renderer.FitCamera(box, aspect)
	var place cameraPlace
	zoom := float32(1) // applied last: directions and field of view decide the fit
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' }) {
		if angles, ok := namedViews[word]; ok {
			c.Azimuth, c.Elevation = angles[0], angles[1]
			continue
		}
		if word == "ortho" {
			c.Orthographic = true
			continue
		}
		key, value, _ := strings.Cut(word, "=")
		if taken, err := place.read(key, value); err != nil {
			return c, err
		} else if taken {
			continue
		}
		f, err := strconv.ParseFloat(value, 32)
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return c, unknownWord(word)
		}
		switch key {
		case "az":
			c.Azimuth = float32(f)
		case "el":
			c.Elevation = float32(f)
		case "fov":
			if f < 1 || f > 170 {
				return c, fmt.Errorf("camera fov %g: must be 1 to 170 degrees", f)
			}
			c.FovY = float32(f)
		case "zoom":
			if f < 1e-3 || f > 1e3 {
				return c, fmt.Errorf("camera zoom %g: must be 0.001 to 1000", f)
			}
			zoom = float32(f)
		default:
			return c, unknownWord(word)
		}
	}
	c.Fit(box, aspect)
	place.put(&c)
	c.Zoom(zoom, box)
	return c, c.Check()
}

// CheckCamera refuses, before a scene is read, a text that no scene could be seen
// with.
func CheckCamera(text string, aspect float32) error {
	_, err := ParseCamera(text, geometry.Box{Max: mgl32.Vec3{1, 1, 1}}, aspect)
	return AsUsage(err)
}

// SceneCamera is ParseCamera for a scene that may have a view of its own: that is
// what it sees unless the text says otherwise. view is nil where there is none.
func SceneCamera(text string, box geometry.Box, view *geometry.View, aspect float32) (renderer.Camera, error) {
	if text != Captured && (text != "" || view == nil) {
		return ParseCamera(text, box, aspect)
	}
	if view == nil {
		return renderer.Camera{}, fmt.Errorf("camera %q: this is no replayed frame: it has no view of its own", text)
	}
	c := renderer.CapturedCamera(view, aspect)
	return c, c.Check()
}

// CameraText is what ParseCamera reads the same camera from, for the same box.
func CameraText(c renderer.Camera) string {
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
func (p *cameraPlace) put(c *renderer.Camera) {
	if p.target != nil {
		c.Target = *p.target
	}
	if p.distance != 0 {
		c.Distance = p.distance
	}
	c.NearMost = p.nearMost
}
