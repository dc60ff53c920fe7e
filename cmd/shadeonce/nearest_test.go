package main

import (
	"strings"
	"testing"
)

// Every name that a command line takes is answered with the nearest one.
func TestNearestNames(t *testing.T) {
	for _, c := range []struct {
		args, want string
		status     int
	}{
		{"anlyze asset:cube", `unknown command "anlyze": did you mean analyze? have analyze, bench, `, exitUsage},
		{"help rendr", `unknown command "rendr": did you mean render? have `, exitUsage},
		{"analyze asset:cube --stratgy warp", "unknown flag: --stratgy: did you mean --strategy?", exitUsage},
		{"analyze asset:cube --strategy hsah", `unknown strategy "hsah": did you mean hash? have naive, `, exitUsage},
		{"bench asset:cube --strategy naive,clain", `unknown strategy "clain": did you mean claim? have naive, `, exitUsage},
		{"analyze asset:cube --order forsyht+fetch", `unknown order "forsyht+fetch": did you mean forsyth+fetch? have original, `, exitUsage},
		{"analyze asset:cube --model fif", `unknown model "fif": did you mean fifo? have none, all, ideal, fifo, `, exitUsage},
		{"analyze asset:cube --model nvidia", `unknown model "nvidia": did you mean nvidia-32-32-32? have `, exitUsage},
		{"analyze asset:cube --model parallel:partition=dealtt", `unknown partition "dealtt": did you mean dealt? have range, dealt`, exitUsage},
		{"analyze asset:cube --batching dynmaic", `unknown batching "dynmaic": did you mean dynamic? have static, dynamic`, exitUsage},
		{"analyze asset:cube --backend gup", `unknown backend "gup": did you mean gpu? have auto, gpu, cpu`, exitUsage},
		{"analyze asset:cube --subgroups nativ", `unknown subgroups "nativ": did you mean native? have auto, native, virtual`, exitUsage},
		{"render asset:cube -o x.png --view count", `unknown view "count": did you mean counts? have counts, `, exitUsage},
		{"render asset:cube -o x.png --queue index", `unknown queue form "index": did you mean indexed? have indexed, expanded`, exitUsage},
		{"render asset:cube -o x.png --raster hardwear", `unknown raster host "hardwear": did you mean hardware? have hardware, `, exitUsage},
		{"render asset:cube -o x.png --camera botom", `camera "botom": did you mean bottom? want comma-separated: front, `, exitUsage},
		{"bench asset:cube --load simpel", `--load "simpel": did you mean simple? want simple, skin, displace, or 0 to `, exitUsage},
		{"analyze asset:shpere5 --backend cpu", `unknown asset "shpere5": did you mean sphere5? have sphere[0..10], `, exitFailure},
	} {
		t.Run(c.args, func(t *testing.T) {
			requireFailure(t, c.status, c.want, call(strings.Fields(c.args)...))
		})
	}
}
