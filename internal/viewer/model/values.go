package model

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/renderer"
)

// value reads a setting from a state and writes it.
type value struct {
	at  func(*State) any // a *bool, *int, *uint32, *float64, *string or *color.RGBA; nil for settings that are only text
	get func(*State) string
	set func(*State, string) error
}

// field returns the value of a setting that is stored in one field.
func field[T any](of func(*State) *T) value {
	return value{
		at:  func(s *State) any { return of(s) },
		get: func(s *State) string { return fmt.Sprint(*of(s)) },
		set: func(s *State, text string) (err error) {
			switch p := any(of(s)).(type) {
			case *string:
				*p = text
			case *bool:
				*p, err = strconv.ParseBool(text)
			case *int:
				*p, err = strconv.Atoi(text)
			case *float64:
				*p, err = strconv.ParseFloat(text, 64)
			case *uint32:
				var n uint64
				n, err = strconv.ParseUint(text, 10, 32)
				*p = uint32(n)
			}
			return err
		},
	}
}

// named returns the value of a setting that is an enumeration.
func named[T fmt.Stringer](parse func(string) (T, error), of func(*State) *T) value {
	return value{
		get: func(s *State) string { return (*of(s)).String() },
		set: func(s *State, text string) error {
			v, err := parse(text)
			if err == nil {
				*of(s) = v
			}
			return err
		},
	}
}

// derived returns a value computed from other fields. If `set` is nil, readComparison reads the flag.
func derived[T any](get func(*State) T, set func(*State, T) error) value {
	v := value{get: func(s *State) string { return fmt.Sprint(get(s)) }, at: func(s *State) any { x := get(s); return &x }}
	if set == nil {
		return v
	}
	v.set = func(s *State, text string) error {
		var x T
		if err := field(func(*State) *T { return &x }).set(s, text); err != nil {
			return err
		}
		return set(s, x)
	}
	return v
}

// bounded returns the value of a setting that is a number; `check` checks its range.
func bounded(of func(*State) *float64, check func(float64) error) value {
	v := field(of)
	set := v.set
	v.set = func(s *State, text string) error { return cmp.Or(set(s, text), check(*of(s))) }
	return v
}

// share returns the value of a setting that is a number from 0 to 1.
func share(flag string, of func(*State) *float64) value {
	return bounded(of, func(x float64) error {
		if !(x >= 0 && x <= 1) { // also rejects NaN
			return cli.Usagef("--%s %v: must be 0 to 1", flag, x)
		}
		return nil
	})
}

// budget returns the value of a setting that is a number of bytes. An empty text changes nothing. Its get returns "", since budgets are not saved.
func budget(flag string, of func(*State) *int64) value {
	return value{get: func(*State) string { return "" }, set: func(s *State, text string) (err error) {
		if text != "" {
			*of(s), err = cli.ParseBytes(flag, text)
		}
		return err
	}}
}

func noShader(s *State) bool     { return s.ShaderFlags.Name == "" }
func noShaderFile(s *State) bool { return noShader(s) || s.ShaderFlags.Name == cli.Captured }

// Which edges are drawn.
const (
	noEdges    = "off"
	largeEdges = "large" // of triangles that are large on screen
	allEdges   = "all"
)

var edgeNames = []string{noEdges, largeEdges, allEdges}

func edgesOf(s *State) string {
	switch {
	case s.AllEdges:
		return allEdges
	case s.Want.Look.Edges > 0:
		return largeEdges
	}
	return noEdges
}

func setEdges(s *State, text string) error {
	s.AllEdges, s.Want.Look.Edges = text == allEdges, 0
	if text == largeEdges {
		s.Want.Look.Edges = renderer.EdgeWidth
	}
	return nil
}

// LargeEdges switches from all edges to those of large triangles, which can be drawn for every scene.
func (s *State) LargeEdges() { _ = setEdges(s, largeEdges) }

// cullingNames are the values of Culling.
var cullingNames = append([]string{"off"}, renderer.FaceCullingNames...)

func (c Culling) String() string { return cullingNames[c] }

// rasterNames are the raster hosts that draw on the device.
var rasterNames = []string{renderer.AutoRaster.String(), renderer.HardwareRaster.String(), renderer.ComputeRaster.String(), renderer.FusedRaster.String(),
	renderer.MeshRaster.String()}

// Offered returns the values that the device supports. MeshRaster is the last raster host, so
// leaving it out does not shift the others.
func (k *Setting) Offered(s *State) []string {
	if k.Flag == "raster" && !s.MeshShaders {
		return k.Values[:len(k.Values)-1]
	}
	return k.Values
}

func parseRaster(text string) (renderer.RasterHost, error) {
	host, err := cli.ParseRaster(text)
	if host == renderer.SoftRaster && err == nil {
		err = cli.Usagef("--raster soft: shadeonce render draws on the CPU; the viewer takes %s", strings.Join(rasterNames, ", "))
	}
	return host, err
}

// loadNames returns the loads to step through: simple, the paper's numbers of cycles, and the
// real vertex shaders.
func loadNames() []string {
	return append([]string{renderer.SimpleLoad, "256", "512", "1024", "4096"}, renderer.VertexShaderNames[renderer.Transform+1:]...)
}

// Guides selects the lines drawn around the scene: none, its box, a grid on the floor of the box, or both.
type Guides uint32

// GuideNames are the values of Guides.
var GuideNames = []string{"off", "box", "grid", "both"}

func (g Guides) String() string { return GuideNames[g] }

// Box and Grid report whether the scene's box is drawn, and the grid on its floor.
func (g Guides) Box() bool  { return g == 1 || g == 3 }
func (g Guides) Grid() bool { return g == 2 || g == 3 }

// Theme is the panels' colours: dark or light.
type Theme uint32

// LightTheme is dark letters on light panels.
const LightTheme Theme = 1

// ThemeNames are the values of Theme.
var ThemeNames = []string{"dark", "light"}

func (t Theme) String() string { return ThemeNames[t] }
