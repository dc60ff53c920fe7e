package report

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/names"
)

// Verdict says of a given mesh what to do about it.
type Verdict struct {
	Text    string
	Command string // for a shell; empty if there is nothing to do
}

// worthwhile is the share of the invocations that another order must save to be advised.
const worthwhile = .02

// fileOrder is the order that a file has.
const fileOrder = "original"

// Verdicts returns a verdict on each of the given files.
func (r *Report) Verdicts() (list []Verdict) {
	for _, s := range r.given() {
		if v, counted := r.verdict(s); counted {
			list = append(list, v)
		}
	}
	return list
}

// verdict compares a file's own order with the best one for the graphics pipeline, and with the
// strategy that shades least without reordering.
func (r *Report) verdict(s *Scene) (v Verdict, counted bool) {
	own := r.find(s.Name, fileOrder, r.Hardware.Counter)
	if own == nil {
		return v, false
	}
	best, finds := own, (*Reuse)(nil)
	for i := range r.Reuse {
		switch u := &r.Reuse[i]; {
		case u.Scene != s.Name:
		case u.Counter == own.Counter && u.Stats.Invocations < best.Stats.Invocations:
			best = u
		case u.Order == fileOrder && u.findsRepeats() && (finds == nil || u.Stats.Invocations < finds.Stats.Invocations):
			finds = u
		}
	}
	who := "by the graphics pipeline of " + r.Run.Device
	if !r.Hardware.Measured {
		who = "by a GPU like the model " + own.Name
	}
	v.Text = fmt.Sprintf("%s: every vertex is shaded %.2f times on average %s", s.Name, own.Stats.ATVR(), who)
	better := float64(best.Stats.Invocations) < (1-worthwhile)*float64(own.Stats.Invocations)
	if better {
		v.Text += fmt.Sprintf(", in %s order %.2f times", best.Order, best.Stats.ATVR())
	}
	if finds != nil && finds.Stats.Invocations < own.Stats.Invocations {
		v.Text += fmt.Sprintf(". Strategy %s, which finds repeats while it draws, shades it %.2f times as it is", finds.Name, finds.Stats.ATVR())
	}
	switch {
	case better && s.Frame:
		v.Text += ". The draws that lose most are in"
		v.Command = "shadeonce analyze " + Quote(fileArgument(s.Path)) + " --per-draw --sort lost --strategy none --model " + own.Name + r.Run.Flags
	case better:
		v.Text += ". Run this command:"
		v.Command = "shadeonce convert " + Quote(fileArgument(s.Path), "--order", best.Order, "-o", fileArgument(reorderedName(s, best.Order)))
	default:
		v.Text += fmt.Sprintf(". No order that was counted saves %.0f %%: leave the file as it is.", 100*worthwhile)
	}
	return v, true
}

// findsRepeats reports whether a counter is a strategy that finds repeated indices while it draws,
// at its own sizes.
func (u *Reuse) findsRepeats() bool {
	s, err := reuse.Lookup(u.Name)
	return err == nil && u.Flags == "" && s.Streams() && !strings.HasPrefix(u.Name, Baseline)
}

// reorderedName returns a name for the file in another order, in the working folder: of the same
// format if that can be written and stores indices, else a GLB.
func reorderedName(s *Scene, order string) string {
	ext := filepath.Ext(strings.TrimSuffix(strings.TrimSuffix(s.Path, ".zst"), ".gz"))
	name := strings.Replace(s.Name, ext, "", 1)
	if !slices.Contains([]string{".ply", ".obj", ".glb", ".gltf"}, strings.ToLower(ext)) {
		ext = ".glb"
	}
	return name + "-" + order + ext
}

// fileArgument returns a path that no program takes for a flag.
func fileArgument(path string) string {
	if strings.HasPrefix(path, "-") {
		return "./" + path
	}
	return path
}

// paths returns the scenes' files as the user named them.
func (r *Report) paths(scenes []string) []string {
	return names.Of(scenes, func(name string) string { return fileArgument(r.scene(name).Path) })
}
