package main

import (
	"fmt"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/views"
)

// comparePanel sets the right side of a comparison.
func (a *app) comparePanel() {
	a.label("compare")
	a.choice("##compare", a.Compare.String(), views.CompareNames, func(i int) {
		if a.Compare = views.CompareMode(i); a.Compare == views.CompareBefore {
			a.Compare = views.CompareOff
			a.toggleBefore()
		}
	})
	if a.split() {
		a.label("divider")
		a.slider("##divider", &a.divider, 0, 1, "%.2f", imgui.SliderFlagsNone)
	}
	if a.compares() {
		strategies := reuse.Names()
		a.label("right strategy")
		a.choice("##right strategy", a.Other.Strategy, strategies, func(i int) { a.Other.Strategy = strategies[i] })
		a.label("right lanes")
		a.choice("##right lanes", fmt.Sprint(a.Other.Lanes), views.LanesKnob.Values, func(i int) { a.Other.Lanes = reuse.LaneCounts[i] })
		a.label("right order")
		a.orderChoice("##right order", &a.Other.Order)
		if a.button("swap sides (I)") {
			a.swapSides()
		}
		imgui.SameLine()
	}
	if a.button("all strategies (Tab)") {
		a.allStrategies = !a.allStrategies
	}
}

// swapSides has each side show what the other one does. Limits of batches stay with no
// side, since they are the left's alone.
func (s *state) swapSides() {
	if !s.compares() {
		return
	}
	left := views.OtherSide{Strategy: s.Want.Strategy, Lanes: s.Want.Lanes, Order: s.IndexOrder}
	s.Want, s.IndexOrder, s.Turned = s.Other.Settings(s.Want), s.Other.Order, nil
	s.Other = left
}
