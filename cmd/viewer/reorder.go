package main

import "github.com/shadeonce/shadeonce/internal/loading"

// followOrder has the orders made that are asked for. It waits while a file is opened, and
// gives up an order that is not asked for any more.
func (a *app) followOrder() {
	left := &a.shown.left
	if left.source == nil || a.next != nil {
		return
	}
	made := a.loader.Making
	if made != "" && !a.loader.Waiting() && made != a.indexOrder && (a.compare == compareOff || made != a.other.order) {
		a.loader.GiveUp()
	}
	switch {
	case left.order != a.indexOrder && a.orders.Get(left.source, a.indexOrder) == nil:
		a.makeOrder(a.indexOrder)
	case a.compare != compareOff && a.orders.Get(left.source, a.other.order) == nil:
		a.makeOrder(a.other.order)
	}
}

func (a *app) makeOrder(name string) {
	if !a.loader.Busy {
		a.loader.Load(loading.Request{Files: a.files, Order: []int{a.at}, IndexOrder: name, Source: a.shown.left.source})
	}
}

// takeOrdered takes the scene in another order, or tells why there is none. One
// that a file has overtaken is dropped.
func (a *app) takeOrdered(l loading.Loaded) {
	for _, err := range l.Refused {
		a.say(err)
		if l.IndexOrder == a.indexOrder {
			a.indexOrder = a.shown.left.order
		} else {
			a.compare = compareOff
		}
	}
	if l.Scene != nil && l.Source == a.shown.left.source {
		a.orders.Put(l.Source, l.IndexOrder, l.Scene)
	}
}
