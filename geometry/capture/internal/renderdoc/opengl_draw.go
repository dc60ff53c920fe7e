package renderdoc

import (
	"math"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// addDrawCalls adds the draw calls.
func (g *openGL) addDrawCalls() {
	for names, read := range map[string]func(d *draw, r elem){
		"glDrawArrays, glDrawArraysInstanced, glDrawArraysInstancedBaseInstance, " +
			"glDrawElements, glDrawElementsInstanced, glDrawElementsInstancedBaseInstance, " +
			"glDrawElementsBaseVertex, glDrawElementsInstancedBaseVertex, glDrawElementsInstancedBaseVertexBaseInstance, " +
			"glDrawRangeElements, glDrawRangeElementsBaseVertex": readOne,
		"glMultiDrawArrays, glMultiDrawElements, glMultiDrawElementsBaseVertex": readMany,
		"glDrawArraysIndirect, glDrawElementsIndirect, glMultiDrawArraysIndirect, glMultiDrawElementsIndirect, " +
			"glMultiDrawArraysIndirectCount, glMultiDrawElementsIndirectCount": g.readIndirect,
	} {
		g.inFrame(map[string]func(elem){names: func(r elem) {
			g.f.try(r.call(), func() { g.draw(r, read) })
		}})
	}
}

var openGLTopologies = map[string]topology{"GL_TRIANGLES": list, "GL_TRIANGLE_STRIP": strip, "GL_TRIANGLE_FAN": fan}

// draw adds a draw, with the state that it depends on.
func (g *openGL) draw(r elem, read func(d *draw, r elem)) {
	d := &draw{call: r.call(), topology: topologyOf(r.get("mode").enum(), openGLTopologies)}
	must.OK(g.f.budget.Work(8 * int64(len(g.current.attributes))))
	d.position = g.current.position(g.programs[g.program])
	if strings.Contains(d.call, "Elements") {
		g.indices(d, r.get("type").enum())
	}
	read(d, r)
	if g.passInto != g.drawInto { // a pass lasts while draws go to the same framebuffer
		g.f.passes++
		g.passInto = g.drawInto
	}
	d.event, d.name = g.f.event, g.f.drawName(g.f.passName(g.drawInto), g.groups, d.call)
	d.shading = g.shading()
	g.f.add(d)
}

func (g *openGL) indices(d *draw, typ string) {
	d.width = map[string]int64{"GL_UNSIGNED_BYTE": 1, "GL_UNSIGNED_SHORT": 2, "GL_UNSIGNED_INT": 4}[typ]
	if d.width == 0 || g.current.indices == 0 {
		leaveOut(noIndexBuffer)
	}
	d.indices = wholeOf(g.current.indices)
	d.restarts, d.restartAt = g.restart, g.restartAt
	if g.restartFixed {
		d.restarts, d.restartAt = true, largest(d.width)
	}
}

// mostOffset exceeds any offset, and the sum of two does not overflow.
const mostOffset = wholeBuffer/2 - 1

// one adds the arguments of one draw.
func (d *draw) one(count, first, instances, base, instance elem) {
	a := arguments{count: uint32(count.argument(math.MaxInt32)), first: first.argument(mostOffset), instances: 1}
	if d.width > 0 {
		if a.first%d.width != 0 {
			leaveOut("indices that are not aligned")
		}
		a.first /= d.width
	}
	if instances.there() {
		a.instances = uint32(instances.argument(math.MaxInt32))
	}
	if base.there() {
		a.base = base.signed()
	}
	if n, ok := instance.uint(); ok && n <= math.MaxUint32 {
		a.instance = uint32(n)
	}
	d.calls = append(d.calls, a)
}

func readOne(d *draw, r elem) {
	d.one(r.get("count"), r.get("first", "indices"), r.get("instancecount"), r.get("basevertex"), r.get("baseinstance"))
}

func readMany(d *draw, r elem) {
	first, base := r.get("first", "indices").first(), r.get("basevertex").first()
	for _, count := range r.each("count") {
		d.one(count, first, elem{}, base, elem{})
		first, base = first.next(), base.next()
	}
}

func (g *openGL) readIndirect(d *draw, r elem) {
	if g.arguments == 0 {
		leaveOut("its buffer of arguments is not known")
	}
	in := &indirect{from: wholeOf(g.arguments).from(r.get("offset", "indirect").argument(mostOffset)), draws: 1}
	if e := r.get("maxdrawcount", "drawcount"); e.there() {
		in.draws = e.argument(math.MaxInt32)
	}
	if strings.Contains(d.call, "IndirectCount") {
		if g.parameters == 0 {
			leaveOut(noArguments)
		}
		in.whereCount, in.count = true, wholeOf(g.parameters).from(r.get("drawcount").argument(mostOffset))
	}
	in.stride = r.get("stride").number() // 0 if tightly packed
	d.indirect = in
}
