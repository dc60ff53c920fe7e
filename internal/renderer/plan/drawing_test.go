package plan

import (
	"encoding/xml"
	goflag "flag"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/shareddata"
	"github.com/shadeonce/shadeonce/renderer"
)

var update = goflag.Bool("update", false, "write the drawing of ARCHITECTURE.md anew")

// streamingPlan plans a scene that takes several windows of several chunks.
func streamingPlan(t *testing.T) *Plan {
	f := frame(t, 8000, "claim", 32)
	f.Raster, f.View, f.Width, f.Height, f.QueueBudget = renderer.ComputeRaster, renderer.Shaded, 64, 32, 50<<10
	for f.DeviceBudget = 33 << 20; ; f.DeviceBudget -= 1 << 10 {
		p := made(t)(New(f, testLimits))
		if p.Windowed() {
			return p
		}
	}
}

// TestDrawing: every pass is drawn once, and docs/images/streaming-plan.svg is the plan's current drawing.
func TestDrawing(t *testing.T) {
	p := streamingPlan(t)
	require.Equal(t, 2, p.Halves)
	text := p.Drawing(0)
	decoder := xml.NewDecoder(strings.NewReader(text))
	drawn := 0
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		if s, ok := token.(xml.StartElement); ok && s.Name.Local == "text" {
			drawn++
		}
	}
	lines := 0
	for i := range p.Passes {
		if !p.Passes[i].Beside {
			lines++
		}
	}
	lines = (lines + drawnAcross - 1) / drawnAcross
	require.Equal(t, len(p.Passes)+len(drawnLanes)*lines, drawn)

	text = p.Drawing(3 * drawnAcross)
	path := shareddata.Tree(t, "docs", "images", "streaming-plan.svg")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), text, "go test ./internal/renderer/plan -run TestDrawing -update")
}
