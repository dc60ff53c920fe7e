package walk

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

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/internal/base/atomicfile"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
)

// stepRow is an entry of walk.json.
type stepRow struct {
	Step      int     `json:"step"`
	Agents    int     `json:"agents"`
	Occupied  int     `json:"occupied"` // number of cells with agents
	Most      uint32  `json:"most"`     // most agents in a cell
	Ideal     float64 `json:"ideal"`
	ChiSquare float64 `json:"chi_square"`        // of the start against a uniform distribution, of a step against its moves' likelihoods
	ChiAgents int     `json:"chi_square_agents"` // number of agents in the statistic
	Expected  float64 `json:"expected"`
	Z         float64 `json:"z"`    // how many standard deviations chi_square is above its mean
	Hash      string  `json:"hash"` // of all agents' cells; in a large walk only at the start and the end, else ""
}

// fileNames matches the names of the files that a walk writes.
var fileNames = regexp.MustCompile(`^(walk\.json|density\.gif|density-\d+\.(csv|png))$`)

// CheckFolder returns an error if a folder contains anything except the files of an earlier walk.
func CheckFolder(path string) error {
	entries, err := atomicfile.Entries(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !fileNames.MatchString(e.Name()) || !e.Type().IsRegular() {
			return fmt.Errorf("%s: not overwritten: it holds files that are not a walk's, such as %s", path, names.Printable(e.Name()))
		}
	}
	return nil
}

// folder writes the steps of a walk as they are taken. A nil folder does nothing.
type folder struct {
	path   string
	tables *Tables
	agents int
	steps  int
	rows   []stepRow
	most   uint32 // ScaleEnd for the start of the walk
	gif    gif.GIF
}

const (
	minSide      = 256 // minimum pixels per side of a step's picture
	maxGIFSide   = 512
	maxGIFFrames = 200 // the animation of a longer walk shows only the first steps
)

// A walk of more agents than manyAgents is a large one: work that would take longer than the steps
// themselves is left out, done for a sample, or reduced.
const (
	manyAgents    = 1 << 22
	sampledAgents = 1 << 20 // agents whose moves the chi-square counts
	maxLargeSide  = 1024    // maximum pixels per side of a step's picture
	largeTerms    = "chi-square of %d of them, hash and CSV of the first and the last step only, pictures of at most %d pixels a side"
)

func (f *folder) large() bool { return f.agents > manyAgents }

// add writes the density after a step of the walk, or at the start for step 0.
func (f *folder) add(ctx context.Context, step int, occupancy []uint32, of state) {
	if f == nil {
		return
	}
	row := stepRow{Step: step, Agents: f.agents, Occupied: Occupied(occupancy), Most: slices.Max(occupancy)}
	row.Ideal = 1 - float64(row.Occupied)/float64(row.Agents)
	if step == 0 {
		f.most = ScaleEnd(occupancy)
	}
	whole := !f.large() || step == 0 || step == f.steps
	if whole {
		agents := must.Get(of.Agents(ctx))
		row.Hash = fmt.Sprintf("%016x", Sum(agents))
	}
	f.chiSquare(ctx, &row, occupancy, of)
	f.rows = append(f.rows, row)

	name := fmt.Sprintf("density-%0*d", len(fmt.Sprint(f.steps)), row.Step)
	if whole {
		f.write(name+".csv", func(w io.Writer) error { return f.writeCells(w, occupancy) })
	}
	img := f.heatmap(ctx, occupancy)
	if f.large() {
		img = shrunk(img, maxLargeSide)
	}
	if len(f.gif.Image) < maxGIFFrames {
		f.gif.Image = append(f.gif.Image, shrunk(img, maxGIFSide))
		f.gif.Delay = append(f.gif.Delay, 40)
	}
	f.write(name+".png", func(w io.Writer) error { return png.Encode(w, img) })
}

// chiSquare fills the row's statistic.
func (f *folder) chiSquare(ctx context.Context, row *stepRow, occupancy []uint32, of state) {
	most := f.agents
	if f.large() {
		most = sampledAgents
	}
	chi, agents := Uniform(occupancy), f.agents
	if row.Step > 0 {
		before, after, err := of.Moved(ctx, most)
		must.OK(err)
		chi = must.Get(f.tables.Drawn(progress.Silent(ctx), before, after))
		agents = len(before)
	}
	row.ChiSquare, row.ChiAgents, row.Expected, row.Z = chi.Value, agents, chi.Mean, chi.Z()
}

// writeCells writes a line for each cell with agents.
func (f *folder) writeCells(w io.Writer, occupancy []uint32) error {
	line := []byte("x,y,agents\n")
	for cell, n := range occupancy {
		if n == 0 {
			continue
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
		line = strconv.AppendUint(line[:0], uint64(uint32(cell)%f.tables.Grid), 10)
		line = strconv.AppendUint(append(line, ','), uint64(uint32(cell)/f.tables.Grid), 10)
		line = append(strconv.AppendUint(append(line, ','), uint64(n), 10), '\n')
	}
	_, err := w.Write(line)
	return err
}

// finish writes the two files that cover all steps.
func (f *folder) finish() (err error) {
	defer must.Catch(&err)
	f.write("density.gif", func(w io.Writer) error { return gif.EncodeAll(w, &f.gif) })
	f.write("walk.json", func(w io.Writer) error {
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		return out.Encode(f.rows)
	})
	return nil
}

func (f *folder) write(name string, write func(io.Writer) error) {
	file := must.Get(os.Create(filepath.Join(f.path, name)))
	out := bufio.NewWriterSize(file, 1<<18)
	must.OK(errors.Join(write(out), out.Flush(), file.Close()))
}

// heatmap draws each cell as a square of pixels, coloured by the logarithm of its agents.
func (f *folder) heatmap(ctx context.Context, occupancy []uint32) *image.Paletted {
	grid := int(f.tables.Grid)
	square := max(1, (minSide+grid-1)/grid)
	var palette color.Palette
	for _, c := range DensityColors(picture.PaperPalette) {
		palette = append(palette, c)
	}
	img := image.NewPaletted(image.Rect(0, 0, grid*square, grid*square), palette)
	must.OK(apps.OnEach(progress.Silent(ctx), grid*square, func(y int) {
		for x := range grid * square {
			if n := occupancy[y/square*grid+x/square]; n > 0 {
				img.Pix[y*img.Stride+x] = DensityStep(n, f.most)
			}
		}
	}))
	return img
}

// ScaleEnd returns the number of agents at the end of a walk's colour scale: 16 times the most
// agents that a cell has at the start.
func ScaleEnd(start []uint32) uint32 { return 16 * slices.Max(append([]uint32{0}, start...)) }

// DensityStep returns the index into DensityColors for a cell of n agents, on a logarithmic scale
// from 0 to `most` agents.
func DensityStep(n, most uint32) uint8 {
	share := math.Log1p(float64(n)) / math.Log1p(float64(max(most, 1)))
	return uint8(min(255, 255*share))
}

// DensityColors returns the 256 colours of a walk's density: black for no agents, then the colours
// of a palette.
func DensityColors(p picture.Palette) []color.RGBA {
	stops := p.Colors()
	return picture.Ramp(append([]color.RGBA{{A: 255}}, stops[:]...), 256)
}

// shrunk returns a picture of at most the given number of pixels per side. Each pixel has the
// highest value of the pixels that it replaces.
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
