package main

import (
	"image"
	"slices"
	"testing"

	"github.com/go-gl/glfw/v3.3/glfw"
	"github.com/inkyblackness/imgui-go/v4"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/showing"
)

// An open list takes the arrow keys, Enter and Esc.
func TestKeysMoveInOpenLists(t *testing.T) {
	a := &app{gui: newGUI(1)}
	defer a.gui.close()
	names := reuse.Names()
	value := "warp"
	frame := func() {
		a.gui.frame(image.Pt(400, 400), &showing.Flat{}, func() {
			imgui.SetNextWindowPos(imgui.Vec2{})
			imgui.SetNextWindowSize(imgui.Vec2{X: 300, Y: 300})
			imgui.BeginV("panel", nil, imgui.WindowFlagsNoNav)
			a.choice("##list", value, names, func(i int) { value = names[i] })
			imgui.End()
		})
	}
	settle := func() {
		for range 3 {
			frame()
		}
	}
	press := func(keys ...glfw.Key) {
		for _, key := range keys {
			a.gui.key(key, true)
			settle()
			a.gui.key(key, false)
			settle()
		}
	}
	open := func() {
		settle()
		a.gui.pointer(100, 40)
		for _, down := range []bool{true, false} {
			a.gui.io.SetMouseButtonDown(0, down)
			settle()
		}
		require.True(t, a.gui.listOpen())
	}
	second := names[slices.Index(names, "warp")+2]
	open()
	press(glfw.KeyDown, glfw.KeyDown, glfw.KeyUp, glfw.KeyDown, glfw.KeyEnter)
	require.Equal(t, second, value)
	require.False(t, a.gui.listOpen())
	open()
	press(glfw.KeyUp)
	require.True(t, a.gui.listOpen())
	press(glfw.KeyEscape)
	require.False(t, a.gui.listOpen(), "Esc closes it")
	require.Equal(t, second, value)
	press(glfw.KeyDown)
	require.Equal(t, second, value, "panels take no arrow keys")
}
