package model_test

import (
	"fmt"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/model"
)

// How often would hardware caches shade the vertices of my mesh?
func ExampleModel_Count() {
	strip := []uint32{0, 1, 2, 2, 1, 3, 2, 3, 4, 4, 3, 5, 0, 1, 5}
	for _, text := range []string{"ideal", "fifo:4", "nv-96-32"} {
		configs, err := model.Parse(text)
		if err != nil {
			panic(err)
		}
		for _, c := range configs {
			counts := c.Model.Count(strip, 6, c.Params)
			fmt.Println(c, counts, must.Get(reuse.StatsOf(strip, counts)).Invocations)
		}
	}
	// Output:
	// ideal [1 1 1 1 1 1] 6
	// fifo:4 [2 2 1 1 1 1] 8
	// nv-96-32:window=42 [1 1 1 1 1 1] 6
}
