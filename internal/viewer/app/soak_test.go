package app

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/base/bytesize"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
)

// soakVariable sets how many switches TestViewerSoak makes; it opens a tenth as many files, at least
// soakParts. `make soak-viewer` asks for 1,000 switches on the largest captured frame. By default the
// test makes a few, on a scene that is always available.
const soakVariable = "SHADEONCE_VIEWER_SOAK"

// soakGain bounds how far the least memory of a soak's second half may exceed the most of its first
// half: the driver's and Go's allocators hold back a varying amount of some MiB.
const soakGain = 48 << 20

// soakParts is how many times memory is measured.
const soakParts = 10

// TestViewerSoak keeps a viewer open while random keys switch its settings. A second viewer also switches comparisons,
// a third one files. Their memory must not grow in a long soak.
func TestViewerSoak(t *testing.T) {
	switches, scene, second, files := 40, "asset:city3", "asset:knot16", []string{"asset:knot16", "asset:cube", "asset:city3"}
	text := os.Getenv(soakVariable)
	long := text != ""
	if long {
		var err error
		switches, err = strconv.Atoi(text)
		require.NoError(t, err, soakVariable)
		scene = shareddata.Path(t, "captures", "stk_gl_abyss.geo.zip.xml.zst")
		second = filepath.Join(filepath.Dir(scene), "oa.geo.zip.xml.zst")
		files = must.Get(filepath.Glob(filepath.Join(filepath.Dir(scene), "*.geo.zip.xml.zst")))
	} else if testing.Short() {
		t.Skip("viewers are kept open for half a minute")
	}
	part := func(name string, times int, files []string, do func(*stage, int)) {
		t.Run(name, func(t *testing.T) {
			onStage(t, func(t *testing.T, s *stage) {
				s.unchecked = long // the pictures to compare with would take memory, too
				s.start(append([]string{"--remember=false", "--size", "640x400"}, files...)...)
				for range len(order.Names()) { // each order is made once, and kept
					s.key("o")
				}
				requireFlat(t, s.soak(times, do), long)
				s.burst("ctrl+q")
				s.end(s.stderr.String())
			})
		})
	}
	press := func(keys string) func(*stage, int) {
		random, list := rand.New(rand.NewPCG(5, 7)), strings.Fields(keys)
		return func(s *stage, _ int) { s.key(list[random.IntN(len(list))]) }
	}
	part("switches", switches, []string{scene}, press(soakKeys))
	part("comparisons", switches, []string{second}, press(soakKeys+" c shift+c shift+c"))
	part("files", max(soakParts, switches/10), files, func(s *stage, n int) {
		s.keyed("Right", filepath.Base(strings.TrimPrefix(files[(n+1)%len(files)], "asset:"))+" | warp", "invocations")
	})
}

// soakKeys are the keys that a soak presses. A key with more values occurs more often.
const soakKeys = "s s s shift+s l l l v v u n r k k o o shift+o m p 1 3 7 9"

// soaked is the memory of a viewer, in bytes.
type soaked struct{ resident, anonymous int64 }

// soak repeats an action the given number of times, and measures memory in between.
func (s *stage) soak(times int, do func(*stage, int)) (series []soaked) {
	for n := range times {
		do(s, n)
		if (n+1)%max(1, times/soakParts) == 0 {
			m := ownMemory(s.t)
			series = append(series, m)
			s.t.Logf("after %d: resident %s, of it anonymous %s", n+1, bytesize.Text(m.resident), bytesize.Text(m.anonymous))
		}
	}
	return series
}

// ownMemory reads this process's memory from /proc/self/status.
func ownMemory(t *testing.T) (m soaked) {
	text := must.Get(os.ReadFile("/proc/self/status"))
	for line := range strings.Lines(string(text)) {
		name, rest, _ := strings.Cut(line, ":")
		n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
		switch name {
		case "VmRSS":
			m.resident = n << 10
		case "RssAnon":
			m.anonymous = n << 10
		}
	}
	require.NotZero(t, m.resident)
	return m
}

// requireFlat compares a soak's measurements with soakGain. Short soaks do not warm up, so their
// measurements are only logged.
func requireFlat(t *testing.T, series []soaked, long bool) {
	t.Helper()
	require.GreaterOrEqual(t, len(series), soakParts)
	if !long {
		return
	}
	by := func(a, b soaked) int { return int(a.anonymous - b.anonymous) }
	early := slices.MaxFunc(series[:soakParts/2], by)
	late := slices.MinFunc(series[soakParts/2:], by)
	require.Less(t, late.anonymous-early.anonymous, int64(soakGain))
}
