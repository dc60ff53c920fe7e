package main

import "github.com/shadeonce/shadeonce/internal/views"

// state is what input changes: what the user wants to see. The loop in app.go
// makes the picture follow it. There is no window and no device in it.
type state struct {
	views.Wanted
	appState

	panels      bool
	transparent bool // pictures that are saved have no background

	divider float64 // 0 at the left end of the window, 1 at the right

	help  bool
	quit  bool
	shots []shot // screenshots to take
	skip  int    // files to move on by
	drag  drag
	fly   fly
	stop  bool // what is being loaded or ordered

	fullscreen bool
	undo       int // changes of settings to go back by, or, above 0, to do again

	goTo          bool // the panel that asks for a number is open
	allStrategies bool // the table of all strategies is open
	openFiles     bool // the dialog that asks for files is to be opened
	findDraw      bool // the search of the list of draws is to be typed into

	batchStep, drawStep int // batches of the vertex, and draws, to move on by
}

// shot is a screenshot that was asked for.
type shot struct{ legend bool }
