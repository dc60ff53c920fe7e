package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/cli"
)

// TestBudgetsThatAreTooSmall: one line that says what is needed, or what cannot be taken
// in windows, and no picture.
func TestBudgetsThatAreTooSmall(t *testing.T) {
	folder := t.TempDir()
	const terrain = "asset:terrain300 --size 64x64 --device-budget 34MiB --queue-budget 1MiB "
	for _, c := range []struct {
		args, want string
		status     int
	}{
		{"asset:knot --queue-budget 1000", "queue budget of 1000 bytes is too small: one batch of 96 indices needs 1.406 KiB", cli.ExitFailure},
		{"asset:knot --queue-budget 1000 --raster compute", "one batch of 96 indices needs 1.281 KiB", cli.ExitFailure},
		{"asset:knot --queue-budget 1000 --queue expanded", "one batch of 96 indices needs 2.25 KiB", cli.ExitFailure},
		{"asset:knot --size 64x64 --device-budget 1000", "device memory of 1000 bytes is too small: queues, staging, picture and two windows need about 42.96 MiB", cli.ExitFailure},
		{"asset:knot --device-budget 33MiB", "device memory of 33 MiB is too small: queues, staging, picture and two windows need about 70.96 MiB", cli.ExitFailure},
		{"asset:knot --size 16384x16384 --device-budget 100MiB", "device memory of 100 MiB is too small: queues, staging, picture and two windows need about 8.0", cli.ExitFailure},
		{terrain + "--strategy multi", "the device budget is 34 MiB; multi takes the whole scene at once", cli.ExitFailure},
		{terrain + "--load skin", "the device budget is 34 MiB; the skeleton is made for the whole scene at once", cli.ExitFailure},
		{"asset:terrain300 --size 64x64 --device-budget 34MiB --strategy hardware --view shaded", "the device budget is 34 MiB", cli.ExitFailure},
	} {
		t.Run(c.args, func(t *testing.T) {
			args := append([]string{"render", "-o", filepath.Join(folder, "x.png")}, strings.Fields(c.args)...)
			requireFailure(t, c.status, c.want, call(onGPU(args...)...))
			requireEmpty(t, folder)
		})
	}
}

// line is an error message and nothing else.
func line(text string) string { return "shadeonce: " + text + "\n" }

// TestRefusals: each of these command lines ends in one line on standard error, and writes
// nothing. OUT is a file in an empty folder, nofile one that is not there.
func TestRefusals(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for status, lines := range map[int][]struct{ args, want string }{
		cli.ExitUsage: {
			{"foo", `unknown command "foo": have analyze, apps, bench, compare, completion, convert, devices, doctor, render`},
			{"help foo", `unknown command "foo": have analyze`},
			{"help render foo", `unknown command "render foo": have analyze`},
			{"completion foo", `unknown command "foo"`},
			{"completion bash foo", `unknown command "foo"`},
			{"--foo", "unknown flag: --foo"},
			{"devices foo", `devices: takes no arguments, got "foo"`},
			{"doctor foo", `doctor: takes no arguments, got "foo"`},
			{"devices --csv", "unknown flag: --csv"},
			{"analyze", "analyze: no file given; asset:NAME names a built-in scene: sphere, knot,"},
			{"analyze ''", "a file name is empty"},
			{"analyze asset:cube --strategy foo", `unknown strategy "foo": have ` + cli.StrategyNames()},
			{"analyze asset:cube --strategy ''", "no strategy given: have all, " + cli.StrategyNames()},
			{"analyze asset:cube --order foo", `unknown order "foo": have original`},
			{"analyze asset:cube --order ''", "no order given: have original"},
			{"analyze asset:cube --lanes 5", "5 lanes: must be one of 4 8 16 32 64"},
			{"analyze asset:cube --lanes x", `invalid argument "x" for "--lanes"`},
			{"analyze asset:cube --batch 95", "batch of 95 indices: must be a multiple of 3 from 3 to"},
			{"analyze asset:cube --batch -3", "batch of -3 indices"},
			{"analyze asset:cube --batch 3000000000", "batch of 3000000000 indices"},
			{"analyze asset:cube --backend foo", `unknown backend "foo": have auto, gpu, cpu`},
			{"analyze asset:cube --subgroups foo", `unknown subgroups "foo": have auto, native, virtual`},
			{"analyze asset:cube --json --csv", "--json excludes --csv"},
			{"analyze asset:cube --backend cpu --device 0", "--backend cpu runs without Vulkan: it excludes --device"},
			{"analyze asset:cube --backend cpu --validation", "it excludes --validation"},
			{"render", "render: no file given"},
			{"render asset:cube", "render: no output: -o out.png"},
			{"render asset:cube asset:knot -o OUT", "render: takes one file, got 2"},
			{"render asset:cube -o OUT --view foo", `unknown view "foo": have counts, batches, shaded`},
			{"render asset:cube -o OUT --queue foo", `unknown queue form "foo": have indexed, expanded`},
			{"render asset:cube -o OUT --raster foo", `unknown raster host "foo": have hardware, soft, compute`},
			{"render asset:cube -o OUT --strategy all", "render takes one strategy and one order, got " + fmt.Sprint(len(reuse.Strategies)) + " and 1"},
			{"render asset:cube -o OUT --order original,random", "render takes one strategy and one order, got 1 and 2"},
			{"analyze asset:cube --strategy warp --batching dynamic", "dynamic batches: warp supports only static batches"},
			{"analyze asset:cube --strategy warp --unique 64", "a bound on unique vertices needs dynamic batches"},
			{"render asset:cube -o OUT --size 640", `--size "640": want WIDTHxHEIGHT, each 1 to 16384 pixels`},
			{"render asset:cube -o OUT --size 0x480", `--size "0x480"`},
			{"render asset:cube -o OUT --size 640x-1", `--size "640x-1"`},
			{"render asset:cube -o OUT --size 16385x1", `--size "16385x1"`},
			{"render asset:cube -o OUT --size 99999999999999999999x1", `--size "99999999999999999999x1"`},
			{"render asset:cube -o OUT --queue-budget 64MB", `--queue-budget "64MB": want bytes, or a whole number with KiB, MiB or GiB`},
			{"render asset:cube -o OUT --queue-budget 0", `--queue-budget "0"`},
			{"render asset:cube -o OUT --queue-budget -1MiB", `--queue-budget "-1MiB"`},
			{"render asset:cube -o OUT --queue-budget 99999999999999GiB", `--queue-budget "99999999999999GiB"`},
			{"render asset:cube -o OUT --camera sideways", `camera "sideways": want comma-separated: front, back`},
			{"render asset:cube -o OUT --camera az=nan", `camera "az=nan"`},
			{"render asset:cube -o OUT --camera zoom=0", "camera zoom 0: must be"},
			{"render asset:cube -o OUT --camera fov=180", ""},
			{"render asset:cube -o OUT --raster soft --backend gpu", "--raster soft runs on the CPU: it excludes --backend gpu"},
			{"render asset:cube -o OUT --raster soft --device 0", "--raster soft runs on the CPU: it excludes --device"},
			{"render asset:cube -o OUT --raster hardware --backend cpu", "--backend cpu has only the soft raster host"},
			{"render asset:cube -o OUT --raster compute --backend cpu", "it excludes --raster compute"},
			{"render asset:cube -o OUT --json", "--json prints timings: it needs --repeat"},
			{"render asset:cube -o OUT --repeat -1", "--repeat -1: want 1 to"},
			{"render asset:cube -o OUT --repeat 1000000000", "--repeat 1000000000: want 1 to"},
			{"render asset:cube -o OUT --repeat 2 --plan", "--plan draws nothing: it excludes --repeat"},
			{"render asset:cube -o OUT --repeat 2 --json --csv", "--json excludes --csv"},
			{"anlyze asset:cube", `unknown command "anlyze": did you mean analyze? have analyze, apps, bench, `},
			{"help rendr", `unknown command "rendr": did you mean render? have `},
			{"apps subdivid", `unknown command "subdivid": did you mean subdivide? have envelope, subdivide, walk`},
			{"analyze asset:cube --stratgy warp", "unknown flag: --stratgy: did you mean --strategy?"},
			{"analyze asset:cube --strategy hsah", `unknown strategy "hsah": did you mean hash? have naive, `},
			{"bench asset:cube --strategy naive,clain", `unknown strategy "clain": did you mean claim? have naive, `},
			{"analyze asset:cube --order forsyht+fetch", `unknown order "forsyht+fetch": did you mean forsyth+fetch? have original, `},
			{"analyze asset:cube --model fif", `unknown model "fif": did you mean fifo? have none, all, ideal, fifo, `},
			{"analyze asset:cube --model nvidia", `unknown model "nvidia": did you mean nvidia-32-32-32? have `},
			{"analyze asset:cube --model parallel:partition=dealtt", `unknown partition "dealtt": did you mean dealt? have range, dealt`},
			{"analyze asset:cube --batching dynmaic", `unknown batching "dynmaic": did you mean dynamic? have static, dynamic`},
			{"analyze asset:cube --backend gup", `unknown backend "gup": did you mean gpu? have auto, gpu, cpu`},
			{"analyze asset:cube --subgroups nativ", `unknown subgroups "nativ": did you mean native? have auto, native, virtual`},
			{"render asset:cube -o OUT --view count", `unknown view "count": did you mean counts? have counts, `},
			{"render asset:cube -o OUT --queue index", `unknown queue form "index": did you mean indexed? have indexed, expanded`},
			{"render asset:cube -o OUT --raster hardwear", `unknown raster host "hardwear": did you mean hardware? have hardware, `},
			{"render asset:cube -o OUT --camera botom", `camera "botom": did you mean bottom? want comma-separated: front, `},
			{"bench asset:cube --load simpel", `--load "simpel": did you mean simple? want simple, skin, displace, or 0 to `},
			{"render asset:cube -o OUT --vertex-shader skn", line(`unknown vertex shader "skn": did you mean skin? have transform, skin, displace, captured, or a file that ends in .spv, .vert, .glsl, .hlsl, .slang, .wgsl`)},
			{"render asset:cube -o OUT --vertex-shader a.vert --load 5", line("--vertex-shader says what a vertex costs: it excludes --load")},
			{"render asset:cube -o OUT --vertex-shader a.vert --subdivide 1", line("--vertex-shader a.vert shades vertices of stored meshes: it excludes --subdivide")},
			{"render asset:cube -o OUT --vertex-shader skin --strategy hardware", line("--strategy hardware has no vertex shader of ours but the one that only transforms: it excludes --vertex-shader skin")},
			{"render asset:cube -o OUT --view varying:uv", line("--view varying:uv shows an output of a vertex shader: it needs --vertex-shader FILE or captured")},
			{"render asset:cube -o OUT --view varying: --vertex-shader a.vert", line("--view varying:: want the name of an output behind it, as varying:color")},
			{"render asset:cube -o OUT --vertex-shader skin --uniforms a.yaml", line("--uniforms needs --vertex-shader FILE")},
			{"bench asset:cube --entry main", line("--entry needs --vertex-shader FILE")},
			{"bench asset:cube --frame --vertex-shader a.vert --load skin", line("bench --frame takes one vertex shader: --vertex-shader excludes --load")},
			{"bench asset:cube --frame --vertex-shader skin --strategy hardware", line("--strategy hardware has no vertex shader of ours but the one that only transforms: it excludes --load skin")},
			{"bench asset:cube --vertex-shader a.vert --backend cpu", line("--vertex-shader a.vert is timed on a GPU: it excludes --backend cpu")},
			{"analyze --print-uniforms", line("--print-uniforms needs --vertex-shader FILE")},
			{"analyze --print-uniforms --vertex-shader captured", line("--print-uniforms needs --vertex-shader FILE")},
			{"analyze asset:cube --strategy none", "nothing to analyze: --strategy none with --model none"},
			{"analyze asset:cube --strategy none,warp", "none excludes other names: got none,warp"},
			{"analyze asset:cube --model lru,none", "none excludes other names: got lru,none"},
			{"analyze asset:cube --model hardwere", `unknown model "hardwere": did you mean hardware? have none`},
			{"analyze asset:cube --model ideal,lur:32", `unknown model "lur": did you mean lru? have none, all, `},
			{"analyze asset:cube --model lru:x", `model "lru:x": unknown parameter "x"`},
			{"analyze asset:cube --model lru:2000000000", "model lru: entries 2000000000 is out of range 1.."},
			{"analyze asset:cube --strategy none --model all --backend foo", `unknown backend "foo"`},
			{"render asset:cube --strategy none", `unknown strategy "none": have naive`},
			{"bench asset:cube --strategy none", `unknown strategy "none": have naive`},
			{"analyze --strategy hash --batching static --batch 1026 nofile", "but only 1024 have slots: must be a multiple of 3 from 3 to 1023"},
			{"bench --strategy hash --batching static --batch 1026 nofile", "must be a multiple of 3 from 3 to 1023"},
			{"analyze --strategy warp --unique 64 nofile", "a bound on unique vertices needs dynamic batches, and warp has static ones"},
			{"analyze --strategy hash --batching static --unique 64 nofile", "a bound on unique vertices needs dynamic batches, and hash has static ones"},
			{"analyze --strategy meshlet --unique 257 nofile", "257 unique vertices per batch: meshlet takes 3 to 256"},
			{"bench --strategy meshlet --batching static nofile", "static batches: meshlet supports only dynamic batches"},
			{"analyze --strategy claim --table 2 nofile", "table of 2 entries per vertex: claim has no such table"},
			{"analyze --strategy naive --probes 2 nofile", "2 probes: strategy naive has no second tier, so it takes no number of probes"},
			{"bench asset:cube --load heavy", `--load "heavy": want simple, skin, displace, or 0 to 1048576 cycles`},
			{"bench asset:cube --load=-1", `--load "-1"`},
			{"bench asset:cube --runs 0", "--runs 0: want 1 to"},
			{"bench asset:cube --queue flat", `unknown queue form "flat"`},
			{"bench asset:cube --strategy warp --probes 4", "4 probes: strategy warp has no second tier"},
			{"bench asset:cube --strategy hash --workgroup 100", "workgroup of 100: must be a power of"},
			{"bench asset:cube --size 32x32", "--size is for whole frames and for culling: it needs --frame or --cull"},
			{"bench asset:cube --camera near", "--camera is for whole frames and for culling: it needs --frame or --cull"},
			{"bench asset:cube --frame --size 3", `"3": want WIDTHxHEIGHT`},
			{"bench asset:cube --frame --camera nearr", "captured; or fit, near, far"},
			{"bench asset:cube --frame --camera near,zoom=0", "camera zoom 0"},
			{"bench asset:cube --frame --raster soft", "--raster soft excludes --backend gpu"},
			{"bench asset:cube --frame --raster compute --backend cpu", "--backend cpu has only the soft raster host: it excludes --raster compute"},
			{"bench asset:cube --frame --strategy hardware --backend cpu", "--strategy hardware excludes --backend cpu"},
			{"bench asset:cube --frame --strategy hardware --load skin", "it excludes --load skin"},
			{"bench asset:cube --frame --load simple,256", "takes one --load, got 2"},
			{"bench asset:cube --frame --benchstat", "it excludes --frame"},
			{"bench asset:cube --frame --hardware-share 1.5", "--hardware-share 1.5: want 0 to 1"},
			{"bench asset:cube --frame --strategy warp,harware", "unknown"},
			{"bench asset:cube --strategy hardware", "unknown"},
			{"render asset:cube -o OUT --samples 3", "want 1, 4, 9 or 16"},
			{"render asset:cube -o OUT --samples 4 --size 9000x10", "each side at most 16384"},
			{"render asset:cube -o OUT --samples 4 --repeat 2", "excludes --samples"},
			{"render asset:cube -o OUT --background #12345g", "want #RRGGBB"},
			{"render asset:cube -o OUT --transparent --background #ffffff", "excludes --background"},
			{"render asset:cube -o OUT --hide 1 --isolate 0", line("--isolate shows only some draws: it excludes --hide")},
			{"render asset:cube -o OUT --backend cpu --validation", line("--backend cpu runs without Vulkan: it excludes --validation")},
			{"analyze asset:cube --sort wasted", line("--sort sorts draws: it needs --per-draw")},
			{"bench asset:cube --raster compute", line("--raster is for whole frames: it needs --frame")},
			{"render asset:cube -o OUT --light of", `unknown light "of": did you mean`},
			{"render asset:cube -o OUT --palette difference", `unknown palette "difference"`},
			{"render asset:cube -o OUT --palette colourblind", `unknown palette "colourblind": did you mean colorblind?`},
			{"render asset:cube --strategy hardware --plan --lanes 8", "--strategy hardware has no strategy: it excludes --lanes"},
			{"render asset:cube --strategy hardware --plan --raster compute", "--strategy hardware excludes --raster compute"},
			{"render asset:cube --strategy hardware --plan --backend cpu", "--strategy hardware excludes --backend cpu"},
			{"render asset:cube -o OUT --load bones", `--load "bones": want simple, skin, displace, or 0 to 1048576 cycles`},
			{"render nofile -o OUT --cull --queue expanded", "--cull needs --queue indexed"},
			{"render nofile -o OUT --cull-faces none", "--cull-faces none needs --cull"},
			{"render nofile -o OUT --cull --cull-faces front", `unknown choice of faces "front": have file, all, none`},
			{"bench nofile --camera zoom=2", "--camera is for whole frames and for culling: it needs --frame or --cull"},
			{"bench nofile --size 5x5", "--size is for whole frames and for culling: it needs --frame or --cull"},
			{"bench nofile --cull --size 5", `--size "5": want WIDTHxHEIGHT`},
			{"bench nofile --cull --camera zoom=x", "camera"},
			{"render asset:cube -o OUT --subdivide 13", "--subdivide 13: must be 0 to 12"},
			{"bench asset:cube --subdivide -1", "--subdivide -1: must be 0 to 12"},
			{"render asset:cube -o OUT --subdivide 1 --strategy hardware --view shaded", "--strategy hardware draws stored meshes: it excludes --subdivide"},
			{"bench --frame asset:cube --subdivide 1 --strategy hardware,claim", "--strategy hardware draws stored meshes: it excludes --subdivide"},
			{"bench asset:cube --subdivide 1 --load simple,skin", "--load skin moves vertices of stored meshes: it excludes --subdivide"},
			{"analyze asset:cube --strategy auto --batch=96", "auto picks batches, workgroup and table with the strategy"},
			{"analyze asset:cube --strategy auto --unique=64", "auto picks batches, workgroup and table with the strategy"},
			{"analyze asset:cube --strategy auto --workgroup=64", "auto picks batches, workgroup and table with the strategy"},
			{"analyze asset:cube --strategy auto --table=1", "auto picks batches, workgroup and table with the strategy"},
			{"analyze asset:cube --strategy auto --probes=2", "auto picks batches, workgroup and table with the strategy"},
			{"analyze asset:cube --strategy auto --batching=static", "auto picks batches, workgroup and table with the strategy"},
		},
		cli.ExitFailure: {
			{"analyze asset:shpere5 --backend cpu", `unknown asset "shpere5": did you mean sphere5? have sphere[0..10], `},
			{"analyze asset:cube --backend cpu --vertex-shader none.vert", line("none.vert: no such file or directory")},
			{"analyze asset:cube --backend cpu --vertex-shader captured", line("asset:cube: order original: --vertex-shader captured: the file brings no vertex shaders along: it is no captured frame that holds them")},
			{"analyze no.ply --strategy none --model all", "no.ply: no such file"},
			{"render asset:cube --strategy hardware --view batches --plan", "has no batches to show"},
			{"render asset:sphere6 -o OUT --subdivide 9", "asset:sphere6: 9 levels of 81920 triangles are more than the 715827882 triangles that an index stream can have"},
		},
	} {
		for _, c := range lines {
			t.Run(c.args, func(t *testing.T) {
				args := strings.Fields(c.args)
				for i, arg := range args {
					args[i] = strings.NewReplacer("OUT", filepath.Join(folder, "x.png"), "''", "").Replace(arg)
				}
				requireFailure(t, status, c.want, call(args...))
				requireEmpty(t, folder)
			})
		}
	}
}

// TestHelpSaysWhatFlagsExclude of the command line's own matrix, and of the frame's modes; in
// the commands alone that have such values.
func TestHelpSaysWhatFlagsExclude(t *testing.T) {
	t.Parallel()
	flags := func(command string) map[string]string {
		lines := map[string]string{}
		help := regexp.MustCompile(`\n {12,}`).ReplaceAllString(call(command, "--help").out, " ")
		for _, f := range regexp.MustCompile(`(?m)^ +(?:-\w, )?--(\S+) .*$`).FindAllStringSubmatch(help, -1) {
			lines[f[1]] = f[0]
		}
		return lines
	}
	for command, says := range map[string]map[string]string{
		"render": {
			"plan": "; excludes --repeat$", "repeat": "; excludes --plan, --samples 4.9.16$", "json": "; needs --repeat; excludes --csv$", "hide": "; excludes --isolate$",
			"cull": "; needs --queue indexed$", "queue": "; expanded excludes --cull .default", "cull-faces": "; needs --cull .default", "subdivide": "; excludes .*--vertex-shader",
			"strategy": "; hardware excludes --lanes, .*--load, --subdivide, other", "backend": "; cpu excludes .*--device", "entry": "; needs --vertex-shader FILE$",
		},
		"bench":   {"size": "; needs --frame or --cull .default", "raster": "; needs --frame$", "json": "; excludes --csv$"},
		"analyze": {"sort": "; needs --per-draw .default", "strategy": "meshlet, auto .default all.$"},
	} {
		lines := flags(command)
		for flag, text := range says {
			require.Regexp(t, text, lines[flag])
		}
	}
}
