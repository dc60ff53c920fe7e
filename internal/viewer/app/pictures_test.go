package app

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/viewer/layout"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
)

// A picture saved with overlay equals the screen, and starting from it restores the state.
func TestPicturesLeadBack(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--size", "1000x700", "--compare", "hash/forsyth", "--divider", "0.7", "--palette", "colorblind", "--lanes", "16", "asset:knot16")
		s.titled("warp, 16", "against hash in forsyth order")
		s.move(900, 300)
		s.key("3")
		s.scroll(1)
		s.move(990, 10)
		const at = Margin + panelWidth + 7*(1000-Margin-panelWidth)/10 // the divider's column: 0.7 of the width that the panel leaves
		require.Equal(t, at, divider(s.window()))
		window, there := s.window(), s.look()
		const name = "knot16-warp-16lanes-indexed-counts-against-hash-forsyth"
		s.key("F12")
		got := s.saved(name + ".png").(*image.RGBA)
		require.True(t, agree(window, got, image.Rect(345, 0, 1000, 700)), "beside the panel")
		s.key("t", "ctrl+F12")
		bare := s.saved(name + "-2.png").(*image.NRGBA)
		require.Zero(t, bare.NRGBAAt(2, 2).A, "nothing was drawn in the corner")
		for y := range 700 {
			for x := range 1000 {
				if c := bare.NRGBAAt(x, y); c.A != 0 {
					require.Equal(t, there.picture.RGBAAt(x, y).R, c.R, "%d,%d", x, y)
				}
			}
		}
		s.leave("")

		// Started from the picture, without the remembered settings.
		s.start("--remember=false", "--from", name+".png")
		s.titled("knot16 | warp, 16", "against hash in forsyth order")
		s.move(990, 10)
		s.same(there)
		require.True(t, agree(window, s.window(), image.Rect(345, 0, 1000, 700)))
		s.leave("")

		// Started without it: habits are remembered, explored settings are not.
		s.start("--strategy", "naive", "asset:cube")
		s.titled("cube | naive, 32", "original order")
		require.Equal(t, picture.ColorblindPalette, s.Want.Palette)
		require.Equal(t, model.CompareOff, s.Compare)
	})
}

// The first start without settings compares claim with no reuse and suggests what to do next. The next start
// shows no comparison, and begins with claim whatever was explored, unless the user keeps the settings.
func TestTheFirstStartShowsWhatReuseIs(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.unnamed = true
		plain := func(texts ...string) {
			t.Helper()
			s.start("--size", "640x400")
			s.titled(append(texts, defaultScene[len("asset:"):])...)
		}
		plain("claim, 32", "against naive-index in original order", firstHint)
		require.True(t, s.Split())
		colors := map[bool]int{} // number of pixels by whether they are more red than green
		img := s.scene()
		for i := 0; i < len(img.Pix); i += 4 {
			if r, g := int(img.Pix[i]), int(img.Pix[i+1]); max(r-g, g-r) > 30 {
				colors[r > g]++
			}
		}
		require.Greater(t, min(colors[true], colors[false]), 2000, "both sides are seen")
		s.key("s")
		require.NotContains(t, s.named, firstHint, "it was followed")
		s.leave("")

		plain("claim, 32")
		require.Equal(t, model.CompareOff, s.Compare)
		require.Empty(t, s.Notices)
		s.key("s", "o", "m")
		s.leave("")
		plain("claim, 32", "original order")
		require.Equal(t, picture.ColorblindPalette, s.Want.Palette, "a habit stays")
		s.key("shift+s", "o")
		s.KeepSettings()
		strategy, order := s.Want.Strategy, s.IndexOrder
		s.key("s", "m")
		s.leave("")

		for range 2 { // settings are kept at every start until they are forgotten
			plain(strategy, order+" order")
			require.Equal(t, strategy, s.Want.Strategy, "not what was explored after")
			require.Equal(t, picture.PaperPalette, s.Want.Palette, "habits follow")
			s.leave("")
		}
		plain(strategy)
		s.ForgetSettings()
		s.settle()
		s.titled("claim, 32")
		s.leave("")
		plain("claim, 32", "original order")
	})
}

func TestTurntableSavesEveryStep(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		require.NoError(t, s.open("--turntable", "1", "--size", "120x90", "--compare", "hash", "asset:cube"))
		s.settle()
		require.True(t, s.Quit)
		s.end("")
		require.Equal(t, "cube-warp-32lanes-indexed-counts-against-hash-turn0001.png\n", s.stdout.String())
		require.NoError(t, s.open("--turntable", "3", "--size", "120x90", "--order", "forsyth", "asset:cube"))
		s.settle()
		require.True(t, s.Quit)
		s.end("")
		require.Equal(t, 3, strings.Count(s.stdout.String(), "\n"))
		first := s.saved("cube-warp-32lanes-indexed-counts-forsyth-turn0001.png").(*image.RGBA)
		second := s.saved("cube-warp-32lanes-indexed-counts-forsyth-turn0002.png").(*image.RGBA)
		require.Equal(t, image.Pt(120, 90), first.Rect.Size())
		require.False(t, agree(first, second, first.Rect))
		s.saved("cube-warp-32lanes-indexed-counts-forsyth-turn0003.png")
		require.NoFileExists(t, filepath.Join(s.folder, "state", "shadeonce", "viewer.json"), "a turntable is not remembered")
	})
}

// TestTurntablesAreGivenUp: after cancelling a turntable, the saved pictures are complete, and the viewer stays open.
func TestTurntablesAreGivenUp(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		require.NoError(t, s.open("--turntable", "4", "--size", "120x90", "asset:cube"))
		for s.turn.done < 1 || s.Drawing == nil || !s.Drawing.Task {
			require.False(t, s.Quit)
			s.once(soon)
		}
		busy := s.Busy()
		require.Equal(t, "the turntable after 1 of 4 pictures", busy.What)
		require.Equal(t, .25, busy.Done)
		s.key("BackSpace")
		require.Equal(t, "gave up the turntable after 1 of 4 pictures", s.Notices.String())
		require.False(t, s.Quit)
		require.Equal(t, 1, strings.Count(s.stdout.String(), "\n"))
		s.leave("")
		require.Len(t, must.Get(filepath.Glob("cube*.png*")), 1)
	})
}

func chunk(kind, body string) []byte {
	data := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	data = append(append(data, kind...), body...)
	return binary.BigEndian.AppendUint32(data, crc32.ChecksumIEEE(data[4:]))
}

func TestStampsAreReadWithCare(t *testing.T) {
	signature := []byte("\x89PNG\r\n\x1a\n")
	text := func(body string) []byte { return chunk("iTXt", picture.StampKeyword+"\x00\x00\x00\x00\x00"+body) }
	whole := func(parts ...[]byte) []byte {
		return bytes.Join(append([][]byte{signature, chunk("IHDR", strings.Repeat("\x00", 13))}, parts...), nil)
	}
	damaged := text(`{"version":1}`)
	damaged[len(damaged)-1] ^= 1
	for name, c := range map[string]struct {
		data []byte
		says string
	}{
		"no picture":       {[]byte("GIF89a"), "no PNG picture"},
		"empty":            {nil, "no PNG picture"},
		"no settings":      {whole(chunk("IEND", "")), "contains no settings"},
		"ends early":       {whole(), "ends early"},
		"cut":              {whole(text(`{"version":1}`))[:60], "ends early"},
		"damaged":          {whole(damaged), "damaged"},
		"lying length":     {whole([]byte("\xff\xff\xff\xffIDAT")), "a PNG chunk of 4294967295 bytes"},
		"huge claim":       {whole([]byte("\x7f\xff\xff\xffIDAT")), "ends early"},
		"another's text":   {whole(chunk("iTXt", "Comment\x00\x00\x00\x00\x00{}"), chunk("IEND", "")), "contains no settings"},
		"compressed":       {whole(chunk("iTXt", picture.StampKeyword+"\x00\x01\x00\x00\x00{}"), chunk("IEND", "")), "contains no settings"},
		"too long":         {whole(text(`{"version":1,"flags":{"view":"`+strings.Repeat("x", 2*picture.MaxStampBytes)+`"}}`), chunk("IEND", "")), "contains no settings"},
		"a value too long": {whole(text(`{"version":1,"flags":{"view":"` + strings.Repeat("x", (4<<10)+1) + `"}}`)), "too long"},
		"no JSON":          {whole(text(`{`)), "settings"},
		"other version":    {whole(text(`{"version":2}`)), "version 2"},
		"many files":       {whole(text(`{"version":1,"files":["a"` + strings.Repeat(`,"a"`, 64) + `]}`)), "65 files"},
		"bad number":       {whole(text(`{"version":1,"flags":{"lanes":"many"}}`)), "lanes"},
		"bad value":        {whole(text(`{"version":1,"flags":{"strategy":"x"}}`)), "x"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.png")
			require.NoError(t, os.WriteFile(path, c.data, 0o600))
			err := fromPicture(path)
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, path)
			var usage cli.UsageError
			require.NotErrorAs(t, err, &usage, "a bad picture is bad input, not bad usage")
			require.NotContains(t, err.Error(), "\n")
		})
	}
	path := filepath.Join(t.TempDir(), "a.png")
	require.NoError(t, os.WriteFile(path, whole(text(`{"version":1,"flags":{"device":"x","from":"/etc","turntable":"9","view":"shaded"},"more":1}`)), 0o600))
	require.NoError(t, fromPicture(path), "what it may not set is passed over")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	require.True(t, must.Get(parse("--remember")).remember)
	require.False(t, must.Get(parse("--remember", "--from", path)).remember, "a picture's settings are not those of the next start")
}

// fromPicture starts the viewer from a picture, as `viewer --from` does.
func fromPicture(path string, args ...string) error {
	_, err := parse(append([]string{"--from", path}, args...)...)
	return err
}

func TestWhatIsKeptComesBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "viewer.json")
	m, err := recall(path)
	require.NoError(t, err, "nothing was kept yet")
	require.Empty(t, m.Flags)
	m = memory{
		Stamp: picture.Stamp{Version: picture.StampVersion, Flags: map[string]string{"palette": "paper"}}, Kept: map[string]string{"view": "shaded"}, Seen: true,
		Window: &Place{-5, 7}, Panels: map[string]layout.Place{"draws": {X: 1, Y: 2, Width: 300, Height: 200, Right: true}}, Recent: []string{"/a/b.ply", "asset:cube"},
	}
	require.NoError(t, m.keep(path))
	m.Kept["view"] = "batches"
	require.NoError(t, m.keep(path))
	require.Equal(t, m, must.Get(recall(path)))
	require.Len(t, must.Get(os.ReadDir(filepath.Dir(path))), 1)
	for _, text := range []string{"", "{", `{"version":9}`, strings.Repeat(" ", 2*picture.MaxStampBytes)} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := recall(path)
		require.Error(t, err, "%.9q", text)
	}
}

func FuzzStamp(f *testing.F) {
	stamp := picture.Stamp{Version: picture.StampVersion, Files: []string{"a"}, Flags: map[string]string{"view": "counts"}}
	stamped := must.Get(picture.Encode(image.NewRGBA(image.Rect(0, 0, 2, 2)), "viewer", "d", stamp))
	f.Add(stamped)
	f.Add(stamped[:50])
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := picture.DecodeStamp(bytes.NewReader(data))
		if err != nil {
			return
		}
		var run RunFlags
		cmd := &cobra.Command{}
		run.add(cmd.Flags())
		if applyStamp(s, model.Pictures, cmd.Flags()) == nil {
			_, _ = run.options(cmd.Flags(), s.Files)
		}
	})
}

// The viewer starts even if remembered settings do not suit the device or are nonsense.
func TestViewerStartsWhateverWasKept(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.unnamed = true
		path := filepath.Join(s.folder, "state", "shadeonce", "viewer.json")
		keep := func(flags map[string]string) {
			m := memory{Stamp: picture.Stamp{Version: picture.StampVersion, Flags: map[string]string{"size": "320x200", "palette": "colorblind"}}, Kept: flags, Window: &Place{1 << 30, -1 << 30}}
			require.NoError(t, m.keep(path))
		}
		// No device has native subgroups of every width.
		keep(map[string]string{"subgroups": "native", "lanes": "4", "view": "batches", "size": "320x200"})
		s.start("--panels=false", "asset:cube")
		s.titled("cube | claim", "counts")
		s.leave("without the settings that were remembered")
		keep(map[string]string{"strategy": "gone", "view": "batches"})
		s.start("--panels=false", "asset:cube")
		s.titled("cube | claim", "counts")
		s.leave("")
		require.NoError(t, os.WriteFile(path, []byte("{"), 0o600))
		s.start("--panels=false", "--view", "shaded", "asset:cube")
		s.titled("cube | claim", "shaded")
	})
}
