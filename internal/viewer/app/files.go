package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/load"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/renderer"
)

// Ask has the loader open one of the files: it tries them in the order of the indices, and the first that opens is
// shown.
func (a *App) Ask(files []string, order []int) {
	a.Pass, a.Clip = "", ""
	a.ask(load.Request{Files: files, Order: order})
}

// ask sends a request to the loader, with the chosen pass and index order.
func (a *App) ask(r load.Request) {
	a.askedPass, r.Pass, r.IndexOrder = a.Pass, a.Pass, a.IndexOrder
	if r.Pass != "" {
		r.Open = cli.OpenPass(a.shaded, r.Pass)
	}
	a.loader.Load(r)
}

// followPass opens a captured frame again if another of its passes is chosen.
func (a *App) followPass() {
	if a.Pass != a.askedPass && a.Shown.Left.Plan != nil {
		a.ask(load.Request{Files: a.Files, Order: []int{a.At}})
	}
}

func inOrder(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

// Drop opens files that were dropped on the window. Once one of them opens, Left and Right step
// through them.
func (a *App) Drop(paths []string) {
	if len(paths) == 0 {
		return
	}
	a.Dismiss()
	if err := a.askAll(paths); err != nil {
		a.say(err)
	}
}

// askAll is Ask for the given files and those in the given folders, in order.
func (a *App) askAll(paths []string) error {
	files, err := cli.Files(paths)
	if err == nil {
		a.Ask(files, inOrder(len(files)))
	}
	return err
}

// stepFiles steps through the files by as many files as the keys asked for.
func (a *App) stepFiles() {
	order := load.Steps(a.Target, a.Skip, len(a.Files))
	a.Skip = 0
	switch {
	case len(order) == 0:
	case a.backAgain(order[0]):
		a.cancel()
	default:
		a.Target = order[0]
		a.Ask(a.Files, order)
	}
}

// backAgain reports whether a step leads back to the file on the screen while another file is being opened.
func (a *App) backAgain(to int) bool {
	return to == a.At && a.Shown.Left.Plan != nil && a.Next == nil && a.loader.Name != "" && a.loader.BusyFor() > 0
}

// followChanges opens the file on the screen again after a change, unless another file is being
// opened.
func (a *App) followChanges() {
	opens := a.loader.BusyFor() > 0 && a.loader.Name != "" && !a.loader.Again
	if opens || !a.watcher.Take() || a.At >= len(a.Files) {
		return
	}
	if _, err := os.Stat(a.Files[a.At]); errors.Is(err, fs.ErrNotExist) {
		a.say(fmt.Errorf("%s was deleted or renamed: what is shown is how it was", a.Files[a.At]))
		return
	}
	a.ask(load.Request{Files: a.Files, Order: []int{a.At}, Again: true})
}

// takeLoaded takes the loader's result, if there is one.
func (a *App) takeLoaded() error {
	l, ok := a.loader.Take()
	if !ok {
		return nil
	}
	a.Unshown = true // the progress bar disappears
	switch {
	case l.Reordered:
		a.takeOrdered(l)
		return nil
	case l.Scene == nil:
		return a.refuse(l)
	}
	a.Dismiss() // notices about earlier files
	for _, err := range l.Refused {
		a.report(err)
	}
	if a.Next != nil {
		a.Next.Source.Release() // it was never shown, since the window was hidden
	}
	a.Next, a.Target = &l, l.At
	return nil
}

// refuse reports files that cannot be shown, and opens the files after them. If no file can be
// shown, it returns an error, which ends the viewer. A window that stays shows the errors instead.
func (a *App) refuse(l load.Loaded) error {
	if a.Shown.Left.Plan != nil || len(l.Rest) > 0 || l.Overtaken {
		for _, err := range l.Refused {
			a.report(err)
		}
		a.Target = a.At
		switch {
		case len(l.Rest) > 0:
			a.Ask(l.Files, l.Rest)
		case !a.loader.Busy:
			a.Pass, a.askedPass = a.pass, a.pass
		}
		return nil
	}
	all := append(a.firstErrs, l.Refused...)
	if a.stays { // the window shows the errors
		a.firstErrs = nil
		for _, err := range all {
			a.say(err)
		}
		a.note(openHint, time.Time{})
		return nil
	}
	lines := names.Of(all, func(err error) string { return inspect.OneLine(err.Error()) })
	if len(all) == 1 {
		return errors.New(lines[0])
	}
	return fmt.Errorf("none of %d files can be shown: %s", len(all), strings.Join(lines, "; "))
}

// report says that a file could not be opened. Before the first picture it keeps the error for
// later.
func (a *App) report(err error) {
	if a.Shown.Left.Plan == nil {
		a.firstErrs = append(a.firstErrs, err)
		return
	}
	a.say(fmt.Errorf("refused %w", err))
}

// askedFile completes the request to draw a newly opened file in place of the shown one.
func (a *App) askedFile(w *model.Asked) error {
	f := w.File
	if a.Shown.Left.Plan != nil {
		a.Want.Marks, w.Want.Marks = cli.MarkFlags{}, cli.MarkFlags{} // the new file numbers its draws differently
	}
	if a.Shown.Left.Plan != nil && !f.Again {
		w.Alone = 0
	}
	if err := model.CheckAlone(f.Scene, w.Alone); err != nil {
		a.say(err)
		a.Alone, w.Alone = 0, 0
	}
	if w.Box = f.Box; w.Alone > 0 {
		w.Box = a.Part(f.Scene, w.Alone).Bounds()
	}
	if a.Shown.Left.Plan == nil {
		a.sayLacks(f)
	}
	if f.Again && !a.Fits() { // keep a camera that the user has moved
		c := w.Camera
		if c.SetPlanes(w.Box); c.Check() == nil {
			w.Camera = c
		}
		return nil
	}
	if a.Panels {
		shown := []string{"settings"}
		if len(f.Scene.Draws) > 1 {
			shown = append(shown, "draws")
		}
		a.ui.Foresee(w.Size, shown)
		free, _ := a.ui.Free()
		a.Within = renderer.PartOf(free, w.Size)
	}
	var err error
	w.Camera, err = a.CameraOf(w.Box, f.Source.View(), a.Aspect)
	return err
}

// sayLacks says what the command line asks for that the first file lacks, in the words of shadeonce render, and no longer
// asks for it. Later files are shown without it.
func (a *App) sayLacks(f *load.Loaded) {
	path := f.Files[f.At]
	if err := cli.CheckPass(path, a.Pass); err != nil {
		a.say(err)
		a.Pass, a.askedPass, f.Pass = "", "", ""
	}
	if len(f.Source.Animations) == 0 {
		if _, err := cli.Posed(path, f.Source, float32(a.Pose), a.Clip); err != nil {
			a.say(err)
			a.Pose, a.Clip = cli.RestTime, ""
		}
	}
	if a.View == cli.Captured {
		if _, err := cli.SceneCamera(a.View, f.Box, f.Source.View(), a.Aspect); err != nil {
			a.say(measure.About(path, err))
			a.View = ""
		}
	}
}

// entered updates the viewer for a new file on the screen: keys step from this file, the viewer watches it, and
// releases the old file.
func (a *App) entered(l *load.Loaded, old *geometry.Scene) {
	a.maker.Forget()
	a.keeper.Retire(old)
	a.Files, a.At, a.pass = l.Files, l.At, l.Pass
	a.Recent = recentFiles(a.Recent, l.Files[l.At])
	a.orders.Put(l.Source, l.IndexOrder, l.Scene)
	a.watcher.Watch(l.Files[l.At])
	for _, err := range a.firstErrs {
		a.report(err)
	}
	a.firstErrs = nil
	if a.introduces {
		a.note(firstHint, time.Time{})
		a.introduces, a.seen = false, true
	}
	a.hintUp(l)
	file := l.Files[l.At]
	if a.Shown.Left.Settings.Shader == nil && inspect.Unseen(l.Source) { // a vertex shader may spread a triangle's corners
		a.say(fmt.Errorf("%s: nothing can be seen: no triangle has an area", file))
	}
	if text := l.Source.LeftOut(); text != "" {
		a.tell(fmt.Errorf("%s: %s", file, text), inspect.LeftOut(l.Source))
	}
}

const upRest = 20 * time.Second // how long a hint about the axis that points up is shown

// hintUp suggests how to turn a scene that seems to lie on its side, if neither the user nor the format says
// which axis points up.
func (a *App) hintUp(l *load.Loaded) {
	name := strings.ToLower(filepath.Base(l.Files[l.At]))
	if a.Up != renderer.UpY || l.Again || strings.HasPrefix(l.Files[l.At], cli.AssetPrefix) || strings.Contains(name, ".gl") || l.Source.Capture != nil {
		return
	}
	if up, found := inspect.Stands(l.Source); found && up != a.Up {
		a.note(fmt.Sprintf("This scene seems to lie on its side: its up axis may be %v (Z: next axis)", up), time.Now().Add(upRest))
	}
}

// firstHint is shown with the first picture that a user sees, and fits into a window of the default size. It holds for any file.
const firstHint = "Left: claim shades a vertex once per batch. Right: no reuse. Drag the line; S: next strategy; C: difference, one side; H: help"

// keptRecent bounds how many recent files are remembered; longestRecent bounds the length in bytes of
// their paths.
const keptRecent, longestRecent = 10, 1 << 10

// recentFiles puts a file first in the list of recent files.
func recentFiles(recent []string, file string) []string {
	file = absolute(file)
	if len(file) > longestRecent {
		return recent
	}
	recent = slices.DeleteFunc(slices.Clone(recent), func(old string) bool { return old == file })
	return append([]string{file}, recent[:min(len(recent), keptRecent-1)]...)
}

// followOrder starts to make the requested index orders of the scene that are missing. It waits while a file is
// opened, and cancels work on an order that is no longer requested.
func (a *App) followOrder() {
	left := &a.Shown.Left
	if left.Source == nil || a.Next != nil {
		return
	}
	made := a.loader.Making
	if made != "" && !a.loader.Waiting() && made != a.IndexOrder && (a.Compare == model.CompareOff || made != a.Other.Order) {
		a.loader.GiveUp()
	}
	missing := ""
	switch {
	case left.Order != a.IndexOrder && a.orders.Get(left.Source, a.IndexOrder) == nil:
		missing = a.IndexOrder
	case a.Compare != model.CompareOff && a.orders.Get(left.Source, a.Other.Order) == nil:
		missing = a.Other.Order
	}
	if missing != "" && !a.loader.Busy {
		a.loader.Load(load.Request{Files: a.Files, Order: []int{a.At}, IndexOrder: missing, Source: left.Source})
	}
}

// takeOrdered takes over the scene in another index order, or reports why there is none. It drops the
// scene if another file was opened in the meantime.
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
