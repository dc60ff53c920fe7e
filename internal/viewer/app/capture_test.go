package app

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
)

// A user opens a capture, finds the draw that wastes most, looks at it alone, saves a picture that
// proves it, and starts again from that picture.
func TestTheDrawThatWastesMostIsFound(t *testing.T) {
	file := shareddata.Path(t, "captures", "oa.geo.zip.xml.zst")
	scene := must.Get(cli.OpenPass(false, "")(t.Context(), file))
	config := must.Get(reuse.Resolve(ListStrategy, start.Lanes, 0))
	worst := worstDraw(scene, config)

	onStage(t, func(t *testing.T, s *stage) {
		s.start("--size", "1000x760", file)
		s.titled("oa.geo.zip.xml.zst | warp")
		require.Regexp(t, `^\d+ of \d+ draws not shown: `, s.Notices.String(), "which file it is about is in the title")
		all := s.named
		s.click(drawsLeft+60, drawsFirst)
		s.click(drawsAlone, drawsFound)
		require.NotEqual(t, invocations(all), invocations(s.named), "one draw is shown alone")
		alone, name := s.named, "oa-warp-32lanes-indexed-counts-draw"+worst+".png"
		s.key("F12")
		require.NotNil(t, s.saved(name))
		s.leave("left out")
		s.start("--remember=false", "--from", name)
		require.Equal(t, invocations(alone), invocations(s.named))
		s.leave("left out")
	})
}

// worstDraw returns the number of the draw that wastes most; of equal draws, the first.
func worstDraw(s *geometry.Scene, c reuse.Config) string {
	_, sums := must.Get2(reuse.Summarize(s, c))
	var worst inspect.DrawRow
	for _, r := range inspect.DrawRows(s, sums) {
		if r.Lost() > worst.Lost() {
			worst = r
		}
	}
	return strconv.Itoa(worst.Number)
}

// invocations returns the number of invocations in a title.
func invocations(title string) string {
	before, _, _ := strings.Cut(title, " invocations")
	return before[strings.LastIndexByte(before, ' ')+1:]
}
