package main

import (
	"context"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
)

// fileOrder is the order that a file has.
const fileOrder = "original"

// turnOrder is the registered order that lies step from one, around the ends.
// Whether vertices are renumbered too stays; the size of a cache does not.
func turnOrder(name string, step int) string {
	all := order.Names()
	base, fetch := strings.CutSuffix(name, order.FetchSuffix)
	at := slices.Index(all, strings.TrimRight(base, "0123456789"))
	name = all[((at+step)%len(all)+len(all))%len(all)]
	if fetch {
		name += order.FetchSuffix
	}
	return name
}

// applyOrder is the scene in an order; without one, as it is.
func applyOrder(ctx context.Context, scene *geometry.Scene, name string) (*geometry.Scene, error) {
	if name == "" {
		return scene, nil
	}
	return order.Apply(ctx, scene, name)
}

// reorder is the loader's work where the scene is there and only its order is
// not.
func reorder(ctx context.Context, r request) loaded {
	l := loaded{files: r.files, at: r.order[0], source: r.source, indexOrder: r.indexOrder, reordered: true}
	scene, err := applyOrder(ctx, r.source, r.indexOrder)
	if err != nil && ctx.Err() != nil {
		return l
	}
	if err != nil {
		l.refused = []error{err}
		return l
	}
	l.scene = scene
	return l
}

// followOrder has the scene on the screen ordered as wanted, beside the frame
// loop. While a file is opened it waits for that; an order that is made and not
// wanted any more is given up.
func (a *app) followOrder() {
	left := &a.shown.left
	if left.source == nil || a.next != nil {
		return
	}
	made := a.loader.making
	if made != "" && a.loader.waiting == nil && made != a.indexOrder && (a.compare == compareOff || made != a.other.order) {
		a.loader.giveUp()
	}
	switch {
	case left.order != a.indexOrder && a.orders.get(left.source, a.indexOrder) == nil:
		a.makeOrder(a.indexOrder)
	case a.compare != compareOff && a.orders.get(left.source, a.other.order) == nil:
		a.makeOrder(a.other.order)
	}
}

func (a *app) makeOrder(name string) {
	if !a.loader.busy {
		a.loader.load(request{files: a.files, order: []int{a.at}, indexOrder: name, source: a.shown.left.source})
	}
}

// takeOrdered takes the scene in another order, or tells why there is none. One
// that a file has overtaken is dropped.
func (a *app) takeOrdered(l loaded) {
	for _, err := range l.refused {
		a.say(err)
		if l.indexOrder == a.indexOrder {
			a.indexOrder = a.shown.left.order
		} else {
			a.compare = compareOff
		}
	}
	if l.scene != nil && l.source == a.shown.left.source {
		a.orders.put(l.source, l.indexOrder, l.scene)
	}
}
