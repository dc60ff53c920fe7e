package main

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/showing"
	"github.com/shadeonce/shadeonce/renderer"
)

func TestSettlePassesOverWhatDoesNotWork(t *testing.T) {
	native := start
	native.subgroups = renderer.NativeSubgroups
	native.lanes = 8
	only8 := func(s settings) error {
		if s.subgroups == renderer.NativeSubgroups && s.lanes != 8 {
			return errors.New("not native here")
		}
		return nil
	}
	for name, c := range map[string]struct {
		good, want settings
		knob       *knob
		step       int
		found      settings
		notice     string
	}{
		"works at once": {native, viewKnob.turned(native, 1), &viewKnob, 1, viewKnob.turned(native, 1), ""},
		"the only value that works is where it was": {
			native, lanesKnob.turned(native, 1), &lanesKnob, 1, native, "warp, 16 lanes, indexed queue, counts view: not native here",
		},
		"the next value works": {
			start, subgroupsKnob.turned(start, 1), &subgroupsKnob, 1, subgroupsKnob.turned(start, 2),
			"warp, 32 lanes, indexed queue, counts view: not native here",
		},
		"no knob": {start, subgroupsKnob.turned(start, 1), nil, 0, start, "warp, 32 lanes, indexed queue, counts view: not native here"},
	} {
		t.Run(name, func(t *testing.T) {
			found, notice := settle(c.good, c.want, c.knob, c.step, only8)
			require.Equal(t, c.found, found)
			if c.notice == "" {
				require.NoError(t, notice)
				return
			}
			require.EqualError(t, notice, c.notice)
		})
	}
}

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
	require.Equal(t, start, o.settings)
	require.Equal(t, []string{defaultScene}, o.files)
	require.Equal(t, "original", o.indexOrder)
	require.Equal(t, [2]int{1280, 720}, [2]int{o.width, o.height})

	o, err = parse("--strategy", "naive", "--lanes", "0", "--view", "shaded", "--queue", "expanded", "--subgroups", "virtual", "--size", "5x6", "--order", "forsyth32+fetch", "a.ply", "b.ply")
	require.NoError(t, err)
	require.Equal(t, settings{strategy: "naive", lanes: 32, queue: renderer.Expanded, view: renderer.Shaded, subgroups: renderer.VirtualSubgroups, load: renderer.SimpleLoad}, o.settings)
	require.Equal(t, []string{"a.ply", "b.ply"}, o.files)
	require.Equal(t, "forsyth32+fetch", o.indexOrder)

	o, err = parse("--cull")
	require.NoError(t, err)
	require.Equal(t, cullKnob.turned(start, 1), o.settings)
	frame, err := o.settings.frame(nil, 1, 1)
	require.NoError(t, err)
	require.True(t, frame.Cull)
	require.Equal(t, renderer.FacesOfFile, frame.CullFaces)
	frame, err = start.frame(nil, 1, 1)
	require.NoError(t, err)
	require.False(t, frame.Cull)

	o, err = parse("--app", "walk", "--step", "3", "--play", "--before", "--wireframe", "--subdivide", "2")
	require.NoError(t, err)
	require.Equal(t, showing.Choice{App: showing.Walk, Step: 3, Levels: 1, Percent: 2, Side: "both", Agents: 300000, Grid: 256, Seed: 1}, o.apps.doing)
	require.Equal(t, compareBefore, o.compare)
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
	} {
		_, err := parse(args...)
		var usage cli.UsageError
		require.ErrorAs(t, err, &usage, "%v", args)
	}
}
