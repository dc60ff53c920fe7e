package plan

import (
	"fmt"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/names"
)

// strategyText describes the strategy and how its lanes run.
func (p *Plan) strategyText() string {
	if p.Frame.Reuse.Strategy == nil || !p.Frame.Reuse.Strategy.UsesLanes {
		return p.reuseText()
	}
	return p.reuseText() + map[bool]string{true: ", native", false: ", virtual"}[p.Native]
}

// String returns the plan as `shadeonce render --plan` prints it.
func (p *Plan) String() string {
	var b strings.Builder
	f := &p.Frame
	fmt.Fprintf(&b, "frame  %s, %s, %s queue, %s view, %dx%d\n", f.Scene.Name, p.strategyText()+f.VertexText(), f.Queue, f.View, f.Width, f.Height)
	fmt.Fprintf(&b, "stream %s in %s, %s, %s\n", names.Count(f.Scene.Triangles(), "triangle"), names.Count(len(f.Scene.Draws), "draw"),
		p.batchesText(), names.Count(len(p.Chunks), "chunk"))
	fmt.Fprintf(&b, "recipe %s\n", p.Recipe)
	b.WriteString(p.Choice.String())
	for _, buf := range p.Buffers {
		fmt.Fprintf(&b, "buffer %-17s %12d bytes  %s  (from %s)\n", buf.Name, buf.Bytes, buf.Shape, buf.From)
	}
	for i := range p.Passes {
		pass := &p.Passes[i]
		fmt.Fprintf(&b, "pass %s %-16s %-8s%s", map[bool]string{true: "+", false: " "}[pass.Beside], pass.Name, pass.Op.kind(), p.opText(pass))
		if pass.Once {
			b.WriteString(", the same for every camera")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// opText describes a pass's operation.
func (p *Plan) opText(pass *Pass) string {
	switch op := pass.Op.(type) {
	case *Clear:
		text := ""
		for _, u := range pass.Uses {
			text += " " + p.Buffers[u.Buffer].Name
		}
		return text
	case *Dispatch:
		text := fmt.Sprintf(" chunk %d, %dx%d workgroups", op.Push.Chunk, op.Groups[0], op.Groups[1])
		if op.Indirect != nil {
			text += fmt.Sprintf(" at most, as %s says", p.Buffers[op.Indirect.Buffer].Name)
		}
		return text
	case *Mesh:
		return fmt.Sprintf(" chunk %d, %dx%d workgroups", op.Push.Chunk, op.Groups[0], op.Groups[1])
	case *Draw:
		if op.Range[1] > 0 {
			return fmt.Sprintf(" chunk %d, triangles %d to %d", op.Push.Chunk, op.Range[0], op.Range[0]+op.Range[1]-1)
		}
		return fmt.Sprintf(" chunk %d, at most %s", op.Push.Chunk, names.Count(int(op.Push.TriangleCount), "triangle"))
	case *Upload:
		return fmt.Sprintf(" window %d", op.Window)
	case *Fetch:
		return fmt.Sprintf(" window %d", op.Window)
	case *Direct:
		return " " + names.Count(len(p.Frame.Scene.Draws), "indexed draw")
	}
	return ""
}

// batchesText says how many batches there are, and windows if the plan has any.
func (p *Plan) batchesText() string {
	text := fmt.Sprintf("%d batches", p.BatchCount)
	if p.BatchCount == 1 {
		text = "1 batch"
	}
	if p.FittedTo > 0 {
		text += fmt.Sprintf(" of at most %d indices, chosen for %s", p.Frame.Reuse.Batch, names.Count(p.FittedTo, "multiprocessor"))
	}
	return text + p.windowsText()
}
