package plan

import (
	"fmt"
	"strings"
)

// strategyText is the strategy with how its lanes run.
func (p *Plan) strategyText() string {
	if p.Frame.Reuse.Strategy == nil || !p.Frame.Reuse.Strategy.UsesLanes {
		return p.reuseText()
	}
	return p.reuseText() + map[bool]string{true: ", native", false: ", virtual"}[p.Native]
}

// String prints the plan as `shadeonce render --plan` does.
func (p *Plan) String() string {
	var b strings.Builder
	f := &p.Frame
	fmt.Fprintf(&b, "frame  %s, %s, %s queue, %s view, %dx%d\n", f.Scene.Name, p.strategyText()+f.VertexText(), f.Queue, f.View, f.Width, f.Height)
	fmt.Fprintf(&b, "stream %d triangles in %d draws, %s, %d chunks\n", f.Scene.Triangles(), len(f.Scene.Draws), p.batchesText(), len(p.Chunks))
	for _, buf := range p.Buffers {
		fmt.Fprintf(&b, "buffer %-17s %12d bytes  %s  (from %s)\n", buf.Name, buf.Bytes, buf.Shape, buf.From)
	}
	for i := range p.Passes {
		pass := &p.Passes[i]
		fmt.Fprintf(&b, "pass %s %-16s %-8s", map[bool]string{true: "+", false: " "}[pass.Beside], pass.Name, pass.Kind)
		switch pass.Kind {
		case Clear:
			fmt.Fprintf(&b, " %s", strings.Join(pass.Writes, " "))
		case Dispatch:
			fmt.Fprintf(&b, " chunk %d, %dx%d workgroups", pass.Push.Chunk, pass.Groups[0], pass.Groups[1])
			if pass.Indirect != "" {
				fmt.Fprintf(&b, " at most, as %s says", pass.Indirect)
			}
		case Raster:
			if pass.Range[1] > 0 {
				fmt.Fprintf(&b, " chunk %d, triangles %d to %d", pass.Push.Chunk, pass.Range[0], pass.Range[0]+pass.Range[1]-1)
				break
			}
			fmt.Fprintf(&b, " chunk %d, at most %d triangles", pass.Push.Chunk, pass.Push.TriangleCount)
		case Upload, Fetch:
			fmt.Fprintf(&b, " window %d", pass.Window)
		case Direct:
			fmt.Fprintf(&b, " %d indexed draws", len(f.Scene.Draws))
		}
		if pass.Once {
			b.WriteString(", the same for every camera")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// batchesText is how many batches there are, and windows where the plan has any.
func (p *Plan) batchesText() string {
	if p.Windowed() {
		return fmt.Sprintf("%d batches, %d windows", p.BatchCount(), len(p.Windows))
	}
	return fmt.Sprintf("%d batches", p.BatchCount())
}
