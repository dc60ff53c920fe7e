package reuse

import (
	"errors"
	"fmt"
	"math"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/shape"
)

// Check returns an error for a configuration that Params.Resolve would not make. Whatever takes a
// Config and returns an error calls it first.
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
	if err := checkIndices(s.Indices, s.IDs); err != nil {
		return fmt.Errorf("stream %q: %w", s.Name, err)
	}
	return nil
}

// CheckSize is Check for a stream whose ids are on a device.
func (s Stream) CheckSize() error {
	if err := checkSize(len(s.Indices), s.IDs); err != nil {
		return fmt.Errorf("stream %q: %w", s.Name, err)
	}
	return nil
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

// checkIndices returns an error for the first index that names no id.
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

// CheckScene returns an error for a scene whose draws name indices or vertices that are not there.
// Unlike geometry's Validate it asks for neither positions nor normals.
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
