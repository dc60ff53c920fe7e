package app

import (
	"github.com/shadeonce/shadeonce/internal/viewer/load"

	"github.com/shadeonce/shadeonce/internal/viewer/model"
)

// followOrder starts the orders that are asked for. It waits while a file is opened, and cancels
// an order that is no longer asked for.
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

// takeOrdered takes the scene in another order, or reports why there is none. It drops an order
// if a file was opened in the meantime.
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
