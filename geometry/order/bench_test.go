package order_test

import (
	"testing"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// BenchmarkOrder times every order, with and without renumbered vertices, on assets in shuffled
// order and in their own.
func BenchmarkOrder(b *testing.B) {
	for _, asset := range []string{"terrain512", "sphere7"} {
		own := must.Get(assets.Make(asset))
		shuffled := must.Get(order.Apply(b.Context(), own, "random+fetch"))
		for _, name := range append(order.Names(), "original"+order.FetchSuffix) {
			b.Run(asset+"/"+name, func(b *testing.B) {
				for b.Loop() {
					_ = must.Get(order.Apply(b.Context(), own, name))
				}
				b.ReportMetric(float64(own.Triangles())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mtri/s")
			})
		}
		b.Run(asset+"/random+fetch/forsyth", func(b *testing.B) {
			for b.Loop() {
				_ = must.Get(order.Apply(b.Context(), shuffled, "forsyth"))
			}
			b.ReportMetric(float64(own.Triangles())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mtri/s")
		})
	}
}
