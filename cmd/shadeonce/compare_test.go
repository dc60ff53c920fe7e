package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	analyze := func(name string, args ...string) string {
		path := filepath.Join(folder, name)
		requireFine(t, call(append([]string{"analyze", "--backend", "cpu", "--strategy", "warp", "-o", path}, args...)...))
		return path
	}
	old := analyze("old.json", "asset:sphere3", "asset:cube", "--model", "lru:16")
	same := call("compare", old, old)
	requireFine(t, same)
	require.Equal(t, "4 rows: no change\n", same.out)
	require.Equal(t, "[]\n", call("compare", old, old, "--json").out)

	now := analyze("new.json", "asset:sphere3", "--batch", "48", "--model", "lru:16", "--order", "original,forsyth")
	r := call("compare", old, now, "--json")
	require.Equal(t, cli.ExitLimit, r.status)
	require.Equal(t, "shadeonce: "+now+" is worse than "+old+"\n", r.errors)
	rows := decode(t, r.out)
	require.NoError(t, schemaOf(t, "compare").Validate(plain(rows)))
	verdicts := map[string][]string{}
	for _, row := range rows {
		verdict := fmt.Sprint(row["verdict"])
		verdicts[verdict] = append(verdicts[verdict], strings.TrimSuffix(fmt.Sprint(row["row"], " ", row["field"]), " "))
	}
	require.Equal(t, map[string][]string{
		"gone":    {"asset:cube, original, warp, lanes 32", "asset:cube, original, lru:16"},
		"new":     {"asset:sphere3, forsyth, warp, lanes 32", "asset:sphere3, forsyth, lru:16"},
		"changed": {"asset:sphere3, original, warp, lanes 32 batch", "asset:sphere3, original, warp, lanes 32 invocations"},
		"worse": {"asset:sphere3, original, warp, lanes 32 reuse", "asset:sphere3, original, warp, lanes 32 acmr",
			"asset:sphere3, original, warp, lanes 32 atvr"},
	}, verdicts)
	table := call("compare", old, now)
	require.Regexp(t, `lanes 32 +reuse +0\.7188 +0\.6875 +-4\.35% +worse`, table.out)
	require.Contains(t, table.out, "4 rows compared: 3 worse, 0 better, 2 changed otherwise, 2 gone, 2 new\n")
	few := analyze("few.json", "asset:sphere3", "--batch", "48")
	requireFine(t, call("compare", few, analyze("best.json", "asset:sphere3")))
}

// TestCompareTimes: times have a tolerance, counts have none.
func TestCompareTimes(t *testing.T) {
	t.Parallel()
	rows := func(ms string, invocations int) measure.Rows {
		r, err := measure.ParseRows([]byte(fmt.Sprintf(`[{"schema": 1, "file": "a", "strategy": "warp", "ms_median": %s, "invocations": %d, "atvr": 1.%d}]`, ms, invocations, invocations)))
		require.NoError(t, err)
		return r
	}
	require.Empty(t, measure.Changes(rows("1.0", 5), rows("1.09", 5), 10))
	slower := measure.Changes(rows("1.0", 5), rows("1.2", 5), 10)
	require.Len(t, slower, 1)
	require.Equal(t, measure.Worse, slower[0].Verdict)
	require.InDelta(t, 20, slower[0].Percent, 1e-9)
	require.Equal(t, measure.Better, measure.Changes(rows("1.0", 5), rows("0.5", 5), 10)[0].Verdict)
	fewer := measure.Changes(rows("1.0", 6), rows("1.0", 5), 10)
	require.Len(t, fewer, 2)
	require.False(t, measure.AnyWorse(fewer))
	require.Equal(t, measure.Better, fewer[1].Verdict)
}

func TestCompareRefuses(t *testing.T) {
	t.Parallel()
	good := writeFile(t, "good.json", `[{"schema": 1}]`)
	for text, want := range map[string]string{
		"v 0 0 0":         "bad.json: is no array of rows, as --json prints them",
		"[]":              "bad.json: holds no rows",
		`[{"file": "a"}]`: "bad.json: row 0 has schema <nil>, this program compares rows of schema 1",
		`[{"schema": 2}]`: "bad.json: row 0 has schema 2",
		`[null]`:          "bad.json: row 0 has schema",
	} {
		bad := writeFile(t, "bad.json", text)
		requireFailure(t, cli.ExitFailure, want, call("compare", good, bad))
		requireFailure(t, cli.ExitFailure, want, call("compare", bad, good))
	}
	requireFailure(t, cli.ExitFailure, "none.json: cannot read: no such file or directory", call("compare", "none.json", good))
	requireFailure(t, cli.ExitUsage, "compare: takes two files, got 1", call("compare", good))
	requireFailure(t, cli.ExitUsage, "--time-tolerance -1: want percent from 0 on", call("compare", good, good, "--time-tolerance", "-1"))
}
