package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/shareddata"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// TestEmbeddingHasTheNeeds: the manual's table is what `devices --json` says of a device
// with subgroups of 32 lanes, and in brackets of one without.
func TestEmbeddingHasTheNeeds(t *testing.T) {
	t.Parallel()
	limits := renderer.Limits{MaxWorkgroup: 1024, SharedBytes: 48 << 10}
	virtual := plan.Needs(limits)
	limits.NativeLanes = []int{32}
	native := plan.Needs(limits)
	find := func(needs []plan.Need, strategy string, fused bool) plan.Need {
		for _, n := range needs {
			if n.Strategy == strategy && n.Fused == fused {
				return n
			}
		}
		return plan.Need{}
	}
	both := func(x, y int) string {
		if x == y {
			return fmt.Sprint(x)
		}
		return fmt.Sprintf("%d (%d)", x, y)
	}
	table := "| strategy | BATCH | UNIQUE | TABLE | WORKGROUP | batches of it | shared bytes | shared bytes, fused | capabilities |\n" + strings.Repeat("| --- ", 9) + "|\n"
	for _, name := range reuse.Names() {
		n, v := find(native, name, false), find(virtual, name, false)
		constant := func(name string) string {
			x, has := n.Constants[name]
			if !has {
				return ""
			}
			return both(int(x), int(v.Constants[name]))
		}
		fused := ""
		if f := find(native, name, true); f.Strategy != "" {
			fused = both(f.SharedBytes, find(virtual, name, true).SharedBytes)
			require.Subset(t, f.Capabilities, append([]string{"GroupNonUniformBallot", "Int64", "Int64Atomics"}, n.Capabilities...))
		}
		table += fmt.Sprintf("| `%s` | %s | %s | %s | %s | %s | %s | %s | %s |\n", name, constant("BATCH"), constant("UNIQUE"), constant("TABLE"), constant("WORKGROUP"),
			both(n.Batches, v.Batches), both(n.SharedBytes, v.SharedBytes), fused, strings.Join(n.Capabilities, ", "))
	}
	manual, err := os.ReadFile(shareddata.Tree(t, "docs", "embedding.md"))
	require.NoError(t, err)
	require.Contains(t, string(manual), table)
	row := decode(t, call("devices", "--json").out)[0]
	require.Len(t, row["needs"], len(native))
}
