package panels

import (
	"image"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/inkyblackness/imgui-go/v4"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
)

// Every setting, button and figure has a sentence of help.
func TestEveryControlHasHelp(t *testing.T) {
	var names []string
	for _, n := range numbers {
		names = append(names, n.name)
	}
	for _, c := range strategyColumns {
		names = append(names, c.name)
	}
	files := must.Get(filepath.Glob("*.go"))
	control := regexp.MustCompile(`ui\.(?:label|choice|orderChoice|limit|number|button|checkbox|tip)\("([^"]+)"`)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text := must.Get(os.ReadFile(file))
		for _, found := range control.FindAllStringSubmatch(string(text), -1) {
			names = append(names, found[1])
		}
		if file != "words.go" {
			require.NotRegexp(t, `imgui\.(Checkbox|Button)\(`, string(text), "%s: ui.checkbox and ui.button have help", file)
		}
	}
	require.Greater(t, len(names), 40)
	for _, name := range names {
		help := help(name)
		require.NotEmpty(t, help, name)
		require.True(t, strings.HasSuffix(help, "."), "a sentence: %s", help)
	}
	require.Contains(t, help("reuse"), "negative")
}

func TestDifferencesHaveASign(t *testing.T) {
	for text, want := range map[string]string{"0.1250": "+0.1250", "-0.75": "-0.75", "0.0000": "0.0000", "-0.0000": "0.0000", "12,288": "+12,288", "0.0 %": "0.0 %"} {
		require.Equal(t, want, signed(text))
	}
}

// Names of draws are shortened in the middle, since they differ at their ends.
func TestNamesAreElidedInTheMiddle(t *testing.T) {
	g := newGUI(1)
	defer g.close()
	g.frame(image.Pt(400, 400), &results.Flat{}, func() {
		width := func(text string) float32 { return imgui.CalcTextSize(text, false, 0).X }
		const name = "pass 1 / event 195 vkCmdDrawIndexed"
		require.Equal(t, name, elided(name, width(name)))
		last := name + "..."
		for wide := width(name) - 1; wide > width("..."); wide-- {
			short := elided(name, wide)
			require.LessOrEqual(t, width(short), wide)
			require.LessOrEqual(t, len(short), len(last))
			head, tail, cut := strings.Cut(short, "...")
			require.True(t, cut && strings.HasPrefix(name, head) && strings.HasSuffix(name, tail))
			require.GreaterOrEqual(t, len(tail), len(head))
			last = short
		}
		require.Equal(t, "pas...vkCmdDrawIndexed", elided(name, width("pas...vkCmdDrawIndexed")))
		require.Equal(t, "...", elided(name, 0))
	})
}

// Texts are broken at spaces, and not within numbers.
func TestTextsAreBrokenAtSpaces(t *testing.T) {
	g := newGUI(1)
	defer g.close()
	g.frame(image.Pt(400, 400), &results.Flat{}, func() {
		wide := imgui.CalcTextSize("hash takes 1.1", false, 0).X
		require.Equal(t, "hash takes\n1.11 times\n\nas long", wrapped("hash takes 1.11 times\n\nas long", wide))
		require.Equal(t, "a\na/path.wider.than.a.line\nb", wrapped("a a/path.wider.than.a.line b", wide))
	})
}

// A narrow list of draws keeps the important columns, each once.
func TestColumnsOfDrawsFit(t *testing.T) {
	const lost, triangles, ideal = 6, 2, 4
	require.Equal(t, []int{0, 1, lost}, drawColumns(228, lost))
	require.Equal(t, []int{0, 1, ideal, lost}, drawColumns(285, ideal))
	require.Equal(t, []int{0, 1, lost, triangles}, drawColumns(320, lost))
	require.Len(t, drawColumns(490, triangles), 7)
	require.Equal(t, []int{0, 1, ideal}, drawColumns(0, ideal))
}
