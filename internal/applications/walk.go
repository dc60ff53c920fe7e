package applications

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/geometry/apps/walk"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/names"
	"github.com/shadeonce/shadeonce/internal/progress"
	"github.com/shadeonce/shadeonce/internal/replace"
	"github.com/shadeonce/shadeonce/renderer/stream"
)

// MaxSteps bounds the steps of a walk.
const MaxSteps = 10000

// WalkPaper has the paper's batches by strategy, section 6.3.
var WalkPaper = map[string]reuse.Params{
	"naive": {Batch: 576}, "warp": {Batch: 576},
	"hash": {Batching: "dynamic", Batch: 1536}, "phash": {Batching: "dynamic", Batch: 1536}, "sort": {Batching: "dynamic", Batch: 1536},
}

// Walk moves agents over a grid.
type Walk struct {
	Run
	Agents, Grid, Steps int
	Seed                uint32
	// SortEvery has a number for each walk of every strategy: how many steps there are from
	// one sort of the agents by their cells to the next; 0 stands for none.
	SortEvery []int

	notices []string
}

// walkBy is how one of the walks is taken.
type walkBy struct {
	config    reuse.Config
	sortEvery int
}

// sorts says whether the agents are sorted ahead of a step.
func (b walkBy) sorts(step int) bool { return b.sortEvery > 0 && step%b.sortEvery == 0 }

// ways are the walks to take.
func (w *Walk) ways() (list []walkBy) {
	for _, every := range w.SortEvery {
		for _, c := range w.Configs {
			list = append(list, walkBy{c, every})
		}
	}
	return list
}

// Do walks by every strategy, and writes the steps of the first walk to a folder, unless
// its path is empty.
func (w *Walk) Do(ctx context.Context, path string) error {
	w.Configs = w.fitted(w.Agents)
	if err := w.fits(); err != nil {
		return err
	}
	began := time.Now()
	start, err := walk.New(progress.Part(ctx, 0, .05), w.Agents, w.Grid, w.Seed)
	if err != nil {
		return err
	}
	tables := measure.Milliseconds(time.Since(began))
	if w.Agents > largeWalk && path != "" {
		w.notice("%d agents: "+largeWalkTerms, w.Agents, sampledAgents, maxLargeSide)
	}
	ways := w.ways()
	share := .95 / float64(len(ways))
	for i, by := range ways {
		from := .05 + float64(i)*share
		ctx := progress.Part(ctx, from, from+share)
		if i > 0 || path == "" {
			err = w.walk(ctx, start, by, tables, nil)
		} else {
			err = replace.Failed(path, replace.Folder(path, func(folder string) error {
				out := walkFolder{path: folder, tables: start.Tables, agents: w.Agents, steps: w.Steps}
				if err := w.walk(ctx, start, by, tables, &out); err != nil {
					return err
				}
				return errors.Join(out.finish(), CheckWalkFolder(path)) // much time has passed since the first look
			}))
		}
		if err != nil {
			return err
		}
	}
	if slices.ContainsFunc(w.rows, func(r Row) bool { return r.Hash != w.rows[0].Hash }) {
		return errors.New("the strategies did not move the agents alike")
	}
	return nil
}

// Rows returns the rows. Walks whose agents are sorted are compared with the naive
// strategies on agents that are not, where there are such rows.
func (w *Walk) Rows() []Row {
	rows := w.Run.Rows()
	for i := range rows {
		row := &rows[i]
		for _, other := range rows {
			switch {
			case other.Part != w.part(0) || row.Milliseconds == 0:
			case other.Strategy == "naive":
				row.VsNaive = other.Milliseconds / row.Milliseconds
			case other.Strategy == "naive-index":
				row.VsNaiveIndex = other.Milliseconds / row.Milliseconds
			}
		}
	}
	return rows
}

// part names the work in rows.
func (w *Walk) part(sortEvery int) string {
	steps := names.Count(w.Steps, "step")
	switch sortEvery {
	case 0:
		return steps
	case 1:
		return steps + ", sorted before each"
	}
	return fmt.Sprintf("%s, sorted every %d", steps, sortEvery)
}

// walk takes a walk, and adds its row.
func (w *Walk) walk(ctx context.Context, start *walk.Walk, by walkBy, tables float64, out *walkFolder) error {
	state, err := w.open(ctx, start, by)
	if err != nil {
		return err
	}
	defer state.Close()
	all, took, err := w.steps(progress.Part(ctx, 0, .8), start, state, by, out)
	if err != nil {
		return err
	}
	agents, err := state.Agents(ctx)
	if err != nil {
		return err
	}
	hash := fmt.Sprintf("%016x", walk.Sum(agents))
	if took, err = w.time(ctx, state, start, by, took); err != nil {
		return err
	}
	w.add(Row{
		App: "walk", File: fmt.Sprintf("%d agents, %dx%d", w.Agents, w.Grid, w.Grid), Part: w.part(by.sortEvery),
		Tables: tables, Cutting: measure.Milliseconds(took.Cutting), Sorting: measure.Milliseconds(took.Sorting), Hash: hash,
	}, by.config, took.Device(), all)
	return nil
}

// steps takes all steps. out, unless nil, gets the start and each step.
func (w *Walk) steps(ctx context.Context, start *walk.Walk, state walkState, by walkBy, out *walkFolder) (all reuse.Stats, took stream.WalkTime, err error) {
	check, err := w.newCheck(start, by)
	if err != nil {
		return all, took, err
	}
	occupancy, err := state.Occupancy(ctx)
	if err != nil {
		return all, took, err
	}
	if err := out.add(ctx, 0, occupancy, state); err != nil {
		return all, took, err
	}
	for step := range w.Steps {
		ctx := progress.Part(ctx, float64(step)/float64(w.Steps), float64(step+1)/float64(w.Steps))
		if err := take(ctx, state, by, step, &took); err != nil {
			return all, took, err
		}
		counts, err := state.Counts()
		if err != nil {
			return all, took, err
		}
		all.Add(w.stats(occupancy, counts), 1)
		if w.Verify {
			if err := check.step(ctx, state, step); err != nil {
				return all, took, err
			}
		}
		if occupancy, err = state.Occupancy(ctx); err != nil {
			return all, took, err
		}
		if err := out.add(ctx, step+1, occupancy, state); err != nil {
			return all, took, err
		}
		progress.Tell(ctx, 1)
	}
	return all, took, nil
}

// take takes a step, and adds its time.
func take(ctx context.Context, state walkState, by walkBy, step int, sum *stream.WalkTime) error {
	if by.sorts(step) {
		took, err := state.Sort(progress.Silent(ctx))
		if err != nil {
			return err
		}
		sum.Sorting += took
	}
	took, err := state.Advance(ctx)
	sum.Add(took)
	return err
}

// stats are those of a step, from the occupancy before it and how often each cell was
// shaded.
func (w *Walk) stats(occupancy, counts []uint32) reuse.Stats {
	corners := (w.Agents + 2) / 3 * 3
	st := reuse.Stats{Draws: 1, Vertices: len(counts), Referenced: walk.Occupied(occupancy), Triangles: corners / 3, Indices: corners}
	for _, n := range counts {
		st.Invocations += int(n)
	}
	return st
}

// notice notes once what the user should know.
func (w *Walk) notice(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(w.notices, text) {
		w.notices = append(w.notices, text)
	}
}

// Notices say what was left out or done otherwise since the walk is large.
func (w *Walk) Notices() []string { return w.notices }
