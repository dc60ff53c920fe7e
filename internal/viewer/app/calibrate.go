package app

import (
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/renderer"
)

// Calibration times the device in short steps, and keeps the result after the last.
type Calibration interface {
	Step() (more bool, err error)
	Keep() error
}

// calibrator calibrates the device while the viewer has nothing else to do. Between two steps other
// work comes first.
type calibrator struct {
	begin  func(plan.Backend) Calibration // nil: there is nothing left to calibrate
	under  Calibration                    // nil before the first step
	canvas model.Canvas
}

// calibrates reports whether the next step of a calibration is due: auto chooses by it.
func (a *App) calibrates() bool {
	asked := reuse.IsAuto(a.Want.Strategy) || a.Want.Raster == renderer.AutoRaster
	return a.calibrator.begin != nil && asked && a.quota == 0 && a.turn.frames == 0 && a.Shown.Left.Plan != nil
}

// calibrate does the next step.
func (a *App) calibrate() error {
	c := &a.calibrator
	if c.under == nil {
		c.canvas = a.painter.Open()
		c.under = c.begin(c.canvas)
	}
	more, err := c.under.Step()
	switch {
	case a.Drawing.GivenUp:
		a.endCalibration()
		return nil
	case more && err == nil:
		return nil
	}
	if err == nil {
		err = c.under.Keep()
	}
	if err == nil {
		a.done("this device is calibrated: auto chooses by its times from the next change on")
	} else if !a.Device.Lost() {
		a.say(err)
		err = nil
	}
	a.endCalibration()
	return err
}

// endCalibration frees the memory of a calibration.
func (a *App) endCalibration() {
	if c := a.calibrator.canvas; c != nil && !a.Device.Lost() {
		c.Close()
	}
	a.calibrator = calibrator{}
}
