package app

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
	"github.com/shadeonce/shadeonce/renderer"
)

// parse returns the options of a command line, without remembered settings.
func parse(args ...string) (o Options, err error) {
	cmd := NewCommand(func(got Options) error { o = got; return nil })
	cmd.SetArgs(append([]string{"--remember=false"}, args...))
	err = cmd.Execute()
	return o, err
}

func TestCommandLine(t *testing.T) {
	o := must.Get(parse())
	plain := model.Settings{Strategy: "claim", Lanes: 32, Raster: renderer.AutoRaster, Load: renderer.SimpleLoad, Look: renderer.Look{Light: renderer.FullLight}}
	require.Equal(t, plain, o.Want)
	require.Equal(t, []string{defaultScene}, o.files)
	require.Equal(t, "original", o.IndexOrder)
	require.Equal(t, [2]int{1280, 720}, [2]int{o.Width, o.Height})

	o = must.Get(parse("--strategy", "naive", "--lanes", "0", "--view", "shaded", "--queue", "expanded", "--subgroups", "virtual", "--size", "5x6", "--order", "forsyth32+fetch", "a.ply", "b.ply"))
	plain.Strategy, plain.Queue, plain.View, plain.Subgroups = "naive", renderer.Expanded, renderer.Shaded, renderer.VirtualSubgroups
	require.Equal(t, plain, o.Want)
	require.Equal(t, []string{"a.ply", "b.ply"}, o.files)
	require.Equal(t, "forsyth32+fetch", o.IndexOrder)

	o = must.Get(parse("--cull", "--strategy", "warp", "--light", "soft", "--camera", "captured"))
	require.Equal(t, model.Named("culling").Turned(start, 1), o.Want)
	frame := must.Get(o.Want.Frame(nil, 1, 1))
	require.True(t, frame.Cull)
	require.Equal(t, renderer.FacesOfFile, frame.CullFaces)
	frame = must.Get(start.Frame(nil, 1, 1))
	require.False(t, frame.Cull)

	o = must.Get(parse("--app", "walk", "--step", "3", "--play", "--before", "--wireframe", "--subdivide", "2"))
	require.Equal(t, results.Choice{App: results.Walk, Step: 3, Levels: 1, Percent: 2, Side: "both", Agents: 300000, Grid: 256, Seed: 1}, o.Doing)
	require.Equal(t, model.CompareBefore, o.Compare)
	require.True(t, o.Play && o.AllEdges)
	require.Equal(t, 2, o.Subdivide.Levels)

	require.NotContains(t, NewCommand(nil).Flags().FlagUsages(), "raster soft", "the viewer has no such host")
	require.NotContains(t, NewCommand(nil).Flags().FlagUsages(), "soft excludes")

	for _, args := range [][]string{
		{"--app", "x"}, {"--levels", "5"}, {"--percent", "nan"}, {"--side", "x"}, {"--opacity", "2"}, {"--agents", "0"}, {"--agents", "2147483648"}, {"--grid", "0"},
		{"--seed", "-1"}, {"--sort-every", "-1"}, {"--step", "-1"}, {"--speed", "0"}, {"--before", "--compare", "hash"}, {"--subdivide", "-1"}, {"--subdivide", "1", "--load", "skin"},
		{"--strategy", "x"}, {"--lanes", "5"}, {"--lanes", "x"}, {"--batch", "4"}, {"--view", "x"}, {"--queue", "x"},
		{"--cull", "--queue", "expanded"}, {"--cull=x"},
		{"--subgroups", "x"}, {"--order", "x"}, {"--order", ""}, {"--size", "0x5"}, {"--size", "99999x5"}, {"--size", "5"}, {"--frames", "-1"}, {"--camera", "x"}, {"--camera", "front,back"}, {"--nosuch"},
		{"--unique", "2"}, {"--unique", "64"}, {"--load", "x"}, {"--load", "-1"}, {"--palette", "difference"}, {"--raster", "soft"}, {"--raster", "x"},
		{"--compare", "x"}, {"--compare", "hash", "--compare-view", "off"}, {"--divider", "2"}, {"--divider", "nan"}, {"--turntable", "-1"}, {"--turntable", "0"}, {"--turntable", "4000"}, {"--turntable", "3", "--frames", "2"},
		{"--scale", "9"}, {"--scale", "-1"}, {"--scale", "nan"}, {"--up", "w"}, {"--up", ""},
		{"--strategy", "auto", "--batch", "96"}, {"--strategy", "auto", "--unique", "64"}, {"--vertex-shader", "skin", "--load", "256"},
	} {
		_, err := parse(args...)
		var usage cli.UsageError
		require.ErrorAs(t, err, &usage, "%v", args)
	}
}
