package order

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/names"
)

// Orders is the registry. To add an order, write its file and a line here: flags,
// tests, benchmark rows and help follow.
var Orders = []*Order{
	&original,
	&random,
	&forsyth,
	&hoppe,
	&tipsify,
}

// FetchSuffix after an order's name renumbers the vertices by first use.
const FetchSuffix = "+fetch"

// Bounds of the cache size that may follow an order's name, in vertices.
const (
	MinCache = 4
	MaxCache = 128
)

// Names lists the registered orders in registry order.
func Names() []string { return names.Of(Orders, func(o *Order) string { return o.Name }) }

// Lookup finds an order by name. The name of an order that models a cache may be followed by the
// cache's size, and any name by FetchSuffix: "forsyth", "forsyth32", "random+fetch",
// "tipsify24+fetch". The returned Order has the full name.
func Lookup(name string) (*Order, error) {
	whole, fetch := strings.CutSuffix(name, FetchSuffix)
	base := strings.TrimRight(whole, "0123456789")
	for _, o := range Orders {
		if o.Name != base {
			continue
		}
		found := *o
		found.Name, found.Fetch = name, fetch
		if digits := whole[len(base):]; digits != "" {
			n, err := strconv.Atoi(digits)
			switch {
			case o.Cache == 0:
				return nil, fmt.Errorf("order %.40q: %s takes no number", name, o.Name)
			case err != nil || n < MinCache || n > MaxCache:
				return nil, fmt.Errorf("order %.40q: a cache of %.20s vertices is out of range %d..%d", name, digits, MinCache, MaxCache)
			}
			found.Cache = n
		}
		return &found, nil
	}
	return nil, names.NotAmong("order", name, nearest(name), strings.Join(Names(), ", ")+", each also as NAME"+FetchSuffix)
}

// nearest returns the known name that is most like an unknown one, with its number, and with
// FetchSuffix if it has any suffix; "" if none is similar.
func nearest(name string) string {
	stem, _, suffixed := strings.Cut(name, "+")
	base := strings.TrimRight(stem, "0123456789")
	near := names.Nearest(base, Names())
	if near == "" {
		return ""
	}
	near += stem[len(base):]
	if suffixed {
		near += FetchSuffix
	}
	return near
}

// original keeps the order of the file.
var original = Order{Name: "original"}
