package app

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"image"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/viewer/load"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/renderer"
)

// TestTransitionsStayAsTheyAre: a seed chooses keys, orders, draws, sizes and files, some of which cannot be drawn. For each
// seed, testdata/transitions.txt has a digest of the jobs, messages, settings and counts that follow. -update writes the
// digests anew. A failure shows the log of the first seed whose digest differs.
func TestTransitionsStayAsTheyAre(t *testing.T) {
	const path = "testdata/transitions.txt"
	want := must.Get(os.ReadFile(path))
	lines := strings.Split(string(want), "\n")
	var digests strings.Builder
	for seed := range 16 {
		log := transitions(t, uint64(seed))
		line := fmt.Sprintf("%d %.8x", seed, sha256.Sum256([]byte(log)))
		fmt.Fprintln(&digests, line)
		if flag.Lookup("update").Value.String() != "true" {
			require.Equal(t, lines[min(seed, len(lines)-1)], line, "go test ./internal/viewer/app -run TestTransitionsStayAsTheyAre -update; now:\n%s", log)
		}
	}
	if digests.String() != string(want) {
		require.NoError(t, os.WriteFile(path, []byte(digests.String()), 0o644))
	}
}

// transitions performs actions that a seed chooses, and returns a log of their results.
func transitions(t *testing.T, seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 7))
	s := newStudio(t, "city1")
	var log strings.Builder
	for range 14 {
		fails := r.IntN(6) == 0
		for _, e := range []*easel{s.left, s.right} {
			if e != nil {
				e.fail = func(f *renderer.Frame) error {
					shown := &s.Shown // the shown plans are drawn again, which must not fail
					if fails && f.Reuse.Strategy.Name > "m" && !slices.ContainsFunc([]*plan.Plan{shown.Left.Plan, shown.Right.Plan, shown.Difference.Plan}, func(p *plan.Plan) bool { return p != nil && f == &p.Frame }) {
						return errors.New("no memory")
					}
					return nil
				}
			}
		}
		what, changes := "", []model.Change(nil)
		switch n := r.IntN(12); n {
		case 0:
			names := order.Names()
			what = names[r.IntN(len(names))]
			s.order(what)
			if s.IndexOrder = what; r.IntN(2) == 0 {
				s.Other.Order = what
			}
		case 1:
			s.Alone = r.IntN(4)
			what = fmt.Sprint("draw ", s.Alone)
		case 2:
			w := s.wanted()
			w.Size = image.Pt(24+8*r.IntN(3), 24)
			what, changes = fmt.Sprint("size ", w.Size), s.do(w)
		case 3:
			what = []string{"cube", "city1"}[r.IntN(2)]
			changes = s.open(what, []string{load.FileOrder, "random"}[r.IntN(2)])
		default:
			keys := []string{"S", "Shift+S", "L", "V", "U", "K", "M", "C", "C", "Shift+C", "I", "1", "Z"}
			what = keys[r.IntN(len(keys))]
			k, by := model.FindKey(what)
			k.Press(&s.State, by)
		}
		changes = append(changes, s.settle()...)
		fmt.Fprintf(&log, "%s, fails %t: jobs %v, said %v, %s\n", what, fails, changes, s.told, s.pictureName())
		fmt.Fprintf(&log, "  wanted %+v, shown as %v, drawn %d and shown %d times, box %.2f to %.2f\n", s.Choices, s.Shown.Compare, s.left.drawn, s.left.showed, s.Box.Min, s.Box.Max)
		for _, h := range s.Shown.Halves() {
			fmt.Fprintf(&log, "  %s, order %s, alone %d, %d draws, %v, camera %.2f, rerun %t, %+v, %+v\n", h.Scene.Name, h.Order, h.Alone, len(h.Scene.Draws), h.Size, h.Camera.Azimuth, h.Rerun, h.Settings, h.Stats)
			fmt.Fprintf(&log, "  %x\n", sha256.Sum256(fmt.Append(nil, h.Counts, h.Scene.Indices, h.Scene.Draws)))
		}
		if d := s.Shown.Difference.Plan; d != nil {
			fmt.Fprintf(&log, "  difference %x\n", sha256.Sum256(fmt.Append(nil, d.Frame.Shown)))
		}
		s.told = nil
	}
	return log.String()
}
