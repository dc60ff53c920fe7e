package report

import (
	_ "embed"
	"math"
	"slices"
)

// PaperTitle cites the paper.
const PaperTitle = "Kenzel et al., On-the-fly Vertex Reuse for Massively-Parallel Software Geometry Processing (2018)"

// paperDevice is the device of the paper's times.
const paperDevice = "NVIDIA GTX 1080 Ti, CUDA"

// walkScene is the scene name for the paper's one walk.
const walkScene = "walk"

//go:embed paper.yaml
var paperYAML []byte

// paper returns the numbers of paper.yaml, which appear nowhere else in the program.
var paper = embedded[struct {
	Scenes []struct {
		Name, Vertices, Triangles string
		Reuse                     [6]float64 // in the order of PaperColumns
	}
	Timed []string
	Times []struct {
		Load, Strategy string
		Ms             [10]float64 // in the order of Timed
	}
	Strategies []string
	Apps       map[string]map[string][5]float64 // by application and scene, in the order of Strategies
	Calls      map[string]struct {
		Words string
		About float64
	}
	Identities map[string][2]int
}](paperYAML)

// paperApplication returns a time of an application, and naive's time divided by it; NaN if the
// paper has none.
func paperApplication(app, scene, strategy string) (ms, speed float64) {
	times, known := paper().Apps[app][scene]
	at := slices.Index(paper().Strategies, strategy)
	if !known || at < 0 {
		return math.NaN(), math.NaN()
	}
	return times[at], times[0] / times[at]
}

// Recognize returns the paper's name for a scene of that size, or "".
func Recognize(draws, vertices, triangles int) string {
	for name, size := range paper().Identities {
		if draws == 1 && size == [2]int{vertices, triangles} {
			return name
		}
	}
	return ""
}

// paperReuse returns a figure of table 1; NaN if the table has no such scene or column.
func paperReuse(scene, column string) float64 {
	for _, s := range paper().Scenes {
		if i := slices.Index(PaperColumns, column); s.Name == scene && i >= 0 {
			return s.Reuse[i]
		}
	}
	return math.NaN()
}

// paperMs returns a time of table 2; NaN if there is none.
func paperMs(scene, load, strategy string) float64 {
	for _, t := range paper().Times {
		if i := slices.Index(paper().Timed, scene); t.Load == load && t.Strategy == strategy && i >= 0 {
			return t.Ms[i]
		}
	}
	return math.NaN()
}

// paperRelative returns a time of table 2 relative to naive's; NaN if there is none.
func paperRelative(scene, load, strategy string) float64 {
	return paperMs(scene, load, strategy) / paperMs(scene, load, Baseline)
}
