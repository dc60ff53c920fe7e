package model

import (
	"cmp"
	"math"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/renderer"
)

// mouseHelp lists the help's lines on the mouse, on dropped files and on flying.
var mouseHelp = [][3]string{
	{"left drag", "orbit"},
	{"shift+drag", "pan, as with the middle button"},
	{"wheel, right drag", "zoom"},
	{"double click", "turn about the point"},
	{"hover", "the vertex below the cursor"},
	{"click", "its batch, listed"},
	{"right click", "its draw's menu"},
	{"drag the line", "divide the window elsewhere"},
	{"drop files", "open them"},
	{"while flying", flyHelp},
}

// Button is a button of the mouse.
type Button int

// The mouse buttons that start a drag.
const (
	LeftButton Button = iota
	RightButton
	MiddleButton
)

// Drag is a drag under way.
type Drag struct {
	Kind   DragKind
	Button Button
	X, Y   float64 // where the cursor was last, in screen units
}

// DragKind says what a drag changes.
type DragKind int

const (
	NoDrag DragKind = iota
	OrbitDrag
	PanDrag
	ZoomDrag
	DividerDrag // moves the divider, not the camera
)

const dragNotches = 20 // a drag over the window's height zooms as much as this many notches of the wheel

// PressButton begins or ends a drag. A second button pressed during a drag changes nothing.
func (s *State) PressButton(button Button, down, shift bool) {
	kind := [...]DragKind{LeftButton: OrbitDrag, RightButton: ZoomDrag, MiddleButton: PanDrag}[button]
	if button == LeftButton && shift {
		kind = PanDrag
	}
	switch {
	case down && s.Drag.Kind == NoDrag:
		s.Drag.Kind, s.Drag.Button = kind, button
	case !down && s.Drag.Button == button:
		s.Drag.Kind = NoDrag
	}
}

// MoveCursor moves the cursor to (x, y), and the camera if a drag is under way. x, y and the window's height are in screen units.
func (s *State) MoveCursor(x, y float64, height int) {
	dx, dy := x-s.Drag.X, y-s.Drag.Y
	s.Drag.X, s.Drag.Y = x, y
	if s.Drag.Kind == NoDrag || s.Drag.Kind == DividerDrag || height < 1 {
		return
	}
	dx, dy = dx/float64(height), dy/float64(height)
	s.Move(func(c *renderer.Camera) {
		switch {
		case s.Drag.Kind == PanDrag:
			c.Pan(s.Box, dx, dy)
		case s.Drag.Kind == ZoomDrag:
			c.Dolly(s.Box, -dragNotches*dy)
		case s.Fly.On:
			c.LookAround(s.Box, dx, dy)
		default:
			c.Orbit(dx, dy)
		}
	})
}

// Wheel zooms by a number of the wheel's notches; during a flight it changes the speed instead.
func (s *State) Wheel(notches float64) {
	if f := &s.Fly; f.On {
		f.speed = min(max(f.speed*math.Pow(renderer.ZoomStep, min(max(notches, -50), 50)), slowestFly), wildFly)
		return
	}
	s.Move(func(c *renderer.Camera) { c.Dolly(s.Box, notches) })
}

// Fly is the state of flying through a scene: keys move the eye, and a drag turns it.
// These keys mean other things when flight is off.
type Fly struct {
	On    bool
	speed float64 // radii of the scene a second
	held  map[string]bool
	last  time.Time
}

const (
	flySpeed            = 0.15
	flyFast             = 5 // times as fast with shift
	slowestFly, wildFly = 1e-3, 10
	flyLongest          = 0.1 // longest time of one step in seconds, even if the last frame took longer
	flyHelp             = "fly: W A S D, E up, Q down, shift fast, wheel sets the speed"
)

// FlyRest is the time between steps of the flight.
const FlyRest = 4 * time.Millisecond

// ShiftKey is the name of either Shift key, which makes the flight fast.
const ShiftKey = "Shift"

// flyKeys maps keys to directions of flight, as components to the right, up and forward.
var flyKeys = map[string]mgl32.Vec3{"W": {0, 0, 1}, "S": {0, 0, -1}, "D": {1, 0, 0}, "A": {-1, 0, 0}, "E": {0, 1, 0}, "Q": {0, -1, 0}}

// ToggleFly begins or ends the flight.
func (s *State) ToggleFly() {
	s.Fly = Fly{On: !s.Fly.On, speed: cmp.Or(s.Fly.speed, flySpeed), held: map[string]bool{}}
}

// FlyKey records that a key was pressed or released during a flight. It reports whether
// the key moves the eye: false for ShiftKey. Without a flight it does nothing and returns false.
func (s *State) FlyKey(key string, down bool) bool {
	_, moves := flyKeys[key]
	if !s.Fly.On || !moves && key != ShiftKey {
		return false
	}
	if down && len(s.Fly.directions()) == 0 {
		s.Fly.last = time.Time{}
	}
	s.Fly.held[key] = down
	return moves
}

// LetGo forgets the held keys. A window that loses the focus is not told when they are released.
func (f *Fly) LetGo() { clear(f.held) }

// Moving reports whether held keys move the eye.
func (f *Fly) Moving() bool { return f.On && len(f.directions()) > 0 }

func (f *Fly) directions() (list []mgl32.Vec3) {
	for key, direction := range flyKeys {
		if f.held[key] {
			list = append(list, direction)
		}
	}
	return list
}

// FlyStep moves the eye for the time since the last step.
func (s *State) FlyStep(now time.Time) {
	f := &s.Fly
	if !f.Moving() {
		return
	}
	seconds := 0.0
	if !f.last.IsZero() {
		seconds = min(now.Sub(f.last).Seconds(), flyLongest)
	}
	f.last = now
	length := f.speed * seconds * float64(max(s.Box.Radius(), 1e-20))
	if f.held[ShiftKey] {
		length *= flyFast
	}
	s.Move(func(c *renderer.Camera) {
		for _, d := range f.directions() {
			c.Move(s.Box, d.Mul(float32(length)))
		}
	})
}

const betweenBookmarks = ";" // separates bookmarks in the flag; no text of a camera contains it

// LookFromBookmark moves the camera to bookmark i, if that bookmark is set.
func (s *State) LookFromBookmark(i int) {
	if s.Bookmarks[i] == "" || s.Aspect == 0 {
		return
	}
	if to, err := cli.ParseCamera(s.Bookmarks[i], s.Box, s.Aspect); err == nil { // ParseCamera fails if this scene does not allow the bookmark's distance
		s.Up = to.Up
		s.Move(func(c *renderer.Camera) {
			to.Time, to.Center = c.Time, c.Center // the clock sets the time, and the panels set the centre
			*c = to
		})
	}
}

// keepBookmark stores the camera as bookmark i.
func (s *State) keepBookmark(i int) {
	c := s.Camera
	c.Center = mgl32.Vec2{}
	s.Bookmarks[i] = cli.CameraText(c)
}

// bookmarkText formats the bookmarks as the value of --bookmarks.
func (s *State) bookmarkText() string {
	return strings.TrimRight(strings.Join(s.Bookmarks[:], betweenBookmarks), betweenBookmarks)
}

func (s *State) readBookmarks(text string) error {
	list := strings.Split(text, betweenBookmarks)
	if len(list) > len(s.Bookmarks) {
		return cli.Usagef("--bookmarks: %d cameras, %d at most", len(list), len(s.Bookmarks))
	}
	s.Bookmarks = [len(s.Bookmarks)]string{}
	for i, camera := range list {
		if err := cli.CheckCamera(camera, 1); err != nil {
			return err
		}
		s.Bookmarks[i] = camera
	}
	return nil
}

// keptBookmarks returns the keys that have a bookmark, for the help.
func (s *State) keptBookmarks() string {
	var keys []string
	for i, key := range []string{"F5", "F6", "F7", "F8"} {
		if s.Bookmarks[i] != "" {
			keys = append(keys, key)
		}
	}
	return strings.Join(keys, " ")
}
