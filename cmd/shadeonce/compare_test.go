package main

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
)

// schemaOf reads the schema in docs for a kind of rows.
func schemaOf(t testing.TB, name string) *jsonschema.Schema {
	t.Helper()
	return must.Get(jsonschema.NewCompiler().Compile(shareddata.Tree(t, "docs", "schema", name+".json")))
}

// plain converts rows to the form that the validator takes.
func plain(rows []map[string]any) any {
	list := make([]any, len(rows))
	for i := range rows {
		list[i] = rows[i]
	}
	return list
}

// TestOutputMatchesItsSchema: docs/schema has every field with its type, and no others.
func TestOutputMatchesItsSchema(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	old, better := filepath.Join(folder, "old.json"), filepath.Join(folder, "better.csv")
	for file, flags := range map[string]string{old: "", better: ",claim --order forsyth"} {
		runs(t, strings.Fields("analyze asset:grid8 --backend cpu -o "+file+" --strategy warp"+flags)...)
	}
	for name, commands := range map[string][]string{
		"analyze":          {"analyze asset:cube asset:soup --model all --backend cpu"},
		"analyze-per-draw": {"analyze asset:city2 --per-draw --strategy warp --model lru:16 --backend cpu"},
		"bench":            {"bench asset:cube asset:sphere1 --strategy naive,warp,hash --backend cpu --runs 2", "bench asset:cube --strategy claim --cull --backend cpu --runs 1"},
		"bench-frame":      {"bench asset:cube --frame --strategy hash --size 16x16 --backend cpu --runs 1"},
		"render-repeat":    {"render asset:cube --repeat 1 --size 16x16 --backend cpu", "render asset:cube --repeat 1 --size 16x16 --cull --backend cpu"},
		"apps":             {"apps subdivide asset:cube --strategy all --backend cpu -o " + filepath.Join(folder, "x.ply"), "apps walk --agents 10 --grid 16 --steps 1 --backend cpu -o " + filepath.Join(folder, "walk")},
		"devices":          {"devices"},
		"compare":          {"compare --ignore order " + old + " " + better},
	} {
		schema := schemaOf(t, name)
		for _, command := range commands {
			r := runs(t, append(strings.Fields(command), "--json")...)
			require.NoError(t, schema.Validate(plain(decode(t, r.out))), command)
		}
	}
}

// TestTheSchemaIsStrict: the check of TestOutputMatchesItsSchema can fail.
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
