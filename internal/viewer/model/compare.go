package model

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
)

// CompareMode is how two strategies are compared.
type CompareMode int

// The ways to compare.
const (
	CompareOff CompareMode = iota
	CompareSplit
	CompareDifference // how much more often the right side shades a vertex than the left
	CompareBefore     // the mesh as it is on the left, what an application made of it on the right
)

// CompareNames are the flag values, in value order.
var CompareNames = []string{"off", "split", "difference", "before and after"}

// CompareViews lists the modes that compare two strategies.
var CompareViews = CompareNames[CompareSplit:CompareBefore]

func (m CompareMode) String() string { return CompareNames[m] }

// OtherSide holds the settings of the right side that differ from the left's. Camera, view and
// everything else are shared.
type OtherSide struct {
	Strategy string
	Lanes    int
	Order    string
}

// Settings returns the right side's settings, given the left's. Batch limits are not copied, since
// they suit only the left strategy.
func (o OtherSide) Settings(left Settings) Settings {
	left.Strategy, left.Lanes, left.Batch, left.Unique = o.Strategy, o.Lanes, 0, 0
	return left
}

func (o OtherSide) String() string {
	return fmt.Sprintf("%s/%s/%d", o.Strategy, o.Order, o.Lanes)
}

// textUnless returns the right side as text, or nothing.
func (o OtherSide) textUnless(not bool) string {
	if not {
		return ""
	}
	return o.String()
}

// CompareForm describes the texts that ParseOther reads.
const CompareForm = "STRATEGY[/ORDER[/LANES]]"

// ParseOther parses the right side of a comparison. Missing parts are copied from the left.
func ParseOther(text string, left Settings, leftOrder string) (OtherSide, error) {
	o := OtherSide{Order: leftOrder, Lanes: left.Lanes}
	parts := strings.Split(text, "/")
	if len(parts) > 3 {
		return o, fmt.Errorf("compare %q: want %s", text, CompareForm)
	}
	o.Strategy = parts[0]
	if len(parts) > 1 && parts[1] != "" {
		o.Order = parts[1]
	}
	if len(parts) > 2 {
		n, err := strconv.Atoi(parts[2])
		if err != nil {
			return o, fmt.Errorf("compare %q: want %s", text, CompareForm)
		}
		o.Lanes = n
	}
	if _, err := order.Lookup(o.Order); err != nil {
		return o, err
	}
	config, err := reuse.Resolve(o.Strategy, o.Lanes, 0)
	if err != nil {
		return o, err
	}
	o.Lanes = cmp.Or(config.Lanes, o.Lanes)
	return o, nil
}
