package bytesize

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]int64{"1": 1, "1000": 1000, "3KiB": 3 << 10, "64MiB": 64 << 20, "64 MiB": 64 << 20, "1024GiB": 1 << 40, "1099511627776": 1 << 40} {
		n, err := Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, want, n, text)
	}
	for _, text := range []string{"", "0", "-1", "0KiB", "1.5GiB", "64MB", "64mib", "MiB", "1025GiB", "1099511627777", "9999999999999999999", "8589934592GiB", "1 2", "x"} {
		_, err := Parse(text)
		require.ErrorContains(t, err, "want bytes, or a whole number with KiB, MiB or GiB, from 1 to 1024GiB", text)
	}
	n, err := Parse(Text(64 << 20))
	require.NoError(t, err, "what Size prints of round numbers is read")
	require.EqualValues(t, 64<<20, n)
}

func TestTexts(t *testing.T) {
	for _, c := range []struct {
		a, b      int64
		one, more string
	}{
		{1 << 20, 2 << 20, "1 MiB", "2 MiB"}, {2<<30 + 1<<18, 2 << 30, "2.0002 GiB", "2 GiB"}, {5, 5, "5 bytes", "5 bytes"}, {1<<40 + 1, 1 << 40, "1.000000000001 TiB", "1 TiB"},
	} {
		one, more := Texts(c.a, c.b)
		require.Equal(t, []string{c.one, c.more}, []string{one, more})
	}
}

func TestFreeMemory(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "windows" {
		t.Skip("the system's free memory is not known here")
	}
	free := FreeMemory()
	require.Greater(t, free, int64(1<<20))
	require.Less(t, free, int64(1<<50))
}
