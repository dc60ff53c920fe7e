package main

import (
	"fmt"
	"image"
	"image/draw"
	"path/filepath"
	"strings"

	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer/picture"
)

// takeShots writes the screenshots that were asked for into the current folder.
// A picture that cannot be written is no reason to end.
func (a *app) takeShots(size image.Point) error {
	shots := a.shots
	a.shots = nil
	for _, s := range shots {
		img, err := a.picture(size, s.legend)
		if err != nil {
			return err
		}
		path, err := a.savePicture(img, "")
		if err != nil {
			a.say(fmt.Errorf("screenshot: %w", err))
			continue
		}
		fmt.Println(path)
		a.notice = "saved " + path
	}
	return nil
}

// savePicture writes a picture with how it was made, under a name made from that.
func (a *app) savePicture(img image.Image, suffix string) (string, error) {
	data, err := picture.Encode(img, "shadeonce viewer", describe(&a.plan.Frame, a.shownOrder, a.stats.Invocations), a.stamp())
	if err != nil {
		return "", err
	}
	return picture.SaveNew(".", a.pictureName()+suffix, data)
}

// pictureName names the picture on the screen.
func (a *app) pictureName() string {
	name := pictureName(&a.plan.Frame, a.shownOrder)
	if a.shownAlone > 0 {
		name += fmt.Sprintf("-draw%d", a.shownAlone-1)
	}
	if r := a.shownRight(); r != nil {
		name += "-" + map[bool]string{true: "difference", false: "against"}[a.diff.plan != nil]
		name += "-" + r.good.strategy
		if r.plan.Frame.Reuse.Strategy.UsesLanes {
			name += fmt.Sprintf("-%dlanes", r.good.lanes)
		}
		if r.shownOrder != a.shownOrder {
			name += "-" + orderInName(r.shownOrder)
		}
	}
	return name
}

// picture is what the window shows: with overlay as it is, with legends and panels,
// and without the scene alone. A transparent picture leaves the panels out.
func (a *app) picture(size image.Point, overlay bool) (image.Image, error) {
	if a.transparent {
		img, err := a.cutOut()
		if err == nil && overlay {
			a.drawLegends(img)
		}
		return img, err
	}
	img, err := a.opaque(size, overlay)
	if err == nil && overlay {
		a.drawLegends(img)
	}
	return img, err
}

// drawLegends puts the legends where the window has them.
func (a *app) drawLegends(img draw.Image) {
	if a.legend == nil {
		return
	}
	for _, o := range a.overlays(nil, img.Bounds().Size(), a.screen.scale()) {
		draw.Draw(img, o.Panel.Bounds().Add(o.At), o.Panel, o.Panel.Bounds().Min, draw.Src)
	}
}

func (a *app) opaque(size image.Point, overlay bool) (*image.RGBA, error) {
	if !a.split() && !(overlay && a.panels) {
		out, err := a.shownBackendExec(renderer.WantColor)
		if err != nil {
			return nil, err
		}
		return out.Color, nil
	}
	var mesh gpu.OverlayMesh
	if overlay {
		mesh = a.gui.mesh
	}
	if _, err := a.overlay.Compose(size, a.parts(size), mesh); err != nil {
		return nil, err
	}
	return a.overlay.Read()
}

// shownBackendExec draws the one picture that fills the window and reads it back.
func (a *app) shownBackendExec(want renderer.Want) (*renderer.Output, error) {
	if a.diff.plan != nil {
		return a.backend.Exec(a.diff.plan, a.seen, want)
	}
	return a.backend.Exec(a.plan, a.seen, want)
}

// cutOut is the picture with nothing where nothing was drawn.
func (a *app) cutOut() (*image.NRGBA, error) {
	out, err := a.shownBackendExec(renderer.WantColor | renderer.WantDepth)
	if err != nil {
		return nil, err
	}
	img := image.NewNRGBA(out.Color.Rect)
	picture.CutOut(img, out.Color, out.Depth, img.Rect)
	if !a.split() {
		return img, nil
	}
	right, err := a.right.backend.Exec(a.right.plan, a.seen, renderer.WantColor|renderer.WantDepth)
	if err != nil {
		return nil, err
	}
	part := img.Rect
	part.Min.X = a.dividerX(part.Dx())
	picture.CutOut(img, right.Color, right.Depth, part)
	return img, nil
}

// pictureName is a screenshot's name without its number and ".png": made from
// the model and the settings, in characters that every file system takes.
func pictureName(f *renderer.Frame, indexOrder string) string {
	model := filepath.Base(f.Scene.Name)
	for ext := filepath.Ext(model); ext != "" && ext != model; ext = filepath.Ext(model) {
		model = strings.TrimSuffix(model, ext)
	}
	model = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, model)
	model = model[:min(len(model), 80)]
	if strings.Trim(model, "_") == "" {
		model = "scene"
	}
	strategy := f.Reuse.Strategy.Name
	if f.Reuse.Strategy.UsesLanes {
		strategy += fmt.Sprintf("-%dlanes", f.Reuse.Lanes)
	}
	name := fmt.Sprintf("%s-%s-%s-%s", model, strategy, f.Queue, f.View)
	if indexOrder != fileOrder {
		name += "-" + orderInName(indexOrder)
	}
	return name
}

func orderInName(indexOrder string) string { return strings.ReplaceAll(indexOrder, "+", "-") }

// describe is what a screenshot says of itself, in a text chunk.
func describe(f *renderer.Frame, indexOrder string, invocations int) string {
	culled := ""
	if f.Cull {
		culled = ", culled, back faces: " + f.CullFaces.String()
	}
	return fmt.Sprintf("%s: strategy %s, order %s, queue %s, view %s%s, %d invocations", f.Scene.Name, f.Reuse, indexOrder, f.Queue, f.View, culled, invocations)
}
