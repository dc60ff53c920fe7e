package web

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	devtools "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
)

// webGPU makes the browser use WebGPU on SwiftShader, which has subgroups of 4 lanes and timestamps.
var webGPU = chromedp.Flag("enable-unsafe-webgpu", true)

// gpuStrategies are the strategies with WGSL shaders in the page.
var gpuStrategies = []string{"naive-index", "naive", "warp", "hash", "sort", "claim"}

// onGPU measures on the GPU and returns the results, a map per strategy and load, and the panel's verdict.
func (p *page) onGPU() (rows []map[string]string, verdict string) {
	p.t.Helper()
	p.get(`document.getElementById('gpuRun').click()`)
	p.until(`document.body.dataset.state === 'ready'`)
	verdict = p.text("gpuSay")
	if p.get(`document.getElementById('gpuCsv').hidden`) == "true" {
		return nil, verdict
	}
	_, data := p.save("gpuCsv")
	lines := must.Get(csv.NewReader(bytes.NewReader(data)).ReadAll())
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, cell := range line {
			row[lines[0][i]] = cell
		}
		rows = append(rows, row)
	}
	return rows, verdict
}

// requireEqual requires that all strategies count and draw on the GPU like the reference.
func requireEqual(t *testing.T, rows []map[string]string, scene *geometry.Scene, lanes int, native bool, clock string) {
	t.Helper()
	require.Len(t, rows, 4*len(gpuStrategies))
	for i, row := range rows {
		c := must.Get(reuse.Resolve(gpuStrategies[i/4], lanes, 0))
		st, _ := must.Get2(reuse.Summarize(scene, c))
		for column, want := range map[string]any{
			"strategy": c.Strategy.Name, "lanes": c.Lanes, "native": native && c.Strategy.UsesLanes, "batch": c.Batch, "invocations": st.Invocations,
			"counts_differ": 0, "triangles_wrong": 0, "error": "", "load": []int{0, 256, 512, 1024}[i%4], "clock": clock,
		} {
			require.Equal(t, fmt.Sprint(want), row[column], "%s of %v", column, row)
		}
		require.Positive(t, must.Get(strconv.ParseFloat(row["ms"], 64)))
	}
}

// TestCountsOnGPU compares SwiftShader's counts with the reference: a scene of several draws with native subgroups,
// and a real mesh, if available, with virtual subgroups, without timestamps, and in two-dimensional dispatches.
func TestCountsOnGPU(t *testing.T) {
	p := open(t, "#scene=asset:city2&mode=one&order=tipsify%2Bfetch", webGPU)
	p.get(`Object.defineProperty(GPUAdapterInfo.prototype, 'isFallbackAdapter', {get: () => window.software, configurable: true})`)
	rows, verdict := p.onGPU()
	requireEqual(t, rows, must.Get(order.Apply(t.Context(), must.Get(assets.Make("city2")), "tipsify+fetch")), 4, true, "timestamps")
	require.Equal(t, "city2", rows[0]["file"])
	require.Equal(t, "tipsify+fetch", rows[0]["order"])
	require.Equal(t, 4, strings.Count(verdict, "naive-index"), verdict)
	require.NotContains(t, verdict, "processor")
	runs := 0
	for _, row := range rows {
		runs += must.Get(strconv.Atoi(row["runs"]))
	}
	require.Greater(t, runs, len(rows), "some repeat, unless each takes a second")
	require.Equal(t, "6", p.get(`[...document.querySelectorAll('#gpuTable tbody tr')].filter(r => r.cells.length == 7 && r.cells[1].textContent == 'equal').length`))
	require.Contains(t, p.text("gpuNote"), "its own subgroups of 4 lanes")

	p.get(`(window.software = true, Object.defineProperty(GPUAdapter.prototype, 'features', {get: () => new Set()}),
		Object.defineProperty(GPUSupportedLimits.prototype, 'maxComputeWorkgroupsPerDimension', {get: () => 7}))`)
	scene := must.Get(assets.Make("sphere3"))
	if path, ok := shareddata.Find("meshes", "suzanne.obj"); ok {
		p.drop(path)
		scene = must.Get(format.Readers(nil).Looks(false).Open(t.Context(), path))
	} else {
		t.Log("no ../shared/meshes/suzanne.obj: a sphere in its place")
		p.choose("scene", "asset:sphere3")
		p.ready()
	}
	p.choose("order", "original")
	p.ready()
	rows, verdict = p.onGPU()
	require.Contains(t, verdict, "The processor stands in for a GPU here")
	requireEqual(t, rows, scene, 32, false, "wall")
	require.Contains(t, p.text("gpuNote"), "the browser offers none of its own")
}

// TestFaultsOnGPU breaks shaders on their way to the browser. Three draw a wrong corner in every triangle, one of
// these also counts wrongly, one does not compile, and one does nothing. Each fault is reported, and the shader that
// does nothing is not called the fastest. If timestamps stand still, the wall clock is used.
func TestFaultsOnGPU(t *testing.T) {
	p := open(t, "#scene=asset:sphere2&mode=one", webGPU)
	p.get(`(() => {
		const make = GPUDevice.prototype.createShaderModule;
		GPUDevice.prototype.createShaderModule = function({code}) {
			for (const [of, from, to] of [
				['t += LANES', 'at, vec3u(0u, 1u, 2u)', 'at, vec3u(0u, 0u, 2u)'],
				['shIncoming', 'shMap[3u * t + 2u]', 'shMap[3u * t + 1u]'],
				['shIncoming', 'atomicAdd(&counts[id], 1u)', 'atomicAdd(&counts[id], select(1u, 2u, id == 7u))'],
				['fn hash_insert', 'shSlot[corners[k].x]', 'shSlot[corners[k].y]'],
				['fn sort_exchange', 'shId[i] = idJ;', 'shId[i] = nothing;'],
				['fn claim_word', 'var pending = 0u;', 'if (triangles > 0u) { return; } var pending = 0u;'],
			]) if (code.includes(of)) code = code.replace(from, to);
			return make.call(this, {code});
		};
		GPUCommandEncoder.prototype.resolveQuerySet = () => {}; // timestamps stand still
	})()`)
	rows, verdict := p.onGPU()
	found := map[string]string{}
	for _, row := range rows {
		found[row["strategy"]] = row["counts_differ"] + " " + row["triangles_wrong"]
		if row["strategy"] == "sort" {
			require.Contains(t, row["error"], "nothing")
		} else {
			require.Equal(t, "wall", row["clock"])
			require.Positive(t, must.Get(strconv.ParseFloat(row["ms"], 64)))
		}
	}
	require.Equal(t, map[string]string{"naive-index": "0 0", "naive": "0 320", "warp": "1 320", "hash": "0 320", "sort": " ", "claim": "162 320"}, found)
	require.Contains(t, verdict, "hash: 320 triangles wrong; this GPU or browser runs it wrongly.")
	require.Contains(t, verdict, "warp: 1 count differs, 320 triangles wrong; this")
	require.Contains(t, verdict, "So there is nothing to compare.")
	require.NotContains(t, verdict, "fastest")
	require.Contains(t, p.text("gpuTable"), "cannot run")

	// A measurement that is cancelled after its first row has no results, and the page still works, even if the
	// browser reports the lost GPU late: the script delays that by half a second.
	p.get(`(() => {
		const {get} = Object.getOwnPropertyDescriptor(GPUDevice.prototype, 'lost');
		Object.defineProperty(GPUDevice.prototype, 'lost', {get() { return get.call(this).then(lost => new Promise(done => setTimeout(() => done(lost), 500))); }});
	})()`)
	p.get(`new MutationObserver((_, o) => { if (document.querySelector('#gpuTable td')) { o.disconnect(); document.getElementById('cancel').click(); } }).observe(document.getElementById('gpuTable'), {childList: true})`)
	rows, verdict = p.onGPU()
	require.Empty(t, rows)
	require.Equal(t, "Cancelled.", verdict)
	p.choose("strategy", "warp")
	p.until(`document.getElementById('nameLeft').textContent === 'warp'`)

	// Any other change of the page cancels a measurement.
	p.get(`new MutationObserver((_, o) => { if (document.querySelector('#gpuTable td')) { o.disconnect(); const s = document.getElementById('strategy'); s.value = 'hash'; s.dispatchEvent(new Event('change')); } }).observe(document.getElementById('gpuTable'), {childList: true})`)
	_, verdict = p.onGPU()
	require.Equal(t, "Cancelled.", verdict)
	p.until(`document.getElementById('nameLeft').textContent === 'hash'`)

	// A measurement can also be cancelled before the browser has found the GPU.
	p.get(`(() => {
		const look = GPU.prototype.requestAdapter;
		GPU.prototype.requestAdapter = function(...of) { GPU.prototype.requestAdapter = look; document.getElementById('cancel').click(); return look.call(this, ...of); };
	})()`)
	_, verdict = p.onGPU()
	require.Equal(t, "Cancelled.", verdict)
	require.Equal(t, "0", p.get(`document.querySelectorAll('#gpuTable tr').length`))

	p.get(`(window.limit = Object.getOwnPropertyDescriptor(GPUSupportedLimits.prototype, 'maxBufferSize'), Object.defineProperty(GPUSupportedLimits.prototype, 'maxBufferSize', {get: () => 1000}))`)
	_, verdict = p.onGPU()
	require.Equal(t, "The mesh is too large for this GPU: it needs a buffer of 3,840 bytes, and 1,000 are allowed.", verdict)
	p.get(`(Object.defineProperty(GPUSupportedLimits.prototype, 'maxBufferSize', window.limit), GPUDevice.prototype.createQuerySet = function() { this.destroy(); })`)
	_, verdict = p.onGPU()
	require.Equal(t, "The GPU was lost. Device was destroyed.", verdict)
}

// requireNoGPU requires one line that says why the GPU cannot be measured.
func requireNoGPU(p *page) {
	t := p.t
	_, verdict := p.onGPU()
	require.Equal(t, "This browser has WebGPU, but offers no GPU of this machine.", verdict)
	p.get(`Object.defineProperty(navigator, 'gpu', {value: undefined})`)
	_, verdict = p.onGPU()
	require.Equal(t, "This browser has no WebGPU, or it is turned off.", verdict)
	p.get(`Object.defineProperty(window, 'isSecureContext', {value: false})`)
	_, verdict = p.onGPU()
	require.Equal(t, "WebGPU needs a page that comes by https, from this machine, or from a file.", verdict)
	require.Equal(t, "0", p.get(`document.querySelectorAll('#gpuTable tr').length`))
}

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
