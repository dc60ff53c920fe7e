package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/shadeonce/shadeonce/geometry/apps/walk"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/progress"
	"github.com/shadeonce/shadeonce/renderer/picture"
)

// walkFolder writes what becomes of a walk, step by step.
type walkFolder struct {
	path  string
	walk  *walk.Walk
	steps int
	rows  []walkStep
	most  uint32 // agents in a cell at the start, sixteen times over: the colours' scale
	gif   gif.GIF
}

// Pictures have at least so many pixels a side, and those of the animation at most.
const (
	leastWalkSide = 256
	mostGIFSide   = 512
)

// add writes the density as it stands. before is where the agents were a step ago; nil at
// the start.
func (f *walkFolder) add(ctx context.Context, before []uint32) error {
	occupancy := f.walk.Occupancy()
	row := walkStep{
		Step: int(f.walk.Step), Agents: len(f.walk.Agents), Occupied: walk.Occupied(occupancy),
		Most: slices.Max(occupancy), Hash: fmt.Sprintf("%016x", f.walk.Sum()),
	}
	row.Ideal = 1 - float64(row.Occupied)/float64(row.Agents)
	chi := walk.Uniform(occupancy)
	if before != nil {
		var err error
		if chi, err = f.walk.Drawn(progress.Silent(ctx), before); err != nil {
			return err
		}
	} else {
		f.most = 16 * row.Most
	}
	row.ChiSquare, row.Expected, row.Z = chi.Value, chi.Mean, chi.Z()
	f.rows = append(f.rows, row)

	name := fmt.Sprintf("density-%0*d", len(fmt.Sprint(f.steps)), row.Step)
	if err := f.write(name+".csv", func(w io.Writer) error {
		fmt.Fprintln(w, "x,y,agents")
		for cell, n := range occupancy {
			if n > 0 {
				fmt.Fprintf(w, "%d,%d,%d\n", uint32(cell)%f.walk.Grid, uint32(cell)/f.walk.Grid, n)
			}
		}
		return nil // the writer keeps its first error
	}); err != nil {
		return err
	}
	img := f.heatmap(occupancy)
	if len(f.gif.Image) < mostFrames {
		f.gif.Image = append(f.gif.Image, shrunk(img))
		f.gif.Delay = append(f.gif.Delay, 40)
	}
	return errors.Join(f.write(name+".png", func(w io.Writer) error { return png.Encode(w, img) }), context.Cause(ctx))
}

// mostFrames is how many steps the animation shows.
const mostFrames = 200

// finish writes what is of all steps.
func (f *walkFolder) finish() error {
	if err := f.write("density.gif", func(w io.Writer) error { return gif.EncodeAll(w, &f.gif) }); err != nil {
		return err
	}
	return f.write("walk.json", func(w io.Writer) error { return cli.WriteJSON(w, f.rows) })
}

func (f *walkFolder) write(name string, write func(io.Writer) error) error {
	file, err := os.Create(filepath.Join(f.path, name))
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(file, 1<<18)
	return errors.Join(write(out), out.Flush(), file.Close())
}

// heatmap draws the density, a cell a square of pixels, by its logarithm.
func (f *walkFolder) heatmap(occupancy []uint32) *image.Paletted {
	grid := int(f.walk.Grid)
	square := max(1, (leastWalkSide+grid-1)/grid)
	img := image.NewPaletted(image.Rect(0, 0, grid*square, grid*square), walkPalette())
	for y := range grid * square {
		for x := range grid * square {
			n := occupancy[y/square*grid+x/square]
			img.Pix[y*img.Stride+x] = uint8(min(255, 255*logShare(n, f.most)))
		}
	}
	return img
}

// shrunk takes the highest of every square of pixels, so that no side is too long.
func shrunk(img *image.Paletted) *image.Paletted {
	square := (img.Rect.Dx() + mostGIFSide - 1) / mostGIFSide
	side := (img.Rect.Dx() + square - 1) / square
	out := image.NewPaletted(image.Rect(0, 0, side, side), img.Palette)
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			at := &out.Pix[y/square*out.Stride+x/square]
			*at = max(*at, img.Pix[y*img.Stride+x])
		}
	}
	return out
}

// walkPalette goes from black through the colours of the heatmaps of counts.
func walkPalette() color.Palette {
	stops := append([]color.RGBA{{A: 255}}, picture.Heat[:]...)
	palette := make(color.Palette, 256)
	for i := range palette {
		at := float64(i) / 255 * float64(len(stops)-1)
		k := min(int(at), len(stops)-2)
		mix := func(a, b uint8) uint8 { return uint8(float64(a) + (float64(b)-float64(a))*(at-float64(k)) + .5) }
		a, b := stops[k], stops[k+1]
		palette[i] = color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
	}
	return palette
}
