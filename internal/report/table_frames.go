package report

import (
	"cmp"
	"fmt"
	"slices"
)

// LowIdeal is the ideal reuse below which a frame's draws make its low-reuse set:
// foliage, mostly, as the paper's tree is.
const LowIdeal = .4

// likeSets is the paper's scene that low-reuse sets stand beside.
const likeSets = "tree"

// Set is a part of a frame's draws, counted in the paper's order.
type Set struct {
	Scene Scene   // its Name tells of what frame and what part
	Of    string  // Scene.Name of the frame
	Reuse []Reuse // every counter
}

// SetName is the name of a frame's low-reuse set.
func SetName(frame string) string {
	return fmt.Sprintf("%s, draws with ideal reuse below %g", frame, LowIdeal)
}

// frameGrids are table 1 for captured frames: the frames, and their low-reuse
// sets, from large to small, below the paper's tree. head is that of the other
// grids.
func (r *Report) frameGrids(head []string, own [][]string) []grid {
	head = slices.Concat([]string{"frame", "draws"}, head[2:])
	frames := grid{Caption: "Captured frames of games", Head: head}
	for i := range r.Scenes {
		if s := &r.Scenes[i]; s.Frame {
			frames.Rows = append(frames.Rows, frameRow(s.Name, s, r.oursRow(s, own).Cells[2:]))
		}
	}
	sets := grid{
		Caption: fmt.Sprintf("Of each captured frame, the draws with ideal reuse below %s, beside the paper's %s", ratio(LowIdeal, 1), likeSets),
		Head:    head,
	}
	if len(r.Sets) > 0 {
		row := paperRow(likeSets, len(own))
		row.Cells[0], row.Cells[1] = text(likeSets+" (paper)"), none()
		sets.Rows = append(sets.Rows, row)
	}
	bySize := slices.Clone(r.Sets)
	slices.SortStableFunc(bySize, func(a, b Set) int { return cmp.Compare(b.Scene.Triangles, a.Scene.Triangles) })
	for i := range bySize {
		sets.Rows = append(sets.Rows, frameRow(bySize[i].Of, &bySize[i].Scene, bySize[i].cells(own)))
	}
	return []grid{frames, sets}
}

// frameRow is a frame or a part of it; rest are the cells behind its draws.
func frameRow(name string, s *Scene, rest []cell) gridRow {
	return gridRow{"", slices.Concat([]cell{text(name), number(grouped(s.Draws))}, rest)}
}

// cells are a set's sizes and reuse, in the order of oursRow.
func (s *Set) cells(own [][]string) []cell {
	named := func(keep func(*Reuse) bool) *Reuse {
		for i := range s.Reuse {
			if keep(&s.Reuse[i]) {
				return &s.Reuse[i]
			}
		}
		return nil
	}
	cells := []cell{number(grouped(s.Scene.Vertices)), number(grouped(s.Scene.Triangles))}
	for _, c := range PaperColumns {
		cells = append(cells, reuseCell(named(func(u *Reuse) bool { return u.Column == c && u.Reading == "" })))
	}
	for _, names := range own {
		cells = append(cells, reuseCell(named(func(u *Reuse) bool { return u.Counter == names[0] })))
	}
	return cells
}
