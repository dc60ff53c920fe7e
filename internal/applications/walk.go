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
	"github.com/shadeonce/shadeonce/internal/progress"
	"github.com/shadeonce/shadeonce/internal/replace"
)

// MaxSteps bounds the steps of a walk.
const MaxSteps = 10000

// WalkPaper has the paper's batches by strategy, section 6.3.
var WalkPaper = map[string]reuse.Params{
	"naive": {Batch: 576}, "warp": {Batch: 576},
	"hash": {Batch: 1536}, "phash": {Batch: 1536}, "sort": {Batch: 1536},
}

// Walk moves agents over a grid.
type Walk struct {
	Run
	Agents, Grid, Steps int
	Seed                uint32
	SortEvery           int // take agents in the order of their cells, sorted anew after so many steps; 0: never
}

// A walk takes about so many bytes per agent and per cell: what 10 million agents, and
// a grid of 4096 cells a side, were measured to take.
const (
	bytesPerAgent = 40
	bytesPerCell  = 90
)

// Do walks by every strategy, and writes the steps of the first one to a folder.
func (w *Walk) Do(ctx context.Context, path string) error {
	if err := FitsWalk(w.Agents, w.Grid); err != nil {
		return err
	}
	began := time.Now()
	start, err := walk.New(progress.Part(ctx, 0, .05), w.Agents, w.Grid, w.Seed)
	if err != nil {
		return err
	}
	tables := measure.Milliseconds(time.Since(began))
	share := .95 / float64(len(w.Configs))
	for i, c := range w.Configs {
		from := .05 + float64(i)*share
		ctx := progress.Part(ctx, from, from+share)
		copied := *start
		if i > 0 {
			err = w.steps(ctx, &copied, c, tables, nil)
		} else {
			err = replace.Failed(path, replace.Folder(path, func(folder string) error {
				out := walkFolder{path: folder, walk: &copied, steps: w.Steps}
				if err := w.steps(ctx, &copied, c, tables, out.add); err != nil {
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

// steps takes all steps by a strategy. seen, unless nil, is called at the start and
// after each step, with the agents' cells of the step before.
func (w *Walk) steps(ctx context.Context, state *walk.Walk, c reuse.Config, tables float64, seen func(ctx context.Context, before []uint32) error) error {
	var all reuse.Stats
	var took time.Duration
	if seen != nil {
		if err := seen(ctx, nil); err != nil {
			return err
		}
	}
	for step := range w.Steps {
		ctx := progress.Part(ctx, float64(step)/float64(w.Steps), float64(step+1)/float64(w.Steps))
		before := state.Agents
		began := time.Now()
		if w.SortEvery > 0 && step%w.SortEvery == 0 {
			if err := state.Sort(progress.Silent(ctx)); err != nil {
				return err
			}
		}
		st, _, err := state.Advance(ctx, c)
		if err != nil {
			return err
		}
		took += time.Since(began)
		st.Histogram = nil
		all.Add(st, 1)
		if seen != nil {
			if err := seen(ctx, before); err != nil {
				return err
			}
		}
	}
	w.add(Row{
		App: "walk", File: fmt.Sprintf("%d agents, %dx%d", w.Agents, w.Grid, w.Grid), Part: fmt.Sprintf("%d steps", w.Steps),
		Tables: tables, Hash: fmt.Sprintf("%016x", state.Sum()),
	}, c, took, all)
	return nil
}
