package inspect

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// Thousands groups digits: 1,234,567.
func Thousands(n int) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// Ratio returns a ratio with that many digits, or "-" if there is none.
func Ratio(x float64, digits int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "-"
	}
	return strconv.FormatFloat(x, 'f', digits, 64)
}

// HistogramSteps sums a histogram up to the six steps of the scale.
func HistogramSteps(histogram []int) (steps [6]int, total int) {
	for times, n := range histogram {
		if times > 0 {
			steps[min(times, len(steps))-1] += n
			total += n
		}
	}
	return steps, total
}

// BatchFill returns the share of the batches' room that indices take; 0 without batches.
func BatchFill(p *plan.Plan) float64 {
	if len(p.Batches) == 0 {
		return 0
	}
	used := 0
	for _, b := range p.Batches {
		used += int(b.IndexCount)
	}
	return float64(used) / (float64(len(p.Batches)) * float64(p.Frame.Reuse.Batch))
}

// StrategyName returns the strategy with what its counts depend on, in short.
func StrategyName(c reuse.Config) string {
	if c.Strategy.UsesLanes {
		return fmt.Sprintf("%s %d", c.Strategy.Name, c.Lanes)
	}
	return c.Strategy.Name
}

// FileName is the name of a scene without its ending, in characters that every file system takes.
func FileName(s *geometry.Scene) string {
	model := filepath.Base(s.Name)
	for ext := filepath.Ext(model); ext != "" && ext != model; ext = filepath.Ext(model) {
		model = strings.TrimSuffix(model, ext)
	}
	model = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, model)
	model = model[:min(len(model), 80)]
	if strings.Trim(model, "_") == "" {
		model = "scene"
	}
	return model
}

// PictureName is a screenshot's name without its number and ".png": made from
// the model and the settings.
func PictureName(f *renderer.Frame, indexOrder string) string {
	strategy := f.Reuse.Strategy.Name
	if f.Reuse.Strategy.UsesLanes {
		strategy += fmt.Sprintf("-%dlanes", f.Reuse.Lanes)
	}
	name := fmt.Sprintf("%s-%s-%s-%s", FileName(f.Scene), strategy, f.Queue, f.View)
	if indexOrder != "original" {
		name += "-" + OrderInName(indexOrder)
	}
	return name
}

// OrderInName is an index order as a file name has it.
func OrderInName(indexOrder string) string { return strings.ReplaceAll(indexOrder, "+", "-") }

// Describe is what a picture says of itself: how it was made.
func Describe(f *renderer.Frame, indexOrder string, invocations int) string {
	return fmt.Sprintf("%s: strategy %s, order %s, queue %s, view %s%s, %d invocations", f.Scene.Name, f.Reuse, indexOrder, f.Queue, f.View, plan.CullingText(f), invocations)
}
