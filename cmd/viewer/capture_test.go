package main

import (
	"image"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/internal/shareddata"
)

// A capture as a user comes to it: open it, find the draw that wastes most, look
// at it alone, and save the picture that proves it. The picture leads back.
func TestTheDrawThatWastesMostIsFound(t *testing.T) {
	file := shareddata.Path(t, "captures", "oa.geo.zip.xml.zst")
	scene, err := cli.OpenScene(t.Context(), file)
	require.NoError(t, err)
	config, err := start.Config()
	require.NoError(t, err)
	worst := worstDraw(scene, config)

	d := newDesktop(t)
	d.start("--size", "1000x760", file)
	d.titled("oa.geo.zip.xml.zst | warp")
	d.settled("the draws are listed", func(img *image.RGBA) bool { return img.RGBAAt(drawsLeft+250, 24) != background() })
	all := d.title()
	d.click(drawsLeft+60, drawsFirst)
	d.click(drawsAlone, drawsFound)
	name := "oa-warp-32lanes-indexed-counts-draw" + worst
	d.until("one draw is shown alone", func() bool { return invocations(d.title()) != invocations(all) })
	alone := d.title()
	d.key("F12")
	d.titled("saved " + name + ".png")
	require.NotNil(t, d.saved(name+".png"))
	d.leave("")
	d.start("--remember=false", "--from", name+".png")
	d.until("it is shown again", func() bool { return invocations(d.title()) == invocations(alone) })
	d.leave("")
}

// worstDraw is the number of the draw that wastes most; of several the first.
func worstDraw(s *geometry.Scene, c reuse.Config) string {
	_, counts := reuse.Analyze(s, c)
	var worst inspect.DrawRow
	for _, r := range inspect.DrawRows(s, counts, false) {
		if r.Lost() > worst.Lost() {
			worst = r
		}
	}
	return strconv.Itoa(worst.Draw)
}

// invocations is what a title says of them.
func invocations(title string) string {
	before, _, _ := strings.Cut(title, " invocations")
	return before[strings.LastIndexByte(before, ' ')+1:]
}
