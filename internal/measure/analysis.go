package measure

import (
	"context"
	"fmt"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/built"
	"github.com/shadeonce/shadeonce/internal/progress"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// Subject is a scene that is measured, with the names that its rows bear.
type Subject struct {
	File, Order string
	Scene       *geometry.Scene
	Numbers     []int // of the scene's draws in the file; nil where it has all
}

// Analysis is a row of analyze: a file with one strategy, or with one model that
// stands in its place.
type Analysis struct {
	Schema      int     `json:"schema"`
	File        string  `json:"file"`
	Order       string  `json:"order"`
	Strategy    string  `json:"strategy"`
	Lanes       int     `json:"lanes"`
	Batching    string  `json:"batching"`
	Batch       int     `json:"batch"`
	Unique      int     `json:"unique"` // most unique vertices per iteration
	Backend     string  `json:"backend"`
	Device      string  `json:"device"`
	Draws       int     `json:"draws"`
	Vertices    int     `json:"vertices"`
	Referenced  int     `json:"referenced"`
	Triangles   int     `json:"triangles"`
	Indices     int     `json:"indices"`
	Invocations int     `json:"invocations"`
	Reuse       float64 `json:"reuse"`
	Ideal       float64 `json:"ideal"`
	ACMR        float64 `json:"acmr"`
	ATVR        float64 `json:"atvr"`
	Utilization float64 `json:"lane_utilization"`
	Histogram   []int   `json:"histogram"` // [i]: referenced vertices shaded i times
	Kind        string  `json:"kind"`      // strategy, model or hardware
	built.Program
}

// Analyze makes the row of what was counted of a subject.
func Analyze(of Subject, c *Counted) Analysis {
	st := &c.Stats
	a := Analysis{
		Schema: Schema, File: of.File, Order: of.Order, Strategy: c.Name, Kind: c.Kind, Backend: c.Backend, Device: c.Device, Program: built.By(),
		Draws: st.Draws, Vertices: st.Vertices, Referenced: st.Referenced, Triangles: st.Triangles, Indices: st.Indices,
		Invocations: st.Invocations, Reuse: st.Reuse(), Ideal: st.Ideal(), ACMR: st.ACMR(), ATVR: st.ATVR(),
		Utilization: st.LaneUtilization(), Histogram: st.Histogram,
	}
	if config := c.Config; config.Strategy != nil {
		a.Lanes, a.Batching, a.Batch, a.Unique = config.Lanes, config.Batching.String(), config.Batch, config.Strategy.MaxUnique(config)
	}
	return a
}

// manyIndices are so many that a device that is the CPU counts them for seconds.
const manyIndices = 20_000_000

// CPUHint says how to count a scene faster, where the backend's device is the CPU
// and the scene is large; else it is empty.
func CPUHint(b plan.Backend, s *geometry.Scene) string {
	d, ok := b.(interface{ Software() bool })
	if !ok || !d.Software() || reuse.ShapeIndices(s) < manyIndices {
		return ""
	}
	return fmt.Sprintf("%s is the CPU: --backend cpu counts large scenes faster, without its confirmation", b.Device())
}

// CountAll counts a subject in several ways, and tells the context how far it is. The notices are for the user.
func CountAll(ctx context.Context, b plan.Backend, of Subject, counters []*Counter) (all []*Counted, notices []string, err error) {
	for i, c := range counters {
		progress.Tell(ctx, float64(i)/float64(len(counters)))
		counted, err := c.Count(b, of.Scene)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, counted)
		if counted.Notice != "" {
			notices = append(notices, counted.Notice)
		}
	}
	return all, notices, nil
}
