package inspect

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestOneLineIsShort(t *testing.T) {
	require.Equal(t, "a b c ~", OneLine("a\nb\x7fc\x00~"))
	require.Equal(t, strings.Repeat("ä", 200), OneLine(strings.Repeat("ä", 200)))
	require.Equal(t, strings.Repeat("ä", 200)+"...", OneLine(strings.Repeat("ä", 201)))
}

func TestBenchmarkTellsTheMedian(t *testing.T) {
	ms := time.Millisecond
	require.Equal(t, "3 frames: median 20.000 ms/frame (50.0 fps), min 10.000, max 90.000", Benchmark([]time.Duration{90 * ms, 10 * ms, 20 * ms}, Pace{}))
	require.Equal(t, "0 frames", Benchmark(nil, Pace{}))
	var p Pace
	for _, at := range []time.Duration{0, 100, 400, 500} {
		p.Note(time.Unix(1, 0).Add(at * ms))
	}
	require.Equal(t, "1 frame: median 10.000 ms/frame (100.0 fps), min 10.000, max 10.000; window shown 6.0 times a second, at most 300 ms apart", Benchmark([]time.Duration{10 * ms}, p))
}

func TestSmoothFollows(t *testing.T) {
	mean := Smooth(0, 80)
	require.Equal(t, time.Duration(80), mean)
	require.Equal(t, time.Duration(90), Smooth(mean, 160))
}
