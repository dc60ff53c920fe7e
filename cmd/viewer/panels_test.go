package main

import (
	"image"
	"image/color"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-gl/glfw/v3.3/glfw"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/internal/loading"
	"github.com/shadeonce/shadeonce/internal/views"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/picture"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// Places in the panels at their first positions, in pixels.
const (
	panelValues = 200     // a column that every value crosses
	panelFirst  = 80      // the line of the first value
	panelStep   = 26      // from one to the next
	listFirst   = 80 + 27 // the first entry of the first value's list
	listStep    = 20

	drawsLeft  = 1000 - guiMargin - 420 // in a window of width 1000
	drawsFirst = 153                    // the line of the first draw
	drawsAlone = drawsLeft + 20         // the box, in the line of height drawsFound
	drawsFound = 80
)

// besidePanels is a part of a window of 1000x760 that no panel covers.
var besidePanels = image.Rect(345, 330, 990, 740)

func (d *desktop) click(x, y int) {
	d.t.Helper()
	d.do("mousemove", "--window", d.window, strconv.Itoa(x), strconv.Itoa(y))
	d.do("click", "1")
}

// part is whether two pictures agree wherever in holds.
func agree(a, b *image.RGBA, in image.Rectangle) bool {
	for y := in.Min.Y; y < in.Max.Y; y++ {
		for x := in.Min.X; x < in.Max.X; x++ {
			if a.RGBAAt(x, y) != b.RGBAAt(x, y) {
				return false
			}
		}
	}
	return true
}

func TestPanelsAreClicked(t *testing.T) {
	d := newDesktop(t)
	d.start("--size", "1000x760", "asset:city2")
	d.titled("city", "warp, 32")
	shown := d.settled("the panels are shown", func(img *image.RGBA) bool {
		return img.RGBAAt(panelValues, panelFirst).B > img.RGBAAt(panelValues, panelFirst).R && colorful(img) > changed
	})

	d.step("idle", d.idles)
	d.step("choose a strategy", func() {
		d.click(panelValues, panelFirst)
		d.other("the open list", shown)
		d.click(panelValues-50, listFirst+listStep*slices.Index(reuse.Names(), "hash"))
		d.titled("hash, indexed")
	})
	d.step("choose a view", func() {
		line := panelFirst + panelStep*slices.Index(views.Knobs, &views.ViewKnob)
		d.click(panelValues, line)
		d.click(panelValues-50, line+27+listStep*int(renderer.Batches))
		d.titled("hash, indexed, batches")
	})
	d.step("type a batch limit", func() {
		before := d.settled("at rest", func(*image.RGBA) bool { return true })
		d.click(panelValues-30, panelFirst+panelStep*(len(views.Knobs)+2))
		d.key("ctrl+a", "9", "6", "Return")
		d.settled("other batches are shown", func(img *image.RGBA) bool { return !agree(before, img, besidePanels) })
		d.titled("hash, indexed, batches") // digits and Enter went to the panel alone
	})
	d.step("drags over panels are theirs", func() {
		before := d.settled("at rest", func(*image.RGBA) bool { return true })
		d.do("mousemove", "--window", d.window, "100", "560", "mousedown", "1", "mousemove", "--window", d.window, "110", "590", "mouseup", "1")
		d.settled("the camera stays", func(img *image.RGBA) bool { return agree(before, img, besidePanels) })
	})
	d.step("hide and show", func() {
		d.do("mousemove", "--window", d.window, "700", "500")
		d.key("p")
		d.settled("the panels are gone", func(img *image.RGBA) bool { return img.RGBAAt(60, 200) == background() })
		d.key("p")
		d.settled("the panels are back", func(img *image.RGBA) bool { return img.RGBAAt(60, 200) != background() })
	})
	d.key("q")
	d.end()
}

func background() color.RGBA { return picture.Background }

// The left of the window is the one picture, the right the other.
func TestCompareSplitsTheWindow(t *testing.T) {
	d := newDesktop(t)
	d.start("--panels=false", "--size", "800x600", "--compare", "hash/forsyth", "asset:knot16")
	d.titled("warp, 32", "against hash in forsyth order")
	split := d.settled("the divider is shown", func(img *image.RGBA) bool { return divider(img) == 400 })
	d.key("c")
	d.titled("difference against hash")
	difference := d.other("the difference", split)
	require.Equal(t, -1, divider(difference))
	d.key("c")
	d.titled("warp")
	warp := d.other("no comparison", difference)
	d.key("s")
	d.titled("hash")
	d.key("o", "o")
	d.titled("forsyth order")
	hash := d.other("the other strategy", warp)
	d.key("shift+o", "shift+o", "shift+s")
	d.titled("warp", "original order")
	d.key("c")
	d.titled("against hash in forsyth order")

	for _, x := range []int{400, 600, 150} {
		from := divider(d.settled("the divider is shown", func(img *image.RGBA) bool { return divider(img) > 0 }))
		d.do("mousemove", "--window", d.window, strconv.Itoa(from), "200", "mousedown", "1", "mousemove", "--window", d.window, strconv.Itoa((from+x)/2), "210",
			"mousemove", "--window", d.window, strconv.Itoa(x), "200", "mouseup", "1")
		got := d.settled("the divider follows to "+strconv.Itoa(x), func(img *image.RGBA) bool { return divider(img) == x })
		require.True(t, agree(got, warp, image.Rect(0, 0, x-6, 470)), "left of %d", x)
		require.True(t, agree(got, hash, image.Rect(x+6, 0, 800, 470)), "right of %d", x)
	}
	d.key("shift+c")
	d.titled("against " + nextStrategy("hash"))
	// Faster than it can follow: what is compared may be gone by then.
	d.do("key", "--delay", "5", "c", "s", "l", "c", "k", "v", "u", "c", "shift+c", "o", "c", "c", "k", "l", "c", "shift+s", "c", "c", "k", "k")
	d.until("it still runs", func() bool { return strings.Contains(d.title(), "invocations") })
	d.leave("") // what cannot be compared was said
}

// divider is the column that the window is divided at, -1 for none.
func divider(img *image.RGBA) int {
	for x := 1; x < img.Rect.Dx(); x++ {
		white := 0
		for y := range 100 {
			if img.RGBAAt(x, y) == (color.RGBA{235, 238, 242, 255}) {
				white++
			}
		}
		if white == 100 {
			return x + 1 // it is as wide on both sides
		}
	}
	return -1
}

func TestDrawsAreFoundAndSorted(t *testing.T) {
	scene, err := assets.Make("city2")
	require.NoError(t, err)
	config, err := reuse.Resolve("warp", 32, 0)
	require.NoError(t, err)
	stats, counts := reuse.Analyze(scene, config)
	for i := range scene.Draws {
		scene.Draws[i].Name = map[bool]string{true: "Even draw", false: "odd"}[i%2 == 0]
	}
	p := &plan.Plan{Frame: renderer.Frame{Scene: scene, Reuse: config}}
	var l drawList
	l.follow(&views.Half{Plan: p, Counts: counts})
	sum := inspect.DrawRow{}
	last := l.Rows[l.Shown[0]].Lost()
	for _, i := range l.Shown {
		r := &l.Rows[i]
		sum.Triangles, sum.Referenced, sum.Invocations = sum.Triangles+r.Triangles, sum.Referenced+r.Referenced, sum.Invocations+r.Invocations
		require.LessOrEqual(t, r.Lost(), last, "most lost first")
		last = r.Lost()
	}
	require.Equal(t, inspect.DrawRow{Triangles: stats.Triangles, Referenced: stats.Referenced, Invocations: stats.Invocations}, sum)

	l.Column, l.Descending = drawListStart{sort: "saved"}.column(), true
	l.Arrange()
	saved := 0
	last = l.Rows[l.Shown[0]].Saved()
	for _, i := range l.Shown {
		r := &l.Rows[i]
		require.LessOrEqual(t, r.Saved(), last, "most saved first")
		last, saved = r.Saved(), saved+r.Saved()
	}
	require.Equal(t, stats.Indices-stats.Invocations, saved)
	culled := inspect.DrawRow{Triangles: 2, Invocations: 4, Culled: true}
	require.Zero(t, culled.Saved(), "not known, as its reuse")

	l.Search, l.Column, l.Descending = " EVEN", 0, false
	l.Arrange()
	require.Len(t, l.Shown, (len(scene.Draws)+1)/2)
	require.True(t, slices.IsSorted(l.Shown))
	l.Search = "nothing"
	l.Arrange()
	require.Empty(t, l.Shown)
	// Another plan of the same scene keeps the search, another scene does not.
	l.follow(&views.Half{Plan: &plan.Plan{Frame: p.Frame}, Counts: counts})
	require.Equal(t, "nothing", l.Search)
	other, err := assets.Make("cube")
	require.NoError(t, err)
	_, counts = reuse.Analyze(other, config)
	l.follow(&views.Half{Plan: &plan.Plan{Frame: renderer.Frame{Scene: other, Reuse: config}}, Counts: counts})
	require.Empty(t, l.Search)
	require.Len(t, l.Shown, len(other.Draws))
}

func TestParseOtherFillsInTheLeftSide(t *testing.T) {
	for text, want := range map[string]views.OtherSide{
		"hash":               {Strategy: "hash", Lanes: 32, Order: "original"},
		"hash/forsyth":       {Strategy: "hash", Lanes: 32, Order: "forsyth"},
		"warp//8":            {Strategy: "warp", Lanes: 8, Order: "original"},
		"claim/tipsify/64":   {Strategy: "claim", Lanes: 64, Order: "tipsify"},
		"warp/forsyth+fetch": {Strategy: "warp", Lanes: 32, Order: "forsyth+fetch"},
	} {
		got, err := views.ParseOther(text, start, loading.FileOrder)
		require.NoError(t, err, text)
		require.Equal(t, want, got)
		again, err := views.ParseOther(got.String(), start, loading.FileOrder)
		require.NoError(t, err)
		require.Equal(t, want, again)
	}
	for _, text := range []string{"", "x", "hash/x", "hash/forsyth/5", "hash/forsyth/x", "hash/forsyth/8/9"} {
		_, err := views.ParseOther(text, start, loading.FileOrder)
		require.Error(t, err, text)
	}
}

func TestDraggingTheDividerLeavesTheCamera(t *testing.T) {
	s := newState(t, 1)
	home := s.Camera
	s.drag.kind, s.drag.button = dividerDrag, glfw.MouseButtonLeft
	s.cursor(300, 300, 500)
	require.Equal(t, home, s.Camera)
	s.press(glfw.MouseButtonLeft, false, 0)
	require.Equal(t, noDrag, s.drag.kind)
}

func TestOneDrawIsShownAlone(t *testing.T) {
	scene, err := assets.Make("city2")
	require.NoError(t, err)
	scene.Draws[1].IndexCount = 0
	var v views.Views
	require.Same(t, scene, v.Part(scene, 0))
	one := v.Part(scene, 3)
	require.Equal(t, scene.Draws[2:3], one.Draws)
	require.Same(t, one, v.Part(scene, 3), "kept, so that it is uploaded once")
	require.Nil(t, v.Part(nil, 3))
	for alone := range 9 {
		v.Part(scene, alone)
	}
	require.Len(t, v.Singles, views.KeptSingles)
	require.NoError(t, views.CheckAlone(scene, 0))
	require.NoError(t, views.CheckAlone(scene, len(scene.Draws)))
	require.ErrorContains(t, views.CheckAlone(scene, len(scene.Draws)+1), "there are draws 0 to ")
	require.ErrorContains(t, views.CheckAlone(scene, 2), "draws nothing")
}

func TestADrawIsChosenInTheList(t *testing.T) {
	d := newDesktop(t)
	d.start("--size", "1000x760", "asset:city2")
	d.titled("city2 | warp", "752 invocations")
	whole := d.settled("the city is shown", func(img *image.RGBA) bool { return colorful(img) > changed })
	d.click(drawsLeft+60, drawsFirst) // the first line: what wastes most
	d.other("looking at one draw", whole)
	d.click(drawsAlone, drawsFound)
	d.until("one draw is shown", func() bool { return !strings.Contains(d.title(), "752 invocations") })
	d.click(drawsAlone, drawsFound)
	d.titled("752 invocations")
	// Typed words go into the search, not to the keys.
	d.click(drawsLeft+200, 53)
	d.key("s", "v")
	d.titled("warp, 32", "counts")
	d.key("Escape")
	d.do("mousemove", "--window", d.window, "500", "740")
	d.click(500, 740)
	d.key("v")
	d.titled("batches")
	d.key("q")
	d.end()
}
