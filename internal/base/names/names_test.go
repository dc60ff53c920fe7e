package names

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"hash", "hash", 0}, {"hsah", "hash", 1}, {"has", "hash", 1}, {"hassh", "hash", 1},
		{"hesh", "hash", 1}, {"phash", "hash", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3}, {"wrap", "warp", 1},
	} {
		require.Equal(t, c.want, distance(c.a, c.b), "%s, %s", c.a, c.b)
		require.Equal(t, c.want, distance(c.b, c.a), "%s, %s", c.b, c.a)
	}
}

func TestNearest(t *testing.T) {
	have := []string{"naive", "naive-index", "warp", "hash", "phash", "gpu", "nvidia-32-32-32"}
	for name, want := range map[string]string{
		"hsah": "hash", "HASH": "hash", "wrap": "warp", "phas": "phash", "naiv": "naive", "naiveindex": "naive-index", "gup": "gpu",
		"nvidia": "nvidia-32-32-32", "naive-": "naive", // a near name takes precedence over one that begins alike
		"foo": "", "": "", "h": "", "x": "", "hxxh": "", "indexed": "", strings.Repeat("hash", 1<<20): "",
	} {
		require.Equal(t, want, Nearest(name, have), "%.20s", name)
	}
	require.Empty(t, Nearest("hash", nil))
}

func TestUnknown(t *testing.T) {
	have := []string{"naive", "hash"}
	require.EqualError(t, Unknown("strategy", "hsah", have), `unknown strategy "hsah": did you mean hash? have naive, hash`)
	require.EqualError(t, Unknown("strategy", "foo", have), `unknown strategy "foo": have naive, hash`)
	require.EqualError(t, Unknown("strategy", "a\nb", have), `unknown strategy "a\nb": have naive, hash`)
	require.Less(t, len(Unknown("strategy", strings.Repeat("x", 1e6), have).Error()), 100)
}

func TestCount(t *testing.T) {
	t.Parallel()
	for want, n := range map[string]int{"0 chunks": 0, "1 chunk": 1, "2 chunks": 2, "-1 chunks": -1} {
		require.Equal(t, want, Count(n, "chunk"))
	}
}
