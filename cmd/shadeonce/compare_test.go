package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/shareddata"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/measure/print"
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
		"v 0 0 0":         "bad.json: is not an array of rows as --json prints them",
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

// goBenchmark is a result line with the configuration that it stands under.
type goBenchmark struct {
	config map[string]string
	base   string
	parts  map[string]string // of the name
	values map[string]float64
}

// parseBenchmarks reads Go's benchmark format, and takes nothing that a reader
// of it would have to pass over: every line is a unit's, a configuration or a
// result.
func parseBenchmarks(text string) (results []goBenchmark, units map[string]string, err error) {
	config, units := map[string]string{}, map[string]string{}
	for line := range strings.Lines(text) {
		line, ended := strings.CutSuffix(line, "\n")
		if !ended {
			return nil, nil, fmt.Errorf("line without an end: %q", line)
		}
		fields := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "Benchmark"):
			r, err := parseBenchmark(fields)
			if err != nil {
				return nil, nil, fmt.Errorf("%q: %w", line, err)
			}
			r.config = map[string]string{}
			for k, v := range config {
				r.config[k] = v
			}
			results = append(results, r)
		case strings.HasPrefix(line, "Unit "):
			if len(fields) < 3 || slices.ContainsFunc(fields[2:], func(field string) bool { return !strings.Contains(field, "=") }) {
				return nil, nil, fmt.Errorf("unit line %q", line)
			}
			units[fields[1]] = strings.Join(fields[2:], " ")
		default:
			key, value, found := strings.Cut(line, ":")
			if !found || key == "" || !unicode.IsLower([]rune(key)[0]) || strings.ContainsFunc(key, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsUpper(r) }) ||
				value != "" && value[0] != ' ' && value[0] != '\t' {
				return nil, nil, fmt.Errorf("neither configuration nor result: %q", line)
			}
			config[key] = strings.TrimSpace(value)
		}
	}
	return results, units, nil
}

// parseBenchmark reads a result: name, iterations, and pairs of value and unit.
func parseBenchmark(fields []string) (r goBenchmark, err error) {
	r.parts, r.values = map[string]string{}, map[string]float64{}
	name := regexp.MustCompile(`^(Benchmark[^a-z].*)-([1-9][0-9]*)$`).FindStringSubmatch(fields[0])
	if name == nil {
		return r, fmt.Errorf("name %q", fields[0])
	}
	parts := strings.Split(name[1], "/")
	r.base = parts[0]
	for _, part := range parts[1:] {
		key, value, found := strings.Cut(part, "=")
		if _, twice := r.parts[key]; !found || twice || key == "" || value == "" {
			return r, fmt.Errorf("part %q", part)
		}
		r.parts[key] = value
	}
	if len(fields) < 4 || len(fields)%2 != 0 {
		return r, fmt.Errorf("%d fields", len(fields))
	}
	if n, err := strconv.Atoi(fields[1]); err != nil || n < 1 {
		return r, fmt.Errorf("iterations %q", fields[1])
	}
	for i := 2; i < len(fields); i += 2 {
		v, err := strconv.ParseFloat(fields[i], 64)
		if _, twice := r.values[fields[i+1]]; err != nil || twice {
			return r, fmt.Errorf("value %q of %q", fields[i], fields[i+1])
		}
		r.values[fields[i+1]] = v
	}
	return r, nil
}

func TestTheParserIsStrict(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"Device: x\n", "two words: x\n", "no colon\n", "key:x\n", "\n", "# comment\n", "Benchmark/x=1-1 1 2 ns/op",
		"Benchmarkx-1 1 2 ns/op\n", "BenchmarkX 1 2 ns/op\n", "BenchmarkX/a-1 1 2 ns/op\n", "BenchmarkX/a=1/a=2-1 1 2 ns/op\n",
		"BenchmarkX-1 0 2 ns/op\n", "BenchmarkX-1 1 2\n", "BenchmarkX-1 1 x ns/op\n", "BenchmarkX-1 1 2 ns/op 3 ns/op\n", "Unit x\n",
	} {
		_, _, err := parseBenchmarks(bad)
		require.Error(t, err, bad)
	}
}

func TestBenchstat(t *testing.T) {
	r := call("bench", "asset:sphere2", "asset:cube", "--strategy", "naive-index,warp,hash", "--load", "simple,256", "--order", "original,forsyth", "--batching", "dynamic", "--runs", "3", "--benchstat")
	requireFine(t, r)
	results, units, err := parseBenchmarks(r.out)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"triangles/s": "better=higher", "reuse": "better=higher assume=exact", "invocations": "better=lower assume=exact"}, units)
	require.Len(t, results, 2*2*2*3*3)
	samples := map[string]int{}
	triangles := map[string]float64{"asset:sphere2": 320, "asset:cube": 12}
	for _, b := range results {
		require.Equal(t, "BenchmarkGeometry", b.base)
		require.NotEmpty(t, b.config["device"])
		require.NotEmpty(t, b.config["driver"])
		require.Len(t, b.config, 4)
		require.Len(t, b.parts, 9, "benchstat compares names with the same parts")
		require.Positive(t, b.values["ns/op"])
		require.InDelta(t, triangles[b.config["file"]]/b.values["ns/op"]*1e9, b.values["triangles/s"], .5001, "a whole number is printed")
		require.InDelta(t, 1-b.values["invocations"]/(3*triangles[b.config["file"]]), b.values["reuse"], 1e-12)
		samples[fmt.Sprint(b.config["file"], b.config["order"], b.parts["strategy"], b.parts["load"])]++
	}
	require.Len(t, samples, 2*2*2*3)
	for name, n := range samples {
		require.Equal(t, 3, n, name)
	}
	require.Equal(t, "1023", results[2*3].parts["batch"])
	require.Equal(t, "256", results[2*3].parts["unique"])

	for _, other := range []string{"--json", "--csv"} {
		requireFailure(t, cli.ExitUsage, "--benchstat excludes --json and --csv", call("bench", "no such file", "--benchstat", other))
	}
}

func TestBenchstatEscapes(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	row := measure.GeometryRow{Source: measure.Source{File: "a b\nBenchmarkX-1", Order: "original"}, Strategy: "warp", Load: "a b/c", Sizes: measure.Sizes{Queue: "indexed", Batches: measure.Batches{Batching: "static"}}, Times: []time.Duration{1500}, Triangles: 3, Reuse: .5, Invocations: 4}
	require.NoError(t, print.WriteBenchstat(&text, []measure.GeometryRow{row}))
	results, _, err := parseBenchmarks(text.String())
	require.NoError(t, err)
	require.Len(t, results, 1)
	require.Equal(t, `a b\nBenchmarkX-1`, results[0].config["file"])
	require.Equal(t, "a_b_c", results[0].parts["load"])
	require.Equal(t, map[string]float64{"ns/op": 1500, "triangles/s": 2e6, "reuse": .5, "invocations": 4}, results[0].values)
}

// schemaOf is the written schema of a kind of rows.
func schemaOf(t testing.TB, name string) *jsonschema.Schema {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile(shareddata.Tree(t, "docs", "schema", name+".json"))
	require.NoError(t, err)
	return schema
}

// plain are rows as the validator takes them.
func plain(rows []map[string]any) any {
	list := make([]any, len(rows))
	for i := range rows {
		list[i] = rows[i]
	}
	return list
}

// TestOutputMatchesItsSchema: every field is in docs/schema with its type, and none
// besides.
func TestOutputMatchesItsSchema(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, commands := range map[string][]string{
		"analyze":          {"analyze asset:cube asset:soup --model all --backend cpu"},
		"analyze-per-draw": {"analyze asset:city2 --per-draw --strategy warp --model lru:16 --backend cpu"},
		"bench":            {"bench asset:cube asset:sphere1 --strategy naive,warp,hash --backend cpu --runs 2", "bench asset:cube --strategy claim --cull --backend cpu --runs 1"},
		"bench-frame":      {"bench asset:cube --frame --strategy hash --size 16x16 --backend cpu --runs 1"},
		"render-repeat":    {"render asset:cube --repeat 1 --size 16x16 --backend cpu", "render asset:cube --repeat 1 --size 16x16 --cull --backend cpu"},
		"apps":             {"apps subdivide asset:cube --strategy all --backend cpu -o " + filepath.Join(folder, "x.ply"), "apps walk --agents 10 --grid 16 --steps 1 --backend cpu -o " + filepath.Join(folder, "walk")},
		"devices":          {"devices"},
	} {
		schema := schemaOf(t, name)
		for _, command := range commands {
			r := call(append(strings.Fields(command), "--json")...)
			require.Zero(t, r.status, r.errors)
			require.NoError(t, schema.Validate(plain(decode(t, r.out))), command)
		}
	}
}

// TestTheSchemaIsStrict: what TestOutputMatchesItsSchema holds to would fail.
func TestTheSchemaIsStrict(t *testing.T) {
	t.Parallel()
	schema := schemaOf(t, "analyze")
	row := analyses(t, "asset:cube", "--backend", "cpu", "--strategy", "warp")[0]
	for what, change := range map[string]func(map[string]any){
		"a field less": func(row map[string]any) { delete(row, "commit") },
		"a field more": func(row map[string]any) { row["colour"] = "red" },
		"another type": func(row map[string]any) { row["invocations"] = "24" },
	} {
		changed := maps.Clone(row)
		require.NoError(t, schema.Validate(plain([]map[string]any{changed})))
		change(changed)
		require.Error(t, schema.Validate(plain([]map[string]any{changed})), what)
	}
}
