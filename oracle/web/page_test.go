package web

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/report"
)

// counted returns the counts of geometry/reuse, by vertex of the file.
func counted(t *testing.T, s *geometry.Scene, strategy, indexOrder string) []uint32 {
	ordered := must.Get(order.Apply(t.Context(), s, indexOrder))
	_, counts := must.Get2(reuse.Analyze(ordered, must.Get(reuse.Resolve(strategy, 0, 0))))
	match := geometry.MatchVertices(s, ordered)
	return match.Counts(counts)
}

// columns returns the counts of the page's CSV: one list per side.
func columns(t *testing.T, data []byte) (titles []string, counts [][]uint32) {
	rows := must.Get(csv.NewReader(bytes.NewReader(data)).ReadAll())
	titles = rows[0][2:]
	counts = make([][]uint32, len(titles))
	for _, row := range rows[1:] {
		for i, cell := range row[2:] {
			counts[i] = append(counts[i], uint32(must.Get(strconv.Atoi(cell))))
		}
	}
	return titles, counts
}

// TestCountsEqualNative compares the page's counts and table with those of the same code run natively.
func TestCountsEqualNative(t *testing.T) {
	p := open(t, "#scene=asset:city4&strategy=hash&order=tipsify%2Bfetch&with=warp&withorder=forsyth")
	scene := must.Get(assets.Make("city4"))
	_, data := p.save("csv")
	titles, counts := columns(t, data)
	require.Equal(t, []string{"hash, tipsify+fetch", "warp, forsyth"}, titles)
	require.Equal(t, counted(t, scene, "hash", "tipsify+fetch"), counts[0])
	require.Equal(t, counted(t, scene, "warp", "forsyth"), counts[1])

	_, data = p.save("tableCsv")
	rows := must.Get(csv.NewReader(bytes.NewReader(data)).ReadAll())
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	ordered, seen := must.Get(order.Apply(t.Context(), scene, "tipsify+fetch")), map[string]bool{}
	for _, row := range rows[1:] {
		if row[column["Order"]] != "tipsify+fetch" {
			continue
		}
		name := row[column["Strategy"]]
		st, _ := must.Get2(reuse.Summarize(ordered, must.Get(reuse.Resolve(name, 0, 0))))
		seen[name] = true
		require.Equal(t, strconv.Itoa(st.Invocations), row[column["Invocations"]], name)
		require.Equal(t, strings.Trim(fmt.Sprint(st.Histogram), "[]"), row[column["Histogram"]], name)
	}
	require.Len(t, seen, len(reuse.Strategies))
	require.Contains(t, p.text("table"), "meshlet")
	p.until(`document.querySelector('.over > #table') && getComputedStyle(document.querySelector('.over + .more')).display === 'block'`)
	require.Equal(t, strconv.Itoa(len(scene.Draws)), strings.Fields(strings.Split(p.text("about"), "vertices, ")[1])[0])
}

// TestFirstPictureNeedsNoWorker compares two pages: one has prepared answers but no WebAssembly, the other computes
// all answers in WebAssembly.
func TestFirstPictureNeedsNoWorker(t *testing.T) {
	needPage(t)
	text := string(must.Get(os.ReadFile(filepath.Join(dist, "index.html"))))
	without := func(before, after string) *page {
		from := strings.Index(text, before) + len(before)
		require.Greater(t, from, len(before))
		path := filepath.Join(t.TempDir(), "index.html")
		require.NoError(t, os.WriteFile(path, []byte(text[:from]+text[from+strings.Index(text[from:], after):]), 0o600))
		return openAt(t, "file://"+path, "")
	}
	stored, counted := without(`id="program">`, "</script>"), without(`"answers":{`, `},"path"`)
	require.Equal(t, "asset:terrain64", stored.get(`document.getElementById('scene').value`))
	for _, id := range []string{"csv", "tableCsv", "png"} {
		_, first := stored.save(id)
		_, second := counted.save(id)
		require.True(t, bytes.Equal(first, second), id)
	}
	require.Equal(t, stored.text("about"), counted.text("about"))
	require.Equal(t, stored.text("legend"), counted.text("legend"))
	require.Contains(t, stored.text("table"), "meshlet")
	require.Equal(t, "true", counted.get(`document.getElementById('message').hidden`))
	stored.until(`document.getElementById('message').textContent.startsWith('What reads and counts did not start: ')`)
	before := stored.text("legend")
	stored.choose("strategy", "warp")
	stored.until(`document.body.dataset.state === 'ready'`)
	require.Equal(t, before, stored.text("legend"))
	require.Equal(t, "claim", stored.get(`document.getElementById('strategy').value`))
}

// TestDroppedFiles drops an OBJ with its material library, saves it in an order, and then drops a
// file that is no mesh: the picture stays.
func TestDroppedFiles(t *testing.T) {
	folder := t.TempDir()
	scene := must.Get(assets.Make("sphere3"))
	obj, want := filepath.Join(folder, "ball.obj"), filepath.Join(folder, "want.glb")
	require.NoError(t, format.Save(t.Context(), obj, scene))
	text := must.Get(os.ReadFile(obj))
	require.NoError(t, os.WriteFile(obj, append([]byte("mtllib ball.mtl\nusemtl red\n"), text...), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "ball.mtl"), []byte("newmtl red\nKd 1 0 0\n"), 0o600))

	p := open(t, "#scene=asset:triangle&mode=one")
	p.drop(filepath.Join(folder, "ball.mtl"), obj)
	require.Contains(t, p.text("about"), "ball.obj: 1,280 triangles")
	read := must.Get(format.Readers(nil).Looks(false).Open(t.Context(), obj))
	_, data := p.save("csv")
	_, counts := columns(t, data)
	require.Equal(t, counted(t, read, "claim", "original"), counts[0])

	p.choose("order", "forsyth")
	p.ready()
	name, glb := p.save("glb")
	require.Equal(t, "ball-forsyth.glb", name)
	require.NoError(t, format.Save(t.Context(), want, must.Get(order.Apply(t.Context(), read, "forsyth"))))
	require.Equal(t, must.Get(os.ReadFile(want)), glb)
	require.Contains(t, string(glb), `"baseColorFactor":[1,0,0,1]`, "the material of the other file")

	before := p.text("legend")
	bad := filepath.Join(folder, "bad.obj")
	require.NoError(t, os.WriteFile(bad, []byte("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n"), 0o600))
	_, err := format.Open(t.Context(), bad)
	p.drop(bad)
	require.Equal(t, strings.ReplaceAll(err.Error(), folder+"/", ""), p.text("message"))
	require.Equal(t, before, p.text("legend"))
	require.Contains(t, p.text("about"), "ball.obj")
}

// TestFromAFile opens the page from the disk, without a server, selects by keys and follows a link.
func TestFromAFile(t *testing.T) {
	p := openAt(t, "file://"+must.Get(filepath.Abs(dist))+"/index.html", "#scene=asset:sphere2&mode=one&strategy=warp")
	p.run(chromedp.Focus("#canvas", chromedp.ByQuery), chromedp.KeyEvent("\r"))
	p.until(`document.getElementById('picked').textContent.includes('warp')`)
	var draw, vertex, times int
	picked := p.text("picked")
	scene := must.Get(assets.Make("sphere2"))
	must.Get(fmt.Sscanf(picked, "Vertex %d", &vertex))
	times = int(counted(t, scene, "warp", "original")[vertex])
	require.Contains(t, picked, map[bool]string{true: "shaded once, in batch", false: fmt.Sprintf("shaded %d times, in batch", times)}[times == 1], draw)

	p.run(chromedp.KeyEvent("+"), chromedp.KeyEvent("+"))
	p.until(`location.hash.includes('camera=')`)
	link := p.get(`location.hash`)
	again := openAt(t, p.url, link)
	again.until(`document.getElementById('picked').textContent.includes('warp')`)
	require.Equal(t, picked, again.text("picked"))
	require.Equal(t, link, again.get(`location.hash`))
	_, first := p.save("png")
	_, second := again.save("png")
	require.True(t, bytes.Equal(first, second), "the link shows the same picture")
}

// TestSplitAndDifference checks colours on both sides of the divider, and the difference's legend. Its browser offers no
// GPU.
func TestSplitAndDifference(t *testing.T) {
	p := open(t, "#scene=asset:grid&strategy=multi&with=naive-index&divider=0.3")
	reds := func() (left, right int) {
		_, data := p.save("png")
		img := must.Get(png.Decode(bytes.NewReader(data)))
		size := img.Bounds()
		for y := size.Min.Y; y < size.Max.Y*2/3; y++ { // above the legend
			for x := size.Min.X; x < size.Max.X; x++ {
				if r, g, _, _ := img.At(x, y).RGBA(); r > 0x3000 && g < r/4 {
					if x < size.Max.X*3/10 {
						left++
					} else {
						right++
					}
				}
			}
		}
		return left, right
	}
	left, right := reds()
	require.Zero(t, left, "multi shades no vertex six times")
	require.Greater(t, right, 1000)
	require.Equal(t, "30", p.get(`document.getElementById('divider').getAttribute('aria-valuenow')`))
	p.run(chromedp.Focus("#divider", chromedp.ByQuery), chromedp.KeyEvent(kb.End))
	p.until(`location.hash.includes('divider=1')`)
	left, right = reds()
	require.Zero(t, left+right)

	requireNoGPU(p)
	p.choose("mode", "difference")
	p.ready()
	require.Contains(t, p.text("nameLeft"), "naive-index against multi")
	scene, twice := must.Get(assets.Make("grid")), 0
	a, b := counted(t, scene, "multi", "original"), counted(t, scene, "naive-index", "original")
	for v := range a {
		if b[v] >= a[v]+2 {
			twice++
		}
	}
	require.Contains(t, p.text("legend"), fmt.Sprintf("+2..%.1f %%", 100*float64(twice)/float64(len(a))))
}

// TestCancel cancels an order that takes seconds: the page shows what it showed before, and keeps working. While
// its picture has fewer triangles than the mesh, the page says so.
func TestCancel(t *testing.T) {
	p := open(t, "#scene=asset:triangle&mode=one")
	p.get(`(() => { const hint = document.getElementById('reduced'); window.hints = [];
		new MutationObserver(() => hints.push(!hint.hidden)).observe(hint, {attributes: true}); })()`)
	p.get(`location.hash = 'scene=asset:terrain512&mode=one'`)
	p.until(`document.getElementById('about').textContent.includes('terrain512')`)
	p.ready()
	p.until(`hints.at(-1) === false`)
	require.Equal(t, "true", p.get(`hints.includes(true)`), "the first picture of so many triangles is reduced")
	p.choose("order", "hoppe")
	p.until(`!document.getElementById('work').hidden`)
	p.get(`document.getElementById('cancel').click()`)
	p.until(`document.body.dataset.state === 'ready'`)
	require.Equal(t, "Cancelled.", p.text("message"))
	require.Equal(t, "original", p.get(`document.getElementById('order').value`))
	require.Equal(t, "claim", p.text("nameLeft"))
	p.choose("strategy", "hash")
	p.until(`document.getElementById('nameLeft').textContent === 'hash'`)
	_, data := p.save("csv")
	_, counts := columns(t, data)
	require.Equal(t, counted(t, must.Get(assets.Make("terrain512")), "hash", "original"), counts[0])
}

// pixelsOf is a function in JavaScript: the RGBA bytes of a canvas, row by row.
const pixelsOf = `(canvas => {
	const {width, height} = canvas, c = new OffscreenCanvas(width, height).getContext('2d');
	c.drawImage(canvas, 0, 0);
	return c.getImageData(0, 0, width, height).data;
})`

// TestComponent shows counts in a separate page, without a server.
func TestComponent(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "index.html"), []byte(`<!doctype html><body data-state="ready"><p id="message">
<div id="heat" style="width: 400px; height: 300px"></div><script src="`+must.Get(filepath.Abs(dist))+`/component.js"></script>
<script>const view = shadeonceHeatmap(document.getElementById('heat'), {positions: [0,0,0, 4,0,0, 0,4,0], indices: [0,1,2], counts: [1,6,1], right: [6,6,6], name: 'a'});
view.place = [0, 0, 3, 0, 0, 0]; view.drawNow()</script>`), 0o600))
	p := openAt(t, "file://"+folder+"/index.html", "")
	color := func(x, y int) string {
		return p.get(fmt.Sprintf(`(() => { view.drawNow(); const [r, g] = %s(view.canvas).slice(4 * (%d * view.canvas.width + %d));
			return g > 2 * r ? 'green' : r > 5 * g ? 'red' : r + ' ' + g; })()`, pixelsOf, y, x))
	}
	require.Equal(t, "green", color(120, 230))
	require.Equal(t, "red", color(210, 200), "the right side")
	p.get("view.divider = 1")
	require.Equal(t, "green", color(120, 100))
	require.Equal(t, "red", color(260, 240), "the vertex that is shaded six times")
	require.Equal(t, "1", p.get("view.pick(260, 240).vertex"))
	require.Equal(t, "null", p.get("view.pick(390, 10)"))
	const narrower = "(heat.style.width = view.canvas.clientWidth / 3 + 'px', view.drawNow(), String(view.place))"
	require.Equal(t, p.get("String(view.place)"), p.get(narrower), "a camera that was moved stays")
	p.get("(heat.style.width = '400px', view.drawNow(), view.resetCamera())")
	require.Equal(t, p.get(narrower), p.get("(view.resetCamera(), String(view.place))"), "one that was not sees all of the mesh")
	for _, up := range []string{"y", "z"} {
		require.Less(t, must.Get(strconv.ParseFloat(p.get(`(() => {
			view.upAxis = '`+up+`'; view.resetCamera(); view.drawNow();
			const {width, clientWidth} = view.canvas, pixels = `+pixelsOf+`(view.canvas), scale = width / clientWidth, xs = [], ys = [];
			for (let i = 0; i < pixels.length; i += 4) if ([0, 1, 2].some(k => pixels[i + k] !== pixels[k])) xs.push(i / 4 % width), ys.push(Math.floor(i / 4 / width));
			const ends = list => [list.reduce((a, b) => Math.min(a, b)), list.reduce((a, b) => Math.max(a, b))];
			const corners = [0, 1, 2].map(v => view.project(v).map(at => at * scale));
			const drawn = [...ends(xs), ...ends(ys)], placed = [...ends(corners.map(at => at[0])), ...ends(corners.map(at => at[1]))];
			return String(Math.max(...drawn.map((at, k) => Math.abs(at - placed[k]))));
		})()`), 64)), 3.0, "corners are where they are drawn, with %s up", up)
	}
}

// TestMovingPictures makes the view treat every frame as slow. A moving picture then has few triangles, which cover
// about the area of the whole mesh; the picture at rest equals that of all triangles, byte for byte.
func TestMovingPictures(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "index.html"), []byte(`<!doctype html><body data-state="ready"><p id="message">
<div id="heat" style="width: 400px; height: 300px"></div><script src="`+must.Get(filepath.Abs(dist))+`/component.js"></script>
<script>
const positions = [], indices = [], side = 120;
const vertex = (x, y, z) => positions.push(x, y, z) / 3 - 1;
for (let y = 0; y <= side; y++) for (let x = 0; x <= side; x++) vertex(x / side, 0.1 * Math.sin(x / 9), y / side);
for (let y = 0; y < side; y++) for (let x = 0; x < side; x++) {
	const a = y * (side + 1) + x, b = a + side + 1;
	indices.push(a, b, a + 1, a + 1, b, b + 1);
}
for (let k = 0; k < 60000; k++) { // alone, and several in a cell
	const [x, y, z] = [1.2 + k % 30 / 30, Math.floor(k / 30) % 10 / 10, Math.floor(k / 300) / 200], d = 0.004;
	indices.push(vertex(x, y, z), vertex(x + d, y, z), vertex(x, y + d, z));
}
indices.push(vertex(-1, 0, 0), vertex(-0.1, 0, 0), vertex(-0.1, 0, 1)); // one large triangle
const counts = Array.from({length: positions.length / 3}, (_, v) => v % 7);
const view = shadeonceHeatmap(document.getElementById('heat'), {positions, indices, counts, right: counts.map(c => c + 1)});
const shot = () => `+pixelsOf+`(view.canvas);
// The area, at the mesh's scale, of the triangles whose first corner has an x from one value to below another.
const area = ({geometry}, from, to) => {
	const p = geometry.getAttribute('position').array, {radius, middle} = view;
	let sum = 0;
	for (let k = 0; k < p.length; k += 9) {
		const x = p[k] * radius + middle[0], [a, b, c, d, e, f] = [3, 4, 5, 6, 7, 8].map(i => radius * (p[k + i] - p[k + i % 3]));
		if (x >= from && x < to) sum += Math.hypot(b * f - c * e, c * d - a * f, a * e - b * d) / 2;
	}
	return sum;
};
const same = (a, b) => a.every((x, k) => x === b[k]);
let ends = 0, end = null;
view.drawn = () => { if (!view.reduced) end = shot(), ends++; };
view.slowAbove = 0;
const turn = (x, y, z) => { view.place = [x, y, z, 0, 0, 0]; view.drawNow(); };
</script>`), 0o600))
	p := openAt(t, "file://"+folder+"/index.html", "")
	p.until("view.took > 0")
	whole := p.get("view.indices.length / 3")
	p.get("(turn(0, 2.5, 0.1), window.few = shot())")
	require.Equal(t, "true", p.get("view.reduced"))
	require.Equal(t, "88801 true", whole+" "+p.get("view.renderer.info.render.triangles <= 15000"))
	p.until("!view.reduced")
	require.Equal(t, whole, p.get("view.mesh.geometry.drawRange.count === Infinity ? view.indices.length / 3 : 0"))
	p.get("(window.rested = end, view.drawWhole())")
	require.Equal(t, "true", p.get("same(rested, end)"), "drawn in parts and at once")
	require.Equal(t, whole, p.get("view.renderer.info.render.triangles"))
	require.Equal(t, "false", p.get("same(few, end)"))
	for _, part := range []string{"-2, -0.01", "-0.01, 1.1", "1.1, 3"} { // the large triangle, the grid, small triangles
		share := must.Get(strconv.ParseFloat(p.get("area(view.coarse, "+part+") / area(view.mesh, "+part+")"), 64))
		require.InDelta(t, 1, share, 0.25, part)
	}

	// A movement ends the drawing of parts, however many there are.
	p.get("(view.part = 1000, turn(1, 2, 1))")
	p.until("view.end")
	p.get("(window.before = ends, turn(0.5, 2, 1.5))")
	require.Equal(t, "true null", p.get("view.reduced + ' ' + view.end"))
	p.until("!view.reduced")
	require.Equal(t, "1", p.get("ends - before"))
	p.get("(window.rested = end, view.drawWhole())")
	require.Equal(t, "true", p.get("same(rested, end)"))
	require.Equal(t, "null", p.get("view.pick(1, 1)"))
}

// TestReportsHaveTheComponent: reports embed the component as it is built here, and a report's page shows it.
func TestReportsHaveTheComponent(t *testing.T) {
	needPage(t)
	require.Equal(t, string(must.Get(os.ReadFile(filepath.Join(dist, "component.js")))), string(must.Get(os.ReadFile("../../internal/report/heatmap.js"))),
		"copy web/dist/component.js to internal/report/heatmap.js")
	files := must.Get((&report.Report{Heatmaps: []report.Heatmap{{
		Scene: "a", Positions: []float32{0, 0, 0, 4, 0, 0, 0, 4, 0}, Indices: []uint32{0, 1, 2}, Counts: [2][]uint32{{1, 6, 1}, {6, 6, 6}},
	}}}).Files())
	require.Equal(t, report.PageName, files[0].Name)
	text := strings.Replace(string(files[0].Data), "<body>", `<body data-state="ready"><p id="message"></p>`, 1)
	path := filepath.Join(t.TempDir(), "index.html")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	p := openAt(t, "file://"+path, "")
	require.Equal(t, "1", p.get("document.querySelectorAll('.heatmap canvas').length"))
	require.Equal(t, "true", p.get("document.querySelector('.heatmap canvas').height > 100"))
	// The divider between the sides is dragged, and moved by keys.
	box := strings.Fields(p.get("(() => { const e = document.querySelector('.heatmap'); e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect(); return [b.left, b.top + b.height / 2, b.width].join(' ') })()"))
	left, y, width := must.Get(strconv.ParseFloat(box[0], 64)), must.Get(strconv.ParseFloat(box[1], 64)), must.Get(strconv.ParseFloat(box[2], 64))
	now := func() string {
		return p.get("document.querySelector('.heatmap .divider').getAttribute('aria-valuenow')")
	}
	require.Equal(t, "50", now())
	mouse := func(kind input.MouseType, x float64) chromedp.Action {
		return chromedp.MouseEvent(kind, x, y, chromedp.ButtonLeft)
	}
	p.run(mouse(input.MousePressed, left+width/2), mouse(input.MouseMoved, left+width/4), mouse(input.MouseReleased, left+width/4))
	require.Equal(t, "25", now())
	p.run(chromedp.Focus(".heatmap .divider", chromedp.ByQuery), chromedp.KeyEvent(kb.ArrowRight))
	require.Equal(t, "27", now())
	require.Empty(t, p.get("document.querySelector('.heatmap').textContent"))
}
