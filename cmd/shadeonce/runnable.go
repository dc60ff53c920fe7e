package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/names"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// runnable holds the configurations against the device, before any file is
// opened. What all stood for is cut down to those that the device runs at their
// own sizes, and notice names the others; one that was named must fit.
func (f *strategyFlags) runnable(b plan.Backend, frame renderer.Frame, configs []reuse.Config) (fit []reuse.Config, notice string, err error) {
	limits := b.Limits()
	frame.NoRaster, frame.Width, frame.Height = true, 1, 1 // a picture's size is not the strategies'
	var runs, left []string
	all := slices.Contains(f.strategies, "all")
	if all {
		runs = plan.Strategies(limits)
	}
	for _, c := range configs {
		if all && !slices.Contains(runs, c.Strategy.Name) {
			left = append(left, c.Strategy.Name)
			continue
		}
		frame.Reuse = c
		if err := plan.Fits(frame, limits); err != nil {
			return nil, "", usageError{fmt.Errorf("%s: %w", b.Device(), err)}
		}
		fit = append(fit, c)
	}
	if all && len(fit) == 0 {
		return nil, "", errors.New(b.Device() + " can run none of the strategies")
	}
	if len(left) > 0 {
		notice = fmt.Sprintf("%s cannot run %s: left out", b.Device(), strings.Join(left, ", "))
	}
	return fit, notice, nil
}

// tell prints a notice, if there is one.
func tell(stderr io.Writer, notice string) {
	if notice != "" {
		fmt.Fprintf(stderr, "shadeonce: %s\n", printable(notice))
	}
}

// didYouMean is the nearest of the names as a question, or empty.
func didYouMean(name string, have ...string) string {
	if near := names.Nearest(name, have); near != "" {
		return " did you mean " + near + "?"
	}
	return ""
}
