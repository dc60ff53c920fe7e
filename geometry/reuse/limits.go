package reuse

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/shape"
)

// Bounds of the workgroup size of strategies without lanes, in invocations; the size must be a power of two.
const (
	MinWorkgroup = 32
	MaxWorkgroup = 1024
)

// Check returns an error for parameters that no strategy accepts, even if the chosen strategy
// ignores them. Its errors name the allowed range.
func (p Params) Check() error { return p.CheckGiven(func(string) bool { return false }) }

// CheckGiven is Check for callers that know which parameters the user gave. A zero that the user
// gave is out of range; any other zero means the strategy's default.
func (p Params) CheckGiven(given func(name string) bool) error {
	wrong := func(name string, value int, fits bool) bool {
		return !fits && (value != 0 || given != nil && given(name))
	}
	switch {
	case wrong("lanes", p.Lanes, slices.Contains(LaneCounts, p.Lanes)):
		return fmt.Errorf("%d lanes: must be one of %s", p.Lanes, strings.Trim(fmt.Sprint(LaneCounts), "[]"))
	case wrong("workgroup", p.Workgroup, p.Workgroup >= MinWorkgroup && p.Workgroup <= MaxWorkgroup && p.Workgroup&(p.Workgroup-1) == 0):
		return fmt.Errorf("workgroup of %d: must be a power of two from %d to %d", p.Workgroup, MinWorkgroup, MaxWorkgroup)
	case wrong("batch", p.Batch, p.Batch >= 3 && p.Batch <= MaxBatch && p.Batch%3 == 0):
		return fmt.Errorf("batch of %d indices: must be a multiple of 3 from 3 to %d", p.Batch, MaxBatch)
	case wrong("unique", p.Unique, p.Unique >= 3 && p.Unique <= MaxUnique):
		return fmt.Errorf("%d unique vertices per batch: must be 3 to %d", p.Unique, MaxUnique)
	case wrong("table", p.Room, p.Room >= 1 && p.Room <= MaxRoom):
		return fmt.Errorf("table of %d entries per vertex: must be 1 to %d", p.Room, MaxRoom)
	}
	if p.Probes != nil && (*p.Probes < 0 || *p.Probes > MaxUnique) {
		return fmt.Errorf("%d probes: must be 0 to %d", *p.Probes, MaxUnique)
	}
	if p.Batching != "" && !slices.Contains(BatchingNames, p.Batching) {
		return names.Unknown("batching", p.Batching, BatchingNames)
	}
	return nil
}

// largestBatch returns the largest batch, at most c.Batch indices, whose unique vertices all get a slot; 0 if there is none.
func (c Config) largestBatch() int {
	for c.Batch -= c.Batch % 3; c.Batch >= 3; c.Batch -= 3 {
		if c.Strategy.MaxUnique(c) <= MaxUnique {
			return c.Batch
		}
	}
	return 0
}

// Check returns an error for a configuration that Params.Resolve would not make. Every exported function
// that takes a Config and returns an error calls it first.
func (c Config) Check() error {
	s := c.Strategy
	if s == nil {
		return errors.New("no strategy: reuse.Resolve makes configurations")
	}
	p := Params{Lanes: c.Lanes, Workgroup: c.Workgroup, Batching: c.Batching.String(), Batch: c.Batch, Unique: c.Unique, Room: c.Room}
	if s.Probes > 0 || c.Probes != 0 {
		p.Probes = &c.Probes
	}
	given := map[string]bool{"batch": true, "lanes": s.UsesLanes, "workgroup": !s.UsesLanes, "unique": c.Batching == DynamicBatching, "table": s.Room > 0}
	if err := p.CheckGiven(func(name string) bool { return given[name] }); err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	_, err := p.Resolve(s.Name)
	return err
}

// Check returns an error for a stream that is not whole triples of ids below IDs.
func (s Stream) Check() error {
	if err := s.CheckSize(); err != nil {
		return err
	}
	return s.named(checkIndices(s.Indices, s.IDs))
}

// CheckSize is Check without reading the indices, for a stream whose ids are on a device.
func (s Stream) CheckSize() error { return s.named(checkSize(len(s.Indices), s.IDs)) }

// named adds the stream's name to an error.
func (s Stream) named(err error) error {
	if err != nil {
		err = fmt.Errorf("stream %q: %w", s.Name, err)
	}
	return err
}

func checkSize(indices, ids int) error {
	switch {
	case ids < 0 || ids > math.MaxInt32:
		return fmt.Errorf("%d ids: must be 0 to %d", ids, math.MaxInt32)
	case indices%3 != 0:
		return fmt.Errorf("%d indices: must be a multiple of 3 (Triples pads single corners)", indices)
	case indices > math.MaxInt32:
		return fmt.Errorf("%d indices: at most %d are supported", indices, math.MaxInt32)
	}
	return nil
}

// checkIndices returns an error for the first index that is not below `ids`.
func checkIndices(indices []uint32, ids int) error {
	for k, id := range indices {
		if int(id) >= ids {
			return badIndex(k, id, ids)
		}
	}
	return nil
}

func badIndex(k int, id uint32, ids int) error {
	return fmt.Errorf("index %d is %d, and there are %d ids", k, id, ids)
}

// CheckScene returns an error for a scene whose draws name missing indices or vertices. Unlike
// geometry's Validate it requires neither positions nor normals.
func CheckScene(s *geometry.Scene) error {
	err := checkDraws(s)
	if err != nil {
		return err
	}
	shape.Once(s, func(i, _ int) struct{} {
		s.EachIndices(i, func(indices []uint32) {
			if bad := checkIndices(indices, int(s.Draws[i].VertexCount)); bad != nil && err == nil {
				err = inDraw(s, i, bad)
			}
		})
		return struct{}{}
	})
	return err
}

func inDraw(s *geometry.Scene, i int, err error) error {
	return fmt.Errorf("draw %d (%q): %w", i, s.Draws[i].Name, err)
}

// checkDraws is CheckScene without reading indices.
func checkDraws(s *geometry.Scene) error {
	if s == nil {
		return errors.New("no scene")
	}
	total, vertices := 0, 0
	for i := range s.Draws {
		d := &s.Draws[i]
		if !s.HasIndices(d.FirstIndex, d.IndexCount) {
			return fmt.Errorf("draw %d (%q): indices %d to %d, and there are %d", i, d.Name, d.FirstIndex, int(d.FirstIndex)+int(d.IndexCount)-1, len(s.Indices))
		}
		total, vertices = total+int(d.IndexCount), vertices+int(d.VertexCount)
		if err := checkSize(int(d.IndexCount), int(d.VertexCount)); err != nil {
			return inDraw(s, i, err)
		}
	}
	if err := checkSize(total, vertices); err != nil {
		return fmt.Errorf("all draws: %w", err)
	}
	return nil
}

// fillInvocations is how many invocations keep a multiprocessor busy: about a third of the most that
// it can hold. More invocations of claim do not fit into its registers. It was fitted to times of claim on
// an H200 (132 multiprocessors). There, batches of 48, 96, 288 and 384 indices are the fastest for
// meshes of 23,000, 69,000, 871,000 and over 1,000,000 triangles.
const fillInvocations = 640

// Fitted returns the configuration with a batch that suits the scene's triangles and the device's multiprocessors, at
// most its default batch. The batch stays if the user gave one (FitBatch is false), if the strategy has no
// LeastBatch, or if the number of multiprocessors is unknown (0), as on a CPU.
//
// Large batches find more repeated indices, since the stream is cut at fewer places. But each invocation then
// processes more triangles one after another, and fewer invocations remain to fill the device.
// The total cost is least if the triangles per invocation grow with the square root of the scene:
// one in a scene that just fills the device with one each, two in a scene four times as large.
func (c Config) Fitted(triangles, multiprocessors int) Config {
	if !c.FitBatch || multiprocessors <= 0 || c.Strategy == nil || c.Strategy.LeastBatch == nil {
		return c
	}
	c.FitBatch, c.FitWorkgroup = false, false
	each := math.Sqrt(float64(triangles) / float64(fillInvocations*multiprocessors))
	halves := 2 * int(each+.5) // triangles per two invocations
	if each < .75 {
		halves = 1
	}
	group := cmp.Or(c.Lanes, c.Workgroup)
	c.Batch = max(c.Strategy.LeastBatch(c), min(3*group*halves/2, c.Batch))
	return c
}

// TriangleLanes is how many invocations of the fused pass draw a triangle together, if a scene has
// too few triangles to keep a device busy with one invocation each.
const TriangleLanes = 4

// DrawsTogether reports whether the strategy supports TriangleLanes, and the scene has too few
// triangles to keep the device's multiprocessors busy with one invocation each.
func (c Config) DrawsTogether(triangles, multiprocessors int) bool {
	return c.Strategy != nil && c.Strategy.Together && triangles <= fillInvocations*multiprocessors
}

// Together fits the batch so that a workgroup draws all its triangles at once, with TriangleLanes
// invocations each. A batch size that was asked for stays.
func (c Config) Together() Config {
	if c.FitBatch {
		c.Batch = 3 * c.Workgroup / TriangleLanes
		c.FitBatch, c.FitWorkgroup = false, false
	}
	return c
}

// siftedRounds is how many default batches a strategy without reuse joins in frames that sift their
// triangles: a triangle is so cheap there that a workgroup's initial reads matter. On an H200 the pass over
// 100 million triangles takes .98 ms with 1, .82 with 2, .74 with 4 and, in workgroups of 64, .70 with 16.
const siftedRounds = 16

// Sifted returns the configuration for a frame that sifts its triangles (Strategy.Sifted). Sizes that the user gave stay.
func (c Config) Sifted() Config {
	if c.FitBatch && c.Strategy != nil && c.Strategy.Sifted != nil {
		c.Strategy.Sifted(&c)
		c.FitBatch, c.FitWorkgroup = false, false
	}
	return c
}
