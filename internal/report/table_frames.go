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
			frames.Rows = append(frames.Rows, r.frameRow(s.Name, s, own))
		}
	}
	sets := grid{
		Caption: fmt.Sprintf("Of each captured frame, the draws with ideal reuse below %s, beside the paper's %s", ratio(LowIdeal, 1), likeSets),
		Head:    head,
	}
	if r.Sets != nil && len(r.Sets.Scenes) > 0 {
		row := paperRow(likeSets, len(own))
		row.Cells[0], row.Cells[1] = text(likeSets+" (paper)"), none()
		sets.Rows = append(sets.Rows, row)
		bySize := slices.Clone(r.Sets.Scenes)
		slices.SortStableFunc(bySize, func(a, b Scene) int { return cmp.Compare(b.Triangles, a.Triangles) })
		for i := range bySize {
			sets.Rows = append(sets.Rows, r.Sets.frameRow(bySize[i].Of, &bySize[i], own))
		}
	}
	return []grid{frames, sets}
}

// frameRow is a frame or its set, by the frame's name.
func (r *Report) frameRow(name string, s *Scene, own [][]string) gridRow {
	return gridRow{"", slices.Concat([]cell{text(name), number(grouped(s.Draws))}, r.oursRow(s, own).Cells[2:])}
}
