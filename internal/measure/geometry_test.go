package measure

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// clocked is a backend whose passes take a known time.
type clocked struct{ *soft.Backend }

func (clocked) Exec(*plan.Plan, renderer.Camera, renderer.Want) (*renderer.Output, error) {
	return &renderer.Output{Timings: []renderer.Timing{
		{Pass: "clear", Duration: 64 * time.Millisecond}, {Pass: "geometry:claim", Duration: time.Millisecond}, {Pass: "geometry:claim", Duration: 2 * time.Millisecond},
		{Pass: "cull:triangles", Duration: 4 * time.Millisecond}, {Pass: "cull:shade", Duration: 8 * time.Millisecond}, {Pass: "raster:hardware", Duration: 128 * time.Millisecond},
	}}, nil
}

// TestPassTimeIsThatOfGeometryAndCulling: a row has the time of these passes in all chunks,
// and of no others.
func TestPassTimeIsThatOfGeometryAndCulling(t *testing.T) {
	s, err := assets.Make("cube")
	require.NoError(t, err)
	c, err := reuse.Resolve("claim", 0, 0)
	require.NoError(t, err)
	b := clocked{soft.New()}
	defer b.Close()
	frame := GeometryFrame()
	frame.Scene = s
	rows, err := timeLoad(t.Context(), b, frame, renderer.CountCamera(s.Bounds()), "simple", []reuse.Config{c}, []GeometryRow{{Triangles: 12}}, 3)
	require.NoError(t, err)
	require.Len(t, rows, 1)
	require.Equal(t, []float64{15, 15, 15}, []float64{rows[0].MsMin, rows[0].MsMedian, rows[0].MsMax})
	require.InEpsilon(t, 12/15./1e3, rows[0].TrianglesMsS, 1e-12)
}
