package model

import (
	goflag "flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
	"github.com/shadeonce/shadeonce/renderer"
)

var update = goflag.Bool("update", false, "write testdata/keys.txt")

// TestWhatKeysDo compares the changes that each key makes with testdata/keys.txt: in the first state, and in others if they differ.
func TestWhatKeysDo(t *testing.T) {
	var text strings.Builder
	plain := map[string]string{}
	for _, in := range []struct {
		name   string
		change func(s *State)
	}{
		{"at first", func(*State) {}},
		{"two sides, culled, a varying, Z up, a bookmark", func(s *State) {
			s.Compare, s.Other, s.Want.Batch, s.Want.Unique = CompareSplit, OtherSide{"hash", 16, "forsyth"}, 96, 64
			s.Want.Cull, s.Want.View, s.Want.Shown, s.Guides = 2, renderer.Varying, "uv", 1
			s.SetUp(renderer.UpZ)
			s.Bookmarks[1], s.Camera.Orthographic = "az=10", true
		}},
		{"a difference, hardware, the last lanes, all edges", func(s *State) {
			s.Compare, s.Other, s.Want.Raster, s.Want.Lanes, s.AllEdges = CompareDifference, OtherSide{"auto", 8, "tipsify+fetch"}, renderer.HardwareRaster, 64, true
		}},
		{"before and after, level 4, all switches on", func(s *State) {
			s.ToggleBefore()
			s.Doing.Levels, s.Panels, s.Play, s.Transparent, s.Fullscreen, s.AllStrategies = results.MaxLevels, false, true, true, true, true
			s.GoTo, s.TypePath, s.MeshShaders = true, true, true
		}},
		{"a walk, flying, help", func(s *State) {
			s.Doing.App, s.Doing.Step, s.Help = results.Walk, 3, true
			s.ToggleFly()
		}},
	} {
		fmt.Fprintln(&text, in.name)
		for _, k := range rows {
			for _, key := range strings.Split(k.Key, ", ") {
				for _, key := range []string{key, "Shift+" + key} {
					s := Begin()
					require.NoError(t, s.Look(geometry.Box{Min: [3]float32{-1, -2, -3}, Max: [3]float32{4, 5, 6}}, 1.5))
					in.change(&s)
					before := fields("", reflect.ValueOf(s))
					if found, by := FindKey(key); found == k {
						k.Press(&s, by)
						if what := changes(before, fields("", reflect.ValueOf(s))); what != plain[key] {
							fmt.Fprintf(&text, "  %s: %s\n", key, what)
							plain[key] = map[bool]string{true: what, false: plain[key]}[in.name == "at first"]
						}
					}
				}
			}
		}
	}
	const file = "testdata/keys.txt"
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o644))
	}
	require.Equal(t, string(must.Get(os.ReadFile(file))), text.String(), "go test ./internal/viewer/model -run TestWhatKeysDo -update")
}

var decimals = regexp.MustCompile(`(\.\d{3})\d+`) // digits after the third decimal differ between processors

// fields lists the fields of a value, each as its name and its value in text.
func fields(name string, v reflect.Value) (list [][2]string) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			list = append(list, fields(name+"."+v.Type().Field(i).Name, v.Field(i))...)
		}
		return list
	case reflect.Pointer, reflect.Func, reflect.Map:
		return append(list, [2]string{name, fmt.Sprint(!v.IsNil())})
	case reflect.Float32, reflect.Float64:
		return append(list, [2]string{name, fmt.Sprintf("%.3f", v.Float()+0)})
	}
	return append(list, [2]string{name, decimals.ReplaceAllString(fmt.Sprint(v), "$1")})
}

// changes says which fields differ.
func changes(before, after [][2]string) string {
	var list []string
	for i, x := range after {
		if before[i] != x {
			list = append(list, fmt.Sprintf("%s %s -> %s", x[0][1:], before[i][1], x[1]))
		}
	}
	return strings.Join(list, ", ")
}
