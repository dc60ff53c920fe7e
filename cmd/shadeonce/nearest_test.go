package main

import (
	"strings"
	"testing"

	"github.com/shadeonce/shadeonce/internal/cli"
)

// Every name that a command line takes is answered with the nearest one.
func TestNearestNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args, want string
		status     int
	}{
		{"anlyze asset:cube", `unknown command "anlyze": did you mean analyze? have analyze, apps, bench, `, cli.ExitUsage},
		{"help rendr", `unknown command "rendr": did you mean render? have `, cli.ExitUsage},
		{"apps subdivid", `unknown command "subdivid": did you mean subdivide? have envelope, subdivide, walk`, cli.ExitUsage},
		{"analyze asset:cube --stratgy warp", "unknown flag: --stratgy: did you mean --strategy?", cli.ExitUsage},
		{"analyze asset:cube --strategy hsah", `unknown strategy "hsah": did you mean hash? have naive, `, cli.ExitUsage},
		{"bench asset:cube --strategy naive,clain", `unknown strategy "clain": did you mean claim? have naive, `, cli.ExitUsage},
		{"analyze asset:cube --order forsyht+fetch", `unknown order "forsyht+fetch": did you mean forsyth+fetch? have original, `, cli.ExitUsage},
		{"analyze asset:cube --model fif", `unknown model "fif": did you mean fifo? have none, all, ideal, fifo, `, cli.ExitUsage},
		{"analyze asset:cube --model nvidia", `unknown model "nvidia": did you mean nvidia-32-32-32? have `, cli.ExitUsage},
		{"analyze asset:cube --model parallel:partition=dealtt", `unknown partition "dealtt": did you mean dealt? have range, dealt`, cli.ExitUsage},
		{"analyze asset:cube --batching dynmaic", `unknown batching "dynmaic": did you mean dynamic? have static, dynamic`, cli.ExitUsage},
		{"analyze asset:cube --backend gup", `unknown backend "gup": did you mean gpu? have auto, gpu, cpu`, cli.ExitUsage},
		{"analyze asset:cube --subgroups nativ", `unknown subgroups "nativ": did you mean native? have auto, native, virtual`, cli.ExitUsage},
		{"render asset:cube -o x.png --view count", `unknown view "count": did you mean counts? have counts, `, cli.ExitUsage},
		{"render asset:cube -o x.png --queue index", `unknown queue form "index": did you mean indexed? have indexed, expanded`, cli.ExitUsage},
		{"render asset:cube -o x.png --raster hardwear", `unknown raster host "hardwear": did you mean hardware? have hardware, `, cli.ExitUsage},
		{"render asset:cube -o x.png --camera botom", `camera "botom": did you mean bottom? want comma-separated: front, `, cli.ExitUsage},
		{"bench asset:cube --load simpel", `--load "simpel": did you mean simple? want simple, skin, displace, or 0 to `, cli.ExitUsage},
		{"analyze asset:shpere5 --backend cpu", `unknown asset "shpere5": did you mean sphere5? have sphere[0..10], `, cli.ExitFailure},
	} {
		t.Run(c.args, func(t *testing.T) {
			requireFailure(t, c.status, c.want, call(strings.Fields(c.args)...))
		})
	}
}
