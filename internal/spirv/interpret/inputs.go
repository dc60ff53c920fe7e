package interpret

import (
	"encoding/binary"
	"fmt"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// builtInPlace is the register of a built-in variable.
type builtInPlace struct {
	at int
	is module.BuiltIn
}

func (b builtInPlace) value(d *Draw, i int) uint32 {
	switch b.is {
	case module.VertexIndex, module.VertexID:
		return uint32(int32(i) + d.BaseVertex)
	case module.InstanceIndex:
		return uint32(d.Instance)
	case module.InstanceID:
		return uint32(d.Instance - d.BaseInstance)
	case module.BaseVertex:
		return uint32(d.BaseVertex)
	case module.BaseInstance:
		return uint32(d.BaseInstance)
	case module.DeviceIndex, module.ViewIndex: // of one device and one view
		return 0
	}
	return uint32(d.DrawIndex)
}

// inputPlace is where components of a location are stored.
type inputPlace struct {
	location         uint32
	component, count int  // of the location's four components
	at               int  // register of the first
	scalar           *typ // type of the components
}

// fetch fills registers from an input.
type fetch struct {
	inputPlace
	Input
	size   int
	floats bool // whether elements are 32-bit floats, at least as many as needed
}

// fetches returns where every input comes from.
func (p *Runner) fetches(d *Draw) (list []fetch, err error) {
	for _, place := range p.inputs {
		f := fetch{inputPlace: place}
		for _, in := range d.Inputs {
			if in.Location != place.location {
				continue
			}
			if !in.Format.Known() || in.Stride < 0 {
				return nil, fmt.Errorf("input %d: %v, %d bytes apart", in.Location, in.Format, in.Stride)
			}
			f.Input, f.size = in, in.Format.Size()
			f.floats = in.Format.Wide(in.Format.Components()) == in.Format && place.component+place.count <= in.Format.Components() && place.scalar.width == 32
		}
		list = append(list, f)
	}
	return list, nil
}

// into fetches element i.
func (f *fetch) into(r []uint32, i int) {
	components := [4]uint32{}
	at := i * f.Stride
	switch {
	case f.size > 0 && at+f.size <= len(f.Data):
		if f.floats {
			for c := range f.count {
				r[f.at+c] = binary.LittleEndian.Uint32(f.Data[at+4*(f.component+c):])
			}
			return
		}
		components = f.Format.Decode(f.Data[at : at+f.size])
	case f.scalar.kind == floating:
		components[3] = floatOne
	default:
		components[3] = 1
	}
	for c := range f.count {
		bits := components[f.component+c]
		if f.scalar.width < 32 {
			bits = narrowed(f.scalar, bits)
		}
		r[f.at+c] = bits
	}
}

// narrowed converts a fetched component to fewer bits.
func narrowed(t *typ, bits uint32) uint32 {
	if t.kind == floating {
		return uint32(encode(t.width)(float64(float(bits))))
	}
	return bits & (1<<t.width - 1)
}

// show copies an output.
type show struct {
	values    [][4]uint32
	at, count int
}

func (s *show) copy(r []uint32, i int) {
	s.values[i] = [4]uint32{}
	copy(s.values[i][:s.count], r[s.at:])
}

// shows finds the requested outputs.
func (p *Runner) shows(shown []Shown, n int) (list []show, err error) {
	defer must.Catch(&err)
	for _, s := range shown {
		at, t := p.output(s.Name)
		if component, count := t.component(); component != nil && component.width == 32 && len(s.Values) == n {
			list = append(list, show{s.Values, at, count})
			continue
		}
		return nil, fmt.Errorf("output %s: is %v; %d values for %d positions", s.Name, t, len(s.Values), n)
	}
	return list, nil
}
