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
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/renderer"
)

// Captured names a replayed frame's own view as --camera, and its shaders as --vertex-shader.
const Captured = "captured"

// CameraHelp describes the values of --camera; DEG is degrees.
const CameraHelp = `comma-separated: front, back, left, right, top, bottom, az=DEG, el=DEG, zoom=F, fov=DEG, ortho, at=X:Y:Z, distance=D, near=D, up=AXIS, center=X:Y, time=S; or captured`

var namedViews = map[string][2]float32{
	"front": {0, 0}, "back": {180, 0}, "left": {-90, 0}, "right": {90, 0}, "top": {0, 90}, "bottom": {0, -90},
}

// unknownWord returns the error for a word that CameraHelp does not have.
func unknownWord(word string) error {
	have := slices.Sorted(maps.Keys(namedViews))
	if near := names.Nearest(word, append(have, "ortho", Captured)); near != "" {
		return fmt.Errorf("camera %q: did you mean %s? want %s", word, near, CameraHelp)
	}
	return fmt.Errorf("camera %q: want %s", word, CameraHelp)
}

// ParseCamera returns the camera that fits the box, changed as the text says (CameraHelp).
// "captured" changes nothing: SceneCamera handles it.
func ParseCamera(text string, box geometry.Box, aspect float32) (renderer.Camera, error) {
	return ParseCameraInto(text, box, aspect, renderer.Part{})
}

// ParseCameraInto is ParseCamera for a box that is fitted into a part of the picture.
func ParseCameraInto(text string, box geometry.Box, aspect float32, part renderer.Part) (renderer.Camera, error) {
	if text == Captured {
		text = ""
	}
	c := renderer.FitCamera(box, aspect)
	// Applied last, since directions and field of view decide the fit.
	zoom, distance, target, center := float32(1), float32(0), (*mgl32.Vec3)(nil), part.Center
	numbers := map[string]*float32{"az": &c.Azimuth, "el": &c.Elevation, "fov": &c.FovY, "time": &c.Time, "near": &c.NearMost, "zoom": &zoom, "distance": &distance}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' }) {
		if angles, ok := namedViews[word]; ok {
			c.Azimuth, c.Elevation = angles[0], angles[1]
			continue
		}
		key, value, _ := strings.Cut(word, "=")
		f, ok := number(value)
		switch {
		case word == "ortho":
			c.Orthographic = true
		case key == "at":
			if target, ok = point(value); !ok {
				return c, fmt.Errorf("camera at %q: want X:Y:Z", value)
			}
		case key == "up":
			up, err := ParseUp(value)
			if err != nil {
				return c, err
			}
			c.Up = up
		case key == "center":
			at, ok := point(value + ":0")
			if !ok {
				return c, fmt.Errorf("camera center %q: want X:Y", value)
			}
			center = at.Vec2()
		case (key == "distance" || key == "near") && !(f > 0):
			return c, fmt.Errorf("camera %s %q: must be above 0", key, value)
		case numbers[key] == nil:
			return c, unknownWord(word)
		case !ok:
			return c, fmt.Errorf("camera %s %q: want a number", key, value)
		case key == "fov" && (f < 1 || f > 170):
			return c, fmt.Errorf("camera fov %g: must be 1 to 170 degrees", f)
		case key == "zoom" && (f < 1e-3 || f > 1e3):
			return c, fmt.Errorf("camera zoom %g: must be 0.001 to 1000", f)
		default:
			*numbers[key] = float32(f)
		}
	}
	c.FitInto(box, aspect, part)
	c.Center = center
	if target != nil {
		c.Target = *target
	}
	if distance != 0 {
		c.Distance = distance
	}
	c.Zoom(zoom, box)
	return c, c.Check()
}

// number parses a finite number; ok is false if the text is none.
func number(text string) (float64, bool) {
	f, err := strconv.ParseFloat(text, 32)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

// point reads X:Y:Z.
func point(text string) (*mgl32.Vec3, bool) {
	parts := strings.Split(text, ":")
	var at mgl32.Vec3
	for i, part := range parts {
		f, ok := number(part)
		if !ok || len(parts) != len(at) {
			return nil, false
		}
		at[i] = float32(f)
	}
	return &at, true
}

// CheckCamera returns an error for a text that is invalid for any scene.
func CheckCamera(text string, aspect float32) error {
	_, err := ParseCamera(text, geometry.Box{Max: mgl32.Vec3{1, 1, 1}}, aspect)
	return AsUsage(err)
}

// SceneCamera is ParseCamera for a scene that may have a view of its own. It returns that view if
// the text is empty or "captured". view is nil for other scenes.
func SceneCamera(text string, box geometry.Box, view *geometry.View, aspect float32) (renderer.Camera, error) {
	if text != Captured && (text != "" || view == nil) {
		return ParseCamera(text, box, aspect)
	}
	if view == nil {
		return renderer.Camera{}, fmt.Errorf("camera %q: only a replayed frame has a view of its own", text)
	}
	c := renderer.CapturedCamera(view, aspect)
	return c, c.Check()
}

// CameraText returns the text from which ParseCamera makes the same camera for the same box.
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
	if c.Up != renderer.UpY {
		words = append(words, "up="+c.Up.String())
	}
	if c.Time != 0 {
		words = append(words, "time="+number(c.Time))
	}
	if c.Center != (mgl32.Vec2{}) {
		words = append(words, "center="+number(c.Center[0])+":"+number(c.Center[1]))
	}
	return strings.Join(words, ",")
}
