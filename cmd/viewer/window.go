package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"log"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"

	"github.com/go-gl/glfw/v3.3/glfw"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/present"
	"github.com/shadeonce/shadeonce/internal/viewer/app"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
)

// screen is the window and the device that draws into it.
type screen struct {
	window    *glfw.Window
	instance  *gpu.Instance
	surface   *present.Surface
	device    *gpu.Device
	backend   *gpu.Backend
	swapchain *present.Swapchain

	windowed  image.Rectangle // the window's rectangle before it filled the screen, in screen units
	size      image.Point     // the window's size in pixels at the last events
	units     image.Point     // the window's size in screen units
	wantScale float64         // the value of --scale; 0 means the scale of the window's monitor
	divide    *glfw.Cursor    // cursor over the divider; nil until it is first shown

	waking sync.Mutex
	closed bool // close was called: Wake does nothing
}

// startGLFW connects to the display. If there is none, go-gl/glfw only logs the error,
// and panics at the next call. So startGLFW reads the error from the log.
func startGLFW() error {
	var said bytes.Buffer
	log.SetFlags(0)
	log.SetOutput(&said)
	err := glfw.Init()
	log.SetOutput(os.Stderr)
	log.SetPrefix(app.ProgramName + ": window: ")
	if err == nil && said.Len() > 0 {
		err = errors.New(strings.TrimPrefix(strings.TrimSpace(said.String()), "PlatformError: "))
	}
	if err != nil {
		return fmt.Errorf("no display (%v): `shadeonce render FILE -o out.png` draws without one", inspect.OneLine(err.Error()))
	}
	if !glfw.VulkanSupported() {
		glfw.Terminate()
		return errors.New("no Vulkan loader (" + gpu.LoaderRemedy + "): " + withoutVulkan)
	}
	return nil
}

// withoutVulkan says what to do if the loader or the driver is missing.
const withoutVulkan = "`shadeonce doctor` says what is missing, `shadeonce render --backend cpu` draws without"

// openScreen makes the window and opens a device that can draw into it.
func openScreen(o app.Options) (*screen, error) {
	if err := startGLFW(); err != nil {
		return nil, err
	}
	s := &screen{wantScale: o.Scale}
	if err := s.open(o); err != nil {
		_ = s.close() // report the cause of the failure, not the validation layer's messages
		return nil, err
	}
	return s, nil
}

func (s *screen) open(o app.Options) (err error) {
	defer must.Catch(&err)
	glfw.WindowHint(glfw.ClientAPI, glfw.NoAPI)
	// Desktops find the viewer's entry in their menu by the window's class (StartupWMClass).
	glfw.WindowHintString(glfw.X11ClassName, app.ProgramName)
	glfw.WindowHintString(glfw.X11InstanceName, app.ProgramName)
	if s.window, err = glfw.CreateWindow(o.Width, o.Height, "shadeonce", nil, nil); err != nil {
		return fmt.Errorf("no window: %w", err)
	}
	if s.window == nil {
		return errors.New("no window: the display refused it")
	}
	s.measure()
	if o.Fits {
		s.fit()
	}
	putWindow(s.window, o.Place)
	extensions := s.window.GetRequiredInstanceExtensions()
	if len(extensions) == 0 {
		return errors.New("no Vulkan driver that draws to windows (" + gpu.DriverRemedy + "): " + withoutVulkan)
	}
	s.instance, err = gpu.NewInstance(gpu.Options{
		AppName: "shadeonce viewer", Validation: o.Validation, Extensions: extensions, GetProcAddr: glfw.GetVulkanGetInstanceProcAddress(),
	})
	must.OK(err)
	s.surface = must.Get(newSurface(s.instance, s.window))
	must.OK(s.openDevice(o.Device))
	s.backend = model.NewBackend(s.device)
	s.swapchain, err = present.New(s.device, s.surface, present.Options{Unlimited: o.Frames > 0})
	return err
}

// fit enlarges the window by the scale of text and panels, which only systems that measure windows in pixels need, and
// keeps it within the monitor.
func (s *screen) fit() {
	width, height := s.window.GetSize()
	monitor := glfw.GetPrimaryMonitor()
	if monitor == nil {
		return
	}
	scale := float32(1)
	if s.Size() == image.Pt(width, height) {
		scale = s.Scale()
	}
	_, _, widest, highest := monitor.GetWorkarea()
	if w, h := min(int(float32(width)*scale), widest), min(int(float32(height)*scale), highest); w != width || h != height {
		s.window.SetSize(w, h)
		s.measure()
	}
}

// listen routes the window's events to the viewer.
func (s *screen) listen(a *app.App) {
	w := s.window
	w.SetKeyCallback(func(_ *glfw.Window, key glfw.Key, code int, action glfw.Action, mods glfw.ModifierKey) {
		letter := ""
		if key >= glfw.KeyA && key <= glfw.KeyZ {
			letter = glfw.GetKeyName(key, code)
		}
		a.OnKey(app.KeyEvent{
			Key: keyName(key, letter), Down: action != glfw.Release, Repeats: action == glfw.Repeat,
			Ctrl: mods&glfw.ModControl != 0, Shift: mods&glfw.ModShift != 0,
		})
	})
	w.SetCharCallback(func(_ *glfw.Window, r rune) { a.OnText(r) })
	w.SetMouseButtonCallback(func(_ *glfw.Window, b glfw.MouseButton, action glfw.Action, mods glfw.ModifierKey) {
		if button, known := buttons[b]; known {
			a.OnButton(button, action == glfw.Press, mods&glfw.ModShift != 0)
		}
	})
	w.SetCursorPosCallback(func(_ *glfw.Window, x, y float64) { a.OnCursor(x, y) })
	w.SetCursorEnterCallback(func(_ *glfw.Window, entered bool) {
		if !entered {
			a.OnLeave()
		}
	})
	w.SetScrollCallback(func(_ *glfw.Window, x, y float64) { a.OnScroll(x, y) })
	w.SetFocusCallback(func(_ *glfw.Window, focused bool) {
		if !focused {
			a.Fly.LetGo() // the window is not told of keys released in another window
		}
	})
	w.SetDropCallback(func(_ *glfw.Window, names []string) { a.Drop(names) })
	w.SetRefreshCallback(func(*glfw.Window) { a.Unshown = true })
	w.SetFramebufferSizeCallback(func(*glfw.Window, int, int) {
		s.measure()
		a.OnResize()
	})
}

// buttons are the mouse buttons that the viewer uses.
var buttons = map[glfw.MouseButton]model.Button{
	glfw.MouseButtonLeft: model.LeftButton, glfw.MouseButtonRight: model.RightButton, glfw.MouseButtonMiddle: model.MiddleButton,
}

// keyNames names keys that are neither letters nor digits. Keypad keys share the others' names.
var keyNames = map[glfw.Key]string{
	glfw.KeyTab: "Tab", glfw.KeyLeft: "Left", glfw.KeyRight: "Right", glfw.KeyUp: "Up", glfw.KeyDown: "Down", glfw.KeyHome: "Home", glfw.KeyEnd: "End",
	glfw.KeyPageUp: "PageUp", glfw.KeyPageDown: "PageDown", glfw.KeyDelete: "Delete", glfw.KeyBackspace: "Backspace", glfw.KeyEnter: "Enter", glfw.KeyKPEnter: "Enter",
	glfw.KeyEscape: "Esc", glfw.KeySpace: "Space", glfw.KeyPeriod: ".", glfw.KeyComma: ",", glfw.KeyLeftBracket: "[", glfw.KeyRightBracket: "]", glfw.KeyF5: "F5", glfw.KeyF6: "F6", glfw.KeyF7: "F7", glfw.KeyF8: "F8", glfw.KeyF11: "F11", glfw.KeyF12: "F12",
	glfw.KeyLeftShift: model.ShiftKey, glfw.KeyRightShift: model.ShiftKey, glfw.KeyLeftControl: "Ctrl", glfw.KeyRightControl: "Ctrl",
}

// keyName returns the name of a key. GLFW names keys by the US layout; inLayout is GLFW's letter
// for the key in the user's layout, if it has one.
func keyName(key glfw.Key, inLayout string) string {
	switch {
	case key >= glfw.KeyA && key <= glfw.KeyZ:
		if name := strings.ToUpper(inLayout); len(name) == 1 && name[0] >= 'A' && name[0] <= 'Z' {
			return name
		}
		return string(rune(key))
	case key >= glfw.Key0 && key <= glfw.Key9:
		return string(rune(key))
	case key >= glfw.KeyKP0 && key <= glfw.KeyKP9:
		return string(rune('0' + key - glfw.KeyKP0))
	}
	return keyNames[key]
}

// openDevice opens the requested device. Without a request, it skips devices that cannot draw into this window.
func (s *screen) openDevice(want string) error {
	infos, err := gpu.Devices(s.instance)
	if err != nil {
		return err
	}
	var first error
	for {
		i, err := gpu.Choose(infos, want)
		if err == nil {
			s.device, err = gpu.Open(s.instance, infos[i], gpu.OpenOptions{Surface: s.surface.Handle()})
		}
		if err == nil {
			return nil
		}
		if first == nil {
			first = err
		}
		if want != "" || i < 0 || len(infos) == 1 {
			return first
		}
		infos = slices.Delete(infos, i, i+1)
	}
}

// Size returns the window's size in pixels; a dense display has several pixels per
// unit of screen positions. It is zero while the window is minimised.
func (s *screen) Size() image.Point { return s.size }

// measure asks the display for the window's size. Each query waits for the display's answer, and
// panels read the size some fifty times a frame, so screen measures once after each wait for events.
func (s *screen) measure() {
	s.size, s.units = image.Pt(s.window.GetFramebufferSize()), image.Pt(s.window.GetSize())
	if s.window.GetAttrib(glfw.Iconified) == glfw.True {
		s.size = image.Point{}
	}
}

// Scale returns the magnification of text and panels: the value of --scale or, if that is 0, the scale of
// the window's monitor. This scale is rounded to an eighth, and kept from app.LeastScale to app.MostScale.
func (s *screen) Scale() float32 {
	if s.wantScale > 0 {
		return float32(s.wantScale)
	}
	x, _ := s.window.GetContentScale()
	return float32(min(max(math.Round(float64(x)*8)/8, app.LeastScale), app.MostScale))
}

// SetFullscreen makes the window fill the monitor that shows its middle, or restores the window's
// earlier place and size.
func (s *screen) SetFullscreen(on bool) {
	w := s.window
	if on == (w.GetMonitor() != nil) {
		return
	}
	if !on {
		r := s.windowed
		w.SetMonitor(nil, r.Min.X, r.Min.Y, r.Dx(), r.Dy(), 0)
		return
	}
	s.windowed = s.Bounds()
	monitor := glfw.GetPrimaryMonitor()
	for _, m := range glfw.GetMonitors() {
		x, y := m.GetPos()
		if mode := m.GetVideoMode(); showsMiddle(s.windowed, x, y, mode.Width, mode.Height) {
			monitor = m
		}
	}
	if monitor != nil {
		mode := monitor.GetVideoMode()
		w.SetMonitor(monitor, 0, 0, mode.Width, mode.Height, mode.RefreshRate)
	}
}

// showsMiddle reports whether a monitor of a size, at a place, shows the middle of a window.
func showsMiddle(window image.Rectangle, x, y, width, height int) bool {
	return window.Min.Add(window.Max).Div(2).In(image.Rect(x, y, x+width, y+height))
}

// Bounds returns the window's rectangle in screen units; for a full-screen window, the rectangle that it had before.
func (s *screen) Bounds() image.Rectangle {
	if s.window.GetMonitor() != nil {
		return s.windowed
	}
	at := image.Pt(s.window.GetPos())
	return image.Rectangle{Min: at, Max: at.Add(s.Units())}
}

func (s *screen) Units() image.Point { return s.units }

func (s *screen) Closing() bool { return s.window.ShouldClose() }

func (s *screen) SetTitle(text string) { s.window.SetTitle(text) }

func (s *screen) SetDivideCursor(on bool) {
	if !on {
		s.window.SetCursor(nil)
		return
	}
	if s.divide == nil {
		s.divide = glfw.CreateStandardCursor(glfw.HResizeCursor)
	}
	s.window.SetCursor(s.divide)
}

func (s *screen) Clipboard() string { return glfw.GetClipboardString() }

func (s *screen) SetClipboard(text string) { glfw.SetClipboardString(text) }

func (s *screen) Present(picture *gpu.Image, size image.Point) (bool, error) {
	return s.swapchain.Present(picture, size)
}

func (s *screen) Wait(patience time.Duration) {
	switch {
	case patience == 0:
		glfw.PollEvents()
	case patience < 0:
		glfw.WaitEvents()
	default:
		glfw.WaitEventsTimeout(patience.Seconds())
	}
	s.measure()
}

// Wake ends the wait for events, from any goroutine.
func (s *screen) Wake() {
	s.waking.Lock()
	defer s.waking.Unlock()
	if !s.closed {
		glfw.PostEmptyEvent()
	}
}

// close frees everything, last made first. The error lists the validation layer's messages, leaks
// included. If the device is lost, close frees neither it nor the surface and the instance.
func (s *screen) close() error {
	lost := s.device != nil && s.device.Lost()
	s.swapchain.Close()
	if s.backend != nil && !lost {
		s.backend.Close()
	}
	var err error
	if s.device != nil {
		err = s.device.Close()
		lost = lost || s.device.Lost()
	}
	if s.instance != nil && !lost {
		s.surface.Close()
		s.instance.Close()
		if messages := s.instance.Messages(); len(messages) > 0 {
			err = errors.Join(err, fmt.Errorf("the validation layer reported %s:\n%s", names.Count(len(messages), "message"), strings.Join(messages, "\n")))
		}
	}
	s.waking.Lock()
	s.closed = true
	s.waking.Unlock()
	if s.window != nil {
		s.window.Destroy()
	}
	glfw.Terminate()
	return err
}

// putWindow moves a window to a place, unless no monitor shows that place any more.
func putWindow(w *glfw.Window, p *app.Place) {
	if p == nil {
		return
	}
	for _, m := range glfw.GetMonitors() {
		x, y, width, height := m.GetWorkarea()
		const seen = 64 // units by which the corner may be outside at the left and top, and must be inside at the right and bottom
		if p.X >= x-seen && p.Y >= y-seen && p.X < x+width-seen && p.Y < y+height-seen {
			w.SetPos(p.X, p.Y)
			return
		}
	}
}

// newSurface makes the surface of a window.
//
// go-gl/glfw returns the address of a Go variable to which nothing refers any
// more. So no garbage collection may start before the variable has been read. A collection
// that is already running frees nothing allocated meanwhile.
func newSurface(in *gpu.Instance, w *glfw.Window) (*present.Surface, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(math.MaxInt64))
	address, err := w.CreateWindowSurface(in.Handle(), nil)
	if err != nil {
		return nil, fmt.Errorf("the window cannot be drawn to: %w", err)
	}
	handle := **(**uint64)(unsafe.Pointer(&address))
	return present.AdoptSurface(in, handle), nil
}
