package main

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/renderer/picture"
)

// differing is the share of pixels above the legend in which pictures of one
// size differ.
func differing(a, b *image.RGBA) float64 {
	if a.Bounds() != b.Bounds() {
		return 1
	}
	area := above(a)
	n := 0
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			if a.RGBAAt(x, y) != b.RGBAAt(x, y) {
				n++
			}
		}
	}
	return float64(n) / float64(area.Dx()*area.Dy())
}

// above is the part of a window that the legend never covers.
func above(img *image.RGBA) image.Rectangle {
	b := img.Bounds()
	b.Max.Y -= 130
	return b
}

// colorful is the share of pixels above the legend with a colour of the scale.
func colorful(img *image.RGBA) float64 {
	area := above(img)
	n := 0
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			c := img.RGBAAt(x, y)
			if max(c.R, c.G, c.B)-min(c.R, c.G, c.B) > 40 {
				n++
			}
		}
	}
	return float64(n) / float64(area.Dx()*area.Dy())
}

// swatches reports whether the legend shows the scale: its six colours, in order,
// on one line in the lower left corner.
func swatches(img *image.RGBA) bool {
	for y := above(img).Max.Y; y < img.Bounds().Max.Y; y++ {
		next := 0
		for x := 0; x < min(300, img.Bounds().Max.X) && next < len(picture.Heat); x++ {
			if img.RGBAAt(x, y) == picture.Heat[next] {
				next++
			}
		}
		if next == len(picture.Heat) {
			return true
		}
	}
	return false
}

const changed = 0.01 // the share of pixels that a change must at least touch

// other waits for a picture that differs from one.
func (d *desktop) other(what string, from *image.RGBA) *image.RGBA {
	d.t.Helper()
	return d.settled(what+" changes the picture", func(img *image.RGBA) bool { return differing(from, img) > changed })
}

// same waits for a picture that is equal to one, the legend included.
func (d *desktop) same(what string, as *image.RGBA) {
	d.t.Helper()
	d.settled(what+" brings the picture back", func(img *image.RGBA) bool { return bytes.Equal(as.Pix, img.Pix) })
}

func TestViewerOnADisplay(t *testing.T) {
	d := newDesktop(t)
	d.start("--panels=false", "--size", "800x600", "asset:knot16", "asset:cube")
	d.titled("knot16 | warp, 32", "indexed", "counts", "reuse", "ms", "fps")
	first := d.settled("the heatmap is shown", func(img *image.RGBA) bool { return colorful(img) > changed && swatches(img) })
	require.Equal(t, image.Pt(800, 600), first.Bounds().Size())

	d.step("keys", func() { d.keys(first) })
	d.step("pointer", func() { d.pointer(first) })
	d.step("camera and undo", func() { d.cameraAndUndo(first) })
	d.step("idle", d.idles)
	d.step("screenshots", func() { d.screenshots(first) })
	d.step("resize", func() { d.resize(first) })
	d.step("files", func() {
		d.key("Right")
		d.titled("cube | warp", "original order")
		d.key("o", "o")
		d.titled("cube | warp", "forsyth order")
		d.key("shift+o", "shift+o")
		d.titled("cube | warp", "original order")
		d.key("Left")
		d.titled("knot16 | warp")
	})
	d.key("q")
	d.end()
}

// nextStrategy is what the key S turns to.
func nextStrategy(name string) string {
	names := reuse.Names()
	return names[(slices.Index(names, name)+1)%len(names)]
}

// keys steps through the settings; each comes back to the first picture.
func (d *desktop) keys(first *image.RGBA) {
	d.key("s")
	d.titled(nextStrategy("warp") + ", ")
	d.other("another strategy", first)
	d.key("shift+s")
	d.titled("warp")
	d.same("the first strategy", first)

	d.key("v")
	d.titled("batches")
	batches := d.other("another view", first)
	d.key("v")
	d.titled("shaded")
	shaded := d.settled("the shaded view is shown", func(img *image.RGBA) bool { return differing(batches, img) > changed })
	require.Greater(d.t, differing(first, shaded), changed, "shaded against counts")
	require.False(d.t, swatches(shaded), "the scale belongs to the counts view")
	d.key("v")
	d.titled("counts")
	d.same("the first view", first)

	d.key("l")
	d.titled("64 ")
	d.other("another lane count", first)
	d.key("shift+l")
	d.titled("32 ")
	d.same("the first lane count", first)

	d.key("u")
	d.titled("expanded")
	d.same("the other queue form", first) // which must not change a pixel
	d.key("u")
	d.titled("indexed")

	d.key("o")
	d.titled("random order")
	d.other("another index order", first)
	d.key("shift+o")
	d.titled("original order")
	d.same("the first index order", first)

	// Pictures of the compute rasterizer are not the window's to copy as they are.
	d.key("r")
	d.titled("raster:small")
	near := func(img *image.RGBA) bool { return differing(first, img) < 0.01 }
	computed := d.settled("the compute rasterizer draws", near)
	d.key("7")
	top := d.other("the view from the top", computed)
	d.key("Return")
	d.same("Enter", computed)
	require.Greater(d.t, differing(computed, top), changed)
	d.key("r")
	d.titled("fused:")
	d.same("the fused rasterizer", computed)
	d.key("r")
	d.titled("raster:hardware")
	d.same("the hardware rasterizer", first)

	d.key("h")
	d.other("help", first)
	d.key("h")
	d.same("no help", first)
}

// pointer drags and zooms, and resets.
func (d *desktop) pointer(first *image.RGBA) {
	drag := func(button string) {
		d.do("mousemove", "--window", d.window, "400", "250", "mousedown", button,
			"mousemove", "--window", d.window, "480", "290", "mousemove", "--window", d.window, "520", "310", "mouseup", button)
	}
	back := func() {
		d.key("Return")
		d.same("Enter", first)
	}
	drag("1")
	orbited := d.other("orbiting", first)
	back()
	d.do("keydown", "shift")
	drag("1")
	d.do("keyup", "shift")
	panned := d.other("panning", first)
	require.Greater(d.t, differing(orbited, panned), changed, "pan against orbit")
	back()
	drag("2")
	d.settled("the middle button pans alike", func(img *image.RGBA) bool { return bytes.Equal(panned.Pix, img.Pix) })
	back()
	d.do("click", "--repeat", "4", "4")
	zoomed := d.other("the wheel", first)
	require.Greater(d.t, colorful(zoomed), colorful(first), "the wheel zooms in")
	back()
	d.key("7")
	top := d.other("the view from the top", first)
	d.key("5")
	d.other("the parallel projection", top)
	back()
}

// cameraAndUndo turns about a point, fills the screen, and takes settings back.
func (d *desktop) cameraAndUndo(first *image.RGBA) {
	d.do("mousemove", "--window", d.window, "330", "330", "click", "--repeat", "2", "--delay", "40", "1")
	d.other("a double click", first)
	d.key("Return")
	d.same("Enter", first)
	d.do("mousemove", "--window", d.window, "400", "250", "mousedown", "3", "mousemove", "--window", d.window, "400", "200",
		"mousemove", "--window", d.window, "400", "150", "mouseup", "3")
	nearer := d.other("a drag with the right button", first)
	require.Greater(d.t, colorful(nearer), colorful(first), "it zooms in")
	d.key("Return", "z")
	d.other("another axis up", first)
	d.key("z", "z", "z", "z", "z")
	d.same("the first axis", first)

	d.key("F11")
	d.settled("the picture fills the screen", func(img *image.RGBA) bool { return img.Rect.Size() == image.Pt(1280, 1024) && colorful(img) > changed })
	d.key("F11")
	d.same("the window", first)
	d.key("s", "v")
	d.titled(nextStrategy("warp")+", ", "batches")
	d.key("ctrl+z", "ctrl+z")
	d.titled("warp, ", "counts")
	d.key("ctrl+shift+z")
	d.titled(nextStrategy("warp")+", ", "counts")
	d.key("ctrl+z")
	d.titled("warp, ", "counts")
	d.same("undoing", first)
}

// screenshots compares files with the screen.
func (d *desktop) screenshots(first *image.RGBA) {
	const name = "knot16-warp-32lanes-indexed-counts"
	read := func(file string) image.Image {
		var img image.Image
		d.until(file+" is written", func() bool {
			data, err := os.ReadFile(filepath.Join(d.folder, file))
			if err != nil {
				return false
			}
			img, err = png.Decode(bytes.NewReader(data))
			return err == nil
		})
		return img
	}
	d.key("F12")
	whole := read(name + ".png")
	d.titled("saved " + name + ".png")
	require.Equal(d.t, first.Bounds(), whole.Bounds())
	require.Equal(d.t, first.Pix, whole.(*image.RGBA).Pix, "the screenshot against the screen")

	d.key("ctrl+F12")
	bare := read(name + "-2.png").(*image.RGBA)
	require.Zero(d.t, differing(first, bare))
	require.False(d.t, swatches(bare), "a legend in a screenshot without")
}

// resize changes the window's size and hides it for a while.
func (d *desktop) resize(first *image.RGBA) {
	for _, size := range []image.Point{{500, 700}, {1000, 400}} {
		d.do("windowsize", d.window, strconv.Itoa(size.X), strconv.Itoa(size.Y))
		time.Sleep(2 * resizeRest) // until then the old picture is stretched
		d.settled("the picture fills "+size.String(), func(img *image.RGBA) bool {
			return img.Bounds().Size() == size && colorful(img) > changed && swatches(img)
		})
	}
	// As small as it gets: the legend is left out, and help is cut off.
	d.key("h")
	d.do("windowsize", d.window, "9", "7")
	d.until("the window is small", func() bool { return d.screen().Bounds().Size() == image.Pt(9, 7) })
	d.key("h")
	d.do("windowsize", d.window, "800", "600")
	d.same("the first size", first)

	d.do("windowunmap", "--sync", d.window)
	d.do("windowmap", "--sync", d.window)
	d.focus()
	d.same("showing the hidden window", first)
	d.key("s")
	d.titled(nextStrategy("warp") + ", ")
	d.key("shift+s")
	d.titled("warp")
}

func TestViewerFailsInOneLine(t *testing.T) {
	d := newDesktop(t)
	garbage := filepath.Join(d.folder, "garbage.ply")
	require.NoError(t, os.WriteFile(garbage, []byte("ply\nnot a header\n"), 0o600))
	for name, c := range map[string]struct {
		display string
		args    []string
		status  int
		says    []string
	}{
		"no display":        {"", nil, cli.ExitFailure, []string{"no display", "shadeonce render"}},
		"display not there": {":9999", nil, cli.ExitFailure, []string{"no display", "shadeonce render"}},
		"no driver":         {d.display, nil, cli.ExitFailure, []string{"mesa-vulkan-drivers", "shadeonce doctor", "shadeonce render"}},
		"no such file":      {d.display, []string{"absent.ply"}, cli.ExitFailure, []string{"absent.ply"}},
		"bad file":          {d.display, []string{garbage}, cli.ExitFailure, []string{"garbage.ply"}},
		"bad files":         {d.display, []string{garbage, "asset:nothing"}, cli.ExitFailure, []string{"garbage.ply", "asset:nothing"}},
		"bad device":        {d.display, []string{"--device", "no such device"}, cli.ExitFailure, []string{"no such device"}},
		"bad flag":          {d.display, []string{"--lanes", "5"}, cli.ExitUsage, []string{"5 lanes"}},
	} {
		t.Run(name, func(t *testing.T) {
			var stderr bytes.Buffer
			cmd := d.viewer(c.args...)
			cmd.Env, cmd.Stderr = append(cmd.Env, "DISPLAY="+c.display), &stderr
			if name == "no driver" {
				cmd.Env = append(cmd.Env, "VK_ICD_FILENAMES="+garbage, "VK_DRIVER_FILES="+garbage)
			}
			err := cmd.Run()
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit, stderr.String())
			require.Equal(t, c.status, exit.ExitCode(), stderr.String())
			require.Equal(t, 1, strings.Count(stderr.String(), "\n"), stderr.String())
			for _, text := range c.says {
				require.Contains(t, stderr.String(), text)
			}
		})
	}
}

func TestFramesAreTimed(t *testing.T) {
	d := newDesktop(t)
	out, err := d.viewer("--frames", "5", "--size", "320x240", "asset:cube").CombinedOutput()
	require.NoError(t, err, string(out))
	require.Regexp(t, `^5 frames: median [0-9.]+ ms/frame .*\n$`, string(out))
}
