// Package calibration measures what the parts of a frame cost on a device, and keeps the costs in the
// user's cache folder, in one file per device and driver. From then on `auto` chooses strategies and
// raster hosts by times of the device itself.
//
// It knows no flags and no Vulkan.
package calibration

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/adrg/xdg"

	"github.com/shadeonce/shadeonce/internal/base/atomicfile"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// Variable is the environment variable that names the calibration file, whichever device is used; a file of another
// device is refused. Without it every device has a file of its own in the cache folder. If the value is Off, no
// calibration is read or written.
const (
	Variable = "SHADEONCE_CALIBRATION"
	Off      = "off"
)

const (
	schema   = 3       // version of the file's format, and of the meaning of a cost's terms
	mostSize = 1 << 20 // most bytes of a file that are read
)

// file is the contents of a calibration file.
type file struct {
	Schema  int                      `json:"schema"`
	Key     string                   `json:"device"`
	Shaders string                   `json:"shaders"`
	Date    string                   `json:"date"`
	Parts   map[string]renderer.Cost `json:"parts"`
	Frames  map[string]float64       `json:"frames"` // measured times in microseconds, by Row.Frame
}

// h200JSON is the calibration file of an H200, on which plan.GPUCosts were measured.
//
//go:embed h200.json
var h200JSON []byte

var h200 = sync.OnceValue(func() (f file) {
	must.OK(json.Unmarshal(h200JSON, &f))
	return f
})

// allShaders identifies the SPIR-V of all shaders.
var allShaders = sync.OnceValue(func() string { return keyOf(shaders.All) })

func keyOf(list []*shaders.Shader) string {
	sum := sha256.New()
	for _, s := range list {
		io.WriteString(sum, s.Name+s.SPIRVHash)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// Path returns the path of a device's calibration file; "" if Variable is Off or the backend cannot use
// costs.
func Path(info plan.Info) string {
	switch path := os.Getenv(Variable); {
	case path == Off || info.SetCosts == nil:
		return ""
	case path != "":
		return path
	}
	sum := sha256.Sum256([]byte(info.Key))
	return filepath.Join(xdg.CacheHome, "shadeonce", "calibration-"+hex.EncodeToString(sum[:8])+".json")
}

// Use gives the backend's device the costs of an earlier calibration, if its file exists. It returns
// a notice if the file cannot be used, else "".
func Use(b plan.Backend) (notice string) {
	info := b.Info()
	path := Path(info)
	if path == "" {
		return ""
	}
	costs, err := read(path, info.Key)
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if err != nil {
		return fmt.Sprintf("ignored the calibration %s: %v; shadeonce devices --calibrate makes it anew", path, err)
	}
	info.SetCosts(costs)
	return ""
}

// read reads the costs of a calibration file. A damaged file is an error, and so is one for another version,
// key (device and driver) or shaders.
func read(path, key string) (_ *renderer.Costs, err error) {
	defer must.Catch(&err)
	from := must.Get(os.Open(path))
	defer from.Close()
	text := must.Get(io.ReadAll(io.LimitReader(from, mostSize)))
	var f file
	sound := json.Unmarshal(text, &f) == nil
	whole := sound && len(f.Parts) > 0
	for _, cost := range f.Parts {
		whole = whole && !slices.ContainsFunc(cost[:], func(term float64) bool { return !(term >= 0) })
	}
	switch {
	case sound && f.Schema != schema:
		return nil, fmt.Errorf("it has version %d, this program reads %d", f.Schema, schema)
	case sound && f.Key != key:
		return nil, fmt.Errorf("it is of another device or driver: %.200q", f.Key)
	case sound && f.Shaders != allShaders():
		return nil, errors.New("it is of other shaders")
	case !whole:
		return nil, errors.New("the file is damaged")
	}
	return f.costs(), nil
}

func (f *file) costs() *renderer.Costs {
	return &renderer.Costs{Source: "by this device's calibration of " + f.Date, Parts: f.Parts}
}

// Wanted reports whether the backend's device can be calibrated and has no costs of its own yet.
func Wanted(b plan.Backend) bool { return Path(b.Info()) != "" && b.Limits().Costs == nil }

// Run calibrates the backend's device, keeps the costs, and returns the rows to which they were fitted. It
// replaces the backend's options as NewSession does, and reports its progress to the context.
func Run(ctx context.Context, b plan.Backend, o plan.Options) ([]Row, error) {
	s := NewSession(b, o)
	for more := true; more; {
		var err error
		if more, err = s.Step(); err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		progress.Tell(ctx, s.Done())
	}
	rows, _ := s.forFit()
	return rows, s.Keep()
}

// forFit returns the arguments of Fit. On a CPU these are all rows, and nil. On a GPU they are the rows of frames that
// were also timed on an H200, corrected by Compared, and the H200's costs.
func (s *Session) forFit() (rows []Row, like map[string]renderer.Cost) {
	if s.limits.Multiprocessors == 0 {
		return s.rows, nil
	}
	like = plan.GPUCosts.Parts
	return Compared(s.rows, h200().Frames, like), like
}

// Keep ends a session: it must be called after the last Step. It fits costs to the rows (see forFit), gives them to the
// device, and writes the file.
func (s *Session) Keep() error {
	info := s.b.Info()
	path := Path(info)
	switch {
	case path == "":
		return fmt.Errorf("the calibration is not kept: %s is %s, or the backend is no device", Variable, Off)
	case len(s.rows) == 0:
		return errors.New("the device has no clock, so that nothing can be calibrated")
	}
	f := &file{schema, info.Key, allShaders(), time.Now().Format(time.DateOnly), Fit(s.forFit()), map[string]float64{}}
	for _, r := range s.rows {
		f.Frames[r.Frame] = r.Micros
	}
	info.SetCosts(f.costs())
	return f.write(path)
}

func (f *file) write(path string) error {
	text, err := json.MarshalIndent(f, "", " ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err == nil {
		err = atomicfile.File(path, 0o600, func(to *os.File) error {
			_, err := to.Write(append(text, '\n'))
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("the calibration is not kept: %w", err)
	}
	return nil
}

// Row is the measured time of a frame. Fit fits costs to rows.
type Row struct {
	Frame    string        // what it draws and how, in words
	Parts    []string      // names of the frame's parts (plan.Parts)
	Measures renderer.Cost // properties of the frame (plan.Measures)
	Micros   float64
}

// Compared returns the rows of the frames that were also timed on another device. `frames` has the other device's times
// in microseconds, `costs` its costs. Costs are no exact model: the measured time of a frame differs from the time that
// they predict. Compared divides each row's time by the other device's ratio of measured to predicted time.
func Compared(rows []Row, frames map[string]float64, costs map[string]renderer.Cost) (list []Row) {
	for _, r := range rows {
		said := 0.0
		for _, part := range r.Parts {
			said += likeIn(costs, part).Of(r.Measures)
		}
		if took := frames[likeName(r.Frame)]; took > 0 && said > 0 {
			r.Micros *= said / took
			list = append(list, r)
		}
	}
	return list
}

// likeName returns a name with claim in place of hash and phash, which the H200's costs do not have.
func likeName(name string) string { return hashes.Replace(name) }

var hashes = strings.NewReplacer(":hash", ":claim", ":phash", ":claim")

func likeIn(costs map[string]renderer.Cost, part string) renderer.Cost { return costs[likeName(part)] }

// Fit returns the costs of all parts that rows name. It minimizes the sum of squared relative errors, and makes no term of
// a cost negative. If a part always follows another, as a raster host does, its cost is fitted to the time that the other's
// cost leaves unexplained. `like` has the costs of a similar device, or is nil. With it, each part's cost is its cost in
// `like` with two fitted factors: one for terms that do not grow with the scene, one for terms that do.
func Fit(rows []Row, like map[string]renderer.Cost) map[string]renderer.Cost {
	costs, byPart := map[string]renderer.Cost{}, map[string][]Row{}
	for parts := 1; parts <= 2; parts++ {
		clear(byPart)
		for _, r := range rows {
			if len(r.Parts) == parts {
				part := r.Parts[parts-1]
				byPart[part] = append(byPart[part], r)
			}
		}
		for part, of := range byPart {
			costs[part] = fitPart(of, costs, like)
		}
	}
	return costs
}

// factorOf holds, by term, the index at which a fit with `like` keeps the term's factor: Work if the term grows with the scene, else Launch
// (0).
var factorOf = [renderer.CostTerms]int{renderer.Pixels: renderer.Work, renderer.Triangle: renderer.Work, renderer.Sifted: renderer.Work, renderer.Shading: renderer.Work, renderer.Work: renderer.Work}

// fitPart fits the cost of the rows' last part. `known` has the cost of the part before it, if there is
// one.
func fitPart(rows []Row, known, like map[string]renderer.Cost) (c renderer.Cost) {
	list := make([]relative, len(rows))
	of := likeIn(like, rows[0].Parts[len(rows[0].Parts)-1])
	for i, r := range rows {
		list[i].left = 1
		if len(r.Parts) > 1 {
			list[i].left -= known[r.Parts[0]].Of(r.Measures) / r.Micros
		}
		for k, x := range r.Measures {
			if like == nil {
				list[i].x[k] = x / r.Micros
			} else {
				list[i].x[factorOf[k]] += of[k] * x / r.Micros
			}
		}
	}
	if c = leastSquares(list); like != nil {
		for k := range of {
			of[k] *= c[factorOf[k]]
		}
		return of
	}
	return c
}

// relative is a row divided by its measured time.
type relative struct {
	x    renderer.Cost
	left float64 // share of the time that the terms do not explain yet
}

// leastSquares fits terms by coordinate descent: it changes one term at a time, and makes none negative.
func leastSquares(list []relative) (c renderer.Cost) {
	const rounds = 20000
	var squares renderer.Cost
	for _, r := range list {
		for k, x := range r.x {
			squares[k] += x * x
		}
	}
	for range rounds {
		changed := 0.0
		for k := range c {
			if squares[k] == 0 {
				continue
			}
			gradient := 0.0
			for i := range list {
				gradient += list[i].x[k] * list[i].left
			}
			step := max(-c[k], gradient/squares[k])
			c[k] += step
			for i := range list {
				list[i].left -= step * list[i].x[k]
			}
			changed = max(changed, math.Abs(step)*math.Sqrt(squares[k]/float64(len(list))))
		}
		if changed < 1e-7 {
			break
		}
	}
	return c
}

// WorstFit returns the parts of the row that the costs predict worst, and the error as a share of its time.
func WorstFit(rows []Row, costs map[string]renderer.Cost) (part string, off float64) {
	for _, r := range rows {
		sum := 0.0
		for _, p := range r.Parts {
			sum += costs[p].Of(r.Measures)
		}
		if d := math.Abs(sum/r.Micros - 1); d > off {
			part, off = strings.Join(r.Parts, " "), d
		}
	}
	return part, off
}
