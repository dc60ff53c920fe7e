package main

import (
	"fmt"
	"image"
	"slices"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer"
)

// single is one draw of a scene as a scene of its own. Its pools are the scene's.
type single struct {
	of    *geometry.Scene
	alone int // state.alone
	scene *geometry.Scene
}

// keptSingles is how many are kept: both sides of a comparison, and those before.
const keptSingles = 4

// chosen is the part of a scene that is to be shown: all, or one draw.
func (a *app) chosen(scene *geometry.Scene, alone int) *geometry.Scene {
	if alone == 0 || scene == nil || alone > len(scene.Draws) {
		return scene
	}
	i := slices.IndexFunc(a.singles, func(s single) bool { return s.of == scene && s.alone == alone })
	if i >= 0 {
		return a.singles[i].scene
	}
	one := *scene
	one.Draws = scene.Draws[alone-1 : alone]
	a.singles = append(a.singles[max(0, len(a.singles)+1-keptSingles):], single{scene, alone, &one})
	return &one
}

// checkAlone refuses a draw that a scene does not have, or that draws nothing.
func checkAlone(scene *geometry.Scene, alone int) error {
	switch {
	case alone > len(scene.Draws):
		return fmt.Errorf("draw %d: there are draws 0 to %d", alone-1, len(scene.Draws)-1)
	case alone > 0 && scene.Draws[alone-1].IndexCount == 0:
		return fmt.Errorf("draw %d draws nothing", alone-1)
	}
	return nil
}

// followAlone shows one draw alone, or all again; where that fails, what was shown
// stays.
func (a *app) followAlone(size image.Point) error {
	alone := a.alone
	err := checkAlone(a.whole, alone)
	if err == nil {
		err = a.attempt(a.whole, a.good, size)
	}
	if err != nil {
		if a.fatal(err) {
			return err
		}
		a.say(err)
		if a.alone == alone {
			a.alone = a.shownAlone
		}
		return nil
	}
	a.box = a.scene.Bounds()
	a.move(func(c *renderer.Camera) { c.Fit(a.box, a.aspect) })
	return nil
}

// drawNumber is the number in the file's scene of a draw of what is shown.
func (a *app) drawNumber(draw int) int {
	if a.shownAlone > 0 {
		return a.shownAlone - 1
	}
	return draw
}
