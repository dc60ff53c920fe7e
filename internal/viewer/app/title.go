package app

import (
	"fmt"
	"path/filepath"

	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
)

// Title returns the window's title: the file, how it is shaded, and how much is reused.
func Title(a *App) string {
	l, r, loading := &a.Shown.Left, &a.Shown.Right, a.loading()
	switch {
	case l.Plan == nil && loading != "":
		return "loading " + inspect.OneLine(loading) + " - shadeonce"
	case l.Plan == nil:
		return "shadeonce"
	}
	name, stats := inspect.OneLine(l.Plan.Frame.Scene.Name), &l.Stats
	if a.Walked != nil {
		name, stats = "walk", &a.Walked.Stats
	}
	if len(a.Files) > 1 {
		name += fmt.Sprintf(" (%d/%d)", a.At+1, len(a.Files))
	}
	how := l.Name()
	if l.Plan.Choice.Strategy != "" {
		how = l.Plan.StrategyName() + ": " + how
	}
	if r.Plan != nil && r.Name() != l.Name() {
		how += " and " + r.Name()
	}
	return fmt.Sprintf("%s: %s, reuse %s - shadeonce", name, how, inspect.Ratio(stats.Reuse(), 4))
}

// loading returns the name of the file that is being opened, or waits to be drawn.
func (a *App) loading() string {
	switch {
	case a.loader.Busy:
		return a.loader.Name
	case a.Next != nil:
		return filepath.Base(a.Next.Files[a.Next.At])
	}
	return ""
}

// Status says which device draws, and how long a frame takes.
func (a *App) Status() string {
	name := a.Device.Info.Name
	if a.frameTime == 0 {
		return name
	}
	return fmt.Sprintf("%.1f ms a frame, %s", inspect.Milliseconds(a.frameTime), name)
}

// followTitle updates the title.
func (a *App) followTitle() {
	if text := a.Title(a); text != a.titleText {
		a.SetTitle(text)
		a.titleText = text
	}
}
