package main

import (
	"testing"

	"github.com/go-gl/glfw/v3.3/glfw"
	"github.com/stretchr/testify/require"
)

// TestKeysHaveTheirNames tests the ends of each range of keys, also with other keyboard layouts.
func TestKeysHaveTheirNames(t *testing.T) {
	for _, c := range []struct {
		key          glfw.Key
		layout, want string
	}{
		{glfw.KeyA, "", "A"}, {glfw.KeyZ, "y", "Y"}, {glfw.KeyQ, "\u0439", "Q"}, {glfw.Key0, "", "0"}, {glfw.Key9, "", "9"},
		{glfw.KeyKP0, "", "0"}, {glfw.KeyKP9, "", "9"}, {glfw.KeyF12, "", "F12"},
	} {
		require.Equal(t, c.want, keyName(c.key, c.layout))
	}
}
