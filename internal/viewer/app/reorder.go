package app

import (
	"github.com/shadeonce/shadeonce/internal/viewer/load"

	"github.com/shadeonce/shadeonce/internal/viewer/model"
)

// followOrder has the orders made that are asked for. It waits while a file is opened, and
// gives up an order that is not asked for any more.
func (a *App) followOrder() {
	left := &a.Shown.Left
	if left.Source == nil || a.Next != nil {
		return
	}
	made := a.loader.Making
	if made != "" && !a.loader.Waiting() && made != a.IndexOrder && (a.Compare == model.CompareOff || made != a.Other.Order) {
		a.loader.GiveUp()
	}
	switch {
	case left.Order != a.IndexOrder && a.orders.Get(left.Source, a.IndexOrder) == nil:
		a.makeOrder(a.IndexOrder)
	case a.Compare != model.CompareOff && a.orders.Get(left.Source, a.Other.Order) == nil:
		a.makeOrder(a.Other.Order)
	}
}

func (a *App) makeOrder(name string) {
	if !a.loader.Busy {
		a.loader.Load(load.Request{Files: a.Files, Order: []int{a.At}, IndexOrder: name, Source: a.Shown.Left.Source})
	}
}

// takeOrdered takes the scene in another order, or tells why there is none. One
// that a file has overtaken is dropped.
func (a *App) takeOrdered(l load.Loaded) {
	for _, err := range l.Refused {
		a.say(err)
		if l.IndexOrder == a.IndexOrder {
			a.IndexOrder = a.Shown.Left.Order
		} else {
			a.Compare = model.CompareOff
		}
	}
	if l.Scene != nil && l.Source == a.Shown.Left.Source {
		a.orders.Put(l.Source, l.IndexOrder, l.Scene)
	}
}
