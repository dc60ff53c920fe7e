package main

import (
	"bytes"
	"image"
	"math"
	"time"
	"unsafe"

	"github.com/go-gl/glfw/v3.3/glfw"
	"github.com/inkyblackness/imgui-go/v4"
	"golang.org/x/image/font/gofont/goregular"

	"github.com/shadeonce/shadeonce/internal/showing"
	"github.com/shadeonce/shadeonce/renderer/gpu"
)

// gui is Dear ImGui: it is given input and panels, and makes triangles of them.
// It draws nothing itself, and there can be one only, since ImGui's state is global.
type gui struct {
	context *imgui.Context
	io      imgui.IO
	scale   float32
	last    time.Time
	mesh    gpu.OverlayMesh // of the last frame
	font    *image.Alpha    // the texture that the triangles refer to
	texel   [2]float32      // of the font, that is whole
}

// newGUI makes the panels' state for a display of a density.
func newGUI(scale float32) *gui {
	//lint:ignore SA1019 The maintained binding takes more than four minutes to build.
	g := &gui{context: imgui.CreateContext(nil), scale: scale}
	g.io = imgui.CurrentIO()
	g.io.SetIniFilename("") // what is kept is kept by us
	g.io.SetBackendFlags(imgui.BackendFlagsRendererHasVtxOffset)
	g.io.SetConfigFlags(imgui.ConfigFlagsNavEnableKeyboard) // in open lists: panels have WindowFlagsNoNav
	for ours, key := range guiKeys {
		g.io.KeyMap(ours, int(key))
	}
	imgui.StyleColorsDark()
	style := imgui.CurrentStyle()
	style.SetAntiAliasedLinesUseTex(false) // texels are taken whole, not mixed
	style.SetWindowRounding(4)
	style.SetFrameRounding(2)
	style.SetWindowPadding(imgui.Vec2{X: 8, Y: 8})
	style.ScaleAllSizes(scale)
	config := imgui.NewFontConfig()
	defer config.Delete()
	config.SetOversampleH(1)
	config.SetOversampleV(1)
	config.SetPixelSnapH(true)
	var builder imgui.GlyphRangesBuilder
	for _, r := range guiLetters {
		builder.Add(r[0], r[1])
	}
	letters := builder.Build()
	defer letters.Free()
	size := float32(math.Round(float64(guiFont * scale)))
	g.io.Fonts().AddFontFromMemoryTTFV(goregular.TTF, size, config, letters.GlyphRanges)
	g.font = g.atlas() // while the letters are there
	return g
}

// guiFont is the height of a line of text, in pixels of a display of ordinary density.
const guiFont = 16

// guiLetters are the letters that names of files and draws may have and the font has:
// Latin, Greek, Cyrillic, punctuation and arrows.
var guiLetters = [][2]rune{{0x20, 0x17f}, {0x370, 0x3ff}, {0x400, 0x45f}, {0x2010, 0x203a}, {0x2190, 0x2195}, {0x2212, 0x2212}}

// guiKeys are the keys that text fields know, by ImGui's number.
var guiKeys = map[int]glfw.Key{
	imgui.KeyTab: glfw.KeyTab, imgui.KeyLeftArrow: glfw.KeyLeft, imgui.KeyRightArrow: glfw.KeyRight,
	imgui.KeyUpArrow: glfw.KeyUp, imgui.KeyDownArrow: glfw.KeyDown, imgui.KeyHome: glfw.KeyHome, imgui.KeyEnd: glfw.KeyEnd,
	imgui.KeyDelete: glfw.KeyDelete, imgui.KeyBackspace: glfw.KeyBackspace, imgui.KeyEnter: glfw.KeyEnter,
	imgui.KeyKeyPadEnter: glfw.KeyKPEnter, imgui.KeyEscape: glfw.KeyEscape, imgui.KeyA: glfw.KeyA, imgui.KeySpace: glfw.KeySpace,
}

// atlas draws the letters into the texture that the triangles refer to.
func (g *gui) atlas() *image.Alpha {
	data := g.io.Fonts().TextureDataAlpha8()
	font := image.NewAlpha(image.Rect(0, 0, data.Width, data.Height))
	copy(font.Pix, unsafe.Slice((*byte)(data.Pixels), data.Width*data.Height))
	return font
}

// whole is a place in the font that is covered as a whole, for triangles of plain colour.
func (g *gui) whole() (u, v float32) {
	if g.texel == [2]float32{} {
		font := g.font
		at := max(bytes.IndexByte(font.Pix, 255), 0)
		g.texel = [2]float32{(float32(at%font.Stride) + .5) / float32(font.Rect.Dx()), (float32(at/font.Stride) + .5) / float32(font.Rect.Dy())}
	}
	return g.texel[0], g.texel[1]
}

// frame has the panels built for a window of a size in pixels. Input that came
// since the last frame takes effect in this one. The panels lie over flat triangles.
func (g *gui) frame(size image.Point, under *showing.Flat, build func()) {
	now := time.Now()
	g.io.SetDeltaTime(float32(min(max(now.Sub(g.last).Seconds(), 1e-4), 0.1)))
	g.last = now
	g.io.SetDisplaySize(imgui.Vec2{X: float32(size.X), Y: float32(size.Y)})
	imgui.NewFrame()
	build()
	imgui.Render()
	g.mesh = overlayMesh(g.mesh, under)
	g.collect()
}

// overlayMesh makes flat triangles a mesh, in the memory of another.
func overlayMesh(m gpu.OverlayMesh, f *showing.Flat) gpu.OverlayMesh {
	m.Vertices, m.Indices, m.Commands = append(m.Vertices[:0], f.Vertices...), append(m.Indices[:0], f.Indices...), m.Commands[:0]
	for _, r := range f.Runs {
		m.Commands = append(m.Commands, gpu.OverlayCommand{Clip: r.Clip, FirstIndex: r.First, IndexCount: r.Indices})
	}
	return m
}

// collect appends the triangles of ImGui, which keeps them until its next frame.
func (g *gui) collect() {
	m := &g.mesh
	size, position, place, color := imgui.VertexBufferLayout()
	indexSize := imgui.IndexBufferLayout()
	for _, list := range imgui.RenderedDrawData().CommandLists() {
		firstVertex, firstIndex := len(m.Vertices), len(m.Indices)
		p, n := list.VertexBuffer()
		for at := 0; at+size <= n; at += size {
			xy := (*[2]float32)(unsafe.Add(p, at+position))
			uv := (*[2]float32)(unsafe.Add(p, at+place))
			m.Vertices = append(m.Vertices, gpu.OverlayVertex{XPx: xy[0], YPx: xy[1], U: uv[0], V: uv[1], Color: *(*uint32)(unsafe.Add(p, at+color))})
		}
		p, n = list.IndexBuffer()
		for at := 0; at+indexSize <= n; at += indexSize {
			if indexSize == 2 {
				m.Indices = append(m.Indices, uint32(*(*uint16)(unsafe.Add(p, at))))
			} else {
				m.Indices = append(m.Indices, *(*uint32)(unsafe.Add(p, at)))
			}
		}
		for _, c := range list.Commands() {
			r := c.ClipRect()
			m.Commands = append(m.Commands, gpu.OverlayCommand{
				Clip:       image.Rect(floor(r.X), floor(r.Y), ceil(r.Z), ceil(r.W)),
				FirstIndex: firstIndex + c.IndexOffset(), IndexCount: c.ElementCount(), VertexOffset: firstVertex + c.VertexOffset(),
			})
		}
	}
}

// floor and ceil round pixels, within the range of an int.
func floor(x float32) int { return int(math.Floor(float64(min(max(x, -1e6), 1e6)))) }
func ceil(x float32) int  { return int(math.Ceil(float64(min(max(x, -1e6), 1e6)))) }

// pointer moves ImGui's mouse, in pixels of the window.
func (g *gui) pointer(x, y float64) {
	g.io.SetMousePosition(imgui.Vec2{X: float32(x), Y: float32(y)})
}

// guiButton returns ImGui's number of a mouse button; -1 for buttons that it does not know.
func guiButton(b glfw.MouseButton) int {
	switch b {
	case glfw.MouseButtonLeft:
		return 0
	case glfw.MouseButtonRight:
		return 1
	case glfw.MouseButtonMiddle:
		return 2
	}
	return -1
}

// listOpen reports whether a list of choices is open, which takes all keys.
func (g *gui) listOpen() bool {
	return imgui.IsPopupOpenV("", imgui.PopupFlagsAnyPopup)
}

// key tells ImGui of a key, for its text fields and open lists.
func (g *gui) key(key glfw.Key, down bool) {
	if key < 0 || key > glfw.KeyLast {
		return
	}
	if g.listOpen() && (key == glfw.KeyEnter || key == glfw.KeyKPEnter) {
		key = glfw.KeySpace // which is what ImGui chooses an entry by
	}
	if down {
		g.io.KeyPress(int(key))
	} else {
		g.io.KeyRelease(int(key))
	}
	g.io.KeyCtrl(int(glfw.KeyLeftControl), int(glfw.KeyRightControl))
	g.io.KeyShift(int(glfw.KeyLeftShift), int(glfw.KeyRightShift))
}

func (g *gui) close() {
	if g != nil {
		g.context.Destroy()
	}
}
