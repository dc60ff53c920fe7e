package report

import (
	"math"
	"slices"
)

// Everything from the paper that this report shows: Kenzel et al., On-the-fly Vertex Reuse for
// Massively-Parallel Software Geometry Processing (2018). These numbers appear nowhere else in
// the program.

// PaperTitle cites the paper.
const PaperTitle = "Kenzel et al., On-the-fly Vertex Reuse for Massively-Parallel Software Geometry Processing (2018)"

// paperDevice is the device of the paper's times.
const paperDevice = "NVIDIA GTX 1080 Ti, CUDA"

// paperScene is a row of table 1: reuse of the scene in Forsyth order, in the order of
// PaperColumns.
type paperScene struct {
	name                string
	vertices, triangles string // as printed
	reuse               [6]float64
}

// paperScenes is table 1.
var paperScenes = []paperScene{
	{"bunny", "34k", "70k", [6]float64{.832, .056, .060, .067, .714, .799}},
	{"sphere", "40k", "82k", [6]float64{.833, .063, .065, .069, .712, .795}},
	{"tree", "492k", "239k", [6]float64{.314, .001, .001, .001, .314, .313}},
	{"buddha", "544k", "1.1M", [6]float64{.833, .050, .048, .049, .725, .804}},
	{"dragon", "3.6M", "7.2M", [6]float64{.833, .059, .059, .059, .713, .795}},
	{"am02", "3k", "6k", [6]float64{.801, .042, .057, .075, .709, .779}},
	{"am03", "2k", "4k", [6]float64{.839, .090, .108, .108, .735, .807}},
	{"as01", "108k", "183k", [6]float64{.803, .034, .035, .035, .719, .788}},
	{"as04", "598k", "538k", [6]float64{.629, .017, .018, .018, .575, .620}},
	{"dx29", "25k", "42k", [6]float64{.796, .034, .035, .037, .719, .782}},
	{"dx33", "37k", "60k", [6]float64{.795, .028, .029, .029, .718, .784}},
	{"sg14", "135k", "254k", [6]float64{.822, .043, .044, .044, .726, .805}},
	{"sg16", "38k", "69k", [6]float64{.813, .047, .048, .048, .720, .796}},
	{"sh11", "812k", "1.1M", [6]float64{.754, .025, .026, .026, .693, .744}},
	{"sh21", "521k", "701k", [6]float64{.751, .029, .029, .029, .681, .737}},
	{"tr04", "191k", "283k", [6]float64{.775, .033, .034, .034, .708, .763}},
	{"tr09", "78k", "118k", [6]float64{.780, .031, .031, .031, .705, .769}},
	{"tw03", "268k", "487k", [6]float64{.816, .051, .052, .053, .709, .787}},
	{"tw30", "695k", "565k", [6]float64{.589, .020, .020, .020, .532, .579}},
}

// paperTimed are the scenes of table 2, by their names in table 1, in its order.
var paperTimed = []string{"sphere", "tree", "dragon", "buddha", "as01", "dx33", "sg14", "sh11", "tr04", "tw03"}

// paperTime is a row of table 2: milliseconds, in the order of paperTimed.
type paperTime struct {
	load, strategy string
	ms             [10]float64
}

// paperTimes is table 2.
var paperTimes = []paperTime{
	{"simple", "naive", [10]float64{0.07, 0.34, 4.59, 0.81, 0.14, 0.05, 0.19, 0.83, 0.21, 0.35}},
	{"simple", "warp", [10]float64{0.13, 0.40, 10.38, 1.69, 0.24, 0.11, 0.34, 1.39, 0.36, 0.61}},
	{"simple", "hash", [10]float64{0.16, 0.42, 12.89, 2.05, 0.27, 0.12, 0.46, 1.47, 0.40, 0.74}},
	{"simple", "phash", [10]float64{0.13, 0.41, 11.00, 1.82, 0.23, 0.10, 0.39, 1.32, 0.35, 0.65}},
	{"simple", "sort", [10]float64{0.20, 0.51, 6.36, 1.21, 0.31, 0.13, 0.41, 1.18, 0.34, 0.61}},
	{"simple", "multi", [10]float64{0.10, 0.38, 6.24, 1.02, 0.19, 0.08, 0.26, 1.09, 0.30, 0.47}},
	{"256", "naive", [10]float64{0.22, 0.66, 14.71, 2.57, 0.47, 0.17, 0.64, 2.57, 0.72, 1.18}},
	{"256", "warp", [10]float64{0.13, 0.33, 5.38, 0.93, 0.19, 0.11, 0.26, 0.93, 0.27, 0.43}},
	{"256", "hash", [10]float64{0.16, 0.47, 9.27, 1.60, 0.30, 0.14, 0.49, 1.39, 0.40, 0.69}},
	{"256", "phash", [10]float64{0.15, 0.42, 8.42, 1.59, 0.26, 0.12, 0.41, 1.28, 0.33, 0.66}},
	{"256", "sort", [10]float64{0.22, 0.66, 8.19, 1.69, 0.37, 0.15, 0.51, 1.56, 0.54, 0.87}},
	{"256", "multi", [10]float64{0.11, 0.49, 6.62, 1.14, 0.23, 0.09, 0.31, 1.24, 0.36, 0.54}},
	{"512", "naive", [10]float64{0.39, 1.10, 25.22, 4.55, 0.84, 0.29, 1.13, 4.45, 1.27, 2.10}},
	{"512", "warp", [10]float64{0.17, 0.53, 6.38, 1.13, 0.27, 0.14, 0.35, 1.27, 0.38, 0.56}},
	{"512", "hash", [10]float64{0.19, 0.62, 11.20, 1.78, 0.32, 0.16, 0.51, 1.40, 0.44, 0.79}},
	{"512", "phash", [10]float64{0.18, 0.55, 8.48, 1.64, 0.29, 0.15, 0.44, 1.32, 0.37, 0.74}},
	{"512", "sort", [10]float64{0.26, 0.83, 9.57, 1.94, 0.41, 0.16, 0.53, 1.89, 0.56, 0.98}},
	{"512", "multi", [10]float64{0.13, 0.68, 7.82, 1.36, 0.27, 0.11, 0.38, 1.57, 0.44, 0.65}},
	{"1024", "naive", [10]float64{0.71, 2.02, 46.88, 8.09, 1.56, 0.53, 2.09, 7.43, 2.25, 3.75}},
	{"1024", "warp", [10]float64{0.25, 0.98, 10.90, 1.78, 0.43, 0.21, 0.56, 2.14, 0.65, 0.95}},
	{"1024", "hash", [10]float64{0.24, 1.00, 10.91, 1.98, 0.42, 0.22, 0.63, 1.98, 0.58, 0.90}},
	{"1024", "phash", [10]float64{0.23, 0.91, 10.29, 2.01, 0.37, 0.20, 0.57, 1.86, 0.54, 0.89}},
	{"1024", "sort", [10]float64{0.31, 1.25, 12.45, 2.34, 0.49, 0.21, 0.64, 2.53, 0.73, 1.17}},
	{"1024", "multi", [10]float64{0.16, 1.08, 10.24, 1.80, 0.36, 0.14, 0.51, 2.16, 0.62, 0.87}},
}

// walkScene is the scene name for the paper's one walk.
const walkScene = "walk"

// paperAppStrategies are the columns of tables 3 and 4, and the times of the walk.
var paperAppStrategies = []string{"naive", "warp", "hash", "phash", "sort"}

// paperApps are tables 3 and 4, and the walk of section 6.3: milliseconds by application and
// scene, in the order of paperAppStrategies.
var paperApps = map[string]map[string][5]float64{
	"subdivide": {"bunny": {.70, .58, .58, .59, .57}, "sphere": {.79, .68, .68, .69, .64}, "buddha": {11.10, 8.50, 8.15, 8.17, 8.61}},
	"envelope":  {"bunny": {71.73, 29.41, 22.21, 21.74, 21.85}, "sphere": {15.08, 5.55, 4.02, 4.03, 4.03}, "buddha": {5021.80, 2112.45, 1595.31, 1516.15, 1509.76}},
	"walk":      {walkScene: {.30, .10, .09, .13, .10}},
}

// paperApplication returns a time of an application, and naive's time divided by it; NaN if the
// paper has none.
func paperApplication(app, scene, strategy string) (ms, speed float64) {
	times, known := paperApps[app][scene]
	at := slices.Index(paperAppStrategies, strategy)
	if !known || at < 0 {
		return math.NaN(), math.NaN()
	}
	return times[at], times[0] / times[at]
}

// paperCalls are the shader invocations per vertex, by order, in the caption of the call
// histogram, for the bunny under OpenGL.
var paperCalls = map[string]struct {
	words string
	about float64
}{
	"original": {"four", 4},
	"random":   {"nearly six", 6},
}

// identities are the paper's scenes that are publicly available, by vertices and triangles: the
// Stanford scans as their repository lists them, and the icosphere subdivided six times.
var identities = []struct {
	paper               string
	vertices, triangles int
}{
	{"bunny", 35947, 69451},
	{"sphere", 40962, 81920},
	{"buddha", 543652, 1087716},
	{"dragon", 3609600, 7219045},
}

// Recognize returns the paper's name for a scene of that size, or "".
func Recognize(draws, vertices, triangles int) string {
	for _, s := range identities {
		if draws == 1 && s.vertices == vertices && s.triangles == triangles {
			return s.paper
		}
	}
	return ""
}

// paperReuse returns a figure of table 1; NaN if the table has no such scene or column.
func paperReuse(scene, column string) float64 {
	for _, s := range paperScenes {
		if i := slices.Index(PaperColumns, column); s.name == scene && i >= 0 {
			return s.reuse[i]
		}
	}
	return math.NaN()
}

// paperMs returns a time of table 2; NaN if there is none.
func paperMs(scene, load, strategy string) float64 {
	for _, t := range paperTimes {
		if i := slices.Index(paperTimed, scene); t.load == load && t.strategy == strategy && i >= 0 {
			return t.ms[i]
		}
	}
	return math.NaN()
}

// paperRelative returns a time of table 2 relative to naive's; NaN if there is none.
func paperRelative(scene, load, strategy string) float64 {
	return paperMs(scene, load, strategy) / paperMs(scene, load, Baseline)
}
