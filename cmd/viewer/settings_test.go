package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/showing"
	"github.com/shadeonce/shadeonce/internal/views"
	"github.com/shadeonce/shadeonce/renderer"
)

func TestCommandLine(t *testing.T) {
	parse := func(args ...string) (o options, err error) {
		cmd := newCommand(func(got options) error {
			o = got
			return nil
		})
		cmd.SetArgs(append([]string{"--remember=false"}, args...))
		err = cmd.Execute()
		return o, err
	}
	o, err := parse()
	require.NoError(t, err)
	require.Equal(t, views.Settings{Strategy: "auto", Lanes: 32, Raster: renderer.AutoRaster, Load: renderer.SimpleLoad}, o.settings)
	require.Equal(t, []string{defaultScene}, o.files)
	require.Equal(t, "original", o.indexOrder)
	require.Equal(t, [2]int{1280, 720}, [2]int{o.width, o.height})

	o, err = parse("--strategy", "naive", "--lanes", "0", "--view", "shaded", "--queue", "expanded", "--subgroups", "virtual", "--size", "5x6", "--order", "forsyth32+fetch", "a.ply", "b.ply")
	require.NoError(t, err)
	require.Equal(t, views.Settings{Strategy: "naive", Lanes: 32, Queue: renderer.Expanded, View: renderer.Shaded, Subgroups: renderer.VirtualSubgroups, Raster: renderer.AutoRaster, Load: renderer.SimpleLoad}, o.settings)
	require.Equal(t, []string{"a.ply", "b.ply"}, o.files)
	require.Equal(t, "forsyth32+fetch", o.indexOrder)

	o, err = parse("--cull", "--strategy", "warp")
	require.NoError(t, err)
	require.Equal(t, views.CullKnob.Turned(start, 1), o.settings)
	frame, err := o.settings.Frame(nil, 1, 1)
	require.NoError(t, err)
	require.True(t, frame.Cull)
	require.Equal(t, renderer.FacesOfFile, frame.CullFaces)
	frame, err = start.Frame(nil, 1, 1)
	require.NoError(t, err)
	require.False(t, frame.Cull)

	o, err = parse("--app", "walk", "--step", "3", "--play", "--before", "--wireframe", "--subdivide", "2")
	require.NoError(t, err)
	require.Equal(t, showing.Choice{App: showing.Walk, Step: 3, Levels: 1, Percent: 2, Side: "both", Agents: 300000, Grid: 256, Seed: 1}, o.doing)
	require.Equal(t, views.CompareBefore, o.compare)
	require.True(t, o.apps.play && o.apps.wireframe)
	require.Equal(t, 2, o.apps.subdivide.Levels)

	for _, args := range [][]string{
		{"--app", "x"}, {"--levels", "5"}, {"--percent", "nan"}, {"--side", "x"}, {"--opacity", "2"}, {"--agents", "0"}, {"--agents", "2147483648"}, {"--grid", "0"},
		{"--seed", "-1"}, {"--sort-every", "-1"}, {"--step", "-1"}, {"--speed", "0"}, {"--before", "--compare", "hash"}, {"--subdivide", "-1"}, {"--subdivide", "1", "--load", "skin"},
		{"--strategy", "x"}, {"--lanes", "5"}, {"--lanes", "x"}, {"--batch", "4"}, {"--view", "x"}, {"--queue", "x"},
		{"--cull", "--queue", "expanded"}, {"--cull=x"},
		{"--subgroups", "x"}, {"--order", "x"}, {"--order", ""}, {"--size", "0x5"}, {"--size", "99999x5"}, {"--size", "5"}, {"--frames", "-1"}, {"--camera", "x"}, {"--nosuch"},
		{"--unique", "2"}, {"--unique", "64"}, {"--load", "x"}, {"--load", "-1"}, {"--palette", "difference"}, {"--raster", "soft"}, {"--raster", "x"},
		{"--compare", "x"}, {"--compare", "hash", "--compare-view", "off"}, {"--divider", "2"}, {"--divider", "nan"}, {"--turntable", "-1"}, {"--turntable", "4000"},
		{"--scale", "9"}, {"--scale", "-1"}, {"--scale", "nan"}, {"--up", "w"}, {"--up", ""},
	} {
		_, err := parse(args...)
		var usage cli.UsageError
		require.ErrorAs(t, err, &usage, "%v", args)
	}
}
