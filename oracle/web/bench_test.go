package web

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	devtools "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// painted notes when the second frame after a picture was drawn begins: by then the picture is on the screen.
const painted = `window.painted = 0;
new PerformanceObserver(list => list.getEntriesByName('shown').forEach(() =>
	requestAnimationFrame(() => requestAnimationFrame(() => { painted = performance.now(); })))).observe({entryTypes: ['mark']});`

// BenchmarkPage measures, in a new browser each time, how long the first picture takes from the start of
// navigation, and how long an OBJ of 100,352 triangles takes after it is chosen. Metrics are medians.
func BenchmarkPage(b *testing.B) {
	obj := filepath.Join(b.TempDir(), "large.obj")
	require.NoError(b, format.Save(b.Context(), obj, must.Get(assets.Make("terrain224"))))
	var first, file []float64
	for b.Loop() {
		p := open(b, "")
		now := func(script string) float64 { return must.Get(strconv.ParseFloat(p.get(script), 64)) }
		p.run(chromedp.ActionFunc(func(ctx context.Context) error {
			_, err := devtools.AddScriptToEvaluateOnNewDocument(painted).Do(ctx)
			return err
		}), chromedp.Navigate(p.url))
		p.until(`painted && performance.getEntriesByName('started').length`)
		first = append(first, now("painted"))
		p.get(`(window.painted = 0, document.getElementById('files').addEventListener('change', () => { window.chosen = performance.now(); }, {capture: true}))`)
		p.run(chromedp.SetUploadFiles("#files", []string{obj}, chromedp.ByQuery))
		p.until("painted")
		file = append(file, now("painted - chosen"))
		p.close()
	}
	for name, list := range map[string][]float64{"picture-ms": first, "file-ms": file} {
		slices.Sort(list)
		b.ReportMetric(list[len(list)/2], name)
	}
}
