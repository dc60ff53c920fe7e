package renderdoc

import (
	"math"
	"strings"

	"github.com/shadeonce/shadeonce/internal/must"
)

// addDrawHandlers adds the handlers of draws.
func (g *openGL) addDrawHandlers() {
	for _, name := range []string{
		"glDrawArrays", "glDrawArraysInstanced", "glDrawArraysInstancedBaseInstance",
		"glDrawElements", "glDrawElementsInstanced", "glDrawElementsInstancedBaseInstance", "glDrawElementsBaseVertex",
		"glDrawElementsInstancedBaseVertex", "glDrawElementsInstancedBaseVertexBaseInstance", "glDrawRangeElements", "glDrawRangeElementsBaseVertex",
	} {
		g.handlers[name] = func(c *chunk, r elem) { g.draw(c, r, readOne) }
	}
	for _, name := range []string{"glMultiDrawArrays", "glMultiDrawElements", "glMultiDrawElementsBaseVertex"} {
		g.handlers[name] = func(c *chunk, r elem) { g.draw(c, r, readMany) }
	}
	for _, name := range []string{
		"glDrawArraysIndirect", "glDrawElementsIndirect", "glMultiDrawArraysIndirect", "glMultiDrawElementsIndirect",
		"glMultiDrawArraysIndirectCount", "glMultiDrawElementsIndirectCount",
	} {
		g.handlers[name] = func(c *chunk, r elem) { g.draw(c, r, g.readIndirect) }
	}
}

// draw adds a draw, with the state that it depends on.
func (g *openGL) draw(c *chunk, r elem, read func(d *draw, r elem) (why string)) {
	if !g.f.begun {
		return
	}
	call := string(c.name)
	d, why := g.newDraw(call, r)
	if why == "" {
		why = read(d, r)
	}
	if why != "" {
		g.f.skip(call, why)
		return
	}
	d.name = g.name(call)
	d.shading = g.shadingNow()
	g.f.add(d)
}

// newDraw is a draw with what is bound, or why there is none.
func (g *openGL) newDraw(call string, r elem) (d *draw, why string) {
	topology, mode := notTriangles, r.get("mode").enum()
	switch mode {
	case "GL_TRIANGLES":
		topology = list
	case "GL_TRIANGLE_STRIP":
		topology = strip
	case "GL_TRIANGLE_FAN":
		topology = fan
	default:
		return nil, "no triangles (" + mode + ")"
	}
	must.OK(g.f.budget.Work(8 * int64(len(g.current.attributes))))
	p, why := g.current.position(g.programs.location())
	if why != "" {
		return nil, why
	}
	d = &draw{call: call, topology: topology, position: p}
	if !strings.Contains(call, "Elements") {
		return d, ""
	}
	d.width = map[string]int64{"GL_UNSIGNED_BYTE": 1, "GL_UNSIGNED_SHORT": 2, "GL_UNSIGNED_INT": 4}[r.get("type").enum()]
	if d.width == 0 || g.current.indices == 0 {
		return nil, "no index buffer that is known"
	}
	d.indices = extent{g.current.indices, 0, wholeBuffer}
	switch {
	case g.restartFixed:
		d.restart, d.at = true, uint32(uint64(1)<<(8*d.width)-1)
	case g.restart:
		d.restart, d.at = true, g.restartAt
	}
	return d, ""
}

// one makes the arguments of one draw of what its parameters are.
func (d *draw) one(count, first, instances, base, instance elem) (why string) {
	a := arguments{instances: 1}
	n, ok := count.int()
	at, firstOK := first.int()
	if !ok || !firstOK || n < 0 || n > math.MaxInt32 || at < 0 || at >= wholeBuffer/2 {
		return "without its arguments"
	}
	a.count, a.first = uint32(n), at
	if d.width > 0 {
		if at%d.width != 0 {
			return "indices that are not aligned"
		}
		a.first /= d.width
	}
	if instances.there() {
		n, ok := instances.int()
		if !ok || n < 0 || n > math.MaxInt32 {
			return "without its arguments"
		}
		a.instances = uint32(n)
	}
	if base.there() {
		if a.base, ok = base.int(); !ok {
			return "without its arguments"
		}
	}
	if n, ok := instance.uint(); ok && n <= math.MaxUint32 {
		a.instance = uint32(n)
	}
	d.calls = append(d.calls, a)
	return ""
}

func readOne(d *draw, r elem) (why string) {
	return d.one(r.get("count"), r.any("first", "indices"), r.get("instancecount"), r.get("basevertex"), r.get("baseinstance"))
}

func readMany(d *draw, r elem) (why string) {
	first, base := r.any("first", "indices").first(), r.get("basevertex").first()
	for count := r.get("count").first(); count.there(); count = count.next() {
		if why := d.one(count, first, elem{}, base, elem{}); why != "" {
			return why
		}
		first, base = first.next(), base.next()
	}
	return ""
}

func (g *openGL) readIndirect(d *draw, r elem) (why string) {
	if g.arguments == 0 {
		return "no buffer of arguments that is known"
	}
	at, ok := r.any("offset", "indirect").int()
	if !ok || at < 0 || at >= wholeBuffer/2 {
		return "without its arguments"
	}
	in := &indirect{from: extent{g.arguments, at, wholeBuffer}, draws: 1}
	if e := r.any("maxdrawcount", "drawcount"); e.there() {
		if in.draws, ok = e.int(); !ok || in.draws < 0 || in.draws > math.MaxInt32 {
			return "without its arguments"
		}
	}
	if strings.Contains(d.call, "IndirectCount") {
		at, ok := r.get("drawcount").int()
		if !ok || at < 0 || at >= wholeBuffer/2 || g.parameters == 0 {
			return "without its arguments"
		}
		in.whereCount, in.count = true, extent{g.parameters, at, wholeBuffer}
	}
	in.stride = r.get("stride").number() // 0 for tightly packed
	d.indirect = in
	return ""
}
