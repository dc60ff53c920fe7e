package calibration

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// subject is a scene that is timed, in pictures of 16:9.
type subject struct {
	asset, order string
	height       int  // pixels
	sifted       bool // the fused pass sifts its triangles (plan/sink_fused.go); other hosts, which drop most of them early, are not timed
}

// The scenes that are timed. Those for a GPU are large enough to keep it busy. Those for a CPU are smaller, since a CPU takes about a
// millisecond for a thousand triangles. Spheres repeat indices as meshes in files do: most of them within a batch in Forsyth's order, few in
// random order. A tree repeats few indices; a city has many draws. The smallest picture of either list has so many triangles per pixel
// that the fused pass sifts them.
var (
	gpuSubjects = []subject{
		{"sphere7", "random", 720, false}, {"sphere7", "forsyth", 1080, false}, {"terrain640", "original", 90, true}, {"tree7", "original", 720, false}, {"city16", "original", 1080, false},
		{"sphere5", "random", 1080, false}, {"sphere5", "forsyth", 360, false}, {"sphere4", "original", 360, false},
	}
	cpuSubjects = []subject{
		{"sphere3", "forsyth", 90, false}, {"sphere3", "random", 360, false}, {"tree4", "original", 90, false}, {"city4", "original", 180, false},
		{"sphere5", "random", 360, false}, {"sphere6", "forsyth", 720, false}, {"sphere5", "original", 18, true},
	}
)

// Strategies whose costs are measured, the first two with all raster hosts. warp and sort are left out
// since they were never the fastest, meshlet since it preprocesses the scene. On CPUs compiling takes most
// of a calibration. So two more are left out there: claim, which was not the fastest either, and phash, whose times differ from hash's by
// less than a tenth.
var (
	gpuStrategies = []string{"naive-index", "multi", "hash", "phash", "claim"}
	cpuStrategies = gpuStrategies[:3]
)

// loads are what shading a vertex costs in addition to its transform, in cycles.
var loads = []int{0, 1024}

// Each frame is executed leastRuns to mostRuns times, until its runs have taken enough. A GPU lowers its clocks
// while it waits for pipelines, and small frames do not raise them again (an H100 timed the frames of two scenes at
// a third of its clocks for two seconds). So all scenes are made and all pipelines compiled before anything is
// timed, and scenes of many triangles come first. A scene's frames are repeated until no frame's shortest time has
// fallen by more than 2 % for a while: for warmUp, or for as long as the pause before the scene, but for at most
// coldStart. For the first scene it is coldStart: after half a minute of compiling, .3 s are too short for an H100.
// Even so, an H200 ran all of the first scene at a third of its clocks. So at the end scenes are timed once more,
// from the first on, until the times of a scene no longer fall.
const (
	leastRuns = 4
	mostRuns  = 80
	enough    = 15 * time.Millisecond
	warmUp    = 300 * time.Millisecond
	coldStart = 2 * time.Second
	step      = 8 * time.Millisecond // after this no run begins until the next step
)

// contestant is a frame that is timed.
type contestant struct {
	frame  renderer.Frame
	camera renderer.Camera
	plan   *plan.Plan
	row    Row
	took   time.Duration // time of all runs together, on the host's clock
}

// Session is a calibration under way, in short steps.
type Session struct {
	b          plan.Backend
	limits     renderer.Limits
	options    plan.Options
	subjects   []subject
	strategies []string
	warmUp     time.Duration // 0 on a CPU
	coldStart  time.Duration
	compiles   bool // whether this is the first walk over the subjects, which only compiles
	again      bool // whether subjects are being timed once more, at the end
	scenes     map[subject]*geometry.Scene

	at          int           // index of the current subject
	list, field []*contestant // frames of the subject that are not planned yet, and the planned ones
	ended       time.Time     // when the last frame of the previous subject was executed
	fell        time.Time     // when the shortest time of one of the subject's frames last fell
	patience    time.Duration // the subject ends once no frame's shortest time has fallen for so long
	round, next int           // round of runs, and the index in `field` of its next frame
	ran         bool          // whether a frame of the round was executed
	rows        []Row
}

// NewSession begins a calibration. Its steps replace the backend's options by the given ones, except
// Options.Keep.
func NewSession(b plan.Backend, o plan.Options) *Session {
	s := &Session{b: b, limits: b.Limits(), options: o, subjects: gpuSubjects, strategies: gpuStrategies, warmUp: warmUp, coldStart: coldStart, scenes: map[subject]*geometry.Scene{}}
	if s.limits.Multiprocessors == 0 {
		s.subjects, s.strategies, s.warmUp = cpuSubjects, cpuStrategies, 0
	}
	s.compiles = s.warmUp > 0
	return s
}

// Done returns the fraction of the calibration that is complete, 0 to 1. On a GPU, compiling pipelines counts as
// the first half; timing subjects once more does not count.
func (s *Session) Done() float64 {
	done := float64(s.at) / float64(len(s.subjects))
	if s.warmUp == 0 {
		return done
	}
	switch {
	case s.compiles:
		return done / 2
	case s.again:
		return 1
	}
	return .5 + done/2
}

// Step makes the scene of a subject, plans one of its frames, or executes some. Frames are executed
// in turns, so that drift affects all alike; the shortest time of each counts. `more` is false after the last step.
func (s *Session) Step() (more bool, err error) {
	switch {
	case s.list == nil && s.field == nil:
		err = s.open()
	case len(s.list) > 0:
		err = s.plan()
	default:
		err = s.run()
	}
	return s.at < len(s.subjects), err
}

func (s *Session) open() (err error) {
	of, compile := s.subjects[s.at], s.b.Info().Compile
	var compiled []*plan.Plan
	work := func(ctx context.Context) {
		scene := s.scenes[of]
		if scene == nil {
			if scene, err = assets.Make(of.asset); err == nil {
				scene, err = order.Apply(ctx, scene, of.order)
			}
		}
		if err == nil {
			s.list = of.frames(scene, s.strategies)
			s.scenes[of] = scene
			if s.compiles && compile != nil {
				compiled = s.plans()
			}
		}
	}
	if aside := s.b.Info().Aside; aside != nil {
		aside(work)
	} else {
		work(context.Background())
	}
	s.options.Keep = len(s.list)
	s.b.Set(s.options)
	if len(compiled) > 0 {
		err = compile(compiled)
	}
	return err
}

// plans returns the plans of the subject's frames that the device can run, for their pipelines.
func (s *Session) plans() (list []*plan.Plan) {
	for _, one := range s.list {
		if p, err := plan.New(one.frame, s.limits); err == nil {
			list = append(list, p)
		}
	}
	return list
}

// plan plans a frame and executes it once. It skips a frame that the device cannot run.
func (s *Session) plan() (err error) {
	one := s.list[0]
	s.list = s.list[1:]
	if plan.Fits(one.frame, s.limits) == nil {
		if _, one.plan, err = plan.Render(s.b, one.frame, one.camera, 0); err != nil {
			return err
		}
		f := &one.plan.Frame
		one.row.Parts, one.row.Measures = plan.Parts(f, &s.limits), plan.Measures(f, &s.limits)
		one.row.Frame = s.subjects[s.at].frame(f.Load, one.row.Parts)
		s.field = append(s.field, one)
	}
	s.fell, s.round, s.next, s.ran = time.Now(), 0, 0, true
	if s.warmUp > 0 {
		s.patience = min(s.coldStart, max(s.warmUp, s.fell.Sub(s.ended)))
	}
	return nil
}

// run executes frames that have not run often enough, for the time of a step. When none is left, it
// keeps their rows and goes on to the next subject.
func (s *Session) run() error {
	start := time.Now()
	for ; s.ran && !s.compiles; s.round, s.next = s.round+1, 0 {
		if s.next == 0 {
			s.ran = false
		}
		for s.next < len(s.field) {
			one := s.field[s.next]
			if s.round >= leastRuns && (one.took >= enough || s.round >= mostRuns) && time.Since(s.fell) >= s.patience {
				s.next++
				continue
			}
			if time.Since(start) >= step {
				s.ran = true // the next step goes on with this round, even if it has only begun
				return nil
			}
			s.next++
			s.ran = true
			fell, err := one.run(s.b)
			if err != nil {
				return err
			}
			if fell {
				s.fell = time.Now()
			}
		}
	}
	fell := s.keep()
	s.at, s.list, s.field, s.ended = s.at+1, nil, nil, time.Now()
	switch {
	case s.again && !fell:
		s.at = len(s.subjects)
	case s.at < len(s.subjects) || s.again || s.warmUp == 0:
	case s.compiles:
		s.at, s.compiles, s.ended = 0, false, time.Time{} // the runs that compiled were too short to raise clocks
	default:
		s.at, s.again = 0, true
	}
	return nil
}

// keep adds the rows of the subject's frames. A frame that was timed before keeps the shorter time; `fell`
// reports whether the sum of such frames' times has fallen by more than a twentieth.
func (s *Session) keep() (fell bool) {
	before, now := 0., 0.
	for _, one := range s.field {
		i := slices.IndexFunc(s.rows, func(r Row) bool { return r.Frame == one.row.Frame })
		switch {
		case one.row.Micros == 0: // it was only compiled, or the device has no clock
		case i < 0:
			s.rows = append(s.rows, one.row)
		default:
			before += s.rows[i].Micros
			s.rows[i].Micros = min(s.rows[i].Micros, one.row.Micros)
			now += s.rows[i].Micros
		}
	}
	return now < .95*before
}

func (one *contestant) run(b plan.Backend) (fell bool, err error) {
	start := time.Now()
	out, err := b.Exec(one.plan, one.camera, 0)
	if err != nil {
		return false, err
	}
	if micros := float64(out.Elapsed.Nanoseconds()) / 1e3; one.took == 0 || micros < one.row.Micros {
		fell = micros < .98*one.row.Micros
		one.row.Micros = micros
	}
	one.took += max(1, time.Since(start))
	return fell, nil
}

// frame returns the name of a frame of the subject.
func (of subject) frame(load int, parts []string) string {
	return fmt.Sprintf("%s %s, height %d, load %d, %s", of.asset, of.order, of.height, load, strings.Join(parts, " "))
}

// frames lists the frames of a scene that are timed. For each load and strategy these are its geometry stage alone
// and its picture by the fused raster host. The first two strategies, which fill the queues most and least,
// also have pictures by the other raster hosts, unless the subject is sifted.
func (of subject) frames(scene *geometry.Scene, strategies []string) (list []*contestant) {
	const aspect = 16. / 9
	box := scene.Bounds()
	for _, load := range loads {
		for i, name := range strategies {
			f := renderer.Frame{
				Scene: scene, Reuse: must.Get(reuse.Params{FitBatch: true}.Resolve(name)), Load: load,
				NoRaster: true, View: renderer.NoView, NoCounts: true, TimeWhole: true, Width: int(float64(of.height) * aspect), Height: of.height,
			}
			list = append(list, &contestant{frame: f, camera: renderer.CountCamera(box)})
			f.NoRaster, f.View = false, renderer.Shaded
			hosts := []renderer.RasterHost{renderer.FusedRaster, renderer.HardwareRaster, renderer.ComputeRaster}
			if i >= 2 || of.sifted {
				hosts = hosts[:1]
			}
			for _, f.Raster = range hosts {
				list = append(list, &contestant{frame: f, camera: renderer.FitCamera(box, aspect)})
			}
		}
	}
	return list
}
