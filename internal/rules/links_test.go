package rules

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

// readmeLines bounds README.md: a tour, with everything else in docs/.
const readmeLines = 150

var (
	fence   = regexp.MustCompile("(?ms)^```.*?^```$")
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	scheme  = regexp.MustCompile(`^[a-z]+:`)
)

func TestMarkdownLinks(t *testing.T) {
	root := projectRoot(t)
	texts := map[string]string{}
	for name, text := range projectTexts(t, ".md") {
		texts[name] = string(text)
	}
	require.Contains(t, texts, "README.md")
	exists := func(name string) bool {
		_, err := os.Stat(filepath.Join(root, name))
		return err == nil
	}
	for name := range texts {
		for _, bad := range brokenLinks(name, texts, exists) {
			t.Errorf("%s: %s", name, bad)
		}
	}
	require.LessOrEqual(t, strings.Count(texts["README.md"], "\n"), readmeLines, "lines of README.md")
}

func TestBrokenLinksAreFound(t *testing.T) {
	texts := map[string]string{
		"README.md": "# A\n[a](docs/b.md) [b](docs/b.md#two-words--x) [c](#a) ![d](d.png) [e](https://e.org/x)\n```\n[f](nowhere)\n```\n",
		"docs/b.md": "# Two words, `x`\n## Twice\n## Twice\n[up](../README.md#a) [g](g.md) [h](#h) [i](../d.png#i) [j](#twice-1)\n```\n# h\n```\n",
	}
	exists := func(name string) bool { return texts[name] != "" || name == "d.png" }
	require.Equal(t, []string{"no heading for docs/b.md#two-words--x"}, brokenLinks("README.md", texts, exists))
	require.Equal(t, []string{"no file for g.md", "no heading for #h", "no heading for ../d.png#i"}, brokenLinks("docs/b.md", texts, exists))
}

// brokenLinks lists the links of a page that lead nowhere within the project. texts maps paths from
// the root to pages.
func brokenLinks(page string, texts map[string]string, exists func(name string) bool) []string {
	var bad []string
	for _, found := range link.FindAllStringSubmatch(fence.ReplaceAllString(texts[page], ""), -1) {
		target := found[1]
		if scheme.MatchString(target) {
			continue
		}
		file, anchor, anchored := strings.Cut(target, "#")
		to := page
		if file != "" {
			to = path.Join(path.Dir(page), file)
		}
		switch {
		case !exists(to):
			bad = append(bad, "no file for "+target)
		case anchored && !anchors(texts[to])[anchor]:
			bad = append(bad, "no heading for "+target)
		}
	}
	return bad
}

// anchors lists the names by which links reach a page's headings, as GitHub makes them: lower case,
// without punctuation, and numbered if repeated.
func anchors(text string) map[string]bool {
	names := map[string]bool{}
	for _, found := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(found[1]))
		unique := name
		for n := 1; names[unique]; n++ {
			unique = fmt.Sprintf("%s-%d", name, n)
		}
		names[unique] = true
	}
	return names
}
