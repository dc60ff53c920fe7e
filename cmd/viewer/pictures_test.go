package main

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/layout"
	"github.com/shadeonce/shadeonce/internal/views"
	"github.com/shadeonce/shadeonce/renderer/picture"
)

// saved waits for a picture in the viewer's folder.
func (d *desktop) saved(name string) image.Image {
	d.t.Helper()
	var img image.Image
	d.until(name+" is written", func() bool {
		data, err := os.ReadFile(filepath.Join(d.folder, name))
		if err == nil {
			img, err = png.Decode(bytes.NewReader(data))
		}
		return err == nil
	})
	return img
}

// A picture with overlay is the screen, and leads back to it.
func TestPicturesLeadBack(t *testing.T) {
	d := newDesktop(t)
	d.start("--size", "1000x700", "--compare", "hash/forsyth", "--divider", "0.7", "--palette", "colorblind", "--lanes", "16", "asset:knot16")
	d.titled("warp, 16", "against hash in forsyth order")
	d.do("mousemove", "--window", d.window, "900", "300")
	d.key("3")
	d.do("click", "4")
	d.do("mousemove", "--window", d.window, "990", "10")
	const at = guiMargin + guiWidth + 7*(1000-guiMargin-guiWidth)/10 // of what the panel leaves
	whole := d.settled("the scene is shown", func(img *image.RGBA) bool { return divider(img) == at && colorful(img) > changed })
	const name = "knot16-warp-16lanes-indexed-counts-against-hash-forsyth"
	d.key("F12")
	d.titled("saved " + name + ".png")
	got := d.saved(name + ".png").(*image.RGBA)
	require.True(t, agree(whole, got, image.Rect(345, 0, 1000, 700)), "the screenshot against the screen, beside the panel")
	d.key("t", "ctrl+F12")
	d.titled("saved " + name + "-2.png")
	bare := d.saved(name + "-2.png").(*image.NRGBA)
	require.Zero(t, bare.NRGBAAt(2, 2).A, "nothing was drawn in the corner")
	for y := range 700 {
		for x := 345; x < 1000; x++ {
			if c := bare.NRGBAAt(x, y); c.A != 0 && (x < at-10 || x > at+10) && y < 560 {
				require.Equal(t, whole.RGBAAt(x, y).R, c.R, "%d,%d", x, y)
			}
		}
	}
	d.key("q")
	d.end()

	// Begun from the picture in another process, with what was left forgotten.
	d.start("--remember=false", "--from", name+".png")
	d.titled("knot16 | warp, 16", "against hash in forsyth order")
	d.do("mousemove", "--window", d.window, "990", "10")
	d.settled("it is as it was", func(img *image.RGBA) bool { return agree(whole, img, image.Rect(345, 0, 1000, 700)) })
	d.key("q")
	d.end()

	// Without, the last settings are remembered, and flags go first.
	d.start("--strategy", "naive", "asset:cube")
	d.titled("cube | naive, 16", "against hash in forsyth order")
	d.key("q")
	d.end()
}

func TestTurntableSavesEveryStep(t *testing.T) {
	d := newDesktop(t)
	out, err := d.viewer("--turntable", "3", "--size", "120x90", "--order", "forsyth", "asset:cube").CombinedOutput()
	require.NoError(t, err, string(out))
	require.Equal(t, 3, strings.Count(string(out), "\n"), string(out))
	first := d.saved("cube-warp-32lanes-indexed-counts-forsyth-turn0001.png").(*image.RGBA)
	second := d.saved("cube-warp-32lanes-indexed-counts-forsyth-turn0002.png").(*image.RGBA)
	require.Equal(t, image.Pt(120, 90), first.Rect.Size())
	require.False(t, agree(first, second, first.Rect))
	d.saved("cube-warp-32lanes-indexed-counts-forsyth-turn0003.png")
	require.NoFileExists(t, filepath.Join(d.folder, "state", "shadeonce", "viewer.json"), "a turntable is not remembered")
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
		"no settings":      {whole(chunk("IEND", "")), "no settings in it"},
		"ends early":       {whole(), "ends early"},
		"cut":              {whole(text(`{"version":1}`))[:60], "ends early"},
		"damaged":          {whole(damaged), "damaged"},
		"lying length":     {whole([]byte("\xff\xff\xff\xffIDAT")), "a chunk of 4294967295 bytes"},
		"huge claim":       {whole([]byte("\x7f\xff\xff\xffIDAT")), "ends early"},
		"another's text":   {whole(chunk("iTXt", "Comment\x00\x00\x00\x00\x00{}"), chunk("IEND", "")), "no settings in it"},
		"compressed":       {whole(chunk("iTXt", picture.StampKeyword+"\x00\x01\x00\x00\x00{}"), chunk("IEND", "")), "no settings in it"},
		"too long":         {whole(text(`{"version":1,"flags":{"view":"`+strings.Repeat("x", 2*picture.MaxStampBytes)+`"}}`), chunk("IEND", "")), "no settings in it"},
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
}

// fromPicture begins with a picture, as `viewer --from` does.
func fromPicture(path string, args ...string) error {
	cmd := newCommand(func(options) error { return nil })
	cmd.SetArgs(append([]string{"--remember=false", "--from", path}, args...))
	return cmd.Execute()
}

func TestEveryStampedFlagIsAFlag(t *testing.T) {
	var f rawFlags
	cmd := &cobra.Command{}
	f.add(cmd.Flags())
	for _, name := range stampFlags {
		require.NotNil(t, cmd.Flags().Lookup(name), name)
	}
	s := newState(t, 1)
	s.Compare, s.Want.Batch, s.Want.Unique = views.CompareSplit, 96, 64
	values := s.flagValues()
	for name := range values {
		require.Contains(t, stampFlags, name)
	}
	require.Len(t, values, len(stampFlags)-9, "all but camera, draw, marks of draws, size and vertex shader, which are a picture's own")
}

func TestWhatIsKeptComesBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "viewer.json")
	m, err := recall(path)
	require.NoError(t, err, "nothing was kept yet")
	require.Empty(t, m.Flags)
	m = memory{picture.Stamp{Version: picture.StampVersion, Flags: map[string]string{"view": "shaded"}}, &place{-5, 7}, map[string]layout.Place{"draws": {X: 1, Y: 2, Width: 300, Height: 200, Right: true}}, []string{"/a/b.ply", "asset:cube"}}
	require.NoError(t, m.keep(path))
	m.Flags["view"] = "batches"
	require.NoError(t, m.keep(path))
	back, err := recall(path)
	require.NoError(t, err)
	require.Equal(t, m, back)
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1)
	for _, text := range []string{"", "{", `{"version":9}`, strings.Repeat(" ", 2*picture.MaxStampBytes)} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := recall(path)
		require.Error(t, err, "%.9q", text)
	}
}

func FuzzStamp(f *testing.F) {
	stamp := picture.Stamp{Version: picture.StampVersion, Files: []string{"a"}, Flags: map[string]string{"view": "counts"}}
	stamped, err := picture.Encode(image.NewRGBA(image.Rect(0, 0, 2, 2)), "viewer", "d", stamp)
	require.NoError(f, err)
	f.Add(stamped)
	f.Add(stamped[:50])
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := picture.DecodeStamp(bytes.NewReader(data))
		if err != nil {
			return
		}
		var raw rawFlags
		cmd := &cobra.Command{}
		raw.add(cmd.Flags())
		if applyStamp(s, cmd.Flags()) == nil {
			_, _ = raw.options(s.Files)
		}
	})
}

// What was kept may not fit another device, or may be no settings at all.
func TestViewerStartsWhateverWasKept(t *testing.T) {
	d := newDesktop(t)
	d.unnamed = true
	path := filepath.Join(d.folder, "state", "shadeonce", "viewer.json")
	keep := func(flags map[string]string) {
		m := memory{picture.Stamp{Version: picture.StampVersion, Flags: flags}, &place{1 << 30, -1 << 30}, nil, nil}
		require.NoError(t, m.keep(path))
	}
	// No device has native subgroups of every width.
	keep(map[string]string{"subgroups": "native", "lanes": "4", "view": "batches", "size": "320x200"})
	d.start("--panels=false", "asset:cube")
	d.titled("cube | auto: ", "counts")
	d.leave("without the settings that were remembered")
	keep(map[string]string{"strategy": "gone", "view": "batches"})
	d.start("--panels=false", "asset:cube")
	d.titled("cube | auto: ", "counts")
	d.leave("")
	require.NoError(t, os.WriteFile(path, []byte("{"), 0o600))
	d.start("--panels=false", "--view", "shaded", "asset:cube")
	d.titled("cube | auto: ", "shaded")
	d.leave("")
	d.start("--panels=false", "asset:cube")
	d.titled("cube | auto: ", "shaded")
	d.leave("")
}

// leave ends the viewer, which has said something on standard error.
func (d *desktop) leave(says string) {
	d.t.Helper()
	d.key("q")
	select {
	case err := <-d.ended:
		require.NoError(d.t, err, d.stderr.String())
		require.Contains(d.t, d.stderr.String(), says)
	case <-time.After(patience):
		d.t.Fatal("the viewer does not end")
	}
}
