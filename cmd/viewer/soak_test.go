package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/bytesize"
	"github.com/shadeonce/shadeonce/internal/shareddata"
)

// soakVariable is how many switches TestViewerSoak makes, and ten times how many
// files it opens: `make soak-viewer` asks for 1,000 of the largest captured
// frame. Else there are few, of a scene that is at hand.
const soakVariable = "SHADEONCE_VIEWER_SOAK"

// soakGain is by how much the least that is held in the second half of a soak may
// exceed the most that was held in the first: what the driver's and Go's allocators
// hold back varies by some MiB.
const soakGain = 48 << 20

// soakParts is how many times memory is measured.
const soakParts = 10

// TestViewerSoak keeps one viewer open over switches of everything that keys
// switch, each to settings that were not shown before, another over comparisons, a
// third over files. What they hold must not grow.
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
		files, err = filepath.Glob(filepath.Join(filepath.Dir(scene), "*.geo.zip.xml.zst"))
		require.NoError(t, err)
	} else if testing.Short() {
		t.Skip("viewers are kept open for half a minute")
	}
	d := newDesktop(t)
	// Not under validation, whose layer takes memory for all that it has seen.
	d.more = []string{"SHADEONCE_VALIDATION="}
	part := func(name string, times int, files []string, do func(int)) {
		d.step(name, func() {
			d.start(append([]string{"--remember=false", "--size", "640x400"}, files...)...)
			for range len(order.Names()) { // each order is made once, and kept
				d.switchBy("o")
			}
			requireFlat(d.t, d.soak(times, do), long)
			d.leave("")
		})
	}
	press := func(keys string) func(int) {
		random, list := rand.New(rand.NewPCG(5, 7)), strings.Fields(keys)
		return func(int) { d.switchBy(list[random.IntN(len(list))]) }
	}
	part("switches", switches, []string{scene}, press(soakKeys))
	part("comparisons", switches, []string{second}, press(soakKeys+" c shift+c shift+c"))
	part("files", max(soakParts, switches/10), files, func(n int) {
		d.key("Right")
		d.titled(filepath.Base(strings.TrimPrefix(files[(n+1)%len(files)], "asset:"))+" | warp", "invocations")
	})
}

// soakKeys are what is switched, the more often the more values it has.
const soakKeys = "s s s shift+s l l l v v u n r k k o o shift+o m p 1 3 7 9"

// switchBy presses a key, and waits until the viewer shows what it makes, or has
// nothing to do because that is what was there.
func (d *desktop) switchBy(key string) {
	d.t.Helper()
	before := shownBy(d.title())
	d.key(key)
	quiet, ticks := time.Now(), d.ticks()
	d.until(key+" is done", func() bool {
		if title := d.title(); !strings.Contains(title, "ordering by ") && shownBy(title) != before {
			return true
		}
		if now := d.ticks(); now != ticks || !d.resting() {
			quiet, ticks = time.Now(), now
		}
		return time.Since(quiet) > 300*time.Millisecond
	})
}

var soakTimes = regexp.MustCompile(`[0-9.]+ (ms|fps)|[0-9]+\.[0-9]{2}\b`)

// shownBy is a title without times.
func shownBy(title string) string { return soakTimes.ReplaceAllString(title, "") }

// soaked is the memory of a viewer, in bytes.
type soaked struct{ resident, anonymous int64 }

// soak does something so many times, and measures in between.
func (d *desktop) soak(times int, do func(int)) (series []soaked) {
	began := time.Now()
	for n := range times {
		do(n)
		if (n+1)%max(1, times/soakParts) == 0 {
			m := d.memory()
			series = append(series, m)
			d.t.Logf("after %d in %v: resident %s, of it anonymous %s", n+1, time.Since(began).Round(time.Second), bytesize.Text(m.resident), bytesize.Text(m.anonymous))
		}
	}
	return series
}

// memory is what the system says of the viewer's.
func (d *desktop) memory() (m soaked) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", d.cmd.Process.Pid))
	require.NoError(d.t, err)
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
	require.NotZero(d.t, m.resident)
	return m
}

// requireFlat holds what a soak of some length measured to soakGain. A few switches
// warm nothing up: they are only logged.
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
