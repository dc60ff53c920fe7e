package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse/model"
	"github.com/shadeonce/shadeonce/internal/cli"
)

// labels are the models of --model all, as rows show them.
func labels() (list []string) {
	for _, m := range model.All {
		for _, p := range m.Variants {
			list = append(list, m.Label(p))
		}
	}
	return list
}

func TestAnalyzeModels(t *testing.T) {
	rows := analyses(t, "asset:cube", "asset:sphere2", "--backend", "cpu", "--strategy", "warp,hash", "--order", "original,forsyth", "--model", "all")
	want := append([]string{"warp", "hash"}, labels()...)
	require.Len(t, rows, 4*len(want))
	for i, row := range rows {
		name := want[i%len(want)]
		require.Equal(t, name, row["strategy"])
		require.Equal(t, []string{"asset:cube", "asset:sphere2"}[i/len(want)/2], row["file"])
		require.Equal(t, []string{"original", "forsyth"}[i/len(want)%2], row["order"])
		if i%len(want) < 2 {
			require.Equal(t, "strategy", row["kind"])
			continue
		}
		require.Equal(t, "model", row["kind"])
		for field, want := range map[string]string{"backend": "model", "device": "", "lanes": "0", "batch": "0", "unique": "0", "lane_utilization": "0", "batching": ""} {
			require.Equal(t, want, fmt.Sprint(row[field]), field)
		}
		if name == "ideal" {
			require.Equal(t, row["ideal"], row["reuse"])
			require.Equal(t, row["referenced"], row["invocations"])
		}
	}
}

func TestAnalyzeModelsAlone(t *testing.T) {
	r := finish(t, process(t, noDriver, "analyze", "asset:cube", "--strategy", "none", "--model", "lru:4,ideal"))
	requireFine(t, r) // without a word of a GPU: nothing has to run
	lines := strings.Split(r.out, "\n")
	require.Equal(t, strings.Fields("asset:cube original lru:4 - - 12 24 0.3333 0.3333 2.000 1.000 - 100 0 0 0 0 0"), strings.Fields(lines[1]))
	require.Equal(t, strings.Fields("asset:cube original ideal - - 12 24 0.3333 0.3333 2.000 1.000 - 100 0 0 0 0 0"), strings.Fields(lines[2]))
	require.Contains(t, r.out, "models, of which no device promises anything")
	require.NotContains(t, r.out, "CPU reference")
	require.Equal(t, analyses(t, "asset:knot", "--backend", "cpu", "--strategy", "none", "--model", "all"),
		analyses(t, onGPU("asset:knot", "--strategy", "none", "--model", "all")...), "the backend has no part in it")
}

func TestAnalyzeModelsRefuses(t *testing.T) {
	for want, args := range map[string][]string{
		"nothing to analyze: --strategy none with --model none":      {"--strategy", "none"},
		"none excludes other names: got none,warp":                   {"--strategy", "none,warp"},
		"none excludes other names: got lru,none":                    {"--model", "lru,none"},
		`unknown model "hardwere": did you mean hardware? have none`: {"--model", "hardwere"},
		`unknown model "lur": did you mean lru? have none, all, `:    {"--model", "ideal,lur:32"},
		`model "lru:x": unknown parameter "x"`:                       {"--model", "lru:x"},
		"model lru: entries 2000000000 is out of range 1..":          {"--model", "lru:2000000000"},
		`unknown backend "foo"`:                                      {"--strategy", "none", "--model", "all", "--backend", "foo"},
	} {
		requireFailure(t, cli.ExitUsage, want, call(append([]string{"analyze", "asset:cube"}, args...)...))
	}
	requireFailure(t, cli.ExitFailure, "no.ply: no such file", call("analyze", "no.ply", "--strategy", "none", "--model", "all"))
	for _, command := range []string{"render", "bench"} {
		requireFailure(t, cli.ExitUsage, `unknown strategy "none": have naive`, call(command, "asset:cube", "--strategy", "none"))
	}
}
