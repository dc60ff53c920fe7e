package app

import (
	"image"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// With culling, the shaded vertices depend on the camera, and so do the differences. settle
// compares them with differences counted and drawn without the viewer.
func TestDifferenceFollowsTheCameraAndTheOrders(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		for _, cull := range []string{"--cull=false", "--cull"} {
			args := []string{cull, "--panels=false", "--remember=false", "--size", "320x240", "--camera", "zoom=2.5", "--compare-view", "difference", "asset:knot8"}
			s.start(append(args, "--compare", "hash/forsyth+fetch")...)
			s.titled("difference against hash in forsyth+fetch order")
			near := s.look()
			require.Greater(t, colorful(near.picture), changed)
			s.key("ctrl+F12")
			require.Equal(t, near.picture.Pix, s.saved(strings.TrimSpace(s.stdout.String())).(*image.RGBA).Pix)
			s.key("7")
			s.other(near)
			s.leave("")

			s.start(append(args, "--order", "forsyth+fetch", "--compare", "hash/original")...)
			s.titled("difference against hash in original order")
			s.key("7")
			s.other(near)
			s.leave("")
		}
	})
}
