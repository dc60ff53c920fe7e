package main

import (
	"image"

	"github.com/shadeonce/shadeonce/renderer/picture"
	"github.com/shadeonce/shadeonce/renderer/present"
)

// overlays places the panels that there are: the legend in the lower left corner
// where the window can hold it, that of the right side in the lower right, and
// help in the upper left. All are already enlarged by scale.
func (a *app) overlays(help *image.RGBA, window image.Point, scale int) []present.Overlay {
	margin := picture.PanelMargin * scale
	var list []present.Overlay
	place := func(legend *image.RGBA, left, room int) {
		if at := image.Pt(left, window.Y-margin-legend.Bounds().Dy()); at.Y >= 0 && legend.Bounds().Dx() <= room {
			list = append(list, present.Overlay{Panel: legend, At: at})
		}
	}
	if a.legend != nil {
		place(a.legend, margin, window.X-margin)
	}
	if right := a.rightLegend; right != nil && a.split() {
		left := window.X - margin - right.Bounds().Dx()
		place(right, left, left) // not where it would cover the left one
	}
	if help != nil {
		list = append(list, present.Overlay{Panel: help, At: image.Pt(margin, margin)})
	}
	return list
}
