package app

import (
	"fmt"
	"image"
	"slices"
)

// Menu is the menu of a draw, which a right click opens.
type Menu struct {
	Draw     int
	Opens    bool // it is to be opened in the next frame
	InScene  bool // the click was on the scene, not in the list
	Unfolded bool // the list is to be shown unfolded
}

// OpenMenu selects a draw of the list and opens its menu.
func (a *App) OpenMenu(draw int) {
	a.selectDraw(draw)
	a.Menu = Menu{Draw: draw, Opens: true}
}

// rightClicked opens the menu of the draw at a pixel.
func (a *App) rightClicked(at, size image.Point) {
	a.waiting = nil
	d := a.sideAt(at, size)
	if !a.ListsDraws() {
		return
	}
	if found, ok := a.hitBy(waitingClick{at, a.Shown.Left.Camera, true}, d, size); ok {
		a.OpenMenu(d.DrawIndex(found.Draw))
		a.Menu.InScene = true
	}
}

// ShowListed shows a draw in the list, whatever is searched for.
func (a *App) ShowListed(draw int) {
	l := &a.DrawList
	if !slices.ContainsFunc(l.Shown, func(i int) bool { return l.Rows[i].Draw == draw }) {
		l.Search = ""
		l.Arrange()
	}
	a.selectDraw(draw)
	a.Menu.Unfolded = true
}

// DrawTitle names a draw by its number: "event 195", or "draw 3" where there are no events.
func (a *App) DrawTitle(draw int) string {
	s := a.Shown.Left.Whole
	return fmt.Sprintf("%s %d", map[bool]string{true: "event", false: "draw"}[s.Draws[draw].Event > 0], s.Number(draw))
}

// CopyNumber puts a draw's number on the clipboard.
func (a *App) CopyNumber(draw int) {
	a.copy(fmt.Sprint(a.Shown.Left.Whole.Number(draw)), a.DrawTitle(draw))
}
