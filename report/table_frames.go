package report

import "fmt"

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

// framesGrid is table 1 for captured frames: each frame, and below it its
// low-reuse set; then the paper's tree beside them.
func (r *Report) framesGrid(head []string, own [][]string) grid {
	g := grid{Caption: "Captured frames of games", Head: head}
	sets := false
	for i := range r.Scenes {
		s := &r.Scenes[i]
		if !s.Frame {
			continue
		}
		row := r.oursRow(s, own)
		row.Class = ""
		g.Rows = append(g.Rows, row)
		for k := range r.Sets {
			if r.Sets[k].Of == s.Name {
				g.Rows = append(g.Rows, r.Sets[k].row(own))
				sets = true
			}
		}
	}
	if sets {
		g.Rows = append(g.Rows, paperRow(likeSets, len(own)))
	}
	return g
}

func (s *Set) row(own [][]string) gridRow {
	named := func(keep func(*Reuse) bool) *Reuse {
		for i := range s.Reuse {
			if keep(&s.Reuse[i]) {
				return &s.Reuse[i]
			}
		}
		return nil
	}
	row := gridRow{classOurs, []cell{text(s.Scene.Name), text("ours"), number(grouped(s.Scene.Vertices)), number(grouped(s.Scene.Triangles))}}
	for _, c := range PaperColumns {
		row.Cells = append(row.Cells, reuseCell(named(func(u *Reuse) bool { return u.Column == c && u.Reading == "" })))
	}
	for _, names := range own {
		row.Cells = append(row.Cells, reuseCell(named(func(u *Reuse) bool { return u.Counter == names[0] })))
	}
	return row
}
