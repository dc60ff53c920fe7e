package envelope_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/apps/envelope"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/meshtest"
)

// shaded makes a mesh's envelope at 2 % of the diagonal, and shades it.
func shaded(t testing.TB, m *apps.Mesh, side envelope.Side) (*envelope.Envelope, []envelope.Shaded) {
	e := must.Get(envelope.New(t.Context(), m, side, 2))
	out := must.Get(e.Shade(t.Context()))
	return e, out
}

// summary returns, for the referenced vertices, the least level, the mean level and the share
// below the highest level.
func summary(e *envelope.Envelope, out []envelope.Shaded) (least int32, mean, limited float64) {
	least, n := envelope.Levels, 0
	for v, s := range out {
		if e.First[v] == e.First[v+1] {
			continue
		}
		n++
		least = min(least, s.Level)
		mean += float64(s.Level)
		if s.Level < envelope.Levels {
			limited++
		}
	}
	return least, mean / float64(n), limited / float64(n)
}

// TestAgainstOthers compares levels with those of two other implementations, which agree, for the
// same meshes.
func TestAgainstOthers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, order   string
		side          envelope.Side
		sum           string // empty if unknown
		least         int32
		mean, limited float64 // zero if unknown
	}{
		{"sphere4", "", envelope.Outer, "", 256, 256, 0},
		{"sphere5", "", envelope.Outer, "", 256, 256, 0},
		{"knot", "", envelope.Outer, "", 256, 256, 0},
		{"spot.obj", "", envelope.Outer, "bfab37ffc8c32dc8", 20, 225.01, .263},
		{"spot.obj", "", envelope.Inner, "619bce0e369731d8", -1, 0, 0},
		{"kitten.obj", "", envelope.Outer, "", 57, 250.46, .078},
		{"bun_zipper.ply", "", envelope.Outer, "e0c8cd7f63931d9f", 5, 223.76, .358},
		{"bun_zipper.ply", "forsyth", envelope.Outer, "e0c8cd7f63931d9f", 5, 223.76, .358},
		{"armadillo.off.zst", "", envelope.Outer, "", 4, 131.72, .829},
	} {
		t.Run(fmt.Sprintf("%s %s %s", c.name, c.order, c.side), func(t *testing.T) {
			if small := strings.HasPrefix(c.name, "sp"); testing.Short() && (!small || c.name == "sphere5") {
				t.Skip("takes seconds: left out of short runs")
			}
			m := meshtest.Mesh(t, c.name)
			if c.order != "" {
				m = meshtest.Ordered(t, c.name, c.order)
			}
			e, out := shaded(t, m, c.side)
			least, mean, limited := summary(e, out)
			t.Logf("%016x, least %d, mean %.2f, %.1f %% limited", e.Sum(out), least, mean, 100*limited)
			if c.least >= 0 {
				require.Equal(t, c.least, least)
				require.InDelta(t, c.mean, mean, .005)
				// The published figures are percentages, rounded to two decimals and then to one.
				require.InDelta(t, c.limited, limited, .00055)
			}
			if c.sum != "" {
				require.Equal(t, c.sum, fmt.Sprintf("%016x", e.Sum(out)))
			}
		})
	}
}
