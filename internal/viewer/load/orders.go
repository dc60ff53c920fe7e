package load

import (
	"slices"

	"github.com/shadeonce/shadeonce/geometry"
)

// maxOrderBytes bounds the memory of kept orders, without those on the screen.
const maxOrderBytes = 1 << 30

// Orders keeps the orders of one scene, so that each is made once.
type Orders struct {
	source *geometry.Scene
	kept   []keptOrder // least recently used first
}

type keptOrder struct {
	name  string
	scene *geometry.Scene
}

// Get returns the scene in an order; nil if that is not kept.
func (c *Orders) Get(source *geometry.Scene, name string) *geometry.Scene {
	if source != c.source || source == nil {
		return nil
	}
	i := slices.IndexFunc(c.kept, func(k keptOrder) bool { return k.name == name })
	if i < 0 {
		return nil
	}
	found := c.kept[i]
	c.kept = append(slices.Delete(c.kept, i, i+1), found)
	return found.scene
}

// Put keeps a scene in an order and evicts the least recently used ones. It drops the orders of any
// other scene.
func (c *Orders) Put(source *geometry.Scene, name string, scene *geometry.Scene) {
	if source != c.source {
		c.source, c.kept = source, nil
	}
	c.kept = slices.DeleteFunc(c.kept, func(k keptOrder) bool { return k.name == name })
	c.kept = append(c.kept, keptOrder{name, scene})
	const least = 2 // both sides of a comparison
	for len(c.kept) > least && c.bytes() > maxOrderBytes {
		c.kept = slices.Delete(c.kept, 0, 1)
	}
}

func (c *Orders) bytes() (sum int64) {
	for _, k := range c.kept {
		sum += k.scene.Bytes() + 4*int64(len(k.scene.Origin))
	}
	return sum
}
