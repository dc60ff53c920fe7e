package inspect

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/names"
)

// skippedLine matches a line of geometry.Scene.Skipped that counts calls: subject, number, kind,
// and reason.
var skippedLine = regexp.MustCompile(`^(` + geometry.FromPicture + `|` + geometry.FromShaders + `)?(\d+) x [^:]*: (.*)$`)

// LeftOut says in one line what a scene or its picture lacks of its file: counts and reasons, the
// most frequent first. Scene.LeftOut lists all calls.
func LeftOut(s *geometry.Scene) string {
	kinds := []struct{ begins, words string }{
		{geometry.FromPicture, fmt.Sprintf("%%d of %s not shown", names.Count(len(s.Draws), "draw"))},
		{geometry.FromShaders, fmt.Sprintf("%%d of %s drawn without their shaders", names.Count(len(s.Draws), "draw"))},
		{"", "%d calls left out"},
	}
	counts := map[string]map[string]int{} // by subject and reason
	var others []string
	for _, line := range s.Skipped {
		found := skippedLine.FindStringSubmatch(line)
		if found == nil {
			others = append(others, line)
			continue
		}
		n, _ := strconv.Atoi(found[2])
		if counts[found[1]] == nil {
			counts[found[1]] = map[string]int{}
		}
		counts[found[1]][found[3]] += n
	}
	var parts []string
	for _, kind := range kinds {
		if of := counts[kind.begins]; of != nil {
			parts = append(parts, fmt.Sprintf(kind.words, sum(of))+": "+reasons(of))
		}
	}
	return strings.Join(append(parts, others...), "; ")
}

func sum(counts map[string]int) (n int) {
	for _, k := range counts {
		n += k
	}
	return n
}

// reasons lists reasons with their counts. A single reason has no count.
func reasons(counts map[string]int) string {
	var list []string
	for why := range counts {
		list = append(list, why)
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) })
	if len(list) == 1 {
		return list[0]
	}
	for i, why := range list {
		list[i] = fmt.Sprintf("%s (%d)", why, counts[why])
	}
	return strings.Join(list, ", ")
}
