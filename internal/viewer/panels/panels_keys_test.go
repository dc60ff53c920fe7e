package panels

import (
	"image"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inkyblackness/imgui-go/v4"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/viewer/app"
	"github.com/shadeonce/shadeonce/internal/viewer/layout"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
)

// list is a panel with one list, opened and driven by a test.
type list struct {
	*Panels
	body func()
}

func newList(t *testing.T, body func(*Panels)) list {
	ui := &Panels{gui: newGUI(1)}
	t.Cleanup(ui.gui.close)
	return list{ui, func() { body(ui) }}
}

func (l list) settle() {
	for range 3 {
		l.gui.frame(image.Pt(400, 400), &results.Flat{}, func() {
			imgui.SetNextWindowPos(imgui.Vec2{})
			imgui.SetNextWindowSize(imgui.Vec2{X: 300, Y: 300})
			imgui.BeginV("panel", nil, imgui.WindowFlagsNoNav)
			l.body()
			imgui.End()
		})
	}
}

func (l list) press(keys ...string) {
	for _, key := range keys {
		for _, down := range []bool{true, false} {
			l.gui.key(key, down)
			l.settle()
		}
	}
}

func (l list) open(t *testing.T) {
	l.settle()
	l.Point(image.Pt(200, 40))
	for _, down := range []bool{true, false} {
		l.gui.io.SetMouseButtonDown(0, down)
		l.settle()
	}
	require.True(t, l.gui.listOpen())
}

// An open list takes the arrow keys, Enter and Esc.
func TestKeysMoveInOpenLists(t *testing.T) {
	names, value := reuse.Names(), "warp"
	l := newList(t, func(ui *Panels) { ui.choice("strategy", value, names, func(i int) { value = names[i] }) })
	second := names[slices.Index(names, "warp")+2]
	l.open(t)
	l.press("Down", "Down", "Up", "Down", "Enter")
	require.Equal(t, second, value)
	require.False(t, l.gui.listOpen())
	l.open(t)
	l.press("Down", "Enter")
	require.Equal(t, names[slices.Index(names, "warp")+3], value, "a list that is opened again takes them too")
	value = second
	l.open(t)
	l.press("Up")
	require.True(t, l.gui.listOpen())
	l.press("Esc")
	require.False(t, l.gui.listOpen(), "Esc closes it")
	require.Equal(t, second, value)
	l.press("Down")
	require.Equal(t, second, value, "panels take no arrow keys")
}

// TestOrdersKeepTheirSuffix: choosing another order leaves its vertices renumbered.
func TestOrdersKeepTheirSuffix(t *testing.T) {
	value := "random" + order.FetchSuffix
	l := newList(t, func(ui *Panels) { ui.orderChoice("index order", &value) })
	l.open(t)
	l.press("Down", "Down", "Down", "Enter")
	require.NotEqual(t, "random"+order.FetchSuffix, value)
	require.True(t, strings.HasSuffix(value, order.FetchSuffix), value)
}

// TestMovedPanelsStay: a panel that is dragged gets the rectangle where it is, at every scale of the display.
func TestMovedPanelsStay(t *testing.T) {
	for _, scale := range []float32{1, 2} {
		ui := &Panels{gui: newGUI(scale)}
		p, x := &places{window: image.Pt(800, 600), scale: scale}, &placed{name: "panel"}
		ui.gui.io.SetMouseButtonDown(0, true)
		for range 2 {
			ui.gui.frame(p.window, &results.Flat{}, func() {
				imgui.SetNextWindowPos(imgui.Vec2{X: 100, Y: 60})
				imgui.SetNextWindowSize(imgui.Vec2{X: 300, Y: 200})
				imgui.Begin("panel")
				p.follow(x)
				imgui.End()
			})
		}
		require.Equal(t, image.Rect(100, 60, 400, 260), p.wish(x))
		require.NotEmpty(t, p.wishes)
		ui.gui.close()
	}
}

// TestTheSceneIsFittedBesideStandingPanels: these four leave less room, others cover the scene.
func TestTheSceneIsFittedBesideStandingPanels(t *testing.T) {
	whole := image.Rect(0, 0, 800, 600)
	for name, stands := range map[string]bool{"settings": true, "draws": true, "application": true, "shader": true, "help": false} {
		p := &places{
			standard: func(string) layout.Place { return layout.Place{Width: 300, Height: 600} },
			begins:   func(string) beginning { return beginning{} },
		}
		p.foresee(whole.Max, 1, []string{name})
		require.Equal(t, stands, p.free.Dx() <= 500, "%s: %v", name, p.free)
	}
}

// board is a clipboard for tests.
type board struct {
	app.Display
	text string
}

func (b *board) Clipboard() string        { return b.text }
func (b *board) SetClipboard(text string) { b.text = text }

// Text fields paste from and copy to the system's clipboard.
func TestFieldsUseTheClipboard(t *testing.T) {
	b := &board{text: "wheel"}
	ui := &Panels{App: &app.App{Surroundings: app.Surroundings{Display: b}}}
	ui.renew(1)
	defer ui.gui.close()
	text, focused := "old ", false
	press := func(keys ...string) {
		for _, down := range []bool{true, false} {
			for _, key := range keys {
				ui.gui.key(key, down)
			}
			for range 3 {
				ui.gui.frame(image.Pt(400, 400), &results.Flat{}, func() {
					imgui.Begin("panel")
					if !focused {
						imgui.SetKeyboardFocusHere()
					}
					imgui.InputText("##field", &text)
					focused = imgui.IsItemActive()
					imgui.End()
				})
			}
		}
	}
	press()
	press("Ctrl", "V")
	require.Contains(t, text, "wheel")
	press("Ctrl", "A")
	press("Ctrl", "X")
	require.Empty(t, text)
	require.Contains(t, b.text, "wheel")
}

// If the start is slow, the panel shows the settings of any strategy before there is a picture.
func TestSettingsBeforeThePicture(t *testing.T) {
	ui := &Panels{App: &app.App{}, gui: newGUI(1)}
	defer ui.gui.close()
	for _, ui.Want.Strategy = range append(reuse.Names(), "auto") {
		ui.gui.frame(image.Pt(400, 800), &results.Flat{}, func() {
			imgui.Begin("panel")
			ui.firstPanel()
			imgui.End()
		})
	}
}

// TestTablesScrollToALine: whichever line a table scrolls to lies wholly below the heads and above the table's end.
func TestTablesScrollToALine(t *testing.T) {
	for _, line := range []int{0, 5, 77, 150, 199} {
		fresh, from, to := true, imgui.Vec2{}, imgui.Vec2{}
		newList(t, func(*Panels) {
			require.True(t, imgui.BeginTableV("lines", 1, imgui.TableFlagsScrollY, imgui.Vec2{Y: 90}, 0))
			imgui.TableSetupColumn("head")
			imgui.TableSetupScrollFreeze(0, 1)
			imgui.TableHeadersRow()
			if fresh {
				scrollTo(line)
				fresh = false
			}
			eachVisible(200, func(i int) {
				imgui.TableNextRow()
				imgui.TableNextColumn()
				imgui.Text(strconv.Itoa(i))
				if i == line {
					top := imgui.WindowPos()
					from, to = imgui.ItemRectMin().Minus(top), imgui.ItemRectMax().Minus(top)
				}
			})
			imgui.EndTable()
		}).settle()
		require.GreaterOrEqual(t, from.Y, rowHeight(), "line %d", line)
		require.LessOrEqual(t, to.Y, float32(90), "line %d", line)
	}
}
