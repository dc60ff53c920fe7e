package app

import (
	"encoding/csv"
	"image"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
)

// records parses CSV into its header and rows; a row maps columns to values.
func records(t *testing.T, text string) (header []string, rows []map[string]string) {
	t.Helper()
	all := must.Get(csv.NewReader(strings.NewReader(text)).ReadAll())
	for _, record := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = record[i]
		}
		rows = append(rows, row)
	}
	return all[0], rows
}

// columns returns the columns that analyze writes for rows of type T.
func columns[T any](t *testing.T) []string {
	var b strings.Builder
	require.NoError(t, cli.WriteCSV(&b, []T{}))
	return strings.Split(strings.TrimSpace(b.String()), ",")
}

// The list shows what claim saves, whichever strategy draws the picture. Its CSV has the columns of analyze and the
// counts of claim.
func TestDrawsAreSavedAndCopied(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--size", "1000x760", "--strategy", "naive-index", "asset:city2")
		require.Zero(t, s.Shown.Left.Stats.Reuse())
		scene := s.Shown.Left.Whole
		config := must.Get(reuse.Resolve("claim", 32, 0))
		stats, counts := must.Get2(reuse.Analyze(scene, config.Fitted(scene.Triangles(), theDevice.oracle.Limits().Multiprocessors)))
		require.Positive(t, stats.Reuse())

		const saves, copies = drawsLeft + 120, drawsLeft + 195
		s.click(drawsLeft+10, drawsTitle)
		s.click(saves, drawsFound)
		require.Contains(t, s.Notices.String(), "saved city2-draws.csv in "+s.folder+": 6 rows")
		data := must.Get(os.ReadFile("city2-draws.csv"))
		header, rows := records(t, string(data))
		require.Equal(t, columns[measure.DrawAnalysis](t), header)
		require.Len(t, rows, len(scene.Draws))
		offsets, last := reuse.CountOffsets(scene), 1<<30
		for _, row := range rows {
			n := must.Get(strconv.Atoi(row["draw"]))
			sum := 0
			for _, k := range counts[offsets[n]:][:scene.Draws[n].VertexCount] {
				sum += int(k)
			}
			require.Equal(t, strconv.Itoa(sum), row["invocations"])
			require.Equal(t, []string{"asset:city2", "claim", "strategy", "cpu", scene.Draws[n].Name}, []string{row["file"], row["strategy"], row["kind"], "cpu", row["name"]})
			lost := must.Get(strconv.Atoi(row["lost"]))
			require.LessOrEqual(t, lost, last, "in the order of the list")
			last = lost
		}

		s.click(copies, drawsFound)
		require.Contains(t, s.Notices.String(), "copied to the clipboard: 6 rows of draws, as CSV")
		require.Equal(t, string(data), s.clipboard)
		s.DrawList.Search = "no draw has this name"
		s.DrawList.Arrange()
		s.click(copies, drawsFound)
		_, rows = records(t, s.clipboard)
		require.Empty(t, rows, "only what is listed")
		s.leave("")
		require.Contains(t, s.stdout.String(), "city2-draws.csv")
	})
}

func TestInstancesAreOneRow(t *testing.T) {
	scene := &geometry.Scene{}
	for i := range 5 {
		first := uint32(min(i, 2)) // the last three are instances
		scene.Draws = append(scene.Draws, geometry.Draw{Name: "d", FirstIndex: 3 * first, IndexCount: 3 * min(uint32(i), 1), VertexCount: 3})
	}
	a := &App{Files: []string{"f"}}
	config := must.Get(reuse.Resolve("claim", 32, 0))
	of := inspect.Survey{Scene: scene, Config: config}
	found := inspect.Surveyed{Draws: []reuse.DrawSum{{}, {Invocations: 3, Referenced: 3}, {Invocations: 2, Referenced: 2}, {Invocations: 2, Referenced: 2}, {Invocations: 2, Referenced: 2}}}
	a.DrawList.follow(&a.Shown.Left, of, inspect.Surveyed{})
	require.Empty(t, a.drawRows(), "not known yet")
	a.DrawList.follow(&a.Shown.Left, of, found)
	var got [][3]int
	for _, r := range a.drawRows() {
		got = append(got, [3]int{r.Draw, r.Instances, r.Invocations})
	}
	require.ElementsMatch(t, [][3]int{{1, 1, 3}, {2, 3, 6}}, got)
}

func TestStrategiesAndBatchesAreCopied(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--size", "1000x760", "asset:cube")
		s.key("Tab")
		s.CopyTable(s.StrategiesTable)
		header, rows := records(t, s.clipboard)
		require.Equal(t, append(columns[measure.Analysis](t), "geometry_ms", "passes_ms"), header)
		var names []string
		for _, row := range rows {
			names = append(names, row["strategy"])
			require.NotEqual(t, "0", row["geometry_ms"], row["strategy"])
			require.Equal(t, "cube", row["file"][len("asset:"):])
		}
		require.Equal(t, reuse.Names(), names)
		at := slices.Index(names, "naive")
		require.Equal(t, []string{"36", "0"}, []string{rows[at]["invocations"], rows[at]["reuse"]})

		s.key("Tab", "ctrl+g", "2", "Return")
		require.NotNil(t, s.Selected())
		s.CopyTable(s.BatchTable)
		require.Contains(t, s.Notices.String(), "rows of batch 0, as CSV")
		header, rows = records(t, s.clipboard)
		require.Equal(t, []string{"batch", "draw", "iteration", "slot", "vertex", "indices"}, header)
		require.Len(t, rows, len(s.Selection.Slots))
		require.Equal(t, map[string]string{"batch": "0", "draw": "0", "iteration": "0", "slot": "1", "vertex": "1", "indices": rows[1]["indices"]}, rows[1])
	})
}

// A draw's menu: distances from the cursor down to the first item and between items, in pixels.
const (
	menuFirst = 39
	menuStep  = 19
)

// A right click on a draw opens a menu, in the list and in the picture; a drag opens none.
func TestDrawsHaveAMenu(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--size", "1000x760", "asset:city2")
		menu := func(x, y, item int) {
			t.Helper()
			s.move(x, y)
			s.button(model.RightButton, true)
			s.button(model.RightButton, false)
			require.True(t, s.ui.Typing(), "it is open")
			s.click(x+20, y+menuFirst+menuStep*item)
			require.False(t, s.ui.Typing())
		}
		s.click(drawsLeft+10, drawsTitle)
		whole := s.look()
		worst := s.DrawList.Rows[s.DrawList.Shown[0]].Draw
		number := strconv.Itoa(worst)
		menu(drawsLeft+60, drawsFirst, 1)
		require.Equal(t, cli.MarkFlags{Hide: number}, s.Want.Marks)
		require.True(t, s.Hides(worst))
		require.Equal(t, worst, s.DrawList.Selected)
		require.Equal(t, s.Camera, s.Shown.Left.Camera)
		hidden := s.look()
		require.Positive(t, differing(whole.picture, hidden.picture))
		menu(drawsLeft+60, drawsFirst, 1)
		require.Empty(t, s.Want.Marks, "it is shown again")
		s.same(whole)
		menu(drawsLeft+60, drawsFirst, 0)
		require.Equal(t, cli.MarkFlags{Isolate: number}, s.Want.Marks)
		require.Equal(t, len(s.DrawList.Rows)-1, s.HiddenDraws())
		require.Positive(t, differing(hidden.picture, s.look().picture))
		s.click(drawsLeft+210, drawsFirst-41) // show all
		require.Zero(t, s.HiddenDraws())
		menu(drawsLeft+60, drawsFirst, 2)
		require.Equal(t, number, s.clipboard)
		require.Contains(t, s.Notices.String(), "copied to the clipboard: draw "+number)
		s.key("Escape", "Escape")

		free, _ := s.ui.Free()
		var at image.Point
		draw := -1
		for y := free.Min.Y + 60; draw < 0; y += 7 {
			for x := free.Min.X + 60; x < free.Max.X-60; x += 7 {
				if hit, ok := s.Pickers.Of(s.Shown.Left.Plan).Pick(s.Camera, s.pixels, image.Pt(x, y)); ok {
					draw, at = hit.Draw, image.Pt(x, y)
				}
			}
		}
		s.DrawList.Search = "no draw has this name"
		s.DrawList.Arrange()
		menu(at.X, at.Y, 2)
		require.Equal(t, draw, s.DrawList.Selected)
		require.Empty(t, s.DrawList.Search)
		require.NotEmpty(t, s.DrawList.Shown, "it is shown in the list")
		menu(at.X, at.Y, 3)
		require.Equal(t, strconv.Itoa(draw), s.clipboard)
		s.pull(model.RightButton, false, at.Add(image.Pt(40, 0)), at)
		require.False(t, s.ui.Typing(), "a drag zooms")
		menu(at.X, at.Y, 1)
		require.True(t, s.Hides(draw))
		s.move(at.X, at.Y)
		s.key("p")
		s.button(model.RightButton, true)
		s.button(model.RightButton, false)
		require.False(t, s.ui.Typing(), "no panels, no menu")
		s.key("p")
		s.OpenMenu(len(s.DrawList.Rows) - 1)
		s.settle()
		require.True(t, s.ui.Typing())
		s.Drop([]string{"asset:patches2"})
		s.settle()
		require.False(t, s.ui.Typing(), "the menu's draw is gone")
	})
}

// Hiding and isolating edit one list of draw numbers: --isolate if it is set, else --hide.
func TestHidingAmongIsolatedDraws(t *testing.T) {
	s := newStudio(t, "city3")
	s.Isolate(4)
	s.Hide(5, false)
	require.Equal(t, cli.MarkFlags{Isolate: "4-5"}, s.Want.Marks)
	require.False(t, s.Hides(5))
	s.Hide(4, true)
	require.Equal(t, cli.MarkFlags{Isolate: "5"}, s.Want.Marks)
	s.Hide(5, true)
	require.Equal(t, cli.MarkFlags{Hide: "0-9"}, s.Want.Marks, "none is left")
	s.Hide(3, false)
	require.Equal(t, cli.MarkFlags{Hide: "0-2,4-9"}, s.Want.Marks)
	require.Equal(t, 9, s.HiddenDraws())
	s.Isolate(4)
	require.Equal(t, cli.MarkFlags{Isolate: "4"}, s.Want.Marks, "a hidden draw is isolated")
}
