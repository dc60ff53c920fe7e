package session

import (
	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry/capture"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/names"
)

// About is what the page offers, from the project's own registries.
type About struct {
	Orders     []string
	Strategies []Strategy
	Lanes      []int
	Scenes     []string // names of built-in scenes
	Extensions []string // of files that are opened
}

// Strategy is one strategy of the registry.
type Strategy struct {
	Name      string
	UsesLanes bool
}

// NewAbout lists what the page offers.
func NewAbout() About {
	a := About{
		Lanes:      reuse.LaneCounts,
		Scenes:     names.Of(assets.All, func(a assets.Asset) string { return a.Name }),
		Extensions: capture.ReadersAlone(nil).Extensions(),
	}
	for _, name := range order.Names() {
		a.Orders = append(a.Orders, name, name+order.FetchSuffix)
	}
	for _, s := range reuse.Strategies {
		a.Strategies = append(a.Strategies, Strategy{s.Name, s.UsesLanes})
	}
	return a
}
