package panels

import (
	"bytes"
	"image"
	"maps"
	"math"
	"slices"
	"time"
	"unsafe"

	"github.com/inkyblackness/imgui-go/v4"
	"golang.org/x/image/font/gofont/goregular"

	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/viewer/app"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
)

// gui wraps Dear ImGui: it passes input and panels to ImGui, and collects the triangles that ImGui
// makes. It draws nothing itself. There can be only one, since ImGui's state is global.
type gui struct {
	context *imgui.Context
	io      imgui.IO
	scale   float32
	last    time.Time
	mesh    gpu.OverlayMesh // of the last frame
	colors  colors
	font    *image.Alpha // the texture that the triangles refer to
	texel   [2]float32   // texture coordinates of a fully covered texel of the font
}

// newGUI makes the panels' state for a display density.
func newGUI(scale float32) *gui {
	//lint:ignore SA1019 The maintained binding takes more than four minutes to build.
	g := &gui{context: imgui.CreateContext(nil), scale: scale}
	g.io = imgui.CurrentIO()
	g.io.SetIniFilename("") // the viewer saves its settings itself
	g.io.SetBackendFlags(imgui.BackendFlagsRendererHasVtxOffset)
	g.io.SetConfigFlags(imgui.ConfigFlagsNavEnableKeyboard) // used only in open lists: panels have WindowFlagsNoNav
	for ours, key := range guiKeys {
		g.io.KeyMap(ours, slices.Index(guiKeyNames, key))
	}
	style := imgui.CurrentStyle()
	style.SetAntiAliasedLinesUseTex(false) // texels are not interpolated
	style.SetWindowRounding(4)
	style.SetFrameRounding(2)
	style.SetWindowPadding(imgui.Vec2{X: 8, Y: 8})
	style.SetItemSpacing(imgui.Vec2{X: 8, Y: 3})
	style.SetCellPadding(imgui.Vec2{X: 4, Y: 1})
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
	data := g.io.Fonts().TextureDataAlpha8() // builds the texture, which reads letters
	g.font = image.NewAlpha(image.Rect(0, 0, data.Width, data.Height))
	copy(g.font.Pix, unsafe.Slice((*byte)(data.Pixels), data.Width*data.Height))
	return g
}

const guiFont = 16 // the height of a line of text, in pixels of a display of ordinary density

// guiLetters are the letters that the font has for names of files and draws: Latin, Greek,
// Cyrillic, punctuation and arrows.
var guiLetters = [][2]rune{{0x20, 0x17f}, {0x370, 0x3ff}, {0x400, 0x45f}, {0x2010, 0x203a}, {0x2190, 0x2195}, {0x2212, 0x2212}}

// guiKeys has the keys that text fields use: it maps ImGui's number of each key to our name. Our number of a key is its
// index in guiKeyNames.
var guiKeys = map[int]string{
	imgui.KeyTab: "Tab", imgui.KeyLeftArrow: "Left", imgui.KeyRightArrow: "Right", imgui.KeyUpArrow: "Up", imgui.KeyDownArrow: "Down",
	imgui.KeyHome: "Home", imgui.KeyEnd: "End", imgui.KeyDelete: "Delete", imgui.KeyBackspace: "Backspace", imgui.KeyEnter: "Enter",
	imgui.KeyEscape: "Esc", imgui.KeyA: "A", imgui.KeyC: "C", imgui.KeyV: "V", imgui.KeyX: "X", imgui.KeyY: "Y", imgui.KeyZ: "Z", imgui.KeySpace: "Space",
}

var guiKeyNames = append([]string{"Ctrl", "Shift"}, slices.Sorted(maps.Values(guiKeys))...)

// whole returns the texture coordinates of an opaque texel of the font, for triangles of plain colour.
func (g *gui) whole() (u, v float32) {
	if g.texel == [2]float32{} {
		font := g.font
		at := max(bytes.IndexByte(font.Pix, 255), 0)
		g.texel = [2]float32{(float32(at%font.Stride) + .5) / float32(font.Rect.Dx()), (float32(at/font.Stride) + .5) / float32(font.Rect.Dy())}
	}
	return g.texel[0], g.texel[1]
}

// frame builds the panels for a window of the given size in pixels, with the input since the last
// frame. The panels lie over the triangles of `under`.
func (g *gui) frame(size image.Point, under *results.Flat, build func()) {
	now := time.Now()
	g.io.SetDeltaTime(float32(min(max(now.Sub(g.last).Seconds(), 1e-4), 0.1)))
	g.last = now
	g.io.SetDisplaySize(imgui.Vec2{X: float32(size.X), Y: float32(size.Y)})
	imgui.NewFrame()
	build()
	imgui.Render()
	g.mesh = app.Mesh(g.mesh, under)
	g.collect()
}

// collect appends ImGui's triangles to the mesh. ImGui keeps them until its next frame.
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
				Clip:       image.Rect(app.Floor(r.X), app.Floor(r.Y), ceil(r.Z), ceil(r.W)),
				FirstIndex: firstIndex + c.IndexOffset(), IndexCount: c.ElementCount(), VertexOffset: firstVertex + c.VertexOffset(),
			})
		}
		if list == imgui.BackgroundDrawList() { // the first list has the marks on the picture, and legends cover them
			m.Under = len(m.Commands)
		}
	}
}

// ceil rounds a pixel coordinate up, limited to a million either way.
func ceil(x float32) int { return int(math.Ceil(float64(min(max(x, -1e6), 1e6)))) }

// listOpen reports whether a list of choices is open, which then takes all keys.
func (g *gui) listOpen() bool {
	return imgui.IsPopupOpenV("", imgui.PopupFlagsAnyPopup)
}

// key passes a key to ImGui, for text fields and open lists.
func (g *gui) key(key string, down bool) {
	if key == "Enter" && (g.listOpen() || !down) {
		if !down { // the list may have closed since the key was pressed
			g.io.KeyRelease(slices.Index(guiKeyNames, key))
		}
		key = "Space" // ImGui chooses a list's entry by Space
	}
	n := slices.Index(guiKeyNames, key)
	switch {
	case n < 0:
		return
	case down:
		g.io.KeyPress(n)
	default:
		g.io.KeyRelease(n)
	}
	g.io.KeyCtrl(0, 0)
	g.io.KeyShift(1, 1)
}

func (g *gui) close() {
	if g != nil {
		g.io.SetClipboard(nil)
		g.context.Destroy()
	}
}

// clipboard connects text fields to the display's clipboard.
type clipboard struct{ app.Display }

func (c clipboard) Text() (string, error) { return c.Clipboard(), nil }
func (c clipboard) SetText(text string)   { c.SetClipboard(text) }

// colors are the panels' colours that are not in ImGui's style.
type colors struct {
	theme          string // the theme of these colours; empty before the first frame
	heading, wrong imgui.Vec4
	trough         imgui.PackedColor // behind a bar
}

// paint gives the panels the colours of a theme.
func (g *gui) paint(theme model.Theme) {
	if g.colors.theme == theme.String() {
		return
	}
	g.colors = colors{theme.String(), imgui.Vec4{X: .55, Y: .75, Z: 1, W: 1}, imgui.Vec4{X: 1, Y: .45, Z: .4, W: 1}, ink(40, 60, 90, 255)}
	lists := imgui.Vec4{X: .08, Y: .08, Z: .08, W: 1}
	if imgui.StyleColorsDark(); theme == model.LightTheme {
		imgui.StyleColorsLight()
		g.colors.heading, g.colors.wrong, g.colors.trough = imgui.Vec4{X: .1, Y: .3, Z: .7, W: 1}, imgui.Vec4{X: .75, Y: .1, Z: .05, W: 1}, ink(205, 215, 230, 255)
		lists = imgui.Vec4{X: .97, Y: .97, Z: .97, W: 1}
	}
	imgui.CurrentStyle().SetColor(imgui.StyleColorPopupBg, lists) // opaque, so that the lines below do not shine through
}
