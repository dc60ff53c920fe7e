package panels

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	control := regexp.MustCompile(`ui\.(?:label|limit|number|button|checkbox|tip)\("([^"]+)"`)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, found := range control.FindAllStringSubmatch(string(text), -1) {
			names = append(names, found[1])
		}
		if file != "words.go" && file != "batch_panel.go" { // which has arrows
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
