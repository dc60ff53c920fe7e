package interpret

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// TestRules compares every operation on components and on vectors with testdata/rules.txt, for edge cases
// of the operands. For the operations that a GLSL compiler writes, TestModulesEqualTheirFormulas in package
// oracle compares the results with a GPU's.
func TestRules(t *testing.T) {
	var b strings.Builder
	for _, op := range slices.Sorted(maps.Keys(componentRules)) {
		listRule(&b, op.String(), componentRules[op])
	}
	for _, number := range slices.Sorted(maps.Keys(glslFunctions)) {
		listRule(&b, fmt.Sprint("GLSL.std.450 ", number), glslFunctions[number])
	}
	vectors := [][][]float64{{{1, 2, -2}, {-3, 0.5, 4}, {0.25, -1, 8}, {0.75}}, {{0.6, -0.8, 0}, {0, 1, 0}, {0, -1, 0}, {3}}}
	for _, number := range slices.Sorted(maps.Keys(geometricRules)) {
		r := geometricRules[number]
		for _, from := range vectors {
			x := slices.Concat(from[:r.vectors], from[3:][:r.scalars])
			v := make([]float64, map[bool]int{true: 1, false: 3}[r.scalar])
			r.do(v, x)
			fmt.Fprintf(&b, "GLSL.std.450 %d of %g: %.6g\n", number, x, v)
		}
	}
	isKept(t, "testdata/rules.txt", b.String())
}

// isKept compares a text with a stored one, which -update replaces.
func isKept(t *testing.T, path, text string) {
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	require.Equal(t, string(must.Get(os.ReadFile(path))), text, "go test ./internal/spirv/interpret -run %s -update", t.Name())
}

// listRule writes a line for each width, with the operands and results of a rule.
func listRule(b *strings.Builder, name string, r rule) {
	reals := [][3]float64{{2.5, -1.5, 7}, {-3.5, 2, -1}, {0, 0, 0}, {math.NaN(), 1, 2}, {1, math.NaN(), 0.5}, {math.Inf(1), 0.5, -4}, {0.3, 0.7, 0.9}, {-0.7, -0.7, 0.1}}
	integers := [][3]uint64{{7, 3, 5}, {math.MaxUint64 - 6, 3, 9}, {7, math.MaxUint64 - 2, 1}, {0, 0, 0}, {1 << 31, math.MaxUint64, 2}, {5, 0, 1 << 63}, {6, 6, 6}}
	widths := map[kind][]uint{floating: {32, 64}, integer: {32, 64}, boolean: {32}}[r.of]
	for _, width := range widths {
		do := r.make(width, width)
		fmt.Fprintf(b, "%s, %d bits:", name, width)
		for i := range max(len(reals), len(integers)) {
			var x [3]uint64
			switch {
			case r.of == floating && i < len(reals):
				for k := range x {
					x[k] = encode(width)(reals[i][k])
				}
			case r.of == integer && i < len(integers):
				for k := range x {
					x[k] = integers[i][k] & mask(width)
				}
			case r.of == boolean && i < 4:
				x = [3]uint64{uint64(i & 1), uint64(i >> 1)}
			default:
				continue
			}
			result := do(x[0], x[1], x[2])
			switch r.to {
			case floating:
				fmt.Fprintf(b, " %.6g", decode(width)(result))
			case integer:
				fmt.Fprintf(b, " %#x", result&mask(width))
			default:
				fmt.Fprintf(b, " %d", result)
			}
		}
		b.WriteByte('\n')
	}
}
