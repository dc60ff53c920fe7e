package calibration

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// device is a backend whose frames take the time that its costs predict, whatever they draw.
type device struct {
	plan.Backend // nil: other methods are not called
	key          string
	costs        map[string]renderer.Cost
	limits       renderer.Limits
	known        map[*plan.Plan]time.Duration
	exec         func() error // nil if nothing fails
	runs         map[*plan.Plan]int
	compile      func([]*plan.Plan) error
	aside        func(func(context.Context))
	slowed       time.Duration // factor on the times of frames; 0 means 1
}

func newDevice(t *testing.T) *device {
	cpu := soft.New()
	t.Cleanup(cpu.Close)
	d := &device{key: "a device, a driver 1", limits: cpu.Limits(), costs: map[string]renderer.Cost{}, known: map[*plan.Plan]time.Duration{}, runs: map[*plan.Plan]int{}}
	for _, name := range gpuStrategies {
		d.costs["geometry:"+name], d.costs["fused:"+name] = known["geometry:hash"], known["fused:hash"]
	}
	d.costs["geometry:multi"] = known["geometry:multi"]
	d.costs["raster:hardware"], d.costs["raster:compute"] = known["raster:hardware"], renderer.Cost{renderer.Launch: 90}
	return d
}

func (d *device) Info() plan.Info {
	return plan.Info{Name: "gpu", Key: d.key, Compile: d.compile, Aside: d.aside, SetCosts: func(c *renderer.Costs) { d.limits.Costs = c }}
}

func (d *device) Limits() renderer.Limits { return d.limits }
func (d *device) Set(plan.Options)        {}

func (d *device) Exec(p *plan.Plan, _ renderer.Camera, _ renderer.Want) (*renderer.Output, error) {
	if d.exec != nil {
		if err := d.exec(); err != nil {
			return nil, err
		}
	}
	took, seen := d.known[p]
	if !seen {
		x := plan.Measures(&p.Frame, &d.limits)
		for _, part := range plan.Parts(&p.Frame, &d.limits) {
			took += time.Duration(1e3 * d.costs[part].Of(x))
		}
		d.known[p] = took
	}
	d.runs[p]++
	// Of every leastRuns runs only the last has the time of the costs. The others take longer, as if other programs used the device, too. A
	// calibration runs each frame at least leastRuns times.
	return &renderer.Output{Elapsed: max(1, d.slowed) * took * time.Duration(1+d.runs[p]%leastRuns)}, nil
}

// kept makes calibrations use a file of the test, and returns its path.
func kept(t *testing.T) (path string) {
	path = filepath.Join(t.TempDir(), "folder", "calibration.json")
	t.Setenv(Variable, path)
	return path
}

// chosen returns the strategy and raster host that auto chooses on a device, and by which costs.
func chosen(d *device) string {
	f := renderer.Frame{Scene: must.Get(assets.Make("sphere4")), Reuse: must.Get(reuse.Resolve(reuse.Auto, 0, 0)), Raster: renderer.AutoRaster, Width: 640, Height: 360}
	f, why := plan.Choose(f, d.limits)
	_, by, _ := strings.Cut(why.Strategy, ", by ")
	return f.Reuse.Strategy.Name + " " + f.Raster.String() + ", by " + by
}

// TestRun: a calibration finds what the parts of a frame cost on a device, another program on the device
// reads it from the file, and auto chooses by it.
func TestRun(t *testing.T) {
	path := kept(t)
	d, later := newDevice(t), newDevice(t)
	require.Empty(t, Use(d))
	require.True(t, Wanted(d))
	require.Equal(t, "multi hardware, by times of Mesa 22's CPU driver, which stand for every CPU that is not calibrated", chosen(d))
	for part := range d.costs {
		if strings.HasPrefix(part, "fused:") {
			d.costs[part] = renderer.Cost{renderer.Launch: 5, renderer.Pixels: 1}
		}
	}
	told := 0.
	rows := must.Get(Run(progress.With(t.Context(), func(done float64) { told = done }), d, plan.Options{}))
	require.InDelta(t, 1, told, 1e-9)
	require.False(t, Wanted(d))
	require.Len(t, rows, len(loads)*(len(cpuSubjects)*(2*len(cpuStrategies)+2*2)-2*2), "each strategy alone and fused, two with two other hosts")
	part, off := WorstFit(rows, d.limits.Costs.Parts)
	require.Less(t, off, .01, part)
	part, off = WorstFit(rows, d.costs)
	require.Less(t, off, .001, "%s: the least times are those of the device alone", part)
	require.Contains(t, chosen(d), " fused, by this device's calibration of 2")

	require.Empty(t, Use(later))
	require.Equal(t, d.limits.Costs, later.limits.Costs)
	require.FileExists(t, path)
}

// TestOtherShadersHaveAnotherKey: the key changes with any shader's code or name, and with their number and order.
func TestOtherShadersHaveAnotherKey(t *testing.T) {
	keys := map[string]bool{keyOf([]*shaders.Shader{{Name: "a", SPIRVHash: "1"}, {Name: "b", SPIRVHash: "2"}}): true}
	for _, c := range []string{"a1", "a1 b3", "a4 b2", "c1 b2", "a1 b2 c3", "b2 a1"} {
		var list []*shaders.Shader
		for _, s := range strings.Fields(c) {
			list = append(list, &shaders.Shader{Name: s[:1], SPIRVHash: s[1:]})
		}
		require.False(t, keys[keyOf(list)], c)
		keys[keyOf(list)] = true
	}
}

// TestUseRefuses: a file for another device, driver, version or shaders, or a damaged one, is ignored with a notice of
// one line.
func TestUseRefuses(t *testing.T) {
	path := kept(t)
	d := newDevice(t)
	good := file{schema, d.key, allShaders(), "2026-01-01", known, nil}
	write := func(f file) { require.NoError(t, f.write(path)) }
	write(good)
	require.Empty(t, Use(d))
	require.NotNil(t, d.limits.Costs)
	text := string(must.Get(os.ReadFile(path)))
	for why, c := range map[string]struct {
		change func(*file)
		text   string
	}{
		`another device or driver: "a device, a driver 2"`: {func(f *file) { f.Key = "a device, a driver 2" }, ""},
		"other shaders":                       {func(f *file) { f.Shaders = "0123" }, ""},
		"version 1, this program reads 3":     {func(f *file) { f.Schema = 1 }, ""},
		"is damaged: nothing":                 {nil, "\x00"},
		"is damaged: cut":                     {nil, text[:len(text)/2]},
		"is damaged: no parts":                {func(f *file) { f.Parts = nil }, ""},
		"is damaged: a negative cost":         {func(f *file) { f.Parts = map[string]renderer.Cost{"geometry:hash": {-1}} }, ""},
		"is damaged: a number that is no one": {nil, strings.Replace(text, "4,", `"4",`, 1)},
		"is damaged: numbers beyond range":    {nil, strings.Replace(text, "4,", "1e999,", 1)},
		"is damaged: far too long":            {nil, strings.Repeat(" ", mostSize) + text},
	} {
		d.limits.Costs = nil
		if write(good); c.change != nil {
			f := good
			c.change(&f)
			write(f)
		} else {
			require.NoError(t, os.WriteFile(path, []byte(c.text), 0o600))
		}
		notice := Use(d)
		why, _, _ = strings.Cut(why, ": n")
		require.Contains(t, notice, strings.Split(why, ": ")[0], why)
		require.Contains(t, notice, "ignored the calibration "+path)
		require.NotContains(t, notice, "\n")
		require.Nil(t, d.limits.Costs, why)
		require.True(t, Wanted(d), why)
	}
}

// TestOff: nothing is read, measured or written.
func TestOff(t *testing.T) {
	path := kept(t)
	d := newDevice(t)
	require.NoError(t, (&file{schema, d.key, allShaders(), "", known, nil}).write(path))
	t.Setenv(Variable, Off)
	require.Empty(t, Use(d))
	require.Nil(t, d.limits.Costs)
	require.False(t, Wanted(d))
	_, err := Run(context.Background(), d, plan.Options{})
	require.ErrorContains(t, err, "SHADEONCE_CALIBRATION is off")

	t.Setenv(Variable, "")
	one := Path(d.Info())
	d.key = "a device, a driver 2"
	require.NotEqual(t, one, Path(d.Info()), "devices have files of their own")
	require.Empty(t, Path(soft.New().Info()), "the CPU backend is not calibrated")
}

// TestRunFails: a calibration that fails or is cancelled leaves nothing, and one that cannot be kept is
// used until the program ends.
func TestRunFails(t *testing.T) {
	path := kept(t)
	d, broken := newDevice(t), errors.New("device lost")
	runs := 0
	d.exec = func() error {
		if runs++; runs > 40 {
			return broken
		}
		return nil
	}
	_, err := Run(context.Background(), d, plan.Options{})
	require.ErrorIs(t, err, broken)
	ctx, cancel := context.WithCancelCause(context.Background())
	d.exec = func() error { cancel(broken); return nil }
	_, err = Run(ctx, d, plan.Options{})
	require.ErrorIs(t, err, broken)
	require.Nil(t, d.limits.Costs)
	require.NoFileExists(t, path)

	d.exec, d.costs = nil, nil
	clear(d.known)
	_, err = Run(context.Background(), d, plan.Options{})
	require.ErrorContains(t, err, "no clock")

	require.NoError(t, os.WriteFile(filepath.Dir(path), nil, 0o600))
	d = newDevice(t)
	_, err = Run(context.Background(), d, plan.Options{})
	require.ErrorContains(t, err, "the calibration is not kept: ")
	require.NotNil(t, d.limits.Costs)
}

// TestNothingIsWrittenOfWhatCannotBe: a calibration that JSON cannot hold leaves the earlier file as it is.
func TestNothingIsWrittenOfWhatCannotBe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "costs.json")
	require.NoError(t, os.WriteFile(path, []byte("before"), 0o600))
	f := &file{Frames: map[string]float64{"frame": math.NaN()}}
	require.ErrorContains(t, f.write(path), "the calibration is not kept: ")
	require.Equal(t, "before", string(must.Get(os.ReadFile(path))))
}

// TestTimesFall: a frame's row keeps its least time, and run reports when it has fallen by more than 2 %.
func TestTimesFall(t *testing.T) {
	d, one := newDevice(t), &contestant{plan: new(plan.Plan)}
	for _, c := range []struct {
		micros, least float64
		fell          bool
	}{{200, 200, false}, {100, 100, true}, {150, 100, false}, {98.5, 98.5, false}, {97, 97, false}, {95, 95, true}} {
		d.known[one.plan], d.runs[one.plan] = time.Duration(c.micros*1e3), leastRuns-1
		fell := must.Get(one.run(d))
		require.Equal(t, c.fell, fell, c.micros)
		require.InDelta(t, c.least, one.row.Micros, 1e-9)
	}
	s := &Session{b: d, subjects: cpuSubjects, field: []*contestant{one}, ran: true, patience: time.Hour}
	d.known[one.plan] = time.Microsecond
	require.NoError(t, s.run())
	require.False(t, s.fell.IsZero() || s.at > 0, "the subject lasts while times fall")
}

// TestSlowFrames: frames that each take a whole step run leastRuns times, too, and not more often.
func TestSlowFrames(t *testing.T) {
	d := newDevice(t)
	synctest.Test(t, func(t *testing.T) {
		d.exec = func() error { time.Sleep(step); return nil }
		s := &Session{b: d, subjects: cpuSubjects, field: []*contestant{{plan: &plan.Plan{}}, {plan: &plan.Plan{}}}, ran: true}
		a, b := s.field[0].plan, s.field[1].plan
		d.known[a], d.known[b] = time.Millisecond, time.Millisecond
		for range 10 * leastRuns {
			if s.at == 0 {
				require.NoError(t, s.run())
			}
		}
		require.Equal(t, [3]int{leastRuns, leastRuns, 1}, [3]int{d.runs[a], d.runs[b], s.at})
	})
}

// TestPipelinesAreCompiledFirst: on a GPU every frame is executed once before any is timed, and the pipelines of a scene's
// frames are compiled together before that. Scenes are timed once more, from the first on, until the times of one do not
// fall: here the clocks were low during the first.
func TestPipelinesAreCompiledFirst(t *testing.T) {
	d := newDevice(t)
	s := NewSession(d, plan.Options{})
	s.subjects, s.warmUp, s.coldStart, s.compiles = s.subjects[:3], time.Millisecond, 50*time.Millisecond, true
	executed, again, done := map[bool]int{}, map[int]bool{}, -1.0
	compiled := map[int]int{}
	d.compile = func(list []*plan.Plan) error {
		require.True(t, s.compiles)
		require.Zero(t, compiled[s.at])
		require.Equal(t, executed[true], compiled[0]+compiled[1], "those before have run")
		compiled[s.at] = len(list)
		return nil
	}
	d.exec = func() error {
		d.slowed = 1
		switch executed[s.compiles]++; {
		case s.again:
			again[s.at] = true
		case s.at == 0:
			d.slowed = 3
		}
		return nil
	}
	for more := true; more; {
		more = must.Get(s.Step())
		require.GreaterOrEqual(t, s.Done(), done)
		done = s.Done()
		require.Equal(t, s.compiles, done < .5)
		require.False(t, s.compiles && len(s.rows) > 0)
		if cold := s.at == 0 && !s.compiles && !s.again && len(s.field) > 0; cold {
			require.Equal(t, s.coldStart, s.patience, "clocks are low after compiling")
		}
	}
	require.Equal(t, map[int]bool{0: true, 1: true}, again, "the second's times do not fall")
	part, off := WorstFit(s.rows, d.costs)
	require.Less(t, off, .001, part)
	scenes := map[*geometry.Scene]bool{}
	for p := range d.known {
		scenes[p.Frame.Scene] = true
	}
	require.Len(t, scenes, 3, "all walks have the same")
	require.Equal(t, len(s.rows), executed[true], "each frame has one row")
	require.Equal(t, len(s.rows), compiled[0]+compiled[1]+compiled[2])
	require.Len(t, d.known, len(s.rows)*2+2*len(s.rows)/3, "the second and third walk have plans of their own")
	require.Greater(t, executed[false], leastRuns*len(s.rows))
	require.InDelta(t, 1, done, 1e-9)

	broken := errors.New("device lost")
	d.compile = func([]*plan.Plan) error { return broken }
	s = NewSession(d, plan.Options{})
	s.compiles, d.aside = true, func(work func(context.Context)) { work(t.Context()) }
	_, err := s.Step()
	require.ErrorIs(t, err, broken)
	want := must.Get(order.Apply(t.Context(), must.Get(assets.Make(s.subjects[0].asset)), s.subjects[0].order))
	require.Equal(t, want.Indices, s.scenes[s.subjects[0]].Indices)
	s.list, d.compile = nil, nil
	_, err = s.Step()
	require.NoError(t, err, "a backend need not compile ahead")
}
