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
	"strconv"

	"github.com/shadeonce/shadeonce/geometry/apps"
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
	ChiSquare float64 `json:"chi_square"`        // of the start against equal chances, of a step against its likelihoods
	ChiAgents int     `json:"chi_square_agents"` // of whom that is
	Expected  float64 `json:"expected"`
	Z         float64 `json:"z"`    // standard deviations between them
	Hash      string  `json:"hash"` // of all agents' cells; of a large walk "" but at the start and the end
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

// walkFolder writes the steps of a walk as they are taken. A nil one does nothing.
type walkFolder struct {
	path   string
	tables *walk.Tables
	agents int
	steps  int
	rows   []walkStep
	most   uint32 // the end of the colour scale: 16 times the most agents that a cell has at the start
	gif    gif.GIF
}

const (
	minWalkSide  = 256 // pixels a side of a step's picture
	maxGIFSide   = 512
	maxGIFFrames = 200 // the animation shows only the first steps of a longer walk
)

// A walk of more agents than largeWalk is a large one: what would take longer than
// the steps themselves is left out, made of a sample, or smaller.
const (
	largeWalk      = 1 << 22
	sampledAgents  = 1 << 20 // whose moves a chi-square is of
	maxLargeSide   = 1024    // pixels a side of a step's picture
	largeWalkTerms = "chi-square of %d of them, hash and CSV of the first and the last step only, pictures of at most %d pixels a side"
)

func (f *walkFolder) large() bool { return f.agents > largeWalk }

// add writes the density after a step. state is the walk then.
func (f *walkFolder) add(ctx context.Context, step int, occupancy []uint32, state walkState) error {
	if f == nil {
		return nil
	}
	row := walkStep{Step: step, Agents: f.agents, Occupied: walk.Occupied(occupancy), Most: slices.Max(occupancy)}
	row.Ideal = 1 - float64(row.Occupied)/float64(row.Agents)
	if step == 0 {
		f.most = 16 * row.Most
	}
	whole := !f.large() || step == 0 || step == f.steps
	if whole {
		agents, err := state.Agents(ctx)
		if err != nil {
			return err
		}
		row.Hash = fmt.Sprintf("%016x", walk.Sum(agents))
	}
	if err := f.chiSquare(ctx, &row, occupancy, state); err != nil {
		return err
	}
	f.rows = append(f.rows, row)

	name := fmt.Sprintf("density-%0*d", len(fmt.Sprint(f.steps)), row.Step)
	if whole {
		if err := f.write(name+".csv", func(w io.Writer) error { return f.writeCells(w, occupancy) }); err != nil {
			return err
		}
	}
	img, err := f.heatmap(ctx, occupancy)
	if err != nil {
		return err
	}
	if f.large() {
		img = shrunk(img, maxLargeSide)
	}
	if len(f.gif.Image) < maxGIFFrames {
		f.gif.Image = append(f.gif.Image, shrunk(img, maxGIFSide))
		f.gif.Delay = append(f.gif.Delay, 40)
	}
	return f.write(name+".png", func(w io.Writer) error { return png.Encode(w, img) })
}

// chiSquare fills the row's statistic.
func (f *walkFolder) chiSquare(ctx context.Context, row *walkStep, occupancy []uint32, state walkState) error {
	most := f.agents
	if f.large() {
		most = sampledAgents
	}
	chi, agents := walk.Uniform(occupancy), f.agents
	if row.Step > 0 {
		before, after, err := state.Moved(ctx, most)
		if err != nil {
			return err
		}
		if chi, err = f.tables.Drawn(progress.Silent(ctx), before, after); err != nil {
			return err
		}
		agents = len(before)
	}
	row.ChiSquare, row.ChiAgents, row.Expected, row.Z = chi.Value, agents, chi.Mean, chi.Z()
	return nil
}

// writeCells writes a line for each cell where an agent stands.
func (f *walkFolder) writeCells(w io.Writer, occupancy []uint32) error {
	if _, err := io.WriteString(w, "x,y,agents\n"); err != nil {
		return err
	}
	var line []byte
	for cell, n := range occupancy {
		if n == 0 {
			continue
		}
		line = strconv.AppendUint(line[:0], uint64(uint32(cell)%f.tables.Grid), 10)
		line = strconv.AppendUint(append(line, ','), uint64(uint32(cell)/f.tables.Grid), 10)
		line = strconv.AppendUint(append(line, ','), uint64(n), 10)
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
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
func (f *walkFolder) heatmap(ctx context.Context, occupancy []uint32) (*image.Paletted, error) {
	grid := int(f.tables.Grid)
	square := max(1, (minWalkSide+grid-1)/grid)
	img := image.NewPaletted(image.Rect(0, 0, grid*square, grid*square), walkPalette())
	return img, apps.OnAll(progress.Silent(ctx), grid*square, func(from, to int) {
		for y := from; y < to; y++ {
			for x := range grid * square {
				if n := occupancy[y/square*grid+x/square]; n > 0 {
					img.Pix[y*img.Stride+x] = uint8(min(255, 255*logShare(n, f.most)))
				}
			}
		}
	})
}

// logShare is where a number of agents stands between none and most, by its logarithm.
func logShare(n, most uint32) float64 {
	return math.Log1p(float64(n)) / math.Log1p(float64(max(most, 1)))
}

// shrunk makes a picture of at most so many pixels a side: a pixel is the highest of
// those that it stands for.
func shrunk(img *image.Paletted, most int) *image.Paletted {
	square := (img.Rect.Dx() + most - 1) / most
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
