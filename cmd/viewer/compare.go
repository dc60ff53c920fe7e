package main

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
)

// compareMode is how two strategies are compared.
type compareMode int

// The ways to compare.
const (
	compareOff compareMode = iota
	compareSplit
	compareDifference // how much more often the right side shades a vertex than the left
	compareBefore     // the mesh as it is on the left, what an application made of it on the right
)

// compareNames are the flag values, in value order.
var compareNames = []string{"off", "split", "difference", "before and after"}

// compareViews are those of them that compare two strategies.
var compareViews = compareNames[compareSplit:compareBefore]

func (m compareMode) String() string { return compareNames[m] }

// otherSide is what the right side of a comparison has of its own. It shares camera, view
// and everything else with the left side.
type otherSide struct {
	strategy string
	lanes    int
	order    string
}

// settings returns the right side's settings, given the left's. Batch limits are not taken
// over, since another strategy has others.
func (o otherSide) settings(left settings) settings {
	left.strategy, left.lanes, left.batch, left.unique = o.strategy, o.lanes, 0, 0
	return left
}

func (o otherSide) String() string {
	return fmt.Sprintf("%s/%s/%d", o.strategy, o.order, o.lanes)
}

// compareForm is what parseOther reads.
const compareForm = "STRATEGY[/ORDER[/LANES]]"

// parseOther reads the right side of a comparison. What the text leaves out is the left's.
func parseOther(text string, left settings, leftOrder string) (otherSide, error) {
	o := otherSide{order: leftOrder, lanes: left.lanes}
	parts := strings.Split(text, "/")
	if len(parts) > 3 {
		return o, fmt.Errorf("compare %q: want %s", text, compareForm)
	}
	o.strategy = parts[0]
	if len(parts) > 1 && parts[1] != "" {
		o.order = parts[1]
	}
	if len(parts) > 2 {
		n, err := strconv.Atoi(parts[2])
		if err != nil {
			return o, fmt.Errorf("compare %q: want %s", text, compareForm)
		}
		o.lanes = n
	}
	if _, err := order.Lookup(o.order); err != nil {
		return o, err
	}
	config, err := reuse.Resolve(o.strategy, o.lanes, 0)
	if err != nil {
		return o, err
	}
	o.lanes = cmp.Or(config.Lanes, o.lanes)
	return o, nil
}
