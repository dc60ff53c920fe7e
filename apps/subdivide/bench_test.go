package subdivide_test

import (
	"testing"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/apps/subdivide"
	"github.com/shadeonce/shadeonce/internal/meshtest"
)

// BenchmarkTables builds a level's tables: the time per triangle should not depend on the mesh.
func BenchmarkTables(b *testing.B) {
	for _, name := range []string{"sphere5", "sphere8", "turbine.off"} {
		for _, by := range []string{"original", "random"} {
			m := meshtest.Ordered(b, name, by)
			for part, work := range map[string]func() error{
				"edges":  func() error { _, err := apps.NewEdges(b.Context(), m); return err },
				"tables": func() error { _, err := subdivide.NewLevel(b.Context(), m); return err },
			} {
				b.Run(name+"/"+by+"/"+part, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if err := work(); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(m.Faces()), "ns/triangle")
				})
			}
		}
	}
}

// BenchmarkScene makes scenes that are subdivided while they are drawn.
func BenchmarkScene(b *testing.B) {
	s := meshtest.Scene(b, "sphere8")
	for b.Loop() {
		if _, err := subdivide.NewScene(b.Context(), s, 1); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(s.Triangles()), "ns/triangle")
}
