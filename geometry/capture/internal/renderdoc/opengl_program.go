package renderdoc

import "strings"

// programs knows at which attribute each program reads positions, where the
// attribute's name says so.
type programs struct {
	inputs  map[uint64]positionInput
	current uint64
}

// positionInput is an attribute that is named like a position.
type positionInput struct {
	location int64
	rank     int // how like it
}

// positionRank is how like a position's an attribute's name is, 0 for not at all.
func positionRank(name []byte) int {
	s := strings.ToLower(string(name))
	switch {
	case strings.HasPrefix(s, "gl_"):
		return 0
	case strings.HasSuffix(s, "position"):
		return 3
	case strings.Contains(s, "position"):
		return 2
	case strings.Contains(s, "pos"):
		return 1
	}
	return 0
}

// input takes note of an attribute of a program.
func (p *programs) input(program uint64, name, location elem) {
	at, ok := location.int()
	rank := positionRank(name.text())
	if !ok || at < 0 || rank == 0 {
		return
	}
	best, known := p.inputs[program]
	if !known || rank > best.rank || rank == best.rank && at < best.location {
		p.inputs[program] = positionInput{at, rank}
	}
}

// addProgramHandlers adds the handlers of what tells the attributes' names.
func (g *openGL) addProgramHandlers() {
	g.programs.inputs = map[uint64]positionInput{}
	g.handlers["glBindAttribLocation"] = func(_ *chunk, r elem) {
		g.programs.input(r.get("program").id(), r.get("name"), r.get("index"))
	}
	g.handlers["glUseProgram"] = func(_ *chunk, r elem) {
		if g.f.begun {
			g.programs.current = r.get("program").id()
		}
	}
}

// initial is a program as the frame found it: linked, so that this counts.
func (p *programs) initial(program uint64, r elem) {
	bindings := r.get("InputBindings").first()
	if bindings.there() {
		delete(p.inputs, program)
	}
	for ; bindings.there(); bindings = bindings.next() {
		p.input(program, bindings.get("Name"), bindings.get("Binding"))
	}
}

// location is where the program in use reads positions, or -1.
func (p *programs) location() int64 {
	if in, ok := p.inputs[p.current]; ok {
		return in.location
	}
	return -1
}
