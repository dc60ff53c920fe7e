package vertexshader

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/internal/names"
	"github.com/shadeonce/shadeonce/renderer"
)

// unknownMember is the error for a name that none of the members has.
func unknownMember(name string, members []*member) error {
	have := make([]string, len(members))
	for i, m := range members {
		have[i] = m.name
	}
	return names.Unknown("member", name, have)
}

// lookUp finds the member of a name, which may leave out its beginning: "color" is
// Scene.light.color where no other member, and no shorter path, ends so.
func lookUp(blocks []*member, name string) (*member, error) {
	path, ok := parsePath(name)
	if !ok {
		return nil, fmt.Errorf("%.60q is no name of a member: want one as light.color or bones[2]", name)
	}
	if m := (&member{members: blocks}).find(path); m != nil {
		return m, nil
	}
	for holders := blocks; len(holders) > 0; {
		var found, next []*member
		for _, h := range holders {
			if m := h.find(path); m != nil {
				found = append(found, m)
			}
			next = append(next, h.members...)
		}
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			return nil, fmt.Errorf("%q is in several places: %s", name, strings.Join(paths(found), ", "))
		}
		holders = next
	}
	if len(blocks) == 0 {
		return nil, fmt.Errorf("%q: the shader reads no blocks of values", name)
	}
	have := allNames(blocks)
	full := append(paths(blocks), have...)
	return nil, names.NotAmong("member", name, names.Nearest(name, full), strings.Join(have, ", "))
}

func paths(members []*member) (list []string) {
	for _, m := range members {
		list = append(list, m.path())
	}
	return list
}

// allNames are the names of all members that can have a value of their own.
func allNames(blocks []*member) (list []string) {
	for _, b := range blocks {
		b.each(func(m *member) bool {
			if m.parent != nil && m.members == nil {
				list = append(list, m.short())
			}
			return m.element == nil
		})
	}
	return list
}

// filling is a member that the frame fills in.
type filling struct {
	*member
	what       renderer.WellKnown
	transposed bool // beside what the language asks for
}

// suits says whether a member can hold a well-known value, or part of it.
func (m *member) suits(what renderer.WellKnown) bool {
	columns, rows := what.Shape()
	switch {
	case m.element != nil || m.members != nil || m.base != floats || m.bits != 32:
		return false
	case columns > 1:
		return m.columns >= 3 && m.rows >= 3
	case rows > 1:
		return !m.isMatrix() && m.rows >= 2
	}
	return !m.isMatrix() && m.rows == 1
}

// shapeText is what a member must be to hold a well-known value.
func shapeText(what renderer.WellKnown) string {
	switch columns, rows := what.Shape(); {
	case columns > 1:
		return "a matrix of floats with 3 columns and rows at least"
	case rows > 1:
		return "a vector of floats"
	}
	return "a float"
}

// fillings are the members that the frame fills in: those that the file names so, and, of
// the others that it gives no value, those whose names say so.
func fillings(blocks []*member, p *packer) (list []filling, err error) {
	for _, e := range p.wellKnown {
		text, err := p.text(e)
		if err != nil {
			return nil, err
		}
		m, err := lookUp(blocks, e.name)
		if err != nil {
			return nil, p.at(e.key, "%w", err)
		}
		what, transposed, err := parseWellKnown(text)
		if err != nil {
			return nil, p.at(e.node, "%w", err)
		}
		if !m.suits(what) {
			return nil, p.at(e.node, "%s is %s: %s needs %s", m.short(), m.typeName(), what, shapeText(what))
		}
		if p.has(m) {
			return nil, p.at(e.key, "%s has a value too", m.short())
		}
		list = append(list, filling{m, what, transposed})
	}
	for _, b := range blocks {
		b.each(func(m *member) bool {
			named := slices.ContainsFunc(list, func(f filling) bool { return f.block == m.block && f.offset == m.offset })
			if m.element != nil || m.members != nil || named || p.has(m) {
				return m.element == nil
			}
			if what, ok := wellKnown(m.parent.name, m.name); ok && m.suits(what) {
				list = append(list, filling{m, what, false})
			}
			return false
		})
	}
	return list, nil
}

// has says whether the file gives a value for any number of a member that is no array.
func (p *packer) has(m *member) bool {
	for column := range m.columns {
		for row := range m.rows {
			if at := m.place(column, row); at < len(p.given[m.block]) && p.given[m.block][at] {
				return true
			}
		}
	}
	return false
}

// filled is the place as a frame has it.
func (f *filling) filled() renderer.Filled {
	to := renderer.Filled{
		Block: f.block, Offset: f.offset, What: f.what,
		Columns: f.columns, Rows: f.rows, MatrixStride: f.matrixStride, RowMajor: f.rowMajor,
	}
	if f.isMatrix() && f.member.transposed != f.transposed {
		to.Columns, to.Rows, to.RowMajor = to.Rows, to.Columns, !to.RowMajor
	}
	return to
}

// missing are the members that the shader reads and nothing gives a value for. Of an array
// it is the first such element, or the array where that is its first.
func missing(blocks []*member, p *packer, filled []filling) (list []*member) {
	for _, b := range blocks {
		list = append(list, p.missing(b, filled)...)
	}
	return list
}

func (p *packer) missing(m *member, filled []filling) (list []*member) {
	switch {
	case !m.used:
		return nil
	case m.element != nil:
		if m.count == 0 && m.offset+m.stride > len(p.bytes[m.block]) {
			return []*member{m}
		}
		for i := range m.count {
			if first := p.missing(m.at(i), filled); len(first) > 0 {
				if i == 0 && m.element.members == nil {
					return []*member{m}
				}
				return first
			}
		}
		return nil
	case m.members != nil:
		for _, x := range m.members {
			list = append(list, p.missing(x, filled)...)
		}
		return list
	}
	for _, f := range filled {
		if f.block == m.block && f.offset == m.offset {
			return nil
		}
	}
	for column := range m.columns {
		for row := range m.rows {
			if at := m.place(column, row); at >= len(p.given[m.block]) || !p.given[m.block][at] {
				return []*member{m}
			}
		}
	}
	return nil
}
