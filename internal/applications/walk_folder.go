package applications

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/shadeonce/shadeonce/geometry/apps/walk"
	"github.com/shadeonce/shadeonce/internal/names"
	"github.com/shadeonce/shadeonce/internal/progress"
	"github.com/shadeonce/shadeonce/internal/replace"
	"github.com/shadeonce/shadeonce/renderer/picture"
)

// walkStep is an entry of walk.json.
type walkStep struct {
	Step      int     `json:"step"`
	Agents    int     `json:"agents"`
	Occupied  int     `json:"occupied"` // cells
	Most      uint32  `json:"most"`     // agents in a cell
	Ideal     float64 `json:"ideal"`
	ChiSquare float64 `json:"chi_square"` // of the start against equal chances, of a step against its likelihoods
	Expected  float64 `json:"expected"`
	Z         float64 `json:"z"` // standard deviations between them
	Hash      string  `json:"hash"`
}

// walkFiles are the names of what a walk writes.
var walkFiles = regexp.MustCompile(`^(walk\.json|density\.gif|density-\d+\.(csv|png))$`)

// CheckWalkFolder refuses a folder that holds anything but an earlier walk.
func CheckWalkFolder(path string) error {
	info, err := replace.Stat(path)
	if err != nil || info == nil {
		return err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return replace.Failed(path, err)
	}
	for _, e := range entries {
		if !walkFiles.MatchString(e.Name()) || !e.Type().IsRegular() {
			return fmt.Errorf("%s: not overwritten: it holds other files than a walk's, as %s", path, names.Printable(e.Name()))
		}
	}
	return nil
}

// walkFolder writes the steps of a walk as they are taken.
type walkFolder struct {
	path  string
	walk  *walk.Walk
	steps int
	rows  []walkStep
	most  uint32 // the end of the colour scale: 16 times the most agents that a cell has at the start
	gif   gif.GIF
}

const (
	minWalkSide  = 256 // pixels a side of a step's picture
	maxGIFSide   = 512
	maxGIFFrames = 200 // the animation shows only the first steps of a longer walk
)

// add writes the density as it stands. before has the cell of each agent a step ago; nil
// at the start.
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
	if len(f.gif.Image) < maxGIFFrames {
		f.gif.Image = append(f.gif.Image, shrunk(img))
		f.gif.Delay = append(f.gif.Delay, 40)
	}
	return errors.Join(f.write(name+".png", func(w io.Writer) error { return png.Encode(w, img) }), context.Cause(ctx))
}

// finish writes the files of all steps together.
func (f *walkFolder) finish() error {
	if err := f.write("density.gif", func(w io.Writer) error { return gif.EncodeAll(w, &f.gif) }); err != nil {
		return err
	}
	return f.write("walk.json", func(w io.Writer) error {
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		return out.Encode(f.rows)
	})
}

func (f *walkFolder) write(name string, write func(io.Writer) error) error {
	file, err := os.Create(filepath.Join(f.path, name))
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(file, 1<<18)
	return errors.Join(write(out), out.Flush(), file.Close())
}

// heatmap draws each cell as a square of pixels, coloured by the logarithm of its agents.
func (f *walkFolder) heatmap(occupancy []uint32) *image.Paletted {
	grid := int(f.walk.Grid)
	square := max(1, (minWalkSide+grid-1)/grid)
	img := image.NewPaletted(image.Rect(0, 0, grid*square, grid*square), walkPalette())
	for y := range grid * square {
		for x := range grid * square {
			n := occupancy[y/square*grid+x/square]
			img.Pix[y*img.Stride+x] = uint8(min(255, 255*logShare(n, f.most)))
		}
	}
	return img
}

// logShare is where a number of agents stands between none and most, by its logarithm.
func logShare(n, most uint32) float64 {
	return math.Log1p(float64(n)) / math.Log1p(float64(max(most, 1)))
}

// shrunk makes a picture small enough for the animation: a pixel is the highest of those
// that it stands for.
func shrunk(img *image.Paletted) *image.Paletted {
	square := (img.Rect.Dx() + maxGIFSide - 1) / maxGIFSide
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
	var palette color.Palette
	for _, c := range picture.Ramp(stops, 256) {
		palette = append(palette, c)
	}
	return palette
}
