package main

import (
	"cmp"
	"fmt"
	"image"
	"strconv"
	"strings"
	"time"

	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer/picture"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// compareMode is how two strategies are compared.
type compareMode int

// The ways to compare.
const (
	compareOff compareMode = iota
	compareSplit
	compareDifference // how much more often the right side shades a vertex than the left
)

// compareNames are the flag values, in value order.
var compareNames = []string{"off", "split", "difference"}

func (m compareMode) String() string { return compareNames[m] }

// otherSide is what the right side has of its own: camera, view and all else are
// those of the left.
type otherSide struct {
	strategy string
	lanes    int
	order    string
}

// settings are those of the right side where the left has some. Limits of batches
// stay the left's own: another strategy has others.
func (o otherSide) settings(left settings) settings {
	left.strategy, left.lanes, left.batch, left.unique = o.strategy, o.lanes, 0, 0
	return left
}

func (o otherSide) String() string {
	return fmt.Sprintf("%s/%s/%d", o.strategy, o.order, o.lanes)
}

// compareForm is what parseOther reads.
const compareForm = "STRATEGY[/ORDER[/LANES]]"

// parseOther reads the right side of a comparison; what it does not say is the left's.
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

// shownRight is the right side where there is one to be shown.
func (a *app) shownRight() *side {
	if a.compare == compareOff || a.right.plan == nil {
		return nil
	}
	return &a.right
}

// followCompare makes the right side follow the state, once the left does.
func (a *app) followCompare() error {
	if a.compare == compareOff {
		a.dropRight()
		return a.followDifference()
	}
	r, other := &a.right, a.other
	if a.rightSource != a.source { // of another file
		r.plan, a.rightSource = nil, a.source
	}
	scene := a.chosen(a.orders.get(a.source, other.order), a.shownAlone)
	if scene == nil {
		return a.followDifference() // it is being made
	}
	if r.backend == nil {
		r.backend = newBackend(a.screen.device)
	}
	want := other.settings(a.good)
	if r.plan == nil || r.scene != scene || r.good != want || planSize(r.plan) != planSize(a.plan) {
		if err := r.attempt(scene, want, planSize(a.plan), a.drawn); err != nil {
			return a.refuseRight(other, err)
		}
		r.shownOrder, a.legendDue = other.order, true
		if a.fresh || a.drawn == a.seen {
			a.fresh = true
		} else { // the left side is of another camera
			a.redraw = true
		}
	}
	return a.followDifference()
}

// refuseRight keeps the right side as it was, or ends the comparison where there
// was none.
func (a *app) refuseRight(other otherSide, err error) error {
	if a.fatal(err) {
		return err
	}
	a.say(fmt.Errorf("compare with %s: %w", other, err))
	if a.other != other { // something else is wanted by now
		a.again = true
		return a.followDifference()
	}
	if r := &a.right; r.plan != nil {
		back := otherSide{r.good.strategy, r.good.lanes, r.shownOrder}
		if back != a.other {
			a.other = back
			a.again = true
			return a.followDifference()
		}
	}
	a.compare = compareOff
	a.dropRight()
	return a.followDifference()
}

// dropRight gives the right side's memory back.
func (a *app) dropRight() {
	if a.right.backend == nil {
		return
	}
	if !a.screen.device.Lost() {
		a.right.backend.Close()
	}
	a.right, a.rightLegend, a.unshown = side{}, nil, true
}

// followDifference makes the picture of differences follow both sides.
func (a *app) followDifference() error {
	r := a.shownRight()
	if a.compare != compareDifference || r == nil || !inspect.SameDraws(a.plan.Frame.Scene, r.plan.Frame.Scene) {
		if a.diff.plan != nil {
			a.diff = difference{}
			a.backend.Keep(1)
			a.redraw, a.fresh, a.legendDue = true, false, true
		}
		return nil
	}
	if a.diff.plan != nil && a.diff.left == a.plan && a.diff.right == r.plan {
		return nil
	}
	next := difference{left: a.plan, right: r.plan, match: a.diff.match}
	if m := &next.match; m.Left != a.plan.Frame.Scene || m.Right != r.plan.Frame.Scene {
		*m = inspect.MatchVertices(a.plan.Frame.Scene, r.plan.Frame.Scene)
	}
	frame := a.plan.Frame
	frame.View, frame.Palette, frame.NoCounts = renderer.Counts, picture.DifferencePalette, false
	next.Difference, frame.Shown = inspect.Compare(&next.match, a.counts, r.counts)
	a.backend.Keep(2) // the left's own plan stays, for switching back
	_, p, err := plan.Render(a.backend, frame, a.drawn, 0)
	if err != nil {
		if a.fatal(err) {
			return err
		}
		a.say(err)
		a.redraw, a.fresh = true, false // the left's plan has to be recorded again
		if a.compare == compareDifference {
			a.compare = compareSplit
		}
		return a.followDifference()
	}
	next.plan = p
	a.diff = next
	a.fresh, a.legendDue = true, true
	return nil
}

// execShown draws what the window shows.
func (a *app) execShown() error {
	begin := time.Now()
	defer func() { a.execTime = time.Since(begin) }() // of both sides, not of the left alone
	if a.diff.plan != nil {
		if a.diff.plan.Frame.Cull {
			if err := a.followCulled(); err != nil {
				return err
			}
		}
		_, err := a.backend.Exec(a.diff.plan, a.drawn, 0)
		return err
	}
	if err := a.exec(a.drawn); err != nil {
		return err
	}
	a.log.add(a.timings)
	if r := a.shownRight(); r != nil {
		if err := r.exec(a.drawn); err != nil {
			return err
		}
	}
	a.legendDue = a.legendDue || a.plan.Frame.Cull
	return nil
}

// split reports whether the window is divided.
func (a *app) split() bool {
	return a.compare == compareSplit && a.right.plan != nil && a.right.backend.Color() != nil
}

// dividerX is where the window is divided, in pixels from the left.
func (a *app) dividerX(width int) int { return min(max(int(a.divider*float64(width)), 1), width-1) }

// parts are the pictures that fill the window; none before the first.
func (a *app) parts(size image.Point) []gpu.OverlayPart {
	left := a.backend.Color()
	if left == nil {
		return nil
	}
	whole := func(m *gpu.Image) image.Rectangle { return image.Rect(0, 0, m.Width, m.Height) }
	full := []gpu.OverlayPart{{Picture: left, From: whole(left), To: image.Rectangle{Max: size}}}
	if !a.split() || size.X < 2 {
		return full
	}
	right := a.right.backend.Color()
	if left.Width < 2 || right.Width < 2 {
		return full
	}
	x := a.dividerX(size.X)
	at := func(m *gpu.Image) int { return min(max(x*m.Width/size.X, 1), m.Width-1) }
	return []gpu.OverlayPart{
		{Picture: left, From: image.Rect(0, 0, at(left), left.Height), To: image.Rect(0, 0, x, size.Y)},
		{Picture: right, From: image.Rect(at(right), 0, right.Width, right.Height), To: image.Rect(x, 0, size.X, size.Y)},
	}
}
