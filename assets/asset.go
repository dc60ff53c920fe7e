// Package assets makes the built-in scenes, so that every command works without a file:
//
//	scene, err := assets.Make("sphere6")
//
// Code makes all of them, so there are no files and no licences of others.
//
// A scene is the same, bit for bit, on every platform: random numbers come from PCG with a fixed
// seed, and arithmetic goes through builder.go, which no compiler may fuse. The package knows
// geometry.Scene and nothing of files, strategies or devices.
package assets

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// Asset is one scene that Make can make, by Name or by Name followed by a number. If Hi is 0 the
// scene takes no number.
type Asset struct {
	Name      string
	Alias     string // another name for the same scene, or ""
	Parameter string // what the number counts, or ""
	Lo, Hi    int    // range of the number, inclusive
	Default   int    // the number if none is given
	Make      func(n int) *geometry.Scene
}

// All lists the assets in the order of the help.
var All = []Asset{
	{"sphere", "icosphere", "level", 0, 10, 6, sphere},
	{"knot", "", "sides", 3, 500, 32, knot},
	{"terrain", "", "quads a side", 1, 8192, 256, terrain},
	{"grid", "", "quads a side", 1, 4096, 64, grid},
	{"tree", "", "levels of branches", 2, 10, 6, tree},
	{"soup", "", "", 0, 0, 0, soup},
	{"city", "", "lots a side", 1, 32, 16, city},
	{"patches", "", "draws", 1, 40000, 100, patches},
	{"patches-joined", "", "patches", 1, 40000, 100, patchesJoined},
	{"patches-instanced", "", "draws", 1, 100000, 100, patchesInstanced},
	{"cube", "", "", 0, 0, 0, cube},
	{"triangle", "", "", 0, 0, 0, triangle},
}

// Form shows the asset's name, with the range of its number if it takes one: "cube",
// "sphere[0..10]".
func (a Asset) Form() string {
	if a.Hi == 0 {
		return a.Name
	}
	return fmt.Sprintf("%s[%d..%d]", a.Name, a.Lo, a.Hi)
}

// Make makes the named asset: a name in All, with or without a number after it ("sphere",
// "sphere6"). The number is checked before anything is allocated. The scene passes Validate and
// has unit normals, faces that are counter-clockwise seen from outside, and Y up. Its name is the
// one given.
func Make(name string) (*geometry.Scene, error) {
	a, n, err := lookup(name)
	if err != nil {
		return nil, err
	}
	s := a.Make(n)
	s.Name = name
	return s, nil
}

// Check returns an error if Make would.
func Check(name string) error {
	_, _, err := lookup(name)
	return err
}

// lookup finds the asset and the number that a name stands for.
func lookup(name string) (Asset, int, error) {
	base := strings.TrimRight(name, "0123456789")
	for _, a := range All {
		if base != a.Name && (base != a.Alias || base == "") {
			continue
		}
		n, err := a.number(name[len(base):])
		if err != nil {
			return a, 0, fmt.Errorf("asset %.40q: %w", name, err)
		}
		return a, n, nil
	}
	return Asset{}, 0, unknown(name)
}

// number parses the digits after the asset's name.
func (a Asset) number(digits string) (int, error) {
	if digits == "" {
		return a.Default, nil
	}
	if a.Hi == 0 {
		return 0, fmt.Errorf("%s takes no number", a.Name)
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < a.Lo || n > a.Hi {
		return 0, fmt.Errorf("%s %.20s is out of range %d..%d", a.Parameter, digits, a.Lo, a.Hi)
	}
	return n, nil
}

// unknown returns the error for a name that no asset has. The suggested name keeps the number of
// the unknown one, if it takes a number.
func unknown(name string) error {
	rest := strings.TrimLeft(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	var have, taking, forms []string // all names, and those that take the number
	for _, a := range All {
		have, forms = append(have, a.Name, a.Alias), append(forms, a.Form())
		if a.Hi != 0 && rest != "" && strings.Trim(rest, "0123456789") == "" {
			taking = append(taking, a.Name, a.Alias)
		}
	}
	letters := name[:len(name)-len(rest)]
	nearest := names.Nearest(letters, have)
	if near := names.Nearest(letters, taking); near != "" && near == nearest {
		nearest += rest
	}
	return names.NotAmong("asset", name, nearest, strings.Join(forms, ", "))
}

// AddTexCoords adds texture coordinates for vertex shaders: the positions along the two axes in
// which the pool is largest, from 0 to 1.
func AddTexCoords(s *geometry.Scene) {
	if s == nil || len(s.Positions) == 0 {
		return
	}
	lo, hi := s.Positions[0], s.Positions[0]
	for _, p := range s.Positions {
		for i := range p {
			lo[i], hi[i] = min(lo[i], p[i]), max(hi[i], p[i])
		}
	}
	size := hi.Sub(lo)
	axes := []int{0, 1, 2}
	slices.SortStableFunc(axes, func(a, b int) int { return cmp.Compare(size[b], size[a]) })
	u, v := min(axes[0], axes[1]), max(axes[0], axes[1])
	data := make([]byte, 0, 8*len(s.Positions))
	for _, p := range s.Positions {
		for _, axis := range []int{u, v} {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits((p[axis]-lo[axis])/max(size[axis], math.SmallestNonzeroFloat32)))
		}
	}
	s.Attributes = append(s.Attributes, geometry.Attribute{Name: "TEXCOORD_0", Format: vertexformat.R32G32_SFLOAT, Data: data})
}
