package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/tables"
	"github.com/stretchr/testify/require"
)

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
	row := measure.GeometryRow{File: "a b\nBenchmarkX-1", Order: "original", Strategy: "warp", Load: "a b/c", Queue: "indexed", Batching: "static", Times: []time.Duration{1500}, Triangles: 3, Reuse: .5, Invocations: 4}
	require.NoError(t, tables.WriteBenchstat(&text, []measure.GeometryRow{row}))
	results, _, err := parseBenchmarks(text.String())
	require.NoError(t, err)
	require.Len(t, results, 1)
	require.Equal(t, `a b\nBenchmarkX-1`, results[0].config["file"])
	require.Equal(t, "a_b_c", results[0].parts["load"])
	require.Equal(t, map[string]float64{"ns/op": 1500, "triangles/s": 2e6, "reuse": .5, "invocations": 4}, results[0].values)
}
